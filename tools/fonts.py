"""Makes the fonts of printed pictures: eight faces of DejaVu with the letters that pictures use.

Takes DejaVu 2.37 from matplotlib, and leaves out hints, kerning and the scripts that no picture
writes. `python tools/fonts.py` writes `viz/export/fonts`; the files are in the repository, so that
pages, PDF and pictures have the same letters on every machine. `widths.json` has how wide they are,
for what only measures.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont

TO = Path(__file__).parents[1] / "viz" / "export" / "fonts"
FROM = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
FACES = {
    "sans": "DejaVuSans",
    "sans-bold": "DejaVuSans-Bold",
    "sans-italic": "DejaVuSans-Oblique",
    "mono": "DejaVuSansMono",
    "mono-bold": "DejaVuSansMono-Bold",
    "serif": "DejaVuSerif",
    "serif-bold": "DejaVuSerif-Bold",
    "serif-italic": "DejaVuSerif-Italic",
}
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
    """Write every face, and the licence."""
    options = subset.Options(hinting=False, layout_features=[], glyph_names=False)
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    for name, file in FACES.items():
        font = subset.load_font(str(FROM / f"{file}.ttf"), options)
        smaller = subset.Subsetter(options)
        smaller.populate(
            unicodes=[code for first, last in LETTERS for code in range(first, last + 1)]
        )
        smaller.subset(font)
        font.save(TO / f"{name}.ttf")
    table = {name: widths(TTFont(TO / f"{name}.ttf")) for name in FACES}
    (TO / "widths.json").write_text(json.dumps(table, ensure_ascii=False, indent=0), "utf-8")
    (TO / "LICENSE").write_bytes((FROM / "LICENSE_DEJAVU").read_bytes())


def widths(font: TTFont) -> dict[int, str]:
    """The letters of each width, in 2048ths of the size."""
    assert font["head"].unitsPerEm == 2048
    found: dict[int, str] = defaultdict(str)
    for code, name in sorted(font.getBestCmap().items()):
        found[font["hmtx"][name][0]] += chr(code)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    main()
