"""Two ops of a graph that one forward computes, since they share most of their work.

The one fact to know: which ops these are stands in their declarations (`joint`): a cross entropy
and its slope, for instance, take one softmax. Both results have the bits that they have apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.graphs.nodes import Node


def joined(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, in which the first of two that share their work gives the results of both."""
    found: list[Node] = []
    waiting: dict[Any, int] = {}  # an op and its inputs -> the place of its partner
    for node in nodes:
        place = waiting.pop((node.op, node.inputs), None)
        if place is not None:
            found[place] = _both(found[place], node)
            continue
        if node.op.joint is not None:
            waiting[_other(node)] = len(found)
        found.append(node)
    return found


def _other(node: Node) -> tuple[Any, tuple[int, ...]]:
    """The op that shares the work of a node, and the inputs that it must have."""
    other, _ = node.op.joint  # type: ignore[misc]  # asked for before
    named = dict(zip(node.op.inputs, node.inputs, strict=True))
    return other, tuple(named[name] for name in other.inputs)


def _both(first: Node, second: Node) -> Node:
    _, both = first.op.joint  # type: ignore[misc]  # asked for before
    return first._replace(
        op=both,
        attributes=first.attributes + second.attributes,
        outputs=first.outputs + second.outputs,
    )
