"""Finds the font file of a face, and how wide its letters are.

The files are in `fonts/`, so that every machine draws and measures the same letters. Their widths
are in a table beside them, which pages in a browser have without the fonts.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from .items import Run, Text

__all__ = ["FONTS", "font_file", "natural_width", "pieces", "widths"]

_FOLDER = Path(__file__).parent / "fonts"
FONTS = tuple(sorted(_FOLDER.glob("*.ttf")))  # none where they were left out, as in a browser
UNIT = 2048  # of the widths, to the size of letters

_UNKNOWN = "\ufffd"


def font_file(name: str) -> Path:
    """Where the letters of a font are.

    Args:
        name: such as "sans", "mono-bold" or "serif-italic".

    Example:
        >>> font_file("mono-bold").name
        'mono-bold.ttf'
    """
    return _FOLDER / f"{name}.ttf"


def pieces(run: Run) -> list[tuple[str, str]]:
    """The letters of a run with the fonts that have them.

    A letter that its own face lacks is taken of the sans serif one, and one that this lacks, too
    (Chinese, Arabic), is the sign for an unknown letter.

    Example:
        >>> pieces(Run("h✓", face="serif", italic=True))
        [('serif-italic', 'h'), ('sans', '✓')]
    """
    own = _font(run)
    found = ((own, letter) if letter in widths(own) else _elsewhere(letter) for letter in run.text)
    return [
        (name, "".join(letter for _, letter in letters))
        for name, letters in groupby(found, key=lambda each: each[0])
    ]


def natural_width(text: Text) -> float:
    """How wide the letters of a line are, before they are squeezed.

    Example:
        >>> round(natural_width(Text(0, 0, (Run("ab", face="mono"),), size=10.0)), 2)
        12.04
    """
    return sum(
        widths(name)[letter] * run.scale * text.size
        for run in text.runs
        for name, letters in pieces(run)
        for letter in letters
    )


@functools.cache
def widths(name: str) -> Mapping[str, float]:
    """The width of each letter of a font, as a share of its size.

    Example:
        >>> round(widths("mono")["x"], 3), "中" in widths("mono")
        (0.602, False)
    """
    return {
        letter: int(width) / UNIT for width, letters in _table()[name].items() for letter in letters
    }


@functools.cache
def _table() -> dict[str, dict[str, str]]:
    """Of each font the letters of each width."""
    found: dict[str, dict[str, str]] = json.loads((_FOLDER / "widths.json").read_text("utf-8"))
    return found


def _font(run: Run) -> str:
    """The font of a run; faces have no bold italics, and what lacks a slant stands upright."""
    for style in ("-bold" if run.bold else "-italic" if run.italic else "", ""):
        if f"{run.face}{style}" in _table():
            return f"{run.face}{style}"
    return "sans"


def _elsewhere(letter: str) -> tuple[str, str]:
    return "sans", letter if letter in widths("sans") else _UNKNOWN
