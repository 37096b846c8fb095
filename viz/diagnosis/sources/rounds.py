"""What trainings do: the rounds of one line that asks for gradients of variables, as evidence.

A round is a request with the values of its variables before, and the gradients that it gave. What
happened to the variables is the difference to the next round, whoever changed them, and the kinds
that look at updates need no more than that. They look at the first rounds: what is wrong with an
update is wrong from the first one on.
"""

from __future__ import annotations

import linecache
from typing import Any, NamedTuple

import numpy as np

from minitape.tensor import EagerTensor
from minitape.values import nest
from minitape.variable import ResourceVariable

from ...record.names import own_name
from ...record.standpoints import Stack
from ..evidence import Ask, Event, Evidence, Place
from ..source_text import Source
from .case import span_of

MAX_SIZE = 1_000_000  # elements of all variables of a round, which are copied
ASSIGNMENTS = {"assign", "assign_add", "assign_sub", "overwritten"}


class Round(NamedTuple):
    """One request.

    Attributes:
        stack: the learner's frames.
        sources: their names, by their keys.
        keys: of the sources.
        loss: the target.
        values: of the sources, as they were.
        gradients: that it gave; [] before.
        event: the number of the first event after it.
        moves: whether the sources are variables, which an update changes.
    """

    stack: Stack
    sources: dict[int, str]
    keys: tuple[int, ...]
    loss: float
    values: list[Any]
    gradients: list[Any]
    event: int
    moves: bool


def round_of(request: Any, stack: Stack, event: int) -> Round | None:
    """The round that a request begins; None where it is no step of a training.

    `event` is how many events the journal has noted.
    """
    sources = request.sources
    loss: list[Any] = [getattr(each, "value", None) for each in request.targets]
    is_step = len(loss) == 1 and isinstance(loss[0], np.ndarray | np.generic) and loss[0].size == 1
    if not is_step or loss[0].dtype.kind != "f" or not sources:
        return None
    arrays = [getattr(getattr(each, "_plain", each), "value", None) for each in sources]
    is_real = all(getattr(getattr(each, "dtype", None), "kind", "") == "f" for each in arrays)
    if not is_real or sum(each.size for each in arrays) > MAX_SIZE:  # type: ignore[union-attr]
        return None
    moves = all(isinstance(each, ResourceVariable) for each in sources)
    called = {x.id: own_name(x) for x in sources} if moves else {}
    values, keys = [np.array(each) for each in arrays], tuple(request.source_ids)
    return Round(stack, called, keys, loss[0].item(), values, [], event, moves)


def evidence_of(journal: Any, rounds: list[Round], file: str) -> Evidence:
    """The rounds of one line as requests, and the assignments between them as steps.

    The last one has no gradients yet; `file` is the one whose lines are meant, "" for any.
    """
    found = Evidence()
    for number, each in enumerate(rounds):
        place = place_of(each.stack, file)
        found.facts["source"] = "".join(linecache.getlines(place.file)) if place else ""
        gradients = dict(zip(each.keys, each.gradients, strict=False))
        facts = {"loss": each.loss, "values": dict(zip(each.keys, each.values, strict=True))}
        found.asks.append(Ask(number, place, (), each.keys, gradients=gradients, facts=facts))
        later = rounds[number + 1] if number + 1 < len(rounds) else None
        for where in steps_of(journal, each, later, file):
            found.events.append(Event("step", 0, number + 1, where, (), {"by": ""}))
    return found


def steps_of(journal: Any, first: Round, second: Round | None, file: str) -> list[Place]:
    """Where the variables of a round were assigned before the next one."""
    steps = assigned(journal, first, second, file)
    return [place for key, place in steps if key in first.keys]


def assigned(
    journal: Any, first: Round, second: Round | None, file: str
) -> list[tuple[int, Place]]:
    """The variables that were assigned before the next round, and where."""
    end = len(journal.events) if second is None else second.event
    stacks = getattr(journal, "event_stacks", [])[first.event : end]
    pairs = zip(journal.events[first.event : end], stacks, strict=False)
    return [
        (event.into, place)
        for event, stack in pairs
        if event.kind in ASSIGNMENTS and (place := place_of(stack, file)) is not None
    ]


def place_of(stack: Stack, file: str = "") -> Place | None:
    """The innermost expression of the learner's, None if there is none."""
    own = next((each for each in stack if not file or each.code.co_filename == file), None)
    if own is None:
        return None
    path = own.code.co_filename
    text = linecache.getline(path, own.line).strip()
    return Place(path, own.line, text, span_of(own) or ())


def source_of(place: Place | None) -> Source | None:
    """The text around a place, None where there is none."""
    lines = linecache.getlines(place.file) if place is not None else []
    try:
        return Source("".join(lines)) if place is not None and place.line <= len(lines) else None
    except (SyntaxError, ValueError):
        return None


def gradients_of(result: Any, count: int) -> list[Any]:
    """The arrays of gradients, None for what is none or sparse, or where it is not clear which."""
    found = [each.value if type(each) is EagerTensor else None for each in nest.flatten(result)]
    return found if len(found) == count else [None] * count
