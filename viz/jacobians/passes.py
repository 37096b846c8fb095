"""The passes behind a jacobian: a backward sweep for each row, a pass of tangents for each column.

The one fact to know: both run on one snapshot of the tape's records, from the unit vectors of the
target or of the source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from minitape.request import Request

from ..picture.svg import svg
from ..player.notebook import Player
from ..player.payload import Plain, payload
from ..player.shown import without_tooltips
from ..record.build import build
from ..record.tangents import build_tangents

MAX_LINKED = 16
MAX_LINKED_NODES = 60


class Passes:
    """What is needed to run them again: a snapshot of the tape, and the names.

    Args:
        ends: target and source.
        called: the names of their elements.
        recorded: the records and the engine's recording.
        names: name and tensor by id.
        options: of `build`.
    """

    def __init__(
        self,
        ends: tuple[Any, Any],
        called: tuple[list[str], list[str]],
        recorded: tuple[list[Any], Any],
        names: dict[int, tuple[str, Any]],
        options: dict[str, Any],
    ) -> None:
        self.target, self.source = ends
        self.called = called
        self.recorded = recorded
        self.names, self.options = names, options

    def row(self, i: int) -> Player:
        """The player of the sweep that computes one row."""
        weight = _unit(self.target, i)
        request = Request(self.target, self.source, weight)
        title = f"Row {self.called[0][i]}: the seed is 1 there and 0 elsewhere"
        trace, found = build(request, *self.recorded, self.names, **self.options, title=title)
        return Player(trace, request.results(found))

    def column(self, j: int) -> Player:
        """The player of the pass of tangents that computes one column."""
        request = Request(self.target, self.source)
        name = self.called[1][j]
        title = f"Column {name}: the tangent is 1 there and 0 elsewhere"
        options = {**self.options, "title": title, "ending": f" This is the column of `{name}`."}
        unit = _unit(self.source, j)
        trace, found = build_tangents(request, unit, *self.recorded, self.names, **options)
        return Player(trace, found)

    def linked(self, count: int, player: Callable[[int], Player]) -> tuple[list[Plain], str]:
        """The data of a page's players and the picture that they share; none where that is much.

        Its boxes have room for the texts of all passes, so nothing moves from one to the next.
        """
        if count > MAX_LINKED or len(self.recorded[0]) > MAX_LINKED_NODES:
            return [], ""
        traces = [player(i).trace for i in range(count)]
        every = tuple(step for trace in traces for step in trace.steps)
        drawing = without_tooltips(svg(replace(traces[0], steps=every)))
        return [payload(trace) for trace in traces], drawing


def _unit(end: Any, element: int) -> Any:
    """1 at one element of an array like an end, 0 elsewhere."""
    array = np.zeros(tuple(end.spec.shape), end.spec.dtype)
    array.reshape(-1)[element : element + 1] = 1
    return array
