"""viz: shows what minitape recorded and did, step by step.

    with viz.recording():                 # values and source lines; optional
        with tf.GradientTape() as tape:
            y = x * x
    viz.step(tape, y, x)                  # in Jupyter: the step player
    viz.step(tape, y, x).save("y.html")   # one page that works offline

Needs nothing but the engine; matplotlib, Graphviz and anywidget add PNG, other layouts and the live
widget.
"""

from __future__ import annotations

from .explain import Explanation, explain
from .journal import recording
from .notebook import Player
from .show import Picture, draw, step
from .trace import Trace

__all__ = ["Explanation", "Picture", "Player", "Trace", "draw", "explain", "recording", "step"]
