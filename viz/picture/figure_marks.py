"""Bands and breaks in a matplotlib picture, as `svg_marks` writes them; no import of matplotlib.

The axes' own patches and lines are used, so nothing is loaded here.
"""

from __future__ import annotations

from typing import Any

from ..layout import Edge, Layout
from ..layout.labels import SMALL_SIZE
from .marks import CROSS, GAP, HALO, SWATCH, Band, Marks, Note

FAMILIES = ["monospace", "DejaVu Sans"]
SAMPLES = 12  # points on each curve
Colours = dict[str, str]


def draw_bands(axes: Any, found: Marks, placed: Layout, colours: Colours) -> None:
    """Draw what lies under everything: outlines first, then fills, as in the SVG."""
    for band in found.bands:
        names = (f"band-{band.tint}-line", 1.5), (f"band-{band.tint}", 0.0)
        for name, rim in names:
            _pieces(axes, band, placed, colours[name], rim)
        for node in band.nodes:
            (x, y), (width, height) = placed.positions[node], placed.sizes[node]
            _text(axes, x - width / 2 - HALO + 2, y - height / 2 + 10, band.letter, colours["ink"])
        left, top, _, bottom = band.note.box
        for name, rim in names:
            _rectangle(axes, (left, top, left + SWATCH, bottom), colours[name], rim)
        _text(axes, left + SWATCH / 2 - 4, top + 14, band.letter, colours["ink"])
        _text(axes, left + SWATCH + GAP, top + 14, band.note.text, colours["ink"])


def _pieces(axes: Any, band: Band, placed: Layout, colour: str, rim: float) -> None:
    for edge in band.edges:
        xs, ys = zip(*on_curve(edge), strict=True)
        style = {"color": colour, "linewidth": 24 + 2 * rim, "solid_capstyle": "round"}
        axes.plot(xs, ys, scalex=False, scaley=False, zorder=0.5, **style)
    for node in band.nodes:
        (x, y), (width, height) = placed.positions[node], placed.sizes[node]
        across, down = width / 2 + HALO, height / 2 + HALO
        _rectangle(axes, (x - across, y - down, x + across, y + down), colour, rim)


def _rectangle(axes: Any, box: tuple[float, float, float, float], colour: str, rim: float) -> None:
    left, top, right, bottom = box
    xs = [left - rim, right + rim, right + rim, left - rim]
    ys = [top - rim, top - rim, bottom + rim, bottom + rim]
    for patch in axes.fill(xs, ys, facecolor=colour, edgecolor="none", zorder=0.5):
        patch.set_joinstyle("round")


def on_curve(edge: Edge) -> list[tuple[float, float]]:
    """Points on the Bezier curves of an edge."""
    points = [edge.points[0]]
    for start in range(0, len(edge.points) - 1, 3):
        corners = edge.points[start : start + 4]
        for i in range(1, SAMPLES + 1):
            t = i / SAMPLES
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            pairs = list(zip(weights, corners, strict=True))
            points.append((sum(w * p[0] for w, p in pairs), sum(w * p[1] for w, p in pairs)))
    return points


def draw_breaks(axes: Any, found: Marks, colours: Colours) -> None:
    """Draw a cross at each break, and its note."""
    for (x, y), note in zip(found.crosses, found.notes, strict=True):
        style = {"scalex": False, "scaley": False, "zorder": 5, "color": colours["broken"]}
        disc = {"marker": "o", "markersize": 2 * CROSS + 4, "markerfacecolor": colours["paper"]}
        axes.plot([x], [y], markeredgewidth=2, **disc, **style)
        arm = CROSS / 2 + 0.5
        for turn in (1, -1):
            xs, ys = [x - arm, x + arm], [y - turn * arm, y + turn * arm]
            axes.plot(xs, ys, linewidth=3, solid_capstyle="round", **style)
        if note.text:
            _note(axes, note, colours)


def _note(axes: Any, note: Note, colours: Colours) -> None:
    left, top, right, bottom = note.box
    xs, ys = [left, right, right, left], [top, top, bottom, bottom]
    style = {"facecolor": colours["broken-soft"], "edgecolor": colours["broken"]}
    axes.fill(xs, ys, linewidth=1.5, zorder=4, **style)
    _text(axes, left + GAP, top + 14, note.text, colours["broken"])


def _text(axes: Any, x: float, y: float, text: str, colour: str) -> None:
    style = {"family": FAMILIES, "weight": "bold", "parse_math": False, "zorder": 6}
    axes.text(x, y, text, fontsize=SMALL_SIZE, color=colour, **style)
