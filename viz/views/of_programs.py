"""The pictures of a graph with programs in it, from all closed to all open, one depth at a time.

The one fact to know: each picture shows the whole graph; in the first every program is one closed
box, and each further one opens the boxes of one more depth as frames around what is inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..layout import layout
from ..picture.counts import first_counts
from ..picture.svg import svg
from ..trace.trace import Trace
from .groups import Group
from .views import View, collapsed_view

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
