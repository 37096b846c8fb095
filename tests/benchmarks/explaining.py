"""What looking for suspicious gradients costs: `python tests/benchmarks/explaining.py`.

One step of two MLPs: without the examiner of `minitape explain`, under it (after the first steps,
which are looked at from all sides), without it again. The small one computes next to nothing, so
that all of it is the price of looking.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent.parent)]

import numpy as np
from anatomy import best

import minitape as tf
from minitape.viz.diagnosis.examiner import WHOLE, Examiner

MODELS = {"sample": (64, [784, 256, 10]), "tiny": (32, [20, 32, 32, 1])}  # examples, units


def classifier(examples: int, sizes: list[int]) -> Callable[[], None]:
    """One step of gradient descent, for a classifier or, with one unit at the end, a regression."""
    random = np.random.default_rng(0)
    inputs = tf.constant(random.normal(size=(examples, sizes[0])), tf.float32)
    labels = tf.constant(random.integers(0, sizes[-1], examples))
    targets = tf.constant(random.normal(size=(examples, 1)), tf.float32)
    shapes = [each for pair in zip(sizes, sizes[1:], strict=False) for each in (pair, pair[1:])]
    weights = [tf.Variable(0.05 * random.normal(size=each), dtype=tf.float32) for each in shapes]

    def step() -> None:
        with tf.GradientTape() as tape:
            x = inputs
            for w, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
                x = tf.nn.relu(x @ w + b)
            scores = x @ weights[-2] + weights[-1]
            if sizes[-1] == 1:
                losses = tf.square(scores - targets)
            else:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)
            loss = tf.reduce_mean(losses)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * gradient)

    return step


def main() -> None:
    """Prints the three times and the ratio."""
    for name, (examples, sizes) in MODELS.items():
        step = classifier(examples, sizes)
        off = best(step)
        with Examiner():
            for _ in range(WHOLE):
                step()
            on = best(step)
        again = best(step)
        print(f"{name}: without {1e6 * off:.0f} us, under the examiner {1e6 * on:.0f} us", end="")
        print(f" ({on / off:.1f} x), without again {1e6 * again:.0f} us")


if __name__ == "__main__":
    main()
