"""What looking for suspicious gradients costs: `python tests/benchmarks/explaining.py`.

One step of an MLP of 784, 256 and 10 units on 64 examples: without the examiner of `minitape
explain`, under it (after the first steps, which are looked at from all sides), without it again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent.parent)]

import numpy as np
from anatomy import best

import minitape as tf
from viz.examining.examiner import WHOLE, Examiner

RANDOM = np.random.default_rng(0)
IMAGES = tf.constant(RANDOM.normal(size=(64, 784)), tf.float32)
LABELS = tf.constant(RANDOM.integers(0, 10, 64))
SHAPES = [(784, 256), (256,), (256, 10), (10,)]
WEIGHTS = [tf.Variable(0.05 * RANDOM.normal(size=shape), dtype=tf.float32) for shape in SHAPES]


def step() -> None:
    """One step of gradient descent."""
    w1, b1, w2, b2 = WEIGHTS
    with tf.GradientTape() as tape:
        logits = tf.nn.relu(IMAGES @ w1 + b1) @ w2 + b2
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(LABELS, logits)
        loss = tf.reduce_mean(losses)
    for weight, gradient in zip(WEIGHTS, tape.gradient(loss, WEIGHTS), strict=True):
        weight.assign_sub(0.01 * gradient)


def main() -> None:
    """Prints the three times and the ratio."""
    off = best(step)
    with Examiner():
        for _ in range(WHOLE):
            step()
        on = best(step)
    again = best(step)
    print(f"without {1e6 * off:.0f} us, under the examiner {1e6 * on:.0f} us ({on / off:.1f} x)")
    print(f"without again {1e6 * again:.0f} us")


if __name__ == "__main__":
    main()
