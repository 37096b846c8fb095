"""Digits that cancel: a difference of nearly equal numbers, of which hardly a digit is right.

Such a difference is common and harmless where it is a residual at an optimum. It counts where it is
divided by a small number, or goes into a root or a logarithm, and the target computed in float64 is
another number. Programs in float64 are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops.casting import cast
from minitape.ops.elementwise.arithmetic import add, subtract
from minitape.ops.elementwise.comparison import maximum
from minitape.ops.elementwise.division import divide

from ...corrections.rules import right_rules
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...sources.case import Case
from ...sources.dataflow import Act, public_name
from . import underflow

if TYPE_CHECKING:
    from minitape.op import Op

DIFFERENCES = {each.op for each in (subtract, add)}
LOST = 16  # rounding errors of an operand: a smaller difference has hardly a digit that is right
WRONG = 0.1  # of the target
MAX_STEPS = 5
MAX_SIZE = 50_000


def findings(case: Case) -> list[Finding]:
    """The first difference without digits that makes the target another number."""
    for target in case.request.targets:
        wanted = case.flow.ancestors(target.id)
        acts = [act for act in case.flow.acts if not wanted.isdisjoint(act.outputs)]
        for act in acts:
            if act.op in DIFFERENCES and _has_cancelled(case, act) and _is_raised(case, act):
                return _told(case, acts, act, target.id)
    return []


def _has_cancelled(case: Case, act: Act) -> bool:
    """Whether every element is smaller than the rounding errors of what it is made of."""
    values = [case.flow.value(key) for key in (*act.inputs, *act.outputs)]
    if len(values) != 3 or any(v is None or v.dtype.kind != "f" or not v.size for v in values):
        return False
    if values[2].dtype.itemsize > 4 or not all(np.isfinite(value).all() for value in values):
        return False
    size = np.maximum(np.abs(values[0]), np.abs(values[1]))
    tolerance = LOST * np.finfo(values[2].dtype).eps * size
    return bool(np.all(np.abs(values[2]) <= tolerance) and np.all(size > 0))


def _is_raised(case: Case, act: Act) -> bool:
    """Whether a difference becomes large again: by a small divisor, a root, a logarithm."""
    todo = list(act.outputs)
    for _ in range(MAX_STEPS):
        edges = [edge for key in todo for edge in case.flow.users.get(key, ())]
        for edge in edges:
            op = edge.act.op
            if op.facts.steep or op is divide.op and _is_small_divisor(case, edge.act):
                return True
        passed = [edge.act for edge in edges if _passes(edge.act.op)]
        todo = [key for each in passed if len(set(each.inputs)) > 1 for key in each.outputs]
    return False


def _passes(op: Op) -> bool:
    """Whether a small number may still be small behind an op."""
    facts = op.facts
    linear = op.elementwise and facts.sign in {"+", "−", "·"}
    return linear or facts.reduces in {"mean", "sum"} or op in (maximum.op, cast.op)


def _is_small_divisor(case: Case, act: Act) -> bool:
    value = case.flow.value(act.inputs[1])
    if value is None or value.dtype.kind != "f" or not value.size:
        return False
    return bool(np.max(np.abs(value)) < np.sqrt(np.finfo(value.dtype).eps))


def _told(case: Case, acts: list[Act], act: Act, target: int) -> list[Finding]:
    exact = _precisely(case, acts)
    mine, true = case.flow.value(target), exact.get(target)
    right = exact.get(act.outputs[0])
    if mine is None or true is None or right is None or not np.all(np.isfinite(true)):
        return []
    if np.allclose(mine, true, rtol=WRONG, atol=0.0):
        return []
    line, out = case.line_of(act), case.flow.value(act.outputs[0])
    shown = f"{_first(out):.3g} instead of {_first(right):.3g}"
    sentence = (
        f"The digits cancel in `{public_name(act)}` at line {line}: both sides are nearly equal, "
        f"and {out.dtype} keeps {np.finfo(out.dtype).precision} digits, so their difference is "
        f"{shown}. The value and its gradient are wrong from there."
    )
    found = Finding("wrong", "digits", sentence, line, span=case.span(case.stack_of(act)))
    found.node = act.outputs[0]
    found.facts = {"index": 0}
    return [found]


def _precisely(case: Case, acts: list[Act]) -> dict[int, Any]:
    """All values in float64, {} where that would take long."""
    sizes = [case.flow.value(key) for act in acts for key in act.outputs]
    if sum(0 if value is None else value.size for value in sizes) > MAX_SIZE:
        return {}
    exact: dict[int, Any] = {}
    for act in acts:
        value = underflow.exactly(case, act, np.float64, exact) if act.inputs else None
        if value is not None and len(act.outputs) == 1:
            exact[act.outputs[0]] = value
    return exact


def _first(value: Any) -> float:
    return float(np.asarray(value).reshape(-1)[0])


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Digits that cancel on the way to the targets."""
    yield from findings(case)


KIND = register(
    Kind(
        "lost_digits",
        503,
        "wrong",
        find,
        written,
        meant=passed_over,
        correct=right_rules,
        hides=("bad_number",),
        dialects=("minitape",),
        example="""\
import numpy as np
import minitape as tf

x = tf.Variable([10000.1, 10000.2, 10000.4])
with tf.GradientTape() as tape:
    var = tf.reduce_mean(x ** 2) - tf.reduce_mean(x) ** 2  # <- here
    loss = tf.math.log(var + 1e-3)
g = tape.gradient(loss, x)
""",
        healthy="""\
import numpy as np
import minitape as tf

x = tf.Variable([0.1, 0.2, 0.4])
with tf.GradientTape() as tape:
    var = tf.reduce_mean(x ** 2) - tf.reduce_mean(x) ** 2
    loss = tf.math.log(var + 1e-3)
g = tape.gradient(loss, x)
""",
    )
)
