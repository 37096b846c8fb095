"""A branch or a round of a loop with its gradient, as one flat graph that arrays run through.

The one fact to know: the graph is what a tape would record and sweep, traced once for all runs. Of
a loop it is cut in two: a round forward hands on what the round backward takes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.control.programs import Body, Gradient, Program
from minitape.graphs.graph import Graph
from minitape.graphs.rounds import Repeated
from minitape.graphs.running import Runner, live_nodes
from minitape.graphs.symbolic import NoNumpyError, OperatorNotAllowedInGraphError
from minitape.leaving import only

if TYPE_CHECKING:
    from collections.abc import Sequence


class Traced(NamedTuple):
    """A body and its gradient.

    Attributes:
        graph: both.
        length: how many nodes are the body's.
        after: the slots of its results.
        inputs: the slots of what it takes.
        seeds: the slots of the cotangents of its floating results.
        swept: for each floating input, by its place, the tensor that it gets; None for nothing.
    """

    graph: Graph
    length: int
    after: list[int]
    inputs: list[int]
    seeds: list[int]
    swept: dict[int, Any]

    def whole(self, found: Sequence[Any]) -> Runner:
        """From the inputs and the seeds to `found`."""
        slots = [*map(self.graph.slot, found)]
        return Runner(self.graph, [*self.inputs, *self.seeds], slots)

    def halves(self, found: Sequence[Any]) -> tuple[Repeated, Repeated]:
        """The rounds of a loop forward, and backward to `found`.

        Forward takes the loop variables and what is from outside; it gives new variables, and what
        the other half takes. Backward takes that, the seeds, and what is from outside.
        """
        slots, nodes, count = [*map(self.graph.slot, found)], self.graph.nodes, len(self.after)
        values, outside = self.inputs[:count], self.inputs[count:]
        self.graph.nodes = nodes[self.length :]
        live = live_nodes(self.graph, slots)
        needed = {*slots, *(slot for node in live for slot in node.needs)}
        needed.difference_update(outside, self.seeds)
        made = (slot for node in nodes[: self.length] for slot in node.outputs)
        kept = [slot for slot in made if slot in needed]
        backward = Runner(self.graph, [*kept, *self.seeds, *outside], slots)
        self.graph.nodes = nodes[: self.length]
        forward = Runner(self.graph, [*values, *outside], [*self.after, *kept])
        return Repeated(forward, count), Repeated(backward, len(kept) + len(self.seeds))


class _Marked(Program):
    """A body on symbolic tensors, which notes where its nodes end."""

    def __init__(self, body: Body, slots: list[int], graph: Graph) -> None:
        super().__init__(body.specs)
        self._body, self._slots, self._graph = body, slots, graph
        self.after: list[int] = []
        self.length = 0

    def replayed(self, tensors: Sequence[Any]) -> list[Any]:
        """The results of the body."""
        found = self._body.replay(tensors, self._slots)
        self.after, self.length = [*map(self._graph.slot, found)], len(self._graph.nodes)
        return found


def traced_gradient(body: Body, slots: list[int]) -> Traced | None:
    """A body that takes `slots`, with its gradient; None where it has effects, or needs values."""
    if body.effect:
        return None
    graph, specs = Graph(), [body.graph.specs[slot] for slot in slots]
    marked = _Marked(body, slots, graph)
    gradient = Gradient(marked, specs)
    with only((graph,)):
        inputs = [graph.input(spec) for spec in specs]
        seeds = [graph.input(body.specs[i]) for i in gradient.results]
        try:
            swept = gradient.swept([*inputs, *seeds])
        except (OperatorNotAllowedInGraphError, NoNumpyError, NotImplementedError):
            return None
    given, taken = [*map(graph.slot, inputs)], [*map(graph.slot, seeds)]
    found = dict(zip(gradient.followed, swept, strict=True))
    return Traced(graph, marked.length, marked.after, given, taken, found)
