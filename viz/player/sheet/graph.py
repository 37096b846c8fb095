"""The graph of a step: the picture of the tape that shows its node, as far as it fits.

Where boxes stand is computed once for each picture of a trace, not for each step. Where letters
would be smaller than 7 points boxes have their names alone; where these would be, the part around
the step is shown.
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
from ...layout.strip import strip_layout
from ...layout.types import Graph
from ...picture.marks import CROSS, Note, marks
from ...trace.extras import Break
from ...trace.progress import Progress, progress
from ...views.groups import groups
from ...views.pictured import PartOfTape, Scissors
from ...views.strips import slot_labels, strip_name, strip_of
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
TOUCH = 1.0  # by which a note may stand over the rim of a box
LOOKS = {
    "op": Look("paper", "line", 1.25), "source": Look("blue-soft", "blue", 1.75),
    "variable": Look("green-soft", "green", 1.75), "constant": Look("soft", "line", 1.25),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Placed:
    """The boxes of a picture, and where they stand.

    Attributes:
        labels: the texts of the boxes.
        layout: where these stand.
        breaks: where a path ends: the middle of a cross, and the note beside it.
        broken: the edges that end there.
        box: left, top, right and bottom of all of it.
    """

    labels: tuple[Label, ...]
    layout: Layout
    breaks: tuple[tuple[tuple[float, float], Note], ...]
    broken: frozenset[tuple[int, int]]
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class View:
    """One picture of a tape.

    Attributes:
        part: its boxes, and the nodes that each stands for.
        whole: with the numbers of the boxes.
        named: with names alone, in boxes that are as small.
        boxes: of each node the box that shows it.
        slots: of a strip the boxes that are its slots.
    """

    part: PartOfTape
    whole: Placed
    named: Placed
    boxes: dict[int, int]
    slots: frozenset[int] = frozenset()


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
        self._whole_strip: View | None = None
        self._may_be_strip = bool(grouping) and trace.kind != "graph"  # looked at once
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

        def drawing(placed: Placed, scale: float) -> _Drawing:
            return _Drawing(self.trace, view, placed, state, step, scale, self.forms)

        for placed, room in ((view.whole, wide), (view.whole, most), (view.named, wide)):
            left, top, right, bottom = placed.box
            scale = min(LARGEST, (room - 2 * MARGIN) / (right - left), high / (bottom - top))
            if scale >= NEEDED:
                return drawing(placed, scale).block(None)
        if wide < 90 or high < 60:
            return None
        return drawing(view.named, max(NEEDED, 0.8)).block((wide - 2 * MARGIN, high))

    def is_grouped(self, step: Any) -> bool:
        """Whether a step is within a group, which has a picture of its own."""
        return step.node in self._group

    def strip(self, step: Any, wide: float, high: float) -> Block | None:
        """The rounds of a loop or the layers of a network in a row; None where it is no such tape.

        Args:
            step: the step; the slot that it is in is marked.
            wide: how wide the row may be.
            high: how high.
        """
        return adorned("a strip", lambda: self._strip(step, wide, high), None)

    def _strip(self, step: Any, wide: float, high: float) -> Block | None:
        if self._may_be_strip:
            self._whole_strip, self._may_be_strip = self._strip_view(), False
        view = self._whole_strip
        if view is None:
            return None
        left, top, right, bottom = view.whole.box
        scale = min(LARGEST, wide / (right - left), high / (bottom - top))
        if scale < NEEDED:
            return None
        state = progress(self.trace, self._place[id(step)])
        drawn = _Drawing(self.trace, view, view.whole, state, step, scale, self.forms)
        return replace(drawn.block(None), name="strip")

    def _strip_view(self) -> View | None:
        """The whole tape as a strip."""
        whole = self._part(None)
        strip = strip_of(whole.view, [each for each in self._grouping if each.parent is None])
        if strip is None:
            return None
        titles = [whole.labels[slot].title for slot in strip.slots]
        slots = frozenset(strip.slots)
        labels = tuple(
            label if box in slots else _fitting(label)
            for box, label in enumerate(slot_labels(whole.labels, strip, False))
        )
        layout = strip_layout(_graph(whole, labels), strip, strip_name(titles))
        boxes = {node: box for box, members in enumerate(whole.members) for node in members}
        placed = self._marked(whole, labels, layout, boxes)
        return View(whole, placed, replace(placed), boxes, slots)

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
        whole, named = (self._placed(part, each, boxes) for each in (labels, names))
        return View(part, whole, named, boxes)

    def _placed(
        self, part: PartOfTape, labels: tuple[Label, ...], boxes: Mapping[int, int]
    ) -> Placed:
        layout = layered_layout(_graph(part, labels))
        return self._marked(part, labels, layout, boxes)

    def _marked(
        self,
        part: PartOfTape,
        labels: tuple[Label, ...],
        layout: Layout,
        boxes: Mapping[int, int],
    ) -> Placed:
        """Boxes with a cross and its reason wherever a path of the tape ends."""
        shown = part.view.trace
        breaks = dict.fromkeys(
            filter(None, (_seen(b, self.trace, shown, boxes) for b in self.trace.breaks))
        )
        found = marks(shown.part(breaks=tuple(breaks)), layout)
        ends = tuple(zip(found.crosses, _apart(found.notes, layout), strict=True))
        corners = [(0.0, 0.0, layout.width, layout.height)]
        corners += [
            (x - CROSS - 4, y - CROSS - 4, x + CROSS + 4, y + CROSS + 4) for (x, y), _ in ends
        ]
        corners += [note.box for _, note in ends if note.text]
        left, top, right, bottom = zip(*corners, strict=True)
        broken = frozenset((a, b) for a, b, _ in found.edges)
        return Placed(labels, layout, ends, broken, (min(left), min(top), max(right), max(bottom)))


def _whole(trace: Trace) -> PartOfTape:
    """A small tape as a part of itself."""
    ids = tuple(range(len(trace.nodes)))
    members = tuple((node,) for node in ids)
    view = ViewOfTape(trace, {node: node for node in ids}, members, (None,) * len(ids), ())
    return PartOfTape("", view, roomy_labels(trace), members, {}, ids)


def _apart(notes: Sequence[Note], layout: Layout) -> list[Note]:
    """The notes without the text of one that would cover a box or another note."""
    taken = [
        (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        for (x, y), (wide, high) in zip(layout.positions, layout.sizes, strict=True)
    ]
    kept = []
    for note in notes:
        left, top, right, bottom = note.box
        free = not any(
            left < x1 and x0 < right and top < y1 - TOUCH and y0 + TOUCH < bottom
            for x0, y0, x1, y1 in taken
        )
        kept.append(note if free else replace(note, text=""))
        taken += [note.box] if free else []
    return kept


def _seen(broken: Break, trace: Trace, shown: Trace, boxes: Mapping[int, int]) -> Break | None:
    """A break at the box, or on the edge, that shows it; None where neither is in the picture."""
    if broken.node not in boxes:
        return None
    end, position = boxes[broken.node], None
    if broken.position is not None:
        start = boxes.get(trace.nodes[broken.node].inputs[broken.position])
        if start in shown.nodes[end].inputs:
            position = shown.nodes[end].inputs.index(start)
    return Break(end, position, broken.note)


def _graph(part: PartOfTape, labels: Sequence[Label]) -> Graph:
    sizes = tuple((label.width, label.height) for label in labels)
    return Graph(tuple(n.inputs for n in part.view.trace.nodes), sizes)


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
        self, trace: Trace, view: View, drawn: Placed, state: Progress, step: Any, scale: float,
        forms: Mapping[int, str],
    ) -> None:  # fmt: skip
        self.forms = forms
        self.trace, self.view, self.drawn = trace, view, drawn
        self.labels, self.placed = drawn.labels, drawn.layout
        self.state, self.step, self.scale = state, step, scale
        self.used = {
            (view.boxes[a], view.boxes[b])
            for a, b, _ in state.used
            if a in view.boxes and b in view.boxes
        }
        here = (step.node, step.to if step.to is not None else step.node)
        self.now = {view.boxes[each] for each in here if each in view.boxes}
        self.is_names = drawn is view.named

    def block(self, window: tuple[float, float] | None) -> Block:
        """All of it, or what is seen of it in a window around the step."""
        s = self.scale
        left, top, right, bottom = (each * s for each in self.drawn.box)
        wide, high = right - left, bottom - top
        if window is not None:
            (left, wide), (top, high) = (
                self._part_of(axis, room, begin, whole)
                for axis, (room, begin, whole) in enumerate(
                    zip(window, (left, top), (wide, high), strict=True)
                )
            )
        box = (left, top, left + wide, top + high)
        items: list[Item] = []
        for frame in self.placed.frames:
            x, y, across, down = (each * s for each in frame.box)
            items.append(Rect(x - left, y - top, across, down, Look("", "line", 1.0), 9.0))
            name = Run(frame.scope[-1], "mono", bold=True, colour=GREY)
            items.append(text(x - left + 8 * s, y - top + 5 * s, name, SMALL_SIZE * s))
        for edge in self.placed.edges:
            items += self._edge(edge, box)
        for node, label in enumerate(self.labels):
            x, y = self.placed.positions[node]
            x0, y0 = (x - label.width / 2) * s, (y - label.height / 2) * s
            x1, y1 = x0 + label.width * s, y0 + label.height * s
            if box[0] <= x0 and x1 <= box[2] and box[1] <= y0 and y1 <= box[3]:
                drawn = Block(label.title or "node", 0, 0, tuple(self._node(node, label)))
                items.append(drawn.at(x0 - left, y0 - top))
        for cross, note in self.drawn.breaks:
            items += self._break(cross, note, box)
        return Block("graph", wide, high, tuple(items))

    def _break(
        self, cross: tuple[float, float], note: Note, box: tuple[float, float, float, float]
    ) -> list[Item]:
        """The cross at which a path ends, and why; nothing where not all of it is to be seen."""
        s = self.scale
        (x, y), r = (each * s for each in cross), (CROSS + 2) * s
        shown = note.box if note.text else (*cross, *cross)
        left, top, right, bottom = (each * s for each in shown)
        x0, y0, x1, y1 = min(left, x - r), min(top, y - r), max(right, x + r), max(bottom, y + r)
        if not (box[0] <= x0 and x1 <= box[2] and box[1] <= y0 and y1 <= box[3]):
            return []
        a = 0.55 * CROSS * s
        thick = Look("", "purple", 3.0 * s)
        items: list[Item] = [Rect(x - r, y - r, 2 * r, 2 * r, Look("paper", "purple", 2.0), r)]
        items += [Path(((x - a, y - d), (x + a, y + d)), thick) for d in (a, -a)]
        if note.text:
            size = SMALL_SIZE * s
            items.append(
                Rect(left, top, right - left, bottom - top, Look("paper", "purple", 1.5), 5.0)
            )
            run = Run(note.text, "mono", bold=True, colour="purple")
            items.append(
                text((left + right) / 2, (top + bottom) / 2 - 0.65 * size, run, size, "middle")
            )
        return [Block("cross", 0, 0, tuple(items)).at(-box[0], -box[1])]

    def _part_of(self, axis: int, room: float, begin: float, whole: float) -> tuple[float, float]:
        """Where a window begins along an axis, and how long it is."""
        if whole <= room:
            return begin, whole
        boxes = sorted(self.now) or [0]
        middle = sum(self.placed.positions[box][axis] for box in boxes) / len(boxes) * self.scale
        return min(max(middle - room / 2, begin), begin + whole - room), room

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
            if pair in self.drawn.broken:
                look = Look("", "purple", 2.25, (3.0, 6.0))
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
        if label.pictured and box in self.view.slots:
            wide, down, form = (
                (label.width - 2 * PADDING_X) * s,
                PICTURE_DOWN * s,
                self.forms.get(own, ""),
            )
            high = (label.height * s - down) / 2 - 8 * s
            if has_value:
                items += marks_in(_small(node.value, "value", form), pad, down, wide, high)
            role = "sum" if own in self.state.met else "gradient"
            if known is not None:
                below = down + high + 4 * s
                items += marks_in(_small(known, role, form), pad, below, wide, high)
            return items
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
