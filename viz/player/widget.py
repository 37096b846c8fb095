"""The live player: the same program, with a `step` that Python and the page share.

A widget is blank without its kernel, so its output also carries the HTML of
`viz.player.page.fragment`, which a notebook falls back to. Needs the extra `viz` (anywidget);
everything else in the viewer works without it.
"""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path
from typing import Any

from ..base.advice import getting
from ..errors import MissingExtraError
from ..trace.trace import Trace
from ..views.of_tapes import pictures
from .page import fragment
from .program import program
from .sheet.saving import save
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
        at: The number of the step that it opens at, as the page counts them from 1.

    Attributes:
        step: The step shown, from 0. Setting it moves the player; moving the player sets it, and
            `observe(handler, "step")` calls a function then.
        trace: The trace.
    """

    _esm = program("player", "widget")
    data = traitlets.Dict().tag(sync=True)
    svg = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, trace: Trace, at: int | None = None) -> None:
        self.trace = trace
        self._fallback = fragment(trace, at=at)
        drawn = pictures(trace)
        data = shown_data(trace, drawn)
        super().__init__(
            data=data, svg=without_tooltips(drawn[0].drawing), step=_place(trace, at or 1)
        )
        self.on_msg(self._asked)

    def show(self, trace: Trace) -> None:
        """Show another trace at the step where the player stands, or at its last one."""
        drawn = pictures(trace)
        data = shown_data(trace, drawn)
        self.trace = trace
        with self.hold_sync(), self.hold_trait_notifications():
            self.svg = without_tooltips(drawn[0].drawing)
            self.data = data
            self.step = min(self.step, max(len(trace.steps) - 1, 0))

    def _asked(self, _: Any, content: Any, buffers: Any) -> None:
        """Save the step that the page shows, as it asks for, and tell the page."""
        seen = content.get("save") if isinstance(content, dict) else None
        if isinstance(seen, dict):
            try:
                name = self._saved(int(seen["step"]), [int(i) for i in seen["at"]])
                answer = (f"Saved {name}", f"{Path.cwd() / name}")
            except (ValueError, IndexError, OSError, MissingExtraError) as error:
                answer = ("Not saved", str(error))
            self.send({"saved": answer})

    def _saved(self, step: int, at: list[int]) -> str:
        """The file that a step was saved in (all of them, for 0): one that was not there."""
        stem, ending = (f"step-{step}", ".svg") if step else ("steps", ".pdf")
        names = chain([stem], (f"{stem}-{n}" for n in count(2)))
        name = next(f"{each}{ending}" for each in names if not Path(f"{each}{ending}").exists())
        save(self.trace, name, step or None, at or None)
        return name

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


def _place(trace: Trace, at: int) -> int:
    """Give the place in the trace of the step that the page counts as number `at`."""
    counted = [place for place, step in enumerate(trace.steps) if step.kind != "release"]
    return counted[at - 1] if counted else 0
