"""A sheet: six kinds of items, which every writer draws, and nothing else.

A sheet is laid out at its final size. Lengths are CSS pixels (96 to an inch), `y` grows downward,
and nothing is scaled afterwards. Colours are names of the palette (`viz/picture/theme.py`), so that
a theme can be chosen when a sheet is written; one that is computed from a number is "#rrggbb", in
every theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

__all__ = [
    "Group", "Image", "Item", "Look", "Path", "Rect", "Run", "Sheet", "Text", "flat", "scaled",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """How a shape is painted; a colour without a name paints nothing.

    Attributes:
        fill: the palette's name of the colour inside.
        stroke: the palette's name of the colour of the line.
        line: the width of the line in pixels.
        dash: lengths of dashes and gaps; empty for a whole line.
        opacity: from 0 to 1, of all of it.
    """

    fill: str = ""
    stroke: str = ""
    line: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle; `x` and `y` are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    look: Look
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Path:
    """Lines and cubic curves, with arrowheads where asked.

    Attributes:
        points: first (x, y), then each (x, y) or, for a curve, (x1, y1, x2, y2, x, y).
        look: its colours and line.
        closed: whether its end is joined to its start.
        head: whether an arrowhead stands at its end.
        tail: whether an arrowhead stands at its start.
    """

    points: tuple[tuple[float, ...], ...]
    look: Look
    closed: bool = False
    head: bool = False
    tail: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Letters in one face.

    Attributes:
        text: the letters.
        face: "sans", "mono" or "serif".
        bold: whether they are bold.
        italic: whether they are italic.
        colour: the palette's name of their colour.
        scale: their size as a share of that of the line.
        rise: how far they stand above the baseline, as a share of the size of the line.
        math: whether they are an expression, which TeX sets as mathematics.
    """

    text: str
    face: str = "sans"
    bold: bool = False
    italic: bool = False
    colour: str = "ink"
    scale: float = 1.0
    rise: float = 0.0
    math: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """One line of runs.

    Attributes:
        x: where it is anchored.
        y: its baseline.
        runs: the letters.
        size: in pixels.
        anchor: "start", "middle" or "end".
        width: what was measured when it was laid out; a writer whose letters are wider squeezes
            them to it.
        turned: by how many degrees it leans upward, about its anchor; 90 reads upward.
    """

    x: float
    y: float
    runs: tuple[Run, ...]
    size: float
    anchor: str = "start"
    width: float = 0.0
    turned: float = 0.0

    @property
    def plain(self) -> str:
        """Its letters without their looks."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class Image:
    """Coloured cells, stretched over a box.

    Attributes:
        x: its upper left corner.
        y: its upper left corner.
        width: in pixels of the sheet.
        height: in pixels of the sheet.
        png: the cells, as `viz.picture.png` writes them.
    """

    x: float
    y: float
    width: float
    height: float
    png: bytes


@dataclass(frozen=True, slots=True)
class Group:
    """Items that belong together (a matrix, a node): one group on a slide, one scope in TikZ.

    Attributes:
        name: what a screen reader and PowerPoint's list of objects call it.
        items: at places that are counted from the group's own.
        x: the place of the group.
        y: the place of the group.
    """

    name: str
    items: tuple[Item, ...]
    x: float = 0.0
    y: float = 0.0


Item = Rect | Path | Text | Image | Group


@dataclass(frozen=True, slots=True)
class Sheet:
    """One picture, page or slide.

    Attributes:
        width: in pixels.
        height: in pixels.
        items: what is drawn, the later above the earlier.
        title: the sentence of the step: the title of a slide, the alternative text of a picture.
        notes: what is said in words besides, for the notes of a slide.
        seconds: how long one reads it.
    """

    width: float
    height: float
    items: tuple[Item, ...]
    title: str = ""
    notes: str = ""
    seconds: float = 2.0


def flat(
    items: tuple[Item, ...], x: float = 0.0, y: float = 0.0
) -> Iterator[Rect | Path | Text | Image]:
    """Every item at its place on the sheet, for writers without groups.

    Example:
        >>> inner = Group("a", (Rect(1.0, 2.0, 3.0, 4.0, Look("soft")),), x=10.0)
        >>> [each.x for each in flat((inner,))]
        [11.0]
    """
    for item in items:
        match item:
            case Group():
                yield from flat(item.items, x + item.x, y + item.y)
            case Path():
                yield replace(item, points=tuple(_moved(point, x, y) for point in item.points))
            case _:
                yield replace(item, x=item.x + x, y=item.y + y)


def _moved(point: tuple[float, ...], x: float, y: float) -> tuple[float, ...]:
    return tuple(value + (y if i % 2 else x) for i, value in enumerate(point))


def scaled(item: Item, by: float) -> Item:
    """An item at another size, before it is placed on a sheet.

    Example:
        >>> scaled(Rect(1.0, 2.0, 3.0, 4.0, Look("soft")), 2.0).width
        6.0
    """
    match item:
        case Group():
            inner = tuple(scaled(each, by) for each in item.items)
            return replace(item, items=inner, x=item.x * by, y=item.y * by)
        case Path():
            points = tuple(tuple(value * by for value in point) for point in item.points)
            return replace(item, points=points, look=_thicker(item.look, by))
        case Text():
            return replace(
                item, x=item.x * by, y=item.y * by, size=item.size * by, width=item.width * by
            )
        case _:
            place = {name: getattr(item, name) * by for name in ("x", "y", "width", "height")}
            if isinstance(item, Rect):
                look = _thicker(item.look, by)
                return replace(item, **place, radius=item.radius * by, look=look)
            return replace(item, **place)


def _thicker(look: Look, by: float) -> Look:
    return replace(look, line=look.line * by, dash=tuple(part * by for part in look.dash))
