"""Gradient checks, and the assertions of `tf.debugging`."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.op import primitive, registry

debugging = tf.debugging
Invalid = tf.errors.InvalidArgumentError


def test_compute_gradient_gives_a_row_per_result_and_a_column_per_argument():
    theoretical, numeric = tf.test.compute_gradient(lambda x, y: x * y, [[1.0, 2.0], [3.0]])
    np.testing.assert_allclose(theoretical[0], [[3, 0], [0, 3]])
    np.testing.assert_allclose(theoretical[1], [[1], [2]])
    for found, expected in zip(numeric, theoretical, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def test_compute_gradient_counts_a_complex_number_as_two():
    # exp(z) at z = x + iy: multiplication by exp(z) as a real 2x2 matrix
    z = 0.5 + 1j
    theoretical, numeric = tf.test.compute_gradient(tf.exp, [tf.constant(z)], delta=1e-6)
    w = np.exp(z)
    expected = [[w.real, -w.imag], [w.imag, w.real]]
    np.testing.assert_allclose(theoretical[0], expected)
    np.testing.assert_allclose(numeric[0], expected, rtol=1e-6)


def test_compute_gradient_of_sparse_and_of_missing_gradients():
    theoretical, numeric = tf.test.compute_gradient(lambda x: tf.gather(x, [1, 1]), [[1.0, 2.0]])
    np.testing.assert_allclose(theoretical[0], [[0, 1], [0, 1]])
    np.testing.assert_allclose(numeric[0], theoretical[0], atol=1e-3)
    theoretical, _ = tf.test.compute_gradient(tf.round, [[0.2]])
    assert theoretical[0].tolist() == [[0.0]]


def test_compute_gradient_of_an_empty_result():
    theoretical, numeric = tf.test.compute_gradient(lambda x: x[:0], [[1.0, 2.0]])
    assert theoretical[0].shape == numeric[0].shape == (0, 2)


def test_compute_gradient_wants_a_list():
    with pytest.raises(ValueError, match="`x` must be a list or tuple"):
        tf.test.compute_gradient(tf.sin, 1.0)


def test_check_gradients_is_true_where_all_three_derivatives_agree():
    report = tf.check_gradients(
        lambda x, y: {"a": tf.sin(x) * y, "b": tf.reduce_sum(x * x / y)},
        [[0.5, 1.0], [[2.0], [3.0]]],
    )
    assert report
    assert len(report.rows) == 4 + 4
    assert report.suspects == []
    assert "WRONG" not in str(report)


def test_check_gradients_of_complex_functions():
    assert tf.check_gradients(lambda z: tf.math.conj(z) * tf.exp(z) * z, [tf.constant([1 + 2j])])


def test_check_gradients_to_first_order_leaves_the_gradient_alone():
    report = tf.check_gradients(tf.exp, [0.5], order=1)
    assert [row.order for row in report.rows] == [1]


@pytest.fixture
def bad_cube():
    @primitive(elementwise=True)
    def bad_cube(x: Array) -> Array:  # noqa: F821
        return x**3

    @bad_cube.vjp("x")
    def _(g: Tensor, x: Tensor):  # noqa: F821
        return g * (2.0 * x * x)

    yield bad_cube
    del registry["bad_cube"]


def test_check_gradients_names_the_element_and_the_wrong_rule(bad_cube):
    report = tf.check_gradients(lambda x: tf.sin(bad_cube(x)) * 2.0, [[0.0, 1.0]])
    assert not report
    worst = report.rows[0]
    assert (worst.input, worst.at) == (0, ((1,), (1,)))
    # 2 cos(x^3) times 2 x^2 instead of 3 x^2
    np.testing.assert_allclose(worst.values, np.array([2, 2, 3]) * 2 * np.cos(1), rtol=1e-6)
    assert [suspect.op for suspect in report.suspects] == ["bad_cube"]
    assert "the rule bad_cube.vjp('x')" in str(report)
    assert "test_checking.py" in str(report)


def test_check_gradients_points_to_a_custom_gradient():
    wrong = tf.custom_gradient(lambda x: (x * x, lambda g: g * x))
    report = tf.check_gradients(lambda x: tf.sin(wrong(x)), [[0.5]])
    assert not report
    assert "the gradient function of <lambda>" in str(report)


def test_a_gradient_that_was_not_summed_over_a_broadcast_is_named():
    product = tf.custom_gradient(lambda x, y: (x * y, lambda g: (g * y, g * x)))
    with pytest.raises(
        ValueError, match=r"argument 1 has shape \[2\], .* has shape \[\].*reduce_sum"
    ):
        tf.check_gradients(product, [[1.0, 2.0], 3.0])


def test_check_gradients_doubts_a_rule_whose_numbers_left_the_tape():
    wrong = primitive(elementwise=True)(_square)
    wrong.vjp("x")(lambda g: g)  # replaced at once, after a call
    tf.check_gradients(wrong, [1.0], order=1)

    @wrong.vjp("x")
    def _(g: Tensor, x: Tensor):  # noqa: F821
        return g * (2.0 * tf.stop_gradient(x))

    report = tf.check_gradients(wrong, [[1.0, 2.0]])
    del registry["_square"]
    assert [row.right for row in report.rows] == [True, False]
    assert "numbers that left the tape" in str(report)


def test_a_rule_in_a_notebook_is_named_by_its_line():
    wrong = primitive(elementwise=True)(_square)
    cell = "def rule(g, x: 'Tensor'):\n    return g * x"
    names = {}
    exec(compile("\n" + cell, "ipykernel_17/42.py", "exec"), names)
    wrong.vjp("x")(names["rule"])
    report = tf.check_gradients(wrong, [[1.0, 2.0]])
    del registry["_square"]
    assert "(line 2 of its cell)" in str(report)


def _square(x: Array) -> Array:  # noqa: F821
    return x * x


def test_this_build_has_no_gpu():
    assert not tf.test.is_built_with_cuda()
    assert not tf.test.is_gpu_available()
    assert tf.test.gpu_device_name() == ""


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("assert_equal", ([1, 2], [1, 2]), ([1, 2], [1, 3])),
        ("assert_none_equal", ([1, 2], [3, 4]), ([1, 2], [1, 3])),
        ("assert_less", ([1.0], 2.0), ([2.0], 2.0)),
        ("assert_less_equal", ([2.0], 2.0), ([3.0], 2.0)),
        ("assert_greater", ([3.0], 2.0), ([2.0], 2.0)),
        ("assert_greater_equal", ([2.0], 2.0), ([1.0], 2.0)),
        ("assert_near", ([1.0], 1.0000001), ([1.0], 1.1)),
        ("assert_positive", ([1, 2],), ([0, 2],)),
        ("assert_negative", ([-1.0],), ([0.0],)),
        ("assert_non_negative", ([0.0],), ([-1.0],)),
        ("assert_non_positive", ([0.0],), ([1.0],)),
        ("assert_rank", ([[1]], 2), ([1], 2)),
        ("assert_rank_at_least", ([[1]], 1), ([1], 2)),
        ("assert_rank_in", ([1], (0, 1)), ([[1]], (0, 1))),
    ],
)
def test_assertions_pass_or_raise_with_the_message(name, holds, fails):
    function = getattr(debugging, name)
    assert function(*map(tf.constant, holds) if name[7:11] != "rank" else holds) is None
    with pytest.raises(Invalid, match="mine"):
        function(*fails, message="mine")


def test_a_failed_comparison_shows_where():
    with pytest.raises(Invalid, match=r"fails for 1 of 2 elements.*x\[1\] = 5.*y\[1\] = 2"):
        debugging.assert_less([1, 5], 2)


def test_shapes_that_do_not_broadcast_are_an_error():
    with pytest.raises(Invalid, match="do not broadcast"):
        debugging.assert_equal([1, 2, 3], [1, 2])


def test_not_a_number_is_near_nothing():
    with pytest.raises(Invalid, match="did not hold"):
        debugging.assert_near(np.nan, np.nan)


@pytest.mark.parametrize("shapes", [("N", "D"), ("N", 3), (None, "."), "ND", ("...", 3), (2, "*")])
def test_assert_shapes_accepts_sizes_names_and_open_ends(shapes):
    debugging.assert_shapes([(tf.zeros([2, 3]), shapes), (tf.zeros([2]), "N")])


@pytest.mark.parametrize("shapes", [("N", "N"), (2, 4), (2,), ("...", 2), ("D", "N")])
def test_assert_shapes_refuses_what_does_not_fit(shapes):
    with pytest.raises(ValueError, match="assert_shapes"):
        debugging.assert_shapes([(tf.zeros([2, 3]), shapes), (tf.zeros([2]), "N")])


def test_dtypes_are_asserted():
    debugging.assert_type(tf.constant(1.0), tf.float32)
    debugging.assert_integer([1])
    assert debugging.is_numeric_tensor(tf.constant(1))
    assert not debugging.is_numeric_tensor(tf.constant("a"))
    with pytest.raises(TypeError, match="must be of type tf.int32"):
        debugging.assert_type(tf.constant(1.0), tf.int32)
    with pytest.raises(TypeError, match="to be integer type"):
        debugging.assert_integer(1.0)


def test_a_scalar_is_given_back():
    assert float(debugging.assert_scalar(2.0)) == 2.0
    with pytest.raises(ValueError, match="Expected scalar shape"):
        debugging.assert_scalar([2.0])


def test_assertions_in_a_batch_look_at_every_example():
    def f(x):
        debugging.assert_less(x, 2.0)
        return x

    assert tf.vectorized_map(f, tf.constant([1.0, 0.0])).numpy().tolist() == [1.0, 0.0]
    with pytest.raises(Invalid, match="x < y"):
        tf.vectorized_map(f, tf.constant([1.0, 3.0]))


def test_check_numerics_lets_finite_values_and_gradients_through():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = debugging.check_numerics(x, "x") * 3.0
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]
    assert debugging.assert_all_finite(x, "x").numpy().tolist() == [1.0, 2.0]


def test_check_numerics_finds_what_is_not_finite_forwards_and_backwards():
    with pytest.raises(Invalid, match="x : Tensor had Inf and NaN values"):
        debugging.check_numerics([1.0, np.nan, np.inf], "x")
    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(debugging.check_numerics(x, "x"))
    with pytest.raises(Invalid, match="detected in gradient"):
        tape.gradient(y, x)


def test_a_condition_shows_its_data():
    debugging.Assert(tf.constant(True), [1])
    with pytest.raises(Invalid, match="Summarized data"):
        debugging.Assert(tf.constant(False), [tf.constant([1, 2])])
