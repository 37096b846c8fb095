"""What the gradient of a traced function depends on: everything, once its rules name a value.

The one fact to know: TensorFlow's gradient of a call is a call too, of all numbers that the rules
of its ops name. They are results of the call then, of which every input gets 0 and not None, also
where the function is linear. Here a call's ops are recorded one by one; with several tapes around
it, its results are tied to its inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.plan import KEEPS, VALUE
from minitape.primitive import primitive, registry
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node
    from minitape.tensor import Array, Indices, Tensor


@primitive(latex=r"{x}")
def bound(x: Array, y: Indices) -> Array:
    """x, whose gradient depends on y with derivative 0."""
    return x


@bound.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    total = registry["reduce_sum"](y)
    if total.dtype != g.dtype:
        total = registry["cast"](total, g.dtype)
    return registry["tie"](g, total)  # type: ignore[no-any-return]


def needed_slots(
    graph: Graph, nodes: Sequence[Node], sources: Sequence[int], outputs: Sequence[int]
) -> list[int]:
    """The `sources` that `outputs` depend on, if a rule on the way names numbers."""
    ways = _Ways(graph, nodes, sources, outputs)
    reached = set().union(*(ways.origins.get(slot, set()) for slot in outputs))
    return [slot for slot in sources if slot in reached] if ways.keep_numbers(True) else []


class _Ways:
    """How derivatives go from `outputs` of a graph to `sources`.

    Attributes:
        nodes: those that they go through.
        origins: for each slot the sources that it depends on.
    """

    def __init__(
        self,
        graph: Graph,
        nodes: Sequence[Node],
        sources: Sequence[int],
        outputs: Sequence[int],
    ) -> None:
        self.graph = graph
        self.nodes = _leading_to(outputs, nodes)
        self.origins: dict[int, set[int]] = {slot: {slot} for slot in sources}
        for node in self.nodes:
            whole = set().union(*(self.origins.get(slot, set()) for slot in node.inputs))
            self.origins.update((slot, whole) for slot in node.outputs)

    def keep_numbers(self, every_rule: bool) -> bool:
        """Whether the rules on the way name numbers.

        Args:
            every_rule: whether those count that lead to constants, and constants that are named.
        """
        return any(self._keeps(node, every_rule) for node in self.nodes)

    def _keeps(self, node: Node, every_rule: bool) -> bool:
        if not any(self.origins.get(slot) for slot in node.inputs):
            return False
        if node.op.type_name == "Run":
            return program_keeps(node.attributes[0])
        named = [
            slot
            for of, rule in node.op.rules.items()
            if every_rule or any(self.origins.get(slot) for slot in _slots(node, of))
            for name, note in rule.needs
            if KEEPS.get(note or "", 0) == VALUE
            for slot in _slots(node, name)
        ]
        specs = self.graph.specs
        return any(
            specs[slot].dtype.kind in "fc" and (every_rule or self.origins.get(slot))
            for slot in named
        )


def _leading_to(outputs: Sequence[int], nodes: Sequence[Node]) -> list[Node]:
    """The nodes that derivatives of `outputs` go through, in their order."""
    wanted, found = set(outputs), []
    for node in reversed(nodes):
        if node.op.differentiable and not wanted.isdisjoint(node.outputs):
            wanted.update(node.inputs)
            found.append(node)
    return found[::-1]


def program_keeps(program: Any) -> bool:
    """The same of a branch or loop; TensorFlow keeps what gradients of branches take alone."""
    return any(
        _Ways(body.graph, body.nodes, [*body.inputs, *body.free], body.outputs).keep_numbers(
            program.repeats
        )
        for body in getattr(program, "bodies", ())
    )


def _slots(node: Node, name: str) -> Sequence[int]:
    """The slots of the input of that name, or of the results for "out"."""
    if name == "out":
        return node.outputs
    if node.op.variadic:
        return node.inputs
    names = node.op.inputs
    return [node.inputs[names.index(name)]] if name in names else []


def is_constant(x: Any) -> bool:
    """Whether a captured value is a plain number or array that nobody can follow."""
    return type(x) is EagerTensor and x.mark is None


def bound_to(results: list[Any], inputs: Sequence[Any]) -> list[Any]:
    """`results`, whose gradients depend on those of `inputs` that somebody follows."""
    followed = [x for x in inputs if type(x) is EagerTensor and x.mark is not None]
    return [_bound(y, followed) if type(y) is EagerTensor and y.mark else y for y in results]


def _bound(y: Any, inputs: Sequence[Any]) -> Any:
    for x in inputs:
        y = registry["bound"](y, x)
    return y
