"""A live player that can be given another trace, and keeps its place.

Drawing and data arrive in one message; the page then makes a new player where the old one was, as
deep in the groups and at the same step (or the last, where there are fewer). Needs anywidget.
"""

from __future__ import annotations

from typing import Any

from ..player.shown import shown_data, without_tooltips
from ..player.widget import StepWidget
from ..trace.trace import Trace
from ..views.of_tapes import pictures


class ExploreWidget(StepWidget):
    """A step player whose trace can be replaced.

    Attributes:
        trace: the one shown.
    """

    def show(self, trace: Trace) -> None:
        """Shows another trace at the step where the player stands."""
        drawn = pictures(trace)
        data: Any = shown_data(trace, drawn)
        self.trace = trace
        with self.hold_sync(), self.hold_trait_notifications():
            self.svg = without_tooltips(drawn[0].drawing)
            self.data = data
            self.step = min(self.step, max(len(trace.steps) - 1, 0))
