"""What an explanation costs after a training, counted in calls: seconds depend on the machine."""

from __future__ import annotations

import sys

import pytest

import minitape as tf
from minitape.viz.diagnosis.examiner import Examiner

FIT = """
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=tf.keras.optimizers.SGD(0.01), loss="mse")
model.fit(x, y, epochs=STEPS, batch_size=8, verbose=0)
w = model.trainable_variables[0]
"""
LOOP = """
w, b = tf.Variable(tf.zeros([3, 1])), tf.Variable(tf.zeros([1]))
optimizer = tf.keras.optimizers.Adam(0.01)
for step in range(STEPS):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w + b - y))
    losses.append(float(loss))
    optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
"""
AVERAGE = """
w, mean = tf.Variable(tf.zeros([3, 1])), tf.Variable(0.0)
for step in range(STEPS):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w - y))
    w.assign_sub(0.01 * tape.gradient(loss, w))
    mean.assign(0.9 * mean + 0.1 * loss)
"""
BEGIN = "x = tf.random.normal([8, 3]); y = tf.reduce_sum(x, axis=1, keepdims=True); losses = []\n"
NONE = """
with tf.GradientTape() as tape:
    best = tf.reduce_sum(tf.cast(tf.argmax(x @ w, axis=0), tf.float32))
tape.gradient(best, w)
"""


def calls(program: str, steps: int) -> tuple[int, list[str]]:
    """The calls of Python's functions while the last gradient is looked at, and what is found."""
    begun = Examiner()
    names = {"tf": tf, "STEPS": steps}
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += 1

    with begun:
        exec(compile(BEGIN + program, "training.py", "exec"), names)
        sys.setprofile(counted)
        try:
            exec(compile(NONE, "question.py", "exec"), names)
        finally:
            sys.setprofile(None)
    return count, [finding.cause for finding in begun.findings.values()]


@pytest.mark.slow
@pytest.mark.parametrize("program", [FIT, LOOP, AVERAGE], ids=["fit", "loop", "average"])
def test_a_none_after_twice_the_steps_costs_at_most_three_times_as_much(program):
    fewer, found = calls(program, 100)
    more, again = calls(program, 200)
    assert found == again == ["not_differentiable"]
    assert more < 3 * fewer
