"""What is drawn around nodes and edges: breaks with a ✕ and a note, and the bands of nested tapes.

Marks never move a node. Bands lie under everything, as wide strokes along the edges inside a group,
so a group is seen as one piece wherever the layout put its nodes; a letter at each node leads to
the legend. Notes go where no box is; the picture grows where they need room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..layout import Edge, Layout, Point
from ..layout.labels import CHARACTER, SMALL_SIZE, columns, shorten
from ..trace.trace import Break, Trace

CROSS = 7.0
HALO = 12.0
NOTE_HEIGHT = 20.0
GAP = 6.0
MAX_NOTE = 44
MAX_LEGEND = 70
LEGEND_ROW = 26.0
SWATCH = 26.0
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
TINTS = 3
MARGIN = 8.0

Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class Note:
    """A text in a box of its own."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Band:
    """The nodes of one scope of a nested tape; the letter stands at each of them."""

    letter: str
    tint: int
    nodes: tuple[int, ...]
    edges: tuple[Edge, ...]
    note: Note


@dataclass(slots=True)
class Marks:
    """All marks of a picture; `box` is what it has to show."""

    box: Box
    crosses: list[Point] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    nodes: set[int] = field(default_factory=set)
    edges: set[tuple[int, int, int]] = field(default_factory=set)


def marks(trace: Trace, placed: Layout) -> Marks:
    """Place all marks of a trace."""
    found = Marks((0.0, 0.0, placed.width, placed.height))
    taken = [_box_of(placed, node.id) for node in trace.nodes]
    found.bands += [_band(i, *each, placed) for i, each in enumerate(_scopes(trace))]
    found.crosses += [_cross(found, broken, trace, placed) for broken in trace.breaks]
    taken += [_grown((*cross, *cross), CROSS) for cross in found.crosses]
    for broken, cross in zip(trace.breaks, found.crosses, strict=True):
        is_below = bool(trace.nodes[broken.node].inputs)
        is_left = any(x > cross[0] and abs(y - cross[1]) < NOTE_HEIGHT for x, y in found.crosses)
        found.notes.append(_noted(broken, cross, is_below, is_left, taken))
        taken.append(found.notes[-1].box)
    boxes = [note.box for note in found.notes] + [band.note.box for band in found.bands]
    boxes += [_grown(_box_of(placed, node), HALO) for band in found.bands for node in band.nodes]
    for box in boxes:
        found.box = _around(found.box, _grown(box, MARGIN))
    return found


def _scopes(trace: Trace) -> list[tuple[str, tuple[int, ...]]]:
    """The groups of nested tapes, in order of their first node."""
    scopes: dict[str, list[int]] = {}
    for node in trace.nodes:
        if node.layer and node.scope:
            scopes.setdefault(node.scope[-1], []).append(node.id)
    return [(label, tuple(nodes)) for label, nodes in scopes.items()]


def _band(number: int, label: str, nodes: tuple[int, ...], placed: Layout) -> Band:
    """A group's nodes and inner edges, and its line in the legend under the graph."""
    inside = set(nodes)
    edges = tuple(e for e in placed.edges if e.source in inside and e.target in inside)
    text = shorten(label, MAX_LEGEND)
    top = placed.height + HALO + number * LEGEND_ROW
    width = SWATCH + 2 * GAP + SMALL_SIZE * CHARACTER * columns(text)
    note = Note(text, (MARGIN, top, MARGIN + width, top + NOTE_HEIGHT))
    return Band(LETTERS[number % len(LETTERS)], number % TINTS, nodes, edges, note)


def _cross(found: Marks, broken: Break, trace: Trace, placed: Layout) -> Point:
    """Where the cross of a break stands; the broken node or edge is noted on the way."""
    node = trace.nodes[broken.node]
    if broken.position is None:
        left, top, right, bottom = _box_of(placed, broken.node)
        found.nodes.add(broken.node)
        return (left + right) / 2, bottom if node.inputs else top
    key = (node.inputs[broken.position], broken.node, broken.position)
    found.edges.add(key)
    return middle_of(next(e for e in placed.edges if (e.source, e.target, e.position) == key))


def _noted(broken: Break, cross: Point, is_below: bool, is_left: bool, taken: list[Box]) -> Note:
    """The note of a break, beside an edge's cross or above or below a node's, where room is.

    Of two crosses in a row the left one has its note on the left, outside of the two edges.
    """
    x, y = cross
    text = shorten(broken.note, MAX_NOTE)
    if not text:
        return Note("", (x, y, x, y))
    width = SMALL_SIZE * CHARACTER * columns(text) + 2 * GAP
    high, away = y - NOTE_HEIGHT / 2, CROSS + GAP
    beside = [(x + away, high), (x - away - width, high), (x + 2 * away, high)]
    over = (x - width / 2, y + CROSS + 3 if is_below else y - NOTE_HEIGHT - CROSS - 3)
    if is_left:
        beside[:2] = reversed(beside[:2])
    starts = [over, *beside] if broken.position is None else beside
    return Note(text, _free(starts, width, taken))


def middle_of(edge: Edge) -> Point:
    """The middle of the last curve of an edge, which lies in the gap before its target."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = edge.points[-4:]
    return (x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8


def _free(starts: Iterable[Point], width: float, taken: list[Box]) -> Box:
    """The first place where a note covers nothing; the first of all if there is none."""
    boxes = [(x, y, x + width, y + NOTE_HEIGHT) for x, y in starts]
    free = [box for box in boxes if not any(_overlap(box, other) for other in taken)]
    return (free or boxes)[0]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _box_of(placed: Layout, node: int) -> Box:
    (x, y), (width, height) = placed.positions[node], placed.sizes[node]
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _grown(box: Box, by: float) -> Box:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _around(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])
