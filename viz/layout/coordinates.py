"""Where the nodes of each layer stand: straight long edges, parents above their children.

The method of Brandes and Köpf ("Fast and Simple Horizontal Coordinate Assignment", GD 2001):
align each node with its median neighbour, once for each of the four combinations of direction and
side, place the aligned blocks as close as the boxes allow, and take the mean of the two middle
answers. Each answer keeps every pair of neighbours apart, and therefore the mean does too.
"""

from __future__ import annotations

from collections.abc import Sequence

from .layers import Layered

GAP = 26.0
DUMMY_GAP = 14.0

Rows = list[list[int]]


def assign_coordinates(
    layered: Layered, rows: Rows, widths: Sequence[float], one_side: bool = False
) -> list[float]:
    """Give every node (dummies too) the x of its centre; the smallest left border is about 0.

    Args:
        layered: The graph.
        rows: Its layers in their final order.
        widths: Width of each node's box; 0 for dummies.
        one_side: Whether an op of sources alone stands below its first one, not between them.
    """
    forbidden = _crossing_inner_edges(layered, rows) | _side_edges(layered, one_side)
    answers = []
    for downwards in (True, False):
        for leftwards in (True, False):
            answers.append(_one_answer(layered, rows, widths, forbidden, downwards, leftwards))
    _align_to_narrowest(answers, widths)
    middle = [sorted(values)[1:3] for values in zip(*answers, strict=True)]
    return [(low + high) / 2 for low, high in middle]


def _crossing_inner_edges(layered: Layered, rows: Rows) -> set[tuple[int, int]]:
    """Find edges that cross an edge between two dummies: those must not be made straight."""
    place = _places(layered, rows)
    forbidden: set[tuple[int, int]] = set()
    for upper, lower in zip(rows, rows[1:], strict=False):
        left, done = -1, 0
        for index, node in enumerate(lower):
            inner = _inner_parent(layered, node)
            if inner is None and index < len(lower) - 1:
                continue
            right = place[inner] if inner is not None else len(upper)
            for other in lower[done : index + 1]:
                for parent in layered.above[other]:
                    is_inner = parent >= layered.real and other >= layered.real
                    if not is_inner and not left <= place[parent] <= right:
                        forbidden.add((parent, other))
            left, done = right, index + 1
    return forbidden


def _inner_parent(layered: Layered, node: int) -> int | None:
    above = layered.above[node]
    is_inner = node >= layered.real and len(above) == 1 and above[0] >= layered.real
    return above[0] if is_inner else None


def _side_edges(layered: Layered, one_side: bool) -> set[tuple[int, int]]:
    """Find edges from a weight or constant into an op that also has an input which was computed.

    They must not pull: the path through the program stands straight, with its weights beside it.
    """
    is_side = [not above for above in layered.above]
    for dummy in range(layered.real, len(is_side)):
        is_side[dummy] = is_side[layered.above[dummy][0]]
    side: set[tuple[int, int]] = set()
    for node in range(layered.real):
        above = layered.above[node]
        if not all(is_side[parent] for parent in above):
            side.update((parent, node) for parent in above if is_side[parent])
        elif one_side:
            side.update((parent, node) for parent in above[1:])
    return side


def _without(
    neighbours: list[list[int]], forbidden: set[tuple[int, int]], downwards: bool
) -> list[list[int]]:
    """Drop the edges that must not be made straight."""
    if downwards:
        return [
            [p for p in around if (p, n) not in forbidden] for n, around in enumerate(neighbours)
        ]
    return [[c for c in around if (n, c) not in forbidden] for n, around in enumerate(neighbours)]


def _places(layered: Layered, rows: Rows) -> list[int]:
    place = [0] * len(layered.layer)
    for row in rows:
        for index, node in enumerate(row):
            place[node] = index
    return place


def _one_answer(
    layered: Layered,
    rows: Rows,
    widths: Sequence[float],
    forbidden: set[tuple[int, int]],
    downwards: bool,
    leftwards: bool,
) -> list[float]:
    """Align and place for one direction and side; the right side is the mirrored left one."""
    ordered = rows if downwards else rows[::-1]
    if not leftwards:
        ordered = [row[::-1] for row in ordered]
    neighbours = layered.above if downwards else layered.below
    neighbours = _trunks_first(layered, _without(neighbours, forbidden, downwards))
    place = _places(layered, ordered)
    root = _align(ordered, neighbours, place)
    x = _place_blocks(ordered, root, widths, layered.real)
    return x if leftwards else [-value for value in x]


def _trunks_first(layered: Layered, neighbours: list[list[int]]) -> list[list[int]]:
    """Let a dummy look at the next dummy of its edge only, so that long edges become straight."""
    chosen = neighbours[: layered.real]
    for around in neighbours[layered.real :]:
        dummies = [other for other in around if other >= layered.real]
        chosen.append(dummies or around)
    return chosen


def _align(rows: Rows, neighbours: list[list[int]], place: list[int]) -> list[int]:
    """Join each node with a median neighbour into blocks; give each node its block's root."""
    root = list(range(len(place)))
    for row in rows:
        limit = -1
        for node in row:
            around = sorted(neighbours[node], key=place.__getitem__)
            half = (len(around) - 1) // 2
            for other in around[half : len(around) // 2 + 1]:
                if limit < place[other] and root[node] == node:
                    root[node] = root[other]
                    limit = place[other]
    return root


def _place_blocks(rows: Rows, root: list[int], widths: Sequence[float], real: int) -> list[float]:
    """Put every block as far left as its left neighbours allow, then pull it to its right ones."""
    after: dict[int, list[tuple[int, float]]] = {}
    waiting = [0] * len(root)
    for row in rows:
        for left, right in zip(row, row[1:], strict=False):
            gap = GAP if left < real and right < real else DUMMY_GAP
            distance = (widths[left] + widths[right]) / 2 + gap
            after.setdefault(root[left], []).append((root[right], distance))
            waiting[root[right]] += 1
    x = [0.0] * len(root)
    order = [node for node in range(len(root)) if root[node] == node and waiting[node] == 0]
    for block in order:
        for right, distance in after.get(block, ()):
            x[right] = max(x[right], x[block] + distance)
            waiting[right] -= 1
            if waiting[right] == 0:
                order.append(right)
    for block in reversed(order):
        room = [x[right] - distance for right, distance in after.get(block, ())]
        if room:
            x[block] = max(x[block], min(room))
    return [x[block] for block in root]


def _align_to_narrowest(answers: list[list[float]], widths: Sequence[float]) -> None:
    """Shift the answers onto the narrowest one: left-leaning by left borders, others by right."""
    if not answers[0]:
        return
    borders = [bounds(answer, widths) for answer in answers]
    low, high = min(borders, key=lambda pair: pair[1] - pair[0])
    for index, answer in enumerate(answers):
        shift = low - borders[index][0] if index % 2 == 0 else high - borders[index][1]
        answer[:] = [value + shift for value in answer]


def bounds(x: list[float], widths: Sequence[float]) -> tuple[float, float]:
    """Give the left border of the leftmost box, and the right one of the rightmost."""
    low = min(value - width / 2 for value, width in zip(x, widths, strict=True))
    return low, max(value + width / 2 for value, width in zip(x, widths, strict=True))
