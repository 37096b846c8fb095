"""A picture with a frame around some of its nodes, or without one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..trace.trace import Trace
from .builtin import layered_layout
from .labels import Label
from .nested import nested_layout
from .types import Graph, Layout


def framed_layout(
    trace: Trace, framed: Collection[int], name: str, labels: Sequence[Label]
) -> Layout:
    """Lay a trace out by the built-in engine.

    Args:
        trace: What to lay out.
        framed: Ids of the nodes within a frame; empty for none.
        name: What stands on the frame.
        labels: The nodes' labels, which have their sizes.
    """
    sizes = tuple((label.width, label.height) for label in labels)
    graph = Graph(tuple(node.inputs for node in trace.nodes), sizes)
    if not framed:
        return layered_layout(graph)
    scopes = [(name,) if node.id in framed else () for node in trace.nodes]
    return nested_layout(graph, scopes)
