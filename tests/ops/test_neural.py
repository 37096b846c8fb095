"""Activations, softmax, cross entropies, convolution, pooling and normalisation, in use."""

import numpy as np
import pytest

import minitape as tf
from op_samples import neural_images as slow


def gradient(function, *values):
    tensors = [tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    return [g.numpy() for g in tape.gradient(y, tensors)]


# Activations


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        (tf.nn.relu, 0.0, 0.0),
        (tf.nn.relu6, 0.0, 0.0),
        (tf.nn.relu6, 6.0, 0.0),
        (tf.nn.leaky_relu, 0.0, 0.2),
        (tf.nn.elu, 0.0, 1.0),
        (tf.nn.selu, 0.0, 1.0507009873554805),
        (tf.nn.softsign, 0.0, 1.0),
    ],
)
def test_the_derivative_at_a_kink_is_tensorflows_choice(function, at, expected):
    assert gradient(function, at)[0] == pytest.approx(expected, rel=1e-6)


def test_the_gradient_of_relu_lets_nan_inputs_show():
    assert np.isnan(tf.nn.relu(tf.constant([np.nan])).numpy()[0])


@pytest.mark.parametrize("function", [tf.nn.elu, tf.nn.selu])
def test_exponential_units_do_not_overflow_in_second_order(function):
    x = tf.constant([1000.0, -1000.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        g = inner.gradient(y, x)
    assert np.isfinite(outer.gradient(g, x).numpy()).all()


def test_gelu_keeps_the_small_values_far_to_the_left():
    x = np.float64(-10.0)
    tail = 7.619853024160527e-24  # P(X <= -10) of the standard normal distribution
    assert float(tf.nn.gelu(tf.constant(x))) == pytest.approx(-10 * tail, rel=1e-5)


def test_swish_has_a_slope_that_gets_a_gradient():
    x, beta = 0.7, 1.3
    s = 1 / (1 + np.exp(-beta * x))
    dx, dbeta = gradient(tf.nn.silu, np.float64(x), np.float64(beta))
    assert dx == pytest.approx(s + x * beta * s * (1 - s))
    assert dbeta == pytest.approx(x * x * s * (1 - s))


def test_gelu_of_integers_says_what_to_write():
    with pytest.raises(ValueError, match=r"tf.cast\(features, tf.float32\)"):
        tf.nn.gelu(tf.constant([1]))


# Softmax and cross entropies


def test_softmax_does_not_overflow():
    np.testing.assert_allclose(
        tf.nn.softmax([1000.0, 1001.0, 0.0]).numpy(), [0.26894143, 0.7310586, 0.0], rtol=1e-6
    )


def test_softmax_of_a_scalar_or_of_integers_raises():
    with pytest.raises(ValueError, match="without an axis"):
        tf.nn.softmax(1.0)
    with pytest.raises(ValueError, match=r"tf.cast\(logits, tf.float32\)"):
        tf.nn.softmax([1, 2])
    with pytest.raises(ValueError, match="axis=2 is out of range"):
        tf.nn.softmax([[1.0]], axis=2)


def test_softmax_cross_entropy_along_another_axis_equals_the_transposed_one():
    labels, logits = np.array([[0.2, 1.0], [0.8, 0.0]]), np.array([[0.5, -1.0], [2.0, 0.0]])
    z = logits - np.log(np.exp(logits).sum(0))
    got = tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis=0)
    np.testing.assert_allclose(got.numpy(), -(labels * z).sum(0))


def test_softmax_cross_entropy_broadcasts_one_row_of_labels():
    logits = np.array([[0.5, -1.0], [2.0, 0.0]])
    (g,) = gradient(lambda z: tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], z), logits)
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(g, p - [0.0, 1.0])


def test_an_impossible_class_with_label_zero_costs_nothing():
    got = tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, -np.inf]])
    assert got.numpy().tolist() == [0.0]


def test_labels_and_logits_of_different_shapes_raise():
    with pytest.raises(ValueError, match="must be broadcastable"):
        tf.nn.softmax_cross_entropy_with_logits(tf.ones([2, 3]), tf.ones([2, 4]))
    with pytest.raises(ValueError, match="must equal `logits.shape` except for the last"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([[1]], [[0.0, 1.0]])
    with pytest.raises(ValueError, match="must have the same shape"):
        tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[[1.0]])


@pytest.mark.parametrize("label", [3, -1])
def test_a_label_that_is_no_class_raises(label):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=rf"{label} which is outside .*\[0, 3\)"
    ):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, label], tf.zeros([2, 3]))


def test_floating_labels_for_the_sparse_form_raise():
    with pytest.raises(ValueError, match="Labels are class numbers"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([1.0], [[0.0, 1.0]])


def test_the_cross_entropy_of_many_classes_takes_logits_that_are_a_transposed_view():
    columns = np.random.default_rng(0).normal(size=(40, 7))
    logits, labels = tf.transpose(tf.constant(columns)), np.arange(7)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    exponentials = np.exp(columns.T)
    expected = exponentials / exponentials.sum(1, keepdims=True)
    expected[np.arange(7), labels] -= 1
    np.testing.assert_allclose(tape.gradient(loss, logits), expected, rtol=1e-12)


def test_sigmoid_cross_entropy_is_exact_at_both_ends():
    z = tf.constant([-500.0, 500.0, -500.0, 500.0])
    lost = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0, 0.0, 1.0], logits=z)
    assert lost.numpy().tolist() == [500.0, 500.0, 0.0, 0.0]


# Convolution and pooling


def image(*shape):
    return np.random.default_rng(1).normal(size=shape)


@pytest.mark.parametrize(
    ("strides", "padding", "pairs", "steps"),
    [
        (1, "VALID", ((0, 0), (0, 0)), (1, 1)),
        (2, "SAME", ((0, 1), (1, 1)), (2, 2)),
        ([2, 1], "SAME", ((0, 1), (1, 1)), (2, 1)),
        ([1, 2, 1, 1], [[0, 0], [2, 0], [0, 1], [0, 0]], ((2, 0), (0, 1)), (2, 1)),
    ],
)
def test_conv2d_equals_a_loop_over_all_cells(strides, padding, pairs, steps):
    x, k = image(2, 6, 5, 3), image(3, 3, 3, 4)
    expected = slow.convolution(x, k, steps, pairs, (1, 1))
    got = tf.nn.conv2d(x, k, strides, padding)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12)


def test_conv2d_takes_lists_of_dilations_and_more_batch_axes():
    x, k = image(2, 3, 5, 5, 1), image(2, 2, 1, 2)
    got = tf.nn.conv2d(x, k, 1, "VALID", dilations=[1, 2, 2, 1]).numpy()
    expected = slow.convolution(x.reshape(6, 5, 5, 1), k, (1, 1), ((0, 0), (0, 0)), (2, 2))
    np.testing.assert_allclose(got.reshape(expected.shape), expected)
    assert got.shape == (2, 3, 3, 3, 2)


def test_conv2d_transpose_is_the_transpose_of_conv2d():
    x, y, k = image(1, 5, 4, 2), image(1, 3, 2, 3), image(3, 3, 2, 3)
    there = tf.reduce_sum(tf.nn.conv2d(x, k, 2, "SAME") * y)
    back = tf.reduce_sum(tf.nn.conv2d_transpose(y, k, [1, 5, 4, 2], 2) * x)
    assert float(there) == pytest.approx(float(back))


def test_depthwise_convolution_equals_one_convolution_per_channel():
    x, k = image(2, 4, 4, 3), image(2, 2, 3, 2)
    got = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "VALID").numpy()
    for c in range(3):
        one = slow.convolution(
            x[..., c : c + 1], k[:, :, c : c + 1], (1, 1), ((0, 0), (0, 0)), (1, 1)
        )
        np.testing.assert_allclose(got[..., 2 * c : 2 * c + 2], one)


def test_the_jacobian_of_a_convolution_net_equals_its_gradients_one_by_one():
    x, k = tf.constant(image(1, 4, 4, 1)), tf.constant(image(2, 2, 1, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, k])
        y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k, 1, "SAME")), 2, 2, "VALID")
        parts = [y[0, i, j, c] for i in range(2) for j in range(2) for c in range(2)]
    for source in (x, k):
        rows = tf.stack([tape.gradient(part, source) for part in parts])
        whole = tape.jacobian(y, source)
        np.testing.assert_allclose(whole.numpy().reshape(rows.shape), rows.numpy(), atol=1e-12)


def test_filters_for_other_channels_raise_with_both_shapes():
    with pytest.raises(ValueError, match=r"\(1, 4, 4, 2\), so 2 channels.*\(2, 2, 3, 1\)"):
        tf.nn.conv2d(tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 3, 1]), 1, "VALID")


def test_wrong_geometry_says_what_to_write():
    x, k = tf.ones([1, 2, 2, 1]), tf.ones([4, 4, 1, 1])
    with pytest.raises(ValueError, match="output size would be negative"):
        tf.nn.conv2d(x, k, 1, "VALID")
    with pytest.raises(ValueError, match="'VALID', 'SAME', or a list of pairs"):
        tf.nn.conv2d(x, k, 1, "FULL")
    with pytest.raises(ValueError, match="Windows move over space only"):
        tf.nn.conv2d(x, k, [2, 1, 1, 1], "SAME")
    with pytest.raises(ValueError, match="channels are the last axis"):
        tf.nn.conv2d(x, k, 1, "SAME", data_format="NCHW")
    with pytest.raises(ValueError, match="tf.newaxis"):
        tf.nn.conv2d(tf.ones([2, 2]), k, 1, "SAME")


def test_max_pool_gives_the_gradient_of_a_tie_to_the_first_cell():
    (g,) = gradient(lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), np.ones((1, 2, 2, 1)))
    assert g.ravel().tolist() == [1.0, 0.0, 0.0, 0.0]


def test_max_pool_of_negative_numbers_ignores_padding():
    got = tf.nn.max_pool(-tf.ones([1, 3, 3, 1]), 3, 2, "SAME")
    assert got.numpy().ravel().tolist() == [-1.0] * 4


def test_average_pooling_counts_real_cells_only():
    got = tf.nn.avg_pool2d(tf.ones([1, 3, 3, 1]), 2, 2, "SAME")
    assert got.numpy().ravel().tolist() == [1.0] * 4


def test_pooling_takes_sequences_and_volumes():
    assert tf.nn.max_pool1d(tf.ones([1, 4, 2]), 2, 2, "VALID").shape == [1, 2, 2]
    assert tf.nn.avg_pool(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape == [1, 2, 2, 2, 1]


# Normalisation


def test_moments_are_mean_and_population_variance():
    x = image(3, 4)
    mean, variance = tf.nn.moments(x, axes=[0])
    np.testing.assert_allclose(mean.numpy(), x.mean(0))
    np.testing.assert_allclose(variance.numpy(), x.var(0))


def test_weighted_moments_count_an_element_as_often_as_its_weight():
    mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 4.0]), [0], tf.constant([3.0, 1.0]))
    x = np.array([1, 1, 1, 4.0])
    assert (float(mean), float(variance)) == pytest.approx((x.mean(), x.var()))


def test_batch_normalization_takes_none_for_offset_and_scale():
    x = image(4, 3)
    got = tf.nn.batch_normalization(x, x.mean(0), x.var(0), None, None, 0.0).numpy()
    np.testing.assert_allclose(got.std(0), 1)


def test_bias_add_checks_the_length_of_the_bias():
    with pytest.raises(ValueError, match=r"bias of shape \(3,\)"):
        tf.nn.bias_add(tf.ones([2, 3]), tf.ones([2]))


def test_bias_add_with_channels_second():
    got = tf.nn.bias_add(tf.zeros([1, 2, 1, 2]), [1.0, 2.0], data_format="NCHW")
    assert got.numpy().ravel().tolist() == [1.0, 1.0, 2.0, 2.0]


def test_local_response_normalisation_equals_its_definition():
    x = image(1, 2, 2, 5)
    got = tf.nn.lrn(x, depth_radius=1, bias=2.0, alpha=0.5, beta=0.75).numpy()
    near = np.array([(x[..., max(0, c - 1) : c + 2] ** 2).sum(-1) for c in range(5)])
    np.testing.assert_allclose(got, x / (2 + 0.5 * np.moveaxis(near, 0, -1)) ** 0.75)


def test_dropout_scales_what_it_keeps_and_its_gradient_alike():
    x = tf.ones([1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.25)
    g = tape.gradient(y, x).numpy()
    assert 600 < (g > 0).sum() < 900
    np.testing.assert_allclose(g, y.numpy())
    np.testing.assert_allclose(g[g > 0], 1 / 0.75, rtol=1e-6)


@pytest.mark.parametrize("rate", [1.0, -0.1, 20])
def test_a_dropout_rate_outside_of_its_range_raises(rate):
    with pytest.raises(ValueError, match=r"range \[0, 1\)"):
        tf.nn.dropout(tf.ones([2]), rate)


def test_dropout_of_integers_raises():
    with pytest.raises(ValueError, match="floating point tensor"):
        tf.nn.dropout(tf.constant([1, 2]), 0.5)


# Images


def test_adjust_contrast_has_no_gradient_registered():
    x, factor = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        y = tf.image.adjust_contrast(x, factor)
    with pytest.raises(LookupError, match="gradient registry has no entry for: AdjustContrastv2"):
        tape.gradient(y, [x, factor])


def test_adjust_contrast_of_bytes_rounds_down_and_stays_in_range():
    x = np.array([[[0], [100], [255]]], np.uint8)
    got = tf.image.adjust_contrast(x, 2.0)
    assert got.dtype == tf.uint8
    assert got.numpy().ravel().tolist() == [0, 81, 255]


def test_an_image_without_channels_raises():
    with pytest.raises(ValueError, match=r"\[height, width, channels\]"):
        tf.image.flip_left_right([[1.0, 2.0]])


def test_resizing_to_the_nearest_pixel_repeats_it():
    x = tf.constant([[[1.0], [2.0]]])
    got = tf.image.resize(x, [2, 4], method="nearest").numpy()[..., 0]
    assert got.tolist() == [[1.0, 1.0, 2.0, 2.0]] * 2


IMAGES = np.arange(24.0).reshape(2, 2, 2, 3) ** 1.5 / 10
SCALE, OFFSET = np.array([1.0, 1.1, -0.5]), np.array([-0.5, -0.6, 0.0])


def fused(x, **options):
    return tf.compat.v1.nn.fused_batch_norm(
        x, SCALE.astype(x.dtype), OFFSET.astype(x.dtype), **options
    )


def test_fused_batch_norm_normalises_by_the_batch_and_returns_its_moments():
    y, mean, variance = fused(IMAGES, epsilon=0.01)
    flat = IMAGES.reshape(-1, 3)
    normal = (IMAGES - flat.mean(0)) / np.sqrt(flat.var(0) + 0.01)
    np.testing.assert_allclose(y, normal * SCALE + OFFSET)
    np.testing.assert_allclose(mean, flat.mean(0))
    np.testing.assert_allclose(variance, flat.var(0, ddof=1))


def test_fused_batch_norm_takes_channels_first():
    y, mean, _ = fused(IMAGES.transpose(0, 3, 1, 2), data_format="NCHW")
    np.testing.assert_allclose(y.numpy().transpose(0, 2, 3, 1), fused(IMAGES)[0])
    np.testing.assert_allclose(mean, IMAGES.reshape(-1, 3).mean(0))


def test_fused_batch_norm_outside_of_training_uses_what_it_is_given():
    mean, variance = np.array([1.0, 2.0, 3.0]), np.array([4.0, 1.0, 0.25])
    y, *same = fused(IMAGES, mean=mean, variance=variance, epsilon=0.0, is_training=False)
    least = 1.001e-5  # TensorFlow's smallest epsilon
    expected = (IMAGES - mean) / np.sqrt(variance + least) * SCALE + OFFSET
    np.testing.assert_allclose(y, expected)
    np.testing.assert_array_equal(same, [mean, variance])
    with pytest.raises(ValueError, match="Both `mean` and `variance`"):
        fused(IMAGES, is_training=False)


def test_fused_batch_norm_averages_the_moments_of_training():
    old = np.array([1.0, 2.0, 3.0])
    _, mean, variance = fused(IMAGES, mean=old, variance=old, exponential_avg_factor=0.25)
    flat = IMAGES.reshape(-1, 3)
    np.testing.assert_allclose(mean, 0.75 * old + 0.25 * flat.mean(0))
    np.testing.assert_allclose(variance, 0.75 * old + 0.25 * flat.var(0, ddof=1))


def test_fused_batch_norm_of_half_precision_stays_in_it_with_moments_in_float32():
    x = tf.constant(IMAGES, tf.float16)
    y, mean, _ = tf.compat.v1.nn.fused_batch_norm(x, SCALE.astype("f4"), OFFSET.astype("f4"))
    assert y.dtype == tf.float16 and mean.dtype == tf.float32
    np.testing.assert_allclose(y, fused(IMAGES)[0], atol=5e-3)


@pytest.mark.parametrize("training", [True, False])
def test_the_gradient_of_fused_batch_norm_equals_differences(training):
    mean, variance = np.array([1.0, 2.0, 3.0]), np.array([4.0, 1.0, 0.25])
    weights = np.cos(np.arange(24.0)).reshape(IMAGES.shape)

    def f(x, scale, offset):
        options = {} if training else {"mean": mean, "variance": variance, "is_training": False}
        y = tf.compat.v1.nn.fused_batch_norm(x, scale, offset, **options)[0]
        return tf.reduce_sum(y * weights)

    theoretical, numeric = tf.test.compute_gradient(f, [IMAGES, SCALE, OFFSET], delta=1e-6)
    for got, expected in zip(theoretical, numeric, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("shape", [(5000,), (70, 64), (600, 8), (5000, 1)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_bounds_of_many_elements_are_those_of_each(shape, dtype):
    x = np.random.default_rng(3).normal(size=shape).astype(dtype) * 8
    x.flat[:4] = np.nan, np.inf, -np.inf, -0.0
    wide = x.astype(np.float64)
    tolerance = {np.float16: 5e-3, np.float32: 1e-6, np.float64: 1e-12}[dtype]
    with np.errstate(over="ignore", invalid="ignore"):
        closed = {
            tf.nn.relu: np.maximum(wide, 0),
            tf.nn.relu6: np.minimum(np.maximum(wide, 0), 6),
            tf.nn.elu: np.where(wide > 0, wide, np.expm1(wide)),
            tf.nn.softplus: np.logaddexp(0, wide),
            tf.sigmoid: 1 / (1 + np.exp(-wide)),
            tf.math.log_sigmoid: -np.logaddexp(0, -wide),
            lambda v: tf.clip_by_value(v, -1.0, 2.0): np.clip(wide, -1, 2),
        }
    for function, expected in closed.items():
        found = function(x)
        assert found.dtype == dtype and found.shape == shape
        np.testing.assert_allclose(found, expected, tolerance, tolerance)


def test_the_average_loss_is_divided_by_the_batch_of_all_devices():
    losses = tf.constant([1.0, 2.0, 3.0])
    assert float(tf.nn.compute_average_loss(losses)) == 2.0
    assert float(tf.nn.compute_average_loss(losses, global_batch_size=6)) == 1.0
    weights = [0.0, 1.0, 1.0]
    np.testing.assert_allclose(float(tf.nn.compute_average_loss(losses, weights)), 5 / 3, rtol=1e-6)
    with pytest.raises(ValueError, match="at least rank 1"):
        tf.nn.compute_average_loss(3.0)
