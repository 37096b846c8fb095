"""An exploration as one offline page: tapes recorded beforehand, one for each place of sliders.

What all tapes have in common (nodes, source lines) is written once; the player is made anew where
the old one was, and keeps its step. Between two places the page computes the tape of the nearest
one again, where the program did the same at all of them.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..base.numbers import short
from ..player.offline import article
from ..player.packing import data_script
from ..player.program import script
from ..player.shown import shown_data, without_tooltips
from ..player.touch import can_touch, touch_data
from ..trace.trace import Trace
from ..views.of_tapes import pictures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..player.notebook import Player

MOST = 64  # recorded tapes
OF_ONE = 21  # positions of a slider that is alone


class Explored(Protocol):
    """What a page needs of an exploration."""

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """(low, high) by the argument's name."""

    def at(self, **values: float) -> Player:
        """The player for some values."""


def explore_page(exploration: Explored) -> str:
    """Give the page.

    Raises:
        ValueError: There are more sliders than can have two positions each.
    """
    places = {
        name: _positions(ends, len(exploration.ranges)) for name, ends in exploration.ranges.items()
    }
    frames, traces = [], []
    for values in itertools.product(*places.values()):
        trace = exploration.at(**dict(zip(places, values, strict=True))).trace
        drawn = pictures(trace)
        traces.append(trace)
        frames.append(shown_data(trace, drawn) | {"svg": without_tooltips(drawn[0].drawing)})
    shared, own = common(frames)
    numbers = _numbers(traces)
    for frame, touch in zip(own, numbers, strict=False):
        frame |= touch
    sliders = [
        {
            "name": name,
            "ends": list(exploration.ranges[name]),
            "texts": [short(value) for value in values],
            "start": len(values) // 2,
        }
        for name, values in places.items()
    ]
    data = {"sliders": sliders, "shared": shared, "frames": own}
    title = f"What happens when {', '.join(places)} move{'s' * (len(places) == 1)}"
    scripts = script("player", *(["touch"] if numbers else []), "explored")
    return article(title, f'<div class="minitape-explored">{data_script(data)}</div>{scripts}')


def _numbers(traces: Sequence[Trace]) -> list[dict[str, Any]]:
    """Give what the evaluator needs of each tape; none where one is not what the others are."""
    found = [touch_data(trace) for trace in traces]
    alike = len({_program(trace) for trace in traces}) == 1
    return found if alike and all(map(can_touch, found)) else []


def _program(trace: Trace) -> tuple[Any, ...]:
    """What a tape does: its ops, and all numbers that are not those of the sliders."""
    return tuple(
        (node.op, node.inputs, node.shape, node.dtype, node.attributes, _constant(trace, node.id))
        for node in trace.nodes
    )


def _constant(trace: Trace, number: int) -> object:
    node = trace.nodes[number]
    return None if node.op or number in trace.sources else node.value


def _positions(ends: tuple[float, float], sliders: int) -> list[float]:
    if 2**sliders > MOST:
        raise ValueError(f"{sliders} sliders are too many for a page; save one with at most six")
    count = OF_ONE if sliders == 1 else int(MOST ** (1 / sliders) + 1e-9)
    odd = count - 1 if count % 2 == 0 and count > 4 else count  # one of them in the middle
    return [float(value) for value in np.linspace(*ends, odd)]


def common(frames: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Give the fields that all frames have alike, and what each has of its own."""
    first = frames[0]
    alike = {key for key in first if all(frame.get(key) == first[key] for frame in frames)}
    own = [{key: frame[key] for key in frame if key not in alike} for frame in frames]
    return {key: first[key] for key in first if key in alike}, own
