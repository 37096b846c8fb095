"""The pictures of a film: the variables with what arrives at them, and the curve of the loss.

Every step and every run has the same places and the same scales, so what changes from picture to
picture is the training alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..base.numbers import short
from ..picture.axes import Axes, room_for, ticks
from ..picture.canvas import Canvas, Circle, Path, Point, Squares, Style, short_label
from ..player.ways import sign_of
from .boundary import draw_plane
from .run import Run
from .shots import Glance, Numbers, Shot
from .sizes import Points, draw_sizes, layer_of, room_beside, sizes

if TYPE_CHECKING:
    from ..trace.trace import Node, Trace

SIDE = 370.0  # of the picture of what the model says
CURVE = 640.0  # how long the loss is drawn at least
MAX_ROWS = 14
NARROW_BOX, BOX = 154.0, 236.0  # of a variable, where two runs stand side by side and where one is
DASHES = ("", "8 5", "2 4", "12 4 2 4")
MAX_POINTS = 700
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Powers = tuple[int, int]


def powers(runs: Sequence[Run]) -> Powers:
    """The powers of ten between which the sizes of all gradients lie, at least two apart."""
    sizes = [g.size for run in runs for shot in run.shots for g in shot.gradients if g]
    known = [math.log10(size) for size in sizes if 0 < size < math.inf]
    low, high = (math.floor(min(known)), math.ceil(max(known))) if known else (-2, 0)
    return (low if high - low > 1 else high - 2), high


def rows_shown(names: Sequence[str]) -> list[int]:
    """Which variables have a row: all, else the first of each layer, else evenly spaced ones.

    Example:
        >>> rows_shown(["a.kernel", "a.bias", "b.kernel", "b.bias"])
        [0, 1, 2, 3]
        >>> rows_shown([f"l{i}.{own}" for i in range(10) for own in ("kernel", "bias")])
        [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]
    """
    places = list(range(len(names)))
    if len(names) > MAX_ROWS:
        firsts = {layer_of(name): i for i, name in reversed(list(enumerate(names)))}
        places = sorted(firsts.values())
    spread = np.linspace(0, len(places) - 1, min(len(places), MAX_ROWS)).round()
    return sorted({places[int(at)] for at in spread})


def leads(trace: Trace, first: int, second: int) -> bool:
    """Whether the path of one variable to the loss goes by where another one is used."""
    nodes = trace.nodes
    users = [node.id for node in nodes if second in node.inputs]
    if any(_adds(nodes, user, first) for user in users):
        return False  # the second is what is added behind the first, such as a bias
    reached = {first}
    for node in nodes:
        if not reached.isdisjoint(node.inputs):
            reached.add(node.id)
    return bool(users) and any(user in reached for user in users)


def _adds(nodes: Sequence[Node], user: int, first: int) -> bool:
    """Whether an op adds something to what another op made of a variable."""
    made = any(first in nodes[i].inputs for i in nodes[user].inputs)
    return made and sign_of(nodes[user]) == "+"


def arrows(run: Run) -> list[bool]:
    """For each shown variable but the last: whether an arrow leads on to the next."""
    shown = rows_shown(run.names)
    trace = next((shot.trace for shot in run.shots if shot.trace), None)
    if trace is None or len(trace.sources) != len(run.names):
        return [False] * max(0, len(shown) - 1)
    return [
        layer_of(run.names[a]) != layer_of(run.names[b])
        and leads(trace, trace.sources[a], trace.sources[b])
        for a, b in pairwise(shown)
    ]


def draw_variables(
    canvas: Canvas, run: Run, shot: Shot, scale: Powers, corner: Point, width: float
) -> None:
    """Draws each variable with its value, its gradient and how large that is."""
    left, top = corner
    shown = rows_shown(run.names)
    height = min(92.0, (SIDE - 16) / len(shown))
    box = BOX if width > 400 else NARROW_BOX
    lead = arrows(run)
    _scale(canvas, scale, (left + box + 12, top), width - box - 26, height * len(shown))
    for row, i in enumerate(shown):
        y = top + row * height
        gap = min(16.0, height * 0.24)
        _row(canvas, run, shot, i, (left, y, box, height - gap))
        room = (left + box + 12, y, width - box - 26, height - gap)
        _bar(canvas, shot.gradients[i], scale, room)
        if row < len(lead) and lead[row]:
            _arrow(canvas, left + 24, y + height - gap, gap)
    if len(run.names) > len(shown):
        said = f"{len(shown)} of {len(run.names)} variables"
        canvas.text(left, top + SIDE - 2, said, colour="muted")


def _arrow(canvas: Canvas, x: float, y: float, length: float) -> None:
    line = Style(stroke="edge", width=1.5)
    canvas.add(Path(((x, y), (x, y + length)), line))
    tip = ((x - 4, y + length - 6), (x + 4, y + length - 6), (x, y + length))
    canvas.add(Path(tip, Style(fill="edge"), closed=True))


def _row(
    canvas: Canvas, run: Run, shot: Shot, i: int, room: tuple[float, float, float, float]
) -> None:
    left, top, width, height = room
    half = (width - 30) / 2
    value, slope = shot.values[i], shot.gradients[i]
    canvas.box(left, top, width, height, Style(fill="variable", stroke="variable-line", width=1.5))
    shape = "" if value.text else str(list(value.shape))
    name = _called(run.names[i], int(width / 8.5) - len(shape))
    canvas.text(left + 8, top + min(16, height - 5), name, size=13, bold=True)
    right = left + width - 8
    canvas.text(right, top + min(16, height - 5), shape, size=11, anchor="end", colour="muted")
    if height < 38:
        return
    marks = (left + 8, top + 22, half, height - 27)
    if value.text:
        canvas.text(left + 8, top + 32, value.text, colour="source-line")
    else:
        draw_marks(canvas, value.marks, marks, "source-line")
    if slope is not None and not slope.text:
        canvas.text(left + half + 12, top + 33, "∂", size=13, colour="cotangent", bold=True)
        draw_marks(
            canvas, slope.marks, (left + half + 24, top + 22, half, height - 27), "cotangent"
        )


def _called(name: str, room: int) -> str:
    """A name in so many letters; of `normalization.gamma` the own name is kept."""
    layer = layer_of(name)
    own = name[len(layer) :]  # with its slash or dot
    if len(name) <= room or not own:
        return short_label(name, room)
    return f"{short_label(layer, max(2, room - len(own)))}{own}"


def _scale(canvas: Canvas, scale: Powers, corner: Point, width: float, height: float) -> None:
    low, high = scale
    for power in _numbered(scale, width):
        x = corner[0] + width * (power - low) / (high - low)
        said = f"1e{power}" if power else "1"
        where = "middle" if power > low else "start"
        canvas.text(x, corner[1] + height + 10, said, size=11, anchor=where, colour="muted")


def _numbered(scale: Powers, width: float) -> range:
    """The powers of ten that have a number below, as many as there is room for."""
    low, high = scale
    return range(low, high + 1, max(1, math.ceil(46 * (high - low) / width)))


def _bar(
    canvas: Canvas,
    slope: Glance | None,
    scale: Powers,
    room: tuple[float, float, float, float],
) -> None:
    left, top, width, height = room
    thick = min(20.0, height * 0.5)
    frame = Style(fill="none", stroke="constant-line", dash="" if slope else "4 3")
    canvas.box(left, top, width, thick, frame)
    for power in _numbered(scale, width)[1:]:
        x = left + width * (power - scale[0]) / (scale[1] - scale[0])
        canvas.add(Path(((x, top), (x, top + thick)), Style(stroke="constant-line", dash="1 4")))
    said = "None: no path to the loss" if slope is None else f"∂ {slope.text or short(slope.size)}"
    if slope is not None and 0 < slope.size < math.inf:
        share = (math.log10(slope.size) - scale[0]) / (scale[1] - scale[0])
        canvas.box(left, top, max(2.0, width * min(share, 1)), thick, Style(fill="cotangent"))
    elif slope is not None:
        said = f"∂ is {'exactly 0' if slope.size == 0 else 'not finite'}"
    if height >= 36:
        canvas.text(left, top + thick + 15, said, colour="cotangent", bold=True)
    elif slope is None or not 0 < slope.size < math.inf:
        canvas.text(left + 4, top + thick - 1, said, size=11, colour="cotangent")


def draw_loss(
    canvas: Canvas, runs: Sequence[Run], top: float, height: float,
    lines: dict[str, Points] | None = None, more: float = 0.0, now: int | None = None,
    left: float = 0.0,
) -> Axes:  # fmt: skip
    """Draws the loss of every run over its steps, on one scale; the cursor is named `cursor`.

    Below it, in a room so much higher, the sizes of the gradients, if `lines` are given.
    """
    last = max([len(run.losses) - 1 for run in runs] + [1])
    losses = [v for run in runs for v in run.losses]
    beside = room_beside(lines) if lines else 0.0
    box = (left + 56.0, top + 24, canvas.width - left - 76 - beside, height - 58)
    axes = Axes(canvas, box, (0.0, float(last)), _room_of(runs, losses))
    axes.frame(y_name="loss", x_ticks=False)
    foot = box[1] + box[3]
    numbered = ticks(0, last, max(3, int((canvas.width - left) / 170)))
    for value in numbered if last > 10 else range(last + 1):
        at = axes.place(value, 0)[0]
        canvas.text(at, foot + 18, f"{value:g}", anchor="middle", colour="muted")
    canvas.text(box[0] + box[2], foot + 32, "step", anchor="end", bold=True)
    for number, run in enumerate(runs):
        steps, values = thinned(run.losses)
        style = Style(stroke="ink", width=2.5, dash=DASHES[number % len(DASHES)])
        axes.line(steps, values, style)
    _names(axes, runs)
    for step in steps_of(runs):
        dot = Style(fill="paper", stroke="ink", width=1.5)
        canvas.add(Circle((axes.place(step, 0)[0], foot), 4, dot))
    at = axes.place(last if now is None else now, 0)[0]
    if lines:
        high = more - 44
        draw_sizes(canvas, lines, (box[0], top + height + 30, box[2], high), float(last))
        foot = top + height + 30 + high
    line = Style(stroke="now-line", width=3)
    canvas.add(Path(((at, axes.box[1]), (at, foot)), line, name="cursor"))
    return axes


def _room_of(runs: Sequence[Run], losses: Sequence[float]) -> tuple[float, float]:
    """The range of the losses: what runs away may be cut, where a run began never."""
    low, high = room_for(losses)
    began = [run.losses[0] for run in runs if run.losses and math.isfinite(run.losses[0])]
    first_low, first_high = room_for([*began, low, high]) if began else (low, high)
    return (
        first_low if began and min(began) < low else low,
        first_high if began and max(began) > high else high,
    )


def _names(axes: Axes, runs: Sequence[Run]) -> None:
    """What the lines are called, in a row above them, each with a piece of its line."""
    if len(runs) < 2:
        return
    x, y = axes.box[0] + 60, axes.box[1] - 13
    for number, run in enumerate(runs):
        style = Style(stroke="ink", width=2.5, dash=DASHES[number % len(DASHES)])
        axes.canvas.add(Path(((x, y), (x + 34, y)), style))
        name = short_label(called(run, number), 16)
        axes.canvas.text(x + 40, y + 4, name, bold=True)
        x += 60 + 8 * len(name)


def called(run: Run, number: int) -> str:
    """`A tanh`: a run by its letter and its title."""
    return f"{LETTERS[number % len(LETTERS)]} {run.title}".strip()


def thinned(losses: Sequence[float]) -> tuple[list[int], list[float]]:
    """Steps and losses of a long curve: the lowest and the highest of each stretch.

    Example:
        >>> thinned([3.0, 1.0])
        ([0, 1], [3.0, 1.0])
    """
    if len(losses) <= 2 * MAX_POINTS:
        return list(range(len(losses))), list(losses)
    values = np.array(losses)
    kept: set[int] = {0, len(losses) - 1}
    for part in np.array_split(np.arange(len(losses)), MAX_POINTS):
        finite = np.where(np.isfinite(values[part]), values[part], 0)
        kept |= {int(part[finite.argmin()]), int(part[finite.argmax()])}
        kept |= set(part[~np.isfinite(values[part])][:1].tolist())
    steps = sorted(kept)
    return steps, [losses[i] for i in steps]


def steps_of(runs: Sequence[Run]) -> list[int]:
    """The steps that any of the runs kept."""
    return sorted({shot.step for run in runs for shot in run.shots})


def shot_at(run: Run, step: int) -> Shot:
    """The last kept step of a run up to a step; the first where there is none."""
    return next((shot for shot in reversed(run.shots) if shot.step <= step), run.shots[0])


def panel(run: Run, shot: Shot, scale: Powers, width: float) -> tuple[Canvas | None, Canvas]:
    """What the model says at a kept step (None without a model), and its variables."""
    plane = None
    if run.plane is not None and shot.says is not None:
        plane = Canvas(SIDE, SIDE, f"What the model says after {shot.step} steps")
        draw_plane(plane, run.plane, shot.says, (1, 1), SIDE - 2)
    variables = Canvas(width, SIDE, f"The variables after {shot.step} steps")
    draw_variables(variables, run, shot, scale, (1, 1), width - 2)
    return plane, variables


def still(runs: Sequence[Run], step: int | None = None, is_wide: bool = False) -> Canvas:
    """A kept step of every run, by default the last, and the curve of the loss below or beside."""
    shown = [run for run in runs if run.shots]
    if not shown:
        canvas = Canvas(480, 60, "A film without a step")
        canvas.text(16, 34, "No step is noted yet: call note(tape, loss) in the loop.", size=13)
        return canvas
    wide = 320.0
    has_plane = any(run.plane for run in shown)
    each = wide + 36 + (SIDE + 16) * has_plane
    is_wide = is_wide and each * len(shown) <= CURVE + 200
    left = each * len(shown) if is_wide else 0.0
    width = left + CURVE if is_wide else max(each * len(shown), CURVE)
    lines = sizes(shown[0]) if len(shown) == 1 else {}
    more = 170.0 if lines else 0.0
    high = max(SIDE + 60, 260 + more) if is_wide else SIDE + 60 + 250 + more
    canvas = Canvas(width, high, runs[0].title or "A training film")
    for number, run in enumerate(shown):
        start = 12 + number * each
        shot = run.shots[-1] if step is None else shot_at(run, step)
        name = f"{called(run, number)} " if len(runs) > 1 else ""
        said = f"{name}after {shot.step} steps: loss {short(shot.loss)}"
        canvas.text(start, 26, said, size=15, bold=True)
        if run.plane is not None and shot.says is not None:
            draw_plane(canvas, run.plane, shot.says, (start, 44), SIDE)
        corner = (start + (SIDE + 16) * has_plane, 44.0)
        draw_variables(canvas, run, shot, powers(shown), corner, wide)
    draw_loss(canvas, shown, 16.0 if is_wide else SIDE + 66, 240, lines, more, step, left)
    return canvas


# Numbers as squares: area says how much, filled is positive, hollow negative, a dot is zero.


def draw_marks(
    canvas: Canvas, marks: Numbers, room: tuple[float, float, float, float], colour: str
) -> None:
    """Draws numbers as squares: area how much, filled positive, hollow negative, a dot zero."""
    rows, columns = marks.shape
    if not marks.size:
        return
    left, top, width, height = room
    cell = min(width / columns, height / rows, 11.0)
    finite = np.where(np.isfinite(marks), marks, 0.0)
    largest = float(np.abs(finite).max()) or 1.0
    kinds: dict[str, list[tuple[float, float, float]]] = {"filled": [], "hollow": [], "zero": []}
    for (i, j), number in np.ndenumerate(finite):
        place = (left + (j + 0.5) * cell, top + (i + 0.5) * cell)
        side = max((cell - 1) * math.sqrt(abs(number) / largest), 1.6)
        kind = "filled" if number > 0 else "hollow" if number < 0 else "zero"
        kinds[kind].append((*place, 1.2 if kind == "zero" else side - 1.1 * (kind == "hollow")))
    canvas.box(left, top, columns * cell, rows * cell, Style(fill="paper", stroke="part-line"))
    canvas.add(Squares(tuple(kinds["filled"]), Style(fill=colour)))
    canvas.add(Squares(tuple(kinds["hollow"]), Style(stroke=colour, width=1.1)))
    canvas.add(Squares(tuple(kinds["zero"]), Style(fill="muted")))
