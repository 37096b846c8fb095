"""The answer to "why is it None?": all causes that the evidence proves, or those it leaves open.

The order of the questions. Is it connected? Does the tape follow the source? Is a way through ops
cut? Did a value leave? And only then: nothing leads there.
"""

from __future__ import annotations

from minitape.record import output_ids
from minitape.variable import ResourceVariable

from ....record.reading import attributes
from ...corrections import lines as corrected
from ...sources.dataflow import Act, Edge
from ...sources.question import Cause, Question, Sweep, at
from . import causes
from .causes import swapped
from .departures import departures
from .keywords import by_keyword


def find(q: Question, swept: Sweep | None) -> list[Cause]:
    """The causes of a None, the earliest first; several where each of them has to be corrected.

    Args:
        q: the question.
        swept: the sweep, None where the tape has released its records.
    """
    if q.flow.recording is None:
        return [_never_entered(q)]
    if swept is not None and swept.stuck:
        return [_no_rule(q, swept.stuck)]
    exchanged = swapped(q)
    if exchanged is not None:
        return [exchanged]
    passed = by_keyword(q)
    if passed is not None:
        return [passed]
    at_source = causes.about_source(q)
    found = [at_source] if at_source else []
    if at_source is None or at_source.name != "dtype":
        found += _cut(q) if q.t in q.flow.descendants(q.s) else _no_way(q, found)
    if not found:
        asked = (question(q) for question in causes.FURTHER)
        found = [cause for cause in asked if cause is not None][:1]
    return found or ([_released(q)] if swept is None else _refused(q, swept))


def _cut(q: Question) -> list[Cause]:
    """Where ways through ops are cut, and where a value went past them all to the same target.

    What a program often cuts on purpose (a target held fixed, a choice) stands last.
    """
    cuts = causes.breaks(q)
    left = [cause for cause in departures(q) if cause.is_certain] if cuts else []
    if not left:
        return cuts
    meant = [cause for cause in cuts if causes.is_often_meant(cause)]
    return [*(cause for cause in cuts if cause not in meant), *left, *meant]


def _no_way(q: Question, known: list[Cause]) -> list[Cause]:
    """No op leads from the source to the target: a value left, or there is no connection at all."""
    left = departures(q)
    if q.flow.is_complete:
        certain = any(cause.is_certain for cause in left)
        return left if certain else [*left, _unrelated(q, is_certain=not (left or known))]
    if known:
        return []  # the tape alone cannot tell more
    past = q.flow.tape.past
    mark = getattr(q.flow.tensors.get(q.t), "mark", None) or ()
    if past is not None and past.mark[0] in mark and q.has("reset"):
        return [causes.forgotten(q, None)]
    stopped = [_maybe_stopped(q)] if q.has("stop_recording") and not q.flow.follows(q.t) else []
    return [*left, *stopped] or [_unknown(q)]


def _unrelated(q: Question, is_certain: bool) -> Cause:
    flow = q.flow
    leaves = [k for k in sorted(flow.ancestors(q.t)) if k not in flow.maker and k in flow.names]
    others = [f"`{flow.names[key]}`" for key in leaves if key not in (q.t, q.s)]
    depends = f"`{q.y}` is computed from {' and '.join(others)}" if others else f"`{q.y}` is not"
    sentence = f"Nothing leads from `{q.x}` to `{q.y}`: {depends}" + (
        ", not from it." if others else " computed from it."
    )
    if _may_be_derivative(q):
        sentence += (
            f" If it is what a tape gave as a derivative for `{q.x}`, it does not contain "
            f"`{q.x}`: the derivative of a linear function is a constant."
        )
    roots = [key for key in sorted(flow.ancestors(q.t)) if key not in flow.maker]
    unknown = list(dict.fromkeys(flow.name(key) for key in roots if _has_no_past(q, key)))
    if unknown:
        sentence += (
            f" How {' and '.join(unknown)} came about was not recorded: if it was computed from "
            f"`{q.x}`, that was outside of the tape."
        )
    fix = f"# use {q.x} in the computation of {q.y}"
    if others:
        fix = f"{q.tape_name}.gradient({q.y}, {others[0].strip('`')})  # or {fix[2:]}"
    act = flow.maker.get(q.t)
    line = act.line if act else None
    sure = is_certain and not unknown
    return Cause("no_path", sentence, line, fix, "no way to the target", key=q.s, is_certain=sure)


def _has_no_past(q: Question, key: int) -> bool:
    """Whether a tensor was there before the journal, which so cannot know what it was made of.

    A number without a name was written in Python, and is known as long as no op was left out.
    """
    journal, spec = q.flow.journal, q.flow.spec(key)
    is_number = spec is not None and not spec.shape and key not in q.flow.names
    if is_number and not (journal is not None and journal.has_gaps):
        return False
    is_variable = isinstance(q.flow.tensors.get(key), ResourceVariable)
    known = {"constant", "array", "watch"}
    made = any(e.tensor == key and e.kind in known for e in q.flow.events)
    return not (is_variable or made or key == q.s or _may_be_derivative(q))


def _may_be_derivative(q: Question) -> bool:
    """Whether the target came out of nothing, after a sweep with respect to the source."""
    made = q.t in q.flow.maker or any(e.tensor == q.t for e in q.flow.events)
    sweeps = q.flow.journal.sweeps if q.flow.journal is not None else []
    return not made and any(q.s in each.sources for each in sweeps)


def _maybe_stopped(q: Question) -> Cause:
    line = q.has("stop_recording")[0].line
    sentence = (
        f"Recording was stopped at {at(line)}, and `{q.y}` is no result of a recorded op: if it is "
        "computed there, that is why."
    )
    fix = f"# compute {q.y} outside of `with {q.tape_name}.stop_recording():`"
    return Cause("recording_stopped", sentence, line, fix, "not recorded", q.t, None, None, False)


def _unknown(q: Question) -> Cause:
    """What a tape without a journal cannot tell apart."""
    if _was_never_read(q):
        what = (
            f"The tape watches every trainable variable that is read in its block, and `{q.x}` was "
            "not: it is not used there, or only outside of the block."
        )
    elif q.flow.follows(q.t):
        what = (
            f"The tape follows both, but no recorded op leads from `{q.x}` to `{q.y}`: either they "
            "are unrelated, or a step between is not recorded (stop_gradient, an op without a "
            "derivative, a cast to integers)."
        )
    else:
        what = (
            f"`{q.y}` is no result of an op that this tape recorded: it is computed outside of the "
            f"block, or from something that the tape does not follow, or by an op without a "
            "derivative, or behind stop_gradient."
        )
    fix = f"with viz.recording():  # around the tape, then ask again\n    {corrected.BLOCK}"
    fix = fix.format(tape=q.tape_name)
    return Cause("unknown", what, None, fix, "not recorded", q.t, None, None, False)


def _was_never_read(q: Question) -> bool:
    """Whether a variable that the tape would have watched did not come to it."""
    if not isinstance(q.source, ResourceVariable) or q.flow.follows(q.s):
        return False
    return q.source.trainable and q.flow.tape.watches_variables


def _never_entered(q: Question) -> Cause:
    sentence = "This tape was never entered, so it recorded nothing."
    fix = corrected.watched(q.tape_name, q.x) + f"\n    {q.y} = ..."
    return Cause("outside", sentence, None, fix, "not recorded", key=q.t)


def _released(q: Question) -> Cause:
    sentence = (
        "The tape is used up: without persistent=True it drops what it recorded with the first "
        "call of `gradient` or `jacobian`."
    )
    asked = q.flow.journal.sweeps if q.flow.journal is not None else []
    lines = [each.line for each in asked if each.tape is q.flow.mark]
    line = lines[0] if lines else None
    if line:
        sentence += f" That was at {at(line)}."
    fix = f"with tf.GradientTape(persistent=True) as {q.tape_name}:"
    return Cause("released", sentence, line, fix, "released", key=q.t)


def _no_rule(q: Question, act: Act) -> Cause:
    reached = {q.s, *q.flow.descendants(q.s)}
    position = next((i for i, key in enumerate(act.inputs) if key in reached), 0)
    sentence = (
        f"The op `{act.op.type_name}` at {at(act.line)} has no gradient registered: it could be "
        "differentiated, but nobody has written down how. That raises a LookupError where another "
        "cause gives None."
    )
    fix = f'@tf.RegisterGradient("{act.op.type_name}")  # or wrap the call in tf.custom_gradient'
    edge = Edge(act.inputs[position], act, position)
    return Cause("no_rule", sentence, act.line, fix, "no gradient registered", edge=edge)


def _refused(q: Question, swept: Sweep) -> list[Cause]:
    """Everything is connected, but a rule gave None on the way."""
    found = []
    for step in swept.steps:
        given = {each.position for each in step.contributions}
        act = q.flow.maker.get(output_ids(step.record)[0])
        for pull in step.plan.pulls:
            position = pull.position
            if position in given or act is None or position >= len(act.inputs):
                continue
            edge = Edge(act.inputs[position], act, position)
            if edge.key == q.s or edge.key in q.flow.descendants(q.s):
                call = (
                    attributes(step.record)[-1] if act.op.name == "custom_gradient" else act.op.name
                )
                found.append(causes.none_from_rule(q, edge, call))
    return found or [_unknown(q)]
