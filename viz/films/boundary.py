"""What a model says about its inputs: a curve over one input, the boundary between two classes.

A square's area is the probability of class 1, so a model that does not know yet is an even grid,
and a black line runs where it changes its mind (0.5).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..picture.axes import Axes, room_for
from ..picture.canvas import Canvas, Circle, Path, Point, Squares, Style
from .shots import Numbers

SIDE = 28  # squares in a row of the plane
ALONG = 101  # points of a curve
MAX_DRAWN = 300


@dataclass(frozen=True)
class Plane:
    """The examples, and the grid of inputs about which the model is asked.

    Attributes:
        inputs: shape [n, 1] or [n, 2].
        outputs: n numbers; with two inputs 0 or 1.
        grid: shape [m, 1] or [m, 2], rows from the top left.
        dtype: of what the model is given.
    """

    inputs: Numbers
    outputs: Numbers
    grid: Numbers
    dtype: Any

    @property
    def has_classes(self) -> bool:
        """Whether there are two inputs, and so two classes."""
        return bool(self.inputs.shape[1] == 2)

    def asked(self) -> Any:
        """The inputs about which the model is asked: the grid, then the examples."""
        return np.concatenate([self.grid, self.inputs]).astype(self.dtype)

    def checked(self, says: Any, count: int) -> Numbers:
        """What the model says, as plain numbers.

        Raises:
            ValueError: if it is not one number for each input, or not a probability.
        """
        values = np.asarray(says.numpy() if hasattr(says, "numpy") else says).astype(np.float64)
        if values.size != count:
            raise ValueError(
                f"predict gave shape {values.shape} for {count} inputs; it has to give one number "
                "for each, for instance lambda x: tf.sigmoid(model(x))[:, 0]"
            )
        known = values[np.isfinite(values)]
        if self.has_classes and known.size and (known.min() < 0 or known.max() > 1):
            raise ValueError(
                f"predict gave numbers from {known.min():.4g} to {known.max():.4g}; with two "
                "inputs it has to give the probability of class 1: lambda x: tf.sigmoid(model(x))"
            )
        return values.ravel()

    def accuracy(self, says: Numbers) -> float:
        """The share of the examples on the right side of 0.5."""
        right = (says[len(self.grid) :] > 0.5) == (self.outputs > 0.5)
        return float(right.mean())


def plane_of(predict: Any, x: Any, y: Any) -> Plane | None:
    """The plane of some examples, None where there is no model to show.

    Raises:
        ValueError: if something is missing, or the shapes do not fit.
    """
    if predict is None and x is None and y is None:
        return None
    if predict is None or x is None or y is None:
        raise ValueError(
            "a picture of what the model says needs all three: viz.film(variables, predict=model, "
            "x=inputs, y=outputs)"
        )
    given = np.asarray(x.numpy() if hasattr(x, "numpy") else x)
    outputs = np.asarray(y.numpy() if hasattr(y, "numpy") else y, np.float64).ravel()
    inputs = given.reshape(len(given), -1).astype(np.float64) if given.ndim else np.zeros((0, 0))
    if inputs.ndim != 2 or inputs.shape[1] not in (1, 2) or len(inputs) != len(outputs):
        raise ValueError(
            f"x has shape {given.shape} and y {outputs.size} numbers; a film shows models of one "
            "or two inputs: x of shape [n, 1] or [n, 2], y of n numbers; else leave all three out"
        )
    if inputs.shape[1] == 2 and not np.isin(outputs, (0, 1)).all():
        raise ValueError("with two inputs y has to be 0 or 1 for each example: the class")
    dtype = given.dtype if given.dtype.kind == "f" else np.dtype(np.float32)
    return Plane(inputs, outputs, _grid(inputs), dtype)


def _grid(inputs: Numbers) -> Numbers:
    if inputs.shape[1] == 1:
        return np.linspace(*room_for(inputs), ALONG)[:, None]
    (left, right), (low, high) = room_for(inputs[:, 0]), room_for(inputs[:, 1])
    across = left + (np.arange(SIDE) + 0.5) * (right - left) / SIDE
    down = high - (np.arange(SIDE) + 0.5) * (high - low) / SIDE
    return np.stack([each.ravel() for each in np.meshgrid(across, down)], 1)


def draw_plane(canvas: Canvas, plane: Plane, says: Numbers, corner: Point, side: float) -> None:
    """Draws what a model says, and the examples over it, in a square of so many pixels."""
    if plane.has_classes:
        _boundary(canvas, plane, says[: len(plane.grid)].reshape(SIDE, SIDE), corner, side)
    else:
        _curve(canvas, plane, says, corner, side)


def _boundary(canvas: Canvas, plane: Plane, table: Numbers, corner: Point, side: float) -> None:
    cell = side / SIDE
    left, top = corner
    known = np.nan_to_num(table)
    squares = tuple(
        (left + (j + 0.5) * cell, top + (i + 0.5) * cell, (cell - 1) * float(np.sqrt(p)))
        for (i, j), p in np.ndenumerate(known)
        if p > 1e-3
    )
    canvas.add(Squares(squares, Style(fill="band-0-line")))
    canvas.box(left, top, side, side, Style(stroke="constant-line"))
    for start, end in _between(known > 0.5):
        points = tuple((left + j * cell, top + i * cell) for i, j in (start, end))
        canvas.add(Path(points, Style(stroke="ink", width=2.5)))
    (low, high), (bottom, up) = room_for(plane.inputs[:, 0]), room_for(plane.inputs[:, 1])
    axes = Axes(canvas, (left, top, side, side), (low, high), (bottom, up))
    examples = list(zip(plane.inputs.tolist(), plane.outputs.tolist(), strict=True))[:MAX_DRAWN]
    for (x, y), label in examples:
        if label:
            canvas.add(Squares(((*axes.place(x, y), 8.5),), Style(fill="ink", stroke="paper")))
        else:
            canvas.add(Circle(axes.place(x, y), 4.5, Style(fill="paper", stroke="ink", width=1.8)))


def _between(inside: Any) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The edges between cells that are inside and cells that are not, joined where straight."""
    edges = []
    for turned, table in ((False, inside), (True, inside.T)):
        differs = table[1:] != table[:-1]
        for i, row in enumerate(differs.tolist(), 1):
            for is_edge, run in itertools.groupby(enumerate(row), lambda item: item[1]):
                places = [j for j, _ in run]
                if is_edge:
                    start, end = (i, places[0]), (i, places[-1] + 1)
                    edges.append((start[::-1], end[::-1]) if turned else (start, end))
    return edges


def _curve(canvas: Canvas, plane: Plane, says: Numbers, corner: Point, side: float) -> None:
    box = (corner[0] + 34, corner[1], side - 34, side - 22)
    axes = Axes(canvas, box, room_for(plane.inputs), room_for(plane.outputs))
    axes.frame()
    drawn = list(zip(plane.inputs[:, 0].tolist(), plane.outputs.tolist(), strict=True))
    for x, y in drawn[:MAX_DRAWN]:
        canvas.add(Circle(axes.place(x, y), 4, Style(fill="paper", stroke="ink", width=1.8)))
    style = Style(stroke="source-line", width=3)
    axes.line(plane.grid[:, 0], says[: len(plane.grid)], style)
