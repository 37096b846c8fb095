"""Draws the boxes of a graph's programs, and the ways from a loop's body to its next round."""

from __future__ import annotations

from collections.abc import Iterator

from ..layout import Edge, Frame, Layout, Point
from ..layout.labels import CHARACTER, SMALL_SIZE, columns, shorten
from .svg_text import escape, number, path_data

TAB = 20.0
MAX_LABEL = 40
NEAR = 60.0  # between ways of one loop


def frames(placed: Layout) -> Iterator[str]:
    """Write the boxes, outer ones first, under everything else."""
    for frame in placed.frames:
        left, top, width, height = frame.box
        place = f'x="{number(left)}" y="{number(top)}"'
        size = f'width="{number(width)}" height="{number(height)}" rx="9"'
        yield f'<rect class="frame {kind_of(frame)}" {place} {size}/>'


def over_frames(placed: Layout, head: str) -> Iterator[str]:
    """Write the labels of the boxes, over the edges that pass there, and the ways back."""
    for edge in placed.rounds:
        yield f'<path class="round" d="{path_data(edge)}" marker-end="url(#{head})"/>'
    for x, y in corners_apart(placed):
        yield f'<text x="{number(x - 8)}" y="{number(y - 5)}" text-anchor="end">next round</text>'
    for frame in placed.frames:
        left, top, _, _ = frame.box
        text = shorten(frame.scope[-1], MAX_LABEL)
        width = number(SMALL_SIZE * CHARACTER * columns(text) + 16)
        yield (
            f'<g class="tab {kind_of(frame)}"><rect x="{number(left)}" y="{number(top)}" '
            f'width="{width}" height="{number(TAB)}" rx="9"/>'
            f'<text x="{number(left + 8)}" y="{number(top + 14)}">{escape(text)}</text></g>'
        )


def corners_apart(placed: Layout) -> list[Point]:
    """The lower right corner of each loop: the ways of its variables run side by side."""
    kept: list[Point] = []
    for x, y in sorted(map(_corner, placed.rounds)):
        if all(abs(x - a) > NEAR or abs(y - b) > NEAR for a, b in kept):
            kept.append((x, y))
    return kept


def _corner(edge: Edge) -> Point:
    """The lower right corner of a way back."""
    return max(x for x, _ in edge.points), max(y for _, y in edge.points)


def kind_of(frame: Frame) -> str:
    """Programs stand at odd depths, their branches, conditions and bodies at even ones."""
    return "program" if len(frame.scope) % 2 else "part"
