"""Saves steps of a trace as pictures: which steps, which element, on which sheet.

Everything that can be wrong is found out before anything is drawn, and a file appears whole or not
at all.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.files import write_whole
from ...export.saving import (
    Format,
    check_installed,
    ending_of,
    format_of,
    length,
    ratio,
    written,
)  # fmt: skip
from ...export.svg import svg
from ...export.theme import colours
from ..scene.meeting import place
from ..scene.steps import Scenes
from .sheets import SHOWS, Sheets, Size

if TYPE_CHECKING:
    from ...export.items import Sheet
    from ...trace.trace import Trace

SLIDE, PAPER = "13.33in", "154mm"
BY_ENDING: Any = object()  # an aspect of None is a choice, too
Steps = tuple[int, int] | range | Sequence[int]


def save(
    trace: Trace,
    path: str | os.PathLike[str],
    step: int | None = None,
    at: int | Sequence[int] | None = None,
    *,
    steps: Steps | None = None,
    shows: str | Sequence[str] = SHOWS,
    width: str | float | None = None,
    aspect: str | float | None = BY_ENDING,
    theme: str = "light",
    **options: Any,
) -> Path:
    """Write steps as a picture; see `Player.save`."""
    ending = ending_of(path)
    format = format_of(path, theme, options.get("fonts"))
    size = size_of(shows, width, aspect, ending)
    scenes = Scenes(trace)
    numbers = chosen(scenes, step, steps, ending, format)
    element = element_of(scenes, numbers, at)
    check_installed(ending)
    sheets = Sheets(scenes, size).of(numbers, element)
    title = trace.title or None
    return write_whole(path, written(format, sheets, ending, theme, title=title, **options))


def size_of(
    shows: str | Sequence[str], width: str | float | None, aspect: Any, ending: str = ".svg"
) -> Size:
    """How large sheets are, and what is on them.

    Raises:
        ValueError: One of the three is none such.
    """
    names = tuple(part.strip() for part in shows.split(",")) if isinstance(shows, str) else (
        tuple(shows)
    )  # fmt: skip
    unknown = [name for name in names if name not in SHOWS]
    if unknown or not names:
        got = repr(unknown[0])[:40] if unknown else "nothing"
        raise ValueError(
            f"shows={got} is not a part of a step; write one or several of "
            f"{', '.join(map(repr, SHOWS))}, such as shows='proof'"
        )
    on_paper = ending == ".tex"
    wide = length(width if width is not None else PAPER if on_paper else SLIDE)
    if aspect is BY_ENDING:
        aspect = None if on_paper or "graph" not in names else "16:9"
    by = ratio(aspect)
    return Size(wide, None if by is None else round(wide / by, 2), names)


def chosen(
    scenes: Scenes, step: int | None, steps: Steps | None, ending: str, format: Format
) -> list[int]:
    """The numbers of the steps to show, each of which exists.

    Raises:
        ValueError: The format shows one step and none or several were named, or there are none.
        IndexError: There is no such step.
    """
    last = len(scenes) - 1
    if last < 1:
        raise ValueError(
            "this player has no steps to show; record a program with a tape and ask for its "
            "gradient: viz.step(tape, y, x)"
        )
    if step is not None and steps is not None:
        raise ValueError(
            f"step={step!r:.40} and steps={steps!r:.40} were both given; write one of them"
        )
    if step is not None:
        return [checked(step, last)]
    if steps is not None:
        if isinstance(steps, tuple) and len(steps) == 2:
            first, end = (checked(each, last) for each in steps)
            if end < first:
                raise ValueError(f"steps={steps} run backward; write steps=({end}, {first})")
            numbers = list(range(first, end + 1))
        else:
            numbers = [checked(each, last) for each in steps]
        if not numbers:
            raise ValueError(f"steps={steps!r:.40} names no step; write steps=(1, {last})")
    else:
        numbers = list(range(1, last + 1))
    if format.single and len(numbers) > 1:
        said = "none was named" if steps is None else f"{len(numbers)} were named"
        raise ValueError(
            f"a {ending} shows one step and {said}; write step={min(last, 14)} (1 to {last}), or "
            "end in .pdf for all"
        )
    return numbers


def checked(step: Any, last: int, argument: str = "step") -> int:
    """The number of a step, from 1 to `last`; the argument that it was given as is for the errors.

    Raises:
        TypeError: It is not a number.
        IndexError: There is no such step.
    """
    if isinstance(step, bool) or not hasattr(step, "__index__"):
        raise TypeError(
            f"{argument}={step!r:.40} is not a number of a step; write an integer from 1 to {last}"
        )
    number = int(step.__index__())
    if not 1 <= number <= last:
        raise IndexError(
            f"there is no step {number}: a player counts its steps from 1, and this one has "
            f"{last}; write {argument}={min(max(number, 1), last)}"
        )
    return number


def element_of(
    scenes: Scenes, numbers: Sequence[int], at: int | Sequence[int] | None
) -> int | None:
    """The element that is worked out, counted row by row; None for the one that says most.

    Raises:
        IndexError: The result of a step has no such element.
        ValueError: Several steps are shown, or the step works nothing out.
    """
    if at is None:
        return None
    given = (at,) if isinstance(at, int) else tuple(at)
    if len(numbers) > 1:
        raise ValueError(
            f"at={_said(given)} is an element of one step and {len(numbers)} are shown; write "
            f"step={numbers[0]} beside it"
        )
    number = numbers[0]
    shape = scenes.workings.of(scenes.steps[number - 1]).shape
    if not shape:
        raise IndexError(
            f"there is no element {_said(given)}: the result of step {number} is a number, or is "
            "not recorded as a whole; leave out at"
        )
    inside = len(given) == len(shape) and all(
        0 <= index < size for index, size in zip(given, shape, strict=True)
    )
    if not inside:
        last = tuple(size - 1 for size in shape)
        raise IndexError(
            f"there is no element {_said(given)}: the result of step {number} is {list(shape)}; "
            f"at={_said(last)} is its last"
        )
    flat = 0
    for index, size in zip(given, shape, strict=True):
        flat = flat * size + int(index)
    assert place(shape, flat) == tuple(map(int, given))
    return flat


def _said(at: Sequence[int]) -> str:
    return f"({', '.join(map(str, at))}{',' * (len(at) == 1)})"


class StepPicture:
    """One step as a picture: shows itself in a notebook, and saves itself.

    Args:
        trace: what was recorded.
        step: the number of the step, as a player counts.
        at: an element of its result.
        shows: "sentence", "graph", "proof", or several of them.
        width: the real width, such as "154mm".
        aspect: width to height, such as "16:9"; None for a height that follows.
        theme: "light", "dark" or "grey".
    """

    def __init__(
        self, trace: Trace, step: int, at: int | Sequence[int] | None = None, *,
        shows: str | Sequence[str] = SHOWS, width: str | float | None = None,
        aspect: Any = BY_ENDING, theme: str = "light",
    ) -> None:  # fmt: skip
        colours(theme)
        size = size_of(shows, width, aspect)
        scenes = Scenes(trace)
        (number,) = chosen(scenes, step, None, ".svg", Format("svg", single=True))
        self.sheet: Sheet = Sheets(scenes, size).of([number], element_of(scenes, [number], at))[0]
        self.theme = theme
        self._trace = trace
        self._asked: dict[str, Any] = {
            "step": step, "at": at, "shows": shows, "width": width, "aspect": aspect,
        }  # fmt: skip

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return svg(self.sheet, self.theme)

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the picture in the format of the path's ending; see `Player.save`."""
        return save(self._trace, path, **{**self._asked, "theme": self.theme, **options})

    def __repr__(self) -> str:
        return f"<Picture of step {self._asked['step']}: {self.sheet.title}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        data = base64.b64encode(self.svg.encode()).decode()
        title = self.sheet.title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
        html = (
            f'<img src="data:image/svg+xml;base64,{data}" alt="{title}" '
            'style="max-width:100%;height:auto">'
        )
        return {"text/plain": repr(self), "text/html": html}
