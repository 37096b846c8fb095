"""The pictures of a large tape: all of it with its groups closed, and the inside of each group.

The player walks through the steps of the whole trace; a picture only says which of its boxes stands
for which nodes, and which box opens which other picture. The work grows with the nodes drawn, not
with nodes times groups.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import replace

from ..base.adorned import adorned
from ..layout import layout
from ..layout.builtin import layered_layout
from ..layout.labels import Label
from ..layout.nested import nested_layout
from ..layout.types import Graph, Layout
from ..picture.counts import first_counts
from ..picture.svg import svg
from ..trace.trace import Trace
from .folds import MOST_BOXES, Folding
from .groups import Group, groups
from .of_strips import with_strip
from .opened import Opened
from .pictured import PartOfTape, Picture, Scissors
from .strips import strip_of
from .views import View, collapsed_view


def pictures(trace: Trace) -> list[Picture]:
    """Draw a trace; a large one as its groups, followed by the inside of each group.

    Example:
        >>> from minitape.viz.trace.trace import Node
        >>> nodes = [Node(0, "source", (), "float64", ())]
        >>> nodes += [Node(i, "op", (i - 1,), "float64", (), op="sin") for i in range(1, 1000)]
        >>> [picture.name for picture in pictures(Trace(tuple(nodes)))][:3]
        ['', 'sin 1–84', 'sin 1–84 › sin 1–7']
    """
    if trace.kind == "graph" and any(node.scope for node in trace.nodes):
        levels = adorned("its programs closed", lambda: _levels(trace), [])
        return levels or [Picture("", svg(trace))]
    if len(trace.nodes) <= MOST_BOXES:
        return [Picture("", svg(trace))]
    strip = adorned("a strip of its rounds", lambda: _strip(trace), [])
    folded = [] if strip else adorned("folds", lambda: _folded(trace), [])
    return strip or folded or [Picture("", svg(trace))]


def _strip(trace: Trace) -> list[Picture]:
    """The rounds of a short loop side by side, one of them open below; none for other tapes."""
    grouping = groups(trace)
    if any(group.parent is not None for group in grouping):
        return []  # what opens below a round would be in a picture without the rounds
    children: dict[int | None, list[Group]] = {}
    for group in grouping:
        children.setdefault(group.parent, []).append(group)
    scissors, drawings = Scissors(trace), Drawings()
    whole = scissors.part("", tuple(range(len(trace.nodes))), children.get(None, []))
    strip = strip_of(whole.view, children.get(None, []))
    if strip is None:
        return []
    parts = [scissors.part(g.label, g.nodes, children.get(g.id, [])) for g in grouping]
    found = with_strip(trace, strip, whole, parts, [_drawn(p, drawings) for p in (whole, *parts)])
    return found if found[0].start is not None else []


def _folded(trace: Trace) -> list[Picture]:
    """An overview of a tape, and the inside of each of its folds."""
    folding, drawings = Folding(trace), Drawings()
    groups = folding.groups
    found = [folding.overview, *map(folding.inside, groups)]
    names = [""]
    for group in groups:
        around = "" if group.parent is None else f"{names[group.parent + 1]} › "
        names.append(around + group.label)
    # A leaf that nothing uses is in no fold: it has a picture of its own.
    opens = dict(found[0].part.opens)
    homes = {node: group.id + 1 for group in groups for node in group.nodes}
    for box, members in enumerate(found[0].part.members):
        if box not in opens and members[0] not in folding.users:
            opens[box] = homes[members[0]] = len(found)
            name = found[0].part.labels[box].title
            found.append(folding.inside(Group(-1, "part", name, None, members)))
            names.append(name)
    found[0] = replace(found[0], part=replace(found[0].part, opens=opens))
    drawn = [
        _drawn(replace(fold.part, name=name), drawings, placed=fold.layout)
        for fold, name in zip(found, names, strict=True)
    ]
    return [replace(drawn[0], folds=tuple(_steps_in(trace, homes))), *drawn[1:]]


def _steps_in(trace: Trace, homes: dict[int, int]) -> Iterator[int]:
    """Of each step the picture that shows it; of what several folds use that of the last one."""
    used_in = {parent: homes[n.id] for n in trace.nodes for parent in n.inputs if n.id in homes}
    for step in trace.steps:
        yield homes.get(step.node) or used_in.get(step.node, 0)
        if step.kind == "pull" and step.to is not None:
            used_in[step.to] = homes[step.node]


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
    if drawn[0].folds:  # it is a fold of its own
        part = Scissors(within.trace).part(within.op, tuple(sorted(within.inner)), ())
        return _renumbered(_drawn(part, Drawings(), within.inner, within.op), within)
    grouping = groups(trace) if shows[0] or drawn[0].members else ()
    parent = shows[0] - 1 if shows[0] else None
    inner = set(within.inner)
    moved = [_moved_group(group, here, node, inner) for group in grouping]
    closed = [group for group in moved if group.parent == parent]
    chosen = range(len(within.members)) if parent is None else moved[parent].nodes
    part = Scissors(within.trace).part(drawn[shows[0]].name, tuple(chosen), closed)
    return _renumbered(_drawn(part, Drawings(), inner, within.op), within)


def _renumbered(picture: Picture, within: Opened) -> Picture:
    """A picture of an opened trace, with the numbers that nodes have in the closed one."""
    members = [tuple(within.members[node] for node in each) for each in picture.members]
    return replace(picture, members=tuple(members))


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
    part: PartOfTape, drawings: Drawings, framed: Collection[int] = (), frame: str = "",
    placed: Layout | None = None,
) -> Picture:  # fmt: skip
    """Draw a part of a tape, with a frame around some nodes of the whole."""
    boxes = [box for box, members in enumerate(part.members) if members[-1] in framed]
    drawing = drawings.of(part.view, part.labels, boxes, frame, placed)
    titles = tuple(label.title for label in part.labels)
    return Picture(part.name, drawing, part.members, part.opens, titles)


# A picture with a frame around some of its nodes, or without one.


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


# Drawings of a large tape's groups: groups of one structure share one drawing.


class Drawings:
    """The drawings of one trace, by structure."""

    def __init__(self) -> None:
        self.known: dict[Hashable, str] = {}

    def of(
        self, view: View, labels: Sequence[Label], framed: Sequence[int], name: str,
        placed: Layout | None = None,
    ) -> str:  # fmt: skip
        """Give the drawing of a view, with a frame of that name around some of its boxes."""
        key = (_structure(view, labels), tuple(framed), name)
        if key not in self.known:
            where = placed or framed_layout(view.trace, framed, name, labels)
            self.known[key] = svg(view.trace, where, miniatures=False, texts=labels)
        return self.known[key]


def _structure(view: View, labels: Sequence[Label]) -> Hashable:
    """What a drawing of a view is made of, besides titles and numbers."""
    trace = view.trace
    met = {step.node for step in trace.steps if step.old is not None}
    ends = set(trace.targets), set(trace.sources)
    return tuple(
        (
            label.note, label.shape, label.width, label.height, label.pictured, label.cotangent,
            node.kind, node.inputs, node.watched, node.layer, node.scope if node.layer else (),
            node.id in met, node.id in ends[0], node.id in ends[1],
        )
        for node, label in zip(trace.nodes, labels, strict=True)
    )  # fmt: skip


# The pictures of a graph with programs in it, from all closed to all open, one depth at a time.


MANY = 60  # boxes; a graph with more opens with some programs closed


def program_groups(trace: Trace) -> tuple[Group, ...]:
    """The programs and their parts as groups, outer ones before those inside them.

    Example:
        >>> from minitape.viz.trace.trace import Node
        >>> x = Node(0, "source", (), "bool", ())
        >>> y = Node(1, "op", (0,), "bool", (), op="cond", scope=("cond", "true branch"))
        >>> [group.label for group in program_groups(Trace((x, y), kind="graph"))]
        ['cond', 'true branch']
    """
    inside: dict[tuple[str, ...], list[int]] = {}
    for node in trace.nodes:
        for depth in range(1, len(node.scope) + 1):
            inside.setdefault(node.scope[:depth], []).append(node.id)
    scopes = sorted(inside, key=len)
    number = {scope: i for i, scope in enumerate(scopes)}
    return tuple(
        Group(i, "scope", scope[-1], number.get(scope[:-1]), tuple(inside[scope]))
        for i, scope in enumerate(scopes)
    )


def levels(trace: Trace) -> list[View]:
    """The whole graph at every depth, the first with all programs closed, the last with none."""
    grouping = program_groups(trace)
    depths = [_depth(group, grouping) for group in grouping]
    found = []
    for depth in range(max(depths, default=-1) + 2):
        opened = [group.id for group, own in zip(grouping, depths, strict=True) if own < depth]
        found.append(_framed(trace, collapsed_view(trace, opened, grouping), grouping))
    return found


def _depth(group: Group, grouping: Sequence[Group]) -> int:
    return 0 if group.parent is None else 1 + _depth(grouping[group.parent], grouping)


def _framed(trace: Trace, view: View, grouping: Sequence[Group]) -> View:
    """The view as a graph: closed boxes stand in the scope around them, and open loops go round."""
    nodes = list(view.trace.nodes)
    for place, group in enumerate(view.group):
        if group is not None:
            depth = _depth(grouping[group], grouping)
            count = sum(trace.nodes[node].kind == "op" for node in grouping[group].nodes)
            ops = f"{count} op{'s'[: count != 1]}"
            nodes[place] = replace(nodes[place], scope=nodes[place].scope[:depth], op=ops, shape=())
    pairs = [(view.place[start], view.place[end]) for start, end in trace.rounds]
    rounds = {
        (a, b) for a, b in pairs if a is not None and b is not None and a != b
        and view.group[b] is None
    }  # fmt: skip
    small = replace(view.trace, nodes=tuple(nodes), rounds=tuple(sorted(rounds)))
    spoken = {members[-1]: place for place, members in enumerate(view.members)}
    first_of = first_counts(trace.steps).items()
    counts = {spoken[node]: count for node, count in first_of if node in spoken}
    if counts and small.steps:  # or the boxes would have no place for a count
        first = replace(small.steps[0], pending=counts)
        small = replace(small, steps=(first, *small.steps[1:]))
    return replace(view, trace=small)


def drawn_levels(trace: Trace) -> tuple[list[tuple[View, str]], int]:
    """Each level with its drawing, and which one to begin with."""
    found = levels(trace)
    drawn = [(view, svg(view.trace, layout(view.trace), closed=_closed(view))) for view in found]
    small = [i for i, view in enumerate(found) if len(view.trace.nodes) <= MANY]
    return drawn, max(small, default=0)


def _closed(view: View) -> list[int]:
    return [place for place, group in enumerate(view.group) if group is not None]
