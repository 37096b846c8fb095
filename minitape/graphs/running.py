"""Running a graph on arrays, as a flat list of steps.

The one fact to know: `Runner` is the graph as a loop over (forward, where the inputs are, where the
output goes); nothing is recorded, and arrays are dropped after their last use. Where an interpreter
has to see the ops, `replaying` does the same with tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import raise_instead
from minitape.errors.of_ops import forward_failed
from minitape.graphs.nodes import PLACEHOLDER
from minitape.graphs.sizes.checks import alike, check_alike, check_expected, has_open_sizes
from minitape.graphs.sizes.shapes import has_size, resolved
from minitape.tensor import EagerTensor, storable
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node

_LARGE = 1024  # bytes; smaller arrays are not worth the statement that frees them
_UNARY, _BINARY, _GENERAL, _VARIADIC, _SEVERAL, _SIZED = range(6)


def live_nodes(graph: Graph, outputs: Sequence[int], effects: bool = True) -> list[Node]:
    """The nodes that `outputs` depend on, and with `effects` those that do something, in order."""
    needed = set(outputs)
    found = []
    for node in reversed(graph.nodes):
        if node.op is not PLACEHOLDER and (
            (effects and node.effect) or not needed.isdisjoint(node.outputs)
        ):
            found.append(node)
            needed.update(node.needs)
    return found[::-1]


def _without_log(arrays: Sequence[Any], program: Any) -> list[Any]:
    """Runs a branch or loop whose log of effects nothing reads."""
    found: list[Any] = program.flat(arrays)
    return [*found, None]


def _of_texts(forward: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *inputs: storable(forward(*inputs))


class Runner:
    """A graph as a flat list of steps on arrays.

    Args:
        graph: the graph.
        inputs: the slots that are given for a run.
        outputs: the slots whose values are asked for.
        effects: whether to run what only has an effect, such as an assignment.
    """

    def __init__(
        self, graph: Graph, inputs: Sequence[int], outputs: Sequence[int], effects: bool = True
    ) -> None:
        given = set(inputs)
        self.graph = graph
        self.size = len(graph.nodes)
        self.nodes = [n for n in live_nodes(graph, outputs, effects) if given.isdisjoint(n.outputs)]
        self.places: dict[int, int] = {slot: i for i, slot in enumerate(inputs)}
        self.template: list[Any] = [None] * len(inputs)
        self.variables: list[tuple[int, ResourceVariable]] = []
        self.used = self._used(outputs)
        self.missing = [slot for slot in self.used if self._needs_feed(slot)]
        steps = [self._step(node) for node in self.nodes]
        self.outputs = [self._place(slot) for slot in outputs]
        self.steps = self._with_frees(steps)

    def _used(self, outputs: Sequence[int]) -> dict[int, None]:
        return dict.fromkeys([slot for node in self.nodes for slot in node.needs] + list(outputs))

    def _needs_feed(self, slot: int) -> bool:
        producer = self.graph.producers.get(slot)
        return slot not in self.places and producer is not None and producer.op is PLACEHOLDER

    def _place(self, slot: int) -> int:
        """Where the value of a slot stands; a captured one is put there now."""
        place = self.places.get(slot)
        if place is None:
            place = self.places[slot] = len(self.template)
            outside = self.graph.captured.get(slot)
            self.template.append(outside.value if isinstance(outside, EagerTensor) else None)
            if isinstance(outside, ResourceVariable):
                self.variables.append((place, outside))
        return place

    def _step(self, node: Node) -> tuple[Any, ...]:
        op, inputs = node.op, [self._place(slot) for slot in node.inputs]
        outs = [self._place(slot) for slot in node.outputs]
        first, second = (*inputs, 0, 0)[:2]
        forward, out = op.forward, outs[0]
        if self.graph.specs[node.outputs[0]].dtype.kind == "O" and not op.several:
            forward = _of_texts(forward)
        if op.type_name == "Run" and node.effect and node.outputs[-1] not in self.used:
            forward = _without_log
        if self.graph.has_sizes and has_open_sizes(self.graph.specs, node):
            return _SIZED, self._sized(node, forward, inputs, outs), 0, 0, (), out
        if op.several:
            return _SEVERAL, forward, inputs, op.variadic, node.attributes, outs
        if op.variadic:
            return _VARIADIC, forward, inputs, 0, node.attributes, out
        if not node.attributes and len(inputs) <= 2 and inputs:
            return _UNARY if len(inputs) == 1 else _BINARY, forward, first, second, (), out
        return _GENERAL, forward, inputs, 0, node.attributes, out

    def _sized(
        self, node: Node, forward: Callable[..., Any], inputs: list[int], outs: list[int]
    ) -> Callable[[list[Any]], None]:
        """A step of an op with sizes among its attributes, or between its inputs."""
        op, pairs = node.op, alike(self.graph.specs, node)
        places = {slot: self._place(slot) for slot in node.sizes}

        def run(values: list[Any]) -> None:
            given = [values[i] for i in inputs]
            check_alike(pairs, [x.shape for x in given])
            attributes = resolved(node.attributes, lambda slot: values[places[slot]].shape)
            result = op.applied(forward, given, attributes)
            found = result if op.several else (result,)
            check_expected(self.graph.specs, node, [x.shape for x in found])
            for place, value in zip(outs, found, strict=True):
                values[place] = value

        return run

    def _with_frees(self, steps: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Each step with the places of large arrays that nothing needs after it."""
        later = set(self.outputs)
        found = []
        for node, step in zip(reversed(self.nodes), reversed(steps), strict=True):
            dead = [
                s
                for s in {*node.needs, *node.outputs}
                if self._is_large(s) and self.places[s] not in later
            ]
            later.update(self.places[slot] for slot in node.needs)
            found.append((*step, [self.places[slot] for slot in dead] or None))
        return found[::-1]

    def _is_large(self, slot: int) -> bool:
        shape, dtype, _ = self.graph.specs[slot]
        if self.graph.has_sizes and has_size(tuple(shape)):
            return True
        size = dtype.itemsize
        for n in shape:
            size *= n
        return bool(size >= _LARGE)

    def __call__(self, arrays: Sequence[Any]) -> list[Any]:
        """The values of the outputs for the arrays of the inputs."""
        values = self.template.copy()
        values[: len(arrays)] = arrays
        for place, variable in self.variables:
            values[place] = variable._plain.value
        out: Any = None
        try:
            for kind, forward, a, b, attributes, out, dead in self.steps:  # noqa: B007
                if kind == _BINARY:
                    values[out] = forward(values[a], values[b])
                elif kind == _UNARY:
                    values[out] = forward(values[a])
                elif kind == _GENERAL:
                    values[out] = forward(*[values[i] for i in a], *attributes)
                elif kind == _VARIADIC:
                    values[out] = forward([values[i] for i in a], *attributes)
                elif kind == _SIZED:
                    forward(values)
                else:
                    inputs = [values[i] for i in a]
                    results = forward(inputs, *attributes) if b else forward(*inputs, *attributes)
                    for place, value in zip(out, results, strict=True):
                        values[place] = value
                if dead:
                    for place in dead:
                        values[place] = None
        except Exception as error:
            raise_instead(self._failure(out, error), error)
        return [values[place] for place in self.outputs]

    def _failure(self, out: Any, error: Exception) -> Exception:
        """`error` as the op's own call would tell it, with the line that made the node."""
        place = out[0] if isinstance(out, list) else out
        node = next(n for n in self.nodes if self.places[n.outputs[0]] == place)
        if hasattr(error, "__notes__"):
            return error  # a branch or loop body inside has told already
        explained = forward_failed(
            node.op, [self.graph.tensor(slot) for slot in node.inputs], node.attributes, error
        )
        explained.add_note(f"minitape: in a graph, the op {node.name}, made at {node.line}")
        return explained
