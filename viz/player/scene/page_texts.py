"""What a page says below its picture: the sentence of each scene, and its equation.

The one fact to know: names stand in backticks, which a page sets as code. A long tape is not worked
out step by step when its page is written, and a producer's own sentences are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...trace.wording import generated
from .steps import Scenes

if TYPE_CHECKING:
    from ...trace.trace import Step, Trace
    from .parts import Scene

MOST_STEPS = 1000
SAID = ("forward", "seed", "pull", "accumulate", "push")


def page_texts(trace: Trace) -> dict[int, str]:
    """The texts of a trace's steps, by their place among `trace.steps`.

    Steps that are not here are said as the trace says them.
    """
    if trace.kind == "graph" or len(trace.steps) > MOST_STEPS:
        return {}
    scenes = Scenes(trace)
    found, number = {}, 0
    for place, step in enumerate(trace.steps):
        if step.kind == "release":
            continue
        number += 1
        if step.kind in SAID and not _has_its_own(step, trace):
            found[place] = page_text(scenes.scene(number, pictured=False))
    return found


def page_text(scene: Scene) -> str:
    """A scene on one line."""
    said = "".join(
        f"`{run.text}`" if run.math and "`" not in run.text else run.text for run in scene.sentence
    )
    if scene.claim is None:
        return said
    where = f"{scene.element}: " if scene.element else ""
    return f"{said} {where}{scene.claim.text()}"


def _has_its_own(step: Step, trace: Trace) -> bool:
    return bool(step.sentence) and step.sentence != generated(step, trace.nodes, trace.carries)
