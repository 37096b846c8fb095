"""Two ops of a graph that one forward computes, since they share most of their work.

The one fact to know: which ops these are stands in their declarations (`joint`): a cross entropy
and its slope, for instance, take one softmax. Both results have the bits that they have apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.graphs.nodes import Node
    from minitape.op import Op


def joined(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, in which the first of two that share their work gives the results of both."""
    found: list[Node] = []
    # The partner's op and inputs -> the place of the node that waits for it, and the op of both.
    waiting: dict[Any, tuple[int, Op]] = {}
    for node in nodes:
        partner = waiting.pop((node.op, node.inputs), None)
        if partner is not None:
            place, both = partner
            found[place] = _joint(both, found[place], node)
            continue
        if node.op.joint is not None:
            other, both = node.op.joint
            waiting[other, _inputs_of(other, node)] = len(found), both
        found.append(node)
    return found


def _inputs_of(other: Op, node: Node) -> tuple[int, ...]:
    """The inputs by which another op would share the work of a node: those of the same names."""
    named = dict(zip(node.op.inputs, node.inputs, strict=True))
    return tuple(named[name] for name in other.inputs)


def _joint(both: Op, first: Node, second: Node) -> Node:
    """The node in place of two."""
    return first._replace(
        op=both,
        attributes=first.attributes + second.attributes,
        outputs=first.outputs + second.outputs,
    )
