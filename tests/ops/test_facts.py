"""Facts recorded from TensorFlow 2.21: its gradients where two answers would make sense."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

ZERO_FOUR = [0.0, 4.0]


def gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def second_gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        g = gradient(f, x)
    return outer.gradient(g, x)


def in_function(f, x):
    return gradient(tf.function(f), x)


def in_batch(f, x):
    return tf.vectorized_map(lambda row: gradient(f, row), tf.stack([x, x]))[1]


def jvp(f, x, tangent):
    x = tf.constant(x)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(tangent, x.dtype)) as accumulator:
        y = f(x)
    return accumulator.jvp(y)


# Constants of tensors.


def test_constant_passes_an_eager_tensor_on_and_so_its_gradient():
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        x = v * 2.0
        y, z = tf.constant(x), tf.constant(x, tf.float32, shape=())
    assert y is x is z
    assert float(tape.gradient(y, v)) == 2.0


@pytest.mark.parametrize("shape", [[1], [2, 2]])
def test_constant_in_another_shape_is_made_of_the_values_alone(shape):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.constant(v * 2.0, shape=shape)
    assert y.numpy().tolist() == np.full(shape, 6.0).tolist()
    assert tape.gradient(y, v) is None


def test_constant_of_a_variable_is_a_value_without_a_gradient():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.constant(v, tf.float64)
    assert (float(y), y.dtype) == (3.0, tf.float64)
    assert tape.gradient(y, v) is None


def test_constant_of_a_tensor_refuses_another_dtype():
    with pytest.raises(TypeError, match=r"Expected tensor .* dtype float64.*tf.cast"):
        tf.constant(tf.constant(1.0), tf.float64)


def test_constant_of_a_tensor_outside_is_a_constant_of_the_graph():
    c = tf.constant(2.0)
    assert gradient(tf.function(lambda x: tf.constant(c) * x), 1.0).numpy() == 2.0
    traced = tf.function(lambda: tf.constant(c) * 3.0)
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = traced()
    assert tape.gradient(y, c) is None


def test_forward_mode_goes_through_the_constant_of_a_tensor():
    assert float(jvp(tf.constant, 2.0, 1.0)) == 1.0


# Zero times infinity.

MASKED = {
    "rsqrt": (lambda x: tf.where(x > 0, tf.math.rsqrt(x), 0.0), [0.0, -0.0625]),
    "reciprocal": (lambda x: tf.where(x > 0, tf.math.reciprocal(x), 0.0), [0.0, -0.0625]),
    "sqrt": (lambda x: tf.where(x > 0, tf.sqrt(x), 0.0), [0.0, 0.25]),
    "norm": (lambda x: tf.maximum(tf.norm(x * 0.0), 1.0), [0.0, 0.0]),
    "frobenius": (
        lambda x: tf.maximum(tf.norm(tf.stack([x, x]) * 0.0, "fro", (0, 1)), 1.0),
        [0.0, 0.0],
    ),
    "reduce_std": (lambda x: tf.maximum(tf.math.reduce_std(x * 0.0), 1.0), [0.0, 0.0]),
    "log": (lambda x: tf.where(x > 0, tf.math.log(x), 0.0), [np.nan, 0.25]),
    "division": (lambda x: tf.where(x > 0, 1.0 / x, 0.0), [np.nan, -0.0625]),
    "euclidean": (
        lambda x: tf.maximum(tf.math.reduce_euclidean_norm(x * 0.0), 1.0),
        [np.nan, np.nan],
    ),
}


@pytest.mark.parametrize("way", [gradient, in_function, in_batch])
@pytest.mark.parametrize(("f", "expected"), MASKED.values(), ids=MASKED)
def test_roots_and_reciprocals_have_gradient_0_where_the_incoming_one_is(way, f, expected):
    np.testing.assert_array_equal(way(f, ZERO_FOUR), expected)


@pytest.mark.parametrize("dtype", [tf.complex64, tf.complex128])
@pytest.mark.parametrize("op", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal])
def test_complex_roots_and_reciprocals_do_so_too(op, dtype):
    y = gradient(lambda x: tf.math.real(op(tf.cast(x, dtype))) * 0.0, ZERO_FOUR)
    np.testing.assert_array_equal(y, [0.0, 0.0])


def test_beside_the_diagonal_of_their_jacobian_is_0_where_the_derivative_is_infinite():
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = tf.math.rsqrt(x), tf.math.reciprocal(x)
    np.testing.assert_array_equal(tape.jacobian(y, x), [[-np.inf, 0.0], [0.0, -0.0625]])
    np.testing.assert_array_equal(tape.jacobian(z, x), [[-np.inf, 0.0], [0.0, -0.0625]])


def test_a_norm_of_zeros_has_no_direction():
    assert np.isnan(gradient(tf.norm, [0.0, 0.0])).all()


EDGES = {
    "asin": (tf.asin, [1.0, 0.5], [0.0, 0.7698004]),
    "acos": (tf.acos, [1.0, 0.5], [0.0, -0.7698004]),
    "atanh": (tf.atanh, [1.0, 0.5], [0.0, 1.7777778]),
}


@pytest.mark.parametrize(("f", "x", "expected"), EDGES.values(), ids=EDGES)
def test_second_gradients_at_an_edge_are_0_where_the_first_is_masked(f, x, expected):
    masked = lambda x: tf.where(x < 1.0, f(x), 0.0)  # noqa: E731
    np.testing.assert_allclose(second_gradient(masked, x), expected, rtol=1e-6)


# Signs and norms of complex numbers.

Z = np.complex64([1 + 1j, 3 - 4j, 0, -2])
SIGN_SLOPES = [0.35355338 - 0.35355338j, 0.128 + 0.096j, 0, 0]


@pytest.mark.parametrize("way", [gradient, in_function, in_batch])
def test_the_gradient_of_a_complex_sign(way):
    np.testing.assert_allclose(way(tf.sign, Z), SIGN_SLOPES, atol=1e-7)


def test_the_second_gradient_of_a_complex_sign():
    expected = [-0.53033006 + 0.17677669j, -0.04608 - 0.00256j, 0, 0]
    np.testing.assert_allclose(second_gradient(tf.sign, Z), expected, atol=1e-7)


def test_forward_mode_of_a_complex_sign():
    np.testing.assert_allclose(jvp(tf.sign, Z, np.ones(4)), SIGN_SLOPES, atol=1e-7)
    expected = [-0.70710677 + 0.70710677j, 0.8 + 0.6j, 0, -1j]
    np.testing.assert_allclose(jvp(tf.sign, Z, Z * 1j), expected, atol=1e-7)


def test_the_sign_of_real_numbers_has_zeros_backward_and_none_forward():
    assert gradient(tf.sign, [np.inf, -2.0]).numpy().tolist() == [0.0, 0.0]
    assert jvp(tf.sign, [1.0, -2.0], [1.0, 1.0]) is None


def test_the_second_gradient_of_a_complex_size_at_0_is_0():
    sizes = lambda x: tf.abs(tf.cast(x, tf.complex64))  # noqa: E731
    assert second_gradient(sizes, [0.0, 4.0]).numpy().tolist() == [0.0, 0.0]


def test_the_euclidean_norm_of_complex_numbers():
    z = np.complex64([[3 + 4j, 1j]])
    norms = lambda x: tf.math.reduce_euclidean_norm(x, 1)  # noqa: E731
    np.testing.assert_allclose(norms(z), [5.0990195], rtol=1e-6)
    np.testing.assert_allclose(gradient(norms, z), [[0.5883484 + 0.78446454j, 0.19611613j]])
    weighted = gradient(lambda x: norms(x) * (1 + 2j), z)
    np.testing.assert_allclose(weighted, [[2.1572776 - 0.39223227j, 0.39223227 + 0.19611613j]])


def test_weighted_moments_of_complex_numbers():
    mean, variance = tf.nn.weighted_moments(Z, [0], np.float32([1, 2, 1, 1]))
    np.testing.assert_allclose([mean, variance], [1 - 1.4j, 8.24], rtol=1e-6)


THREE = np.complex128([1 + 2j, 3.0, -2j])


@pytest.mark.parametrize("way", [lambda f: f, tf.function])
@pytest.mark.parametrize(
    "square",
    [
        lambda z: tf.nn.moments(z, [0])[1],
        lambda z: tf.nn.weighted_moments(z, [0], tf.ones_like(z))[1],
        lambda z: tf.reduce_mean(tf.math.squared_difference(z, tf.reduce_mean(z))),
        lambda z: tf.cast(tf.math.reduce_variance(z), z.dtype),
    ],
)
def test_the_variance_of_complex_numbers_is_that_of_their_distances(square, way):
    np.testing.assert_allclose(way(square)(tf.constant(THREE)), np.var(THREE))
    expected = (THREE - THREE.mean()) * 2 / 3
    np.testing.assert_allclose(gradient(way(square), THREE), expected, atol=1e-12)


def test_the_gradient_of_a_complex_squared_difference():
    of_one = lambda z: tf.math.squared_difference(z, 0.5 - 1j)  # noqa: E731
    assert gradient(of_one, 1 + 2j).numpy() == 1 + 6j
    assert gradient(lambda z: tf.math.squared_difference(0.5 - 1j, z), 1 + 2j).numpy() == 1 + 6j


def test_sufficient_statistics_of_complex_numbers_have_sizes_beside_a_shift_alone():
    _, _, squares, _ = tf.nn.sufficient_statistics(THREE, [0])
    np.testing.assert_allclose(squares, np.sum(THREE**2))
    _, _, squares, _ = tf.nn.sufficient_statistics(THREE, [0], shift=1j)
    np.testing.assert_allclose(squares, np.sum(np.abs(THREE - 1j) ** 2))


# Zeros and None.

FLAT = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": tf.nn.leaky_relu,
    "crelu": tf.nn.crelu,
    "hard_sigmoid": tf.keras.activations.hard_sigmoid,
    "max_pool1d": lambda x: tf.nn.max_pool1d(tf.reshape(x, [1, 2, 1]), 2, 1, "VALID"),
    "max_pool2d": lambda x: tf.nn.max_pool2d(tf.reshape(x, [1, 1, 2, 1]), [1, 2], 1, "VALID"),
    "reduce_prod of a scalar": lambda x: tf.reduce_prod(x[0]),
    "relu in a function": tf.function(tf.nn.relu),
}


@pytest.mark.parametrize("f", FLAT.values(), ids=FLAT)
def test_the_second_gradient_of_pieces_of_lines_is_zeros(f):
    assert second_gradient(f, [2.0, -3.0]).numpy().tolist() == [0.0, 0.0]
    x = tf.constant([2.0, -3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        g = gradient(f, x)
    assert tape.jacobian(g, x).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert jvp(lambda x: gradient(f, x), [2.0, -3.0], [1.0, 1.0]).numpy().tolist() == [0.0, 0.0]


def test_the_bias_of_a_relu_net_has_a_gradient_of_the_gradient_penalty():
    bias, x = tf.Variable([1.0, -1.0]), tf.constant([2.0, 0.5])
    with tf.GradientTape() as tape:
        g = gradient(lambda x: tf.nn.relu(3.0 * x + bias), x)
        penalty = tf.reduce_sum(g * g)
    assert tape.gradient(penalty, bias).numpy().tolist() == [0.0, 0.0]


LINEAR = {
    "a product": lambda x: 3.0 * x,
    "a matrix product": lambda x: tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], x),
    "a loop": lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, 2.0 * y), (0, x))[1],
    "a function in it": lambda x: tf.function(lambda y: 2.0 * y)(x),
}


@pytest.mark.parametrize("f", LINEAR.values(), ids=LINEAR)
def test_the_second_gradient_of_a_linear_function_is_zeros(f):
    assert second_gradient(tf.function(f), [2.0, -3.0]).numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("f", [tf.reduce_sum, tf.identity, lambda x: x + 1.0])
def test_the_second_gradient_of_a_function_that_needs_no_value_is_none(f):
    assert second_gradient(tf.function(f), [2.0, -3.0]) is None


def test_the_second_gradient_of_a_linear_function_by_its_variable_is_zero():
    w, x = tf.Variable(3.0), tf.constant(2.0)
    f = tf.function(lambda x: w * x)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            y = f(x)
        g = inner.gradient(y, w)
    assert [float(d) for d in outer.gradient(g, [w, x])] == [0.0, 1.0]


@pytest.mark.parametrize("op", [tf.math.imag, tf.math.angle])
def test_the_imaginary_side_of_real_numbers_depends_on_nothing(op):
    assert op(tf.constant([np.inf, 1.0])).numpy().tolist() == [0.0, 0.0]
    assert gradient(op, [1.0, -2.0]) is None
    assert jvp(op, [1.0, -2.0], [1.0, 1.0]) is None


def test_watched_variables_lists_integers_and_texts_that_have_no_gradient():
    v, n, text = tf.Variable(1.0), tf.Variable(3), tf.Variable("a")
    frozen = tf.Variable(1.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = v * tf.cast(n, tf.float32) * frozen
        tf.strings.length(text)
    assert [w is u for w, u in zip(tape.watched_variables(), [v, n, text], strict=True)]
    assert [None if g is None else float(g) for g in tape.gradient(y, [v, n])] == [3.0, None]


# The kind of tangents.

SLICES = {
    "scatter_nd": (lambda x: tf.scatter_nd([[0], [2], [0]], x, [5]), [0, 2, 0], [5]),
    "segment_sum": (lambda x: tf.math.segment_sum(x, [0, 0, 1]), [0, 0, 1], [2]),
    "unsorted": (lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 3), [1, 0, 1], [3]),
    "identity": (lambda x: tf.identity(tf.math.segment_sum(x, [0, 0, 1])), [0, 0, 1], [2]),
}


@pytest.mark.parametrize(("f", "rows", "shape"), SLICES.values(), ids=SLICES)
def test_the_tangent_of_summed_rows_is_slices(f, rows, shape):
    t = jvp(f, [4.0, 5.0, 6.0], [1.0, 2.0, 3.0])
    assert isinstance(t, tf.IndexedSlices)
    assert t.values.numpy().tolist() == [1.0, 2.0, 3.0]
    assert t.indices.numpy().tolist() == rows
    assert t.dense_shape.numpy().tolist() == shape


DENSE = {
    "scatter_nd of pairs": (
        lambda x: tf.scatter_nd([[0, 1], [1, 0], [0, 1]], x, [2, 2]),
        [[0.0, 4.0], [2.0, 0.0]],
    ),
    "another op": (lambda x: tf.math.segment_sum(x, [0, 0, 1]) * 2.0, [6.0, 6.0]),
    "a sum of two": (
        lambda x: tf.math.segment_sum(x, [0, 0, 1]) + tf.math.segment_sum(x, [0, 1, 1]),
        [4.0, 8.0],
    ),
    "a mean": (lambda x: tf.math.segment_mean(x, [0, 0, 1]), [1.5, 3.0]),
}


@pytest.mark.parametrize(("f", "expected"), DENSE.values(), ids=DENSE)
def test_any_other_tangent_is_a_tensor(f, expected):
    t = jvp(f, [4.0, 5.0, 6.0], [1.0, 2.0, 3.0])
    assert t.numpy().tolist() == expected


def test_rows_of_no_segment_have_no_tangent():
    f = lambda x: tf.math.unsorted_segment_sum(x, [1, -1, 1], 2)  # noqa: E731
    t = tf.convert_to_tensor(jvp(f, [[4.0], [5.0], [6.0]], [[1.0], [2.0], [3.0]]))
    assert t.numpy().tolist() == [[0.0], [4.0]]


# Keras.


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize(
    "name",
    ["RandomNormal", "RandomUniform", "TruncatedNormal", "GlorotUniform", "HeNormal", "Orthogonal"],
)
def test_an_initializer_repeats_itself(name, seed):
    make = getattr(tf.keras.initializers, name)
    first, other = make(seed=seed), make(seed=seed)
    assert np.array_equal(first((2, 3)), first((2, 3)))
    assert np.array_equal(first((2, 3)), other((2, 3))) == (seed is not None)


def test_layers_that_share_an_initializer_start_alike_and_others_do_not():
    same = tf.keras.initializers.GlorotUniform()
    starts = [same, same, "glorot_uniform", "glorot_uniform"]
    layers = [tf.keras.layers.Dense(2, kernel_initializer=each) for each in starts]
    for layer in layers:
        layer(tf.ones((1, 3)))
    a, b, c, d = (layer.kernel.numpy() for layer in layers)
    assert np.array_equal(a, b)
    assert not np.array_equal(b, c)
    assert not np.array_equal(c, d)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Adam", [[0.6205295, 0.5975107], [1.0, 1.0], [0.7000022, 0.7000021]]),
        ("Adagrad", [[0.7120085, 0.6940249], [1.0, 1.0], [0.7718627, 0.7717687]]),
        ("RMSprop", [[0.0668267, 0.0102204], [1.0, 1.0], [0.2622618, 0.2622618]]),
        ("SGD", [[-0.2, -0.8], [1.0, 1.0], [-0.5, -0.8]]),
    ],
)
def test_squares_of_repeated_rows_are_added_after_squaring(name, expected):
    v, optimizer = tf.Variable(tf.ones((3, 2))), getattr(tf.keras.optimizers, name)(0.1)
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for _ in range(3):
        g = tf.IndexedSlices(rows, tf.constant([0, 0, 2]), tf.constant([3, 2]))
        optimizer.apply_gradients([(g, v)])
    np.testing.assert_allclose(v, expected, rtol=3e-6, atol=1e-7)


def test_adam_of_float64_takes_powers_of_betas_in_float32():
    v, adam = tf.Variable([1.0, 1.0], dtype=tf.float64), tf.keras.optimizers.Adam(0.1)
    for step in (1.0, 2.0, 3.0):
        adam.apply_gradients([(tf.constant([1.0, 2.0], tf.float64) * step, v)])
    np.testing.assert_allclose(v, [0.7076841513115416, 0.7076838844532618], rtol=1e-14)


def test_huber_has_a_second_gradient_at_distance_0():
    f = lambda x: tf.keras.losses.Huber()(tf.zeros(2), x)  # noqa: E731
    assert second_gradient(f, [0.0, 3.0]).numpy().tolist() == [0.5, 0.0]


def test_a_capped_leaky_relu_has_no_slope_at_0():
    f = lambda x: tf.keras.activations.relu(x, 0.1, 2.0)  # noqa: E731
    np.testing.assert_allclose(f([0.5, -1.5, 2.5, 0.0]), [0.5, -0.15, 2.0, 0.0])
    np.testing.assert_allclose(gradient(f, [0.5, -1.5, 2.5, 0.0]), [1.0, 0.1, 0.0, 0.0])


def test_moments_in_two_stages_and_their_gradient():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        counts, total, squares, shift = tf.nn.sufficient_statistics(x, [0])
        mean, variance = tf.nn.normalize_moments(counts, total, squares, shift)
        product = tf.reduce_sum(mean * variance)
    assert (float(counts), shift) == (2.0, None)
    np.testing.assert_array_equal([total, squares], [[4.0, 7.0], [10.0, 29.0]])
    np.testing.assert_array_equal([mean, variance], [[2.0, 3.5], [1.0, 2.25]])
    np.testing.assert_array_equal(tape.gradient(product, x), [[-1.5, -4.125], [2.5, 6.375]])


def test_moments_of_what_was_shifted_are_those_of_all():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    found = tf.nn.sufficient_statistics(x, [0, 1], shift=2.0, keepdims=True)
    assert [each.numpy().tolist() for each in found] == [4.0, [[3.0]], [[11.0]], 2.0]
    mean, variance = tf.nn.normalize_moments(*found)
    assert (mean.numpy().tolist(), variance.numpy().tolist()) == ([[2.75]], [[2.1875]])
