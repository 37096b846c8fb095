"""Which sizes that results bring, such as the rows of `x[i:i + 32]`, can be found before a run.

The one fact to know: such a result is mostly made of integers and truth values alone. A run
computes it first, which is little work, and then knows all sizes, as if they were an input's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minitape.graphs.nodes import READ

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node


def found_first(graph: Graph, nodes: Sequence[Node]) -> list[int]:
    """The slots of results with sizes of their own that need no floats, and no earlier change."""
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
