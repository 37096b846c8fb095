"""A strip: rounds or layers as slots in a row, what all of them use above, one of them open below.

Where the boxes of the strip stand does not depend on which slot is open, so a walk through the
rounds moves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .builtin import MARGIN, fitted, layered_layout
from .types import Edge, Frame, Graph, Layout, Point

SLOT_GAP = 12.0
PAD = 12.0
TAB_ROOM = 24.0
ABOVE = 18.0  # between what all slots use and their frame
BELOW = 14.0  # between the frame and the open slot
BESIDE = 30.0
LANE = 16.0

Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Strip:
    """Which boxes are slots, in their order, and where the others stand."""

    slots: tuple[int, ...]
    above: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]


def strip_layout(
    graph: Graph, strip: Strip, name: str, inner: Graph | None = None, inner_name: str = ""
) -> Layout:
    """Lay the strip out.

    Args:
        graph: The boxes of the strip.
        strip: Their places.
        name: What stands on the frame around the slots.
        inner: What is in the open slot; its boxes are numbered on from those of `graph`.
        inner_name: What stands on its frame.
    """
    row = _Row.of(graph, strip)
    beside = _stand_beside(row, graph, strip)
    own = {(e.source, e.target, e.position) for e in beside}
    keys = [
        (source, target, position) for target, inputs in enumerate(graph.inputs)
        for position, source in enumerate(inputs) if (source, target, position) not in own
    ]  # fmt: skip
    edges = [*beside, *(_between(key, strip, row.centres, graph, row.frame) for key in keys)]
    frames = [Frame((name,), row.frame)]
    whole = graph
    if inner is not None:
        within, box = _open_below(row, graph, strip, inner)
        edges += within
        frames.append(Frame((name, inner_name), box))
        whole = Graph((*graph.inputs, *inner.inputs), (*graph.sizes, *inner.sizes))
    return _fitted(whole, [row.centres[i] for i in range(len(whole.sizes))], edges, frames)


@dataclass(frozen=True, slots=True)
class _Row:
    """The slots in their frame, and the middles of all boxes that have a place by now."""

    frame: Rectangle
    middle: float  # the height at which the slots stand
    centres: dict[int, Point]

    @classmethod
    def of(cls, graph: Graph, strip: Strip) -> _Row:
        """The frame leaves room on its left, and above it for what all slots use."""
        sizes = graph.sizes
        tall = max((sizes[i][1] for i in strip.above), default=0.0)
        high = max(sizes[i][1] for i in strip.slots)
        top = tall + ABOVE if strip.above else 0.0
        start = _column(graph, strip.left).width - MARGIN if strip.left else 0.0
        length = sum(sizes[i][0] + SLOT_GAP for i in strip.slots) - SLOT_GAP + 2 * PAD
        lane = LANE if _has_far(graph, strip) else 0.0
        middle = top + TAB_ROOM + high / 2
        centres: dict[int, Point] = {}
        x = start + PAD
        for i in strip.slots:
            centres[i] = (x + sizes[i][0] / 2, middle)
            x += sizes[i][0] + SLOT_GAP
        room = max(length, sum(sizes[i][0] + SLOT_GAP for i in strip.above))
        for place, i in enumerate(strip.above):  # evenly over the slots
            centres[i] = (start + room * (place + 0.5) / len(strip.above), tall / 2)
        return cls((start, top, length, TAB_ROOM + high + PAD + lane), middle, centres)


def _stand_beside(row: _Row, graph: Graph, strip: Strip) -> list[Edge]:
    """What comes before the slots stands on their left, what comes after on their right."""
    left, right = (_column(graph, boxes) for boxes in (strip.left, strip.right))
    end = row.frame[0] + row.frame[2] + BESIDE - MARGIN
    down = max(row.middle - right.height / 2, -MARGIN)
    return [
        *_moved(left, strip.left, row.centres, -MARGIN, row.middle - left.height / 2),
        *_moved(right, strip.right, row.centres, end, down),
    ]


def _open_below(
    row: _Row, graph: Graph, strip: Strip, inner: Graph
) -> tuple[list[Edge], Rectangle]:
    """What is in the open slot, under the row; gives its edges and the frame around it."""
    found = layered_layout(inner, "LR")
    start, top, length, high = row.frame
    below = top + high + BELOW
    if found.width > length + BESIDE:  # it reaches under what stands on the right
        ends = [row.centres[i][1] + graph.sizes[i][1] / 2 + BELOW for i in strip.right]
        below = max([below, *ends])
    ids = range(len(graph.sizes), len(graph.sizes) + len(inner.sizes))
    edges = _moved(found, ids, row.centres, start - 4, below + TAB_ROOM - MARGIN)
    return edges, (start, below, found.width - 8, found.height + TAB_ROOM - MARGIN - 4)


def _column(graph: Graph, boxes: Sequence[int]) -> Layout:
    """The boxes on one side, one below the other; edges keep the positions of their arguments."""
    place = {box: i for i, box in enumerate(boxes)}
    known = [[(p, i) for p, i in enumerate(graph.inputs[box]) if i in place] for box in boxes]
    inputs = tuple(tuple(place[i] for _, i in each) for each in known)
    found = layered_layout(Graph(inputs, tuple(graph.sizes[box] for box in boxes)))
    edges = tuple(replace(e, position=known[e.target][e.position][0]) for e in found.edges)
    return replace(found, edges=edges)


def _moved(
    part: Layout, boxes: Sequence[int], centres: dict[int, Point], dx: float, dy: float
) -> list[Edge]:
    """Put the boxes of a part where they belong; gives its edges there."""
    for box, (x, y) in zip(boxes, part.positions, strict=True):
        centres[box] = (x + dx, y + dy)
    return [
        Edge(
            boxes[e.source],
            boxes[e.target],
            e.position,
            tuple((x + dx, y + dy) for x, y in e.points),
        )
        for e in part.edges
    ]


def _has_far(graph: Graph, strip: Strip) -> bool:
    """Whether an edge leaves a slot for another box than the next slot."""
    order = {box: i for i, box in enumerate(strip.slots)}
    ends = {**order, **dict.fromkeys(strip.right, len(order))}
    starts = {**order, **dict.fromkeys(strip.left, -2)}
    return any(
        source in starts
        and target in ends
        and starts[source] + 1 != ends[target]
        and (source in order or target in strip.right)
        for target, inputs in enumerate(graph.inputs)
        for source in inputs
    )


def _between(
    key: tuple[int, int, int], strip: Strip, centres: dict[int, Point], graph: Graph,
    frame: Rectangle,
) -> Edge:  # fmt: skip
    """An edge between the strip and what is around it: to the frame, not to every slot."""
    source, target, _ = key
    (x0, y0), (x1, y1) = centres[source], centres[target]
    (w0, h0), (w1, h1) = graph.sizes[source], graph.sizes[target]
    order = {box: i for i, box in enumerate(strip.slots)}
    if source in strip.above and target in order:
        return Edge(*key, _line((x0, y0 + h0 / 2), (x0, frame[1])))
    if source in strip.above:
        over = (x1, frame[1] - 8)
        start = (x0, y0 + h0 / 2)
        way = (start, (x0, over[1]), (x0, over[1]), (x0 + 8, over[1]))
        return Edge(
            *key,
            (*way, *_bent(way[-1], (x1 - 8, over[1])), *_up((x1 - 8, over[1]), (x1, y1 - h1 / 2))),
        )
    passes = source in strip.left and target in strip.right
    if passes or source in order and (order.get(target, len(order)) - order[source] != 1):
        lane = frame[1] + frame[3] - LANE / 2 - 2
        out, back = (x0, y0 + h0 / 2), (x1, y1 + h1 / 2)
        if target not in order:
            back = (x1 - w1 / 2, y1)
        down, up = (min(x0 + 16, back[0]), lane), (back[0] - 16, lane)
        return Edge(
            *key, (*_line(out, down)[:1], *_bend(out, down), *_bent(down, up), *_up(up, back))
        )
    end = (frame[0], y0) if target in order and source not in order else (x1 - w1 / 2, y1)
    return Edge(*key, _curve((x0 + w0 / 2, y0), end))


def _line(start: Point, end: Point) -> tuple[Point, ...]:
    (x0, y0), (x1, y1) = start, end
    return start, (x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2), end


def _curve(start: Point, end: Point) -> tuple[Point, ...]:
    """A curve that leaves and arrives level."""
    middle = (start[0] + end[0]) / 2
    return start, (middle, start[1]), (middle, end[1]), end


def _bend(start: Point, end: Point) -> tuple[Point, ...]:
    return (start[0], end[1]), (start[0], end[1]), end


def _bent(start: Point, end: Point) -> tuple[Point, ...]:
    third = (end[0] - start[0]) / 3
    return (start[0] + third, start[1]), (end[0] - third, end[1]), end


def _up(start: Point, end: Point) -> tuple[Point, ...]:
    return (end[0], start[1]), (end[0], start[1]), end


def _fitted(
    graph: Graph, centres: list[Point], edges: Sequence[Edge], frames: Sequence[Frame]
) -> Layout:
    """Everything within a margin; the frames are moved as the boxes are."""
    corners = [
        (x + w * i, y + h * i) for (x, y, w, h) in (each.box for each in frames) for i in (0, 1)
    ]
    ghosts = Graph(graph.inputs, (*graph.sizes, *((0.0, 0.0) for _ in corners)))
    placed = fitted(ghosts, [*centres, *corners], tuple(edges), "LR", "builtin")
    count = len(graph.sizes)
    ends = placed.positions[count:]
    moved = [
        Frame(each.scope, (a[0], a[1], b[0] - a[0], b[1] - a[1]))
        for each, a, b in zip(frames, ends[::2], ends[1::2], strict=True)
    ]
    return Layout(
        placed.positions[:count], graph.sizes, placed.edges, placed.width, placed.height, "LR",
        "builtin", frames=tuple(moved),
    )  # fmt: skip
