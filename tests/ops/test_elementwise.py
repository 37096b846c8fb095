"""Edge values of elementwise ops: extreme float32 inputs, ties, zeros, infinities, errors."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

INF, NAN = np.inf, np.nan
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def value_and_gradients(function, *inputs):
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    found = tape.gradient(y, tensors)
    return [y.numpy(), *[None if g is None else g.numpy() for g in found]]


def gradients(function, *inputs):
    return value_and_gradients(function, *map(np.float32, inputs))[1:]


def stable_sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)), 1) / (1 + np.exp(-abs(x)))


# Name, value and derivative, in formulas that hold in float64 wherever a float32 can be.
CLOSED_FORMS = [
    ("exp", np.exp, np.exp),
    ("expm1", np.expm1, np.exp),
    ("log", np.log, lambda x: 1 / x),
    ("log1p", np.log1p, lambda x: 1 / (1 + x)),
    ("sqrt", np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    ("rsqrt", lambda x: 1 / np.sqrt(x), lambda x: -0.5 * x**-1.5),
    ("square", np.square, lambda x: 2 * x),
    ("reciprocal", lambda x: 1 / x, lambda x: -1 / (x * x)),
    ("sin", np.sin, np.cos),
    ("cos", np.cos, lambda x: -np.sin(x)),
    ("tan", np.tan, lambda x: np.cos(x) ** -2),
    ("asin", np.arcsin, lambda x: 1 / np.sqrt((1 - x) * (1 + x))),
    ("acos", np.arccos, lambda x: -1 / np.sqrt((1 - x) * (1 + x))),
    ("atan", np.arctan, lambda x: 1 / (1 + x * x)),
    ("sinh", np.sinh, np.cosh),
    ("cosh", np.cosh, np.sinh),
    ("asinh", np.arcsinh, lambda x: 1 / np.hypot(1, x)),
    ("atanh", np.arctanh, lambda x: 1 / ((1 - x) * (1 + x))),
    ("softplus", lambda x: np.maximum(x, 0) + np.log1p(np.exp(-abs(x))), stable_sigmoid),
    (
        "log_sigmoid",
        lambda x: np.minimum(x, 0) - np.log1p(np.exp(-abs(x))),
        lambda x: stable_sigmoid(-x),
    ),
    ("sigmoid", stable_sigmoid, None),
    ("tanh", np.tanh, None),
]
MAGNITUDES = [0, 1e-38, 1e-20, 1e-5, 0.4, 0.99999, 1.00001, 3, 20, 87, 100, 1e4, 1e19, 3e38]
EXTREME = np.unique(np.float32([s * m for m in MAGNITUDES for s in (-1, 1)]))


def assert_same_floats(found, expected):
    """Equal to float32's precision; infinities and nans in the same places."""
    near = np.float32(expected)
    tiny = abs(near) < 1.2e-38
    np.testing.assert_allclose(found[~tiny], near[~tiny], rtol=2e-5)
    assert np.all(abs(found[tiny]) < 1.3e-38)


# Recorded with TensorFlow 2.21: rules that are 0 where nothing comes in, even at nan and infinity.
@pytest.mark.parametrize(
    ("op", "points", "slopes"),
    [
        (tf.sqrt, [-4.0, 4.0], [np.nan, 0.25]),
        (tf.sqrt, [-4.0, 4.0, 0.0], [np.nan, 0.25, np.inf]),
        (tf.math.rsqrt, [-4.0, 4.0, 0.0], [np.nan, -0.0625, -np.inf]),
        (tf.math.reciprocal, [-4.0, 4.0, 0.0], [-0.0625, -0.0625, -np.inf]),
    ],
)
def test_the_jacobian_of_a_root_is_0_off_its_diagonal_whatever_is_on_it(op, points, slopes):
    x = tf.constant(points)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op(x)
    expected = np.zeros((len(points), len(points)))
    np.fill_diagonal(expected, slopes)
    np.testing.assert_array_equal(tape.jacobian(y, x).numpy(), expected)


def test_a_masked_root_of_a_negative_number_does_no_harm():
    x = tf.constant([-4.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.where(x > 0, tf.sqrt(x), 0.0)
        first = tape.gradient(y, x)
    assert first.numpy().tolist() == [0.0, 0.25]
    assert tape.gradient(first, x).numpy().tolist() == [0.0, -0.03125]


@pytest.mark.parametrize(
    ("name", "value", "slope"), CLOSED_FORMS, ids=[n for n, *_ in CLOSED_FORMS]
)
def test_extreme_float32_inputs_give_the_rounded_exact_value_and_derivative(name, value, slope):
    y, g = value_and_gradients(getattr(tf.math, name), EXTREME)
    assert_same_floats(y, value(EXTREME.astype(np.float64)))
    if slope is not None:
        assert_same_floats(g, slope(EXTREME.astype(np.float64)))


@pytest.mark.parametrize("name", ["sigmoid", "tanh"])
def test_saturated_functions_have_finite_gradients_that_vanish_at_both_ends(name):
    (g,) = gradients(getattr(tf.math, name), [-INF, -1e30, -100, 100, 1e30, INF])
    np.testing.assert_allclose(g, 0, atol=1e-37)


def test_sigmoid_keeps_the_smallest_numbers_of_each_dtype():
    x = {"float16": -15.0, "float32": -100.0, "float64": -740.0}
    for dtype, at in x.items():
        found = tf.sigmoid(tf.constant(at, dtype)).numpy()
        smallest = np.finfo(dtype).smallest_subnormal
        np.testing.assert_allclose(float(found), np.exp(np.longdouble(at)), atol=float(smallest))


@pytest.mark.parametrize("y", [1e-30, 1e30])
def test_the_angle_of_far_and_near_points_has_a_finite_gradient(y):
    found = gradients(tf.atan2, [y], [y])
    np.testing.assert_allclose(np.ravel(found), np.float32([0.5 / y, -0.5 / y]), rtol=1e-6)


def test_sqrt_at_zero_passes_no_gradient_where_none_comes_in():
    (g,) = gradients(lambda x: tf.where(x > 0.0, tf.sqrt(x), 0.0), [0.0, 4.0])
    np.testing.assert_array_equal(g, [0, 0.25])
    np.testing.assert_array_equal(gradients(tf.sqrt, [0.0])[0], [INF])


def test_sqrt_of_a_masked_zero_has_a_second_derivative_without_nan():
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.where(x > 0.0, tf.sqrt(x), 0.0)
        g = inner.gradient(y, x)
    np.testing.assert_array_equal(outer.gradient(g, x).numpy(), [0, -1 / 32])


def test_where_stops_an_infinite_gradient_on_the_side_that_was_not_taken():
    f = lambda x, y: tf.sqrt(tf.where(x > 0.0, x, y))  # noqa: E731
    np.testing.assert_array_equal(gradients(f, [0.0, 4.0], [0.0, 1.0]), [[0, 0.25], [INF, 0]])


def test_powers_at_zero_and_of_negative_bases():
    by_base, by_exponent = gradients(tf.pow, [0.0, 0.0, -2.0, -2.0], [1.0, 2.0, 3.0, 0.0])
    np.testing.assert_array_equal(by_base, [1, 0, 12, 0])
    np.testing.assert_array_equal(by_exponent, [0, 0, 0, 0])


def test_a_power_of_a_negative_base_that_is_not_finite_has_nan_by_its_exponent():
    np.testing.assert_array_equal(gradients(tf.pow, [-1e20, -1.0], [10.0, 0.5])[1], [np.nan] * 2)


def test_integers_to_negative_powers_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
        tf.constant([2, 3]) ** -1


def test_ties_of_maximum_and_minimum_go_to_the_first_operand():
    for function in (tf.maximum, tf.minimum):
        np.testing.assert_array_equal(gradients(function, [1.0], [1.0]), [[1], [0]])


def test_kinks_have_gradient_zero():
    np.testing.assert_array_equal(gradients(abs, [-2.0, 0.0, 3.0])[0], [-1, 0, 1])
    np.testing.assert_array_equal(gradients(tf.sign, [-2.0, 0.0, 3.0])[0], [0, 0, 0])
    assert value_and_gradients(tf.abs, np.complex64([0j]))[1] == 0


@pytest.mark.parametrize("name", ["floor", "math.ceil", "round", "math.rint", "stop_gradient"])
def test_steps_have_no_gradient(name):
    space, _, last = name.rpartition(".")
    function = getattr(getattr(tf, space) if space else tf, last)
    assert gradients(function, [0.5, 1.5]) == [None]


def test_comparisons_and_whole_quotients_have_no_gradient():
    assert gradients(lambda x, y: tf.cast(x < y, tf.float32), 1.0, 2.0) == [None, None]
    assert gradients(lambda x, y: x // y, 5.0, 2.0) == [None, None]


def test_the_remainder_has_the_sign_of_its_divisor_and_the_gradient_of_its_formula():
    y, by_x, by_y = value_and_gradients(lambda x, y: x % y, *np.float32([[5.5, -5.5], [2, 2]]))
    np.testing.assert_array_equal([y, by_x, by_y], [[1.5, 0.5], [1, 1], [-2, 3]])


def test_whole_quotients_of_floats_are_the_floor_of_the_quotient():
    found = (tf.constant([1.0, -7.0, INF]) // tf.constant([0.1, 2.0, 1.0])).numpy()
    np.testing.assert_array_equal(found, [10, -4, INF])  # NumPy gives 9 and nan


def test_integers_divided_by_zero_raise_where_floats_give_infinity():
    assert float(tf.constant(1.0) // 0.0) == INF
    for function in (tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            function(tf.constant([1, 2]), [1, 0])


@pytest.mark.parametrize(
    ("dtype", "expected"), [("int8", "float32"), ("uint16", "float32"), ("int64", "float64")]
)
def test_true_division_of_integers_gives_floats(dtype, expected):
    found = tf.constant([7], dtype) / tf.constant([2], dtype)
    assert (found.dtype.name, found.numpy().tolist()) == (expected, [3.5])


def test_true_division_of_bools_is_refused():
    with pytest.raises((TypeError, ValueError), match="bools are not numbers"):
        tf.constant(True) / tf.constant(True)


def test_clipping_passes_gradients_at_its_bounds_and_to_the_bounds_beyond():
    x = [-3.0, -1.0, 0.5, 2.0, 5.0]
    found = gradients(lambda x, a, b: tf.clip_by_value(x, a, b), x, -1.0, 2.0)
    np.testing.assert_array_equal(found[0], [0, 1, 1, 1, 0])
    assert [float(found[1]), float(found[2])] == [1, 1]


def test_clipping_to_bounds_of_another_shape_raises():
    with pytest.raises(tf.errors.InvalidArgumentError, match="keeps the shape"):
        tf.clip_by_value([1.0, 2.0], [[0.0], [1.0]], 3.0)


def test_clipping_zeros_by_norm_has_a_gradient_of_one():
    (g,) = gradients(lambda x: tf.clip_by_norm(x, 2.0), [0.0, 0.0])
    np.testing.assert_array_equal(g, [1, 1])


def test_clipping_by_an_infinite_global_norm_gives_nan():
    clipped, norm = tf.clip_by_global_norm([tf.constant([INF]), None, tf.constant([1.0])], 1.0)
    assert float(norm) == INF and clipped[1] is None
    assert np.isnan(clipped[2].numpy()).all()


def test_zeros_decide_in_the_no_nan_family_and_its_gradients():
    for function in (tf.math.xlogy, tf.math.xlog1py, tf.math.xdivy):
        y, by_x, by_y = value_and_gradients(function, *np.float32([[0, 0, 0], [0, INF, NAN]]))
        np.testing.assert_array_equal([y, by_x, by_y], np.zeros((3, 3)))
    found = value_and_gradients(tf.math.divide_no_nan, *np.float32([[1, INF], [0, 0]]))
    np.testing.assert_array_equal(found, np.zeros((3, 2)))
    np.testing.assert_array_equal(tf.math.multiply_no_nan([INF, NAN], [0.0, 0.0]).numpy(), [0, 0])


def test_equality_with_what_cannot_be_compared_is_false():
    x = tf.constant([1.0, 2.0])
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert not bool(x == tf.constant([1.0, 2.0, 3.0]))
    assert bool(x != tf.constant([1.0, 2.0, 3.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="broadcast"):
        tf.equal(x, [1.0, 2.0, 3.0])


def test_operators_take_python_values_on_both_sides():
    x = tf.constant([3, -4])
    found = [7 - x, 7 // x, 7 % x, 2 ** abs(x), 5 & x, 5 | x, 5 ^ x, ~x, True & (x > 0)]
    expected = [
        [4, 11],
        [2, -2],
        [1, -1],
        [8, 16],
        [1, 4],
        [7, -3],
        [6, -7],
        [-4, 3],
        [True, False],
    ]
    assert [each.numpy().tolist() for each in found] == expected


def test_casts_truncate_test_for_zero_and_take_real_parts():
    assert tf.cast([1.9, -1.9], tf.int32).numpy().tolist() == [1, -1]
    assert tf.cast([0.0, NAN, 0.5], tf.bool).numpy().tolist() == [False, True, True]
    assert tf.cast(tf.constant(3 + 4j), tf.int32).numpy() == 3
    x = tf.constant(1.0)
    assert tf.cast(x, tf.float32) is x


def test_a_cast_through_integers_cuts_the_gradient_and_one_through_complex_keeps_it():
    assert gradients(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), 2.5) == [None]
    assert gradients(lambda x: tf.cast(tf.cast(x, tf.complex128), tf.float32), 2.5) == [1]


def test_a_cast_of_sparse_slices_stays_sparse():
    slices = tf.IndexedSlices(tf.constant([[1.5]]), tf.constant([0]), tf.constant([2, 1]))
    found = tf.cast(slices, tf.int32)
    assert found.values.numpy().tolist() == [[1]] and found.indices.numpy().tolist() == [0]


def test_a_saturating_cast_stops_at_the_ends_of_the_type():
    found = tf.saturate_cast([1e30, -1e30, 3.5], tf.int32).numpy()
    assert found.tolist() == [2**31 - 128, -(2**31), 3]  # the largest int32 that float32 can hold
    assert tf.saturate_cast(tf.constant([300, -7]), tf.uint8).numpy().tolist() == [255, 0]


def test_integers_are_refused_where_numpy_would_promote_them():
    with pytest.raises(tf.errors.InvalidArgumentError, match="`sin` got a tensor of dtype int32"):
        tf.sin(1)


def test_where_explains_a_condition_that_is_not_bool_and_a_missing_side():
    with pytest.raises(tf.errors.InvalidArgumentError, match="condition of dtype int32"):
        tf.where([1, 0], 1.0, 2.0)
    with pytest.raises(ValueError, match="both be non-None"):
        tf.where([True], [1.0])


def test_add_n_refuses_shapes_that_would_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="input 1 has shape"):
        tf.add_n([tf.constant([1.0, 2.0]), tf.constant(1.0)])
    with pytest.raises(ValueError, match="at least one"):
        tf.add_n([])


def test_arguments_may_be_given_by_tensorflows_names():
    assert float(tf.atan2(x=-1.0, y=0.0)) == np.float32(np.pi)
    assert bool(tf.less(x=1.0, y=2.0))
    assert float(tf.nn.softplus(features=0.0)) == np.float32(np.log(2))
    assert float(tf.math.subtract(1.0, y=3.0, name="difference")) == -2


def test_the_parts_of_complex_numbers_survive_infinities():
    z = tf.complex(1.0, INF)
    assert float(tf.math.real(z)) == 1 and float(tf.math.imag(z)) == INF
    with pytest.raises(TypeError, match="incorrect types"):
        tf.complex(tf.constant(1), tf.constant(2))


@pytest.mark.parametrize(
    "dtype", ["bool", "int16", "float16", "float32", "complex64", "complex128"]
)
def test_where_chooses_the_same_elements_of_large_arrays_as_numpy(dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(60, 100)).astype(dtype) for _ in range(2))
    keep = rng.random((60, 100)) < 0.5
    for left, right in ((x, y), (x[:, ::-1], y), (x[:1], y)):
        found = tf.where(keep, tf.constant(left), tf.constant(right)).numpy()
        np.testing.assert_array_equal(found, np.where(keep, left, right))


@pytest.mark.parametrize(
    "op", [tf.floor, tf.math.ceil, tf.math.rint, tf.math.is_nan, tf.math.is_inf, tf.math.is_finite]
)
def test_integers_have_nothing_to_round_or_to_test_as_in_tensorflow(op):
    with pytest.raises(ValueError, match="Value for attr 'T' of int32 is not in the list"):
        op([1, 2])


def test_integers_leak_through_relu_as_float32():
    y = tf.nn.leaky_relu([-2, 4])
    assert y.dtype == tf.float32
    assert y.numpy().tolist() == [np.float32(-0.4), 4.0]


def test_the_norm_of_nothing_is_zero_and_that_of_integers_an_error():
    clipped, norm = tf.clip_by_global_norm([None], 1.0)
    assert clipped == [None]
    assert norm.numpy() == 0.0
    assert tf.linalg.global_norm([]).dtype == tf.float32
    with pytest.raises(ValueError, match="Op:Sqrt"):
        tf.norm([3, 4])
