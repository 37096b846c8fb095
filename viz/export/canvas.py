"""Draws a sheet on a browser's canvas, for Python that runs in a page or in a worker of one.

Nothing is waited for. The items are drawn one by one, for a picture that is read from SVG arrives
later; letters are the browser's own, squeezed to the width that was measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import MissingExtraError
from ..picture.png import pixels_of, png_bytes
from .items import Image, Look, Path, Rect, Sheet, Text, flat
from .lines import ends
from .metrics import line_width
from .svg import FAMILIES
from .theme import colours

__all__ = ["canvas_png", "check_canvas"]

# Calls of a canvas, each a name and its arguments; letters are measured where they are drawn.
_PROGRAM = """
const context = canvas.getContext("2d", {willReadFrequently: true});
const line = ({x, y, anchor, turned, runs}) => {
  context.save();
  context.translate(x, y);
  context.rotate(-turned * Math.PI / 180);
  const wide = runs.map((run) => {
    context.font = run.font;
    return Math.min(context.measureText(run.text).width, run.width);
  });
  let at = -{start: 0, middle: 0.5, end: 1}[anchor] * wide.reduce((a, b) => a + b, 0);
  runs.forEach((run, i) => {
    context.font = run.font;
    context.fillStyle = run.colour;
    if (wide[i] > 0) context.fillText(run.text, at, -run.rise, wide[i]);
    at += wide[i];
  });
  context.restore();
};
for (const [name, ...values] of JSON.parse(calls)) {
  if (name === "text") line(values[0]);
  else if (name === "set") context[values[0]] = values[1];
  else context[name](...values);
}
return context.getImageData(0, 0, canvas.width, canvas.height).data;
"""

Call = list[Any]


def check_canvas() -> None:
    """Raise where no canvas can be reached.

    Raises:
        MissingExtraError: Python runs neither in a page nor in a worker with a canvas.
    """
    _canvas(1, 1)


def canvas_png(sheet: Sheet, theme: str, scale: float) -> bytes:
    """A sheet as a picture of pixels.

    Args:
        sheet: what is drawn.
        theme: "light", "dark" or "grey".
        scale: pixels of the picture to one of the sheet.
    """
    import js  # type: ignore[import-not-found]  # of Pyodide

    wide, high = round(sheet.width * scale), round(sheet.height * scale)
    draw = js.Function.new("canvas", "calls", _PROGRAM)
    calls = [["scale", scale, scale], *_calls(sheet, colours(theme))]
    data = draw(_canvas(wide, high), json.dumps(calls)).to_py()
    pixels = np.frombuffer(data, np.uint8).reshape(high, wide, 4)
    return png_bytes(pixels[..., :3])


def _canvas(wide: int, high: int) -> Any:
    try:
        import js
    except ImportError:
        js = None
    made = getattr(js, "OffscreenCanvas", None)
    if made is not None:
        return made.new(wide, high)
    document = getattr(js, "document", None)
    if document is None:
        raise MissingExtraError(
            ".png needs a canvas to draw on, and this Python reaches neither OffscreenCanvas nor a "
            "page; without one there are no pixels here; save an .svg, which the browser shows and "
            "prints in any size"
        )
    canvas = document.createElement("canvas")
    canvas.width, canvas.height = wide, high
    return canvas


def _calls(sheet: Sheet, paint: dict[str, str]) -> Iterator[Call]:
    paper = Rect(0.0, 0.0, sheet.width, sheet.height, Look("paper"))
    for item in (paper, *flat(sheet.items)):
        match item:
            case Rect():
                place = [item.x, item.y, item.width, item.height]
                radius = min(item.radius, item.width / 2, item.height / 2)
                yield ["beginPath"]
                yield ["roundRect", *place, radius] if radius > 0 else ["rect", *place]
                yield from _painted(item.look, paint)
            case Path():
                yield from _line(item.points, item.closed)
                yield from _painted(item.look, paint)
                for corners in ends(item):
                    yield from _line(corners, True)
                    yield from _painted(Look(item.look.stroke, opacity=item.look.opacity), paint)
            case Image():
                yield from _cells(item)
            case Text():
                yield ["text", _text(item, paint)]


def _line(points: Any, closed: bool) -> Iterator[Call]:
    yield ["beginPath"]
    for i, point in enumerate(points):
        name = "moveTo" if i == 0 else "bezierCurveTo" if len(point) == 6 else "lineTo"
        yield [name, *point]
    if closed:
        yield ["closePath"]


def _painted(look: Look, paint: dict[str, str]) -> Iterator[Call]:
    yield ["set", "globalAlpha", look.opacity]
    if look.fill:
        yield ["set", "fillStyle", paint[look.fill]]
        yield ["fill"]
    if look.stroke:
        yield ["set", "strokeStyle", paint[look.stroke]]
        yield ["set", "lineWidth", look.line]
        yield ["setLineDash", list(look.dash)]
        yield ["stroke"]
    yield ["set", "globalAlpha", 1.0]


def _cells(image: Image) -> Iterator[Call]:
    pixels = pixels_of(image.png)
    rows, columns, _ = pixels.shape
    across, down = image.width / columns, image.height / rows
    for i in range(rows):
        for j in range(columns):
            yield ["set", "fillStyle", "#" + bytes(pixels[i, j]).hex()]
            yield ["fillRect", image.x + j * across, image.y + i * down, across, down]


def _text(text: Text, paint: dict[str, str]) -> dict[str, Any]:
    runs = [
        {
            "text": run.text,
            "font": f"{'italic ' * run.italic}{'bold ' * run.bold}{text.size * run.scale:.2f}px "
            f"{FAMILIES[run.face]}",
            "width": line_width((run,), text.size),
            "rise": run.rise * text.size,
            "colour": paint[run.colour],
        }
        for run in text.runs
    ]
    place = {"x": text.x, "y": text.y, "anchor": text.anchor, "turned": text.turned}
    return {**place, "runs": runs}
