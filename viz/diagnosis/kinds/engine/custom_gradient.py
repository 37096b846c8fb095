"""A custom gradient that disagrees with its forward, on the values at hand.

The function is run again beside the point and the difference quotient is compared with what the
gradient function gives, for weights that differ. Where the forward passes its input on or is a
staircase, the disagreement is the purpose, and nothing is said.
"""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitape.custom.op import Call, Operation
from minitape.leaving import only
from minitape.record import opened
from minitape.safety.silence import Silence
from minitape.tensor import EagerTensor, eager
from minitape.tensors.composite import dense
from minitape.values import nest

from ....record.lines import line_of
from ...corrections.rules import right_rules
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...sources.case import Case
from ...sources.dataflow import Act
from .keywords import passed_by_keyword

TOLERANCE = 0.03  # of float32 and central differences
MAX_SIZE = 100_000
DIRECTIONS = 3  # in one of them a wrong rule may agree by chance


def findings(case: Case) -> list[Finding]:
    """The custom gradients on the way that are wrong."""
    found = []
    seen = set()
    for target in case.request.targets:
        wanted = case.flow.ancestors(target.id)
        for act in case.flow.acts:
            if isinstance(act.op, Operation) and not wanted.isdisjoint(act.outputs):
                unused = _unused(case, act)
                if unused is not None:
                    found.append(unused)
                    continue
                call = _call(case, act)
                function = _function(call)
                if function is None or function.__code__ in seen:
                    continue
                seen.add(function.__code__)
                found += _checked(case, act, call, function)
    return found


def _unused(case: Case, act: Act) -> Finding | None:
    """A rule that is never used, because all that is differentiated came by keyword."""
    passed = passed_by_keyword(case.flow, act)
    if passed is None or passed.act.op.count:  # type: ignore[attr-defined] # an `Operation`
        return None
    names = [n for n, ids in passed.keywords.items() if any(map(case.flow.follows, ids))]
    if not names or not case.flow.follows(act.outputs[0]):
        return None
    line = case.line_of(act)
    sentence = (
        f"The gradient function of `{passed.call!r}` is not used: at line {line} its tensors come "
        f"by keyword (`{names[0]}=`), and keyword arguments are passed on and not differentiated "
        "with it. So the ops inside are differentiated. Pass tensors by position."
    )
    span = case.span(case.stack_of(act))
    return Finding("wrong", "keywords", sentence, line, span=span, node=act.outputs[0])


def _call(case: Case, act: Act) -> Call | None:
    entry = case.journal.by_output.get(act.outputs[0]) if case.journal is not None else None
    return entry.attributes[0] if entry is not None else None


def _function(call: Call | None) -> Any:
    """The learner's function, which the call's gradient closes over."""
    if call is None or call.traced:
        return None
    known = inspect.getclosurevars(call.gradient).nonlocals
    return known.get("f") if hasattr(known.get("f"), "__code__") else None


def _checked(case: Case, act: Act, call: Any, function: Any) -> list[Finding]:
    known = inspect.getclosurevars(call.gradient).nonlocals
    arguments, kwargs = known["args"], known["kwargs"]
    flat = nest.flatten(arguments)
    flat = [getattr(each, "_plain", each) for each in flat]  # of variables, their values
    if not all(isinstance(each, EagerTensor) or np.isscalar(each) for each in flat):
        return []
    values = [np.asarray(each.value if isinstance(each, EagerTensor) else each) for each in flat]
    outs = [case.flow.value(key) for key in act.outputs]
    if sum(v.size for v in values) > MAX_SIZE or any(out is None for out in outs):
        return []

    def run(moved: list[Any]) -> list[Any]:
        tensors = [eager(v) for v in moved]
        result, _ = function(*nest.pack_sequence_as(arguments, tensors), **kwargs)
        return [np.asarray(dense(each).value) for each in nest.flatten(result)]

    with only(()), Silence(), contextlib.redirect_stdout(io.StringIO()):
        try:
            cause = _disagreement(call, values, outs, run)
        except Exception:  # the learner's function cannot be run beside the point
            return []
    return [] if cause is None else [_told(case, act, call, function, *cause)]


def _disagreement(
    call: Any, values: list[Any], outs: list[Any], run: Callable[[list[Any]], list[Any]]
) -> tuple[str, str, dict[str, Any]] | None:
    """What is wrong: its name, the numbers, and facts for a correction."""
    upstream = [np.asarray(np.cos(np.arange(o.size)).reshape(o.shape) + 1.5, o.dtype) for o in outs]
    given = _given(call, upstream, values)
    beside = [np.asarray(v + 0.37 * _direction(v), v.dtype) for v in values]
    if any(np.array_equal(v, o) for v in beside for o in run(beside)):
        return None  # it passes its input on: clipping, reversal, scaling are the purpose
    pairs = []
    for i, value in enumerate(values):
        if value.dtype.kind != "f" or i >= len(given) or given[i] is None:
            continue
        for turn in range(DIRECTIONS if value.size > 1 else 1):
            slope = _slope(run, values, i, upstream, turn)
            if slope is None:
                return None
            along = np.asarray(given[i], np.float64) * _direction(value, turn)
            pairs.append((i, float(np.sum(along)), slope))
    if not pairs or all(abs(slope) < 1e-6 for _, _, slope in pairs):
        return None  # a staircase: a straight-through gradient is the purpose
    wrong = [
        (i, mine, slope)
        for i, mine, slope in pairs
        if not np.isfinite(mine) or abs(mine - slope) > TOLERANCE * max(abs(slope), abs(mine), 1e-3)
    ]
    return _named(call, upstream, values, given, wrong) if wrong else None


def _given(call: Any, upstream: list[Any], values: list[Any]) -> list[Any]:
    g = tuple(eager(each) for each in upstream)
    found = call.gradient(list(g), [eager(v) for v in values])
    return [None if x is None else np.asarray(opened(dense(x))) for x in found]


def _direction(value: Any, turn: int = 0) -> Any:
    """Steps that differ from element to element; each turn has others, none of them 0."""
    return (np.sin((turn + 1) * np.arange(value.size) + 1.0 + turn) + 1.2).reshape(value.shape)


def _slope(run: Any, values: list[Any], i: int, upstream: list[Any], turn: int) -> float | None:
    """The difference quotient of the weighted results along one direction of one argument."""
    size = float(np.max(np.abs(values[i]))) if values[i].size else 1.0
    precise = values[i].dtype == np.float64
    quotients = []
    for delta in (1e-6, 2e-6) if precise else (4e-3, 8e-3):
        step = delta * max(size, 0.25)
        ends = []
        for sign in (1, -1):
            moved = [np.asarray(v) for v in values]
            moved[i] = np.asarray(
                values[i] + sign * step * _direction(values[i], turn), values[i].dtype
            )
            out = run(moved)
            pairs = zip(upstream, out, strict=True)
            ends.append(sum(float(np.sum(np.float64(g) * y)) for g, y in pairs))
        quotients.append((ends[0] - ends[1]) / (2 * step))
    first, second = quotients
    if not np.isfinite(first) or abs(first - second) > 0.02 * max(abs(first), abs(second), 1e-2):
        return None  # a kink nearby, or too rough to tell
    return first


def _named(
    call: Any, upstream: list[Any], values: list[Any], given: list[Any], wrong: list[Any]
) -> tuple[str, str, dict[str, Any]]:
    """The usual mistakes: upstream left out, a constant factor."""
    doubled = _given(call, [2 * g for g in upstream], values)
    i, mine, slope = wrong[0]
    facts: dict[str, Any] = {"argument": i}
    numbers = f"differences of the forward give {slope:.4g}, the gradient function gives {mine:.4g}"
    if given[i] is not None and np.any(given[i]) and np.allclose(doubled[i], given[i]):
        return "upstream", "the gradient function does not multiply by `upstream`", facts
    if mine and np.isfinite(mine):
        factor = slope / mine
        for plain in (2.0, 3.0, 4.0, 0.5, -1.0, -2.0, -0.5, 0.25, 1 / 3):
            if abs(factor - plain) < 0.03 * abs(plain):
                facts["factor"] = plain
    return "rule", numbers, facts


def _told(
    case: Case, act: Act, call: Any, function: Any, cause: str, why: str, facts: dict[str, Any]
) -> Finding:
    code = function.__code__
    sentence = (
        f"The custom gradient of `{call!r}` disagrees with its forward function: {why} (on the "
        "values at hand, with weights that differ from element to element)."
    )
    facts |= {"function": code.co_name, "first": code.co_firstlineno}
    inside = [c for c in code.co_consts if hasattr(c, "co_firstlineno")]
    line = inside[-1].co_firstlineno if inside else code.co_firstlineno
    finding = Finding("wrong", cause, sentence, line, facts=facts, node=act.outputs[0])
    finding.file = line_of(code.co_filename, line).file
    call_span = case.span(case.stack_of(act))
    if call_span:
        finding.spans["used"] = call_span
    return finding


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Custom gradients on the way that disagree with their forward."""
    yield from findings(case)


KIND = register(
    Kind(
        "custom_gradient",
        506,
        "wrong",
        find,
        written,
        meant=passed_over,
        correct=right_rules,
        dialects=("minitape",),
        example="""\
import numpy as np
import minitape as tf

@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * x  # <- here
    return x * x, grad

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(square(x))
g = tape.gradient(y, x)
""",
        healthy="""\
import numpy as np
import minitape as tf

@tf.custom_gradient
def rounded(x):
    def grad(upstream):
        return upstream
    return tf.round(x), grad

x = tf.Variable([1.2, 2.3])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(rounded(x) ** 2)
g = tape.gradient(y, x)
""",
    )
)
