"""A live player that can be given another trace, and keeps its place.

The one fact to know: drawing and data arrive in one message; the page then makes a new player where
the old one was, as deep in the groups and at the same step (or the last, where there are fewer).
Needs anywidget.
"""

from __future__ import annotations

from typing import Any

from ..player.program import player_source
from ..player.shown import shown_data, without_tooltips
from ..player.widget import StepWidget
from ..trace.trace import Trace
from ..views.of_tapes import pictures

CONNECT = """
export default {
  render({ model, el }) {
    const root = el.attachShadow({ mode: "open" });
    el.dataset.lmSuppressShortcuts = "true";
    let player;
    const remount = () => {
      const depth = player?.depth ?? 0;
      const was = player?.at ?? model.get("step");
      const tall = player?.main.style.getPropertyValue("--tall");
      player?.toggle(false);
      player = mount(root, model.get("data"), model.get("svg"), ASSETS);
      player.depth = depth;
      if (tall) player.main.style.setProperty("--tall", tall);
      player.go(was);
      player.show();
      player.onstep = (step) => {
        if (step === model.get("step")) return;
        model.set("step", step);
        model.save_changes();
      };
    };
    const follow = () => player.go(model.get("step"));
    remount();
    model.on("change:data", remount);
    model.on("change:step", follow);
    return () => {
      player.toggle(false);
      model.off("change:data", remount);
      model.off("change:step", follow);
    };
  },
};
"""


def module_source() -> str:
    """The ES module that Jupyter loads."""
    script, assets = player_source()
    return f"{script}\nconst ASSETS = {assets};\n{CONNECT}"


class ExploreWidget(StepWidget):
    """A step player whose trace can be replaced.

    Attributes:
        trace: the one shown.
    """

    _esm = module_source()

    def show(self, trace: Trace) -> None:
        """Shows another trace at the step where the player stands."""
        drawn = pictures(trace)
        data: Any = shown_data(trace, drawn)
        self.trace = trace
        with self.hold_sync(), self.hold_trait_notifications():
            self.svg = without_tooltips(drawn[0].drawing)
            self.data = data
            self.step = min(self.step, max(len(trace.steps) - 1, 0))
