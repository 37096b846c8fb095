"""A gradient that is None: the cause that the evidence proves, at the learner's own line.

`answer` finds the cause; where the mistake is beside the tape (not watched, computed outside) the
line is the one in the function that entered the tape, not that of a callee.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ....record.lines import line_of
from ...corrections.lines import names_made, names_used
from ...corrections.none_gradients import none_gradients
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...pictures import broken_trace
from ...sources.case import Case, span_of
from ...sources.question import Cause, Question
from . import answer, beside, meant, piecewise
from .causes import swapped
from .departures import TO_PYTHON

BESIDE = {
    "not_watched", "variables_not_watched", "not_trainable", "watched_too_late", "outside"
}  # fmt: skip
MAX_DEPARTURES = 50
MAX_SOURCES = 24  # of one call that are explained one by one


def findings(case: Case, index: int, alone: bool) -> list[Finding]:
    """Why one source has no gradient: one finding for each cause."""
    found = []
    q = case.question(index)
    bent = piecewise.finding(case, q.s) if case.flow.follows(q.s) else None
    special = bent or asked_wrongly(case, q) or beside.special(case, q) or beside.copied(case, q)
    if special is not None:
        special.is_quiet = meant.is_expected(case)
        found = [special]
    else:
        causes = _tied(case, q, answer.find(q, case.swept))
        causes = _sure_first([beside.unused(case, q, each) for each in causes])
        trace = broken_trace(q, causes).to_json()
        for cause in causes:
            finding = _finding(case, q, cause)
            is_unused = cause.name == "no_path" and q.s not in case.flow.maker
            finding.is_quiet = meant.is_meant(case, q, cause, alone) or (
                not alone and is_unused and not beside.is_forgotten(case, q, cause)
            )
            finding.trace = trace
            if _is_beside(cause, causes[0]):
                finding.facts["beside"] = finding.is_suspected = True  # the other comes first
            found.append(finding)
    for finding in found:
        finding.source = q.x
        finding.facts |= {"index": index, "tape": q.tape_name, "target": q.y}
        finding.facts["ends"] = [q.s, [target.id for target in case.request.targets]]
        finding.spans |= _spans(case)
    return found


def no_sources(case: Case) -> list[Finding]:
    """A call for the gradients of nothing: a list of variables that was empty when it was made."""
    line = case.line(case.here)
    own = case.in_file(case.here)
    if own and "[]" in linecache.getline(own[0].code.co_filename, line):
        return []  # it is written there: nothing is wanted
    sentence = (
        "The list of sources is empty, so there is no gradient to compute. A model has its "
        "variables after its first call; ask for `model.trainable_variables` then."
    )
    return [Finding("none", "no_sources", sentence, line, span=case.span(case.here))]


def _sure_first(causes: list[Cause]) -> list[Cause]:
    """Likely causes first: what is proved, then values that left, then "nothing leads there"."""
    return sorted(causes, key=lambda c: (not c.is_certain, c.name == "no_path"))


def _tied(case: Case, q: Question, causes: list[Cause]) -> list[Cause]:
    """The causes, a departure proved where the line that called its function names what it gave."""
    proved = []
    for cause in causes:
        if cause.name == "numpy" and not cause.is_certain and cause.bridge:
            stack = case.in_file(_stack(case, q, cause))[1:]
            lines = [line_of(each.code.co_filename, each.line) for each in stack]
            made = set().union(*map(names_made, lines))
            edges = case.flow.users.get(cause.bridge[1], ())
            used = [names_used(e.act.line) for e in edges if e.act.line is not None]
            if used and made & used[0]:
                sentence = cause.sentence.partition(" If `")[0]
                proved.append(replace(cause, is_certain=True, sentence=sentence))
    return proved or causes


def _is_beside(cause: Cause, first: Cause) -> bool:
    """Whether a value left for NumPy on a way of its own, beside one that is cut."""
    is_proved = cause.name == "numpy" and cause.is_certain
    return is_proved and (first.edge is not None or first.name == "state")


def _finding(case: Case, q: Question, cause: Cause) -> Finding:
    stack = _stack(case, q, cause)
    finding = Finding("none", cause.name, cause.sentence, is_certain=cause.is_certain)
    finding.fix = cause.fix
    if cause.name == "numpy":
        finding.facts["lines"] = _lines_of_departures(case, q)
    if cause.name == "custom_gradient_none" and cause.edge is not None:
        finding.facts["function"] = cause.edge.act.name
    finding.node = cause.key or (cause.edge.key if cause.edge else 0)
    if cause.name in BESIDE:
        made = [each for each in case.in_file(stack) if each.code.co_name == "__init__"]
        is_kept = cause.name == "outside" and made  # an attribute: its object may well be older
        place = made[0] if is_kept else case.beside_tape(stack)
        finding.line = place.line if place else 0
        finding.span = span_of(place)
    else:
        finding.line, finding.span = case.line(stack), case.span(stack)
        finding.file = case.elsewhere(stack)
    if not finding.line and cause.line is not None:
        finding.line, finding.file = cause.line.number, cause.line.file
    if cause.name == "no_path" and beside.is_unused(case, q):
        beside.place_forgotten(case, q, finding)
    return placed(case, q, cause, finding)


def _lines_of_departures(case: Case, q: Question) -> list[int]:
    """Where values of this source left: a correction of one line alone would be half of it."""
    own = q.flow.descendants(q.s)
    left = [e for e in q.flow.events if e.tensor in own and e.kind in TO_PYTHON]
    lines = [case.line(case.stack_of_event(event)) for event in left[:MAX_DEPARTURES]]
    return [line for line in dict.fromkeys(lines) if line]


def _stack(case: Case, q: Question, cause: Cause) -> Any:
    """The frames of what a cause is about: its op, its event, or the first use of the source."""
    if cause.edge is not None and cause.name != "reset":
        return case.stack_of(cause.edge.act)
    if cause.name in {"numpy", "state", "recording_stopped", "reset", "released"}:
        events = [e for e in case.flow.events if e.line == cause.line]
        return case.stack_of_event(events[0]) if events and cause.line else ()
    if cause.name == "variable_replaced":
        return case.stack_of(case.flow.maker.get(q.s))
    if cause.name == "dtype" and cause.key == q.s:
        return case.made_at(q.s) or _first_use(case, q)
    if cause.name == "keywords":
        return case.stack_of(case.flow.maker.get(cause.key))
    if cause.key == q.t:
        return case.stack_of(case.flow.maker.get(q.t))
    if cause.name == "no_path":
        return case.stack_of(case.flow.maker.get(q.t)) or case.here
    return _first_use(case, q)


def _first_use(case: Case, q: Question) -> Any:
    """Where the source was used first, if possible inside of the tape."""
    edges = q.flow.users.get(q.s, [])
    inside = [e for e in edges if e.act.tapes and q.flow.mark in e.act.tapes]
    return next((case.stack_of(edge.act) for edge in [*inside, *edges]), case.here)


def _spans(case: Case) -> dict[str, tuple[int, ...]]:
    """Where the call and the tape stand, for corrections."""
    places = {"call": next(iter(case.in_file(case.here)), None)}
    places["tape"] = next(iter(case.in_file(case.began)), None)
    return {name: span for name, place in places.items() if (span := span_of(place))}


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Why sources have no gradient, one by one."""
    if case.request.mode.value != "zero":
        empty = [i for i, state in enumerate(states) if state == "none"]
        for index in empty[:MAX_SOURCES]:
            yield from findings(case, index, alone=len(empty) == len(states))
    if not states:
        yield from no_sources(case)


def asked_wrongly(case: Case, q: Question) -> Finding | None:
    """A mistake that makes the question itself the wrong one; None where there is none."""
    return (
        _swapped(case, q)
        or _derivative_outside(case, q)
        or _variable_replaced(case, q)
        or _shadowed(case, q)
    )


def _swapped(case: Case, q: Question) -> Finding | None:
    """The target is what the source was computed from."""
    cause = swapped(q)
    if cause is None:
        return None
    span = case.span(case.here)
    return Finding("none", "swapped", cause.sentence, case.line(case.here), span=span)


def _derivative_outside(case: Case, q: Question) -> Finding | None:
    """The target is a first derivative that was asked for while this tape did not record."""
    journal = case.journal
    if journal is None or q.t in case.flow.descendants(q.s) and q.s != q.t:
        return None
    roots = case.flow.ancestors(q.t)
    for number, sweep in enumerate(journal.sweeps[:-1]):
        if (
            sweep.tape is case.flow.mark
            or case.flow.mark in sweep.tapes
            or q.s not in sweep.sources
        ):
            continue
        stack = getattr(journal, "sweep_stacks", {}).get(number, ())
        made = [journal.by_output[key].sweep for key in roots if key in journal.by_output]
        if number + 1 not in made:
            continue
        place = next(iter(case.in_file(stack)), None)
        sentence = (
            f"`{q.y}` is a derivative that was asked for outside of the block of "
            f"`{q.tape_name}`: this tape did not see how it was computed. For a second derivative "
            "the inner `gradient` call belongs inside of the outer tape's block."
        )
        line = place.line if place else 0
        return Finding("none", "derivative_outside", sentence, line, span=span_of(place))
    return None


def _variable_replaced(case: Case, q: Question) -> Finding | None:
    """What was a variable until a line computed a tensor and gave it the same name."""
    act = case.flow.maker.get(q.s)
    if act is None or case.flow.follows(q.s) or case.journal is None:
        return None
    before = case.flow.ancestors(q.s) & case.journal.variables.keys()
    asked = {key for sweep in case.journal.sweeps[:-1] for key in sweep.sources}
    updated = asked & before & set(act.inputs)  # `w - 0.1 * g`, after a gradient of w was asked
    if not updated and not any(_called(case, key) == q.x for key in before):
        return None
    place = next(iter(case.in_file(case.stack_of(act))), None)
    if place is None:
        return None
    sentence = (
        f"`{q.x}` was a variable until line {place.line}, which computes a tensor and gives it "
        "that name. A tape watches variables by itself, tensors only when told to."
    )
    return Finding("none", "variable_replaced", sentence, place.line, span=span_of(place))


def _shadowed(case: Case, q: Question) -> Finding | None:
    """The source's name belongs to another tensor than the one that the target was made of."""
    journal = case.journal
    if journal is None or q.t in case.flow.descendants(q.s):
        return None
    name = case.flow.names.get(q.s)
    earlier = [
        key
        for key in sorted(case.flow.ancestors(q.t))
        if key != q.s and name and _called(case, key) == name
    ]
    if not earlier:
        return None
    act = case.flow.maker.get(q.s)
    stack = case.stack_of(act) or case.made_at(q.s)
    if q.s < earlier[0] or not case.in_file(stack):  # ids increase: the other one is the newer
        stack = case.made_at(earlier[0]) or stack
    place = next(iter(case.in_file(stack)), None)
    sentence = (
        f"There are two tensors that are called `{name}`: the one that the target was computed "
        f"from, and another one that the name stands for where the gradient is asked. A new value "
        "for a name is a new tensor, on which nothing depends."
    )
    line = place.line if place else case.line(case.here)
    return Finding("none", "shadowed", sentence, line, span=span_of(place))


def _called(case: Case, key: int) -> str:
    """What a tensor is called, or was when a tape started or stopped."""
    named = case.journal.names.get(key, "") if case.journal is not None else ""
    if named or key in case.flow.names:
        return named or case.flow.names[key]
    place = next(iter(case.in_file(case.made_at(key))), None)
    if place is None:
        return ""
    text = linecache.getline(place.code.co_filename, place.line)
    found = re.match(r"\s*([\w.]+)\s*(?::[^=]+)?=[^=]", text)
    return found[1] if found else ""


def placed(case: Case, q: Question, cause: Cause, finding: Finding) -> Finding:
    """Where a cause stands that its op does not show: at the tape, where a tensor was made."""
    made = next(iter(case.in_file(case.made_at(q.s))), None)
    if made is not None:
        finding.spans["made"] = span_of(made) or ()
    if cause.name in {"variables_not_watched", "released"}:
        tape = next(iter(case.in_file(case.began)), None)
        if tape is not None:
            finding.line, finding.span = tape.line, span_of(tape)
    if cause.name == "not_trainable" and made is None:
        node = beside.frozen_at(case, q)
        if node is not None:
            finding.line, call = node.lineno, node.value
            where = (call.lineno, call.end_lineno, call.col_offset, call.end_col_offset)
            finding.span = where if isinstance(call, ast.Call) else finding.span
    if cause.name == "not_trainable" and made is not None:
        finding.line, finding.span = made.line, span_of(made)
    return finding


KIND = register(
    Kind(
        "no_gradient",
        501,
        "none",
        find,
        written,
        meant=passed_over,
        correct=none_gradients,
        dialects=("minitape",),
        example="""\
import numpy as np
import minitape as tf

x = tf.Variable([1.0, -2.0, 3.0])
with tf.GradientTape() as tape:
    squares = tf.constant(np.square(x.numpy()))  # <- here
    loss = tf.reduce_sum(squares)
g = tape.gradient(loss, x)
""",
        healthy="""\
import numpy as np
import minitape as tf

x = tf.Variable([1.0, -2.0, 3.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.square(x))
g = tape.gradient(loss, x)
print(np.square(x.numpy()))
""",
    )
)
