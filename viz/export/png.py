"""Writes a sheet as PNG: its SVG, drawn with our own letters.

Needs resvg-py, which no browser has: there the items are drawn on the browser's own canvas.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..base.advice import IN_A_BROWSER
from .canvas import canvas_png, check_canvas
from .faces import check_fonts, font_file, used
from .items import Sheet
from .needed import needed
from .svg import svg

__all__ = ["write"]

PIXELS = 96  # of CSS, to an inch


def write(sheets: Sequence[Sheet], theme: str = "light", *, dpi: float = 192) -> bytes:
    """The one sheet as a picture of pixels.

    Args:
        sheets: one.
        theme: "light", "dark" or "grey".
        dpi: pixels to an inch of the sheet.

    Raises:
        MissingExtraError: resvg-py is not installed, or a browser's Python reaches no canvas.
    """
    check()
    (sheet,) = sheets
    if IN_A_BROWSER:
        return canvas_png(sheet, theme, dpi / PIXELS)
    resvg = needed("resvg_py", ".png", "resvg-py")
    drawn = resvg.svg_to_bytes(
        svg_string=svg(sheet, theme), zoom=None, width=round(sheet.width * dpi / PIXELS),
        font_files=[str(font_file(name)) for name in used([sheet])], skip_system_fonts=True,
    )  # fmt: skip
    return bytes(drawn)


def check() -> None:
    """Raise where no PNG can be drawn."""
    if IN_A_BROWSER:
        check_canvas()
        return
    needed("resvg_py", ".png", "resvg-py")
    check_fonts(".png")
