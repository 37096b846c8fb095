"""What is said of the numbers at a first NaN or infinity is true: NumPy works out each equation."""

import re

import numpy as np
import pytest

import minitape as tf
from minitape import viz

NUMPY = {
    "acos": np.arccos, "asin": np.arcsin, "acosh": np.arccosh, "atanh": np.arctanh, "sqrt": np.sqrt,
    "log": np.log, "exp": np.exp, "pow": np.power, "divide": np.divide, "multiply": np.multiply,
}  # fmt: skip


def said(function, *values, dtype=tf.float32):
    """The sentence about a function of variables."""
    sources = [tf.Variable(value, dtype=dtype) for value in values]
    with viz.recording(), tf.GradientTape() as tape:
        y = function(*sources)
    (finding,) = viz.check(tape, y, sources)
    return finding.sentence


@pytest.mark.parametrize(
    ("function", "values", "dtype"),
    [
        (tf.acos, [1.0000001], tf.float32),
        (tf.asin, [[0.5, -1.0000001]], tf.float32),
        (tf.atanh, [1.0000001], tf.float32),
        (tf.acosh, [0.9999999], tf.float32),
        (tf.acos, [1.0000000000000002], tf.float64),
        (lambda x: tf.sqrt(x - 0.3), [0.29999995], tf.float32),
        (lambda x: tf.math.log(-x), [[1.0, 1e-8]], tf.float32),
        (lambda x: x ** (1.0 / 3.0), [-8.0], tf.float32),
        (lambda x: tf.exp(x), [88.72284], tf.float32),
        (lambda x: x * x, [[256.0]], tf.float16),
        (lambda x: x / (x - 3.0), [3.0], tf.float32),
    ],
)
def test_the_equation_is_true_for_the_digits_that_stand_there(function, values, dtype):
    sentence = said(function, *values, dtype=dtype)
    name, given, result = re.search(r"(\w+)\(([^()]*)\) = (-?\w+)", sentence).groups()
    numbers = [dtype.as_numpy_dtype(each) for each in given.split(", ")]
    with np.errstate(all="ignore"):
        np.testing.assert_equal(float(NUMPY[name](*numbers)), float(result))


@pytest.mark.parametrize(
    ("matrix", "smallest"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "-1"),  # its eigenvalues are 3 and -1
        ([[-4.0, 0.0], [0.0, 2.0]], "-4"),
        ([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 5.0], [5.0, 0.0]]], "-5"),
    ],
)
def test_a_matrix_without_a_factor_is_said_to_be_not_positive_definite(matrix, smallest):
    sentence = said(lambda x: tf.reduce_sum(tf.linalg.cholesky(x)), matrix)
    assert f"not positive definite, its smallest eigenvalue is about {smallest}." in sentence
    assert "cholesky(" not in sentence


def test_an_op_of_whole_arrays_is_not_said_to_act_on_one_element():
    sentence = said(lambda x: tf.reduce_sum(tf.math.cumprod(x)), [1e30, 1e30, 1.0])
    assert "cumprod of [1e+30, 1e+30, 1] is inf (element [1])" in sentence


@pytest.mark.parametrize("function", [tf.norm, tf.math.reduce_std])
def test_no_derivative_is_called_infinite_where_the_rule_gives_nan(function):
    sentence = said(function, [0.0, 0.0])
    assert "its rule gives NaN for [0, 0]" in sentence
    assert "infinite" not in sentence


@pytest.mark.parametrize(
    ("function", "x"), [(tf.sqrt, 0.0), (lambda x: x**0.5, 0.0), (tf.math.rsqrt, 1e-30)]
)
def test_a_slope_is_called_infinite_or_too_large_as_it_is(function, x):
    sentence = said(function, x)
    assert ("its derivative is infinite at 0" in sentence) is (x == 0.0)


@pytest.mark.parametrize("exponent", [2, 2.0])
def test_a_whole_power_at_zero_has_no_infinite_derivative(exponent):
    x = tf.Variable(0.0)
    with viz.recording(), tf.GradientTape() as third:
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                y = tf.exp(-(x**exponent))
            once = first.gradient(y, x)
        twice = second.gradient(once, x)
    (finding,) = viz.check(third, twice, x)
    assert "the derivative of `pow`" in finding.sentence
    assert "is infinite" not in finding.sentence
    assert "power_slope" not in finding.sentence


def test_a_branch_that_is_not_chosen_and_is_nan_is_no_infinity():
    sentence = said(lambda x: tf.reduce_sum(tf.where(x < 1.0, tf.acos(x), 0.0)), [2.0, 0.5])
    assert "acos(2) = nan" in sentence
    assert "0 times NaN is NaN" in sentence
