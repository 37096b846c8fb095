"""A tape that is used up, recorded again from what a journal has kept: the same ops, same numbers.

The one fact to know: what lies between source and target is called again, on the values of then;
all else goes in as constants. So a gradient that was given away can still be taken apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitape.call import call
from minitape.leaving import only
from minitape.tape import GradientTape
from minitape.tensor import eager

from ..why.cause import Question


class Again(NamedTuple):
    """A new tape with the old names by the new tensors' ids."""

    tape: Any
    target: Any
    source: Any
    names: dict[int, tuple[str, Any]]


def recorded_again(q: Question) -> Again | None:
    """The way from source to target on a new tape; None where not all of it is known."""
    wanted, reached = q.flow.ancestors(q.t), {q.s, *q.flow.descendants(q.s)}
    acts = [
        act
        for act in q.flow.acts
        if not wanted.isdisjoint(act.outputs) and not reached.isdisjoint(act.inputs)
    ]
    journal = q.flow.journal
    if journal is None or q.s == q.t or not acts or not all(act.recorded for act in acts):
        return None
    entries = [journal.by_output.get(act.outputs[0]) for act in acts]
    try:
        return _run(q, entries) if None not in entries else None
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return None


def _run(q: Question, entries: list[Any]) -> Again | None:
    first = next(x for entry in entries for x in entry.inputs if x.id == q.s)
    source = eager(np.array(first.value))
    made: dict[int, Any] = {q.s: source}
    with only(()), GradientTape(persistent=True) as tape:
        tape.watch(source)
        for entry in entries:
            given = tuple(made[x.id] if x.id in made else eager(x.value) for x in entry.inputs)
            out = call(entry.op, given, entry.attributes)
            several = out if entry.op.several else (out,)
            made |= {old.id: new for old, new in zip(entry.outputs, several, strict=True)}
    known = {new.id: (q.flow.names[old], new) for old, new in made.items() if old in q.flow.names}
    names = known | {source.id: (q.x, source), made[q.t].id: (q.y, made[q.t])}
    return Again(tape, made[q.t], source, names)
