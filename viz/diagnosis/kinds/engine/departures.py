"""Where values left the recorded world: for NumPy and Python numbers, or into a variable.

That a value left proves nothing by itself (`print(x.numpy())` does no harm). It counts where
something that came in later is among the target's ancestors, and it is certain only where both are
tied together: by the same line, or by a name that kept its value between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ....record.lines import source_around
from ....trace.trace import Line
from ...corrections import lines as corrected
from ...sources.dataflow import Edge
from ...sources.question import Cause, Question, at

if TYPE_CHECKING:
    from ....record.journal import Event

INTO_VARIABLE = {"assign", "assign_add", "assign_sub", "new variable"}
TO_PYTHON = {"numpy", "float", "int", "complex"}


def departures(q: Question) -> list[Cause]:
    """The ways by which a value that depends on the source went to the target past all ops."""
    own = q.flow.descendants(q.s)
    left = [event for event in q.flow.events if event.tensor in own]
    found = [_into_variable(q, e) for e in left if e.kind in INTO_VARIABLE]
    constants = roots(q)
    to_python = []
    certain_at: set[Line | None] = set()  # a loop leaves at one line over and over
    for event in left:
        if event.kind in TO_PYTHON and event.line not in certain_at:
            to_python.append(_to_numpy(q, event, constants))
            certain_at |= {c.line for c in to_python[-1:] if c is not None and c.is_certain}
    found += [c for c in to_python if c is not None and (c.is_certain or not any(found))]
    causes = [cause for cause in found if cause is not None]
    of_use = [cause for cause in causes if not _is_shown(cause.line)]
    once = {cause.line: cause for cause in of_use or causes}
    certain = [cause for cause in once.values() if cause.is_certain]
    return certain or list(once.values())


def _is_shown(line: Line | None) -> bool:
    """Whether a line only prints what left."""
    return line is not None and line.text.strip().startswith("print(")


def _into_variable(q: Question, event: Event) -> Cause | None:
    """The value was assigned to a variable from which the target was computed."""
    if _is_a_step(q, event):
        return None
    wanted = q.flow.ancestors(q.t)
    reading = _reading(q, event)
    leads = event.into == q.t or any(not wanted.isdisjoint(e.act.outputs) for e in reading)
    if q.flow.is_complete and not leads:
        return None
    variable = q.flow.name(event.into)
    if variable == "a tensor":
        variable = "a variable"
    how = "the start value of" if event.kind == "new variable" else "assigned to"
    sentence = (
        f"At {at(event.line)} {q.flow.name(event.tensor)} is {how} {variable}. A variable is "
        "state: it keeps the number, not how it came about, so no gradient passes."
    )
    fix = corrected.as_value(event.line, variable.strip("`"), event.kind)
    bridge = (event.tensor, event.into)
    certain = q.flow.is_complete
    note = f"state: {corrected.verb(event.line)}"
    return Cause("state", sentence, event.line, fix, note, bridge=bridge, is_certain=certain)


def _is_a_step(q: Question, event: Event) -> bool:
    """Whether the assignment is a step of a training loop, of the source or of what is beside it.

    What is asked of a variable is asked of the value that it has: one that it was given before,
    computed from an older one, is no break on the way.
    """
    return event.into == q.s or event.into in q.steps


def _reading(q: Question, event: Event) -> Sequence[Edge]:
    """The edges on which a variable has what an assignment gave it."""
    users = q.flow.users.get(event.into, ())
    if event.number < 0:
        return users
    ended = q.flow.assigned.get(event.into, [])
    following = bisect_right(ended, q.flow.position[id(event)], key=itemgetter(0))
    first = bisect_left(users, event.number, key=_number)
    if following == len(ended):
        return users[first:]
    return users[first : bisect_left(users, ended[following][1], key=_number)]


def _number(edge: Edge) -> int:
    """How many ops had run, as far as a journal knows."""
    return edge.act.number


def roots(q: Question) -> list[int]:
    """The constants that the target was computed from, oldest first."""
    variables = q.flow.journal.variables if q.flow.journal else {}
    keys = q.flow.ancestors(q.t)
    return sorted(key for key in keys if key not in q.flow.maker and key not in variables)


def _to_numpy(q: Question, event: Event, constants: list[int]) -> Cause | None:
    """The value left for NumPy or Python, and something came back from there."""
    if not q.flow.is_complete:
        return _numpy_cause(q, event, None, 0, False)
    first = None
    for key in constants:
        line, is_tied = came_in(q, key, event) or (None, None)
        if is_tied:
            return _numpy_cause(q, event, line, key, True)
        if is_tied is not None and first is None:
            first = _numpy_cause(q, event, line, key, False)
    return first


def came_in(q: Question, key: int, event: Event) -> tuple[Line | None, bool] | None:
    """The line that made a constant after a departure, and whether the two are tied together."""
    made = q.flow.constants.get(key)
    if made is not None:
        place, number, is_array = made.line, made.number, made.kind == "array"
        is_later = q.flow.position[id(made)] > q.flow.position[id(event)]
    else:
        edge = next((e for e in q.flow.users.get(key, ()) if e.act.number >= 0), None)
        if edge is None:
            return None
        place, number, is_array = edge.act.line, edge.act.number, False
        is_later = number >= event.number
    same_line = place is not None and place == event.line
    is_literal = not same_line and _is_literal(q.flow.value(key), place)
    if not is_later or (not is_array and is_literal):
        return None
    return place, _is_tied(event.line, place)


def _is_literal(value: Any, line: Line | None) -> bool:
    """Whether a number stands in the line itself."""
    if value is None or value.size != 1 or line is None:
        return False
    kind = value.dtype.type
    return any(_rounded(kind, each) == value.item() for each in corrected.literals(line))


def _rounded(kind: Any, number: Any) -> Any:
    try:
        return kind(number).item()
    except (TypeError, ValueError, OverflowError):
        return None


@lru_cache(maxsize=4096)
def _is_tied(left: Line | None, place: Line | None) -> bool:
    """Whether what left on one line is what comes in on another: the same line, or by a name.

    Equal values prove nothing: a variable and a constant may be made of the same data.
    """
    if place is None or left is None:
        return False
    if place == left:
        return True
    names = corrected.names_made(left) & corrected.names_used(place)
    if not names or (place.file, place.cell) != (left.file, left.cell):
        return False
    return not (names & _rebound(left, place))


def _rebound(first: Line, last: Line) -> set[str]:
    """The names that get another value on the lines between two lines."""
    (block,) = source_around([first, last], margin=0)
    between = list(enumerate(block.lines, block.first))
    inside = [Line(block.file, n, text) for n, text in between if first.number < n < last.number]
    return {name for line in inside for name in corrected.names_made(line)}


def _numpy_cause(q: Question, event: Event, back: Line | None, key: int, is_certain: bool) -> Cause:
    ways = {"numpy": "leaves for NumPy", "float": "becomes a Python float", "int": "becomes an int"}
    way = ways.get(event.kind, "becomes a Python number")
    sentence = (
        f"At {at(event.line)} {q.flow.name(event.tensor)} {way}: `{corrected.bare(event.line)}`."
    )
    if back is not None and back != event.line:
        sentence += f" What is computed from it comes back as a constant at {at(back)}."
    sentence += " No tape sees what happens there."
    if not is_certain:
        sentence += f" If `{q.y}` is computed from that, this is where the connection broke."
    bridge = (event.tensor, key) if key else None
    fix = corrected.in_tensorflow(event.line, q.x)
    return Cause(
        "numpy", sentence, event.line, fix, f"left: {event.kind}",
        key=0 if bridge else event.tensor, bridge=bridge, is_certain=is_certain,
    )  # fmt: skip
