"""Mistakes around a call that no op shows: swapped ends, a name that is another tensor by now.

What a name meant earlier is known from the journal, which looks at the learner's names whenever a
tape starts, stops and is asked.
"""

from __future__ import annotations

import ast
import linecache
import re

from ...finding import Finding
from ...sources.case import Case, span_of
from ...sources.question import Cause, Question
from . import beside
from .causes import swapped


def special(case: Case, q: Question) -> Finding | None:
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
