"""Which op of a graph is differentiated when: pending counts, as `tf.gradients` has always done it.

An op is ready when every op that uses its results is done, because only then has its cotangent been
added up. The order among ready ones is free; here it is first come, first served. Asked to explain
itself, the schedule says at each op what else was ready, and all counts.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.record import make_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node


class Moment(NamedTuple):
    """One op of a schedule that explains itself.

    Attributes:
        node: the op that was taken from the queue.
        record: what a tape would have recorded of it.
        queue: the ops that were ready too.
        counts: for each op, by name, its pending count then.
    """

    node: Node
    record: Any
    queue: list[Node]
    counts: dict[str, int]


class Schedule:
    """The ops between xs and ys, each given out when all ops that use its results are done.

    Args:
        graph: whose nodes they are.
        ys: slots of the targets.
        xs: ids of the sources.
        stops: slots that count as constants.
        tensor: gives the tensor of a slot; the graph's symbolic one by default.
    """

    def __init__(
        self,
        graph: Graph,
        ys: list[int],
        xs: set[int],
        stops: set[int],
        tensor: Callable[[int], Any] | None = None,
    ) -> None:
        self.graph = graph
        self.tensor = tensor or graph.tensor
        self.current: Node | None = None
        self.connected, nodes = self._reached(xs, stops)
        self.nodes = self._needed(nodes, ys)
        self.consumers = self._pending()

    def _reached(self, xs: set[int], stops: set[int]) -> tuple[set[int], list[Node]]:
        """The slots that depend on xs, and the ops that make them."""
        graph = self.graph
        slots = {slot for slot in graph.specs if slot in xs} | {
            s for s, v in graph.reads.items() if v.id in xs
        }
        nodes = []
        for node in graph.nodes:
            if stops.isdisjoint(node.outputs) and any(
                i in slots and _flows(graph, node, p) for p, i in enumerate(node.inputs)
            ):
                nodes.append(node)
                slots.update(node.outputs)
        return slots, nodes

    @staticmethod
    def _needed(nodes: list[Node], ys: list[int]) -> dict[int, Node]:
        """Those of `nodes` that a y depends on, by each of their outputs."""
        needed = set(ys)
        found: dict[int, Node] = {}
        for node in reversed(nodes):
            if not needed.isdisjoint(node.outputs):
                needed.update(node.inputs)
                found.update(dict.fromkeys(node.outputs, node))
        return found

    def _pending(self) -> dict[str, int]:
        """For each op, by name, how many uses of its results have not been differentiated yet."""
        counts = {node.name: 0 for node in self.nodes.values()}
        for node in _distinct(self.nodes):
            for slot in node.inputs:
                if slot in self.nodes:
                    counts[self.nodes[slot].name] += 1
        return counts

    def __iter__(self) -> Iterator[Any]:
        return self.run()

    def run(self, explain: bool = False, latest: bool = False) -> Iterator[Any]:
        """Gives out the record of each op when it is ready; each schedule runs once.

        Args:
            explain: whether to give a `Moment` in place of each record.
            latest: whether to take the op that got ready last; any choice gives the same sums.
        """
        ready = deque(
            node for node in reversed(_distinct(self.nodes)) if not self.consumers[node.name]
        )
        while ready:
            node = self.current = ready.pop() if latest else ready.popleft()
            record = self.record(node)
            yield Moment(node, record, list(ready), dict(self.consumers)) if explain else record
            for slot in node.inputs:
                producer = self.nodes.get(slot)
                if producer is not None:
                    self.consumers[producer.name] -= 1
                    if not self.consumers[producer.name]:
                        ready.append(producer)

    def record(self, node: Node) -> Any:
        """What a tape would have recorded of the op."""
        graph = self.graph
        inputs = tuple(map(self.tensor, node.inputs))
        outputs = tuple(map(self.tensor, node.outputs))
        followed = tuple(
            i in self.connected and _flows(graph, node, p) for p, i in enumerate(node.inputs)
        )
        return make_record(
            node.op, followed, inputs, outputs if node.op.several else outputs[0], node.attributes
        )


def _distinct(nodes: dict[int, Node]) -> list[Node]:
    """The nodes in the order in which they were made."""
    return sorted(
        {node.name: node for node in nodes.values()}.values(), key=lambda node: node.outputs[0]
    )


def _flows(graph: Graph, node: Node, position: int) -> bool:
    """Whether a gradient can pass from a node to this input."""
    op = node.op
    kind = graph.specs[node.inputs[position]].dtype.kind
    return op.differentiable and kind in "fc" and op.input_name(position) not in op.cuts
