"""Pictures of a step as plain data: curves, contributions as they arrive, bars, arrays as marks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.safety.silence import Silence

from ...base.numbers import short
from .again import values_of
from .claims import exact
from .meeting import place
from .naming import ordinal
from .parts import Bars, Contribution, Curve, Fall, Marks, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...trace.arrays import Array
    from ...trace.trace import Step, Trace
    from .naming import Names
    from .working import Worked, Workings

POINTS = 61
MOST_MARKS = 4096
MOST_CONTRIBUTIONS = 24
CLASSES = 10
NAN, INFINITY = 128, 129


class Shown(NamedTuple):
    """An array of a step: its caption, its name in equations, and whose it is."""

    caption: str
    role: Role
    array: Array | None
    name: str
    node: int


class Pictures:
    """Makes the pictures of the steps of one trace."""

    def __init__(self, trace: Trace, names: Names, workings: Workings) -> None:
        self.trace = trace
        self.names = names
        self.workings = workings
        self._curves: dict[tuple[int, int, int], Curve | None] = {}

    def of(self, step: Step, worked: Worked, at: int, steps: Sequence[Step]) -> dict[str, Any]:
        """The pictures of a step by name; those that it has none of are left out."""
        found = {
            "curve": self.curve(step, worked),
            "fall": self.fall(step, at, steps),
            "bars": self._bars(step, worked),
            "row": self._row(step, worked),
        }
        return {name: picture for name, picture in found.items() if picture}

    def curve(self, step: Step, worked: Worked) -> Curve | None:
        """The op's curve, of a step that is about one of its elements."""
        if step.kind not in ("forward", "pull"):
            return None
        node = self.trace.nodes[step.node]
        position = step.position or 0
        if step.kind == "forward" and len(node.inputs) > 1:
            followed = [p for p, i in enumerate(node.inputs) if self.trace.nodes[i].watched]
            position = followed[0] if followed else 0
        element = worked.element if worked.shape == tuple(node.shape) else -1
        if element < 0:
            return None
        key = (node.id, position, element)
        if key not in self._curves:
            try:
                self._curves[key] = self._drawn(node, position, element)
            except Exception:  # a curve that cannot be drawn is left out
                self._curves[key] = None
        curve = self._curves[key]
        local = values_of(step.local)
        if curve is None or local is None or local.dtype.kind != "f":
            return curve
        if local.shape not in ((), tuple(node.shape)):
            return curve
        slope = float(local.flat[element] if local.shape else local)
        return Curve(curve.x, curve.y, curve.at, curve.texts, slope, curve.along, curve.up)

    def _drawn(self, node: Any, position: int, element: int) -> Curve | None:
        again = self.workings.again(node)
        if again is None or not again.op.elementwise or again.op.several or again.op.variadic:
            return None
        shape = tuple(node.shape)
        spot = place(shape, element)
        given = [np.broadcast_to(each, shape)[spot] for each in again.inputs]
        if any(each.dtype.kind != "f" for each in given) or node.dtype[:5] != "float":
            return None
        x = float(given[position])
        half = max(1.0, abs(x) * 1.15)
        if not math.isfinite(half):
            return None
        xs = np.linspace(x - half, x + half, POINTS)
        wide = [each.astype("float64") for each in given]
        ys = np.broadcast_to(
            again.forward([xs if p == position else each for p, each in enumerate(wide)])[0],
            xs.shape,
        )
        kept = np.isfinite(ys)
        y = exact(values_of(node.value), spot)
        if not kept.any() or not math.isfinite(y):
            return None
        return Curve(
            tuple(float(f"{v:.5g}") for v in xs[kept]), tuple(float(f"{v:.5g}") for v in ys[kept]),
            (x, y), (short(x), short(y)), None, self.names[node.inputs[position]],
            self.names[node.id],
        )  # fmt: skip

    def fall(self, step: Step, at: int, steps: Sequence[Step]) -> Fall | None:
        """What has arrived at a number until this step, and what will."""
        if step.kind not in ("pull", "accumulate"):
            return None
        to = step.to if step.kind == "pull" else step.node
        if to is None or self.trace.nodes[to].shape:
            return None
        pulls = [(k, s) for k, s in enumerate(steps) if s.kind == "pull" and s.to == to]
        if not 1 < len(pulls) <= MOST_CONTRIBUTIONS:
            return None
        sums = sum(s.kind == "accumulate" and s.node == to for s in steps[: at + 1])
        makers = [s.node for _, s in pulls]
        rows = []
        for nth, (k, s) in enumerate(pulls):
            value = values_of(s.contribution)
            if value is None or value.dtype.kind != "f":
                return None
            label = f"from {self.names[s.node]}"
            if makers.count(s.node) > 1:
                label += f", {ordinal(makers[: nth + 1].count(s.node))}"
            number = exact(value)
            state = "todo" if k > at else "now" if k == at else "done"
            rows.append(
                Contribution(label, number, short(number), state, nth < sums + 1 and k <= at)  # type: ignore[arg-type]
            )
        return Fall(self.names[to], tuple(rows))

    def _bars(self, step: Step, worked: Worked) -> Bars | None:
        found = self.example(step, worked)
        if found is None:
            return None
        label, *arrays = found
        texts = (tuple(short(exact(each, (c,))) for c in range(len(each))) for each in arrays)
        return Bars(label, *texts)

    def example(self, step: Step, worked: Worked) -> tuple[str, Any, Any, Any] | None:
        """One example of a cross entropy: probabilities, the truth, the first less the second."""
        if step.kind not in ("forward", "pull"):
            return None
        p, truth = self.workings.shares(self.trace.nodes[step.node])
        if p is None or truth is None or not p.size or p.shape[-1] > CLASSES:
            return None
        classes = p.shape[-1]
        row = worked.element // classes if worked.shape == p.shape else worked.element
        shares, wanted = (each.reshape(-1, classes)[row] for each in (p, truth))
        return f"example {row}", shares, wanted, np.asarray(shares - wanted)

    def _row(self, step: Step, worked: Worked) -> tuple[Marks, ...]:
        """The arrays of a step as marks."""
        shown = self.arrays(step)
        found = [
            self._marks(each.caption, each.role, each.array, worked if each is shown[-1] else None)
            for each in shown
        ]
        return tuple(each for each in found if each is not None)

    def arrays(self, step: Step) -> tuple[Shown, ...]:
        """The arrays of a step from left to right, its result last; none where that is a number."""
        nodes, names = self.trace.nodes, self.names
        if step.kind == "forward":
            node = nodes[step.node]
            if not node.shape:
                return ()
            shown = (*node.inputs[:3], node.id)
            return tuple(Shown(names[i], "value", nodes[i].value, names[i], i) for i in shown)
        if step.kind == "pull" and step.to is not None and nodes[step.to].shape:
            came, to = f"of {names[step.node]}", f"arrives at {names[step.to]}"
            return (
                Shown(
                    f"gradient so far {came}",
                    "gradient",
                    step.cotangent,
                    f"gradient {came}",
                    step.node,
                ),  # fmt: skip
                Shown(to, "gradient", step.contribution, "", step.to),
            )
        return ()

    def _marks(
        self, caption: str, role: Role, array: Any, worked: Worked | None = None
    ) -> Marks | None:
        values = values_of(array)
        if values is None or not 0 < values.size <= MOST_MARKS or values.dtype.kind not in "fiub":
            return None
        pick = () if worked is None else place(values.shape, worked.element)
        return Marks(caption, role, tuple(values.shape), cells(values), pick)


def cells(values: Any) -> tuple[int, ...]:
    """A signed byte for each element, by the largest finite one.

    Example:
        >>> cells(np.array([2.0, -1.0, 1e-9, 0.0, np.nan, np.inf]))
        (127, -64, 1, 0, 128, 129)
    """
    wide = values.astype("float64").ravel()
    finite = np.isfinite(wide)
    top = float(np.max(np.abs(wide[finite]), initial=0.0)) or 1.0
    with Silence():
        scaled = np.rint(np.where(finite, wide, 0.0) / top * 127)
    scaled = np.where((scaled == 0) & (wide != 0), np.sign(wide), scaled)
    scaled[np.isnan(wide)] = NAN
    scaled[np.isposinf(wide)], scaled[np.isneginf(wide)] = INFINITY, -INFINITY
    return tuple(int(v) for v in scaled)
