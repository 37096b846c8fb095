"""A small picture of an array: one cell for each element, or for each block of a large one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..picture.theme import LIGHT, mixed
from ..trace.arrays import Array


def heatmap(array: Array, cell: float = 10.0) -> str:
    """Draw an array as a small SVG heat map: orange above zero, blue below, hatched if not finite.

    Example:
        >>> heatmap(Array.of([[1.0, -1.0]])).count("<rect")
        2
    """
    rows, blocks = _cells(array)
    if not blocks:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"></svg>'
    across = len(blocks) // rows
    finite = [abs(v) for v in blocks if math.isfinite(v)]
    largest = max(finite, default=0.0) or 1.0
    parts = [
        f'<rect x="{i % across * cell:g}" y="{i // across * cell:g}" width="{cell:g}" '
        f'height="{cell:g}" {_paint(value, largest)}/>'
        for i, value in enumerate(blocks)
    ]
    size = f'width="{across * cell:g}" height="{rows * cell:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'


def _cells(array: Array) -> tuple[int, Sequence[float]]:
    if array.thumb is not None:
        return array.thumb.rows * math.prod(array.thumb.tiles), array.thumb.peaks
    if not array.is_whole or array.dtype == "string" or not array.data:
        return 0, ()
    across = array.shape[-1] if array.shape else 1
    values = [abs(v) if isinstance(v, complex) else float(v) for v in array.data]
    return len(values) // across, values


def _paint(value: float, largest: float) -> str:
    """Choose the colour; the sign shows in greyscale too, as blue is the darker one."""
    if not math.isfinite(value):
        return f'fill="{LIGHT["paper"]}" stroke="{LIGHT["purple"]}" stroke-dasharray="2 2"'
    colour = mixed("orange" if value >= 0 else "blue", min(abs(value) / largest, 1.0))
    return f'fill="{colour}"'
