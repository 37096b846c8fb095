"""Gives the outlines of letters, for pictures that need no font where they are read.

Lengths are shares of the size of the letters, `y` grows downward.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from .faces import font_file, natural_width, pieces, widths
from .items import Text
from .needed import needed

__all__ = ["Outline", "check_outlines", "letters_of", "outline"]

Outline = tuple[tuple[float, ...], ...]  # of each line: its points, a curve with its handles


def check_outlines(ending: str) -> None:
    """Raise where outlines cannot be read.

    Raises:
        MissingExtraError: fontTools or matplotlib, which has the fonts, is not installed.
    """
    needed("fontTools.pens.basePen", f"{ending} with fonts='paths'", "fonttools")
    font_file("sans")


@functools.cache
def _font(name: str) -> tuple[Any, Any, float]:
    font = needed("fontTools.ttLib", "fonts='paths'", "fonttools").TTFont(font_file(name))
    return font.getGlyphSet(), font.getBestCmap(), font["head"].unitsPerEm


@functools.cache
def _pen() -> Any:
    """What draws the letters of a font with cubic curves."""
    base = needed("fontTools.pens.basePen", "fonts='paths'", "fonttools").BasePen

    class Pen(base):  # type: ignore[misc, valid-type]  # fontTools is loaded when it is needed
        def __init__(self, glyphs: Any) -> None:
            super().__init__(glyphs)
            self.lines: list[list[tuple[float, ...]]] = []

        def _moveTo(self, point: Any) -> None:  # noqa: N802  # names of fontTools
            self.lines.append([point])

        def _lineTo(self, point: Any) -> None:  # noqa: N802
            self.lines[-1].append(point)

        def _curveToOne(self, first: Any, second: Any, point: Any) -> None:  # noqa: N802
            self.lines[-1].append((*first, *second, *point))

    return Pen


@functools.cache
def outline(name: str, letter: str) -> tuple[Outline, ...]:
    """The closed lines of a letter of a font; none of a blank."""
    glyphs, numbers, unit = _font(name)
    pen = _pen()(glyphs)
    if ord(letter) in numbers:
        glyphs[numbers[ord(letter)]].draw(pen)
    return tuple(
        tuple(
            tuple((-value if i % 2 else value) / unit for i, value in enumerate(point))
            for point in line
        )
        for line in pen.lines
    )


def letters_of(text: Text) -> Iterator[tuple[str, str, float, float, float, str]]:
    """Of each letter of a line its font, itself, its place, its size and its colour."""
    natural = natural_width(text)
    x = text.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * natural
    for run in text.runs:
        size, y = text.size * run.scale, text.y - run.rise * text.size
        for name, letters in pieces(run):
            for letter in letters:
                yield name, letter, x, y, size, run.colour
                x += widths(name)[letter] * size
