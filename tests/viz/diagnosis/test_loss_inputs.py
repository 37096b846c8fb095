"""What a loss is given: probabilities and ids are found, counts and teachers are meant."""

import pytest

from minitape.viz.diagnosis.trial.report import report

START = """\
import minitape as tf
x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
w = tf.Variable([[0.1, 0.4], [0.2, -0.3]])
with tf.GradientTape() as tape:
    z = x @ w
    loss = tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(labels={labels}, logits={logits}))
g = tape.gradient(loss, w)
"""


def found_in(folder, labels, logits):
    file = folder / "script.py"
    file.write_text(START.format(labels=labels, logits=logits))
    return [(one.finding.cause, one.finding.line, one.is_tried) for one in report(file).diagnoses]


@pytest.mark.parametrize(
    ("labels", "logits", "cause"),
    [
        ("[[1.0, 0.0], [0.0, 1.0]]", "tf.nn.softmax(z)", "twice"),
        ("[0.0, 2.0, 1.0]", "tf.random.normal([3, 2]) @ w @ tf.ones([2, 3])", "ids"),
    ],
)
def test_a_loss_that_is_given_something_else_is_found(labels, logits, cause, tmp_path):
    assert [(each, line) for each, line, _ in found_in(tmp_path, labels, logits)] == [(cause, 6)]


@pytest.mark.parametrize(
    ("labels", "logits"),
    [
        ("[[3.0, 0.0], [2.0, 5.0]]", "z"),
        ("tf.stop_gradient(tf.nn.softmax(2.0 * z))", "z"),
        ("[[1.0, 0.0], [0.0, 1.0]]", "tf.nn.softmax(z) * z"),
    ],
    ids=["counts", "teacher", "gate"],
)
def test_counts_a_teacher_and_a_gate_are_meant(labels, logits, tmp_path):
    assert found_in(tmp_path, labels, logits) == []
