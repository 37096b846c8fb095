"""A list of shapes, written as SVG, which every other format is made from.

A plot adds shapes in pixels to a `Canvas` and never asks where they end up. A shape with a name can
be moved by the page's script (see `exhibit`). Colours are names of `theme.LIGHT` (which follow dark
mode) or "#rrggbb".
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..layout.labels import CHARACTER, printable
from .png import Pixels, png_bytes
from .svg_text import escape, number
from .theme import DARK, FONT, LIGHT

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Style:
    """How a shape is filled and drawn; lengths in pixels, `dash` as in SVG ("4 3").

    Raises:
        ValueError: a colour is neither a name of the theme nor "#rrggbb" nor "none".
    """

    fill: str = "none"
    stroke: str = "none"
    width: float = 1.0
    dash: str = ""
    opacity: float = 1.0

    def __post_init__(self) -> None:
        for colour in (self.fill, self.stroke):
            if colour != "none" and colour not in LIGHT and not colour.startswith("#"):
                raise ValueError(
                    f"{colour!r} is no colour of the theme, so the picture would differ from format"
                    f' to format. Use "#rrggbb", "none" or one of {", ".join(LIGHT)}.'
                )


@dataclass(frozen=True, slots=True)
class Path:
    """Straight lines through points; `closed` joins the last to the first."""

    points: tuple[Point, ...]
    style: Style
    closed: bool = False
    name: str = ""
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around a point."""

    centre: Point
    radius: float
    style: Style
    name: str = ""


@dataclass(frozen=True, slots=True)
class Squares:
    """Many squares in one shape, each (centre x, centre y, side)."""

    places: tuple[tuple[float, float, float], ...]
    style: Style


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; `anchor` is start, middle or end, `turned` reads upwards."""

    place: Point
    text: str
    size: float = 12.0
    colour: str = "ink"
    anchor: str = "start"
    bold: bool = False
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Raster:
    """A picture of coloured cells, `pixels` of shape [rows, columns, 3], stretched over a box."""

    box: tuple[float, float, float, float]
    pixels: Pixels
    smooth: bool = False


Shape = Path | Circle | Squares | Text | Raster


@dataclass
class Canvas:
    """Shapes on a sheet of paper of a size in pixels.

    Example:
        >>> sheet = Canvas(40, 20, "a dot")
        >>> sheet.add(Circle((20, 10), 4, Style(fill="ink")))
        >>> sheet.svg().count("<circle")
        1
    """

    width: float
    height: float
    title: str
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        """Adds shapes above those that are there."""
        self.shapes.extend(shapes)

    def box(self, x: float, y: float, w: float, h: float, style: Style, tooltip: str = "") -> None:
        """Adds a rectangle."""
        corners = ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
        self.add(Path(corners, style, closed=True, tooltip=tooltip))

    def text(self, x: float, y: float, text: str, **options: Any) -> None:
        """Adds a line of text, without characters that no picture can show."""
        self.add(Text((x, y), printable(text), **options))

    def svg(self) -> str:
        """Writes the picture as SVG, complete in itself; it has no ids."""
        size = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        dark = ";".join(f"--mt-{name}:{value}" for name, value in DARK.items())
        paper = replace(_PAPER, points=_corners(0, 0, self.width, self.height))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{number(self.width)}" '
            f'height="{number(self.height)}" role="img"><title>{escape(self.title)}</title>'
            f"<style>@media(prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
            + "".join(_WRITERS[type(shape)](shape) for shape in (paper, *self.shapes))
            + "</svg>"
        )

    def move(self, places: Mapping[str, Sequence[float]]) -> None:
        """Moves named shapes, as the page's script does: two numbers a circle, more a path.

        Example:
            >>> sheet = Canvas(40, 20, "a dot")
            >>> sheet.add(Circle((20, 10), 4, Style(fill="ink"), name="dot"))
            >>> sheet.move({"dot": [5.0, 6.0]})
            >>> sheet.shapes[0].centre
            (5.0, 6.0)
        """
        self.shapes = [_moved(shape, places) for shape in self.shapes]


def text_width(text: str, size: float = 12.0) -> float:
    """How wide a text is at most, in pixels."""
    return len(text) * size * CHARACTER


def short_label(text: str, characters: int) -> str:
    """A text of at most so many characters."""
    text = printable(text)
    return text if len(text) <= characters else text[: characters - 1] + "…"


def moved_path(points: Sequence[Point]) -> list[float]:
    """The numbers that move a named path in the page, rounded as in the picture."""
    return [round(value, 1) for point in points for value in point]


def _moved(shape: Shape, places: Mapping[str, Sequence[float]]) -> Shape:
    if not isinstance(shape, Circle | Path) or shape.name not in places:
        return shape
    numbers = places[shape.name]
    if isinstance(shape, Circle):
        return replace(shape, centre=(numbers[0], numbers[1]))
    return replace(shape, points=tuple(zip(numbers[::2], numbers[1::2], strict=True)))


def _corners(x: float, y: float, w: float, h: float) -> tuple[Point, ...]:
    return ((x, y), (x + w, y), (x + w, y + h), (x, y + h))


_PAPER = Path((), Style(fill="paper"), closed=True)


def _paint(attribute: str, colour: str) -> str:
    """An attribute for programs without custom properties, and a style for dark mode."""
    if colour not in LIGHT:
        return f' {attribute}="{colour}"'
    plain = LIGHT[colour]
    return f' {attribute}="{plain}" style="{attribute}:var(--mt-{colour},{plain})"'


def _style(style: Style, name: str) -> str:
    both = _paint("fill", style.fill) + _paint("stroke", style.stroke)
    if both.count("style=") == 2:  # an element has one style attribute
        first, second = both.split(' style="')[1:]
        css = first.split('"')[0] + ";" + second.split('"')[0]
        both = f' fill="{LIGHT[style.fill]}" stroke="{LIGHT[style.stroke]}" style="{css}"'
    if style.stroke != "none" and style.width != 1:
        both += f' stroke-width="{style.width:g}"'
    both += f' stroke-dasharray="{style.dash}"' if style.dash else ""
    both += f' opacity="{style.opacity:g}"' if style.opacity != 1 else ""
    return both + (f' data-name="{name}"' if name else "")


def _path(shape: Path) -> str:
    points = "L".join(f"{number(x)} {number(y)}" for x, y in shape.points)
    data = f"M{points}{'z' * shape.closed}" if points else ""
    opening = f'<path d="{data}"{_style(shape.style, shape.name)}'
    return (
        f"{opening}><title>{escape(shape.tooltip)}</title></path>"
        if shape.tooltip
        else f"{opening}/>"
    )


def _squares(shape: Squares) -> str:
    corners = ((number(x - a / 2), number(y - a / 2), number(a)) for x, y, a in shape.places)
    data = "".join(f"M{x} {y}h{a}v{a}h-{a}z" for x, y, a in corners)
    return f'<path d="{data}"{_style(shape.style, "")}/>' if data else ""


def _circle(shape: Circle) -> str:
    x, y = shape.centre
    place = f'cx="{number(x)}" cy="{number(y)}" r="{number(shape.radius)}"'
    return f"<circle {place}{_style(shape.style, shape.name)}/>"


def _text(shape: Text) -> str:
    x, y = number(shape.place[0]), number(shape.place[1])
    turned = f' transform="rotate(-90 {x} {y})"' if shape.turned else ""
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    bold = ' font-weight="700"' if shape.bold else ""
    font = f'font-family="{FONT}" font-size="{shape.size:g}"'
    opening = f'<text x="{x}" y="{y}" {font}{anchor}{bold}{turned}{_paint("fill", shape.colour)}>'
    return f"{opening}{escape(shape.text)}</text>"


def _raster(shape: Raster) -> str:
    x, y, w, h = (number(value) for value in shape.box)
    data = base64.b64encode(png_bytes(shape.pixels)).decode()
    looks = "auto" if shape.smooth else "pixelated"
    return (
        f'<image x="{x}" y="{y}" width="{w}" height="{h}" preserveAspectRatio="none" '
        f'style="image-rendering:{looks}" href="data:image/png;base64,{data}"/>'
    )


_WRITERS: dict[type, Any] = {
    Path: _path,
    Circle: _circle,
    Squares: _squares,
    Text: _text,
    Raster: _raster,
}
