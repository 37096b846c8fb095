"""Writes a sheet as SVG: complete in itself, groups named, texts as text.

The same sheet gives the same bytes: no dates, no counted ids.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from html import escape

from ..picture.png import enlarged
from .faces import font_file, pieces
from .items import Group, Image, Item, Look, Path, Rect, Run, Sheet, Text, flat
from .needed import needed
from .outlines import check_outlines, letters_of, outline
from .theme import colours

FAMILIES = {
    "sans": "DejaVu Sans,Verdana,Arial,sans-serif",
    "mono": "DejaVu Sans Mono,Menlo,Consolas,monospace",
    "serif": "DejaVu Serif,Cambria,Georgia,serif",
}
HEAD = 9.0  # the size of an arrowhead
Draw = Callable[[Text, dict[str, str]], str]  # a line of text


def write(sheets: Sequence[Sheet], theme: str = "light", *, fonts: str = "names") -> str:
    """The one sheet as the text of an SVG file.

    Args:
        sheets: one.
        theme: "light", "dark" or "grey".
        fonts: "names" for the reader's own letters, "embed" to bring those along that are used,
            "paths" for the outlines of letters, which need no font and are no text any more.

    Raises:
        ValueError: There is no such way with fonts.
        MissingExtraError: To embed letters fontTools is needed, which is not installed.
    """
    check(fonts)
    (sheet,) = sheets
    if fonts == "paths":
        return svg(sheet, theme, _outlines(sheet), _outlined)
    return svg(sheet, theme, _embedded(sheet) if fonts == "embed" else "")


def check(fonts: str = "names") -> None:
    """Raise where letters cannot be brought along as asked."""
    if fonts not in ("names", "embed", "paths"):
        raise ValueError(
            f"fonts={fonts!r:.40} is no way to write letters; write fonts='names' for the "
            "reader's own, fonts='embed' to bring them along, or fonts='paths' for their outlines"
        )
    if fonts == "paths":
        check_outlines(".svg")
    if fonts == "embed":
        needed("fontTools.subset", ".svg with fonts='embed'", "fonttools")


def _embedded(sheet: Sheet) -> str:
    """The letters that a sheet uses, as fonts of a style sheet."""
    used: dict[str, set[str]] = {}
    for item in flat(sheet.items):
        for run in item.runs if isinstance(item, Text) else ():
            for name, letters in pieces(run):
                used.setdefault(name, set()).update(letters)
    return f"<style>{''.join(_face(name, used[name]) for name in sorted(used))}</style>"


def _face(name: str, letters: set[str]) -> str:
    subset = needed("fontTools.subset", ".svg with fonts='embed'", "fonttools")
    font = needed("fontTools.ttLib", ".svg with fonts='embed'", "fonttools").TTFont(
        font_file(name), recalcTimestamp=False
    )
    options = subset.Options(hinting=False, notdef_outline=True, name_IDs=[])
    maker = subset.Subsetter(options)
    maker.populate(text="".join(sorted(letters)))
    maker.subset(font)
    out = io.BytesIO()
    font.save(out, reorderTables=True)
    face, _, style = name.partition("-")
    family = FAMILIES[face].split(",")[0]
    look = {"bold": "font-weight:700;", "italic": "font-style:italic;"}.get(style, "")
    data = base64.b64encode(out.getvalue()).decode()
    return f'@font-face{{font-family:"{family}";{look}src:url(data:font/ttf;base64,{data})}}'


def _outlines(sheet: Sheet) -> str:
    """The letters that a sheet uses, each once."""
    texts = [each for each in flat(sheet.items) if isinstance(each, Text)]
    used = sorted({each[:2] for text in texts for each in letters_of(text) if outline(*each[:2])})
    drawn = "".join(
        f'<path id="{_letter(name, letter)}" d="{"".join(map(_line, outline(name, letter)))}"/>'
        for name, letter in used
    )
    return f"<defs>{drawn}</defs>"


def _letter(name: str, letter: str) -> str:
    return f"{name}-{ord(letter):x}"


def _line(points: Sequence[tuple[float, ...]]) -> str:
    """A closed line in thousandths of the size of the letters."""
    drawn = ""
    for i, point in enumerate(points):
        letter = "M" if i == 0 else "C" if len(point) == 6 else "L"
        drawn += letter + " ".join(f"{1000 * value:.0f}" for value in point)
    return drawn + "z"


def _outlined(text: Text, paint: dict[str, str]) -> str:
    """A line as outlines, under what it says."""
    turned = (
        f' transform="rotate({_n(-text.turned)} {_n(text.x)} {_n(text.y)})"' if text.turned else ""
    )
    drawn = "".join(
        f'<use href="#{_letter(name, letter)}" fill="{paint[colour]}" '
        f'transform="translate({_n(x)} {_n(y)}) scale({size / 1000:.5f})"/>'
        for name, letter, x, y, size, colour in letters_of(text)
        if outline(name, letter)
    )
    return f'<g role="img" aria-label="{escape(text.plain)}"{turned}>{drawn}</g>'


def svg(sheet: Sheet, theme: str = "light", style: str = "", draw: Draw | None = None) -> str:
    """A sheet as the text of an `<svg>` element.

    Example:
        >>> svg(Sheet(20.0, 10.0, (Text(1.0, 8.0, (Run("a < b"),), 9.0),))).count("a &lt; b")
        1
    """
    paint = colours(theme)
    body = "".join(_item(item, paint, draw or _text) for item in sheet.items)
    used = sorted({path.look.stroke for path in _arrows(sheet.items)} - {""})
    heads = "".join(_marker(name, paint) for name in used)
    size = f'width="{_n(sheet.width)}" height="{_n(sheet.height)}"'
    notes = f"<desc>{escape(sheet.notes)}</desc>" if sheet.notes else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        f'viewBox="0 0 {_n(sheet.width)} {_n(sheet.height)}" role="img">'
        f"<title>{escape(sheet.title)}</title>{notes}"
        f"{style}{f'<defs>{heads}</defs>' if heads else ''}"
        f'<rect {size} fill="{paint["paper"]}"/>{body}</svg>\n'
    )


def _arrows(items: Iterable[Item]) -> Iterable[Path]:
    for item in items:
        if isinstance(item, Group):
            yield from _arrows(item.items)
        elif isinstance(item, Path) and (item.head or item.tail):
            yield item


def _marker(name: str, paint: dict[str, str]) -> str:
    return (
        f'<marker id="{_head(name)}" viewBox="0 0 8 8" refX="7" refY="4" '
        f'markerWidth="{_n(HEAD)}" markerHeight="{_n(HEAD)}" markerUnits="userSpaceOnUse" '
        f'orient="auto-start-reverse"><path d="M0 .6L8 4 0 7.4z" fill="{paint[name]}"/></marker>'
    )


def _head(colour: str) -> str:
    """The name of an arrowhead."""
    return "head-" + colour.lstrip("#")


def _item(item: Item, paint: dict[str, str], draw: Draw) -> str:
    match item:
        case Group():
            inner = "".join(_item(each, paint, draw) for each in item.items)
            place = f' transform="translate({_n(item.x)} {_n(item.y)})"' if item.x or item.y else ""
            return f'<g aria-label="{escape(item.name)}"{place}>{inner}</g>'
        case Rect():
            corner = f' rx="{_n(item.radius)}"' if item.radius else ""
            place = f'x="{_n(item.x)}" y="{_n(item.y)}"'
            size = f'width="{_n(item.width)}" height="{_n(item.height)}"'
            return f"<rect {place} {size}{corner}{_look(item.look, paint)}/>"
        case Path():
            return _path(item, paint)
        case Image():
            return _image(item)
        case Text():
            return draw(item, paint)


def _image(image: Image) -> str:
    place = f'x="{_n(image.x)}" y="{_n(image.y)}"'
    size = f'width="{_n(image.width)}" height="{_n(image.height)}"'
    data = base64.b64encode(enlarged(image.png)).decode()
    return f'<image {place} {size} preserveAspectRatio="none" href="data:image/png;base64,{data}"/>'


def _path(path: Path, paint: dict[str, str]) -> str:
    (x, y), *rest = path.points
    drawn = f"M{_n(x)} {_n(y)}"
    for point in rest:
        drawn += ("C" if len(point) == 6 else "L") + " ".join(map(_n, point))
    drawn += "z" if path.closed else ""
    head = f"url(#{_head(path.look.stroke)})"
    ends = f' marker-end="{head}"' if path.head else ""
    ends += f' marker-start="{head}"' if path.tail else ""
    return f'<path d="{drawn}"{_look(path.look, paint)}{ends}/>'


def _text(text: Text, paint: dict[str, str]) -> str:
    """One element a line; runs are spans, so that a line is selected as one."""
    spans, before = "", 0.0
    for run in text.runs:
        spans += _run(run, text.size, paint, run.rise - before)
        before = run.rise
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    place = f'x="{_n(text.x)}" y="{_n(text.y)}"'
    turned = (
        f' transform="rotate({_n(-text.turned)} {_n(text.x)} {_n(text.y)})"' if text.turned else ""
    )
    return f'<text {place} xml:space="preserve"{anchor}{turned}>{spans}</text>'


def _run(run: Run, size: float, paint: dict[str, str], rise: float) -> str:
    shift = f' dy="{_n(-rise * size)}"' if rise else ""
    face = f'font-family="{FAMILIES[run.face]}" font-size="{_n(size * run.scale)}"'
    more = (' font-weight="700"' if run.bold else "") + (
        ' font-style="italic"' if run.italic else ""
    )
    return f'<tspan {face} fill="{paint[run.colour]}"{more}{shift}>{escape(run.text)}</tspan>'


def _look(look: Look, paint: dict[str, str]) -> str:
    found = f' fill="{paint[look.fill] if look.fill else "none"}"'
    if look.stroke:
        found += f' stroke="{paint[look.stroke]}" stroke-width="{_n(look.line)}"'
    if look.dash:
        found += f' stroke-dasharray="{" ".join(map(_n, look.dash))}"'
    if look.opacity != 1.0:
        found += f' opacity="{_n(look.opacity)}"'
    return found


def _n(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
