"""Writes sheets as slides: shapes and texts that can be edited, the sentence as the slide's title.

Needs python-pptx, for the deck around them. The shapes are XML of our own, since python-pptx
measures a group again for each shape that it adds, which takes seconds a slide. A box with one text
in its middle is one shape that holds its text: to move or rewrite a cell is to move or rewrite one
thing.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ..layout.labels import printable
from ..picture.png import enlarged
from .faces import natural_width
from .items import Group, Image, Item, Look, Path, Rect, Run, Sheet, Text
from .needed import needed
from .theme import colours

__all__ = ["write"]

PIXEL = 9525  # EMU of a CSS pixel
_FACES = {"sans": "Calibri", "mono": "Consolas", "serif": "Cambria"}
_TITLE_ONLY = 5  # of the layouts of python-pptx's deck
_RAISED = 2 / 3  # how large PowerPoint draws a raised letter
_DATE = datetime(1980, 1, 1)  # at each run the same, for the same bytes
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SPACES = (
    f'xmlns:a="{_DRAWING}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
_RELATIONS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_PLAIN = '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


class _Shape(NamedTuple):
    xml: str
    box: _Box


def write(sheets: Sequence[Sheet], theme: str = "light", *, title: str = "") -> bytes:
    """A deck with a slide for each sheet.

    Args:
        sheets: what is drawn; the slides have the size of the largest.
        theme: "light", "dark" or "grey".
        title: of the deck; the sentence of the first sheet where it is empty.

    Raises:
        MissingExtraError: python-pptx is not installed.
    """
    package = needed("pptx", ".pptx", "python-pptx")
    etree = needed("lxml.etree", ".pptx", "python-pptx")
    paint = colours(theme)
    deck = _sized(package.Presentation(), sheets)
    about = deck.core_properties
    about.title = printable(title or sheets[0].title)[:255]
    about.author = about.last_modified_by = "minitape"
    about.comments = ""
    about.created = about.modified = _DATE
    for sheet in sheets:
        slide = deck.slides.add_slide(deck.slide_layouts[_TITLE_ONLY])
        tree = slide.shapes._spTree
        tree.remove(slide.shapes.title._element)
        pen = _Pen(paint, slide.part)
        page = slide._element.cSld
        page.set("name", printable(sheet.title))
        page.insert(0, etree.fromstring(pen.paper()))
        for shape in pen.slide(sheet):
            tree.append(etree.fromstring(shape.xml))
        slide.notes_slide.notes_text_frame.text = "\n".join(
            printable(line) for line in (sheet.title, *sheet.notes.splitlines()) if line
        )
    held = io.BytesIO()
    deck.save(held)
    return _without_dates(held.getvalue())


def _sized(deck: Any, sheets: Sequence[Sheet]) -> Any:
    """A deck with slides as large as the largest sheet, and layouts that have grown with them."""
    width = _emu(max(sheet.width for sheet in sheets))
    height = _emu(max(sheet.height for sheet in sheets))
    by = {"x": width / deck.slide_width, "y": height / deck.slide_height}
    for page in (deck.slide_master, *deck.slide_layouts):
        for place in page._element.iter(f"{{{_DRAWING}}}off", f"{{{_DRAWING}}}ext"):
            for name, value in place.attrib.items():
                if name[-1] in by:  # an `ext` is also an extension, which has no size
                    place.set(name, str(round(int(value) * by[name[-1]])))
    deck.slide_width, deck.slide_height = width, height
    return deck


def _without_dates(data: bytes) -> bytes:
    """The same package with one date for all its parts."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(held, "w") as new:
        for part in old.infolist():
            entry = zipfile.ZipInfo(part.filename, _DATE.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, old.read(part))
    return held.getvalue()


class _Pen:
    """What writes the shapes of one slide."""

    def __init__(self, paint: dict[str, str], part: Any) -> None:
        self.paint = paint
        self.part = part  # of the package, which holds images
        self.ids = count(2)  # 1 is the slide's own group

    def paper(self) -> str:
        """What lies behind the shapes."""
        fill = self._fill("paper", Look())
        return f"<p:bg {_SPACES}><p:bgPr>{fill}<a:effectLst/></p:bgPr></p:bg>"

    def slide(self, sheet: Sheet) -> Iterator[_Shape]:
        """The shapes of a slide; what says the sentence is its title, and comes first."""
        lines, rest = _parted(sheet.items, sheet.title.split())
        if lines:
            yield self.title(lines)
        yield from self.shapes(rest, 0.0, 0.0)

    def shapes(self, items: Iterable[Item], x: float, y: float) -> Iterator[_Shape]:
        waiting = list(items)
        while waiting:
            match waiting.pop(0):
                case Group(name, inner, right, down):
                    parts = list(self.shapes(inner, x + right, y + down))
                    if parts:
                        yield self.group(name, parts)
                case Rect() as rect:
                    held = _held(rect, waiting)
                    if held is not None:
                        waiting.pop(0)
                    yield self.rect(rect, held, x, y)
                case Path() as path:
                    yield self.path(path, x, y)
                case Image() as image:
                    yield self.image(image, x, y)
                case Text() as text:
                    yield self.text(text, x, y)

    def group(self, name: str, parts: list[_Shape]) -> _Shape:
        box = _around(part.box for part in parts)
        place = _place(box)
        inner = place.replace("a:off", "a:chOff").replace("a:ext", "a:chExt")
        xml = (
            f"<p:grpSp {_SPACES}><p:nvGrpSpPr>{self._named(name)}<p:cNvGrpSpPr/><p:nvPr/>"
            f"</p:nvGrpSpPr><p:grpSpPr><a:xfrm>{place}{inner}</a:xfrm></p:grpSpPr>"
            f"{''.join(part.xml for part in parts)}</p:grpSp>"
        )
        return _Shape(xml, box)

    def rect(self, rect: Rect, held: Text | None, x: float, y: float) -> _Shape:
        left, top = x + rect.x, y + rect.y
        box = _Box(left, top, left + rect.width, top + rect.height)
        shorter = min(rect.width, rect.height)
        form = _PLAIN
        if rect.radius and shorter:
            corner = round(100000 * min(0.5, rect.radius / shorter))
            form = (
                '<a:prstGeom prst="roundRect"><a:avLst>'
                f'<a:gd name="adj" fmla="val {corner}"/></a:avLst></a:prstGeom>'
            )
        if held is None:
            return self._shape("box", box, form, rect.look)
        start, end = _span(held)
        body = self._body([held], "ctr", start - rect.x, rect.x + rect.width - end)
        return self._shape(held.plain, box, form, rect.look, body)

    def image(self, image: Image, x: float, y: float) -> _Shape:
        _, relation = self.part.get_or_add_image_part(io.BytesIO(enlarged(image.png)))
        left, top = x + image.x, y + image.y
        box = _Box(left, top, left + image.width, top + image.height)
        held = f'<a:blip r:embed="{relation}"/><a:stretch><a:fillRect/></a:stretch>'
        xml = (
            f"<p:pic {_SPACES} {_RELATIONS}><p:nvPicPr>{self._named('cells')}<p:cNvPicPr/><p:nvPr/>"
            f"</p:nvPicPr><p:blipFill>{held}</p:blipFill>"
            f"<p:spPr><a:xfrm>{_place(box)}</a:xfrm>{_PLAIN}</p:spPr></p:pic>"
        )
        return _Shape(xml, box)

    def text(self, text: Text, x: float, y: float) -> _Shape:
        if text.turned:
            return self.turned(text, x, y)
        start, end = _span(text)
        top = y + text.y - text.size * 0.94  # where Calibri's line begins
        box = _Box(x + start, top, x + end, top + text.size * 1.2)
        return self._shape(text.plain, box, _PLAIN, Look(), self._body([text], "t"), written=True)

    def turned(self, text: Text, x: float, y: float) -> _Shape:
        """A line that leans: PowerPoint turns a box about its middle, and not about its anchor."""
        start, end = (value - text.x for value in _span(text))
        wide, high = end - start, text.size * 1.2
        along, down = (start + end) / 2, high / 2 - text.size * 0.94
        lean = math.radians(-text.turned)
        middle_x = x + text.x + along * math.cos(lean) - down * math.sin(lean)
        middle_y = y + text.y + along * math.sin(lean) + down * math.cos(lean)
        box = _Box(
            middle_x - wide / 2, middle_y - high / 2, middle_x + wide / 2, middle_y + high / 2
        )
        body = self._body([text], "t")
        turn = -round(text.turned * 60000)
        return self._shape(text.plain, box, _PLAIN, Look(), body, written=True, turn=turn)

    def title(self, lines: list[Text]) -> _Shape:
        # A title is wrapped where another program's letters are a hair wider than ours.
        box = _around(
            _Box(
                start,
                line.y - line.size * 0.94,
                end + (line.size if line.anchor == "start" else 0.0),
                line.y + line.size * 0.26,
            )  # fmt: skip
            for line in lines
            for start, end in [_span(line)]
        )
        body = self._body(lines, "t")
        return self._shape("sentence", box, "", Look(), body, role='<p:ph type="title"/>')

    def path(self, path: Path, x: float, y: float) -> _Shape:
        points = [
            [value + (y if i % 2 else x) for i, value in enumerate(point)] for point in path.points
        ]
        across = [value for point in points for value in point[::2]]
        down = [value for point in points for value in point[1::2]]
        box = _Box(min(across), min(down), max(across), max(down))
        width, height = _emu(box.right - box.left), _emu(box.bottom - box.top)
        parts = []
        for i, point in enumerate(points):
            tag = "cubicBezTo" if len(point) == 6 else "lnTo" if i else "moveTo"
            places = "".join(
                f'<a:pt x="{_emu(point[k] - box.left)}" y="{_emu(point[k + 1] - box.top)}"/>'
                for k in range(0, len(point), 2)
            )
            parts.append(f"<a:{tag}>{places}</a:{tag}>")
        filled = "norm" if path.look.fill else "none"
        form = (
            "<a:custGeom><a:avLst/><a:gdLst/><a:ahLst/><a:cxnLst/>"
            '<a:rect l="0" t="0" r="r" b="b"/><a:pathLst>'
            f'<a:path w="{width}" h="{height}" fill="{filled}">{"".join(parts)}'
            f"{'<a:close/>' if path.closed else ''}</a:path></a:pathLst></a:custGeom>"
        )
        return self._shape("line", box, form, path.look, ends=(path.tail, path.head))

    def _shape(
        self,
        name: str,
        box: _Box,
        form: str,
        look: Look,
        body: str = "",
        role: str = "",
        ends: tuple[bool, bool] = (False, False),
        written: bool = False,
        turn: int = 0,
    ) -> _Shape:
        paint = self._fill(look.fill, look) + self._line(look, ends) if form else ""
        turned = f' rot="{turn}"' if turn else ""
        kind = '<p:cNvSpPr txBox="1"/>' if written else "<p:cNvSpPr/>"
        xml = (
            f"<p:sp {_SPACES}><p:nvSpPr>{self._named(name)}{kind}<p:nvPr>{role}</p:nvPr></p:nvSpPr>"
            f"<p:spPr><a:xfrm{turned}>{_place(box)}</a:xfrm>{form}{paint}</p:spPr>{body}</p:sp>"
        )
        return _Shape(xml, box)

    def _named(self, name: str) -> str:
        return f'<p:cNvPr id="{next(self.ids)}" name={quoteattr(printable(name)[:60])}/>'

    def _fill(self, colour: str, look: Look) -> str:
        if not colour:
            return "<a:noFill/>"
        through = f'<a:alpha val="{round(look.opacity * 100000)}"/>' if look.opacity != 1.0 else ""
        value = f'<a:srgbClr val="{self.paint[colour][1:].upper()}">{through}</a:srgbClr>'
        return f"<a:solidFill>{value}</a:solidFill>"

    def _line(self, look: Look, ends: tuple[bool, bool]) -> str:
        """PowerPoint wants this order: fill, dashes, joints, head, tail."""
        if not look.stroke:
            return "<a:ln><a:noFill/></a:ln>"
        dash = f'<a:prstDash val="{_dash(look)}"/>' if look.dash else ""
        heads = "".join(
            f'<a:{tag} type="triangle" w="lg" len="lg"/>'
            for tag, wanted in zip(("headEnd", "tailEnd"), ends, strict=True)
            if wanted
        )
        return (
            f'<a:ln w="{_emu(look.line)}" cap="flat">{self._fill(look.stroke, look)}{dash}'
            f"<a:round/>{heads}</a:ln>"
        )

    def _body(self, lines: list[Text], upright: str, left: float = 0.0, right: float = 0.0) -> str:
        where = {"start": "l", "middle": "ctr", "end": "r"}[lines[0].anchor]
        aside = f'lIns="{_emu(left)}" tIns="0" rIns="{_emu(right)}" bIns="0"'
        runs = "<a:br/>".join("".join(self._run(run, line) for run in line.runs) for line in lines)
        return (
            f'<p:txBody><a:bodyPr wrap="none" {aside} anchor="{upright}"><a:noAutofit/></a:bodyPr>'
            f'<a:p><a:pPr algn="{where}"><a:lnSpc><a:spcPct val="100000"/></a:lnSpc><a:spcBef>'
            f'<a:spcPts val="0"/></a:spcBef></a:pPr>{runs}</a:p></p:txBody>'
        )

    def _run(self, run: Run, line: Text) -> str:
        size = line.size * run.scale / (_RAISED if run.rise else 1.0)
        rise = f' baseline="{round(100000 * run.rise * line.size / size)}"' if run.rise else ""
        weight = f'b="{int(run.bold)}" i="{int(run.italic)}"'
        style = f'sz="{max(100, round(75 * size))}" {weight}{rise}{_tight(line)}'
        face = _FACES[run.face]
        fonts = "".join(f'<a:{kind} typeface="{face}"/>' for kind in ("latin", "ea", "cs"))
        return (
            f'<a:r><a:rPr lang="en-GB" {style}>{self._fill(run.colour, Look())}{fonts}</a:rPr>'
            f"<a:t>{escape(printable(run.text))}</a:t></a:r>"
        )


def _held(rect: Rect, after: list[Item]) -> Text | None:
    """The one text that stands in the middle of a box, if the next item is that."""
    if not after or not isinstance(after[0], Text):
        return None
    text = after[0]
    if text.turned:
        return None
    if len(after) > 1 and isinstance(after[1], Text) and _stands_in(after[1], rect):
        return None
    middle = rect.y + rect.height / 2
    centred = abs(text.y - 0.35 * text.size - middle) < 0.2 * text.size
    return text if centred and _stands_in(text, rect) else None


def _stands_in(text: Text, rect: Rect) -> bool:
    start, end = _span(text)
    inside = rect.x - 1 <= start and end <= rect.x + rect.width + 1
    return inside and rect.y <= text.y <= rect.y + rect.height


def _span(text: Text) -> tuple[float, float]:
    """Where a line begins and ends."""
    width = text.width or natural_width(text)
    start = text.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * width
    return start, start + width


def _tight(line: Text) -> str:
    """Less room between letters where a line was squeezed, in hundredths of a point."""
    letters = sum(len(run.text) for run in line.runs)
    over = natural_width(line) - line.width if line.width else 0.0
    return f' spc="{round(-75 * over / letters)}"' if letters and over > 0.5 else ""


def _dash(look: Look) -> str:
    """The dash of PowerPoint that is nearest, whose lengths are those of the line's width."""
    return (
        "sysDot" if look.dash[0] <= 1.5 * look.line else "sysDash" if look.dash[0] <= 4 else "dash"
    )


def _lines(item: Item, x: float, y: float) -> Iterator[Text]:
    match item:
        case Text():
            yield replace(item, x=item.x + x, y=item.y + y)
        case Group():
            for each in item.items:
                yield from _lines(each, x + item.x, y + item.y)


def _parted(
    items: Sequence[Item], words: list[str], x: float = 0.0, y: float = 0.0
) -> tuple[list[Text], tuple[Item, ...]]:
    """The lines that say a sentence, at their places, and the items without them.

    A title cannot be part of a group, so it is taken out of those that it stands in.
    """
    for i, item in enumerate(items):
        lines, rest = [], items[i + 1 :]
        if words and _said(item) == words:
            lines = list(_lines(item, x, y))
        elif isinstance(item, Group):
            lines, inner = _parted(item.items, words, x + item.x, y + item.y)
            rest = (replace(item, items=inner), *rest)
        if lines:
            return lines, (*items[:i], *rest)
    return [], tuple(items)


def _said(item: Item) -> list[str] | None:
    """The words of an item that is nothing but text."""
    shapes = isinstance(item, Rect | Path | Image)
    if shapes or (isinstance(item, Group) and any(_said(each) is None for each in item.items)):
        return None
    return " ".join(line.plain for line in _lines(item, 0.0, 0.0)).split()


def _around(boxes: Iterable[_Box]) -> _Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return _Box(min(left), min(top), max(right), max(bottom))


def _place(box: _Box) -> str:
    width, height = _emu(box.right - box.left), _emu(box.bottom - box.top)
    return f'<a:off x="{_emu(box.left)}" y="{_emu(box.top)}"/><a:ext cx="{width}" cy="{height}"/>'


def _emu(value: float) -> int:
    return round(value * PIXEL)
