"""What is seen of a PyTorch program while it runs: values, lines, modules.

A result is known by its place in PyTorch's graph, (grad_fn, output_nr), which stays when the tensor
is written to in place; so the value noted is the one that was made there. What has no numbers to
read (inside of `torch.func`, on the device "meta", while a program is exported or traced) is not
noted, and runs as it would without.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.modules import module as modules
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ..record.lines import calling_frame, is_ours, line_of
from ..trace.trace import Line
from .writer import plain

FOLDER = os.path.dirname(torch.__file__) + os.sep

Edge = tuple[Any, int]  # a node of PyTorch's graph, and which of its results


class Seen(NamedTuple):
    """What was seen of a result when it was made.

    Attributes:
        value: its numbers.
        line: the learner's line.
        scope: the modules that it is in.
        arguments: the numbers of those that need no gradient, None for the others.
        op: what is called, where PyTorch's graph does not say it.
        attributes: what else is known of the call.
    """

    value: Any
    line: Line | None
    scope: tuple[str, ...]
    arguments: tuple[Any, ...]
    op: str = ""
    attributes: tuple[tuple[str, Any], ...] = ()


latest: dict[Edge, Seen] = {}  # of the last recording


class _Watch(TorchFunctionMode):
    """Notes every result that has a gradient, with the line and the modules that made it."""

    def __init__(self) -> None:
        super().__init__()
        self.scope: list[tuple[Any, str]] = []
        self.learners = False  # whether what runs is the learner's call, and not a note of it

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.learners = not _is_traced()
        try:
            out = func(*args, **(kwargs or {}))
        finally:
            self.learners = False
        if _is_traced():
            return out
        several = out if isinstance(out, (tuple, list)) else [out]
        for each in several:
            if isinstance(each, torch.Tensor) and each.grad_fn is not None:
                value = _numbers(each)
                if value is not None:
                    names = tuple(name for _, name in self.scope)
                    latest.setdefault(
                        (each.grad_fn, each.output_nr),
                        Seen(value, _line(), names, tuple(map(_constant, args))),
                    )
        self._written(func.__name__, args)
        return out

    def _written(self, op: str, args: Any) -> None:
        """Note a write into a part of a tensor: the graph says neither the op nor the part."""
        if not args or not isinstance(args[0], torch.Tensor):
            return
        whole = args[0] if args[0]._base is None else args[0]._base
        if whole.grad_fn is None or "CopySlices" not in whole.grad_fn.name():
            return
        value = _numbers(whole)
        if value is None:
            return
        part = whole.detach()[args[1]] if op == "__setitem__" else args[0]
        values = (whole, args[2]) if op == "__setitem__" else (whole, *args[1:])
        offset = part.storage_offset() - whole.storage_offset()
        latest.setdefault(
            (whole.grad_fn, whole.output_nr),
            Seen(
                value, _line(), tuple(name for _, name in self.scope),
                tuple(map(_constant, values)), op.strip("_"),
                (("size", tuple(part.shape)), ("stride", part.stride()), ("offset", offset)),
            ),
        )  # fmt: skip

    def enter(self, module: Any, args: Any) -> None:
        parent = self.scope[-1][0] if self.scope else None
        children = parent.named_children() if parent is not None else ()
        name = next((n for n, child in children if child is module), type(module).__name__)
        self.scope.append((module, name))

    def leave(self, module: Any, args: Any, out: Any) -> None:
        if self.scope and self.scope[-1][0] is module:
            self.scope.pop()


class _Inside(TorchDispatchMode):
    """Notes what only PyTorch's own functions have computed, when the next op takes it."""

    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self.watch = watch

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for each in tree_leaves(args):
            ordinary = type(each) is torch.Tensor and each.grad_fn is not None
            if self.watch.learners and ordinary and (each.grad_fn, each.output_nr) not in latest:
                value, names = _numbers(each), tuple(name for _, name in self.watch.scope)
                if value is not None:
                    latest[each.grad_fn, each.output_nr] = Seen(value, _line(), names, ())
        return func(*args, **(kwargs or {}))


@contextmanager
def recording() -> Iterator[None]:
    """Keep the values, lines and modules of what is computed in the block, for `step`.

    What was compiled (`torch.compile`) runs uncompiled here, so that its ops are seen.
    """
    latest.clear()
    watch = _Watch()
    hooks = [
        modules.register_module_forward_pre_hook(watch.enter),
        modules.register_module_forward_hook(watch.leave),
    ]
    try:
        with torch.compiler.set_stance("force_eager"), watch, _Inside(watch):
            yield
    finally:
        for hook in hooks:
            hook.remove()


def array_of(tensor: Any) -> Any:
    """A copy in NumPy; bfloat16 as float32."""
    if tensor is None:
        return None
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    tensor = tensor.to_dense() if tensor.layout is not torch.strided else tensor
    return plain((tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()).copy()


def _numbers(tensor: Any) -> Any:
    """The numbers of a tensor; None of one that has none to read, such as those of `torch.func`."""
    try:
        return array_of(tensor)
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def _is_traced() -> bool:
    """Whether PyTorch is making a program of what runs: then a note would become a part of it."""
    return bool(torch.compiler.is_compiling() or torch.jit.is_tracing())


def _constant(argument: Any) -> Any:
    """What an argument is if it needs no gradient: its numbers."""
    if isinstance(argument, torch.Tensor):
        return None if argument.requires_grad else _numbers(argument)
    return np.float32(argument) if isinstance(argument, (int, float)) else None


def _line() -> Line | None:
    """The learner's line: the innermost one outside of PyTorch."""
    frame = calling_frame()
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is None else line_of(frame.f_code.co_filename, frame.f_lineno)


def is_library(filename: str) -> bool:
    """Whether a file is PyTorch's or the toolkit's own."""
    return filename.startswith(FOLDER) or is_ours(filename)
