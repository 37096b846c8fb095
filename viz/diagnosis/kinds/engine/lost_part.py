"""A part of a gradient that is lost: NumPy took a value, and gave back a constant.

The gradient is a number, but not the right one. `.numpy()`, `float` and means of a batch are often
meant: a weight, a target, a baseline. But a constant that is a term of the target, as in `fit +
penalty`, has no part in any gradient, and what comes back to be computed with (a state, features)
can hardly be meant. A trial must then give the same target, and another gradient.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minitape.ops.casting import cast
from minitape.variable import ResourceVariable

from ....trace.trace import Line
from ...corrections.none_gradients import none_gradients
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...sources.case import Case, span_of
from ...sources.question import Question
from ...sources.written import Place
from .beside import is_in_branch
from .departures import TO_PYTHON, came_in, departures, roots

if TYPE_CHECKING:
    from minitape.op import Op

    from ....record.journal import Event

MAX_EVENTS = 50
MAX_SOURCES = 8
MAX_VISITS = 2  # of one line, in a loop


def findings(case: Case) -> list[Finding]:
    """The lines at which NumPy took a part, for a trial to decide."""
    states = case.outcome().states
    lost: dict[int, Finding] = {}
    for index in [i for i, state in enumerate(states[:MAX_SOURCES]) if state == "ok"]:
        found = _lost_term(case, index) or _lost_value(case, index)
        if found is not None:
            lost.setdefault(found.line, found)
    return list(lost.values())


def _lost_value(case: Case, index: int) -> Finding | None:
    """A value that left on a line that always does so, and came back as more than a weight."""
    q = case.question(index)
    seen: Counter[Line | None] = Counter()
    for event in _left_inside(q):
        seen[event.line] += 1
        if seen[event.line] > MAX_VISITS or not _comes_back(q, event):
            continue
        place = next(iter(case.in_file(case.stack_of_event(event))), None)
        if place is not None and not is_in_branch(case, place.line):
            return _finding(case, index, q.x, place)
    return None


def _comes_back(q: Question, event: Event) -> bool:
    """Whether all that is new on a line to which a value came back is computed with."""
    known: set[tuple[Any, bytes]] = set()
    back: dict[Line | None, bool] = {}
    for key in roots(q):
        value = q.flow.value(key)
        if value is None or not value.any():  # a sum begins with 0
            continue
        number = value.shape, value.tobytes()
        line, is_tied = came_in(q, key, event) or (None, False)
        if is_tied and number not in known:
            back[line] = back.get(line, True) and _is_value(q, key, event)
        known.add(number)
    return any(back.values())


def _left_inside(q: Question) -> list[Event]:
    """Where a value of the source's left since the tape began: a state of before is a number."""
    own = q.flow.descendants(q.s)
    began = next((q.flow.position[id(event)] for event in q.has("start")), 0)
    return [e for e in q.flow.events[began:] if e.tensor in own and e.kind in TO_PYTHON]


def _is_value(q: Question, key: int, event: Event) -> bool:
    """Whether a constant is computed with, so that it can hardly be a weight, mask or target.

    It is in a product of matrices, in a row of parts, or a term beside another value than the one
    that left (`z + (np.round(z) - z)` passes the gradient of `z` straight through); or it centres
    or scales just that value; or it is a source itself, and weighs what does not depend on it; or
    a factor that a function of `math` gives of a tensor.
    """
    said = event.line.text if event.line is not None else ""
    for edge in q.flow.users.get(key, ()):
        facts, inputs = edge.act.op.facts, edge.act.inputs
        is_beside_own = event.tensor in inputs
        if facts.product or facts.moves == "joins" or facts.sign == "+" and not is_beside_own:
            return True
        if facts.sign in {"−", "/"} and is_beside_own:
            return True
        if facts.sign == "·" and "math." in said and edge.act.line == event.line:
            return True
        if facts.sign in {"·", "/"} and event.tensor == q.s:
            return q.flow.descendants(q.s).isdisjoint(inputs)
    return False


def cuts(case: Case) -> list[Line]:
    """The lines at which a part of the way left the tape: often meant, and never on a path.

    They are no findings: a constant weight or target is made in the same way.
    """
    found: dict[tuple[str, int], Line] = {}
    states = case.outcome().states[:MAX_SOURCES]
    for index in [i for i, state in enumerate(states) if state == "ok"]:
        q = case.question(index)
        inside = {event.line for event in _left_inside(q)}
        for cause in departures(q) if inside else []:
            is_cut = cause.name == "numpy" and cause.is_certain and cause.line in inside
            if is_cut and cause.line is not None:
                found.setdefault((cause.line.file, cause.line.number), cause.line)
    return list(found.values())


def cut(number: int, text: str) -> str:
    """What is said of a line at which a part of the way left the tape."""
    return (
        f"At line {number} (`{text.strip()}`) a value leaves the tape and comes back as "
        "a constant: no gradient goes through it. If that is not meant, compute it with tf, and "
        "compare the gradient with two runs."
    )


def _lost_term(case: Case, index: int) -> Finding | None:
    """A term of the target that came in as a constant, after a value of the source had left."""
    q = case.question(index)
    own = q.flow.descendants(q.s) | {q.s}
    left = [e for e in q.flow.events if e.tensor in own and e.kind in TO_PYTHON]
    terms = _terms(case, q.t) if left else []
    for event in left[:MAX_EVENTS]:
        place = next(iter(case.in_file(case.stack_of_event(event))), None)
        if place is None or not any(came_in(q, key, event) for key in terms):
            continue
        found = _finding(case, index, q.x, place)
        found.facts["lines"] = [case.line(case.stack_of_event(each)) for each in left]
        found.is_suspected = True
        return found
    return None


def _terms(case: Case, target: int) -> list[int]:
    """The constants that the target is a sum of."""
    todo, found = [target], []
    while todo:
        key = todo.pop()
        act, value = case.flow.maker.get(key), case.flow.value(key)
        if act is not None and _is_sum(act.op):
            todo += act.inputs
        is_variable = isinstance(case.flow.tensors.get(key), ResourceVariable)
        is_number = value is not None and value.dtype.kind == "f" and value.any()
        if act is None and not is_variable and is_number:
            found.append(key)
    return found


def _is_sum(op: Op) -> bool:
    """Whether a result changes by as much as each of the inputs, or of their elements."""
    facts = op.facts
    moves = facts.moves in {"same", "joins"} or op is cast.op
    return moves or facts.sign in {"+", "−"} or facts.reduces == "sum"


def _finding(case: Case, index: int, source: str, place: Place) -> Finding:
    sentence = (
        f"At line {place.line} NumPy or Python takes a tensor that depends on `{source}`, and what "
        "it gives comes back as a constant: the gradient is a number, but this part of it is lost."
    )
    finding = Finding("none", "part", sentence, place.line, source, span=span_of(place))
    finding.is_suspected = True
    finding.facts = {"index": index, "lines": [place.line]}
    for name, stack in (("call", case.here), ("tape", case.began)):
        span = case.span(stack)
        if span:
            finding.spans[name] = span
    return finding


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """A part that is lost where each source has a gradient."""
    if "none" not in states:
        yield from findings(case)


KIND = register(
    Kind(
        "lost_part",
        502,
        "none",
        find,
        written,
        meant=passed_over,
        correct=none_gradients,
        dialects=("minitape",),
        example="""\
import numpy as np
import minitape as tf

x = tf.Variable([3.0, 4.0])
with tf.GradientTape() as tape:
    unit = x / np.linalg.norm(x)  # <- here
    loss = tf.reduce_sum(unit * [1.0, 2.0])
g = tape.gradient(loss, x)
""",
        healthy="""\
import numpy as np
import minitape as tf

x = tf.Variable([3.0, 4.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(x * [1.0, 2.0])
g = tape.gradient(loss, x)
print("norm", np.linalg.norm(x))
""",
    )
)
