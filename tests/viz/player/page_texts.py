"""What a page says at each step."""

from __future__ import annotations

from minitape.viz.player.scene.steps import page_scenes, page_text
from minitape.viz.trace.trace import Trace


def page_texts(trace: Trace) -> dict[int, str]:
    """The texts of a trace's steps, by their place among `trace.steps`."""
    _, found = page_scenes(trace) or (None, {})
    return {place: page_text(each.scene) for place, each in found.items()}
