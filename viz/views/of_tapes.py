"""The pictures of a large tape: all of it with its groups closed, and the inside of each group.

The one fact to know: the player walks through the steps of the whole trace; a picture only says
which of its boxes stands for which nodes, and which box opens which other picture. The work grows
with the nodes drawn, not with nodes times groups.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ..layout.labels import roomy_labels, uniform_labels
from ..picture.svg import svg
from ..trace.trace import Node, Step, Trace
from .chapters import Cotangents, cotangents
from .drawings import Drawings
from .groups import Group, groups
from .of_programs import drawn_levels
from .opened import Opened
from .views import collapsed_view


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of a trace.

    Attributes:
        name: What it shows, "" for the whole.
        drawing: The SVG; its `data-node` numbers are positions in `members`.
        members: For each box the nodes of the whole trace that it stands for, the last one speaking
            for all; empty when every box is the node of its number.
        opens: For each closed group's box the number of the picture of its inside.
        titles: Where one drawing serves several pictures, the titles of this one's boxes.
        depth: Of a graph's picture how many depths of programs are open, else None.
        deeper: The number of its picture with one more depth open.
    """

    name: str
    drawing: str
    members: tuple[tuple[int, ...], ...] = ()
    opens: dict[int, int] | None = None
    titles: tuple[str, ...] = ()
    depth: int | None = None
    deeper: int | None = None


def pictures(trace: Trace) -> list[Picture]:
    """Draw a trace; a large one as its groups, followed by the inside of each group.

    Example:
        >>> nodes = [Node(0, "source", (), "float64", ())]
        >>> nodes += [Node(i, "op", (i - 1,), "float64", (), op="sin") for i in range(1, 1000)]
        >>> [picture.name for picture in pictures(Trace(tuple(nodes)))][:3]
        ['', 'sin 1–40', 'sin 41–80']
    """
    if trace.kind == "graph" and any(node.scope for node in trace.nodes):
        return _levels(trace)
    grouping = groups(trace)
    if not grouping:
        return [Picture("", svg(trace))]
    children: dict[int | None, list[Group]] = {}
    for group in grouping:
        children.setdefault(group.parent, []).append(group)
    texts, drawings = cotangents(trace), Drawings()
    everything = tuple(range(len(trace.nodes)))
    drawn = [_picture(trace, "", everything, children[None], texts, drawings)]
    for group in grouping:
        inner = children.get(group.id, [])
        drawn.append(_picture(trace, group.label, group.nodes, inner, texts, drawings))
    return drawn


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
    found = _picture(
        within.trace, drawn[shows[0]].name, tuple(chosen), closed, cotangents(within.trace),
        Drawings(), (inner, within.op),
    )  # fmt: skip
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


def _picture(
    trace: Trace, name: str, within: tuple[int, ...], closed: Sequence[Group], texts: Cotangents,
    drawings: Drawings, frame: tuple[Collection[int], str] = ((), ""),
) -> Picture:  # fmt: skip
    """Draw some nodes, and as leaves those that feed them; the groups among them stay closed."""
    inside = set(within)
    chosen = sorted(inside.union(*(trace.nodes[node].inputs for node in within)))
    number = {node: i for i, node in enumerate(chosen)}
    nodes = tuple(_renumbered(trace.nodes[node], number, node in inside) for node in chosen)
    arrived = [(number[node], *texts[node]) for node in chosen if node in texts]
    steps = [
        Step("accumulate", node, total=array, old=array if met else None)
        for node, array, met in arrived
    ]
    part = trace.part(
        nodes=nodes, steps=tuple(steps), targets=_kept(trace.targets, number),
        sources=_kept(trace.sources, number), gradients={}, breaks=(), insides=(), paths=(),
        source_text=(), title=" · ".join(filter(None, [trace.title, name])),
    )  # fmt: skip
    renumbered = [
        Group(i, group.kind, group.label, None, tuple(number[node] for node in group.nodes))
        for i, group in enumerate(closed)
    ]
    view = collapsed_view(part, (), renumbered)
    framed = {number[node] for node in frame[0]}
    # The first picture is also what stands there without a script: it has its texts.
    labels = uniform_labels(view.trace) if name else roomy_labels(view.trace)
    boxes = [box for box, members in enumerate(view.members) if members[-1] in framed]
    return Picture(
        name,
        drawings.of(view, labels, boxes, frame[1]),
        tuple(tuple(chosen[member] for member in members) for members in view.members),
        {box: closed[group].id + 1 for box, group in enumerate(view.group) if group is not None},
        tuple(label.title for label in labels),
    )


def _renumbered(node: Node, number: dict[int, int], is_inside: bool) -> Node:
    if is_inside:
        return replace(node, id=number[node.id], inputs=tuple(number[i] for i in node.inputs))
    kind = "source" if node.kind == "op" else node.kind
    return replace(node, id=number[node.id], inputs=(), kind=kind, name=node.name or node.op or "")


def _kept(nodes: tuple[int, ...], number: dict[int, int]) -> tuple[int, ...]:
    return tuple(number[node] for node in nodes if node in number)
