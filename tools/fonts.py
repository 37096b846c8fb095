"""Makes the table of how wide letters are: of the faces of DejaVu, those that pictures write.

Takes DejaVu 2.37 from matplotlib. `python tools/fonts.py` writes `viz/export/widths.json`, for what
measures without a font.
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib
from fontTools.ttLib import TTFont

from minitape.viz.export.faces import FILES

TO = Path(__file__).parents[1] / "viz" / "export" / "widths.json"
FROM = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
LETTERS = [
    (0x20, 0x7E), (0xA0, 0x17F),  # Latin
    (0x300, 0x36F),  # accents that stand above the letter before
    (0x370, 0x3FF), (0x400, 0x45F),  # Greek, Cyrillic
    (0x1D2C, 0x1D6A), (0x2000, 0x20CF),  # raised letters, punctuation, raised and lowered digits
    (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF),  # letters as signs, arrows, mathematics
    (0x2308, 0x230B), (0x23CE, 0x23CE), (0x27E6, 0x27EB),  # brackets
    (0x2500, 0x25FF), (0x2605, 0x2606), (0x26A0, 0x26A0), (0x2713, 0x2718), (0xFB00, 0xFB04),
    (0xFFFD, 0xFFFD),
]  # fmt: skip


def main() -> None:
    """Write the table."""
    table = {name: widths(TTFont(FROM / f"{file}.ttf")) for name, file in FILES.items()}
    TO.write_text(json.dumps(table, separators=(",", ":")) + "\n", "utf-8")


def widths(font: TTFont) -> dict[int, list[int]]:
    """The widths of letters that follow each other, in 2048ths of the size, by the first's code."""
    assert font["head"].unitsPerEm == 2048
    found: dict[int, list[int]] = {}
    start = before = -1
    for code, name in sorted(font.getBestCmap().items()):
        if any(first <= code <= last for first, last in LETTERS):
            start = start if code == before + 1 else code
            found.setdefault(start, []).append(font["hmtx"][name][0])
            before = code
    return found


if __name__ == "__main__":
    main()
