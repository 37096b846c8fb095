"""A graph with unknown sizes, written down once more for sizes that come again.

Shapes in a graph follow from the shapes of its inputs, and of the results that bring sizes of their
own, which a run finds first (`found_first`) and gives as if they were inputs. The copy is a graph
without unknown sizes, which is simplified as any other; it is made for shapes that have come a few
times, since making it takes as long as some runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.graphs.graph import Graph
from minitape.graphs.nodes import ASSIGN, READ
from minitape.graphs.results import results
from minitape.graphs.sizes.checks import SizesDiffer, alike, check_alike, check_expected
from minitape.graphs.sizes.shapes import has_open_axis, has_size, resolved
from minitape.graphs.sizes.size import NeedsSize
from minitape.tensor import Spec, eager

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.nodes import Node
    from minitape.tensor import Shape

_OFTEN = 8  # runs that making a copy is worth
_MOST = 16  # copies of one graph
_COUNTED = 1_000  # shapes whose runs are counted at a time; a stream of others must not pile up
_NOT_MADE = object()


class ForShapes:
    """What is made of a graph for each of the shapes that its inputs often have.

    Args:
        make: what to make of a graph without unknown sizes.
        graph: a graph with unknown sizes.
        nodes: its live nodes.
        inputs: the slots that are given for a run.
    """

    def __init__(
        self,
        make: Callable[[Graph], Any],
        graph: Graph,
        nodes: Sequence[Node],
        inputs: Sequence[int],
    ) -> None:
        self._make, self._graph, self._nodes, self._inputs = make, graph, nodes, inputs
        self._counts: dict[Any, int] = {}
        self._made: dict[Any, Any] = {}

    def __call__(self, shapes: tuple[Shape, ...]) -> Any:
        """What was made for inputs of these shapes; None if they did not come often."""
        made = self._made.get(shapes, _NOT_MADE)
        if made is not _NOT_MADE:
            return made
        if not self._come_often(shapes):
            return None
        graph = with_shapes(self._graph, self._nodes, self._inputs, shapes)
        made = self._made[shapes] = None if graph is None else self._make(graph)
        return made

    def _come_often(self, shapes: tuple[Shape, ...]) -> bool:
        """Counts one more run with these shapes, for which nothing was made yet."""
        if len(self._made) == _MOST:
            return False
        if len(self._counts) == _COUNTED:
            self._counts.clear()
        count = self._counts[shapes] = self._counts.get(shapes, 0) + 1
        if count <= _OFTEN:
            return False
        del self._counts[shapes]
        return True


def with_shapes(
    graph: Graph, nodes: Sequence[Node], inputs: Sequence[int], shapes: Sequence[Shape]
) -> Graph | None:
    """The graph for inputs of these shapes, on the same slots.

    None where sizes stay open, as those of a loop's results do, or where a run has to say that
    something does not fit.
    """
    exact = Graph()
    exact.reads = graph.reads
    exact.captured.update(graph.captured)
    exact.known.update(graph.known)
    exact.specs.update(graph.specs)
    for slot, shape in zip(inputs, shapes, strict=True):
        exact.specs[slot] = Spec(shape, graph.specs[slot].dtype)
    try:
        for node in nodes:
            if not set(node.outputs).issubset(inputs):
                _write_down(node, graph, exact)
    except (Exception, NeedsSize, SizesDiffer):
        return None
    return exact


def _write_down(node: Node, graph: Graph, exact: Graph) -> None:
    """Adds a node of `graph` with the sizes of `exact`, and what is known of its results."""
    given = [exact.specs[slot] for slot in node.inputs]
    if node.op.name == "sizes":
        _add_constant(node, given[0], exact)
        return
    check_alike(alike(graph.specs, node), [spec.shape for spec in given])
    attributes = resolved(node.attributes, lambda slot: exact.specs[slot].shape)
    specs, values = _results(node, attributes, given, exact)
    if specs is None or has_open_axis(specs) or has_size([spec.shape for spec in specs]):
        raise NeedsSize
    check_expected(graph.specs, node, [spec.shape for spec in specs])
    exact.nodes.append(node._replace(attributes=attributes, sizes=()))
    exact.specs.update(zip(node.outputs, specs, strict=True))
    exact.producers.update(dict.fromkeys(node.outputs, exact.nodes[-1]))
    exact.known.update(zip(node.outputs, values, strict=False))


def _add_constant(node: Node, spec: Spec, exact: Graph) -> None:
    """A shape as a tensor is a constant in `exact`."""
    (slot,) = node.outputs
    value = node.op.forward(np.broadcast_to(spec.dtype.type(), spec.shape), *node.attributes)
    exact.captured[slot], exact.known[slot] = eager(value), value
    exact.specs[slot] = Spec(value.shape, value.dtype)


def _results(node: Node, attributes: Any, given: list[Spec], exact: Graph) -> tuple[Any, Any]:
    """The specs of a node's results, and their values where these are known."""
    if node.op in (READ, ASSIGN):
        return [exact.specs[slot] for slot in node.outputs], ()
    known = [exact.known.get(slot) for slot in node.inputs]
    tensors = [exact.tensor(slot) for slot in node.inputs]
    return results(node.op, tensors, attributes, given, known)


def found_first(graph: Graph, nodes: Sequence[Node]) -> list[int]:
    """The slots of results with sizes of their own that need no floats, and no earlier change.

    Such a result, as the rows of `x[i:i + 32]`, is mostly made of integers and truth values alone.
    A run computes it first, which is little work, and then knows all sizes.
    """
    found: set[int] = set()
    later: set[int] = set()
    may_read = True  # until something changes
    for node in nodes:
        if node.effect and node.op is not READ:
            may_read = False
        is_small = all(graph.specs[slot].dtype.kind in "iub" for slot in node.outputs)
        is_ready = later.isdisjoint(node.needs) and (may_read or not node.effect)
        (found if is_small and is_ready else later).update(node.outputs)
    return [slot for slot in graph.root.brought if slot in found]
