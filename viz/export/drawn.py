"""Saves whatever has a picture, by the ending of the file's name: one way for all of them.

What a thing can be is known before any work is done, so an ending, an argument or a package that is
missing is refused first, and no file is left.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base.files import check_place, write_whole
from ..picture.png import pixels_of, png_bytes
from .items import Group, Image, Item, Sheet, Text, flat, scaled
from .saving import ENDINGS, FORMATS, check_installed, format_of, length, listed, written
from .waiting import counted

__all__ = ["Drawn", "chosen", "drawing", "drawn_bytes", "save_drawn"]

MAX_SIDE = 14_000.0  # pixels of a page: more is no page, and no bitmap
SMALLEST = 28 / 3  # 7 points, in pixels
PAPER, SLIDE = 582.0, (1280.0, 720.0)  # the widest of a paper's columns; a slide
MOST = 2.2  # how much a small picture is enlarged on a slide
BORDER, THIN_BORDER = 40.0, 8.0  # of a slide


@dataclass(frozen=True, slots=True)
class Drawn:
    """Something that has a picture.

    Attributes:
        what: what it is called, such as "a curve".
        sheet: draws it.
        frames: draws it in motion, for a film; None where it does not move.
        own: what it writes itself, by ending: a page, its numbers; what leads comes first.
        slide: draws it for a slide, where that is another shape; as `sheet` where it is None.
    """

    what: str
    sheet: Callable[[], Sheet]
    frames: Callable[[], Sequence[Sheet]] | None = None
    own: Mapping[str, Callable[[], str | bytes]] = field(default_factory=dict)
    slide: Callable[[], Sheet] | None = None

    @property
    def endings(self) -> tuple[str, ...]:
        """What it can be saved as."""
        films = () if self.frames is not None else (".gif", ".mp4")
        return tuple(
            dict.fromkeys([*list(self.own)[:1], *(e for e in FORMATS if e not in films), *self.own])
        )


def save_drawn(
    drawn: Drawn,
    path: str | os.PathLike[str],
    *,
    width: str | float | None = None,
    theme: str = "light",
    dpi: float | None = None,
    fonts: str | None = None,
    seconds: float | None = None,
) -> Path:
    """Write a picture in the format of the file's ending.

    Args:
        drawn: what is saved.
        path: the file; its folder must exist. It appears whole or not at all.
        width: the width that the picture will have, such as "120mm"; its own where it is None. A
            slide is as wide as slides are.
        theme: "light", "dark" or "grey".
        dpi: pixels to an inch, where the picture has pixels.
        fonts: for .svg: "names" for the reader's own fonts, "embed" to bring the letters along;
            for .svg and .pdf: "paths" for outlines of letters, which need no font.
        seconds: how long a film shows each frame.

    Returns:
        The path.

    Raises:
        ValueError: The ending is none that it can be, or an argument is none that exports have.
        FileNotFoundError: The folder does not exist.
        MissingExtraError: A package that the format needs is not installed.
    """
    ending = _ending(drawn, path)
    asked = (width, dpi, fonts, seconds) != (None,) * 4 or theme != "light"
    if ending in drawn.own and not (asked and ending in FORMATS):
        check_place(path)
        return write_whole(path, drawn.own[ending]())
    format_of(path, theme, fonts)
    wide = None if width is None else length(width)
    content = drawn_bytes(
        drawn, ending, wide=wide, theme=theme, dpi=dpi, fonts=fonts, seconds=seconds
    )
    return write_whole(path, content)


def drawn_bytes(
    drawn: Drawn, ending: str, *, wide: float | None = None, theme: str = "light", **options: Any
) -> Any:
    """The content of a file; the arguments are known to be right.

    Args:
        drawn: what is saved.
        ending: of the file.
        wide: its width in pixels; its own where it is None.
        theme: "light", "dark" or "grey".
        options: see `save_drawn`.
    """
    check_installed(ending)
    moves = ending in (".gif", ".mp4") and drawn.frames is not None
    still = drawn.slide if ending == ".pptx" and drawn.slide is not None else drawn.sheet
    drawing = drawn.frames if moves and drawn.frames is not None else lambda: [still()]
    sheets = [_at(sheet, ending, wide, drawn.what) for sheet in drawing()]
    if theme == "grey":
        sheets = [replace(each, items=tuple(map(_grey, each.items))) for each in sheets]
    return written(FORMATS[ending], sheets, ending, theme, **options)


def _ending(drawn: Drawn, path: str | os.PathLike[str]) -> str:
    try:
        name, ending = Path(path).name, Path(path).suffix.lower()
    except TypeError:
        check_place(path)  # which says why it is no path
        raise
    known = drawn.endings
    if ending == ".htm" and ".html" in known:
        return ".html"
    if ending in known:
        return ending
    if ending in (".gif", ".mp4"):
        said = f"{drawn.what} does not move, so it cannot be a {ending[1:].upper()}"
    elif ending in ENDINGS:
        said = f"{drawn.what} cannot be written as {ending}"
    else:
        said = f"no format has the ending {ending[:20]!r}"
    raise ValueError(f"cannot save {name[-60:]!r}: {said}; choose one of {listed(known)}")


def _at(sheet: Sheet, ending: str, wide: float | None, what: str) -> Sheet:
    """The sheet at the size that it will have."""
    side = max(sheet.width, sheet.height)
    if side > MAX_SIDE and ending not in (".svg", ".tex"):
        shown = f"{sheet.width:.0f} x {sheet.height:.0f} points"
        raise ValueError(
            f"a picture of {shown} is too large (at most {MAX_SIDE:.0f} a side); save it as .svg, "
            "or play it: viz.step(tape, y, x)"
        )
    if ending == ".pptx":
        return _on_slide(sheet)
    least = _least(sheet)
    if wide is None:
        wide = sheet.width
        if ending == ".tex" and wide > PAPER:
            wide = min(wide, max(PAPER, sheet.width * SMALLEST / least))
    by = wide / sheet.width
    if by * least < min(SMALLEST, least) - 1e-6:
        needed = sheet.width * SMALLEST / least * 25.4 / 96
        raise ValueError(
            f"at this width the smallest letters of {what} would have {by * least * 0.75:.1f} "
            f'points, and 7 are needed to read them; write width="{needed + 0.5:.0f}mm" or more'
        )
    return sheet if by == 1.0 else _resized(sheet, by)


def _least(sheet: Sheet) -> float:
    """The size of its smallest letters."""
    texts = [item for item in flat(sheet.items) if isinstance(item, Text)]
    return min((min(run.scale for run in each.runs) * each.size for each in texts), default=1e9)


def _resized(sheet: Sheet, by: float) -> Sheet:
    items = tuple(scaled(item, by) for item in sheet.items)
    return replace(sheet, width=sheet.width * by, height=sheet.height * by, items=items)


def _on_slide(sheet: Sheet) -> Sheet:
    """The sheet in the middle of a slide, as large as it fits; small letters take its border."""
    least, by = _least(sheet), 0.0
    for border in (BORDER, THIN_BORDER):
        if by * least < SMALLEST:
            room = (SLIDE[0] - 2 * border, SLIDE[1] - 2 * border)
            by = min(room[0] / sheet.width, room[1] / sheet.height, MOST)
    small = _resized(sheet, by)
    place = ((SLIDE[0] - small.width) / 2, (SLIDE[1] - small.height) / 2)
    return replace(small, width=SLIDE[0], height=SLIDE[1], items=(
        Group(sheet.title or "picture", small.items, *place),
    ))  # fmt: skip


def _grey(item: Item) -> Item:
    """An item whose cells are as light as before, without hue."""
    if isinstance(item, Group):
        return replace(item, items=tuple(map(_grey, item.items)))
    if not isinstance(item, Image):
        return item
    pixels = pixels_of(item.png)
    light = (pixels @ np.array([0.2126, 0.7152, 0.0722])).round().astype(np.uint8)
    return replace(item, png=png_bytes(light[..., None].repeat(3, axis=2)))


def chosen(frames: Sequence[Any], most: int) -> list[Any]:
    """At most so many of them, evenly, the first and the last among them.

    Example:
        >>> chosen([0, 1, 2, 3, 4, 5], 3)
        [0, 2, 5]
    """
    if len(frames) <= most:
        return list(frames)
    return [frames[round(place)] for place in np.linspace(0, len(frames) - 1, most)]


def drawing(frames: Sequence[Any], draw: Callable[[Any], Sheet]) -> list[Sheet]:
    """The sheets of a film; a long one is counted on the terminal."""
    return [draw(each) for each in counted(frames, len(frames), "drawing")]
