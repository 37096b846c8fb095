"""Reads the SVG of a picture as a sheet, so that it can be written in every other format.

It reads what this package draws (`viz/picture`, and the plots) and no more: boxes, circles, paths,
texts, images and groups that are moved, with the rules of a style sheet for classes. A colour of
the palette stays a name, so the sheet can have any theme.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree

from .items import Group, Image, Item, Look, Path, Rect, Run, Sheet, Text
from .metrics import line_width

__all__ = ["sheet_of"]

_SPACE = "{http://www.w3.org/2000/svg}"
_INHERITED = frozenset(
    [
        "fill",
        "stroke",
        "stroke-width",
        "stroke-dasharray",
        "font-size",
        "font-weight",
        "text-anchor",
        "marker-start",
        "marker-end",
    ]
)
_FIRST = {"fill": "#000000", "stroke": "none", "stroke-width": "1", "font-size": "12"}
_QUARTER = 0.5522847498  # how far the handles of a curve stand that is a quarter of a circle
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

Style = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule of a style sheet: what an element and some around it have to be."""

    parts: tuple[tuple[str, frozenset[str]], ...]  # a tag ("" for any) and classes, outermost first
    style: Style
    weight: tuple[int, int, int]

    def fits(self, line: Sequence[tuple[str, frozenset[str]]]) -> bool:
        """Whether it is about the last of some elements, each of which is in the one before."""
        *outer, own = self.parts
        if not _is(line[-1], own):
            return False
        rest = list(line[:-1])
        for part in reversed(outer):
            while rest and not _is(rest[-1], part):
                rest.pop()
            if not rest:
                return False
            rest.pop()
        return True


def sheet_of(svg: str, *, notes: str = "", seconds: float = 2.0) -> Sheet:
    """The picture as a sheet of the same size.

    Args:
        svg: what a picture of this package has as `.svg`.
        notes: what is said in words besides.
        seconds: how long one looks at it.

    Example:
        >>> drawn = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="8"><rect x="1" '
        >>> sheet_of(drawn + 'y="2" width="3" height="4" fill="#ff0000"/></svg>').items[0].look.fill
        '#ff0000'
    """
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    left, top = map(float, root.get("viewBox", f"0 0 {width} {height}").split()[:2])
    reader = _Reader(_rules("".join(each.text or "" for each in root.iter(f"{_SPACE}style"))))
    items = tuple(reader.items(root, [("svg", frozenset())], _FIRST, 1.0))
    paper = Rect(0.0, 0.0, width, height, Look("paper"))
    items = tuple(each for each in items if each != paper)  # every writer begins with it
    if left or top:
        items = (Group("picture", items, -left, -top),)
    title = root.findtext(f"{_SPACE}title") or ""
    return Sheet(width, height, items, title, notes, seconds)


class _Reader:
    """What reads the elements of one picture by the rules of its style sheet."""

    def __init__(self, rules: Sequence[_Rule]) -> None:
        self.rules = rules

    def items(
        self, element: Any, line: list[tuple[str, frozenset[str]]], style: Style, opacity: float
    ) -> Iterator[Item]:
        for child in element:
            tag = str(child.tag).removeprefix(_SPACE)
            own = [*line, (tag, frozenset((child.get("class") or "").split()))]
            found = self._style(child, own, style)
            if found.get("display") == "none":
                continue
            clear = opacity * float(found.get("opacity", "1"))
            if tag == "g":
                x, y = _place(child.get("transform") or "")
                inner = tuple(self.items(child, own, found, clear))
                if inner:
                    yield Group(_name(child), inner, x, y)
            elif tag in _SHAPES:
                yield from _SHAPES[tag](child, found, clear)

    def _style(self, element: Any, line: list[tuple[str, frozenset[str]]], outer: Style) -> Style:
        found = {name: outer[name] for name in outer if name in _INHERITED}
        found |= {name: value for name, value in element.attrib.items() if name != "style"}
        for rule in self.rules:
            if rule.fits(line):
                found |= rule.style
        return found | _declared(element.get("style") or "")


def _is(element: tuple[str, frozenset[str]], wanted: tuple[str, frozenset[str]]) -> bool:
    return wanted[0] in ("", element[0]) and wanted[1] <= element[1]


def _rules(sheet: str) -> list[_Rule]:
    """The rules for light paper, the one that counts most last."""
    plain = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", sheet)
    found = []
    for order, (selectors, body) in enumerate(re.findall(r"([^{}]+)\{([^{}]*)\}", plain)):
        for selector in selectors.split(","):
            parts = []
            for each in selector.split():
                tag, *classes = each.split(".")
                if not tag.startswith("#"):  # the picture itself
                    parts.append((tag, frozenset(classes)))
            weight = (sum(len(c) for _, c in parts), sum(tag != "" for tag, _ in parts), order)
            found.append(_Rule(tuple(parts), _declared(body), weight))
    return sorted((rule for rule in found if rule.parts), key=lambda rule: rule.weight)


def _declared(body: str) -> dict[str, str]:
    """The declarations of a rule; of `font` the size is taken."""
    found: dict[str, str] = {}
    for each in body.split(";"):
        name, colon, value = each.partition(":")
        if not colon:
            continue
        if name == "font":
            found["font-size"] = value.split("px")[0].split()[-1]
        else:
            found[name.strip()] = value.strip()
    return found


def _colour(value: str) -> str:
    """A name of the palette where there is one, else "#rrggbb"; "" for none."""
    named = re.match(r"var\(--mt-([\w-]+)", value)
    return named[1] if named else "" if value == "none" else value


def _look(style: Style, opacity: float) -> Look:
    stroke = _colour(style.get("stroke", "none"))
    dash = tuple(map(float, _NUMBER.findall(style.get("stroke-dasharray", ""))))
    line = _pixels(style.get("stroke-width", "1"))
    return Look(_colour(style.get("fill", "none")), stroke, line, dash if stroke else (), opacity)


def _pixels(value: str) -> float:
    return float(value.removesuffix("px"))


def _name(group: Any) -> str:
    said = group.get("aria-label") or group.findtext(f"{_SPACE}title") or group.get("class") or ""
    return str(said).split("\n")[0][:60] or "group"


def _place(transform: str) -> tuple[float, float]:
    found = re.match(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", transform)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


# One kind of element each.


def _rect(element: Any, style: Style, opacity: float) -> Iterator[Item]:
    x, y, width, height, radius = (
        float(element.get(name, "0")) for name in ("x", "y", "width", "height", "rx")
    )
    yield Rect(x, y, width, height, _look(style, opacity), min(radius, width / 2, height / 2))


def _circle(element: Any, style: Style, opacity: float) -> Iterator[Item]:
    x, y, radius = (float(element.get(name, "0")) for name in ("cx", "cy", "r"))
    yield Rect(x - radius, y - radius, 2 * radius, 2 * radius, _look(style, opacity), radius)


def _image(element: Any, style: Style, opacity: float) -> Iterator[Item]:
    x, y, width, height = (float(element.get(name)) for name in ("x", "y", "width", "height"))
    data = element.get("href").partition("base64,")[2]
    yield Image(x, y, width, height, base64.b64decode(data))


def _text(element: Any, style: Style, opacity: float) -> Iterator[Item]:
    letters = "".join(element.itertext())
    if not letters.strip():
        return
    x, y = float(element.get("x", "0")), float(element.get("y", "0")) + float(element.get("dy", 0))
    size = _pixels(style["font-size"])
    bold = style.get("font-weight", "400") in ("600", "700", "bold")
    run = Run(letters, "mono", bold, colour=_colour(style["fill"]) or "ink")
    turn = re.match(r"rotate\((-?[\d.]+)", element.get("transform") or "")
    anchor = style.get("text-anchor", "start")
    wide = line_width((run,), size)
    turned = -float(turn[1]) if turn else 0.0
    yield Text(x, y, (run,), size, anchor, wide, turned=turned)


def _path(element: Any, style: Style, opacity: float) -> Iterator[Item]:
    look = _look(style, opacity)
    heads = [style.get(f"marker-{end}", "none") != "none" for end in ("start", "end")]
    for points, closed in _ways(element.get("d", "")):
        if len(points) > 1:
            open_look = look if closed or not heads[1] else replace(look, fill="")
            box = _box(points) if closed else None
            if box is not None:
                yield Rect(*box, look)
            else:
                yield Path(tuple(points), open_look, closed, head=heads[1], tail=heads[0])


def _box(points: Sequence[tuple[float, ...]]) -> tuple[float, float, float, float] | None:
    """Place and size of a closed line that is a box; a slide has texts in boxes, not in lines."""
    across, down = (sorted({point[axis] for point in points}) for axis in (0, 1))
    if any(len(point) == 6 for point in points) or len(points) != 4:
        return None
    if (len(across), len(down)) != (2, 2) or points[0][0] == points[2][0]:
        return None
    if points[0][1] == points[2][1]:
        return None
    return across[0], down[0], across[1] - across[0], down[1] - down[0]


_SHAPES = {"rect": _rect, "circle": _circle, "image": _image, "text": _text, "path": _path}


def _ways(data: str) -> Iterator[tuple[list[tuple[float, ...]], bool]]:
    """The lines of a path, each with whether it is closed."""
    points: list[tuple[float, ...]] = []
    x = y = 0.0
    for command, said in re.findall(r"([MmLlHhVvCcAaZz])([^MmLlHhVvCcAaZz]*)", data):
        numbers = [float(each) for each in _NUMBER.findall(said)]
        by_x, by_y = (x, y) if command.islower() else (0.0, 0.0)
        match command.upper():
            case "Z":
                if points:
                    yield points, True
                    x, y = points[0][-2:]
                points = []
            case "M":
                if points:
                    yield points, False
                points = []
                for place in range(0, len(numbers), 2):
                    x, y = by_x + numbers[place], by_y + numbers[place + 1]
                    points.append((x, y))
                    by_x, by_y = (x, y) if command.islower() else (0.0, 0.0)
            case "A":
                end = (by_x + numbers[5], by_y + numbers[6])
                points = points or [(x, y)]
                points.append(_quarter((x, y), end, numbers[4] == 1.0))
                x, y = end
            case "H" | "V" | "L" | "C":
                points = points or [(x, y)]
                step = {"H": 1, "V": 1, "L": 2, "C": 6}[command.upper()]
                for place in range(0, len(numbers), step):
                    part = numbers[place : place + step]
                    if command.upper() == "H":
                        point: tuple[float, ...] = (by_x + part[0], y)
                    elif command.upper() == "V":
                        point = (x, by_y + part[0])
                    else:
                        point = tuple(
                            value + (by_y if i % 2 else by_x) for i, value in enumerate(part)
                        )
                    points.append(point)
                    x, y = point[-2:]
                    by_x, by_y = (x, y) if command.islower() else (0.0, 0.0)
    if points:
        yield points, False


def _quarter(
    start: tuple[float, float], end: tuple[float, float], clockwise: bool
) -> tuple[float, ...]:
    """A quarter of a circle as a curve; the pictures have no other arcs."""
    (x0, y0), (x1, y1) = start, end
    if (math.copysign(1, x1 - x0) == math.copysign(1, y1 - y0)) == clockwise:
        return (x0 + (x1 - x0) * _QUARTER, y0, x1, y1 - (y1 - y0) * _QUARTER, x1, y1)
    return (x0, y0 + (y1 - y0) * _QUARTER, x1 - (x1 - x0) * _QUARTER, y1, x1, y1)
