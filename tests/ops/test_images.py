"""`tf.image` and neighbours beside closed forms and facts recorded from TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.ops.neural.resizing import kernel_weights

X = np.arange(48.0, dtype=np.float32).reshape(4, 4, 3) ** 1.5
KERNELS = ["bilinear", "bicubic", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]

# The first channel of tf.image.resize(X, [2, 3], method, antialias=antialias) in TensorFlow.
RESIZED = [
    ("bilinear", True, [[38.37841, 54.83422, 74.67773], [156.07164, 185.39566, 216.4507]]),
    ("bicubic", True, [[27.17286, 43.88436, 64.72604], [162.63905, 195.7469, 230.72504]]),
    ("area", False, [[23.49982, 38.58884, 57.59584], [173.0722, 205.08972, 238.85336]]),
    ("nearest", True, [[41.56922, 76.36754, 96.23409], [216.0, 272.1911, 301.86917]]),
]


@pytest.mark.parametrize(("method", "antialias", "expected"), RESIZED)
def test_images_are_resized_as_in_tensorflow(method, antialias, expected):
    out = tf.image.resize(X, [2, 3], method, antialias=antialias)
    assert out.dtype == tf.float32
    np.testing.assert_allclose(out[..., 0], expected, rtol=1e-5)


def test_bicubic_upscaling_is_tensorflows():
    image = np.arange(12.0, dtype=np.float32).reshape(2, 2, 3)
    row = [-0.69239, -0.19961, 1.10467, 2.40894, 2.90172]
    np.testing.assert_allclose(tf.image.resize(image, [3, 5], "bicubic")[0, :, 0], row, atol=2e-5)


def test_an_image_that_keeps_its_proportions_only_fits_into_the_size():
    out = tf.image.resize(X, [2, 6], preserve_aspect_ratio=True)
    assert out.shape == (2, 2, 3)
    np.testing.assert_allclose(out[..., 0], [[26.21503, 53.57464], [179.35663, 231.98691]], 1e-5)


@pytest.mark.parametrize("method", KERNELS)
@pytest.mark.parametrize("antialias", [False, True])
def test_the_weights_of_a_kernel_add_up_to_1_and_are_symmetric(method, antialias):
    weights = kernel_weights(method, 7, 5, antialias)
    np.testing.assert_allclose(weights.sum(1), 1.0)
    np.testing.assert_allclose(weights, weights[::-1, ::-1], atol=1e-12)


@pytest.mark.parametrize("method", KERNELS)
def test_the_gradient_of_a_resized_image_is_the_transpose_of_the_weights(method):
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.image.resize(x, [3, 6], method, antialias=True) ** 2)
    down, right = kernel_weights(method, 4, 3, True), kernel_weights(method, 4, 6, True)
    whole = np.einsum("oh,pw,hwc->opc", down, right, X)
    expected = 2 * np.einsum("oh,pw,opc->hwc", down, right, whole)
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-3, atol=1e-2)


def test_resizing_by_areas_has_no_gradient_registered():
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.image.resize(x, [2, 2], "area")
    with pytest.raises(LookupError, match="ResizeArea"):
        tape.gradient(y, x)


def test_resizing_is_the_same_in_a_function_and_for_each_image_of_a_batch():
    images = np.stack([X, 2 * X, X[::-1]])
    alone = np.stack([tf.image.resize(each, [3, 5], "lanczos3") for each in images])
    together = tf.vectorized_map(lambda x: tf.image.resize(x, [3, 5], "lanczos3"), images)
    np.testing.assert_allclose(together, alone, rtol=1e-6)
    traced = tf.function(lambda x: tf.image.resize(x, [3, 5], "lanczos3"))
    np.testing.assert_allclose(traced(tf.constant(images)), alone, rtol=1e-6)


def test_another_method_is_refused():
    with pytest.raises(ValueError, match="'nearest', 'area', 'bilinear'"):
        tf.image.resize(X, [2, 2], "best")


@pytest.mark.parametrize(
    ("pixels", "dtype", "delta", "expected"),
    [
        ([4, 3, 1], tf.uint8, 0.1, [29, 28, 26]),
        ([250, 3, 1], tf.uint8, 0.5, [255, 130, 128]),
        ([250, 3, 1], tf.uint8, -0.5, [122, 0, 0]),
        ([250, 3, 1], tf.int16, 0.5, [16633, 16386, 16384]),
        ([250, 3, 1], tf.int32, 0.5, [1073742080, 1073741824, 1073741824]),
    ],
)
def test_integers_get_brighter_in_the_range_that_they_stand_for(pixels, dtype, delta, expected):
    image = tf.constant([[pixels]], dtype)
    out = tf.image.adjust_brightness(image, delta)
    assert out.dtype == dtype and out.numpy().ravel().tolist() == expected


@pytest.mark.parametrize(
    ("value", "old", "new", "saturate", "expected"),
    [
        (255, tf.uint8, tf.float32, False, 1.0),
        (0.5, tf.float32, tf.uint8, False, 127),
        (2.0, tf.float32, tf.uint8, True, 255),
        (200, tf.uint8, tf.uint16, False, 51200),
        (51200, tf.uint16, tf.uint8, False, 200),
        (1.5, tf.float64, tf.float16, False, 1.5),
        (3.0, tf.float32, tf.int32, True, 2147483520),
    ],
)
def test_images_change_their_dtype_by_the_range_of_it(value, old, new, saturate, expected):
    out = tf.image.convert_image_dtype(tf.constant(value, old), new, saturate)
    assert out.dtype == new and out.numpy() == expected


@pytest.mark.parametrize("dtype", [tf.float64, tf.float16, tf.uint8])
def test_standardized_images_are_float32(dtype):
    assert tf.image.per_image_standardization(tf.zeros([2, 2, 3], dtype)).dtype == tf.float32


def test_the_gradient_of_an_image_upside_down_is_whole():
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.image.flip_up_down(x)
    np.testing.assert_array_equal(tape.gradient(y, x, output_gradients=X), X[::-1])
    assert type(y) is type(tf.constant(1.0))


def test_the_jacobian_of_the_total_variation_of_an_image():
    x = tf.Variable(np.arange(12.0, dtype=np.float32).reshape(2, 2, 3) ** 2)
    with tf.GradientTape() as tape:
        y = tf.image.total_variation(x)
    expected = [[[-2.0] * 3, [0.0] * 3], [[0.0] * 3, [2.0] * 3]]
    np.testing.assert_array_equal(tape.jacobian(y, x), expected)


def test_the_gradient_of_a_small_nearest_image_is_whole():
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.image.resize(x, [2, 1], "nearest")
    g = tape.gradient(y, x)
    assert not isinstance(g, tf.IndexedSlices)
    np.testing.assert_array_equal(np.argwhere(g[..., 0]), [[1, 2], [3, 2]])


def test_edges_are_the_sobel_differences_of_a_mirrored_image():
    x = np.arange(18.0, dtype=np.float32).reshape(1, 3, 3, 2) ** 2
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], "reflect")
    smooth = padded[:, :, :-2] + 2 * padded[:, :, 1:-1] + padded[:, :, 2:]
    found = tf.image.sobel_edges(x).numpy()
    np.testing.assert_allclose(found[..., 0], smooth[:, 2:] - smooth[:, :-2])
    smooth = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    np.testing.assert_allclose(found[..., 1], smooth[:, :, 2:] - smooth[:, :, :-2])


def test_a_random_crop_is_a_part_of_the_image_and_another_one_at_each_run_of_a_graph():
    image = tf.reshape(tf.range(16.0), [4, 4, 1])
    crop = tf.function(lambda x: tf.image.random_crop(x, [2, 2, 1]))
    corners = set()
    for _ in range(60):
        part = crop(image).numpy()[..., 0]
        assert (part - part[0, 0]).tolist() == [[0.0, 1.0], [4.0, 5.0]]
        corners.add(float(part[0, 0]))
    assert len(corners) > 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit into"):
        tf.image.random_crop(image, [5, 2, 1])


def test_the_gradient_of_a_random_crop_is_one_where_it_was_cut():
    v = tf.Variable(tf.zeros([4, 4, 1]))
    with tf.GradientTape() as tape:
        y = tf.image.random_flip_up_down(tf.image.random_crop(v, [3, 2, 1]))
    assert tape.gradient(y, v).numpy().sum() == 6.0


def test_each_image_of_a_batch_is_flipped_or_not_by_itself():
    row = tf.constant([[[1.0], [2.0]]])
    batch = tf.image.random_flip_left_right(tf.stack([row] * 64)).numpy()[:, 0, :, 0]
    assert {tuple(each) for each in batch.tolist()} == {(1.0, 2.0), (2.0, 1.0)}


def test_methods_of_resizing_have_names():
    x = tf.constant([[[0.0], [2.0]]])
    method = tf.image.ResizeMethod.NEAREST_NEIGHBOR
    assert tf.image.resize(x, [1, 4], method).numpy().ravel().tolist() == [0.0, 0.0, 2.0, 2.0]
