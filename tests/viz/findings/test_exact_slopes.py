"""Ops on decimals give what closed forms give, also where floats of any width lose everything."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

import minitape as tf
from minitape.op import registry
from minitape.viz.diagnosis.examiner import Examiner
from minitape.viz.diagnosis.trial.exact import CONTEXT, apply, exactly
from minitape.viz.diagnosis.trial.truth import truth

PLAIN = {
    "log": np.log, "log1p": np.log1p, "exp": np.exp, "expm1": np.expm1, "tanh": np.tanh,
    "sqrt": np.sqrt, "square": np.square, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinh": np.sinh, "cosh": np.cosh, "acos": np.arccos, "asin": np.arcsin, "atanh": np.arctanh,
    "negative": np.negative, "absolute": np.abs, "reciprocal": np.reciprocal,
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_each_function_is_that_of_numpy(name):
    x = np.array([0.25, 0.5, 0.9])
    with localcontext(CONTEXT):
        found = apply(registry[name].op, (), [exactly(x)]).astype(float)
    np.testing.assert_allclose(found, PLAIN[name](x), rtol=1e-14)


def test_the_rest_of_a_saturated_softmax_is_not_lost():
    with localcontext(CONTEXT):
        softmax = registry["softmax"].op
        found = apply(softmax, (-1,), [exactly(np.array([[150.0, 0.0]]))])
        assert abs(found[0, 1] / Decimal(-150).exp() - 1) < Decimal("1e-60")


def judged(target, *sources):
    with np.errstate(all="ignore"), Examiner() as examiner:
        examiner.truth = truth
        with tf.GradientTape() as tape:
            y = target(*sources)
        tape.gradient(y, list(sources))
    return examiner.outcomes[-1].truth


@pytest.mark.parametrize(
    ("target", "start", "value", "word", "slope"),
    [
        (lambda x: (tf.exp(x) - 1.0) / x, 0.0, 1.0, "smooth", 0.5),
        (lambda x: (x**2 - 1.0) / (x - 1.0), 1.0, 2.0, "smooth", 1.0),
        (lambda x: tf.math.log(1.0 - tf.sigmoid(x)), 90.0, -90.0, "smooth", -1.0),
        (lambda x: tf.sqrt(x), 0.0, 0.0, "pole", None),
        (lambda x: tf.math.log(x), 0.0, None, "pole", None),
        (lambda x: tf.math.log(x), -1.0, None, "undefined", None),
    ],
)
def test_values_and_slopes_are_those_of_the_closed_form(target, start, value, word, slope):
    found = judged(target, tf.Variable(start))
    (told,) = found.slopes
    if word == "pole":
        assert told.word in {"pole", "undefined"}
    else:
        assert told.word == word
    if value is None:
        assert found.values in ([None], [-np.inf])
    else:
        np.testing.assert_allclose(found.values, [value], rtol=1e-9)
    if slope is not None:
        np.testing.assert_allclose([told.left, told.right], slope, rtol=1e-9)


def test_an_op_without_an_exact_form_is_undecided():
    assert judged(lambda x: tf.math.lgamma(x) + tf.math.log(x * 0.0), tf.Variable(2.0)) is None
