"""Which ending of a file's name is which format, and what is checked before any work.

A format is looked up here by its ending and loaded only then, so a format whose package is missing
is missed by nobody else.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.files import check_place
from . import png, svg
from .items import Sheet
from .needed import needed
from .theme import colours

__all__ = [
    "ENDINGS", "FORMATS", "Format", "check_installed", "format_of", "length", "listed", "ratio",
    "written",
]  # fmt: skip

PIXELS = 96.0  # of CSS, to an inch
UNITS = {"in": PIXELS, "mm": PIXELS / 25.4, "cm": PIXELS / 2.54, "pt": PIXELS / 72, "px": 1.0}
LEAST, MOST = 150.0, 10_000.0  # pixels


@dataclass(frozen=True, slots=True)
class Format:
    """A format of pictures.

    Attributes:
        module: what writes it.
        single: whether it shows one step.
        needs: pairs of a module and its package that have to be there.
        extra: the extra of minitape that has them.
        fonts: the ways in which it can have its letters, where one may choose.
    """

    module: str
    single: bool = False
    needs: tuple[tuple[str, str], ...] = ()
    extra: str = "export"
    fonts: tuple[str, ...] = ()


_PNG = (("resvg_py", "resvg-py"),)
_FILM = (*_PNG, ("PIL", "pillow"))
FORMATS = {
    ".svg": Format("svg", single=True, fonts=("names", "embed", "paths")),
    ".png": Format("png", single=True, needs=_PNG),
    ".pdf": Format("pdf", needs=(("fpdf", "fpdf2"),), fonts=("embed", "paths")),
    ".tex": Format("tikz", single=True),
    ".pptx": Format("pptx", needs=(("pptx", "python-pptx"),)),
    ".gif": Format("film", needs=_FILM),
    ".mp4": Format("film", needs=_FILM),
}
ENDINGS = (".html", *FORMATS, ".json")


def format_of(
    path: str | os.PathLike[str], theme: str = "light", fonts: str | None = None
) -> Format:
    """The format of a file, after the arguments that concern every step were checked.

    Args:
        path: of the file; its ending says which format.
        theme: of the picture.
        fonts: how it has its letters.

    Raises:
        ValueError: The ending is none of those that are written, there is no such theme, or the
            format does not have its letters so.
        FileNotFoundError: The folder does not exist.
    """
    ending = ending_of(path)
    check_place(path)
    colours(theme)
    svg.check(fonts or "names")
    found = FORMATS[ending]
    if fonts is not None and fonts not in found.fonts:
        has = " or ".join(f"fonts={each!r}" for each in found.fonts)
        raise ValueError(
            f"a {ending} has no fonts={fonts!r}: "
            + (f"write {has}" if has else "leave fonts out, or end in .svg or .pdf")
        )
    return found


def check_installed(ending: str) -> None:
    """Complain, before any work is done, where a format cannot be written here.

    Args:
        ending: of the file.

    Raises:
        MissingExtraError: A package that the format needs is not installed.
    """
    found = FORMATS[ending]
    if ("resvg_py", "resvg-py") in found.needs:
        png.check()
    for module, package in found.needs:
        if module != "resvg_py":
            needed(module, ending, package, found.extra)
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        needed("imageio_ffmpeg", ending, "imageio-ffmpeg", "film")


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending of a path, if something writes it.

    Raises:
        TypeError: It is no path.
        ValueError: Nothing writes files of that ending.

    Example:
        >>> ending_of("step.SVG")
        '.svg'
        >>> ending_of("step.jpeg")
        Traceback (most recent call last):
        ...
        ValueError: 'step.jpeg' ends in .jpeg, which no export writes; end in .html, .svg, .png, \
.pdf, .tex, .pptx, .gif, .mp4 or .json
    """
    try:
        name = Path(path).name
    except TypeError:
        check_place(path)  # which says why it is no path
        raise
    ending = Path(path).suffix.lower()
    if ending in ENDINGS or ending == ".htm":
        return ending
    has = f"ends in {ending[:20]}, which no export writes" if ending else "has no ending"
    raise ValueError(f"{name[-60:]!r} {has}; end in {listed(ENDINGS)}")


def listed(endings: Sequence[str]) -> str:
    """Endings in a sentence.

    Example:
        >>> listed([".svg", ".png", ".pdf"])
        '.svg, .png or .pdf'
    """
    return " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))


def length(said: str | float, what: str = "width") -> float:
    """A length in pixels of CSS, 96 to an inch.

    Args:
        said: "154mm", "13.33in", "12cm", "440pt", "1280px", or a number of pixels.
        what: its name, for the message.

    Raises:
        ValueError: It is no length, or not between 40 mm and 2.6 m.

    Example:
        >>> length("50.8mm") == length("2in") == length(192)
        True
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(in|mm|cm|pt|px)?\s*", str(said))
    if found is None or isinstance(said, bool):
        raise ValueError(
            f"{what}={said!r:.60} is no length; write a number with its unit, such as "
            f'{what}="154mm" (units: {", ".join(UNITS)})'
        )
    pixels = float(found[1]) * UNITS[found[2] or "px"]
    if not LEAST <= pixels <= MOST:
        side = "too narrow for letters that can be read" if pixels < LEAST else "wider than paper"
        raise ValueError(
            f'{what}={said!r:.60} is {side}; write a length from 40 mm, such as {what}="154mm"'
        )
    return pixels


def ratio(said: str | float | None) -> float | None:
    """Width over height; None where the height follows from what is shown.

    Raises:
        ValueError: It is none.

    Example:
        >>> ratio("16:9") == 16 / 9, ratio(None)
        (True, None)
    """
    if said is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(?:[:/]\s*(\d+(?:\.\d*)?))?\s*", str(said))
    value = float(found[1]) / (float(found[2] or 1) or 1e9) if found else 0.0
    if not 0.2 <= value <= 5.0:
        raise ValueError(
            f"aspect={said!r:.40} is no shape of a page; write width to height, such as "
            'aspect="16:9" or "4:3", or aspect=None for a height that follows'
        )
    return value


def written(
    format: Format, sheets: Sequence[Sheet], ending: str, theme: str, **options: Any
) -> str | bytes:
    """A file's content.

    Args:
        format: which writes it.
        sheets: what is drawn.
        ending: of the file, for a module that writes several.
        theme: of the picture.
        options: what was asked for besides; a format takes what matters to it.
    """
    module = importlib.import_module(f".{format.module}", __package__)
    known = inspect.signature(module.write).parameters
    given = {"ending": ending, **options}
    chosen = {name: value for name, value in given.items() if name in known and value is not None}
    result: str | bytes = module.write(sheets, theme, **chosen)
    return result
