"""Tensors by keyword into a function with its own gradient: its rule is not used, which is said."""

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.diagnosis.trial.report import report


@tf.custom_gradient
def tripled(x, y=1.0):
    def grad(g):
        return 3.0 * g, None

    return x * y, grad


@tf.custom_gradient
def one_of_two(x, y):
    def grad(g):
        return y * g

    return x * y, grad


def found(function):
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = function(x + 0.0)
    return list(viz.check(tape, y, x))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tripled(x=x, y=5.0),
        lambda x: tripled(y=5.0, x=x),
        lambda x: tripled(**{"x": x}),
        lambda x: tf.square(tripled(x=x)) + 1.0,
    ],
)
def test_a_rule_that_is_not_used_is_named(function):
    (finding,) = found(function)
    assert (finding.kind, finding.cause) == ("wrong", "keywords")
    assert "The gradient function of `tripled` is not used" in finding.sentence
    assert "(`x=`)" in finding.sentence


@pytest.mark.parametrize(
    "function",
    [
        lambda x: one_of_two(x, y=tf.constant(5.0)),
        lambda x: x * tripled(x=tf.constant(2.0), y=3.0),  # nothing in it is differentiated
        lambda x: tf.grad_pass_through(tf.round)(x),
    ],
)
def test_nothing_is_said_where_no_tensor_that_is_differentiated_comes_by_keyword(function):
    assert found(function) == []


def test_a_source_that_came_by_keyword_has_no_gradient_for_that_reason():
    x, y = tf.Variable(2.0), tf.constant(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(y)
        z = one_of_two(x, y=y)
    why = viz.explain(tape, z, y)
    assert tape.gradient(z, y) is None
    assert why.cause == "keywords"
    assert "`y` goes into `one_of_two`" in why.text


def test_the_correction_passes_them_by_position_in_the_order_of_the_parameters(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(
        "import minitape as tf\n@tf.custom_gradient\ndef limited(x, limit):\n    def grad(g):\n"
        "        return tf.clip_by_value(g, -limit, limit), None\n"
        "    return tf.identity(x), grad\nx = tf.constant(2.0)\n"
        "with tf.GradientTape() as tape:\n    tape.watch(x)\n"
        "    y = limited(limit=0.25, x=x) * 5.0\nprint(tape.gradient(y, x))\n"
    )
    (one,) = report(file).diagnoses
    assert "y = limited(x, 0.25) * 5.0" in one.after
    assert one.tried.startswith("Tried: ")
    assert one.gradient == [0.25]
