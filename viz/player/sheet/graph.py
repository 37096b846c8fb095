"""The graph of a step: the picture of the tape that shows its node, as far as it fits.

The one fact to know: where boxes stand is computed once for each picture of a trace, not for each
step. Where letters would be smaller than 7 points boxes have their names alone; where these would
be, the part around the step is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.adorned import adorned
from ...base.numbers import short
from ...export.items import Item, Look, Path, Rect, Run
from ...layout import Layout
from ...layout.builtin import layered_layout
from ...layout.labels import (
    FONT_SIZE,
    MARKS,
    PADDING_X,
    PICTURE_DOWN,
    ROW,
    SIGN,
    SMALL_SIZE,
    Label,
    picture_room,
    printable,
    roomy_labels,
)
from ...layout.types import Graph
from ...trace.progress import Progress, progress
from ...views.groups import groups
from ...views.pictured import PartOfTape, Scissors
from ...views.views import View as ViewOfTape
from .blocks import GREY, SMALLEST, Block, text, width
from .matrices import Matrix, marks_in, matrix

if TYPE_CHECKING:
    from ...trace.trace import Node, Trace

MOST_BOXES = 24
MARGIN = 10.0
LARGEST = 1.15  # how much larger than in a player
NEEDED = SMALLEST / SMALL_SIZE
NAME_HIGH = 26.0
LOOKS = {
    "op": Look("paper", "line", 1.25), "source": Look("blue-soft", "blue", 1.75),
    "variable": Look("green-soft", "green", 1.75), "constant": Look("soft", "line", 1.25),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """One picture of a tape.

    Attributes:
        part: its boxes, and the nodes that each stands for.
        labels: the texts of the boxes.
        placed: where they stand.
        named: the same with names alone, in boxes that are as small.
        boxes: of each node the box that shows it.
    """

    part: PartOfTape
    labels: tuple[Label, ...]
    placed: Layout
    named_labels: tuple[Label, ...]
    named: Layout
    boxes: dict[int, int]


class Graphs:
    """The pictures of one trace, each laid out when the first step needs it."""

    def __init__(self, trace: Trace, forms: Mapping[int, str]) -> None:
        self.trace = trace
        self.forms = forms
        grouping = adorned("groups", lambda: groups(trace, MOST_BOXES), ())
        self._scissors = Scissors(trace)
        self._grouping = grouping
        self._views: dict[int | None, View] = {}
        self._group: dict[int, int] = {}
        for group in grouping:  # inner ones come later
            self._group.update(dict.fromkeys(group.nodes, group.id))
        self._place = {id(step): place for place, step in enumerate(trace.steps)}

    def block(self, step: Any, wide: float, most: float, high: float) -> Block | None:
        """The graph after a step; None where not even a piece of it can be read.

        Args:
            step: the step.
            wide: how wide it may be.
            most: how wide it may be where its boxes then have their numbers.
            high: how high it may be.
        """
        if not self.trace.nodes or self.trace.kind == "graph":
            return None
        return adorned("a graph", lambda: self._block(step, wide, most, high), None)

    def _block(self, step: Any, wide: float, most: float, high: float) -> Block | None:
        view = self._view(self._group.get(step.node))
        state = progress(self.trace, self._place[id(step)])

        def drawing(labels: Sequence[Label], placed: Layout, scale: float) -> _Drawing:
            return _Drawing(self.trace, view, labels, placed, state, step, scale, self.forms)

        for labels, placed, room in (
            (view.labels, view.placed, wide), (view.labels, view.placed, most),
            (view.named_labels, view.named, wide),
        ):  # fmt: skip
            scale = min(LARGEST, (room - 2 * MARGIN) / placed.width, high / placed.height)
            if scale >= NEEDED:
                return drawing(labels, placed, scale).block(None)
        if wide < 90 or high < 60:
            return None
        seen = drawing(view.named_labels, view.named, max(NEEDED, 0.8))
        return seen.block((wide - 2 * MARGIN, high))

    def _view(self, group: int | None) -> View:
        if group not in self._views:
            self._views[group] = self._made(group)
        return self._views[group]

    def _part(self, group: int | None) -> PartOfTape:
        if not self._grouping:
            return _whole(self.trace)
        closed = [each for each in self._grouping if each.parent == group]
        whole = tuple(range(len(self.trace.nodes)))
        own = whole if group is None else self._grouping[group].nodes
        return self._scissors.part("", own, closed)

    def _made(self, group: int | None) -> View:
        part = self._part(group)
        labels = tuple(_fitting(each) for each in part.labels)
        names = tuple(_named(each) for each in labels)
        boxes = {node: box for box, members in enumerate(part.members) for node in members}
        return View(part, labels, _placed(part, labels), names, _placed(part, names), boxes)


def _whole(trace: Trace) -> PartOfTape:
    """A small tape as a part of itself."""
    ids = tuple(range(len(trace.nodes)))
    members = tuple((node,) for node in ids)
    view = ViewOfTape(trace, {node: node for node in ids}, members, (None,) * len(ids), ())
    return PartOfTape("", view, roomy_labels(trace), members, {}, ids)


def _placed(part: PartOfTape, labels: Sequence[Label]) -> Layout:
    sizes = tuple((label.width, label.height) for label in labels)
    return layered_layout(Graph(tuple(n.inputs for n in part.view.trace.nodes), sizes))


def _fitting(label: Label) -> Label:
    """The label in a box that is as wide as its first line needs by our own metrics."""
    return replace(label, width=max(label.width, _head(label) + 2 * PADDING_X))


def _head(label: Label) -> float:
    wide = width(Run(label.title, "mono", bold=True), FONT_SIZE)
    for said in (label.note, label.shape):
        wide += width(Run(said, "mono"), SMALL_SIZE) + 10 if said else 0.0
    return wide


def _named(label: Label) -> Label:
    wide = width(Run(label.title, "mono", bold=True), FONT_SIZE) + 2 * PADDING_X
    return replace(
        label, note="", shape="", value="", cotangent="", pictured=False, width=wide,
        height=NAME_HIGH,
    )  # fmt: skip


class _Drawing:
    """One view at one step, at its final size."""

    def __init__(
        self, trace: Trace, view: View, labels: Sequence[Label], placed: Layout,
        state: Progress, step: Any, scale: float, forms: Mapping[int, str],
    ) -> None:  # fmt: skip
        self.forms = forms
        self.trace, self.view, self.labels, self.placed = trace, view, labels, placed
        self.state, self.step, self.scale = state, step, scale
        self.used = {
            (view.boxes[a], view.boxes[b])
            for a, b, _ in state.used
            if a in view.boxes and b in view.boxes
        }
        here = (step.node, step.to if step.to is not None else step.node)
        self.now = {view.boxes[each] for each in here if each in view.boxes}
        self.is_names = labels is view.named_labels

    def block(self, window: tuple[float, float] | None) -> Block:
        """All of it, or what is seen of it in a window around the step."""
        s = self.scale
        left = top = 0.0
        wide, high = self.placed.width * s, self.placed.height * s
        if window is not None:
            (left, wide), (top, high) = (
                self._seen(axis, room, whole)
                for axis, (room, whole) in enumerate(zip(window, (wide, high), strict=True))
            )
        box = (left, top, left + wide, top + high)
        items: list[Item] = []
        for edge in self.placed.edges:
            items += self._edge(edge, box)
        for node, label in enumerate(self.labels):
            x, y = self.placed.positions[node]
            x0, y0 = (x - label.width / 2) * s, (y - label.height / 2) * s
            x1, y1 = x0 + label.width * s, y0 + label.height * s
            if box[0] <= x0 and x1 <= box[2] and box[1] <= y0 and y1 <= box[3]:
                drawn = Block(label.title or "node", 0, 0, tuple(self._node(node, label)))
                items.append(drawn.at(x0 - left, y0 - top))
        return Block("graph", wide, high, tuple(items))

    def _seen(self, axis: int, room: float, whole: float) -> tuple[float, float]:
        """Where a window begins along an axis, and how long it is."""
        if whole <= room:
            return 0.0, whole
        boxes = sorted(self.now) or [0]
        middle = sum(self.placed.positions[box][axis] for box in boxes) / len(boxes) * self.scale
        return min(max(middle - room / 2, 0.0), whole - room), room

    def _edge(self, edge: Any, box: tuple[float, float, float, float]) -> list[Item]:
        s = self.scale
        points = [(x * s - box[0], y * s - box[1]) for x, y in edge.points]
        wide, high = box[2] - box[0], box[3] - box[1]
        pair = (edge.source, edge.target)
        back = self.trace.carries != "tangents"
        if pair in self.used:
            is_now = pair[0] in self.now and pair[1] in self.now and self.step.to is not None
            look = Look("", "orange", 3.0 if is_now else 1.75)
            head, tail = not back, back
        else:
            watched = self.view.part.view.trace.nodes[edge.source].watched
            look = Look("", "line", 1.25, () if watched else (2.0, 3.0))
            head, tail = True, False
        inside = [0 <= x <= wide and 0 <= y <= high for x, y in points]
        if all(inside):
            pieces = zip(points[1::3], points[2::3], points[3::3], strict=True)
            whole = (points[0], *((*a, *b, *c) for a, b, c in pieces))
            return [Path(whole, look, False, head, tail)]
        if not any(inside):
            return []
        return _clipped(points, wide, high, look, head, tail)

    def _node(self, box: int, label: Label) -> list[Item]:
        s, own = self.scale, self.view.part.members[box][-1]
        node = self.view.part.view.trace.nodes[box]
        is_group = self.view.part.view.group[box] is not None
        known, is_none = self.state.cotangents.get(own), own in self.state.unconnected
        look = LOOKS[node.kind]
        if box in self.now:
            look = Look("now", "ink", 2.5)
        elif is_none:
            look = replace(look, stroke="purple", line=2.0)
        elif known is not None or own in self.state.visited:
            look = replace(look, stroke="orange", line=2.0)
        wide, high = label.width * s, label.height * s
        radius = {"op": 6.0, "constant": 0.0}.get(node.kind, min(high / 2, 18.0))
        items: list[Item] = []
        if is_group:
            for shift in (5.0, 2.5):
                items.append(Rect(shift, shift, wide, high, replace(look, line=1.0), radius))
        items.append(Rect(0.0, 0.0, wide, high, look, radius))
        if node.kind == "variable" and box not in self.now:
            inner = max(radius - 3, 0.0)
            items.append(Rect(3.0, 3.0, wide - 6, high - 6, Look("", "green", 0.75), inner))
        pad, size = PADDING_X * s, FONT_SIZE * s
        title = Run(label.title, "mono", bold=True)
        if self.is_names:
            return [*items, text(pad, (high - 1.2 * size) / 2, title, size)]
        small = SMALL_SIZE * s
        items.append(text(pad, 7.0 * s, title, size))
        if label.note:
            x = pad + width(title, size) + 8 * s
            items.append(text(x, 7.9 * s, Run(label.note, "mono", colour=GREY), small))
        if label.shape:
            shape = Run(label.shape, "mono", colour=GREY)
            items.append(text(wide - pad, 7.9 * s, shape, small, "end"))
        return items + self._inside(box, node, label, known, is_none)

    def _inside(self, box: int, node: Node, label: Label, known: Any, is_none: bool) -> list[Item]:
        """What is known of a node: its value, and what has arrived, as text or as marks."""
        s, own = self.scale, self.view.part.members[box][-1]
        small, pad = SMALL_SIZE * s, PADDING_X * s
        sign = MARKS[self.trace.carries].strip()
        hue = "green" if own in self.state.met else "orange"
        has_value = own in self.state.computed and node.value is not None
        items: list[Item] = []
        if label.pictured:
            wide, second, high = picture_room(label)
            down, form = PICTURE_DOWN * s, self.forms.get(own, "")
            if has_value:
                items += marks_in(_small(node.value, "value", form), pad, down, wide * s, high * s)
            if known is not None and second:
                at = (second - SIGN + 1) * s
                items.append(text(at, down + 9 * s, Run(sign, "mono", True, colour=hue), small))
                role = "sum" if own in self.state.met else "gradient"
                items += marks_in(_small(known, role, form), second * s, down, wide * s, high * s)
            elif is_none and second:
                at = (second - SIGN + 1) * s
                run = Run("✕ None", "mono", True, colour="purple")
                items.append(text(at, down + 9 * s, run, small))
            return items
        room = label.width * s - 2 * pad
        if has_value:
            run = Run(_shortened(node.value, room, small), "mono")
            items.append(text(pad, (7.9 + ROW) * s, run, small))
        if known is not None or is_none:
            head = "✕ None" if is_none else f"{sign} {_shortened(known, room - 2 * small, small)}"
            run = Run(head, "mono", bold=True, colour="purple" if is_none else hue)
            items.append(text(pad, (7.9 + 2 * ROW) * s, run, small))
        return items


def _small(array: Any, role: Any, form: str) -> Matrix | None:
    """An array as a miniature shows it."""
    own = matrix("", role, array, form)
    if own is not None or array is None or array.thumb is None or not array.thumb.peaks:
        return own
    peaks = np.asarray(array.thumb.peaks, "float64")
    values = peaks.reshape(-1, array.thumb.rows, array.thumb.columns)
    return Matrix("", role, values.shape, values, None)


def _shortened(array: Any, room: float, size: float) -> str:
    """An array as text, in as many letters as fit."""
    for limit in (26, 22, 18, 14, 10):
        said = printable(array.text(limit))
        if width(Run(said, "mono", bold=True), size) <= room:
            return said
    if not array.shape and array.data and not isinstance(array.data[0], str):
        return short(array.data[0], 2)
    return ""


def _clipped(
    points: Sequence[tuple[float, float]], wide: float, high: float, look: Look, head: bool,
    tail: bool,
) -> list[Item]:  # fmt: skip
    """What is seen of an edge in a window, as short lines."""
    dense = [points[0]]
    for a, b, c, d in zip(points[:-1:3], points[1::3], points[2::3], points[3::3], strict=True):
        for k in range(1, 13):
            t = k / 12
            u = 1 - t
            x, y = (
                u**3 * a[i] + 3 * u * u * t * b[i] + 3 * u * t * t * c[i] + t**3 * d[i]
                for i in (0, 1)
            )
            dense.append((x, y))
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, y in dense:
        if 0 <= x <= wide and 0 <= y <= high:
            pieces[-1].append((x, y))
        elif pieces[-1]:
            pieces.append([])
    found: list[Item] = []
    for piece in (each for each in pieces if len(each) > 1):
        ends = head and piece[-1] == dense[-1], tail and piece[0] == dense[0]
        found.append(Path(tuple(piece), look, False, *ends))
    return found
