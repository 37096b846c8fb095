"""Why a gradient is None: each cause with its sentence, its line, and what to write instead.

A cause is claimed only where the evidence proves it. `find` walks from the source towards the
target through everything that ran (see `dataflow`) and reports every edge that the gradient cannot
pass; where no op leads on, `departures` looks at how values left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.ops.casting import cast_to_discrete
from minitape.ops.passing import stop_gradient
from minitape.values.dtypes import as_dtype
from minitape.variable import ResourceVariable

from ...corrections import lines as corrected
from ...sources.dataflow import Act, Edge, public_name
from ...sources.question import Cause, Question, at

if TYPE_CHECKING:
    from ....trace.trace import Line

# By what an op says of its jumps: why nothing has a derivative behind it.
JUMPS = {
    "steps": "it is a staircase, flat between its jumps",
    "truth": "its result is true or false, which does not change by a little",
    "position": "it gives a position, a whole number that moves in jumps",
}


def about_source(q: Question) -> Cause | None:
    """What is wrong with the source itself: its dtype, or the tape does not follow it."""
    if not as_dtype(q.source.dtype).is_differentiable:
        return _discrete_source(q)
    if q.flow.follows(q.s):
        return None
    past = q.flow.tape.past
    if q.has("reset") and past is not None and q.s in past.watched:
        return forgotten(q, q.first_use())
    if isinstance(q.source, ResourceVariable):
        return _unwatched_variable(q)
    return _replaced(q) or _not_watched(q)


def _discrete_source(q: Question) -> Cause:
    dtype = as_dtype(q.source.dtype).name
    made = [e.line for e in q.flow.events if e.kind in {"constant", "array"} and e.tensor == q.s]
    line = made[0] if made and corrected.rebinds(made[0], q.x) else q.first_use()
    sentence = (
        f"`{q.x}` has dtype {dtype}, and only floating and complex numbers have derivatives: "
        "a small change of it is no value of that type."
    )
    fix = corrected.floating(made[0] if made else None, q.x)
    if dtype == "string":
        fix = f"{q.x} = tf.strings.to_number({q.x})  # differentiate with respect to numbers"
    return Cause("dtype", sentence, line, fix, f"{dtype}: no derivative", key=q.s)


def _unwatched_variable(q: Question) -> Cause | None:
    use, fix = q.first_use(), corrected.watched(q.tape_name, q.x)
    if not q.source.trainable:
        sentence = (
            f"`{q.x}` is a variable with trainable=False, and a tape watches only trainable "
            f"variables by itself."
        )
        return Cause("not_trainable", sentence, use, fix, "not trainable, not watched", key=q.s)
    if q.flow.tape.watches_variables:
        return None
    sentence = (
        f"The tape was made with watch_accessed_variables=False, so it watches only what "
        f"`{q.tape_name}.watch` was called on, and that was not done for `{q.x}`."
    )
    fix = fix.replace("Tape()", "Tape(watch_accessed_variables=False)")
    return Cause("variables_not_watched", sentence, use, fix, "not watched", key=q.s)


def _replaced(q: Question) -> Cause | None:
    """The name belonged to a variable, and a line made it a tensor: `x = x + 1`."""
    act = q.flow.maker.get(q.s)
    if act is None or q.flow.journal is None or not corrected.rebinds(act.line, q.x):
        return None
    variables = q.flow.journal.variables
    before = [k for k in q.flow.ancestors(q.s) - {q.s} if q.flow.names.get(k) == q.x]
    if not any(key in variables for key in before):
        return None
    sentence = (
        f"`{q.x}` was a variable until {at(act.line)}, which makes it a tensor: "
        f"`{corrected.bare(act.line)}`. A tape watches variables by itself, tensors only when told "
        "to."
    )
    fix = corrected.assigned(act.line, q.x)
    return Cause("variable_replaced", sentence, act.line, fix, "a tensor now, not watched", key=q.s)


def _not_watched(q: Question) -> Cause:
    use = q.first_use()
    sentence = (
        f"`{q.x}` is a tensor that the tape was not told to watch. Only trainable variables are "
        "watched by themselves."
    )
    discrete = [e for e in q.flow.events if e.kind == "watched_discrete" and e.tensor == q.s]
    if not discrete and not q.flow.is_complete:
        sentence += (
            f" (If `{q.x}` was a tf.Variable once: `{q.x} = {q.x} - ...` makes it a tensor.)"
        )
    fix = corrected.watched(q.tape_name, q.x)
    return Cause("not_watched", sentence, use, fix, "not watched", key=q.s)


def breaks(q: Question) -> list[Cause]:
    """Every place where a way from the source to the target is cut, in the order of the program."""
    flow = q.flow
    live = flow.reached_through(q.s, lambda edge: passes(q, edge))
    if q.t in live:
        return []
    wanted = flow.ancestors(q.t)
    cut = [
        edge for key in live for edge in flow.users.get(key, ())
        if not passes(q, edge) and not wanted.isdisjoint(edge.act.outputs)
    ]  # fmt: skip
    cut.sort(key=lambda edge: edge.act.outputs[0])
    once = {edge.act.outputs: edge for edge in reversed(cut)}
    return [_break(q, edge) for edge in reversed(once.values())]


def is_often_meant(cut: Cause) -> bool:
    """Whether programs cut like this on purpose: a value held fixed, a comparison, a choice."""
    if cut.name == "stop_gradient" or cut.edge is None:
        return cut.name == "stop_gradient"
    return cut.edge.act.op.facts.jumps in {"truth", "position"}


def passes(q: Question, edge: Edge) -> bool:
    """Whether a gradient could flow along an edge, as far as the op and the tape's state go."""
    return _runs_on(q, edge.act) and _is_differentiable(edge) and not _too_early(q, edge)


def _runs_on(q: Question, act: Act) -> bool:
    return act.tapes is None or q.flow.mark in act.tapes


def _is_differentiable(edge: Edge) -> bool:
    op = edge.act.op
    return op.differentiable and op.input_name(edge.position) not in op.cuts


def _too_early(q: Question, edge: Edge) -> bool:
    """Whether the tensor was watched after this op, recorded for no input, had used it."""
    number = q.watched_at
    early = edge.key == q.s and number is not None and 0 <= edge.act.number < number
    return early and not edge.act.recorded


def _break(q: Question, edge: Edge) -> Cause:
    act, line = edge.act, edge.act.line
    if not _runs_on(q, act):
        return _not_running(q, edge)
    if act.op is stop_gradient.op:
        sentence = (
            f"`tf.stop_gradient` at {at(line)} cuts the path on purpose: {q.made(act)} counts as a "
            "constant from there."
        )
        fix = corrected.not_stopped(line, q.flow.names.get(edge.key, "x"))
        return Cause("stop_gradient", sentence, line, fix, "stop_gradient", edge=edge)
    if not _is_differentiable(edge):
        return _undifferentiable(q, edge)
    sentence = (
        f"`{q.x}` is watched only after {at(line)} had used it, and a tape records nothing "
        "in hindsight."
    )
    fix = corrected.watched(q.tape_name, q.x) + f"  # before {corrected.bare(line)}"
    return Cause("watched_too_late", sentence, line, fix, "used before it is watched", edge=edge)


def _not_running(q: Question, edge: Edge) -> Cause:
    """An op that ran while the tape did not record: why did it not?"""
    act, line, made = edge.act, edge.act.line, q.made(edge.act)
    past = q.flow.tape.past
    if past is not None and past.mark[0] in (act.tapes or ()) and past.mark[0] is not q.flow.mark:
        return forgotten(q, line, edge)
    if _was_reset(q, act):
        return forgotten(q, line, edge)
    state = q.state_at(act.number)
    if state == "stop_recording":
        sentence = (
            f"{made} is computed at {at(line)}, inside `with {q.tape_name}.stop_recording():`, "
            "where the tape does not look."
        )
        fix = f"{corrected.bare(line)}  # not inside `with {q.tape_name}.stop_recording():`"
        return Cause("recording_stopped", sentence, line, fix, "recording stopped", edge=edge)
    when = "after the tape's block was left" if state == "stop" else "before the tape's block began"
    sentence = f"{made} is computed at {at(line)}, {when}: a tape records only inside its block."
    fix = corrected.moved_inside(q.tape_name, line, q.flow.names.get(act.outputs[0], "y"))
    return Cause("outside", sentence, line, fix, "outside of the tape", edge=edge)


def _was_reset(q: Question, act: Act) -> bool:
    """Whether a tape that recorded this op ended where this one was reset: the same one, before."""
    resets = {e.number for e in q.has("reset") if e.number > act.number >= 0}
    stops = [e for e in q.flow.events if e.kind == "stop" and e.number in resets]
    return any(e.tape in (act.tapes or ()) for e in stops)


def forgotten(q: Question, line: Line | None, edge: Edge | None = None) -> Cause:
    """`reset` dropped what was recorded."""
    reset = q.has("reset")
    place = reset[0].line if reset else None
    sentence = (
        f"`{q.tape_name}.reset()` at {at(place)} made the tape forget everything that it had "
        "recorded and watched so far."
    )
    again = f"{q.tape_name}.reset()\n"
    if not isinstance(q.source, ResourceVariable):
        again += f"{q.tape_name}.watch({q.x})\n"
    fix = again + (
        f"{corrected.bare(line)}  # after the reset" if line else "# and compute again after it"
    )
    key = 0 if edge else q.s
    return Cause("reset", sentence, place, fix, "forgotten by reset", key=key, edge=edge)


def _undifferentiable(q: Question, edge: Edge) -> Cause:
    act, line, name = edge.act, edge.act.line, public_name(edge.act)
    if edge.act.op is cast_to_discrete.op:
        spec = q.flow.spec(act.outputs[0])
        dtype = spec.dtype.name if spec else "an integer type"
        sentence = (
            f"At {at(line)} the value is cast to {dtype}: whole numbers move in jumps, so nothing "
            "behind the cast has a derivative."
        )
        fix = corrected.not_cast(line, q.flow.names.get(edge.key, "x"))
        return Cause("dtype", sentence, line, fix, f"cast to {dtype}", edge=edge)
    sentence = f"`{name}` at {at(line)} has no derivative: {_why(edge)}."
    note = f"{name}: no derivative"
    return Cause("not_differentiable", sentence, line, _smooth(edge), note, edge=edge)


def _why(edge: Edge) -> str:
    op = edge.act.op
    if op.facts.jumps:
        return JUMPS[op.facts.jumps]
    if op.input_name(edge.position) in op.cuts:
        return f"its argument `{op.input_name(edge.position)}` chooses, it is not computed with"
    return "it is registered as not differentiable"


def _smooth(edge: Edge) -> str:
    name, line = public_name(edge.act).split(".")[-1], edge.act.line
    jumps = edge.act.op.facts.jumps
    if jumps == "steps":
        return corrected.passed_through(line, name)
    if jumps == "truth":
        return "tf.sigmoid(x)  # a smooth step instead of the comparison x > 0"
    if name in {"argmax", "argmin"}:
        sign = "-" if name == "argmin" else ""
        return f"tf.nn.softmax({sign}x)  # smooth weights instead of the position of the extreme"
    return f"# compute without `{name}`, or give it a derivative with @tf.custom_gradient"


def about_target(q: Question) -> Cause | None:
    """A target of integers or strings has no derivative."""
    if q.target.dtype.is_differentiable:
        return None
    dtype, act = q.target.dtype.name, q.flow.maker.get(q.t)
    sentence = (
        f"The target `{q.y}` has dtype {dtype}: only floating and complex targets have derivatives."
    )
    fix = f"{q.y} = ...  # keep the computation in tf.float32, without a cast to {dtype}"
    line = act.line if act else None
    return Cause("dtype", sentence, line, fix, f"{dtype}: no derivative", key=q.t)


def none_from_rule(q: Question, edge: Edge, call: Any) -> Cause:
    """A rule was asked and gave None."""
    line = edge.act.line
    if edge.act.op.name != "custom_gradient":
        return _undifferentiable(q, edge)
    sentence = (
        f"The gradient function of `{call}` (decorated with tf.custom_gradient) returned None for "
        f"{q.flow.name(edge.key)}, called at {at(line)}."
    )
    fix = "return upstream * ...  # the derivative, instead of None"
    note = "grad returned None"
    return Cause("custom_gradient_none", sentence, line, fix, note, edge=edge)


# What is asked, in this order, where the source is followed and a way to the target lets gradients
# pass, so that neither of them explains the None. A cause of such a kind is a function of the
# question that gives it or None, and a word in this list; others belong into the functions above.
FURTHER = [about_target]


def is_swapped(q: Question) -> bool:
    """Whether a recorded op made the source, and the target went into it."""
    flow = q.flow
    maker = flow.maker.get(q.s)
    if q.s == q.t or maker is None or not maker.recorded:
        return False
    if flow.names.get(q.s) == flow.names.get(q.t) or q.s in flow.ancestors(q.t):
        return False
    return q.t in flow.ancestors(q.s)


def swapped(q: Question) -> Cause | None:
    """The cause, None where target and source are in their order."""
    if not is_swapped(q):
        return None
    sentence = (
        f"Target and source are swapped: `{q.x}` was computed from `{q.y}`, so `{q.y}` does not "
        f"depend on `{q.x}`. `gradient(target, sources)` takes the result first."
    )
    fix = f"{q.tape_name}.gradient({q.x}, {q.y})"
    return Cause("swapped", sentence, None, fix, "swapped", key=q.s)
