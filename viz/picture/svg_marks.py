"""Writes the marks of a picture as SVG: bands under everything, breaks and notes over it."""

from __future__ import annotations

from collections.abc import Iterator

from ..layout import Layout
from .marks import CROSS, GAP, HALO, SWATCH, Band, Marks, Note
from .svg_text import escape, number, path_data


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
