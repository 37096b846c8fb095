"""Finds the font file of a face, and how wide its letters are.

The letters are those of DejaVu, which matplotlib brings along, so that every machine draws and
measures the same ones. Their widths are in a table, which needs no font.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from ..base.advice import getting
from ..errors import MissingExtraError
from .items import Run, Sheet, Text, flat

__all__ = [
    "FILES",
    "check_fonts",
    "font_file",
    "fonts",
    "natural_width",
    "pieces",
    "used",
    "widths",
]

FILES = {
    "sans": "DejaVuSans",
    "sans-bold": "DejaVuSans-Bold",
    "sans-italic": "DejaVuSans-Oblique",
    "mono": "DejaVuSansMono",
    "mono-bold": "DejaVuSansMono-Bold",
    "serif": "DejaVuSerif",
    "serif-bold": "DejaVuSerif-Bold",
    "serif-italic": "DejaVuSerif-Italic",
}
UNIT = 2048  # of the widths, to the size of letters

_WIDTHS = Path(__file__).with_name("widths.json")
_UNKNOWN = "\ufffd"


@functools.cache
def fonts() -> Mapping[str, Path]:
    """The font files by name; none where matplotlib is not installed."""
    found = find_spec("matplotlib")
    for place in (found.submodule_search_locations or ()) if found else ():
        folder = Path(place) / "mpl-data" / "fonts" / "ttf"
        files = {name: folder / f"{file}.ttf" for name, file in FILES.items()}
        if all(each.is_file() for each in files.values()):
            return files
    return {}


def check_fonts(ending: str) -> None:
    """Complain where there are no letters to draw with.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    if not fonts():
        raise MissingExtraError(
            f"{ending} needs the fonts of matplotlib, which is not installed; "
            f"{getting('matplotlib', 'export')}, or save an .svg, which a browser prints as PDF"
        )


def font_file(name: str) -> Path:
    """Where the letters of a font are.

    Args:
        name: such as "sans", "mono-bold" or "serif-italic".

    Raises:
        MissingExtraError: matplotlib is not installed.

    Example:
        >>> font_file("mono-bold").name
        'DejaVuSansMono-Bold.ttf'
    """
    check_fonts("A picture with its letters")
    return fonts()[name]


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


def used(sheets: Sequence[Sheet]) -> list[str]:
    """The fonts of all letters of some sheets: to read one takes a tenth of a second."""
    texts = [each for sheet in sheets for each in flat(sheet.items) if isinstance(each, Text)]
    return sorted({name for text in texts for run in text.runs for name, _ in pieces(run)})


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
        chr(code): width / UNIT
        for first, following in _table()[name].items()
        for code, width in enumerate(following, int(first))
    }


@functools.cache
def _table() -> dict[str, dict[str, list[int]]]:
    """Of each font, by the code of a letter, the widths of it and of those that follow it."""
    found: dict[str, dict[str, list[int]]] = json.loads(_WIDTHS.read_text("utf-8"))
    return found


def _font(run: Run) -> str:
    """The font of a run; faces have no bold italics, and what lacks a slant stands upright."""
    for style in ("-bold" if run.bold else "-italic" if run.italic else "", ""):
        if f"{run.face}{style}" in _table():
            return f"{run.face}{style}"
    return "sans"


def _elsewhere(letter: str) -> tuple[str, str]:
    return "sans", letter if letter in widths("sans") else _UNKNOWN
