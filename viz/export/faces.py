"""Finds the font file of a face, and how wide its letters are.

The files are in `fonts/`, so that every machine draws and measures the same letters. They are read
here with `struct` alone, for formats that need nothing installed measure, too.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from .items import Run, Text

__all__ = ["FONTS", "font_file", "natural_width", "pieces", "widths"]

FONTS = tuple(sorted((Path(__file__).parent / "fonts").glob("*.ttf")))

_NAMES = {path.stem: path for path in FONTS}
_UNKNOWN = "\ufffd"


def font_file(name: str) -> Path:
    """Where the letters of a font are.

    Args:
        name: such as "sans", "mono-bold" or "serif-italic".

    Example:
        >>> font_file("mono-bold").name
        'mono-bold.ttf'
    """
    return _NAMES[name]


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
    data = font_file(name).read_bytes()
    count = struct.unpack_from(">H", data, 4)[0]
    entries = (struct.unpack_from(">4sLLL", data, 12 + 16 * i) for i in range(count))
    tables = {tag: start for tag, _, start, _ in entries}
    unit = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
    long = struct.unpack_from(">H", data, tables[b"hhea"] + 34)[0]
    advances = struct.unpack_from(">" + "Hh" * long, data, tables[b"hmtx"])[::2]
    glyphs = _glyphs(data, tables[b"cmap"])
    return {chr(code): advances[min(glyph, long - 1)] / unit for code, glyph in glyphs.items()}


def _font(run: Run) -> str:
    """The font of a run; faces have no bold italics, and what lacks a slant stands upright."""
    for style in ("-bold" if run.bold else "-italic" if run.italic else "", ""):
        if f"{run.face}{style}" in _NAMES:
            return f"{run.face}{style}"
    return "sans"


def _elsewhere(letter: str) -> tuple[str, str]:
    return "sans", letter if letter in widths("sans") else _UNKNOWN


def _glyphs(data: bytes, start: int) -> dict[int, int]:
    """The glyph of each letter, from the table of format 4, which every font of ours has."""
    count = struct.unpack_from(">H", data, start + 2)[0]
    subtables = (struct.unpack_from(">HHL", data, start + 4 + 8 * i) for i in range(count))
    starts = (start + offset for _, _, offset in subtables)
    at = next(each for each in starts if data[each : each + 2] == b"\x00\x04")
    segments = struct.unpack_from(">H", data, at + 6)[0] // 2
    ends, firsts, deltas, ranges = (
        struct.unpack_from(f">{segments}H", data, at + 14 + 2 * segments * k + (2 if k else 0))
        for k in range(4)
    )
    found: dict[int, int] = {}
    for i, (first, last, delta, inside) in enumerate(
        zip(firsts, ends, deltas, ranges, strict=True)
    ):
        for code in range(first, last + 1):
            if inside:
                place = at + 16 + 6 * segments + 2 * i + inside + 2 * (code - first)
                glyph = struct.unpack_from(">H", data, place)[0] if code < 0xFFFF else 0
                glyph = (glyph + delta) % 65536 if glyph else 0
            else:
                glyph = (code + delta) % 65536
            if glyph:
                found[code] = glyph
    return found
