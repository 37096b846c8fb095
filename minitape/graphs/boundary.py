"""What the gradient of a traced function depends on: everything that its rules may need.

The one fact to know: TensorFlow's gradient of a function is a function too, of all values that the
rules of its ops name. So a second derivative by one of them is 0 and not None, also where the
function is linear. Here a call's ops are recorded one by one; with several tapes around it, its
results are tied to those inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.plan import KEEPS, VALUE
from minitape.primitive import primitive, registry
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def needed_slots(nodes: Iterable[Node], sources: Sequence[int]) -> list[int]:
    """The `sources` on which a value depends that a rule of one of the nodes names."""
    origins = {slot: {slot} for slot in sources}
    needed: set[int] = set()
    for node in nodes:
        if not node.op.differentiable:
            continue
        found = [origins.get(slot, set()) for slot in node.inputs]
        whole: set[int] = set().union(*found)
        for slot in node.outputs:
            origins[slot] = whole
        for name in _named(node):
            needed |= whole if name == "out" else _of_input(node, name, found)
    return [slot for slot in sources if slot in needed]


def _named(node: Node) -> set[str]:
    """The inputs, or "out", whose values a rule of the node's op names."""
    if node.op.type_name == "Run":
        return {"out"} if node.attributes[0].repeats else set()
    rules = node.op.rules.values()
    return {name for r in rules for name, note in r.needs if KEEPS.get(note or "", 0) == VALUE}


def _of_input(node: Node, name: str, origins: list[set[int]]) -> set[int]:
    """What the input of that name comes from."""
    if node.op.variadic:
        return set().union(*origins)
    return origins[node.op.inputs.index(name)] if name in node.op.inputs else set()


def bound_to(results: list[Any], inputs: Sequence[Any]) -> list[Any]:
    """`results`, whose gradients depend on those of `inputs` that somebody follows."""
    followed = [x for x in inputs if type(x) is EagerTensor and x.mark is not None]
    return [_bound(y, followed) if type(y) is EagerTensor and y.mark else y for y in results]


def _bound(y: Any, inputs: Sequence[Any]) -> Any:
    for x in inputs:
        y = registry["bound"](y, x)
    return y
