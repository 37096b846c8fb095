"""Writes the marks of a picture as SVG: bands under everything, breaks and notes over it.

Imports `marks`, `layout`, `svg_text`.
"""

from __future__ import annotations

from collections.abc import Iterator

from .layout import Layout
from .marks import CROSS, GAP, HALO, Marks, Note
from .svg_text import escape, number, path_data


def under(found: Marks, placed: Layout) -> Iterator[str]:
    """Write what lies under the edges: a band round the nodes and edges of each nested scope."""
    for band in found.bands:
        yield '<g class="band">'
        for edge in band.edges:
            yield f'<path class="hem" d="{path_data(edge)}"/>'
        for node in band.nodes:
            (x, y), (width, height) = placed.positions[node], placed.sizes[node]
            left, top = number(x - width / 2 - HALO), number(y - height / 2 - HALO)
            size = f'width="{number(width + 2 * HALO)}" height="{number(height + 2 * HALO)}"'
            yield f'<rect x="{left}" y="{top}" {size} rx="16"/>'
        yield f'</g><g class="scope">{_text(band.note)}</g>'


def over(found: Marks) -> Iterator[str]:
    """Write what lies over the nodes: a cross at each break, with its note."""
    for (x, y), note in zip(found.crosses, found.notes, strict=True):
        left, top, right, bottom = note.box
        size = f'width="{number(right - left)}" height="{number(bottom - top)}"'
        centre = f'cx="{number(x)}" cy="{number(y)}"'
        yield f'<g class="break"><circle {centre} r="{number(CROSS + 2)}"/>'
        whole = number(CROSS + 1)
        start = f"M{number(x - CROSS / 2 - 0.5)} {number(y - CROSS / 2 - 0.5)}"
        yield f'<path d="{start}l{whole} {whole}m0-{whole}l-{whole} {whole}"/>'
        if note.text:
            yield f'<rect x="{number(left)}" y="{number(top)}" {size} rx="5"/>{_text(note)}'
        yield "</g>"


def _text(note: Note) -> str:
    left, top, _, _ = note.box
    return f'<text x="{number(left + GAP)}" y="{number(top + 14)}">{escape(note.text)}</text>'
