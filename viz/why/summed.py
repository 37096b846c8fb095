"""What each path from a source to the target brings: the terms that a gradient is the sum of.

The one fact to know: every term is the engine's own sweep along one path. Where there are many
paths they are counted, the largest terms are shown, and the others are what is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.record import output_ids

from ..trace.arrays import Array
from ..trace.extras import Paths, Way
from .paths import Link, contribution, count, ways

if TYPE_CHECKING:
    from minitape.request import Request

    from ..trace.trace import Trace

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
    found = [_of(trace, records, key, request.targets[0].id, seeds, places) for key in keys]
    return trace.part(paths=tuple(each for each in found if each is not None))


def _of(
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
