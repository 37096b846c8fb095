"""The paths from a source to a target, and what each contributes to the gradient.

A path's contribution is computed by the engine's own sweep, over the records of the path alone and
in each only the rule of the argument through which the path goes. So nothing here knows a
derivative, and the contributions of all paths add up to the gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.backward import backward
from minitape.leaving import only
from minitape.other_pulls import with_pull
from minitape.record import input_id, opened, output_ids, plan_of
from minitape.safety.silence import Silence
from minitape.tensors.composite import dense

from ...trace.arrays import Array
from ...trace.extras import Paths, Way

if TYPE_CHECKING:
    from minitape.request import Request

    from ...trace.trace import Trace

MAX_PATHS = 12
MAX_LENGTH = 5_000


class Link(NamedTuple):
    """One step of a path: the record, and the rule that leads on towards the source."""

    record: Any
    pull: Any


@dataclass(frozen=True, slots=True)
class Path:
    """One way from the source to the target.

    Attributes:
        ops: the names of the ops, from the source on.
        names: what is on the way, source and target included, in the learner's names.
        contribution: what comes to the source along it.
    """

    ops: tuple[str, ...]
    names: tuple[str, ...]
    contribution: Array | None

    def __str__(self) -> str:
        shown = self.names if len(self.names) < 9 else (*self.names[:4], "…", *self.names[-4:])
        value = "nothing" if self.contribution is None else self.contribution.text()
        return f"{' → '.join(shown)} gives {value}".replace("-", "−")


def ways(records: list[Any], source: int, target: int, most: int = MAX_PATHS) -> list[list[Link]]:
    """Up to `most` ways from the target back to the source, as links from the target on."""
    made = {key: record for record in records for key in output_ids(record)}
    useful = _between(records, source)
    found: list[list[Link]] = []
    todo: list[tuple[int, list[Link]]] = [(target, [])]
    while todo and len(found) < most:
        key, links = todo.pop()
        if key == source and links:
            found.append(links)
        record = made.get(key)
        if record is None or len(links) >= MAX_LENGTH:
            continue
        for pull in reversed(plan_of(record).pulls):
            before = input_id(record, pull)
            if before in useful:
                todo.append((before, [*links, Link(record, pull)]))
    return found


def count(records: list[Any], source: int, target: int) -> int:
    """How many ways there are: sums over the records, since there may be exponentially many."""
    number = {source: 1}
    for record in records:
        ways_in = sum(number.get(input_id(record, pull), 0) for pull in plan_of(record).pulls)
        for key in output_ids(record):
            if ways_in:
                number[key] = number.get(key, 0) + ways_in
    return number.get(target, 0) - (target == source)


def contribution(links: list[Link], seeds: dict[int, Any], source: int) -> Any:
    """What one way alone gives to the source: an array, None if a rule gives nothing."""
    alone = [with_pull(record, pull) for record, pull in links]
    cotangents = dict(seeds)
    with only(()), Silence():
        steps = backward(alone, cotangents, {source}, raw=True, explain=True)
        last = [each.value for step in steps for each in step.contributions]
    return opened(dense(last[-1])) if len(last) == len(links) else None


def paths(
    records: list[Any], source: int, target: int, seeds: dict[int, Any], called: Any
) -> tuple[Path, ...]:
    """The first paths with their contributions; `called` names a tensor by its id."""
    found = []
    for links in ways(records, source, target):
        value = contribution(links, seeds, source)
        shown = None if value is None else Array.of(np.conj(value) if _is_complex(value) else value)
        forward = links[::-1]
        keys = [source, *(output_ids(link.record)[0] for link in forward[:-1]), target]
        ops = tuple(plan_of(link.record).op.name for link in forward)
        found.append(Path(ops, tuple(called(key) for key in keys), shown))
    return tuple(found)


def _between(records: list[Any], source: int) -> set[int]:
    """The tensors that depend on the source."""
    found = {source}
    for record in records:
        if any(input_id(record, pull) in found for pull in plan_of(record).pulls):
            found.update(output_ids(record))
    return found


def _is_complex(value: Any) -> bool:
    return bool(np.iscomplexobj(value))


MOST_RECORDS = 300
MOST_SOURCES = 24
MOST_TRIED = 24  # paths of a source that are swept
MOST_SHOWN = 6


def with_paths(trace: Trace, request: Request, records: list[Any], places: dict[int, int]) -> Trace:
    """The same trace with the paths of its sources, where it is short and has one target.

    Args:
        trace: of this request.
        request: what was asked.
        records: of the tape.
        places: the trace's nodes by tensor id.
    """
    if len(records) > MOST_RECORDS or len(request.targets) != 1 or not trace.steps:
        return trace
    seeds = request.seeds(raw=True)
    keys = list(dict.fromkeys(request.source_ids))[:MOST_SOURCES]
    found = [_of_source(trace, records, key, request.targets[0].id, seeds, places) for key in keys]
    return trace.part(paths=tuple(each for each in found if each is not None))


def _of_source(
    trace: Trace, records: list[Any], source: int, target: int, seeds: dict[int, Any],
    places: dict[int, int],
) -> Paths | None:  # fmt: skip
    """The paths of one source; None where it has no gradient, or one that is no sum of floats."""
    gradient = trace.gradients.get(places[source])
    if gradient is None or not gradient.dtype.startswith("float") or source == target:
        return None
    number = count(records, source, target)
    links = ways(records, source, target, MOST_TRIED)
    pairs = [(each, contribution(each, seeds, source)) for each in links]
    known = [(each, value) for each, value in pairs if value is not None]
    known.sort(key=lambda pair: -float(np.sum(np.abs(pair[1]))))
    shown = tuple(
        Way(_nodes(each, source, target, places), Array.of(value))
        for each, value in known[:MOST_SHOWN]
    )
    if not shown:
        return None
    others = None
    if number > len(links):
        others = _left(gradient, [value for _, value in known[:MOST_SHOWN]])
    elif len(known) > MOST_SHOWN:
        others = np.sum([value for _, value in known[MOST_SHOWN:]], axis=0)
    rest = None if others is None else Array.of(others)
    return Paths(places[source], places[target], number, shown, rest)


def _left(gradient: Array, terms: list[Any]) -> Any:
    """What paths that were not swept bring together."""
    if not gradient.is_whole:
        return None
    whole = np.reshape(np.array(gradient.data, gradient.dtype), gradient.shape)
    return whole - np.sum(terms, axis=0)


def _nodes(links: list[Link], source: int, target: int, places: dict[int, int]) -> tuple[int, ...]:
    between = [output_ids(link.record)[0] for link in links[:0:-1]]
    return tuple(places[key] for key in (source, *between, target))
