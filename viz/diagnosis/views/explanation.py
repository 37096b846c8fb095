"""`explain`: why a gradient is what it is, in sentences and on the graph.

Nothing here guesses. A connected gradient is taken apart by the engine's own sweep; a None has a
cause that the tape or an open journal proves, or the sentence says what is not known and how to
find out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitape.interpreter import active
from minitape.request import Request
from minitape.tape import GradientTape
from minitape.values import nest

from ...record.journal import Journal, journal_in_use
from ...record.lines import calling_frame
from ...record.names import tensors_in
from ..kinds.engine.answer import find
from ..pictures import broken_picture
from ..sources.dataflow import Dataflow
from ..sources.question import Cause, Question, at, sweep
from .connected import connected, of_used_tape
from .explained import Explanation, Explanations


def explain(tape: Any, target: Any, source: Any) -> Any:
    """Says why the gradient of `target` with respect to `source` is what it is.

    Best asked about a tape that ran inside `with viz.recording():`, which sees also what the tape
    does not; then it works on a used tape too. The tape is not used up.

    Args:
        tape: a GradientTape that has recorded.
        target: one tensor or variable.
        source: one tensor or variable, or a nested structure of several.

    Returns:
        For several sources a tuple of explanations. For one an explanation that shows itself in
        notebooks; `.text`, `.cause`, `.line`, `.fix`, `.paths`, `.picture`, `.try_fix()`.

    Raises:
        TypeError: if `tape` is not a GradientTape, or the target is not one tensor.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.constant(3.0)
        >>> with viz.recording(), tf.GradientTape() as tape:
        ...     y = x * x
        >>> why = viz.explain(tape, y, x)
        >>> why.cause
        'not_watched'
        >>> print(why.fix)
        with tf.GradientTape() as tape:
            tape.watch(x)
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(
            f"expected a tf.GradientTape, got {tape!r}. What it recorded is explained: "
            "write `with tf.GradientTape() as tape: ...` and pass that `tape`."
        )
    if len(Request([], source).sources) > 1:
        return Explanations(tuple(explain(tape, target, each) for each in nest.flatten(source)))
    (target,), (source,) = _one("target", target), _one("source", source)
    for each in active():
        if isinstance(each, Journal):
            each.explained(tape, target, source)
    names = tensors_in(calling_frame(), [target, source])
    journal = journal_in_use()
    question = Question(Dataflow(tape, journal, names), target, source, _name_of(tape))
    swept = sweep(question) if tape.usable else None
    if swept is not None and swept.cotangent is not None:
        return connected(question, swept, names)
    causes = find(question, swept)
    trace, places = broken_picture(question, causes)
    explained = Explanation(question, trace, _said(question, causes), causes, places=places)
    if explained.cause == "released":
        of_used_tape(question, explained)
    return explained


def _one(role: str, value: Any) -> list[Any]:
    """The single tensor or variable that a target or source is."""
    checked = Request(value, []).targets if role == "target" else Request([], value).sources
    if len(nest.flatten(value)) != 1 or len(checked) != 1:
        raise TypeError(
            f"explain takes one {role} at a time, got {len(checked)} tensors: ask for each of "
            f"them, for instance `viz.explain(tape, loss, w)`."
        )
    return checked


def _name_of(tape: Any) -> str:
    frame = calling_frame()
    scopes = [] if frame is None else [frame.f_locals, frame.f_globals]
    names = [name for scope in scopes for name, value in scope.items() if value is tape]
    return names[0] if names else "tape"


def _said(q: Question, causes: Sequence[Cause]) -> str:
    """The sentences: one cause plainly, several as a list."""
    start = f"The gradient of `{q.y}` with respect to `{q.x}` is None"
    if q.flow.recording is not None and causes[0].name == "released":
        start = f"The gradient of `{q.y}` with respect to `{q.x}` can no longer be computed"
    sentences = list(dict.fromkeys(each.sentence for each in causes))  # several ops of one line
    sentences = [each[0].upper() + each[1:] for each in sentences]
    if len(sentences) == 1:
        return f"{start}. {sentences[0]}{_advice(q, causes)}"
    certain = all(cause.is_certain for cause in causes)
    how = "all of these have to be fixed" if certain else "it is one of these"
    listed = [f"{i}. {sentence}" for i, sentence in enumerate(sentences, 1)]
    return "\n".join([f"{start}; {how}:", *listed]) + _advice(q, causes)


def _advice(q: Question, causes: Sequence[Cause]) -> str:
    if q.flow.is_complete or all(cause.is_certain for cause in causes):
        return ""
    return (
        "\nThe tape alone cannot prove it. Record the program inside `with viz.recording():` and "
        "ask again: then every op is seen, with its line."
    )


__all__ = ["Explanation", "Explanations", "at", "explain"]
