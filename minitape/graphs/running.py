"""Running a graph on arrays: the forward of each node that matters, in order.

Nothing is recorded, and an array is dropped after its last use. Where an interpreter has to see the
ops, `replaying` does the same with tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import raise_instead
from minitape.errors.of_ops import forward_failed
from minitape.graphs.nodes import PLACEHOLDER, dead_after, live_nodes
from minitape.graphs.sizes.checks import alike, check_alike, check_expected, has_open_sizes
from minitape.graphs.sizes.shapes import resolved
from minitape.tensor import storable
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node


class Runner:
    """A graph as a function of arrays.

    Args:
        graph: the graph.
        inputs: the slots that are given for a run.
        outputs: the slots whose values are asked for.
        effects: whether to run what only has an effect, such as an assignment.

    Attributes:
        size: how many nodes the graph had when this was made.
        missing: the placeholders that a run would need besides the inputs.
    """

    def __init__(
        self, graph: Graph, inputs: Sequence[int], outputs: Sequence[int], effects: bool = True
    ) -> None:
        self.graph, self.inputs, self.outputs = graph, list(inputs), list(outputs)
        self.size = len(graph.nodes)
        given = set(inputs)
        live = live_nodes(graph.nodes, outputs, effects)
        nodes = [node for node in live if given.isdisjoint(node.outputs)]
        used = dict.fromkeys([slot for node in nodes for slot in node.needs] + self.outputs)
        self.missing = [slot for slot in used if slot not in given and needs_feed(graph, slot)]
        self._captured = {
            slot: graph.captured[slot]
            for slot in used
            if slot in graph.captured and slot not in given
        }
        self._steps = [
            (node, forward_of(graph, node), self._is_sized(node), dead)
            for node, dead in zip(nodes, dead_after(nodes, outputs), strict=True)
        ]

    def _is_sized(self, node: Node) -> bool:
        """Whether a run has to look at sizes for this node."""
        return self.graph.has_sizes and has_open_sizes(self.graph.specs, node)

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The values of the outputs for the arrays of the inputs."""
        values = {slot: _held(x) for slot, x in self._captured.items()}
        values.update(zip(self.inputs, arrays, strict=True))
        for node, forward, is_sized, dead in self._steps:
            results = self._sized if is_sized else _results
            try:
                found = results(node, forward, values)
            except Exception as error:
                raise_instead(failure(self.graph, node, error), error)
            values.update(zip(node.outputs, found, strict=True))
            for slot in dead:
                values.pop(slot, None)
        return tuple([values[slot] for slot in self.outputs])

    def _sized(self, node: Node, forward: Callable[..., Any], values: dict[int, Any]) -> Any:
        """The results of a node, with its sizes as they are in this run."""
        specs = self.graph.specs
        check_alike(alike(specs, node), [values[slot].shape for slot in node.inputs])
        attributes = resolved(node.attributes, lambda slot: values[slot].shape)
        found = _results(node._replace(attributes=attributes), forward, values)
        check_expected(specs, node, [x.shape for x in found])
        return found


def _results(node: Node, forward: Callable[..., Any], values: dict[int, Any]) -> Any:
    """The results of a node."""
    given = [values[slot] for slot in node.inputs]
    result = node.op.applied(forward, given, node.attributes)
    return result if node.op.several else (result,)


def rounds(
    runner: Callable[[Sequence[Any]], tuple[Any, ...]], fixed: Sequence[Any]
) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function that runs one round of a loop, on the inputs that change and the `fixed` ones."""
    return lambda changing: runner([*changing, *fixed])


def needs_feed(graph: Graph, slot: int) -> bool:
    """Whether a slot is a placeholder, whose value a run is given."""
    producer = graph.producers.get(slot)
    return producer is not None and producer.op is PLACEHOLDER


def forward_of(graph: Graph, node: Node) -> Callable[..., Any]:
    """The forward of a node's op, for texts too."""
    if graph.specs[node.outputs[0]].dtype.kind == "O" and not node.op.several:
        return _of_texts(node.op.forward)
    return node.op.forward


def _of_texts(forward: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *inputs: storable(forward(*inputs))


def _held(x: Any) -> Any:
    """The array of a tensor or variable from outside."""
    return x._plain.value if isinstance(x, ResourceVariable) else x.value


def failure(graph: Graph, node: Node, error: Exception) -> Exception:
    """`error` as the op's own call would tell it, with the line that made the node."""
    if hasattr(error, "__notes__"):
        return error  # a branch or loop body inside has told already
    inputs = [graph.tensor(slot) for slot in node.inputs]
    explained = forward_failed(node.op, inputs, node.attributes, error)
    explained.add_note(f"minitape: in a graph, the op {node.name}, made at {node.line}")
    return explained
