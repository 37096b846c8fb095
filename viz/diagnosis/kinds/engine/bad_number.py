"""Where a NaN or an infinity was born, forward or backward, and from which numbers.

It is the first op whose result is not finite although its inputs are; where all values are finite,
the first rule that gives something infinite although it got finite numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from minitape.call import call
from minitape.leaving import only
from minitape.ops.elementwise.comparison import select
from minitape.record import opened, output_ids
from minitape.safety.silence import Silence
from minitape.tape import GradientTape
from minitape.tensor import eager
from minitape.tensors.composite import dense

from ...corrections.numbers import finite_numbers
from ...corrections.steps import UPDATES, step_sizes, uphill
from ...corrections.zeros import nonzero_gradients
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Source
from ...sources.case import Case, span_of
from ...sources.dataflow import Act, public_name
from ...sources.written import Place, Stack
from ...trainings import endless
from . import underflow
from .beside import parsed
from .broken_data import is_finite, of_data

WHOLE_POWER = (
    "its rule takes 0 times infinity at 0. Every derivative of a power with a whole exponent is "
    "finite there: write `tf.square(x)`, or a product, instead of the power"
)
AVERAGES = {"mean", "variance", "deviation"}
FEWEST = 2  # calls before one whose steps were too large
GROWTH = 100.0  # from the first to the last of them


class Birth(NamedTuple):
    """The op, whether its forward or its rule did it, and what the rule gave to which input."""

    act: Act
    forward: bool
    position: int = 0
    given: Any = None


def findings(case: Case) -> list[Finding]:
    """The birth of what is not finite in a call; nothing where it came in with the data alone."""
    symptom = _symptom(case)
    growing = _diverging(case, symptom)
    if growing is not None:
        return [growing]
    birth = _birth(case)
    if birth is not None and birth.act.op.name == "custom_gradient" and _is_finite_anyway(case):
        return []  # whose gradient is stable where its value is not
    lost = underflow.before(case, birth.act) if birth is not None else None
    if lost is not None:
        return [lost]
    if birth is None:
        return of_data(case, symptom)
    cause, why = _reason(case, birth)
    kind = "overflow" if symptom == "inf" and cause == "overflow" else symptom
    act = _power(case, birth.act) or birth.act
    stack, line = case.stack_of(act), case.line_of(act)
    where = "" if birth.forward else " in the backward pass"
    is_power = act is not birth.act
    name = "the derivative of `pow`" if is_power else f"`{case.called(act)}`"
    sentence = f"The first {_word(case, birth, kind)} comes from {name} at line {line}{where}: "
    sentence += f"{why}."
    if cause == "unchosen":
        factor = "infinity" if _is_infinite(case, birth) else "NaN"
        sentence += f" `tf.where` computes both branches, and 0 times {factor} is NaN."
    finding = Finding(kind, cause, sentence, line, span=case.span(stack))
    finding.node = birth.act.outputs[0]
    finding.facts = {"op": birth.act.op.name, "target": "", "forward": birth.forward}
    chooser = _chooser(case, birth.act)
    if chooser is not None:
        span = case.span(case.stack_of(chooser))
        if span:
            finding.spans["where"] = span
    return [finding]


def _is_finite_anyway(case: Case) -> bool:
    return not {"nan", "inf"} & set(case.outcome().states)


def _word(case: Case, birth: Birth, kind: str) -> str:
    """What the op gives, and what that becomes."""
    made = case.flow.value(birth.act.outputs[0])
    if kind == "nan" and birth.forward and made is not None and not np.isnan(made).any():
        return "infinity, which then becomes NaN,"
    return {"nan": "NaN", "inf": "infinity", "overflow": "infinity"}[kind]


def _symptom(case: Case) -> str:
    """What the learner sees first: a target that is not finite, else the gradient."""
    values = [case.flow.value(target.id) for target in case.request.targets]
    numbers = [v for v in values if v is not None and v.dtype.kind in "fc"]
    if any(np.isnan(v).any() for v in numbers):
        return "nan"
    is_infinite = any(np.isinf(v).any() for v in numbers)
    return "inf" if is_infinite or "nan" not in case.outcome().states else "nan"


def _birth(case: Case) -> Birth | None:
    flow = case.flow
    for target in case.request.targets:
        if not is_finite(flow.value(target.id)):
            first = _first_forward(case, target.id)
            return Birth(first, True) if first is not None else None
    for step in case.swept.steps:
        if not is_finite(step.cotangent):
            continue
        for each in step.contributions:
            act = flow.maker.get(output_ids(step.record)[0])
            if act is None or is_finite(each.value):
                continue
            earlier = _first_forward(case, act.outputs[0])
            if earlier is not None:
                return Birth(earlier, True)
            return Birth(act, False, each.position, opened(dense(each.value)))
    return None


def _first_forward(case: Case, key: int) -> Act | None:
    """The earliest op towards a tensor that made something not finite of finite numbers."""
    wanted = case.flow.ancestors(key)
    for act in case.flow.acts:
        if wanted.isdisjoint(act.outputs):
            continue
        made = [case.flow.value(k) for k in act.outputs]
        given = [case.flow.value(k) for k in act.inputs]
        if not all(map(is_finite, made)) and all(map(is_finite, given)):
            return act
    return None


def _reason(case: Case, birth: Birth) -> tuple[str, str]:
    """A short name, and the numbers that met."""
    act = birth.act
    values = [case.flow.value(key) for key in act.inputs]
    facts = act.op.facts
    text = _of_number(values, case, birth)
    if _chooser(case, act) is not None:
        return "unchosen", f"{text}, in a branch that is not chosen"
    if _is_whole_power(case, birth):
        return "whole_power", text
    if facts.reduces in AVERAGES and birth.forward and not all(v is None or v.size for v in values):
        return "empty", "it averages no elements at all, and 0 divided by 0 is no number"
    if facts.undefined == "log" and birth.forward:
        return "log", text
    if facts.undefined == "division":
        return "division", text
    is_number = all(v is None or not np.isnan(v).any() for v in map(case.flow.value, act.outputs))
    if birth.forward and facts.grows and is_number:
        return "overflow", text
    if not birth.forward:
        return "slope", text
    return "domain", text


def _of_number(values: list[Any], case: Case, birth: Birth) -> str:
    """The numbers at the first element that is not finite."""
    act = birth.act
    out = case.flow.value(act.outputs[0]) if act.outputs else None
    if birth.forward and out is not None:
        return met_forward(public_name(act).split(".")[-1], act, values, out)
    return (
        WHOLE_POWER
        if _is_whole_power(case, birth)
        else met_backward(case, act, birth.position, birth.given)
    )


def _is_whole_power(case: Case, birth: Birth) -> bool:
    """Whether a rule of a derivative of x ** n takes 0 times infinity at 0."""
    act = birth.act
    if birth.forward or act.op.name != "power_slope" or birth.position:
        return False
    x, y = (case.flow.value(key) for key in act.inputs)
    if x is None or y is None or np.shape(birth.given) != x.shape or y.dtype.kind == "c":
        return False
    here = np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape))
    if here.shape != x.shape:
        return False
    bad = ~np.isfinite(birth.given)
    whole = (here[bad] >= 0) & (here[bad] == np.floor(here[bad]))
    return bool(np.all(x[bad] == 0) and np.all(whole))


def _power(case: Case, act: Act) -> Act | None:
    """The power that an op is the derivative of, None for other ops."""
    if act.op.name != "power_slope":
        return None
    powers = (a for a in case.flow.acts if a.op.name == "pow" and a.inputs[0] == act.inputs[0])
    return next(powers, None)


def _is_infinite(case: Case, birth: Birth) -> bool:
    """Whether infinity, and no NaN, is what a branch that is not chosen gives."""
    made = birth.given if not birth.forward else case.flow.value(birth.act.outputs[0])
    if not birth.forward:
        found = slope_of(case, birth.act, birth.position)
        made = found if found is not None else made
    return made is not None and not np.isnan(made).any()


def _chooser(case: Case, act: Act) -> Act | None:
    """The `where` that takes what an op gives, and does not choose all of it."""
    todo, seen = list(act.outputs), set(act.outputs)
    for _ in range(4):  # a few ops later: where(x > 0, 2 * log(x), 0)
        following = [edge for key in todo for edge in case.flow.users.get(key, ())]
        for edge in following:
            if edge.act.op is select.op and edge.position > 0:
                return edge.act
        todo = [key for edge in following for key in edge.act.outputs if key not in seen]
        seen.update(todo)
    return None


FACTORS = {"cholesky"}  # of positive definite matrices
MAX_QUOTED = 6  # elements of an array that is quoted


def met_forward(name: str, act: Act, given: list[Any], out: Any) -> str:
    """The equation of the first element that is not finite.

    Args:
        name: what the learner calls the op.
        act: the op.
        given: its arguments.
        out: its result.
    """
    index = first_of(out)
    place = f" (element {list(index)})" if index else ""
    if act.op.name in FACTORS:
        return _indefinite(given[0], index)
    shown = [value for value in given if value is not None]
    if act.op.elementwise:
        met = ", ".join(_element(value, index, out.shape) for value in shown)
        return f"{name}({met}) = {number(out[index])}{place}"
    whole = " and ".join(map(array, shown))
    return f"{name} of {whole} is {number(out[index])}{place}"


def met_backward(case: Case, act: Act, position: int, given: Any) -> str:
    """Why a rule gave an input something that is not finite."""
    value = case.flow.value(act.inputs[position]) if position < len(act.inputs) else None
    of_one = slope_of(case, act, position)
    if value is None or not value.size or np.shape(given) != value.shape:
        return "its rule gives what is not finite there"
    index = first_of(given)
    place = f" (element {list(index)})" if index else ""
    at = number(value[index])
    if not act.op.elementwise:
        return f"its rule gives {_word_of(given[index])} for {array(value)}{place}"
    if act.op.facts.pole and abs(value[index]) == 1:
        return (
            f"its derivative {act.op.facts.pole} has a pole at {at}, and near it any correction "
            "gives large slopes"
        )
    found = None if of_one is None or of_one.shape != value.shape else of_one[index]
    if found is None or np.isnan(found):
        return f"its rule gives {_word_of(given[index])} at {at}{place}"
    if np.isinf(found):
        return f"its derivative is infinite at {at}{place}"
    return (
        f"its derivative at {at} is {number(found)}, and times the cotangent that is "
        f"too large for {value.dtype}{place}"
    )


def first_of(values: Any) -> tuple[int, ...]:
    """Where the first number is that is not finite."""
    return tuple(int(each[0]) for each in np.nonzero(~np.isfinite(values))) if values.shape else ()


def number(value: Any) -> str:
    """A number with six digits where these are all, else with as many as tell it apart."""
    if np.iscomplexobj(value):
        return str(value)
    short = f"{float(value):.6g}"
    exact = np.asarray(value)
    if exact.dtype.kind != "f" or not np.isfinite(exact) or exact.dtype.type(short) == exact:
        return short if exact.dtype.kind == "f" else str(value)
    text = str(value)
    return text.removesuffix(".0")


def array(value: Any) -> str:
    """A small array as it is written, a large one by its shape."""
    if not value.size or value.size > MAX_QUOTED:
        return f"an array of shape {list(value.shape)}"
    return _nested(value)


def _word_of(value: Any) -> str:
    return "NaN" if np.isnan(value) else "infinity"


def _nested(value: Any) -> str:
    return f"[{', '.join(map(_nested, value))}]" if value.ndim else number(value[()])


def _element(value: Any, index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    try:
        return number(np.broadcast_to(value, shape)[index])
    except ValueError:
        return array(value)


def _indefinite(value: Any, index: tuple[int, ...]) -> str:
    """Why a matrix has no factor of Cholesky."""
    matrix = value[index[:-2]]
    place = f" {list(index[:-2])}" if index[:-2] else ""
    lower = np.tril(matrix)
    below = np.tril(matrix, -1)
    sizes = np.linalg.eigvalsh(np.asarray(lower + below.conj().swapaxes(-1, -2), np.complex128))
    shown = f"the matrix{place}" + (f" {array(matrix)}" if matrix.size <= MAX_QUOTED else "")
    if sizes[0] > 0:
        return (
            f"{shown} is not positive definite within the digits of {value.dtype}: its "
            f"eigenvalues lie between {sizes[0]:.2g} and {sizes[-1]:.2g}"
        )
    return f"{shown} is not positive definite, its smallest eigenvalue is about {sizes[0]:.3g}"


def slope_of(case: Case, act: Act, position: int) -> Any:
    """What an op's rule gives to an argument for a cotangent of 1; None where that is not known."""
    entry = case.journal.by_output.get(act.outputs[0]) if case.journal is not None else None
    if entry is None or entry.op.several or position >= len(entry.inputs):
        return None
    try:
        with Silence(), only(()), GradientTape() as tape:
            inputs = [eager(np.array(x.value)) for x in entry.inputs]
            tape.watch(inputs[position])
            out = call(entry.op, tuple(inputs), entry.attributes)
            found = tape.gradient(out, inputs[position])
    except Exception:  # an op that cannot be called again tells nothing
        return None
    return None if found is None else np.asarray(opened(dense(found)))


def _diverging(case: Case, symptom: str) -> Finding | None:
    """That the steps are too large; None where the losses before did not grow.

    The op that overflows is not the mistake then, but the step: its size stands in the text, beside
    the update, under a name, or in the optimizer's call.
    """
    targets = _targets(case)
    sizes = [max(map(abs, each)) for each in targets]
    update = _update(case)
    if update is None or not _grow(sizes):
        return None
    made = case.flow.maker.get(case.request.targets[0].id)
    if made is not None and targets[-1] == [-sizes[-1]]:
        line = case.line_of(made)
        sentence = endless(line, targets[0][0], targets[-1][0])
        return Finding("update", "endless", sentence, line, span=case.span(case.stack_of(made)))
    tree = parsed(case)
    numbers = step_sizes(tree, update.line) if tree is not None else []
    line, why = min((each.lineno for each in numbers), default=update.line), "are too large"
    if tree is not None and uphill(tree, update.line) is not None:
        line, why = update.line, "go uphill: a gradient is added, where a loss falls against it"
    shown = ", ".join(f"{each:.3g}" for each in [*sizes[:2], sizes[-1]])
    sentence = (
        f"The loop diverges: its target grows from step to step ({shown}, ...) until no number is "
        f"large enough. The steps at line {line} {why}."
    )
    kind = "overflow" if symptom == "inf" else symptom
    found = Finding(kind, "diverges", sentence, line, span=span_of(update))
    found.facts = {"update": update.line, "target": ""}
    found.fix = "# a smaller learning rate, or inputs that are scaled to about 1"
    return found


def _targets(case: Case) -> list[list[float]]:
    """The finite targets of the calls at this place so far."""
    outcomes = getattr(case.journal, "outcomes", [])
    here = case.line(case.here)
    ends = [o.target for o in outcomes if o.line == here and o.target]
    return [each for each in ends if np.isfinite(each).all()]


def _grow(sizes: list[float]) -> bool:
    """Whether the last ones are each larger than the one before, and much larger than the first."""
    last = sizes[-3:]
    rising = all(a < b for a, b in zip(last, last[1:], strict=False))
    return len(sizes) >= FEWEST and rising and sizes[-1] > GROWTH * max(sizes[0], 1e-30)


def _update(case: Case) -> Place | None:
    """Where a source got its present value: an assignment, or the op that made it."""
    sources = set(case.request.source_ids)
    events = case.journal.events if case.journal is not None else []
    stack: Stack = ()
    for event in reversed(events):
        if event.kind in UPDATES and event.into in sources:
            stack = case.stack_of_event(event)
            break
    else:
        made = [case.flow.maker[key] for key in sources if key in case.flow.maker]
        stack = case.stack_of(made[0]) if made else ()
    return next(iter(case.in_file(stack)), None)


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Where a target or a gradient that is not finite came from."""
    ends = [case.flow.value(target.id) for target in case.request.targets]
    if {"nan", "inf"} & set(states) or not all(map(is_finite, ends)):
        yield from findings(case)


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """A number that was lost before has other texts than one that is too large."""
    is_lost = finding.kind == "underflow"
    return (nonzero_gradients if is_lost else finite_numbers)(source, finding)


KIND = register(
    Kind(
        "bad_number",
        504,
        "nan",
        find,
        written,
        meant=passed_over,
        correct=correct,
        dialects=("minitape",),
        example="""\
import numpy as np
import minitape as tf

x = tf.Variable([0.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)  # <- here
    loss = tf.reduce_sum(y)
g = tape.gradient(loss, x)
""",
        healthy="""\
import numpy as np
import minitape as tf

x = tf.Variable([0.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(tf.where(x > 0.0, x, 1.0)), 0.0)
    loss = tf.reduce_sum(y)
g = tape.gradient(loss, x)
""",
    )
)
