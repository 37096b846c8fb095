"""An exploration as one offline page: tapes recorded beforehand, one for each place of sliders.

The one fact to know: what all tapes have in common (nodes, source lines) is written once; the
player is made anew where the old one was, and keeps its step.
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
    frames = []
    for values in itertools.product(*places.values()):
        trace = exploration.at(**dict(zip(places, values, strict=True))).trace
        drawn = pictures(trace)
        frames.append(shown_data(trace, drawn) | {"svg": without_tooltips(drawn[0].drawing)})
    shared, own = common(frames)
    sliders = [
        {"name": name, "texts": [short(value) for value in values], "start": len(values) // 2}
        for name, values in places.items()
    ]
    data = {"sliders": sliders, "shared": shared, "frames": own}
    title = f"What happens when {', '.join(places)} move{'s' * (len(places) == 1)}"
    return article(
        title,
        f'<div class="minitape-explored">{data_script(data)}</div>{script("player", "explored")}',
    )


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
