"""The layered layout that is always there: layers, order, coordinates, curves.

After Sugiyama, Tagawa and Toda (1981), each stage in its own module. No recursion and nothing
random: a chain of ten thousand nodes is legal and the same trace gives the same picture.
"""

from __future__ import annotations

from dataclasses import replace

from .coordinates import assign_coordinates, bounds
from .layers import Layered, assign_layers, insert_dummies, rows_of
from .order import SMALL, count_crossings, order_rows
from .route import route
from .types import Direction, Edge, Graph, Layout, Point

MARGIN = 12.0
LAYER_GAP = 22.0
WIDEST_EXTRA = 32.0
ORDER_WORTH = 40.0  # how much wider a picture may be that has all arguments in their order


def layered_layout(
    graph: Graph,
    direction: Direction = "TB",
    layer: list[int] | None = None,
    gap: float = LAYER_GAP,
) -> Layout:
    """Lay a graph out in layers (found by itself, if they are not given), sources first.

    A `gap` is at least between two layers.

    Left to right is the same layout of the boxes turned by a quarter, turned back.
    """
    turned = direction == "LR"
    sizes = tuple((h, w) for w, h in graph.sizes) if turned else graph.sizes
    upright = Graph(graph.inputs, sizes)
    layered = insert_dummies(upright, assign_layers(upright) if layer is None else layer)
    rows, x = _narrow(layered, [size[0] for size in sizes])
    top, bottom = _borders(layered, rows, sizes, x, gap)
    edges = route(upright, layered, x, top, bottom)
    centres = [(x[i], (top[i] + bottom[i]) / 2) for i in range(layered.real)]
    if turned:
        centres = [(y, x) for x, y in centres]
        edges = tuple(replace(e, points=tuple((y, x) for x, y in e.points)) for e in edges)
    placed = fitted(graph, centres, edges, direction, "builtin")
    return replace(placed, crossings=count_crossings(layered, rows))


def _narrow(layered: Layered, widths: list[float]) -> tuple[list[list[int]], list[float]]:
    """Order and place the nodes of each row: arguments in their order, or sources on one side.

    Arguments lose their order, and symmetry, only where that makes the whole narrower: a picture
    that is wider than its window is seen in part.
    """
    widths = widths + [0.0] * (len(layered.layer) - layered.real)
    found = []
    for one_side in (False, True) if len(layered.layer) < SMALL else (False,):
        rows = order_rows(layered, rows_of(layered, sources_last=one_side))
        x = assign_coordinates(layered, rows, widths, one_side)
        low, high = bounds(x, widths) if x else (0.0, 0.0)
        worth = ORDER_WORTH if one_side else 0.0
        found.append((count_crossings(layered, rows), high - low + worth, rows, x))
    _, _, rows, x = min(found, key=lambda each: each[:2])
    return rows, x


def _borders(
    layered: Layered, rows: list[list[int]], sizes: tuple[tuple[float, float], ...],
    x: list[float], gap: float,
) -> tuple[list[float], list[float]]:  # fmt: skip
    """Stack the rows; a box is centred in its row, a dummy takes all of the row's height."""
    top, bottom = [0.0] * len(layered.layer), [0.0] * len(layered.layer)
    y = 0.0
    for row in rows:
        y += _gap_above(layered, row, x, gap)
        height = max((sizes[node][1] for node in row if node < layered.real), default=0.0)
        for node in row:
            own = sizes[node][1] if node < layered.real else height
            top[node], bottom[node] = y + (height - own) / 2, y + (height + own) / 2
        y += height
    return top, bottom


def _gap_above(layered: Layered, row: list[int], x: list[float], gap: float) -> float:
    """Leave more room where an edge goes far sideways, or its curve becomes flat."""
    far = max((abs(x[node] - x[up]) for node in row for up in layered.above[node]), default=0.0)
    return gap + min(far / 24, WIDEST_EXTRA)


def fitted(
    graph: Graph,
    centres: list[Point],
    edges: tuple[Edge, ...],
    direction: Direction,
    engine: str,
) -> Layout:
    """Move everything into the positive quadrant with a margin and round to a tenth."""
    boxes = list(zip(centres, graph.sizes, strict=True))
    xs = [x + side * w / 2 for (x, _), (w, _) in boxes for side in (-1, 1)]
    ys = [y + side * h / 2 for (_, y), (_, h) in boxes for side in (-1, 1)]
    for edge in edges:
        xs += [x for x, _ in edge.points]
        ys += [y for _, y in edge.points]
    dx, dy = MARGIN - min(xs, default=0.0), MARGIN - min(ys, default=0.0)

    def moved(point: Point) -> Point:
        return round(point[0] + dx, 1), round(point[1] + dy, 1)

    shifted = tuple(replace(e, points=tuple(moved(p) for p in e.points)) for e in edges)
    width = round(max(xs, default=0.0) + dx + MARGIN, 1)
    height = round(max(ys, default=0.0) + dy + MARGIN, 1)
    positions = tuple(moved(centre) for centre in centres)
    return Layout(positions, graph.sizes, shifted, width, height, direction, engine)
