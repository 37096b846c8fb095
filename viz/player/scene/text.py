"""Scenes as plain text: the sentence, the equation, the products behind it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .nonfinite import beginning, is_suspicious
from .sentences import runs, text_of
from .steps import Scenes
from .summary import Summaries

if TYPE_CHECKING:
    from ...trace.trace import Trace
    from .parts import Explained, Gradient, Scene

BLOCK, WIDTH = "▪", 24  # bars of a terminal
MOST_WRITTEN = 4  # elements of a gradient that are written


def text(trace: Trace, step: int | None = None) -> str:
    """All steps of a trace as text, or one of them.

    Args:
        trace: what was recorded.
        step: the number of a step as a player shows it, from 1; 0 is the first page.

    Raises:
        IndexError: there is no such step.
    """
    scenes = Scenes(trace)
    if step is not None:
        return scene_text(scenes.scene(step, pictured=False))
    found = [scene_text(scenes.scene(number, pictured=False)) for number in range(len(scenes))]
    title = [trace.title] if trace.title else []
    begins = beginning(scenes) if is_suspicious(trace) else None
    headline = [text_of(runs(begins.said))] if begins is not None else []
    return "\n\n".join([*title, *headline, *found])


def scene_text(scene: Scene) -> str:
    """One scene as text."""
    head = f"{scene.number}. " if scene.number else ""
    indent = " " * max(len(head), 3)
    lines = [f"{head}{text_of(scene.sentence)}"]
    if scene.meet is not None:
        lines += [f"{indent}  {column.claim.text()}" for column in scene.meet.columns]
    if scene.claim is not None:
        where = f"{scene.element}: " if scene.element else ""
        count = scene.meet.more if scene.meet is not None else 0
        more = f"   ({count} more products in the last term)" if count else ""
        lines.append(f"{indent}{where}{scene.claim.text()}{more}")
    return "\n".join(lines)


def summary_text(trace: Trace) -> str:
    """The summary of a trace as text."""
    summary = Summaries(Scenes(trace)).made()
    lines = [trace.title] if trace.title else []
    lines += [text_of(summary.answer)]
    lines += [summary.result] if summary.result else []
    lines += ["", *(_gradient_text(each, summary.carries) for each in summary.gradients)]
    for each in summary.explained:
        lines += ["", *_explained_text(each)]
    return "\n".join([*lines, "", "; ".join(summary.facts) + "."])


def _gradient_text(gradient: Gradient, what: str) -> str:
    shape = f" {list(gradient.shape)}" if gradient.shape else ""
    line = f"{what} of {gradient.name}{shape}: {gradient.text}"
    if gradient.largest and gradient.count > MOST_WRITTEN:
        line += f"; largest {gradient.largest} in size"
    if gradient.zeros:
        line += f"; {gradient.zeros} of {gradient.count} exactly 0"
    return line


def _explained_text(explained: Explained) -> list[str]:
    widest = max((len(bar.label) for bar in explained.bars), default=0)
    sizes = _lengths([bar.value for bar in explained.bars], explained.kind == "layers")
    axis = " (bars: logarithmic)" if explained.kind == "layers" else ""
    lines = [f"{explained.title}{axis}:"]
    for bar, size in zip(explained.bars, sizes, strict=True):
        claim = f"   {bar.claim.text()}" if bar.claim is not None else f"   {bar.text}"
        lines.append(f"  {bar.label:<{widest}}  {BLOCK * size:<{WIDTH}}{claim}")
    if explained.claim is not None:
        lines.append(f"  together: {explained.claim.text()}")
    return lines


def _lengths(values: list[float], logarithmic: bool) -> list[int]:
    """How long bars are: in proportion, or by orders of magnitude above the smallest."""
    sizes = [abs(v) if math.isfinite(v) else 0.0 for v in values]
    top = max(sizes, default=0.0)
    if not top:
        return [0] * len(sizes)
    if not logarithmic:
        return [round(WIDTH * size / top) for size in sizes]
    least = min(size for size in sizes if size)
    span = math.log10(top / least) + 1
    return [round(WIDTH * (math.log10(s / least) + 1) / span) if s else 0 for s in sizes]
