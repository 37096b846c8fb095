"""Records an unchanged PyTorch script: each request for gradients becomes a trace.

The script runs in `recording`, and before a `backward` or `autograd.grad` is answered, `step` makes
the trace of it: PyTorch's own backward pass, with the graph kept, and no `.grad` changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from ..record.lines import calling_frame, calling_line
from ..record.titles import place_of
from ..script import MAX_PER_LINE, MAX_TRACES
from .recorder import Recorder, said
from .torch import LEAF, step
from .torch_watch import is_library, latest, recording

MAX_NODES = 600  # of a graph that is drawn
MAX_SOURCES = 30


class TorchRecorder(Recorder):
    """What a script asked PyTorch for."""

    def asked(self, targets: Any, sources: Any, run: Any, grad_outputs: Any = None) -> Any:
        """One request: its trace, then PyTorch's own answer."""
        if self.inside:
            return run()
        self.inside = True
        try:
            self._keep(targets, sources, grad_outputs)
            latest.clear()  # what ran before belongs to this request
            return run()
        finally:
            self.inside = False

    def _keep(self, targets: Any, sources: Any, grad_outputs: Any) -> None:
        frame = calling_frame()
        while frame is not None and is_library(frame.f_code.co_filename):
            frame = frame.f_back
        line = calling_line() if frame is None else None
        place = (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)
        self.calls[place] += 1
        given = [targets] if isinstance(targets, torch.Tensor) else list(targets)
        leaves = _leaves(given[0]) if len(given) == 1 else None
        if self.calls[place] > MAX_PER_LINE or len(self.traces) >= MAX_TRACES or leaves is None:
            self.left_out += 1
            return
        names = _names(frame)
        wanted = _with_parameters(leaves, frame) if sources is None else list(sources)
        named = {names.get(id(x), f"leaf {n}"): x for n, x in enumerate(wanted[:MAX_SOURCES])}
        name = names.get(id(given[0]), "the target")
        of = ", ".join(list(named)[:3]) + (", ..." if len(named) > 3 else "")
        where = (
            place_of(line, self.calls[place]) if frame is None else said(place, self.calls[place])
        )
        try:
            player = step(
                given[0],
                named,
                grad_outputs,
                title=f"gradient of {name} with respect to {of}{where}",
            )
            self.traces.append(player.trace)
        except Exception:  # what cannot be shown must not stop the script
            self.left_out += 1


def _leaves(target: Any) -> list[Any] | None:
    """The variables behind a target; None for a graph that is too large to be drawn."""
    found: list[Any] = []
    seen: set[Any] = set()
    todo = [target.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if len(seen) > MAX_NODES:
            return None
        if node.name() == LEAF:
            found.append(node.variable)
        todo += [before for before, _ in node.next_functions]
    return found[::-1]


def _with_parameters(leaves: list[Any], frame: Any) -> list[Any]:
    """The variables of a graph, and the parameters of the script's modules that are not in it."""
    known = {id(x) for x in leaves}
    scope = {} if frame is None else {**frame.f_globals, **frame.f_locals}
    modules = [x for name, x in scope.items() if isinstance(x, torch.nn.Module) and name[0] != "_"]
    rest = {id(p): p for module in modules for p in module.parameters() if p.requires_grad}
    return [*leaves, *(p for number, p in rest.items() if number not in known)]


def _names(frame: Any) -> dict[int, str]:
    """What the script calls tensors and the parameters of its modules."""
    found: dict[int, str] = {}
    while frame is not None and not is_library(frame.f_code.co_filename):
        for name, x in {**frame.f_globals, **frame.f_locals}.items():
            if name.startswith("_"):
                continue
            if isinstance(x, torch.Tensor):
                found.setdefault(id(x), name)
            elif isinstance(x, torch.nn.Module):
                for path, parameter in x.named_parameters():
                    found.setdefault(id(parameter), f"{name}.{path}")
        frame = frame.f_back
    return found


@contextmanager
def _listening(recorder: TorchRecorder) -> Iterator[None]:
    """Hears each request while the block runs; afterwards PyTorch is as it was."""
    tensor, every, grad = torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad

    def backward(self: Any, gradient: Any = None, *args: Any, **options: Any) -> Any:
        return recorder.asked(
            self, None, lambda: tensor(self, gradient, *args, **options), gradient
        )

    def all_backward(tensors: Any, *args: Any, **options: Any) -> Any:
        return recorder.asked(tensors, None, lambda: every(tensors, *args, **options))

    def gradients(outputs: Any, inputs: Any, *args: Any, **options: Any) -> Any:
        sources = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
        weights = args[0] if args else options.get("grad_outputs")
        return recorder.asked(
            outputs, sources, lambda: grad(outputs, sources, *args, **options), weights
        )

    torch.Tensor.backward = backward
    torch.autograd.backward = all_backward
    torch.autograd.grad = gradients
    try:
        yield
    finally:
        torch.Tensor.backward = tensor
        torch.autograd.backward = every
        torch.autograd.grad = grad


def record_torch_script(
    path: str | os.PathLike[str], arguments: Sequence[str] = ()
) -> TorchRecorder:
    """Runs a PyTorch script as `python` would, and records what it asks gradients of.

    Args:
        path: the script.
        arguments: what it finds in `sys.argv[1:]`.

    Raises:
        ScriptError: if the script cannot be read, or asks for no gradient before it ends or fails.
    """
    recorder = TorchRecorder()
    with recording(), _listening(recorder):
        recorder.run(Path(path), arguments)
    latest.clear()
    recorder.end("asked PyTorch for no gradient that could be shown: call `backward()` of a loss, "
                 "or `torch.autograd.grad`")  # fmt: skip
    return recorder
