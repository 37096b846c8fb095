"""Scenes as plain text: the sentence, the equation, the products behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...record.notation import to_text
from .front import front
from .naming import tidy
from .nonfinite import beginning, is_suspicious
from .sentences import NOT_RUN, breaks_of, runs, text_of
from .steps import Scenes
from .summary import Summaries, few, lengths

if TYPE_CHECKING:
    from ...trace.trace import Trace
    from .parts import Explained, Gradient, Scene

BLOCK, WIDTH = "▪", 24  # bars of a terminal
MOST_ROUNDS = 12  # of a loop
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
        return _front_text(scenes) if step == 0 else _step_text(scenes, step)
    found = [_front_text(scenes)]
    found += [_step_text(scenes, number) for number in range(1, len(scenes))]
    title = [trace.title] if trace.title else []
    begins = beginning(scenes) if is_suspicious(trace) else None
    headline = [text_of(runs(begins.said))] if begins is not None else []
    return "\n\n".join([*title, *headline, *found])


def _front_text(scenes: Scenes) -> str:
    """The first page."""
    first = front(scenes)
    said = [text_of(each) for each in (*first.nudges, first.says) if each]
    formulas = [f"   {tidy(to_text(each))}" for each in first.formulas]
    said += [f"{each.name}: {text_of(each.says)}" for each in first.colours]
    return "\n".join([text_of(first.ask), *formulas, *said])


def _step_text(scenes: Scenes, number: int) -> str:
    """One step as text; of a gradient that is None, why."""
    scene = scenes.scene(number, pictured=False)
    lines = [scene_text(scene)]
    if scene.kind == "unconnected":
        indent = " " * (len(str(number)) + 2)
        for each in breaks_of(scenes.trace, scenes.steps[number - 1]):
            rows = each.correction.splitlines()
            lines.append(f"{indent}{text_of(runs(each.cause))}")
            lines += [f"{indent}  {row}" for row in rows]
            if rows and not any(row.startswith("Tried") for row in rows):
                lines.append(f"{indent}  {NOT_RUN}")
    return "\n".join(lines)


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
    bars, sizes = explained.bars, lengths(explained)
    kept = few(bars, MOST_ROUNDS) if explained.kind == "rounds" else range(len(bars))
    widest = max((len(bars[i].label) for i in kept), default=0)
    axis = " (bars: logarithmic)" if explained.kind == "layers" else ""
    lines = [f"{explained.title}{axis}:"]
    for i in kept:
        bar, size = bars[i], round(WIDTH * sizes[i])
        claim = f"   {bar.claim.text()}" if bar.claim is not None else f"   {bar.text}"
        lines.append(f"  {bar.label:<{widest}}  {BLOCK * size:<{WIDTH}}{claim}")
    if explained.claim is not None:
        lines.append(f"  together: {explained.claim.text()}")
    return lines
