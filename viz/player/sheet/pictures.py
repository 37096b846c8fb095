"""The pictures beside an equation: an op's curve, contributions as they arrive, probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...base.numbers import value_of
from ...export.items import Item, Look, Path, Rect, Run
from ..scene.parts import Bars, Curve, Fall
from .blocks import GREY, LINE, SMALLEST, Block, paragraph, text, width

BAR = 200.0  # the longest bar
INSET = 4.0  # between a curve and its frame


def fall(scene: Fall, room: float, size: float) -> Block:
    """What arrives at a node, one contribution a line, each from where the one before ends."""
    row, gap = size * 1.55, size * 0.7
    title = paragraph("title", [Run(f"What arrives at {scene.of}", bold=True)], size, room)
    top = title.height + size * 0.2
    labels = [_label(each.label, each.state) for each in scene.rows]
    texts = [
        Run(each.text, bold=each.state == "now", colour=GREY if each.state == "todo" else "orange")
        for each in scene.rows
    ]
    label = max(width(run, size) for run in labels)
    number = max(width(run, size) for run in texts)
    items: list[Item] = [title.at(0.0, 0.0)]
    if label + gap + number > room:  # the numbers below their labels
        for said, own in zip(labels, texts, strict=True):
            line = paragraph("contribution", [said, Run("  "), own], size, room)
            items.append(line.at(0.0, top))
            top += line.height
        return Block("contributions", room, top, tuple(items))
    bars = _bars([each.value for each in scene.rows], label + number + 2 * gap, room)
    for i, (said, own, each) in enumerate(zip(labels, texts, scene.rows, strict=True)):
        y = top + i * row
        items.append(text(label, y, said, size, "end"))
        items.append(text(label + gap + number, y, own, size, "end"))
        if bars:
            x0, x1, _ = bars[i]
            hue = {"todo": "rule", "now": "orange", "done": "green" if each.counted else "orange"}
            look = Look(hue[each.state]) if each.value >= 0 else Look("", hue[each.state], 1.25)
            items.append(
                Rect(min(x0, x1), y + size * 0.25, max(abs(x1 - x0), 1.0), size * 0.6, look)
            )
            if i:
                dots = Look("", GREY, 0.75, (1.5, 2.5))
                items.append(Path(((x0, y - row + size * 0.85), (x0, y + size * 0.25)), dots))
    wide = bars[0][2] if bars else label + gap + number
    return Block("contributions", max(wide, title.width), top + row * len(labels), tuple(items))


def _label(said: str, state: str) -> Run:
    return Run(said, bold=state == "now", colour=GREY if state == "todo" else "ink")


def _bars(values: Sequence[float], left: float, room: float) -> list[tuple[float, float, float]]:
    """From where to where each goes, head to tail, and where all of them end at the right."""
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    low, top = min(sums), max(sums)
    if room - left < 70 or not 0 < top - low < float("inf"):
        return []
    long = min(room - left - 4, BAR)
    ends = [left + 2 + (each - low) / (top - low) * long for each in sums]
    return [(a, b, left + 4 + long) for a, b in pairwise(ends)]


def bars(scene: Bars, room: float, size: float) -> Block:
    """Probabilities, the truth, and the one less the other: one class a line."""
    row, gap = size * 1.55, size
    names = [f"class {i}" for i in range(len(scene.predicted))]
    columns = [("softmax", scene.predicted, "blue"), ("truth", scene.truth, "ink")]
    columns.append(("difference", scene.left, "orange"))
    digits = [max(width(Run(t), size) for t in (*texts, head)) for head, texts, _ in columns]
    first = max(width(Run(n), size) for n in (*names, scene.label))
    used = first + sum(digits) + gap * 3
    bar = min(90.0, (room - used - 3 * gap) / 3)
    items: list[Item] = [text(0.0, 0.0, Run(scene.label, bold=True), size)]
    left = first + gap
    for (head, texts, hue), wide in zip(columns, digits, strict=True):
        items.append(text(left + wide, 0.0, Run(head, colour=GREY), size, "end"))
        for i, said in enumerate(texts):
            y = row * (i + 1)
            items.append(text(left + wide, y, Run(said), size, "end"))
            share = value_of(said)
            if bar >= 24 and share:
                long = max(abs(share) * bar, 1.0)
                look = Look(hue) if share > 0 else Look("", hue, 1.25)
                items.append(Rect(left + wide + 6, y + size * 0.25, long, size * 0.6, look))
        left += wide + (bar + 6 if bar >= 24 else 0.0) + gap
    for i, said in enumerate(names):
        items.append(text(0.0, row * (i + 1), Run(said, colour=GREY), size))
    return Block("probabilities", left - gap, row * (len(names) + 1), tuple(items))


def curve(scene: Curve, room: float, size: float, spare: float = 0.0) -> Block | None:
    """An op while one input moves: its curve, the recorded point, and the slope there.

    Args:
        scene: the curve.
        room: how wide it may be.
        size: of its letters.
        spare: how high it may be, where there is more room than it needs.
    """
    high = 9.5 * size if spare == float("inf") else min(max(9.5 * size, spare), 15.0 * size)
    wide = min(max(room, 0.0), 1.8 * high)
    small = max(SMALLEST, 0.85 * size)
    low_x, top_x = min(scene.x), max(scene.x)
    low_y, top_y = min(*scene.y, scene.at[1]), max(*scene.y, scene.at[1])  # beside a pole
    if wide < 120 or top_x <= low_x:
        return None
    margin = (top_y - low_y) * 0.08 or 1.0
    low_y, top_y = low_y - margin, top_y + margin
    head, foot = LINE * small, LINE * small + 4
    plot = high - head - foot

    def spot(x: float, y: float) -> tuple[float, float]:
        return (
            INSET + (x - low_x) / (top_x - low_x) * (wide - 2 * INSET),
            head + (top_y - y) / (top_y - low_y) * plot,
        )

    items: list[Item] = [Rect(0.0, head, wide, plot, Look("", "rule", 1.0))]
    for axis in _axes(low_x, top_x, low_y, top_y):
        items.append(Path(tuple(spot(*end) for end in axis), Look("", "rule", 1.0)))
    line = Look("", "blue", 1.75)
    for piece in _pieces(scene):
        items.append(Path(tuple(spot(*each) for each in piece), line))
    at = spot(*scene.at)
    if scene.slope is not None:
        items += _tangent(scene, spot, (low_x, top_x, low_y, top_y))
    items.append(Path(((at[0], at[1]), (at[0], head + plot)), Look("", GREY, 0.75, (1.5, 2.5))))
    items.append(Path(((at[0], at[1]), (0.0, at[1])), Look("", GREY, 0.75, (1.5, 2.5))))
    r = 3.5
    items.append(Rect(at[0] - r, at[1] - r, 2 * r, 2 * r, Look("ink", "paper", 1.0), r))
    up = Run(f"{scene.up} = {scene.texts[1]}", colour="blue", math=True)
    along = Run(f"{scene.along} = {scene.texts[0]}", colour="blue", math=True)
    if max(width(up, small), width(along, small)) > room:
        return None
    items.append(text(0.0, 0.0, up, small))
    own = width(along, small)
    start = min(max(at[0] - own / 2, 0.0), max(wide, own) - own)
    items.append(text(start, head + plot + 4, along, small))
    return Block("curve", max(wide, own, width(up, small)), high, tuple(items))


def _axes(
    low_x: float, top_x: float, low_y: float, top_y: float
) -> list[tuple[tuple[float, float], ...]]:
    """The lines where a number is 0."""
    found: list[tuple[tuple[float, float], ...]] = []
    if low_x < 0 < top_x:
        found.append(((0.0, low_y), (0.0, top_y)))
    if low_y < 0 < top_y:
        found.append(((low_x, 0.0), (top_x, 0.0)))
    return found


def _pieces(scene: Curve) -> list[list[tuple[float, float]]]:
    """Points that belong together: a gap is where there were points that are not finite."""
    points = list(zip(scene.x, scene.y, strict=True))
    steps = sorted(b[0] - a[0] for a, b in pairwise(points))
    usual = steps[len(steps) // 2] if steps else 0.0
    found = [points[:1]]
    for a, b in pairwise(points):
        if b[0] - a[0] > 1.5 * usual:
            found.append([])
        found[-1].append(b)
    return [piece for piece in found if len(piece) > 1]


def _tangent(scene: Curve, spot: object, box: tuple[float, float, float, float]) -> list[Item]:
    """A piece of the line that has the slope, within the plot."""
    assert callable(spot)
    low_x, top_x, low_y, top_y = box
    (x, y), slope = scene.at, scene.slope or 0.0
    if not abs(slope) < float("inf"):
        return []
    half = (top_x - low_x) * 0.28
    ends = []
    for sign in (-1, 1):
        reach = half
        if slope:
            for edge in (low_y, top_y):
                far = (edge - y) / (slope * sign)
                if far > 0:
                    reach = min(reach, far)
        x1 = min(max(x + sign * reach, low_x), top_x)
        ends.append(spot(x1, y + slope * (x1 - x)))
    return [Path(tuple(ends), Look("", "orange", 2.5))]
