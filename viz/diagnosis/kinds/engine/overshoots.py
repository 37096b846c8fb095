"""Steps go downhill, and so far that the loss grows: the learning rate is too large."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...corrections.steps import diverges, step_sizes
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...sources.case import Case
from ...sources.rounds import Round, place_of, source_of, steps_of

ROUNDS = 3
GROWTH, IN_ALL = 1.5, 8.0  # in each step and in all: the noise of batches is less


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Twice the loss grew to a multiple, although the variables moved against its gradient."""
    rounds = case.rounds
    if len(rounds) < ROUNDS or not rounds[0].moves or {"nan", "inf", "none"} & {*states}:
        return
    pairs = [*zip(rounds, rounds[1:], strict=False)]
    grows = all(0 < GROWTH * a.loss < b.loss and _downhill(a, b) < 0 for a, b in pairs)
    if not grows or rounds[-1].loss < IN_ALL * rounds[0].loss:
        return
    steps, asked = (
        steps_of(case.journal, rounds[0], rounds[1], case.file),
        place_of(rounds[0].stack, case.file),
    )
    source = source_of(asked)
    if not steps or asked is None or source is None:
        return
    first, last, step = rounds[0].loss, rounds[-1].loss, steps[-1].line
    line = next((each.lineno for each in step_sizes(source.tree, step)), step)
    where = "" if line == step else f" Line {line} says how large they are."
    sentence = (
        f"The steps of line {step} are too large: they go against the gradient, and the target of"
        f" line {asked.line} grows from {first:.4g} to {last:.4g} in {len(pairs)} steps.{where} A"
        " smaller learning rate stays in the valley."
    )
    yield Finding("update", "diverges", sentence, line, facts={"update": step})


def _downhill(a: Round, b: Round) -> float:
    """The step in the direction of the gradient."""
    moves = zip(a.values, b.values, a.gradients, strict=True)
    return sum(float(np.vdot(y - x, g)) for x, y, g in moves if g is not None)


EXAMPLE = """\
import minitape as tf

w = tf.Variable([1.0, -2.0])
for step in range(6):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    w.assign_sub(3.0 * tape.gradient(loss, w))  # <- here
"""
KIND = register(
    Kind(
        "overshoots",
        565,
        "update",
        find,
        written,
        EXAMPLE,
        EXAMPLE.replace("3.0", "0.3").replace("  # <- here", ""),
        passed_over,
        diverges,
        dialects=("minitape",),
    )
)
