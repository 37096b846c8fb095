"""What shows in the first rounds of a training, whatever framework it is written with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .evidence import Ask, Event, Evidence, Place

DEPTH = 1e-6  # of the last layer's gradient: a float32 weight does not move by less
LEAST, ENDS = 8, 2  # variables of a deep network, and how many of them are near or far
NAMES = re.compile(
    r"reward|score|activation|objective|likelihood|elbo|log_prob|return|gain|utility|image"
    r"|noise|attack|adv"
)
LOSS = re.compile(r"loss|cost|err|mse|mae|nll|entropy|energy|residual|penalty", re.I)
WORDS = re.compile(r"ascent|maximi[sz]e|perturb|attack|adversar|uphill")


def endless(line: int, first: float, last: float) -> str:
    """That a loss only falls, in words."""
    return (
        f"The loss of line {line} falls without end, from {first:.4g} to {last:.4g}: each step does"
        " what it should, and there is no minimum. What is to become large, such as a likelihood or"
        " a reward, needs a minus to be a loss."
    )


def vanishing_ends(sizes: dict[int, float], order: list[int]) -> tuple[int, int] | None:
    """The keys of the largest entries near the target and far from it; None if it does not vanish.

    Args:
        sizes: the largest entry of each gradient.
        order: the keys, those near the target first.
    """
    if len(order) < LEAST:
        return None
    near, far = (max(part, key=sizes.__getitem__) for part in (order[:ENDS], order[-ENDS:]))
    return (near, far) if 0 <= sizes[far] < DEPTH * sizes[near] else None


class Climb(NamedTuple):
    """Steps uphill: where the update and the request are, the first loss and the last."""

    update: Place
    asked: Place
    losses: list[float]
    step: Any  # the event

    @property
    def sentence(self) -> str:
        """What happened and why it matters."""
        first, last = self.losses
        return (
            f"The update at line {self.update.line} goes along the gradient, and the target of line"
            f" {self.asked.line} grows each time, from {first:.4g} to {last:.4g}. To make a loss"
            " smaller, go against its gradient."
        )

    def is_meant(self, text: str) -> bool:
        """Whether what is maximised has another name than a loss, or the text says that it is."""
        said = self.asked.text.lower() + self.update.text.lower()
        return bool(NAMES.search(said) or WORDS.search(text.lower()))


def climb(evidence: Evidence, rounds: int, updates: Sequence[Event] = ()) -> Climb | None:
    """The first line of which a loss grew in at least some rounds, along its gradient.

    Args:
        evidence: of the run.
        rounds: how many at least.
        updates: steps that the run itself did not show.
    """
    for place in dict.fromkeys(a.place for a in evidence.asks):
        asks = [
            a
            for a in evidence.asks
            if a.place == place and "loss" in a.facts and "values" in a.facts
        ]
        pairs = [(a, b) for a, b in zip(asks, asks[1:], strict=False) if b.number == a.number + 1]
        if len(pairs) < rounds or not all(b.facts["loss"] > a.facts["loss"] for a, b in pairs):
            continue
        if not all(_along(evidence, a, b) for a, b in pairs):
            continue
        first, last = pairs[0][0], pairs[-1][1]
        steps = [
            e
            for e in (*evidence.events, *updates)
            if e.kind == "step" and e.asks == first.number + 1 and e.place
        ]
        if steps and steps[-1].place is not None and place is not None:
            losses = [first.facts["loss"], last.facts["loss"]]
            return Climb(steps[-1].place, place, losses, steps[-1])
    return None


def _along(evidence: Evidence, a: Ask, b: Ask) -> bool:
    """Whether all that moved went along its gradient: one against it makes a game of two."""
    steps = []
    for key, g in a.gradients.items():
        root = evidence.first(key)
        x, y = a.facts["values"].get(root), b.facts["values"].get(root)
        if g is not None and x is not None and y is not None and x.shape == y.shape == np.shape(g):
            steps.append(float(np.vdot(y - x, g)))
    return max(steps, default=0.0) > 0 and min(steps) >= 0
