"""A script that ends with an error which is about its gradients: which mistake that is.

The frames of the traceback still hold the tape and the target that were used.
"""

from __future__ import annotations

import ast
import linecache
from types import TracebackType
from typing import Any

from minitape.graphs.symbolic import NoNumpyError
from minitape.tape import GradientTape

from ..base.messages import message_of
from .examiner import Examiner
from .finding import Finding
from .sources.case import span_of
from .sources.written import Place, Stack, tapes_not_called

LEFT = ("numpy", "float", "int", "complex")


def of_error(examiner: Examiner, error: BaseException) -> Finding | None:
    """The finding behind an error; None where it has nothing to do with a gradient."""
    frames = list(_frames(error.__traceback__))
    own = [Place(t.tb_frame.f_code, t.tb_lasti, t.tb_lineno) for t in frames]
    stack = tuple(reversed([p for p in own if p.code.co_filename == examiner.file]))
    tape = next((t.tb_frame.f_locals.get("self") for t in frames if _is_call(t)), None)
    if stack and "value` with `tf.Variable`s is not supported" in message_of(error):
        return _replaces(stack)
    if stack and isinstance(error, NoNumpyError):
        return _has_no_value(examiner, stack)
    if stack and isinstance(error, TypeError) and "context manager" in message_of(error):
        return _not_made(examiner, stack)
    is_none = "NoneType" in message_of(error)
    if (is_none or type(error) is LookupError) and not examiner.findings:
        quiet = [each for each in examiner.quiet if (each.cause == "no_rule") is not is_none]
        if quiet:
            return quiet[-1] if not is_none else quiet[0]
    if tape is None or not stack:
        return None
    if isinstance(error, RuntimeError) and not tape.usable:
        return _used_twice(examiner, tape, stack)
    if isinstance(error, TypeError) and "target" in message_of(error).lower():
        return _no_tensor(examiner, tape, stack, message_of(error))
    return None


def _frames(start: TracebackType | None) -> Any:
    while start is not None:
        yield start
        start = start.tb_next


def _is_call(each: TracebackType) -> bool:
    """Whether a frame is that of `gradient`, `jacobian` or `batch_jacobian`."""
    frame = each.tb_frame
    names = {"gradient", "jacobian", "batch_jacobian"}
    return frame.f_code.co_name in names and isinstance(frame.f_locals.get("self"), GradientTape)


def _began(examiner: Examiner, tape: GradientTape) -> Place | None:
    recording = tape.recording if tape.usable else tape.past
    mark = recording.mark[0] if recording is not None else None
    for event, stack in zip(examiner.events, examiner.event_stacks, strict=False):
        if event.kind == "start" and event.tape is mark:
            own = [p for p in stack if p.code.co_filename == examiner.file]
            return own[0] if own else None
    return None


def _replaces(stack: Stack) -> Finding:
    """`w -= ...` on a variable, which TensorFlow refuses."""
    sentence = (
        f"At line {stack[0].line} `-=` or `+=` would replace the variable by a tensor: a tape "
        "watches variables by itself, and their values are changed by `assign_sub`, `assign_add`."
    )
    finding = Finding("none", "variable_replaced", sentence, stack[0].line)
    finding.span = span_of(stack[0])
    return finding


def _not_made(examiner: Examiner, stack: Stack) -> Finding | None:
    """`with tf.GradientTape as tape`, where no tape is made; None for other classes."""
    line = stack[0].line
    tree = ast.parse("".join(linecache.getlines(stack[0].code.co_filename)))
    written = [ast.unparse(each) for each in tapes_not_called(tree, line)]
    if not written:
        return None
    sentence = (
        f"At line {line} nothing is made that could record: `{written[0]}` is the class, and "
        f"without parentheses it is not called. Write `{written[0]}()`."
    )
    finding = Finding("none", "not_called", sentence, line, span=span_of(stack[0]))
    finding.call = len(examiner.outcomes)
    return finding


def _has_no_value(examiner: Examiner, stack: Stack) -> Finding:
    """NumPy in what is written down as a graph: a layer's `call`, a `tf.function`."""
    line = stack[0].line
    sentence = (
        f"At line {line} a value is to leave for NumPy where there is none yet: a layer's `call` "
        "runs once with symbolic tensors. No tape would see what NumPy does there, either."
    )
    finding = Finding("none", "numpy", sentence, line, span=span_of(stack[0]))
    finding.call = len(examiner.outcomes)
    finding.facts["lines"] = [line]
    return finding


def _used_twice(examiner: Examiner, tape: GradientTape, stack: Stack) -> Finding:
    place = _began(examiner, tape) or stack[0]
    sentence = (
        f"The tape is asked a second time at line {stack[0].line}, but it gave its record away "
        "with the first call: without `persistent=True` a tape answers once."
    )
    finding = Finding("none", "released", sentence, place.line, span=span_of(place))
    finding.call = len(examiner.outcomes)
    _add(finding, "tape", place)
    _add(finding, "call", stack[0])
    return finding


def _no_tensor(examiner: Examiner, tape: GradientTape, stack: Stack, error: str) -> Finding:
    """The target is a number: the value left for NumPy or Python before."""
    left = [
        (event, [p for p in frames if p.code.co_filename == examiner.file])
        for event, frames in zip(examiner.events, examiner.event_stacks, strict=False)
        if event.kind in LEFT
    ]
    known = [(event, own) for event, own in left if own]
    if "None" in error or not known:
        sentence = "The target is None: the function that computes it has no `return`."
        if "None" not in error:
            sentence = "The target is a plain number, not a tensor, so no tape knows of it."
        cause = "no_target"
        place = stack[0]
    else:
        place, cause = known[-1][1][0], "numpy"
        sentence = (
            f"At line {place.line} a value leaves for NumPy or Python, and what is computed from "
            "it is a plain number: no tape sees what happens there, and the target is not a tensor."
        )
    finding = Finding("none", cause, sentence, place.line, span=span_of(place))
    finding.call = len(examiner.outcomes)
    _add(finding, "call", stack[0])
    began = _began(examiner, tape)
    if began is not None:
        _add(finding, "tape", began)
    return finding


def _add(finding: Finding, name: str, place: Place) -> None:
    span = span_of(place)
    if span is not None:
        finding.spans[name] = span
