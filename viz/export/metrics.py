"""How wide a text is when it is laid out.

The letters are those of DejaVu Sans, Mono and Serif, the widest of the usual faces, so that what
was laid out with them fits in the letters of a paper or a slide, too.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable

from .faces import pieces, widths
from .items import Run

WIDE = 1.05  # letters of two columns, which the faces lack


def line_width(runs: Iterable[Run], size: float) -> float:
    """The width of a line of runs.

    Example:
        >>> round(line_width((Run("ab", "mono"), Run("2", "mono", scale=0.5)), 10.0), 2)
        15.05
    """
    return size * sum(
        run.scale * width_of(run.text, run.face, run.bold, run.italic) for run in runs
    )


@functools.lru_cache(1 << 14)
def width_of(text: str, face: str = "sans", bold: bool = False, italic: bool = False) -> float:
    """The width of a text of size 1.

    Example:
        >>> round(width_of("ab", "mono"), 3), width_of("iii") < width_of("mmm")
        (1.204, True)
    """
    own = sum(
        widths(name)[letter]
        for name, letters in pieces(Run(text, face, bold, italic))
        for letter in letters
    )
    return own if text.isascii() else own + sum(map(_more, text))


def _more(letter: str) -> float:
    """What a letter that is wider than the sign for an unknown one needs besides."""
    wide = unicodedata.east_asian_width(letter) in "WF" and letter not in widths("sans")
    return max(WIDE - widths("sans")["\ufffd"], 0.0) if wide else 0.0
