"""Folds: a tape as an overview of at most 24 boxes, and each box as a picture that is seen whole.

A tape is folded until it can be read: its overview in one pane, the inside of each fold in another,
with names of at least 11 pixels in a window of 1280 x 720. Whether it fits is measured on the
layout that is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..layout.builtin import layered_layout
from ..layout.compact import column_layout, compact_layout
from ..layout.labels import FONT_SIZE, LONG_WIDTH, SHORT_WIDTH, Label, head_width, shorten
from ..layout.types import Graph, Layout
from ..picture.marks import marks
from ..trace.trace import Trace
from .folding import by_call, by_line, by_number, folded
from .groups import Group, leaves_of, nested, numbered, seen_first, size, users_in
from .named import MOST
from .parts import Items, Part, nodes_in
from .pictured import PartOfTape, Scissors
from .views import View

MOST_BOXES = 24  # in each of the two panes
READABLE = 11 / FONT_SIZE  # pixels of a unit: names have 11 then
# Pixels of the panes in a window of 1280 x 720; the fold has what the overview does not need.
OVERVIEW = (236.0, 485.0)
BOTH, LEAST, HIGH = 625.0, 140.0, 455.0
FEWER = (24, 20, 16, 12, 9, 6, 4)  # boxes that are tried, until what they make fits
PIECES = (2, 3, 4, 5, 6, 8, 10, 12)  # of a fold that nothing names
NAME_HIGH = 26.0
LETTERS = (20, 14)  # of a name
PICTURED_WIDTH = 116.0  # where there is little room

Pane = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Fold:
    """The inside of a fold, or the overview, laid out.

    Attributes:
        part: Its boxes.
        layout: Where they stand.
    """

    part: PartOfTape
    layout: Layout

    def scale(self, pane: Pane) -> float:
        """Pixels of a unit in a pane that shows all of it."""
        left, top, right, bottom = marks(self.part.view.trace, self.layout).box
        return min(pane[0] / (right - left), pane[1] / (bottom - top))

    def fits(self, pane: Pane) -> bool:
        """Whether its names can be read in a pane."""
        return len(self.part.labels) <= MOST_BOXES and self.scale(pane) >= READABLE


class Folding:
    """A tape in folds: `groups`, outer ones first, the `overview`, and the inside of each group."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.nodes = trace, trace.nodes
        self.users = leaves_of(trace)
        self.scissors = Scissors(trace)
        top = self._seen_first()
        self.groups = numbered(top, self.users)
        taken = min(OVERVIEW[0], self._overview(self.groups).layout.width)
        self.pane = (BOTH - max(taken, LEAST), HIGH)
        waiting = [item for item in top if isinstance(item, Part)]
        while waiting:
            part = waiting.pop()
            self._fold(part)
            waiting += [item for item in part.items if isinstance(item, Part)]
        self.groups = numbered(top, self.users)
        self.overview = self._overview(self.groups)

    def _seen_first(self) -> Items:
        """What the overview shows: as many boxes as can be read, and what is most of it opened."""
        items = nested(self.trace)
        tried = (self._parts(seen_first(items, self.trace, self.users, few)) for few in FEWER)
        top = next(filter(self._can_be_read, tried), [])
        top = top or self._parts(seen_first(items, self.trace, self.users, FEWER[-1]))
        while opened := next(filter(self._can_be_read, self._opened(top)), None):
            top = opened
        return top

    def _can_be_read(self, top: Items) -> bool:
        return self._overview(numbered(top, self.users)).fits(OVERVIEW)

    def _opened(self, top: Items) -> Iterator[Items]:
        """The items with the largest one opened where it is most of all, in more or fewer parts."""
        parts = [item for item in top if isinstance(item, Part) and len(item.items) > 1]
        largest = max(parts, key=size, default=None)
        if largest is None or size(largest) < MOST * sum(map(size, top)):
            return
        place, used = top.index(largest), users_in(largest, self.nodes, self.users)
        for few in FEWER:
            inner = self._parts(folded(largest.items, self.nodes, used, few))
            if len(inner) > 1:
                yield [*top[:place], *inner, *top[place + 1 :]]

    def _parts(self, items: Items) -> Items:
        """A fold for each op too, with what only it uses; none of constants alone."""
        parts = [self._as_part(item) for item in items]
        return [
            part for part in parts
            if not all(self.nodes[i].kind == "constant" for i in nodes_in(part))
        ]  # fmt: skip

    def _as_part(self, item: int | Part) -> int | Part:
        """A fold for each op too, with what only it uses."""
        if isinstance(item, Part) or self.nodes[item].kind != "op":
            return item
        return Part("line", self.nodes[item].name or self.nodes[item].op or "", [item])

    def _overview(self, groups: Sequence[Group]) -> Fold:
        closed = [group for group in groups if group.parent is None]
        part = self.scissors.part("", tuple(self._shown(closed)), closed)
        nodes = tuple(replace(node, layer=0) for node in part.view.trace.nodes)  # without bands
        view = replace(part.view, trace=part.view.trace.part(nodes=nodes, steps=()))
        labels = tuple(_name_alone(label, LETTERS[1]) for label in part.labels)
        part, graph = replace(part, view=view, labels=labels), _graph(view, labels)
        found = (Fold(part, layout(graph)) for layout in (compact_layout, column_layout))
        return max(found, key=lambda fold: min(fold.scale(OVERVIEW), READABLE))

    def _shown(self, closed: Sequence[Group]) -> Iterator[int]:
        """All nodes without constants that have no name: they are at the ops that use them."""
        inside = {node for group in closed for node in group.nodes}
        for node in self.nodes:
            if node.id in inside or node.kind != "constant" or node.name:
                yield node.id

    def _fold(self, part: Part) -> None:
        """Fold the inside of a part if it does not fit: by calls, by lines, or in equal pieces."""
        if self._fits(part):
            return
        calls = by_call(part.items, self.nodes)
        lines = by_line(calls, self.nodes)
        for named in (calls, lines):
            part.items = named
            if self._fits(part):
                return
        best = lines
        for count in PIECES:
            part.items = by_number(lines, self.nodes, count)
            if self._fits(part):
                best = part.items
                if all(self._fits(each) for each in best if isinstance(each, Part)):
                    return
        # In two levels of about as many: no fold of two folds where one of five would do.
        part.items = by_number(lines, self.nodes, math.ceil(math.sqrt(self._pieces(lines))))
        if not self._fits(part):
            part.items = best

    def _pieces(self, items: Items) -> int:
        """Into how many pieces items are to be cut until the first of them fits."""
        for count in range(max(PIECES[-1], len(items) // MOST_BOXES), len(items) // 2):
            first = by_number(items, self.nodes, count)[0]
            if isinstance(first, int) or self._fits(first):
                return count
        return len(items) // 2

    def _fits(self, part: Part) -> bool:
        if self._boxes(part) > MOST_BOXES:  # seen without a layout, which takes long for many
            return False
        groups = numbered([part], self.users)
        return self.inside(groups[0], groups).fits(self.pane)

    def _boxes(self, part: Part) -> int:
        """How many boxes its items are at least: constants may stand at the ops that use them."""
        return sum(
            isinstance(item, Part) or self.nodes[item].kind != "constant" for item in part.items
        )

    def inside(self, group: Group, groups: Sequence[Group] = ()) -> Fold:
        """The inside of a group, and what its own ops use; texts give way where room is lacking."""
        closed = [each for each in groups or self.groups if each.parent == group.id]
        part = self.scissors.part(group.label, group.nodes, closed, open_alone=True)
        found = []
        for detail in range(4):
            found.append(self._with_detail(part, detail))
            if found[-1].fits(self.pane):
                return found[-1]
        return max(found, key=lambda fold: fold.scale(self.pane))

    def _with_detail(self, part: PartOfTape, less: int) -> Fold:
        inside = set(part.within)
        labels = []
        for label, members in zip(part.labels, part.members, strict=True):
            is_stub = members[-1] not in inside
            if less and is_stub or less > 2 and len(members) > 1:
                labels.append(_name_alone(label, LETTERS[less > 2]))
            elif less > 1:
                labels.append(_narrow(label, LETTERS[less > 2]))
            else:
                labels.append(label)
        graph = _graph(part.view, labels)
        return Fold(replace(part, labels=tuple(labels)), _laid_out(graph, self.pane))


def _graph(view: View, labels: Sequence[Label]) -> Graph:
    sizes = tuple((label.width, label.height) for label in labels)
    return Graph(tuple(node.inputs for node in view.trace.nodes), sizes)


@lru_cache(256)
def _laid_out(graph: Graph, pane: Pane) -> Layout:
    found = [layered_layout(graph), compact_layout(graph)]
    return min(found, key=lambda each: max(each.width / pane[0], each.height / pane[1]))


def _name_alone(label: Label, letters: int) -> Label:
    """The label in a small box, with its name alone."""
    title = shorten(label.title.partition(" (line ")[0], letters)
    return replace(
        label, title=title, note="", shape="", value="", cotangent="", pictured=False,
        width=head_width(title, "", ""), height=NAME_HIGH,
    )  # fmt: skip


def _narrow(label: Label, letters: int) -> Label:
    """The label without what stands beside its name."""
    title = shorten(label.title, letters)
    texts = PICTURED_WIDTH if label.pictured else LONG_WIDTH if label.shape else SHORT_WIDTH
    width = max(min(label.width, texts), head_width(title, "", ""))
    return replace(label, title=title, note="", shape="", width=width)
