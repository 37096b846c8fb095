"""The live player: the same program, with a `step` that Python and the page share.

The one fact to know: a widget is blank without its kernel, so its output also carries the HTML of
`viz.player.page.fragment`, which a notebook falls back to. Needs the extra `viz` (anywidget);
everything else in the viewer works without it.
"""

from __future__ import annotations

from typing import Any

from ..base.advice import getting
from ..errors import MissingExtraError
from ..trace.trace import Trace
from ..views.of_tapes import pictures
from .page import fragment
from .program import program
from .shown import shown_data, without_tooltips

try:
    import anywidget
    import traitlets
except ImportError as missing:
    message = f"the live player needs the package {missing.name!r}, which is not installed"
    advice = f"{getting('anywidget')}; without it, show or save the Player"
    raise MissingExtraError(f"{message}; {advice}") from missing


class StepWidget(anywidget.AnyWidget):
    """A step player in a live notebook.

    Args:
        trace: What was recorded.

    Attributes:
        step: The step shown, from 0. Setting it moves the player; moving the player sets it, and
            `observe(handler, "step")` calls a function then.
        trace: The trace.
    """

    _esm = program("player", "widget")
    data = traitlets.Dict().tag(sync=True)
    svg = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._fallback = fragment(trace)
        drawn = pictures(trace)
        data = shown_data(trace, drawn)
        super().__init__(data=data, svg=without_tooltips(drawn[0].drawing))

    @traitlets.validate("step")
    def _keep_in_range(self, proposal: dict[str, Any]) -> int:
        return max(0, min(len(self.trace.steps) - 1, int(proposal["value"])))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Show the widget, and beside it the HTML for readers without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        parts = bundle[0] if isinstance(bundle, tuple) else bundle
        if parts is None:
            return bundle
        parts["text/html"] = self._fallback
        return bundle
