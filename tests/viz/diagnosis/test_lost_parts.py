"""A part of a gradient that NumPy has taken: found where it can hardly be meant, else noted."""

import numpy as np
import pytest

from minitape.viz.diagnosis.trial.report import report
from minitape.viz.diagnosis.views.command import in_words

STATE = """\
import numpy as np
import minitape as tf
w = tf.Variable([[0.5]])
h = np.ones((1, 1), dtype="float32")
with tf.GradientTape() as tape:
    for step in range(3):
        state = tf.matmul(h, w)
        h = state.numpy()
    loss = tf.reduce_sum(state)
g = tape.gradient(loss, w)
print(float(loss))
"""
WEIGHT = """\
import numpy as np
import minitape as tf
s = tf.Variable(1.0)
w = tf.Variable(3.0)
with tf.GradientTape() as tape:
    weight = np.exp(-s.numpy())
    loss = weight * w * w + s
g = tape.gradient(loss, [w, s])
"""
START = """\
import numpy as np
import minitape as tf
x = np.array([[1.0, 2.0], [3.0, -1.0]], dtype="float32")
y = np.array([[1.0], [0.5]], dtype="float32")
w = tf.Variable([[0.5], [-0.25]])
for step in range(3):
    with tf.GradientTape() as tape:
"""
END = "    w.assign_sub(0.1 * tape.gradient(loss, w))\n"
MEANT = {
    "target": """\
        target = y + 0.9 * tf.matmul(-x, w).numpy()
        loss = tf.reduce_mean((tf.matmul(x, w) - target) ** 2)
""",
    "weight": """\
        r = tf.matmul(x, w) - y
        weight = 1.0 / np.maximum(np.abs(r.numpy()), 0.1)
        loss = tf.reduce_sum(weight * r ** 2)
""",
    "straight through": """\
        z = tf.matmul(x, w)
        z = z + (np.round(z.numpy()) - z.numpy())
        loss = tf.reduce_sum((z - y) ** 2)
""",
    "advantage": """\
        value = tf.matmul(x, w)
        advantage = y - value.numpy()
        loss = tf.reduce_sum(advantage * tf.tanh(value)) + tf.reduce_mean((value - y) ** 2)
""",
    "penalty": """\
        weights = 1.0 / (np.abs(w.numpy()) + 0.1)
        loss = tf.reduce_sum((tf.matmul(x, w) - y) ** 2) + 0.1 * tf.reduce_sum(weights * tf.abs(w))
""",
}


def looked_at(folder, text):
    file = folder / "script.py"
    file.write_text(text)
    return report(file)


def numbers(one):
    return one.finding.line, np.round(one.gradient, 5).tolist(), one.tried.startswith("Tried")


def test_a_state_that_goes_through_numpy_in_each_step_is_found_and_corrected(tmp_path):
    found = looked_at(tmp_path, STATE)
    assert [numbers(one) for one in found.diagnoses] == [(8, [3 * 0.5**2], True)]
    assert found.cuts == ()


def test_a_variable_that_only_weighs_by_its_number_is_found_and_corrected(tmp_path):
    found = looked_at(tmp_path, WEIGHT)
    assert [numbers(one) for one in found.diagnoses] == [
        (6, [round(1 - 9 * float(np.exp(-1)), 5)], True)
    ]


@pytest.mark.parametrize("body", MEANT.values(), ids=MEANT)
def test_a_cut_that_may_be_meant_is_noted_and_not_accused(body, tmp_path):
    found = looked_at(tmp_path, START + body + END)
    assert found.diagnoses == []
    assert len(found.cuts) == 1
    said = in_words(found)
    assert "nothing is suspicious" in said
    assert "If that is not meant" in said


def test_a_copy_made_before_the_tape_and_what_is_logged_are_not_named(tmp_path):
    before = "first = w.numpy().copy()\n"
    body = "        total = 0.0\n        total += tf.reduce_sum((tf.matmul(x, w) - y) ** 2)\n"
    log = "        loss = total\n        print(float(loss))\n"
    at = START.index("for step")
    found = looked_at(tmp_path, START[:at] + before + START[at:] + body + log + END)
    assert (found.diagnoses, found.cuts) == ([], ())


def test_a_state_of_before_the_tape_is_a_number_and_not_noted(tmp_path):
    start = START.replace("for step", 'h = np.zeros((2, 1), dtype="float32")\nfor step')
    body = "        state = tf.tanh(tf.matmul(x, w) + h)\n        loss = tf.reduce_sum(state)\n"
    found = looked_at(tmp_path, start + body + END + "    h = state.numpy()\n")
    assert (found.diagnoses, found.cuts) == ([], ())
