"""The pictures of a large tape: all of it with its groups closed, and the inside of each group.

The one fact to know: the player walks through the steps of the whole trace; a picture only says
which of its boxes stands for which nodes, and which box opens which other picture. The work grows
with the nodes drawn, not with nodes times groups.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..base.adorned import adorned
from ..picture.svg import svg
from ..trace.trace import Trace
from .drawings import Drawings
from .groups import Group, groups
from .of_programs import drawn_levels
from .of_strips import with_strip
from .opened import Opened
from .pictured import PartOfTape, Picture, Scissors
from .strips import strip_of


def pictures(trace: Trace) -> list[Picture]:
    """Draw a trace; a large one as its groups, followed by the inside of each group.

    Example:
        >>> from minitape.viz.trace.trace import Node
        >>> nodes = [Node(0, "source", (), "float64", ())]
        >>> nodes += [Node(i, "op", (i - 1,), "float64", (), op="sin") for i in range(1, 1000)]
        >>> [picture.name for picture in pictures(Trace(tuple(nodes)))][:3]
        ['', 'sin 1–40', 'sin 41–80']
    """
    if trace.kind == "graph" and any(node.scope for node in trace.nodes):
        levels = adorned("its programs closed", lambda: _levels(trace), [])
        return levels or [Picture("", svg(trace))]
    grouping = adorned("groups", lambda: groups(trace), ())
    grouped = adorned("groups", lambda: _grouped(trace, grouping), []) if grouping else []
    return grouped or [Picture("", svg(trace))]


def _grouped(trace: Trace, grouping: Sequence[Group]) -> list[Picture]:
    """All of a tape with its groups closed, and the inside of each."""
    children: dict[int | None, list[Group]] = {}
    for group in grouping:
        children.setdefault(group.parent, []).append(group)
    scissors, drawings = Scissors(trace), Drawings()
    whole = scissors.part("", tuple(range(len(trace.nodes))), children[None])
    parts = [scissors.part(g.label, g.nodes, children.get(g.id, [])) for g in grouping]
    drawn = [_drawn(each, drawings) for each in (whole, *parts)]

    def as_strip() -> list[Picture]:
        strip = strip_of(whole.view, children[None])
        return drawn if strip is None else with_strip(trace, strip, whole, parts, drawn)

    return adorned("a strip of its rounds", as_strip, drawn)


def opened_picture(trace: Trace, within: Opened, drawn: Sequence[Picture]) -> Picture:
    """Draw a trace with one fused op opened in a frame: in the picture that shows the op's box.

    Args:
        trace: The closed trace.
        within: It with the op opened.
        drawn: The pictures of the closed trace.
    """
    node = within.members[within.inner[-1]]
    here = {closed: place for place, closed in enumerate(within.members)}
    shows = [i for i, each in enumerate(drawn) if not each.members or (node,) in each.members]
    grouping = groups(trace) if shows[0] or drawn[0].members else ()
    parent = shows[0] - 1 if shows[0] else None
    inner = set(within.inner)
    moved = [_moved_group(group, here, node, inner) for group in grouping]
    closed = [group for group in moved if group.parent == parent]
    chosen = range(len(within.members)) if parent is None else moved[parent].nodes
    part = Scissors(within.trace).part(drawn[shows[0]].name, tuple(chosen), closed)
    found = _drawn(part, Drawings(), inner, within.op)
    members = [tuple(within.members[node] for node in each) for each in found.members]
    return replace(found, members=tuple(members))


def _moved_group(group: Group, here: dict[int, int], node: int, inner: set[int]) -> Group:
    """A group of the closed trace in the opened one."""
    nodes = {here[each] for each in group.nodes}
    return replace(group, nodes=tuple(sorted(nodes | inner if node in group.nodes else nodes)))


def _levels(trace: Trace) -> list[Picture]:
    """A graph's pictures by depth; the one to begin with comes first."""
    drawn, start = drawn_levels(trace)
    order = [start, *(depth for depth in range(len(drawn)) if depth != start)]
    found = []
    for depth in order:
        view, drawing = drawn[depth]
        deeper = order.index(depth + 1) if depth + 1 < len(drawn) else None
        closed = [box for box, group in enumerate(view.group) if group is not None]
        opens = {box: deeper for box in closed if deeper is not None}
        name = "" if deeper is None else f"{depth} of {len(drawn) - 1} levels open"
        found.append(Picture(name, drawing, view.members, opens, depth=depth, deeper=deeper))
    return found


def _drawn(
    part: PartOfTape, drawings: Drawings, framed: Collection[int] = (), frame: str = ""
) -> Picture:
    """Draw a part of a tape, with a frame around some nodes of the whole."""
    boxes = [box for box, members in enumerate(part.members) if members[-1] in framed]
    drawing = drawings.of(part.view, part.labels, boxes, frame)
    titles = tuple(label.title for label in part.labels)
    return Picture(part.name, drawing, part.members, part.opens, titles)
