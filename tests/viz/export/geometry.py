"""Where the texts of a sheet are, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Iterator

from minitape.viz.export.items import Group, Item, Rect, Sheet, Text
from minitape.viz.export.metrics import line_width

UP, DOWN = 0.74, 0.2  # what letters take above and below their baseline, as a share of the size
LEAST = 9.33  # pixels: 7 points
NEAR = 0.6  # pixels by which boxes may touch

Box = tuple[float, float, float, float]


def texts(items: tuple[Item, ...], x: float = 0.0, y: float = 0.0) -> Iterator[tuple[Text, Box]]:
    for item in items:
        if isinstance(item, Group):
            yield from texts(item.items, x + item.x, y + item.y)
        elif isinstance(item, Text) and item.plain.strip():
            wide = line_width(item.runs, item.size)
            left = x + item.x - {"start": 0.0, "middle": wide / 2, "end": wide}[item.anchor]
            base = y + item.y
            yield item, (left, base - UP * item.size, left + wide, base + DOWN * item.size)


def boxes(items: tuple[Item, ...], x: float = 0.0, y: float = 0.0) -> Iterator[Box]:
    for item in items:
        if isinstance(item, Group):
            yield from boxes(item.items, x + item.x, y + item.y)
        elif isinstance(item, Rect):
            yield x + item.x, y + item.y, x + item.x + item.width, y + item.y + item.height


def meet(a: Box, b: Box) -> bool:
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return across > NEAR and down > NEAR


def faults(sheet: Sheet) -> list[str]:
    """Texts that leave the sheet, meet another one, or are too small to be read."""
    found = []
    placed = sorted(texts(sheet.items), key=lambda each: each[1][1])
    for text, (left, top, right, bottom) in placed:
        said = f"{text.plain[:40]!r} ({text.size:.1f})"
        if (
            left < -NEAR
            or top < -NEAR
            or right > sheet.width + NEAR
            or bottom > sheet.height + NEAR
        ):
            found.append(f"{said} leaves the sheet")
        if min(run.scale for run in text.runs) * text.size < LEAST:
            found.append(f"{said} is too small")
    for i, (text, box) in enumerate(placed):
        for other, its in placed[i + 1 :]:
            if its[1] >= box[3]:
                break
            if meet(box, its):
                found.append(f"{text.plain[:40]!r} meets {other.plain[:40]!r}")
    for left, top, right, bottom in boxes(sheet.items):
        inside = left >= -NEAR and top >= -NEAR
        if not (inside and right <= sheet.width + NEAR and bottom <= sheet.height + NEAR):
            found.append(f"a box leaves the sheet: {left:.0f} {top:.0f} {right:.0f} {bottom:.0f}")
    return found


def beyond_their_boxes(items: tuple[Item, ...], name: str = "") -> list[str]:
    """Texts of a graph's nodes that leave the boxes they stand in."""
    found = []
    for item in items:
        if not isinstance(item, Group):
            continue
        if name in ("graph", "strip"):
            frames = list(boxes(item.items))
            left, top = min(each[0] for each in frames), min(each[1] for each in frames)
            right, bottom = max(each[2] for each in frames), max(each[3] for each in frames)
            found += [
                text.plain
                for text, (x0, y0, x1, y1) in texts(item.items)
                if x0 < left or x1 > right or y0 < top or y1 > bottom
            ]
        found += beyond_their_boxes(item.items, item.name)
    return found


__all__ = ["beyond_their_boxes", "boxes", "faults", "meet", "texts"]
