"""Numbers at infinities, at the ends of domains, and for empty or backward parts: facts recorded
from TensorFlow 2.21, closed forms and NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.asin, [INF, -INF, 0.0, 0.7698004]),
        (tf.acos, [-INF, INF, 0.0, -0.7698004]),
        (tf.atanh, [INF, -INF, 0.0, 1.7777778]),
    ],
)
def test_second_derivatives_are_infinite_at_the_ends_of_the_domain(function, expected):
    x = tf.Variable([1.0, -1.0, 0.0, 0.5])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = function(x)
        first = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(first, x), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("a", "x", "lower"),
    [(INF, 0.0, 0), (INF, 3.0, 0), (INF, INF, 0), (2.0, INF, 1), (2.0, 0.0, 0)],
)
def test_incomplete_gamma_functions_at_infinity(a, x, lower):
    assert (float(tf.math.igamma(a, x)), float(tf.math.igammac(a, x))) == (lower, 1 - lower)


@pytest.mark.parametrize("weight", [NAN, INF])
def test_an_undefined_gradient_of_a_segments_extreme_reaches_that_alone(weight):
    x = tf.Variable([1.0, 5.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        largest = tf.math.unsorted_segment_max(x, [0, 0, 1], 2)
        smallest = tf.math.segment_min(x, [0, 0, 1])
    weights = tf.fill([2], weight)
    np.testing.assert_array_equal(tape.gradient(largest, x, weights), [0.0, weight, weight])
    np.testing.assert_array_equal(tape.gradient(smallest, x, weights), [weight, 0.0, weight])


@pytest.mark.parametrize("wanted", ["float16", "float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize("given", ["float32", "float64"])
def test_saturate_cast_clips_infinities_to_numbers_of_both_dtypes(given, wanted):
    limits = np.iinfo(wanted) if "int" in wanted else np.finfo(wanted)
    found = tf.saturate_cast(tf.constant([INF, -INF, 3.5], given), wanted).numpy()
    largest = min(float(limits.max), float(np.finfo(given).max))
    lowest = max(float(limits.min), float(np.finfo(given).min))
    np.testing.assert_allclose(found[:2].astype(float), [largest, lowest], rtol=1e-7)
    assert found[2] == np.array(3.5).astype(wanted)


def test_a_row_with_a_number_that_is_not_finite_has_no_class_in_top_k():
    rows = [[NAN, 0.0, -1.0, 0.0], [1.0, INF, 0.0, 0.0], [2.0, 1.0, 0.0, -1.0]]
    assert tf.nn.in_top_k([3, 0, 1], rows, 2).numpy().tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("given", "found"),
    [("uint8", "float32"), ("int16", "float32"), ("int32", "float64"), ("int64", "float64")],
)
def test_linspace_of_integers_is_as_precise_as_their_quotient(given, found):
    assert tf.linspace(tf.constant(0, given), tf.constant(4, given), 3).dtype.name == found


@pytest.mark.parametrize("key", [slice(-3, None, -1), slice(-9, -12, -1), slice(-2, None, -1),
                                 slice(9, None, -1), slice(-9, 9, 2)])  # fmt: skip
def test_slices_that_begin_outside_are_those_of_numpy(key):
    x = np.arange(6.0).reshape(2, 3)
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = v[key] * 2.0
    np.testing.assert_array_equal(y, x[key] * 2)
    expected = np.zeros_like(x)
    expected[key] = 2
    np.testing.assert_array_equal(tape.gradient(y, v), expected)


@pytest.mark.parametrize("tuples", [(2, 3, 0), (2, 0), (2, 3, 4, 0)])
def test_empty_index_tuples_of_a_batch_give_the_whole_of_each_example(tuples):
    x = np.arange(2 * 3 * 4.0).reshape(2, 3, 4)
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.gather_nd(v, np.zeros(tuples, np.int32), batch_dims=1)
    ones = (1,) * (len(tuples) - 2)
    expected = np.broadcast_to(x.reshape(2, *ones, 3, 4), (*tuples[:-1], 3, 4))
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(tape.gradient(y, v), np.full_like(x, np.prod(tuples[1:-1])))


@pytest.mark.parametrize("by_pfor", [True, False])
def test_a_target_that_the_tape_did_not_record_has_no_jacobian(by_pfor):
    c, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y, z = c * 2.0, v * 2.0
    ways = {"experimental_use_pfor": by_pfor}
    assert tape.jacobian(y, y, **ways) is tape.jacobian(c, c, **ways) is None
    np.testing.assert_array_equal(tape.jacobian(z, z, **ways), np.eye(2))
    np.testing.assert_array_equal(tape.jacobian(v, v, **ways), np.eye(2))
    fixed = tf.Variable([1.0, 2.0], trainable=False)
    assert tape.jacobian(fixed, fixed, **ways) is None
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(fixed)
    np.testing.assert_array_equal(tape.jacobian(fixed, fixed, **ways), np.eye(2))
    np.testing.assert_array_equal(tape.gradient(y, y), [1.0, 1.0])


def test_the_batch_jacobian_of_an_unrecorded_target_is_zeros():
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        pass
    np.testing.assert_array_equal(tape.batch_jacobian(m, m), np.zeros([2, 2, 2]))


def test_a_numpy_function_without_inputs_runs_in_functions_and_branches():
    @tf.function
    def drawn(x):
        three = tf.numpy_function(lambda: np.float32(3.0), [], tf.float32)
        return tf.cond(x > 0.0, lambda: three * x, lambda: x)

    assert float(drawn(tf.constant(2.0))) == 6.0


def test_a_numpy_function_without_inputs_is_refused_in_words_by_a_bare_graph():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="The shape of PyFunc needs"):
        tf.numpy_function(lambda: np.float32(3.0), [], tf.float32)


@pytest.mark.parametrize(("at", "name"), [(-INF, "segment_max"), (INF, "segment_min")])
def test_a_segment_of_infinities_is_infinite_and_one_of_nothing_is_a_number(at, name):
    limits = np.finfo(np.float32)
    empty = limits.min if at < 0 else limits.max
    found = getattr(tf.math, f"unsorted_{name}")([at, at, 1.0], [0, 0, 2], 4)
    np.testing.assert_array_equal(found, [at, empty, 1.0, empty])
    np.testing.assert_array_equal(getattr(tf.math, name)([at, at, 1.0], [0, 0, 2]), [at, 0.0, 1.0])


@pytest.mark.parametrize("op", [tf.sort, tf.argsort, tf.reduce_max, tf.reduce_min])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_texts_have_no_order(op, wrap):
    with pytest.raises(tf.errors.InvalidArgumentError, match="of string is not in the list"):
        wrap(lambda: op(tf.constant(["b", "a"])))()


def test_a_function_in_code_without_a_name_is_traced_once_for_all_sizes():
    scope = {"tf": tf, "seen": []}
    exec(
        "@tf.function(input_signature=[tf.TensorSpec([None])])\n"
        "def f(x):\n    seen.append(x.shape[0])\n    return tf.reduce_sum(x)\n"
        "out = [float(f([1.0])), float(f([1.0, 2.0]))]",
        scope,
    )
    assert (scope["seen"], scope["out"]) == ([None], [1.0, 3.0])


def test_weighted_moments_without_any_weight_are_0_and_so_are_their_gradients():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        moments = tf.nn.weighted_moments(v, [0], [0.0, 0.0])
    assert [float(each) for each in moments] == [0.0, 0.0]
    np.testing.assert_array_equal(tape.gradient(moments, v), [0.0, 0.0])
