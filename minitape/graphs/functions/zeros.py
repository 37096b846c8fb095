"""Which gradients are 0 and not None, as in TensorFlow: of what might have been used.

There is one mechanism, `zero_in(y, x)`, which is y as something that depends on x with derivative
0. It is needed where the ops that a tape sees say less than TensorFlow's:

- A branch or a loop that a value decides might have used all its inputs. Only what was taken is
  recorded, so what it gave is `tied` to the rest.
- A call is one op in TensorFlow, and its gradient takes the numbers that rules in it name. So the
  derivative of that gradient is 0 for every input, also where the function is linear in it. Here
  the ops of a call are recorded one by one; with several tapes around it, its results are `bound`
  to its inputs: their gradients are zero in them.
- The gradient of a branch or a loop asks the same: whether it takes numbers (`program_keeps`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.interpreter import active
from minitape.op import primitive
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.casting import cast
from minitape.ops.elementwise.comparison import tie
from minitape.plan import KEEPS, VALUE
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node
    from minitape.tensor import Array, Indices, Tensor


def zero_in(y: Any, x: Any) -> Any:
    """y, as something that depends on x with derivative 0; for tensors, or in a rule for arrays."""
    total = reduce_sum(x)
    if total.dtype != y.dtype:
        total = cast(total, y.dtype)
    return tie(y, total)


# Of what a branch or a loop gave.


def tied(outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """`outputs`; those that an interpreter does not follow, but some of `inputs`, are tied to them.

    Args:
        outputs: what a branch or loop gave; other things than tensors stay as they are.
        inputs: what it could use.
    """
    followed = _followed(inputs)
    if not followed:
        return list(outputs)
    refs = {ref for x in followed for ref in x.mark if ref() in active()}
    return [
        _tied(y, followed)
        if type(y) is EagerTensor and moves(y) and not refs.issubset(y.mark or ())
        else y
        for y in outputs
    ]


def tied_to_each(outputs: Sequence[Any], unused: Sequence[Any]) -> list[Any]:
    """`outputs`, of which each is tied to all of the followed `unused`.

    They are what only the branches that were not taken would have used.
    """
    followed = _followed(unused)
    if not followed:
        return list(outputs)
    return [_tied(y, followed) if type(y) is EagerTensor and moves(y) else y for y in outputs]


def _followed(inputs: Sequence[Any]) -> list[Any]:
    """The tensors among `inputs` that an active interpreter follows and a derivative can reach."""
    return [
        x
        for x in inputs
        if type(x) is EagerTensor and moves(x) and any(ref() in active() for ref in x.mark or ())
    ]


def _tied(y: Any, inputs: Sequence[Any]) -> Any:
    for x in inputs:
        y = zero_in(y, x)
    return y


def moves(x: Any) -> bool:
    """Whether a tensor's dtype is one that is differentiated."""
    return x.spec.dtype.kind in "fc"


# Of the gradient of a call.


@primitive(latex=r"{x}")
def bound(x: Array, y: Indices) -> Array:
    """x, whose gradient depends on y with derivative 0."""
    return x


@bound.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return zero_in(g, y)  # type: ignore[no-any-return]


def bound_to(results: list[Any], inputs: Sequence[Any]) -> list[Any]:
    """`results`, whose gradients depend on those of `inputs` that an interpreter follows."""
    followed = [x for x in inputs if type(x) is EagerTensor and x.mark is not None]
    return [_bound(y, followed) if type(y) is EagerTensor and y.mark else y for y in results]


def _bound(y: Any, inputs: Sequence[Any]) -> Any:
    for x in inputs:
        y = bound(y, x)
    return y


def needed_slots(
    graph: Graph, nodes: Sequence[Node], sources: Sequence[int], outputs: Sequence[int]
) -> list[int]:
    """The `sources` that gradients of `outputs` depend on: none, if no rule names a value."""
    paths = _Paths(graph, nodes, sources, outputs)
    if not paths.keep_values(every_rule=True):
        return []
    reached = set().union(*(paths.sources_of(slot) for slot in outputs))
    return [slot for slot in sources if slot in reached]


def program_keeps(program: Any) -> bool:
    """Whether the gradient of a branch or a loop takes values that were computed in it.

    Of a loop all count that its rules name; of a branch those that its own gradient takes.
    """
    return any(
        _Paths(body.graph, body.nodes, [*body.inputs, *body.free], body.outputs).keep_values(
            every_rule=program.repeats
        )
        for body in getattr(program, "bodies", ())
    )


class _Paths:
    """The nodes that derivatives of `outputs` go through, on their way to `sources`."""

    def __init__(
        self,
        graph: Graph,
        nodes: Sequence[Node],
        sources: Sequence[int],
        outputs: Sequence[int],
    ) -> None:
        self._specs = graph.specs
        self._nodes = _leading_to(outputs, nodes)
        self._sources = {slot: {slot} for slot in sources}
        for node in self._nodes:
            found = set().union(*map(self.sources_of, node.inputs))
            self._sources.update(dict.fromkeys(node.outputs, found))

    def sources_of(self, slot: int) -> set[int]:
        """The sources that a slot depends on."""
        return self._sources.get(slot, set())

    def keep_values(self, every_rule: bool) -> bool:
        """Whether a rule on the way names a value.

        Args:
            every_rule: whether rules that lead to constants count too, and values of constants.
        """
        return any(
            self._keeps(node, every_rule) for node in self._nodes if self._depends(node.inputs)
        )

    def _depends(self, slots: Sequence[int]) -> bool:
        return any(map(self.sources_of, slots))

    def _keeps(self, node: Node, every_rule: bool) -> bool:
        if node.op.type_name == "Run":
            return program_keeps(node.attributes[0])
        values = [
            slot
            for name, rule in node.op.rules.items()
            if every_rule or self._depends(_slots(node, name))
            for needed, note in rule.needs
            if KEEPS.get(note or "", 0) == VALUE
            for slot in _slots(node, needed)
        ]
        return any(
            self._specs[slot].dtype.kind in "fc" and (every_rule or self._depends([slot]))
            for slot in values
        )


def _leading_to(outputs: Sequence[int], nodes: Sequence[Node]) -> list[Node]:
    """The nodes that derivatives of `outputs` go through, in their order."""
    wanted, found = set(outputs), []
    for node in reversed(nodes):
        if node.op.differentiable and not wanted.isdisjoint(node.outputs):
            wanted.update(node.inputs)
            found.append(node)
    return found[::-1]


def _slots(node: Node, name: str) -> Sequence[int]:
    """The slots of the input of that name, or of the results for "out"."""
    if name == "out":
        return node.outputs
    if node.op.variadic:
        return node.inputs
    names = node.op.inputs
    return [node.inputs[names.index(name)]] if name in names else []
