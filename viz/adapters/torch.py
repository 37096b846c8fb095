"""PyTorch's own backward pass in the player.

    from minitape.viz.adapters import torch as torch_player
    with torch_player.recording():              # values and lines; optional
        loss = model(x)
    torch_player.step(loss, list(model.parameters()))

The graph is that of `grad_fn`, the steps are what PyTorch's engine passed through it (hooks on its
nodes), and nothing is computed here. Without `recording` a result has a value only where PyTorch
saved it for the way back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.autograd.graph import get_gradient_edge

from minitape.safety.silence import Silence

from ..player.notebook import Player
from ..record.lines import calling_frame
from ..trace.arrays import Array
from ..trace.attributes import attributes_of
from ..trace.trace import NodeKind, Producer
from .formulas import OWN
from .torch_asked import checked, explained, named_sources
from .torch_names import argument_names, call_of, op_name
from .torch_watch import Edge, Seen, array_of, latest, recording
from .writer import Read, Writer

COMPILED = (
    "What was compiled is one op here: compute it inside of `recording`, which runs it uncompiled, "
    "to see its ops."
)


def why_none(name: str, source: Any, target: Any, reentrant: bool = False) -> str:
    """Why `.grad` of a source is None, in a sentence; `reentrant`: a checkpoint is in the graph."""
    if not (source.dtype.is_floating_point or source.dtype.is_complex):
        return (
            f"{name} is {str(source.dtype)[6:]}: only floating and complex tensors have gradients."
        )
    if target.grad_fn is None and target.requires_grad:
        return f"The target is a leaf itself: nothing was computed, so no path leads to {name}."
    if target.grad_fn is None:
        return (
            "The target has no grad_fn: it was computed under no_grad or inference_mode, from a "
            "detached tensor, by an op without a derivative, or from nothing that requires a "
            "gradient."
        )
    if not source.requires_grad:
        return f"{name} does not require a gradient: set {name}.requires_grad_() before it is used."
    if reentrant:
        return (
            f"No path leads from the target to {name} in PyTorch's graph. But a reentrant "
            "checkpoint is on the way: it computes its inside anew in `backward()`, which may give "
            f"{name}.grad a value. Write checkpoint(..., use_reentrant=False) to see it here."
        )
    return (
        f"No path leads from the target to {name} in PyTorch's graph: it is not used, or what was "
        "made of it was cut off (by detach, no_grad, item or an op without a derivative)."
    )


def hooked(name: str, arrived: Any, g: Any, sizes: Any, count: int, dtype: str) -> Iterator[str]:
    """Say where what goes on is not what arrived: a hook has changed it.

    PyTorch rounds each sum to the tensor's dtype, the trace to NumPy's. So it was a hook only where
    the difference is more than roundings of `count` shares, `sizes` together, can make, and where
    no sum can have left the range of the dtype.
    """
    if arrived is None or np.shape(arrived) != np.shape(g):
        return
    info = np.finfo("float32" if dtype == "bfloat16" else dtype)
    unit = 2.0**-8 if dtype == "bfloat16" else float(info.eps)
    with Silence():
        room = 4 * unit * (count + 1) * sizes + float(info.tiny) * unit
        rounded = (np.abs(np.subtract(arrived, g)) <= room) | ~(sizes <= float(info.max))
    if np.all(rounded | np.equal(arrived, g)):
        return
    texts = [Array.of(each).text() for each in (arrived, g)]
    yield f"A hook on `{name}` makes {texts[1]} of what arrives there, {texts[0]}."


def saved_tensors(function: Any) -> dict[str, Any]:
    """What a node of PyTorch's graph saved for its rule, by its name there."""
    found = dict(_saved(function))
    # A function of the program's own keeps a plain tuple, PyTorch's `x[i, j]` one of indices.
    own = getattr(function, "saved_tensors", ())
    found |= {f"saved_{i}": each for i, each in enumerate(own)}
    several = {n: each for n, each in found.items() if isinstance(each, tuple)}
    found |= {f"{n}_{i}": t for n, each in several.items() for i, t in enumerate(each)}
    return {n: t for n, t in found.items() if isinstance(t, torch.Tensor)}


def settings(function: Any) -> Iterator[tuple[str, Any]]:
    """What an op was called with besides tensors, and the layout of what has channels."""
    saved = dict(_saved(function))
    for name, value in saved.items():
        # Sizes and strides of inputs (`self_sym_sizes`) are the nodes' own.
        if "_sym_" not in name and not isinstance(value, torch.Tensor):
            yield name, value
    if re.search("Conv|Pool|Upsample", function.name()):
        yield "layout", "NCHW"
    if "transposed" in saved:
        roles = ["image", "kernel", "map"]  # of a convolution's inputs and of its result
        yield "roles", ["map", "kernel", "image"] if saved["transposed"] else roles
        axes = zip(saved["stride"], saved["padding"], saved["dilation"], strict=True)
        yield "windows", list(axes)  # how its window moves


def _saved(function: Any) -> Iterator[tuple[str, Any]]:
    for name in dir(function):
        if name.startswith("_saved_"):
            yield name.removeprefix("_saved_"), getattr(function, name)


def constants(seen: Seen | None, edges: Sequence[Any]) -> Sequence[Any] | None:
    """The call's arguments, where just those without an edge are constants: then they belong."""
    if seen is None or len(seen.arguments) != len(edges):
        return None
    fits = all(
        (x is None) == (f is not None) for x, (f, _) in zip(seen.arguments, edges, strict=True)
    )
    return seen.arguments if fits else None


__all__ = ["recording", "step", "why_none"]

PRODUCER = Producer("torch", str(torch.__version__))
LEAF = "torch::autograd::AccumulateGrad"


class Happened(NamedTuple):
    """One node of PyTorch's graph ran: what came in at its results, what it passed on."""

    function: Any
    came: tuple[Any, ...]
    shares: tuple[Any, ...]


def step(target: Any, sources: Any, grad_outputs: Any = None, *, title: str = "") -> Player:
    """The step player of what PyTorch's autograd does for `target` and `sources`.

    The graph is kept (`retain_graph`), so `target.backward()` can be called afterwards, and no
    `.grad` is changed.

    Args:
        target: a tensor that requires a gradient.
        sources: a tensor, several (a list, `model.parameters()`), names and tensors (a dict,
            `model.named_parameters()`), or a module: its parameters.
        grad_outputs: the cotangent of a target that is no scalar, as for `torch.autograd.grad`.
        title: a heading for the page.

    Returns:
        A player; `player.trace.notes` says for each source without a gradient why it has none.

    Raises:
        TypeError: if target or a source is not a tensor.
        RuntimeError: if the target is no scalar, the graph was released, or a tensor was written to
            in place that the way back reads.
    """
    checked(target, grad_outputs)
    named = named_sources(sources)
    graph = _Graph(target, named, latest)
    reached = [t for t in named.values() if t.requires_grad]
    run = target.requires_grad and bool(reached)
    happened, own = graph.run(reached, grad_outputs) if run else ([], [])
    writer = graph.written(happened, grad_outputs, run)
    places = {name: graph.place_of(t, name) for name, t in named.items()}
    gradients = {graph.place_of(t, ""): array_of(g) for t, g in zip(reached, own, strict=run)}
    lost = [
        why_none(name, tensor, target, graph.reentrant)
        for name, tensor in named.items()
        if writer.cotangents.get(places[name]) is None
    ]
    notes = (*dict.fromkeys(lost), *graph.notes, *graph.hooked(gradients))
    target_place = graph.place_of(target, "target")
    trace = writer.trace(
        [target_place], places.values(), PRODUCER, title=title, notes=notes,
        gradients=writer.cotangents | gradients,
    )  # fmt: skip
    return Player(trace)


class _Graph:
    """PyTorch's graph of a target, as nodes of a trace."""

    def __init__(self, target: Any, named: Mapping[str, Any], seen: Mapping[Edge, Seen]) -> None:
        self.target, self.seen, self.writer = target, seen, Writer()
        self.places: dict[Any, int] = {}
        self.names = _names(named)
        self.functions = _inputs_first(target.grad_fn)
        self.positions: dict[Any, dict[int, int]] = {}
        self.shapes: dict[Edge, tuple[int, ...]] = {}
        self.notes: list[str] = []
        self.arrived: dict[int, tuple[Any, int]] = {}  # how large all shares are, and how many
        self.reentrant = any("CheckpointFunction" in f.name() for f in self.functions)
        if any("CompiledFunction" in f.name() for f in self.functions):
            self.notes.append(COMPILED)

    def hooked(self, gradients: Mapping[int, Any]) -> Iterator[str]:
        """Say where the gradient of a leaf is not what arrived there."""
        for place, own in gradients.items():
            if own is not None:
                yield from self._hooked(place, self.writer.cotangents.get(place), own)

    def _hooked(self, place: int, arrived: Any, g: Any) -> Iterator[str]:
        name = self.writer.label(place) or "a leaf"
        sizes, count = self.arrived.get(place, (np.zeros(()), 0))
        yield from hooked(name, arrived, g, sizes, count, self.writer.nodes[place].dtype)

    def _arrives(self, place: int, share: Any) -> None:
        sizes, count = self.arrived.get(place, (0.0, 0))
        self.arrived[place] = sizes + np.abs(share).astype(np.float64), count + 1

    def run(
        self, sources: Sequence[Any], grad_outputs: Any
    ) -> tuple[list[Happened], Sequence[Any]]:
        """Let PyTorch differentiate, and note what its nodes got and gave; its gradients."""
        happened: list[Happened] = []

        def note(function: Any) -> Any:
            def hook(shares: Any, came: Any) -> None:
                happened.append(
                    Happened(function, tuple(map(array_of, came)), tuple(map(array_of, shares)))
                )

            return hook

        ops = [each for each in self.functions if each.name() != LEAF]
        hooks = [each.register_hook(note(each)) for each in ops]
        try:
            own = torch.autograd.grad(
                self.target, sources, grad_outputs, retain_graph=True, allow_unused=True
            )
        except RuntimeError as refused:
            error = explained(refused)
            if error is refused:
                raise
            raise error from refused
        finally:
            for hook in hooks:
                hook.remove()
        return happened, own

    def written(self, happened: Sequence[Happened], grad_outputs: Any, ran: bool) -> Writer:
        """All nodes, then the steps; a target that is itself a source has the seed alone."""
        for each in happened:
            for number, g in enumerate(each.came):
                if g is not None:
                    self.shapes[each.function, number] = g.shape
        saved = {f: saved_tensors(f) for f in self.functions}
        kept = {key: t for found in saved.values() for t in found.values() if (key := _edge(t))}
        for function in self.functions:
            self._add(function, saved[function], kept)
        if ran:
            ones = np.ones(tuple(self.target.shape), array_of(self.target).dtype)
            seed = ones if grad_outputs is None else array_of(grad_outputs)
            self._arrives(self.place_of(self.target, "target"), seed)
            self.writer.seed(self.place_of(self.target, "target"), seed)
        for each in happened:
            self._pulled(each, saved[each.function])
        return self.writer

    def _add(self, function: Any, saved: Mapping[str, Any], kept: Mapping[Edge, Any]) -> None:
        if function.name() == LEAF:
            self.place_of(function.variable, "")
            return
        seen = self.seen.get((function, 0))
        inputs = self._inputs(function, saved, seen)
        name = seen.op if seen and seen.op else op_name(function.name())
        attributes = attributes_of([*settings(function), *(seen.attributes if seen else ())])
        for number in range(max([n for f, n in self._used() if f is function], default=0) + 1):
            known = self.seen.get((function, number))
            tensor = kept.get((function, number))
            value = known.value if known else None if tensor is None else array_of(tensor)
            fields: dict[str, Any] = {"dtype": _dtype(function, number)}
            if value is None:
                fields["shape"] = self.shapes.get((function, number), ())
            self.places[function, number] = self.writer.op(
                name, inputs, value, output=number, watched=True,
                name=self.names.get((function, number), ""), record=len(self.positions),
                line=known.line if known else None, scope=known.scope if known else (),
                attributes=attributes,
                **fields,
                **self.writer.formula(name, call_of(function), inputs, value),
            )  # fmt: skip

    def _used(self) -> Iterator[Edge]:
        for function in self.functions:
            yield from ((f, n) for f, n in function.next_functions if f is not None)
        yield self.target.grad_fn, self.target.output_nr

    def _inputs(self, function: Any, saved: Mapping[str, Any], seen: Seen | None) -> list[int]:
        """The nodes of the inputs; what needs no gradient is a constant, where it is known."""
        edges = function.next_functions
        given = constants(seen, edges)
        called = argument_names(function, saved) or [""] * len(edges)
        loose = [t for t in saved.values() if _edge(t) is None and t.grad_fn is None]
        inputs: list[int] = []
        where = self.positions[function] = {}
        for number, (each, which) in enumerate(edges):
            if each is not None:
                where[number] = len(inputs)
                inputs.append(self._place_of_edge(each, which))
            elif called[number] in saved:
                where[number] = len(inputs)
                inputs.append(self.place_of(saved[called[number]], ""))
            elif given is not None:
                inputs.append(self.writer.leaf(given[number], "constant"))
            elif len(loose) == 1 and number < 2:
                inputs.append(self.place_of(loose[0], ""))
        return inputs

    def _place_of_edge(self, function: Any, which: int) -> int:
        if function.name() == LEAF:
            return self.place_of(function.variable, "")
        return self.places[function, which]

    def place_of(self, tensor: Any, name: str) -> int:
        """The node of a tensor; one that is not in the graph is added."""
        key = _edge(tensor) or id(tensor)
        if key not in self.places:
            wanted = tensor.requires_grad or name in self.names.values()
            kind: NodeKind = "variable" if wanted else "constant"
            self.places[key] = self.writer.leaf(
                array_of(tensor), kind, watched=tensor.requires_grad,
                name=self.names.get(key, ""), dtype=str(tensor.dtype)[6:],
                device="" if tensor.device.type == "cpu" else str(tensor.device),
            )  # fmt: skip
        return self.places[key]

    def _pulled(self, each: Happened, saved: Mapping[str, Any]) -> None:
        function, where = each.function, self.positions[each.function]
        outputs = [self.places.get((function, n)) for n in range(len(each.came))]
        pairs = [(n, g) for n, g in zip(outputs, each.came, strict=True) if n is not None]
        shares = {
            where[number]: share
            for number, share in enumerate(each.shares)
            if share is not None and number in where
        }

        for place, g in pairs:
            if g is not None:
                self.notes += self._hooked(place, self.writer.cotangents.get(place), g)
        for position, share in shares.items():
            self._arrives(self.writer.nodes[pairs[0][0]].inputs[position], share)
        nodes, came = [n for n, _ in pairs], [g for _, g in pairs]
        own = isinstance(function, torch.autograd.function.BackwardCFunction)
        name = self.writer.nodes[nodes[0]].op or ""
        read = partial(self._read, saved, nodes[0])
        self.writer.pulls(nodes, came, shares, call_of(function), read, OWN + name if own else name)

    def _read(self, saved: Mapping[str, Any], node: int) -> list[Read]:
        """What a rule of PyTorch's reads: what was saved, by the names that formulas have."""
        inputs = self.writer.nodes[node].inputs
        found: dict[int, Read] = {}
        for name, tensor in saved.items():
            place = self.place_of(tensor, "")
            label = self.writer.label(place) if place in (*inputs, node) else name
            found[place] = (label or name, place, array_of(tensor))
        for name, place in zip(self.writer.symbols(inputs), inputs, strict=True):
            # A constant that PyTorch need not keep, such as the 2 of `y[0].mul_(2)`.
            if place not in found and self.writer.nodes[place].kind == "constant":
                found[place] = (name, place, self.writer.values[place])
        return list(found.values())


def _edge(tensor: Any) -> Any:
    """Which result of which node a tensor is; a leaf is the node that adds up its gradient."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn, tensor.output_nr
    return get_gradient_edge(tensor).node if tensor.requires_grad else None


def _dtype(function: Any, number: int) -> str:
    """The dtype of a result, as PyTorch's graph knows it."""
    return str(function._input_metadata[number].dtype)[6:]


def _inputs_first(function: Any) -> list[Any]:
    """All nodes of PyTorch's graph, each behind those that it passes gradients to."""
    found: dict[Any, None] = {}
    waiting = [(function, False)] if function is not None else []
    while waiting:
        each, done = waiting.pop()
        if done:
            found[each] = None
        elif each not in found:
            waiting.append((each, True))
            inputs = [f for f, _ in each.next_functions if f is not None and f not in found]
            waiting += [(f, False) for f in reversed(inputs)]
    return list(found)


def _names(named: Mapping[str, Any]) -> dict[Any, str]:
    """What the learner's program calls the tensors."""
    frame = calling_frame()
    scope = {} if frame is None else {**frame.f_globals, **frame.f_locals}
    tensors = {n: t for n, t in scope.items() if isinstance(t, torch.Tensor) and n[0] != "_"}
    return {
        _edge(t) or id(t): n for n, t in {**tensors, **named}.items() if isinstance(t, torch.Tensor)
    }
