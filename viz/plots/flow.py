"""`viz.flow`: the length of each variable's gradient over training.

What counts is the ratio between layers (and between steps), so the axis is logarithmic; a gradient
of length zero, one that is None and one that is not finite are no points of such a line and get
signs of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minitape.values import nest
from minitape.variable import ResourceVariable

from ..base.numbers import short
from ..picture.axes import Axes
from ..picture.canvas import Canvas, Circle, Path, Style, moved_path, short_label
from ..record.lines import calling_frame
from ..record.names import own_name, tensors_in
from .exhibit import Exhibit, Frame, Moves, Table
from .flow_words import RATIO, as_table, is_finite, length, verdicts

MAX_LABELS = 10
MAX_FRAMES = 200
MAX_NOTED = 100_000
LEFT, TOP, WIDTH, HEIGHT, RIGHT = 84.0, 62.0, 560.0, 340.0, 230.0
LINES = (
    ("source-line", ""),
    ("target-line", "9 4"),
    ("variable-line", "2 4"),
    ("muted", "12 4 2 4"),
    ("ink", "5 3"),
    ("purple", ""),
    ("cotangent", "3 3"),
    ("edge", "14 4"),
)


class Flow(Exhibit):
    """Collects the lengths of gradients, and shows them.

    Attributes:
        names: of the variables, in the order of the layers.
        norms: for each step the length of each gradient; None where there was no gradient.
    """

    called = "a flow of gradients"

    def __init__(self, names: Sequence[str], norms: Sequence[Sequence[float | None]] = ()) -> None:
        self.names = list(names)
        self.norms = [list(row) for row in norms]

    def note(self, grads: Any) -> None:
        """Notes the gradients of one step.

        Args:
            grads: one for each variable, in their order, as `tape.gradient(loss, variables)`
                gives them; None counts as no gradient.

        Raises:
            ValueError: if there are more or fewer than variables.
        """
        flat = nest.flatten(grads)
        if len(flat) != len(self.names):
            raise ValueError(
                f"note got {len(flat)} gradients for {len(self.names)} variables: pass what "
                "tape.gradient(loss, variables) gives, with the same variables in the same order"
            )
        if len(self.norms) >= MAX_NOTED:
            raise ValueError(f"{MAX_NOTED:,} steps are noted; note only every tenth step")
        self.norms.append([length(g) for g in flat])

    @property
    def words(self) -> str:
        """What the gradients do: vanish, explode, are missing, or none of it."""
        if not self.norms:
            return "No step is noted yet: call note(grads) after each tape.gradient."
        found = verdicts(self.names, self.norms)
        steps = f"{len(self.norms)} step{'s'[: len(self.norms) != 1]}"
        return "\n".join(found) or (
            f"Healthy over {steps}: no gradient is missing, and none vanishes or explodes (they "
            f"stay within a factor of {short(RATIO)} of each other)."
        )

    def canvas(self) -> Canvas:
        """A line for each variable, its name at the end."""
        canvas = Canvas(LEFT + WIDTH + RIGHT, TOP + HEIGHT + 52, "Length of each gradient")
        canvas.text(14, 24, "Length of each gradient over training", size=15, bold=True)
        axes = self._axes(canvas)
        self._frame(axes)
        ends = []
        for j, name in enumerate(self.names):
            colour, dash = LINES[j % len(LINES)]
            ys = [_height(row[j]) for row in self.norms]
            xs = list(range(len(ys)))
            axes.line(xs, ys, Style(stroke=colour, width=2.5, dash=dash))
            for i in _alone(ys):
                canvas.add(Circle(axes.place(i, ys[i]), 3, Style(fill=colour)))
            self._signs(axes, j, colour)
            known = [i for i in xs if math.isfinite(ys[i])]
            end = axes.place(known[-1], ys[known[-1]])[1] if known else TOP + HEIGHT
            ends.append((end, j, name if known else f"{short_label(name, 14)} (none)"))
        _labels(canvas, ends)
        self._explain_signs(canvas)
        if self.norms:
            edge = Style(stroke="now-line", width=1.5, dash="3 3")
            at = axes.place(len(self.norms) - 1, 0)[0]
            canvas.add(Path(((at, TOP), (at, TOP + HEIGHT)), edge, name="now"))
        return canvas

    def _axes(self, canvas: Canvas) -> Axes:
        heights = [_height(v) for row in self.norms for v in row]
        finite = [h for h in heights if math.isfinite(h)] or [0.0]
        low, high = math.floor(min(finite)), math.ceil(max(finite))
        span = (0.0, float(max(len(self.norms) - 1, 1)))
        return Axes(canvas, (LEFT, TOP, WIDTH, HEIGHT), span, (low - 0.1, max(high, low + 1) + 0.1))

    def _frame(self, axes: Axes) -> None:
        """Powers of ten upwards, steps across."""
        canvas, low, high = axes.canvas, math.ceil(axes.y[0]), math.floor(axes.y[1])
        for power in range(low, high + 1, max(1, -(-(high - low) // 9))):
            at = axes.place(0, power)[1]
            line = Style(stroke="constant")
            canvas.add(Path(((LEFT, at), (LEFT + WIDTH, at)), line))
            canvas.text(LEFT - 8, at + 4, _power(power), anchor="end", colour="muted")
        count = len(self.norms)
        for step in range(0, count, max(1, -(-count // 8))):
            at = axes.place(step, 0)[0]
            canvas.text(at, TOP + HEIGHT + 17, str(step), anchor="middle", colour="muted")
        canvas.box(LEFT, TOP, WIDTH, HEIGHT, Style(stroke="edge"))
        canvas.text(LEFT + WIDTH, TOP + HEIGHT + 36, "step", anchor="end", bold=True)
        canvas.text(LEFT, TOP - 9, "‖gradient‖", bold=True)

    def _signs(self, axes: Axes, j: int, colour: str) -> None:
        """At the top where a gradient is not finite, at the bottom where it is zero."""
        for i, row in enumerate(self.norms[:2000]):
            x = axes.place(i, 0)[0]
            if not is_finite(row[j]):
                place, mark = (
                    (x, TOP + 12 + 3 * j % 30),
                    Style(fill="paper", stroke="purple", width=2),
                )
                axes.canvas.add(Circle(place, 4, mark))
            elif row[j] == 0:
                place = (x, TOP + HEIGHT - 6)
                axes.canvas.add(Circle(place, 2.5, Style(fill="paper", stroke=colour)))

    def _explain_signs(self, canvas: Canvas) -> None:
        """Says what the signs at the edges mean, if there are any."""
        table, y = as_table(self.norms), TOP + HEIGHT + 36
        if not all(is_finite(v) for row in self.norms for v in row):
            canvas.add(Circle((LEFT + 6, y - 4), 4, Style(stroke="purple", width=2)))
            canvas.text(LEFT + 16, y, "not finite", colour="muted")
        if (table == 0).any():
            canvas.add(Circle((LEFT + 116, y - 4), 2.5, Style(stroke="ink")))
            canvas.text(LEFT + 126, y, "exactly zero", colour="muted")

    def moves(self) -> Moves:
        """A frame per step (of evenly spaced ones)."""
        axes = self._axes(Canvas(0, 0, ""))
        count = len(self.norms)
        chosen = np.unique(np.linspace(0, count - 1, min(count, MAX_FRAMES)).round().astype(int))
        frames = []
        for i in chosen.tolist() if count else []:
            at = axes.place(i, 0)[0]
            now = moved_path(((at, TOP), (at, TOP + HEIGHT)))
            frames.append(Frame((at, TOP), {"now": now}, self._says(i)))
        return Moves(frames, len(frames) - 1, "Step of the training", "x")

    def _says(self, i: int) -> str:
        parts = [
            f"{short_label(name, 24)} {'None' if v is None else short(v)}"
            for name, v in list(zip(self.names, self.norms[i], strict=True))[:MAX_LABELS]
        ]
        more = f", and {len(self.names) - MAX_LABELS} more" * (len(self.names) > MAX_LABELS)
        return f"Step {i}: {', '.join(parts)}{more}."

    def table(self) -> Table:
        """The lengths at the first, a middle and the last step."""
        count = len(self.norms)
        steps = sorted({0, count // 2, count - 1}) if count else []
        rows = [
            [
                name,
                *("None" if self.norms[i][j] is None else short(self.norms[i][j]) for i in steps),
            ]
            for j, name in enumerate(self.names)
        ]
        return Table("Numbers", ("variable", *(f"step {i}" for i in steps)), rows)


def _height(value: float | None) -> float:
    if value is None or not math.isfinite(value) or value <= 0:
        return math.nan
    return math.log10(value)


def _alone(ys: Sequence[float]) -> list[int]:
    """The points without a neighbour: no line goes through them."""
    known = [False, *map(math.isfinite, ys), False]
    return [i for i in range(len(ys)) if known[i + 1] and not known[i] and not known[i + 2]]


def _power(power: int) -> str:
    digits = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return f"10{str(power).translate(digits)}"


def _labels(canvas: Canvas, ends: list[tuple[float, int, str]]) -> None:
    """Names at the ends of their lines, pushed apart, each with a piece of its line."""
    chosen = sorted(ends)
    if len(chosen) > MAX_LABELS:
        picked = np.linspace(0, len(chosen) - 1, MAX_LABELS).round().astype(int).tolist()
        chosen = [chosen[i] for i in picked]
    at = [max(y, TOP + 6) for y, _, _ in chosen]
    for i in range(1, len(at)):
        at[i] = max(at[i], at[i - 1] + 18)
    below = max(0.0, at[-1] - (TOP + HEIGHT)) if at else 0.0
    for i in reversed(range(len(at))):
        limit = at[i + 1] - 18 if i + 1 < len(at) else TOP + HEIGHT
        at[i] = min(at[i], limit) if below else at[i]
    for y, (end, j, name) in zip(at, chosen, strict=True):
        colour, dash = LINES[j % len(LINES)]
        right = LEFT + WIDTH
        canvas.add(Path(((right + 2, end), (right + 12, y)), Style(stroke="edge")))
        piece = ((right + 14, y), (right + 40, y))
        canvas.add(Path(piece, Style(stroke=colour, width=2.5, dash=dash)))
        canvas.text(right + 46, y + 4, short_label(name, 22))


def flow(variables: Any) -> Flow:
    """A recorder of gradient lengths over training; `note` it each step, then show it.

    Args:
        variables: the variables in the order of the layers, or a history: a dict from names to
            lists of lengths, one for each step.

    Raises:
        TypeError: if there is something else than variables or tensors among them.
        ValueError: if the lists of a history have different lengths.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> w = tf.Variable(4.0)
        >>> recorder = viz.flow([w])
        >>> for _ in range(3):
        ...     with tf.GradientTape() as tape:
        ...         loss = w * w
        ...     grads = tape.gradient(loss, [w])
        ...     recorder.note(grads)
        ...     _ = w.assign_sub(0.25 * grads[0])
        >>> [row[0] for row in recorder.norms]
        [8.0, 4.0, 2.0]
    """
    if isinstance(variables, Mapping) and all(
        isinstance(each, list | tuple | np.ndarray) for each in variables.values()
    ):
        return _from_history(variables)
    flat = nest.flatten(variables)
    wrong = [
        each for each in flat if not isinstance(each, ResourceVariable) and not _is_tensor(each)
    ]
    if wrong or not flat:
        got = repr(wrong[0])[:60] if wrong else "nothing"
        raise TypeError(
            f"viz.flow needs variables, got {got}. Write "
            "recorder = viz.flow(model.trainable_variables) before the training."
        )
    names = tensors_in(calling_frame(), flat)
    called = [names[v.id][0] if v.id in names else _own_name(v, i) for i, v in enumerate(flat)]
    return Flow(called)


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "spec") and hasattr(value, "dtype")


def _own_name(variable: Any, position: int) -> str:
    try:
        return own_name(variable)
    except AttributeError:
        return f"variable {position}"


def _from_history(history: Mapping[str, Sequence[float | None]]) -> Flow:
    lengths = {len(each) for each in history.values()}
    if len(lengths) > 1:
        raise ValueError(
            f"the lists of the history have {sorted(lengths)} elements; each needs one per step"
        )
    rows = zip(*history.values(), strict=True)
    return Flow(
        [str(name) for name in history],
        [[None if v is None else float(v) for v in row] for row in rows],
    )
