"""The still picture: our own SVG, a pure function of a trace, a layout and a step.

A step changes classes and the cotangent texts only. Everything that has a position is written from
the layout alone, so a node's transform is the same bytes at every step, and a player may restyle by
class.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ..layout import Edge, Frame, Layout, Point, layout
from ..layout.labels import (
    BADGE,
    BADGE_DOWN,
    BADGE_IN,
    CHARACTER,
    FONT_SIZE,
    MARKS,
    MAX_TOOLTIP,
    PADDING_X,
    PADDING_Y,
    PICTURE_DOWN,
    ROW,
    SIGN,
    SMALL_SIZE,
    Label,
    columns,
    cotangent_text,
    is_pictured,
    labels,
    picture_room,
    printable,
    shorten,
)
from ..trace.progress import Progress, progress
from ..trace.trace import Node, Trace
from .counts import counted, drawn, first_counts, strip
from .marks import CROSS, GAP, HALO, SWATCH, Band, Marks, Note, marks
from .miniatures import miniature
from .svg_style import style_sheet
from .svg_text import escape, number, path_data

ARROW = 8.0
TAB = 20.0  # the height of a box's label
MAX_LABEL = 40
NEAR = 60.0  # between ways of one loop


def svg(
    trace: Trace,
    placed: Layout | None = None,
    step: int | None = None,
    prefix: str = "minitape",
    closed: Collection[int] = (),
    miniatures: bool = True,
    texts: Sequence[Label] | None = None,
) -> str:
    """Draw a trace, whole or as it is after one step.

    Args:
        trace: What to draw.
        placed: Its layout; computed when not given.
        step: The state after this step (-1: before the first); None draws the final numbers
            without marking anything as done.
        prefix: Start of every id in the picture; choose another one for each picture of a page.
        closed: Nodes to draw as a stack, because they stand for a closed group.
        miniatures: Whether to draw arrays on the nodes; a player does it itself.
        texts: The nodes' labels, of which the layout was made; those of `labels` when not given.

    Returns:
        The text of an `<svg>` element, complete in itself.

    Raises:
        ValueError: The prefix is not a plain name, or the layout belongs to another trace.
        IndexError: There is no such step.

    Example:
        >>> x = Node(0, "source", (), "float64", (), name="x")
        >>> 'data-node="0"' in svg(Trace((x,)))
        True
    """
    if not re.fullmatch(r"[A-Za-z][\w-]{0,60}", prefix, re.ASCII):
        message = f"the prefix {prefix!r:.60} is no plain name"
        raise ValueError(f"{message}; begin with a letter and use letters, digits, - and _")
    placed = layout(trace) if placed is None else placed
    if len(placed.positions) != len(trace.nodes):
        message = f"the layout has {len(placed.positions)} nodes and the trace {len(trace.nodes)}"
        raise ValueError(f"{message}; compute it from this trace: layout(trace)")
    shown = labels(trace) if texts is None else tuple(texts)
    return "".join(_parts(trace, placed, step, prefix, set(closed), miniatures, shown))


def _parts(
    trace: Trace, placed: Layout, step: int | None, prefix: str, closed: set[int], mini: bool,
    texts: tuple[Label, ...],
) -> Iterator[str]:  # fmt: skip
    found = marks(trace, placed)
    left, top, right, bottom = found.box
    lines = strip(trace, progress(trace, step), step is not None)
    wider = max(left + lines.width - right, 0.0)
    right, bottom = right + wider, bottom + lines.height
    width, height = number(right - left), number(bottom - top)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{prefix}" '
        f'viewBox="{number(left)} {number(top)} {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{prefix}-title">'
    )
    yield f'<title id="{prefix}-title">{escape(trace.title or "Computation graph")}</title>'
    drawing = "".join(_drawing(trace, placed, step, prefix, closed, found, mini, texts))
    drawing += "".join(drawn(lines, left, bottom, wider))
    yield f"<style>{style_sheet(prefix, drawing)}</style>{drawing}</svg>"


def _drawing(
    trace: Trace, placed: Layout, step: int | None, prefix: str, closed: set[int], found: Marks,
    mini: bool, texts: tuple[Label, ...],
) -> Iterator[str]:  # fmt: skip
    state = progress(trace, step)
    yield _marker(prefix)
    yield from _frames(placed)
    yield from under(found, placed)
    yield f'<g class="edges" marker-end="url(#{prefix}-head)">'
    for edge in placed.edges:
        yield _edge(edge, trace, state, step is not None, found)
    yield "</g>"
    yield from _over_frames(placed, f"{prefix}-head")
    yield '<g class="nodes">'
    shown = _View(trace, state, step is not None, closed, found)
    shown.mini = mini
    for node, label in zip(trace.nodes, texts, strict=True):
        yield shown.node(node, label, placed.positions[node.id])
    yield "</g>"
    yield from over(found)


def _marker(prefix: str) -> str:
    """Define the arrowheads: forward at an edge's end, backward (reversed) at its start."""
    size = number(ARROW)
    heads = [
        f'<marker id="{prefix}-{name}" viewBox="0 0 8 8" refX="7.5" refY="4" '
        f'markerWidth="{size}" markerHeight="{size}" markerUnits="userSpaceOnUse" '
        f'orient="auto-start-reverse"><path class="{name}" d="M0 .6L8 4 0 7.4z"/></marker>'
        for name in ("head", "back")
    ]
    return f"<defs>{''.join(heads)}</defs>"


def _edge(edge: Edge, trace: Trace, state: Progress, stepping: bool, found: Marks) -> str:
    key = (edge.source, edge.target, edge.position)
    classes = ["e", "broken"] if key in found.edges else ["e"]
    if not trace.nodes[edge.source].watched:
        classes.append("unwatched")
    step = state.current
    if stepping and step is not None:
        if key in state.used:
            classes.append("now" if (step.to, step.node, step.position) == key else "done")
            classes += ["onward"] * (trace.carries == "tangents")
        elif edge.target not in state.computed:
            classes.append("waiting")
    return (
        f'<path class="{" ".join(classes)}" data-edge="{key[0]}:{key[1]}:{key[2]}" '
        f'd="{path_data(edge)}"/>'
    )


class _View:
    """What the nodes of one picture have in common."""

    def __init__(
        self, trace: Trace, state: Progress, stepping: bool, closed: set[int], found: Marks
    ) -> None:
        self.mini = True
        self.broken = found.nodes
        self.closed = closed
        self.state = state
        self.stepping = stepping
        self.carries = trace.carries
        self.targets = set(trace.targets)
        self.counts = state.pending if stepping else first_counts(trace.steps)
        self.sources = set(trace.sources)
        self.recorded = {step.node for step in trace.steps if step.kind == "forward"}
        self.sums = {step.node for step in trace.steps if step.old is not None}

    def node(self, node: Node, label: Label, centre: tuple[float, float]) -> str:
        """Write the group of one node; its transform depends on the layout alone."""
        x, y = number(centre[0] - label.width / 2), number(centre[1] - label.height / 2)
        return (
            f'<g class="{self._classes(node)}" data-node="{node.id}" '
            f'transform="translate({x} {y})">'
            f"<title>{escape(tooltip(node))}</title>{self._back(node, label)}{box(node, label)}"
            f"{self._inside(node, label)}"
            f"{badge(label) if node.id in self.sums else ''}"
            f"{counted(self.counts.get(node.id))}</g>"
        )

    def _classes(self, node: Node) -> str:
        classes = ["n", node.kind] + ["pictured"] * is_pictured(node)
        if node.kind == "op" and self.recorded and node.id not in self.recorded:
            classes.append("beside")
        if node.id in self.targets:
            classes.append("target")
        if node.id in self.sources:
            classes.append("asked")
        if node.id in self.closed:
            classes.append("group")
        if node.id in self.state.unconnected:
            classes.append("unconnected")
        if node.id in self.state.met:
            classes.append("accumulated")
        if node.id in self.broken:
            classes.append("broken")
        if self.stepping:
            classes += self._step_classes(node.id)
        return " ".join(classes)

    def _inside(self, node: Node, label: Label) -> str:
        """Title, then value and cotangent: as miniatures where these say more than text."""
        value, cotangent = self._value(node, label), self._cotangent(node, label)
        if not label.pictured:
            return texts_of(node, label, value, cotangent)
        known = self.state.cotangents.get(node.id)
        sign = cotangent if known is None else MARKS[self.carries].strip()
        width, second, height = picture_room(label)
        drawn = texts_of(node, label, "", sign, second - SIGN)
        if not self.mini:
            return drawn
        if value and node.value is not None:
            drawn += miniature(node.value, "value", (PADDING_X, PICTURE_DOWN), (width, height))
        if known is not None and label.cotangent:
            kind = "sum" if node.id in self.state.met else "cotangent"
            drawn += miniature(known, kind, (second, PICTURE_DOWN), (width, height))
        return drawn

    def _back(self, node: Node, label: Label) -> str:
        """Draw the borders of two more boxes behind a closed group's."""
        if node.id not in self.closed:
            return ""
        right, bottom = number(label.width), number(label.height)
        behind = [
            f'<path class="s" d="M{number(shift + 7)} {bottom}v{shift}H{right}'
            f'a{shift} {shift} 0 0 0 {shift}-{shift}V{number(shift + 7)}h-{shift}"/>'
            for shift in (7, 3.5)
        ]
        return "".join(behind)

    def _step_classes(self, node: int) -> Iterator[str]:
        step = self.state.current
        if node not in self.state.computed:
            yield "waiting"
        if node in self.state.released:
            yield "released"
        elif node in self.state.visited or node in self.state.cotangents:
            yield "done"
        if step is not None and node in (step.node, step.to):
            yield "now"
        if node in self.state.queue:
            yield "queued"

    def _value(self, node: Node, label: Label) -> str:
        return label.value if not self.stepping or node.id in self.state.computed else ""

    def _cotangent(self, node: Node, label: Label) -> str:
        if not self.stepping:
            return label.cotangent
        known = self.state.cotangents.get(node.id)
        is_broken = node.id in self.state.unconnected
        if known is None and not is_broken:
            return ""
        return cotangent_text(known, is_broken, self.carries)


# One node of the still picture: its box, its badge, its texts, and what the pointer is told.


def box(node: Node, label: Label) -> str:
    """Draw the box: ops rounded, sources like a pill, variables double, constants cornered."""
    radius = {"op": 7.0, "constant": 0.0}.get(node.kind, min(label.height / 2, 20.0))
    box = _rectangle("b", 0, label.width, label.height, radius)
    if node.kind == "variable":
        box += _rectangle("i", 3.5, label.width, label.height, radius)
    return box


def badge(label: Label) -> str:
    """Draw the sign of a node where paths meet, on its corner; shown from the step that adds."""
    x, y = number(label.width - BADGE_IN), number(BADGE_DOWN)
    circle = f'<circle cx="{x}" cy="{y}" r="{number(BADGE)}"/>'
    baseline = number(BADGE_DOWN + 4)
    return (
        f'<g class="badge">{circle}<text x="{x}" y="{baseline}" text-anchor="middle">Σ</text></g>'
    )


def _rectangle(name: str, inset: float, width: float, height: float, radius: float) -> str:
    place = f'x="{number(inset)}" y="{number(inset)}" ' if inset else ""
    corner = f' rx="{number(radius - inset)}"' if radius else ""
    return (
        f'<rect class="{name}" {place}width="{number(width - 2 * inset)}" '
        f'height="{number(height - 2 * inset)}"{corner}/>'
    )


def texts_of(
    node: Node, label: Label, value: str, cotangent: str, across: float = PADDING_X
) -> str:
    """Write title, note and shape on the first row, value on the second, cotangent on the third."""
    rows = [PADDING_Y + 10 + ROW * i for i in range(3)]
    left, right = number(PADDING_X), number(label.width - PADDING_X)
    text = f'<text class="t" x="{left}" y="{number(rows[0])}">{escape(label.title)}</text>'
    if label.note:
        beside = number(PADDING_X + (columns(label.title) * FONT_SIZE + SMALL_SIZE) * CHARACTER)
        text += f'<text x="{beside}" y="{number(rows[0])}">{escape(label.note)}</text>'
    if label.shape:
        end = f'y="{number(rows[0])}" text-anchor="end"'
        text += f'<text x="{right}" {end}>{escape(label.shape)}</text>'
    text += f'<text class="v" x="{left}" y="{number(rows[1])}">{escape(value)}</text>'
    if label.cotangent:
        x, y = number(across), number(rows[2] - (3 if label.pictured else 0))
        text += f'<text class="c" x="{x}" y="{y}">{escape(cotangent)}</text>'
    return text


def tooltip(node: Node) -> str:
    """Say everything about a node in a few lines, its name whole."""
    first = f"{node.name[:MAX_TOOLTIP]} = {node.op}" if node.name and node.op else ""
    lines = [printable(first or node.name[:MAX_TOOLTIP] or node.op or node.kind)]
    if node.formula is not None:
        lines.append(" = ".join(part for part in (node.formula.text, node.numbers) if part))
    elif node.numbers:
        lines.append(node.numbers)
    lines.append(f"{node.kind}, {node.dtype}, shape {list(node.shape)}")
    if node.value is not None:
        lines.append(f"value {node.value.text(400)}")
    if node.scope:
        lines.append("in " + " / ".join(node.scope))
    if node.line is not None:
        lines.append(f"{node.line.file}:{node.line.number}: {node.line.text.strip()}")
    return "\n".join(lines)


# Writes the marks of a picture as SVG: bands under everything, breaks and notes over it.


def under(found: Marks, placed: Layout) -> Iterator[str]:
    """Write what lies under the edges: a band round the nodes and edges of each nested scope.

    Outlines first, then fills: so overlapping pieces of one band are seen as one.
    """
    for band in found.bands:
        pieces = list(_pieces(band, placed))
        rim, inside = (f'<g class="{part}">{"".join(pieces)}</g>' for part in ("rim", "inside"))
        yield f'<g class="band tint-{band.tint}">{rim}{inside}'
        for node in band.nodes:
            (x, y), (width, height) = placed.positions[node], placed.sizes[node]
            place = f'x="{number(x - width / 2 - HALO + 2)}" y="{number(y - height / 2 + 10)}"'
            yield f"<text {place}>{band.letter}</text>"
        yield from _legend(band)
        yield "</g>"


def _pieces(band: Band, placed: Layout) -> Iterator[str]:
    for edge in band.edges:
        yield f'<path d="{path_data(edge)}"/>'
    for node in band.nodes:
        (x, y), (width, height) = placed.positions[node], placed.sizes[node]
        left, top = number(x - width / 2 - HALO), number(y - height / 2 - HALO)
        size = f'width="{number(width + 2 * HALO)}" height="{number(height + 2 * HALO)}"'
        yield f'<rect x="{left}" y="{top}" {size} rx="16"/>'


def _legend(band: Band) -> Iterator[str]:
    """Write the line that says what a band is."""
    left, top, _, _ = band.note.box
    size = f'width="{number(SWATCH)}" height="{number(band.note.box[3] - top)}" rx="6"'
    place = f'x="{number(left)}" y="{number(top)}"'
    yield f'<g class="rim"><rect {place} {size}/></g><g class="inside"><rect {place} {size}/></g>'
    baseline = f'y="{number(top + 14)}"'
    yield f'<text x="{number(left + SWATCH / 2 - 4)}" {baseline}>{band.letter}</text>'
    yield f'<text x="{number(left + SWATCH + GAP)}" {baseline}>{escape(band.note.text)}</text>'


def over(found: Marks) -> Iterator[str]:
    """Write what lies over the nodes: a cross at each break, with its note."""
    for which, ((x, y), note) in enumerate(zip(found.crosses, found.notes, strict=True)):
        left, top, right, bottom = note.box
        size = f'width="{number(right - left)}" height="{number(bottom - top)}"'
        centre = f'cx="{number(x)}" cy="{number(y)}"'
        yield f'<g class="break" data-break="{which}"><circle {centre} r="{number(CROSS + 2)}"/>'
        whole = number(CROSS + 1)
        start = f"M{number(x - CROSS / 2 - 0.5)} {number(y - CROSS / 2 - 0.5)}"
        yield f'<path d="{start}l{whole} {whole}m0-{whole}l-{whole} {whole}"/>'
        if note.text:
            yield f'<rect x="{number(left)}" y="{number(top)}" {size} rx="5"/>{_text(note)}'
        yield "</g>"


def _text(note: Note) -> str:
    left, top, _, _ = note.box
    return f'<text x="{number(left + GAP)}" y="{number(top + 14)}">{escape(note.text)}</text>'


def _frames(placed: Layout) -> Iterator[str]:
    """Write the boxes, outer ones first, under everything else."""
    for frame in placed.frames:
        left, top, width, height = frame.box
        place = f'x="{number(left)}" y="{number(top)}"'
        size = f'width="{number(width)}" height="{number(height)}" rx="9"'
        yield f'<rect class="frame {_kind(frame)}" {place} {size}/>'


def _over_frames(placed: Layout, head: str) -> Iterator[str]:
    """Write the labels of the boxes, over the edges that pass there, and the ways back."""
    for edge in placed.rounds:
        yield f'<path class="round" d="{path_data(edge)}" marker-end="url(#{head})"/>'
    for x, y in _corners_apart(placed):
        yield f'<text x="{number(x - 8)}" y="{number(y - 5)}" text-anchor="end">next round</text>'
    for frame in placed.frames:
        left, top, _, _ = frame.box
        text = shorten(frame.scope[-1], MAX_LABEL)
        width = number(SMALL_SIZE * CHARACTER * columns(text) + 16)
        yield (
            f'<g class="tab {_kind(frame)}"><rect x="{number(left)}" y="{number(top)}" '
            f'width="{width}" height="{number(TAB)}" rx="9"/>'
            f'<text x="{number(left + 8)}" y="{number(top + 14)}">{escape(text)}</text></g>'
        )


def _corners_apart(placed: Layout) -> list[Point]:
    """The lower right corner of each loop: the ways of its variables run side by side."""
    kept: list[Point] = []
    for x, y in sorted(map(_corner, placed.rounds)):
        if all(abs(x - a) > NEAR or abs(y - b) > NEAR for a, b in kept):
            kept.append((x, y))
    return kept


def _corner(edge: Edge) -> Point:
    """The lower right corner of a way back."""
    return max(x for x, _ in edge.points), max(y for _, y in edge.points)


def _kind(frame: Frame) -> str:
    """Programs stand at odd depths, their branches, conditions and bodies at even ones."""
    return "program" if len(frame.scope) % 2 else "part"
