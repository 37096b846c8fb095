"""Writes sheets as PDF, a page each: fonts embedded as subsets, texts that can be selected.

Needs fpdf2. Pages are written from the items and not by way of SVG, whose readers lose arrowheads
and letters without a word.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from ..layout.labels import printable
from ..picture.png import enlarged
from .faces import check_fonts, font_file, natural_width, pieces, used, widths
from .items import Image, Look, Path, Rect, Sheet, Text, flat
from .lines import ends
from .needed import needed
from .outlines import check_outlines, letters_of, outline
from .theme import colours, rgb

__all__ = ["write"]

POINT = 0.75  # of a CSS pixel
# The same at each run, for the same bytes; PDF asks for one.
_DATE = datetime(1980, 1, 1, tzinfo=UTC)

Paint = dict[str, str]


def write(
    sheets: Sequence[Sheet], theme: str = "light", *, title: str = "", fonts: str = "embed"
) -> bytes:
    """A document with a page for each sheet, and an outline with their sentences.

    Args:
        sheets: what is drawn; each page has the size of its own sheet.
        theme: "light", "dark" or "grey".
        title: of the document; the sentence of the first sheet where it is empty.
        fonts: "paths" for the outlines of letters, which are no text any more; else fonts are
            embedded.

    Raises:
        MissingExtraError: fpdf2 or matplotlib, which has the fonts, is not installed.
    """
    fpdf = needed("fpdf", ".pdf", "fpdf2")
    check_fonts(".pdf")
    paint = colours(theme)
    made = fpdf.FPDF(unit="pt", format=(100, 100))
    made.set_auto_page_break(False)
    made.set_margin(0)
    made.set_creation_date(_DATE)
    made.set_title(printable(title or sheets[0].title))
    made.set_creator("minitape")
    made.set_lang("en")
    is_outlined = fonts == "paths"
    if is_outlined:
        check_outlines(".pdf")
    for name in () if is_outlined else used(sheets):
        made.add_font(name, fname=font_file(name))
    for sheet in sheets:
        made.add_page(format=(sheet.width * POINT, sheet.height * POINT))
        if sheet.title:
            made.start_section(printable(sheet.title))
        _page(_Pen(fpdf, made, paint, is_outlined), sheet)
    return bytes(made.output())


def _page(pen: _Pen, sheet: Sheet) -> None:
    pen.rect(Rect(0.0, 0.0, sheet.width, sheet.height, Look("paper")))
    for item in flat(sheet.items):
        match item:
            case Rect():
                pen.rect(item)
            case Path():
                pen.path(item)
            case Image():
                pen.image(item)
            case Text() if item.turned:
                with pen.made.rotation(item.turned, item.x * POINT, item.y * POINT):
                    pen.text(item)
            case Text():
                pen.text(item)


class _Pen:
    """What draws one item on the page that is open."""

    def __init__(self, fpdf: Any, made: Any, paint: Paint, is_outlined: bool = False) -> None:
        self.is_outlined = is_outlined
        self.drawing = fpdf.drawing
        self.made = made
        self.paint = paint

    def rect(self, rect: Rect) -> None:
        style = self._style(rect.look)
        # With a radius of exactly half the height fpdf2 draws square corners.
        radius = min(rect.radius, rect.width / 2, rect.height / 2) * 0.999
        place = (rect.x * POINT, rect.y * POINT, rect.width * POINT, rect.height * POINT)
        with self._see_through(rect.look):
            self.made.rect(*place, style, round_corners=radius > 0, corner_radius=radius * POINT)

    def path(self, path: Path) -> None:
        with self.made.drawing_context() as context:
            context.add_item(self._line(path), clone=False)
            for corners in ends(path):
                look = Look(path.look.stroke, opacity=path.look.opacity)
                context.add_item(self._line(Path(corners, look, closed=True)), clone=False)

    def image(self, image: Image) -> None:
        place = (image.x, image.y, image.width, image.height)
        self.made.image(io.BytesIO(enlarged(image.png)), *(value * POINT for value in place))

    def outlined(self, text: Text) -> None:
        """A line as one path for each of its colours."""
        drawn: dict[str, Any] = {}
        for name, letter, x, y, size, colour in letters_of(text):
            if colour not in drawn:
                drawn[colour] = self.drawing.PaintedPath()
                drawn[colour].style.fill_color = self._colour(colour)
                drawn[colour].style.stroke_color = None
            for line in outline(name, letter):
                for i, point in enumerate(line):
                    places = [
                        (value * size + (y if j % 2 else x)) * POINT
                        for j, value in enumerate(point)
                    ]
                    made = drawn[colour]
                    draw = made.curve_to if len(point) == 6 else made.line_to if i else made.move_to
                    draw(*places)
                drawn[colour].close()
        with self.made.drawing_context() as context:
            for each in drawn.values():
                context.add_item(each, clone=False)

    def text(self, text: Text) -> None:
        if self.is_outlined:
            self.outlined(text)
            return
        natural = natural_width(text)
        squeeze = min(1.0, text.width / natural) if text.width and natural else 1.0
        x = text.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * natural * squeeze
        self.made.set_stretching(100 * squeeze)
        for run in text.runs:
            size = text.size * run.scale
            y = text.y - run.rise * text.size
            self.made.set_text_color(*self._rgb(run.colour))
            for font, letters in pieces(run):
                self.made.set_font(font, size=size * POINT)
                self.made.text(x * POINT, y * POINT, letters)
                x += sum(widths(font)[letter] for letter in letters) * size * squeeze

    def _line(self, path: Path) -> Any:
        made, look = self.drawing.PaintedPath(), path.look
        made.style.fill_color = self._colour(look.fill)
        made.style.stroke_color = self._colour(look.stroke)
        made.style.stroke_width = look.line * POINT
        made.style.stroke_dash_pattern = [part * POINT for part in look.dash] or None
        made.style.stroke_cap_style = "butt"
        made.style.stroke_join_style = "round"
        made.style.auto_close = path.closed
        made.style.fill_opacity = made.style.stroke_opacity = look.opacity
        first, *rest = ([value * POINT for value in point] for point in path.points)
        made.move_to(*first)
        for point in rest:
            if len(point) == 6:
                made.curve_to(*point)
            else:
                made.line_to(*point)
        if path.closed:
            made.close()
        return made

    def _rgb(self, name: str) -> tuple[int, int, int]:
        return rgb(self.paint[name])

    def _colour(self, name: str) -> Any:
        if not name:
            return None
        red, green, blue = (part / 255 for part in self._rgb(name))
        return self.drawing.DeviceRGB(red, green, blue)

    def _style(self, look: Look) -> str:
        if look.fill:
            self.made.set_fill_color(*self._rgb(look.fill))
        if look.stroke:
            self.made.set_draw_color(*self._rgb(look.stroke))
            self.made.set_line_width(look.line * POINT)
            self.made.set_dash_pattern(*(part * POINT for part in look.dash[:2]))
        return ("D" if look.stroke else "") + ("F" if look.fill else "")

    @contextmanager
    def _see_through(self, look: Look) -> Iterator[None]:
        if look.opacity == 1.0:
            yield
        else:
            with self.made.local_context(fill_opacity=look.opacity, stroke_opacity=look.opacity):
                yield
