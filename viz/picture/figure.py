"""PNG, PDF and GIF by matplotlib, from the same layout, texts and colours as the SVG.

Matplotlib is imported when a picture is drawn, never before; without pyplot, so a program's own
figures and its backend are left alone.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..base.advice import getting
from ..errors import MissingExtraError
from ..layout import Edge, Layout, layout
from ..layout.labels import (
    BADGE,
    BADGE_DOWN,
    BADGE_IN,
    CHARACTER,
    FONT_SIZE,
    PADDING_X,
    PADDING_Y,
    ROW,
    SMALL_SIZE,
    Label,
    columns,
    cotangent_text,
    labels,
)
from ..trace.progress import Progress, progress
from ..trace.trace import Node, Trace
from .counts import strip
from .figure_frames import draw_counts, draw_frames, draw_strip, draw_tabs
from .figure_marks import draw_bands, draw_breaks
from .marks import Marks, marks
from .theme import DARK, LIGHT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS_PER_INCH = 72.0
MAX_PIXELS = 30_000
MAX_SIDE = 14_000.0
FAMILIES = ["monospace", "DejaVu Sans"]  # The second has the letters that the first lacks.


def figure(
    trace: Trace, placed: Layout | None = None, step: int | None = None, dark: bool = False
) -> Figure:
    """Draw a trace as a matplotlib figure of its natural size.

    Args:
        trace: What to draw.
        placed: Its layout; computed when not given.
        step: As in `viz.picture.svg.svg`.
        dark: Use the dark colours.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ValueError: The picture would be larger than a bitmap can be.
    """
    figure_class = _matplotlib().figure.Figure
    placed = layout(trace) if placed is None else placed
    if max(placed.width, placed.height) > MAX_SIDE:
        shown = f"{placed.width:.0f} x {placed.height:.0f} points"
        message = f"a picture of {shown} is too large (at most {MAX_SIDE:.0f} a side)"
        raise ValueError(f"{message}; save it as .svg, or play it: viz.step(tape, y, x)")
    colours = DARK if dark else LIGHT
    found = marks(trace, placed)
    left, top, right, bottom = found.box
    state = progress(trace, step)
    lines = strip(trace, state, step is not None)
    right, bottom = max(right, left + lines.width), bottom + lines.height
    size = ((right - left) / POINTS_PER_INCH, (bottom - top) / POINTS_PER_INCH)
    drawing: Figure = figure_class(figsize=size, facecolor=colours["paper"])
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.axis("off")
    draw_frames(axes, placed, colours)
    draw_bands(axes, found, placed, colours)
    painter = _Painter(axes, trace, state, step is not None, colours, found)
    for edge in placed.edges:
        painter.edge(edge)
    draw_tabs(axes, placed, colours)
    for node, label in zip(trace.nodes, labels(trace), strict=True):
        painter.node(node, label, placed.positions[node.id])
    draw_breaks(axes, found, colours)
    draw_counts(axes, trace, placed, state, step is not None, colours)
    draw_strip(axes, lines, left, bottom, colours)
    return drawing


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.patches
        import matplotlib.path
    except ImportError as error:
        message = "PNG, PDF, GIF and plots are drawn by matplotlib, which is not installed"
        raise MissingExtraError(
            f"{message}; {getting('matplotlib')}, or export SVG, which needs nothing"
        ) from error
    return matplotlib


class _Painter:
    """Draws one picture on one axes, in points of the layout."""

    def __init__(
        self, axes: Any, trace: Trace, state: Progress, stepping: bool, colours: dict[str, str],
        found: Marks,
    ) -> None:  # fmt: skip
        self.found = found
        self.axes = axes
        self.trace = trace
        self.state = state
        self.stepping = stepping
        self.colours = colours
        self.matplotlib = _matplotlib()

    def edge(self, edge: Edge) -> None:
        """Draw one curve with its arrow: forward, or backward where a cotangent went."""
        path = self.matplotlib.path.Path
        key = (edge.source, edge.target, edge.position)
        used = self.stepping and key in self.state.used
        step = self.state.current
        now = used and step is not None and (step.to, step.node, step.position) == key
        style = "<|-" if used and self.trace.carries == "cotangents" else "-|>"
        broken = key in self.found.edges
        dashes: Any = "-" if self.trace.nodes[edge.source].watched else (0, (1.3, 2.6))
        patch = self.matplotlib.patches.FancyArrowPatch(
            path=path(edge.points, [path.MOVETO] + [path.CURVE4] * (len(edge.points) - 1)),
            arrowstyle=f"{style},head_length=0.5,head_width=0.25",
            mutation_scale=12,
            linewidth=4 if now else 3 if broken else 2.25 if used else 1.5,
            linestyle=(0, (1, 2)) if broken else dashes,
            color=self.colours["now-line" if used else "broken" if broken else "edge"],
            alpha=self._opacity(edge.target),
            shrinkA=0,
            shrinkB=0,
        )
        self.axes.add_patch(patch)

    def _opacity(self, node: int) -> float:
        if not self.stepping:
            return 1.0
        return 1.0 if node in self.state.computed else 0.35

    def node(self, node: Node, label: Label, centre: tuple[float, float]) -> None:
        """Draw one box with its texts."""
        left, top = centre[0] - label.width / 2, centre[1] - label.height / 2
        fade = 0.5 if self.stepping and node.id in self.state.released else self._opacity(node.id)
        self._box(node, label, left, top, fade)
        rows = [top + PADDING_Y + 10 + ROW * i for i in range(3)]
        x, ink, muted = left + PADDING_X, self.colours["ink"], self.colours["muted"]
        self._text(x, rows[0], label.title, FONT_SIZE, ink, fade, weight="bold")
        beside = x + (columns(label.title) * FONT_SIZE + SMALL_SIZE) * CHARACTER
        self._text(beside, rows[0], label.note, SMALL_SIZE, muted, fade)
        end = left + label.width - PADDING_X
        self._text(end, rows[0], label.shape, SMALL_SIZE, muted, fade, align="right")
        if not self.stepping or node.id in self.state.computed:
            self._text(x, rows[1], label.value, SMALL_SIZE, ink, fade)
        shown = self._cotangent(node.id, label)
        colour = self.colours["broken" if node.id in self.state.unconnected else "cotangent"]
        self._text(x, rows[2], shown, SMALL_SIZE, colour, fade, weight="bold")
        if node.id in self.state.met:
            self._badge(left + label.width - BADGE_IN, top + BADGE_DOWN)

    def _badge(self, x: float, y: float) -> None:
        """Draw the sign of a node where paths have met."""
        fill, paper = self.colours["variable-line"], self.colours["paper"]
        style = {"facecolor": fill, "edgecolor": paper, "lw": 1.5, "zorder": 3}
        self.axes.add_patch(self.matplotlib.patches.Circle((x, y), BADGE, **style))
        self.axes.text(
            x, y + 4, "Σ", fontsize=SMALL_SIZE, color=paper, ha="center", va="baseline",
            family=FAMILIES, weight="bold", zorder=4,
        )  # fmt: skip

    def _cotangent(self, node: int, label: Label) -> str:
        if not self.stepping:
            return label.cotangent
        known, is_broken = self.state.cotangents.get(node), node in self.state.unconnected
        if not known and not is_broken:
            return ""
        return cotangent_text(known, is_broken, self.trace.carries)

    def _box(self, node: Node, label: Label, left: float, top: float, fade: float) -> None:
        kind: str = "target" if node.id in self.trace.targets else node.kind
        fill, line, width = self.colours[kind], self.colours[f"{kind}-line"], 1.5
        dashes: Any = (0, (3, 2.2)) if node.kind == "constant" else "-"
        step = self.state.current
        if kind == "target":
            width = 3
        if self.stepping and step is not None and node.id in (step.node, step.to):
            fill, line, width = self.colours["now"], self.colours["now-line"], 4
        if node.id in self.found.nodes or node.id in self.state.unconnected:
            line, width, dashes = self.colours["broken"], 4, (0, (2.2, 1.2))
        radius = {"op": 7.0, "constant": 0.0}.get(node.kind, min(label.height / 2, 20.0))
        frame = (left, top, label.width, label.height)
        self._rounded(frame, radius, fade, facecolor=fill, edgecolor=line, lw=width, ls=dashes)
        if node.kind == "variable":
            inner = (left + 3.5, top + 3.5, label.width - 7, label.height - 7)
            self._rounded(inner, radius - 3.5, fade, facecolor="none", edgecolor=line, lw=1)

    def _rounded(
        self, frame: tuple[float, float, float, float], radius: float, fade: float, **style: Any
    ) -> None:
        x, y, width, height = frame
        form = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        patch = self.matplotlib.patches.FancyBboxPatch(
            (x, y), width, height, boxstyle=form, alpha=fade, **style
        )
        self.axes.add_patch(patch)

    def _text(
        self, x: float, y: float, text: str, size: float, colour: str, fade: float,
        weight: str = "normal", align: str = "left",
    ) -> None:  # fmt: skip
        if text:
            self.axes.text(
                x, y, text, fontsize=size, color=colour, alpha=fade,
                family=FAMILIES, weight=weight, ha=align, va="baseline",
                parse_math=False,
            )  # fmt: skip


def bitmap(drawing: Figure, dpi: float = 144) -> bytes:
    """Write a figure as PNG bytes."""
    width, height = drawing.get_size_inches()
    dpi = min(dpi, MAX_PIXELS / max(width, height))
    stream = io.BytesIO()
    drawing.savefig(stream, format="png", dpi=dpi, metadata={"Software": None})
    return stream.getvalue()


def portable_document(drawing: Figure) -> bytes:
    """Write a figure as PDF bytes; the same figure gives the same bytes."""
    stream = io.BytesIO()
    drawing.savefig(stream, format="pdf", metadata={"CreationDate": None})
    return stream.getvalue()


def animation(
    trace: Trace,
    placed: Layout | None = None,
    steps: Iterable[int] | None = None,
    seconds: float = 0.8,
    dpi: float = 96,
) -> bytes:
    """Write the steps as GIF bytes, one frame each.

    Args:
        trace: What to draw.
        placed: Its layout; computed when not given.
        steps: Which steps; all when not given.
        seconds: How long each frame stands; the last one stands three times as long.
        dpi: Pixels per inch.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ValueError: There is no step to show.
    """
    _matplotlib()
    from PIL import Image  # Matplotlib depends on Pillow.

    placed = layout(trace) if placed is None else placed
    chosen = list(range(len(trace.steps)) if steps is None else steps)
    if not chosen:
        raise ValueError("there is no step to show: record a gradient first, or export a PNG")
    frames = []
    for step in chosen:
        drawn = Image.open(io.BytesIO(bitmap(figure(trace, placed, step), dpi)))
        frames.append(drawn.convert("RGB").quantize(64, dither=Image.Dither.NONE))
    duration = [round(seconds * 1000)] * (len(frames) - 1) + [round(seconds * 3000)]
    stream = io.BytesIO()
    frames[0].save(
        stream, format="GIF", save_all=True, append_images=frames[1:], duration=duration, loop=0
    )
    return stream.getvalue()
