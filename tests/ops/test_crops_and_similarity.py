"""`tf.image.crop_and_resize` and `ssim`: numbers recorded from TensorFlow 2.21."""

import numpy as np
import pytest

import minitape as tf


def numbers(*shape):
    values = np.sin(np.arange(np.prod(shape)) * 1.7 + 0.3) * 0.5 + 0.5
    return values.reshape(shape).astype(np.float32)


IMAGES = numbers(2, 5, 6, 2)
INDICES = np.array([0, 1, 1, 0], np.int32)
BOXES = np.array(
    [[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], [0.9, 0.9, 0.2, 0.1], [-0.2, 0, 1.3, 1.0]], np.float32
)
crop = tf.image.crop_and_resize


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        ((BOXES, INDICES, [3, 4]), {}, [0.64776, 0.95465, 0.65468, 0.56618, 0.36877]),
        ((BOXES[1:2], [1], [3, 4]), {}, [0.31526, 0.83474, 0.59849, 0.13988, 0.49431]),
        ((BOXES[2:3], [1], [3, 4]), {}, [0.53013, 0.53174, 0.26232, 0.59007, 0.7435]),
        ((BOXES[3:], [0], [3, 4]), {"extrapolation_value": 7.0}, [7.0] * 5),
        ((BOXES[1:2], [1], [1, 1]), {}, [0.48968, 0.45597]),
        ((BOXES, INDICES, [3, 4]), {"method": "nearest"}, [0.64776, 0.95465, 0.86448, 0.79246]),
        ((BOXES[1:2], [1], [3, 4]), {"method": "nearest"}, [0.05123, 0.77645, 0.87753, 0.12626]),
    ],
)
def test_crops_have_the_pixels_of_tensorflow(given, options, expected):
    found = crop(IMAGES, *given, **options)
    assert tuple(found.shape) == (len(given[0]), *given[2], 2) and found.dtype is tf.float32
    np.testing.assert_allclose(found.numpy().ravel()[: len(expected)], expected, atol=2e-5)


def test_a_crop_of_whole_numbers_is_floating():
    whole = (IMAGES * 255).astype(np.uint8)
    found = crop(whole, BOXES[1:2], [1], [2, 2]).numpy().ravel()
    np.testing.assert_allclose(found[:5], [80.2, 212.2, 104.6, 40.4, 111.2], rtol=1e-5)


def test_the_gradients_of_a_crop_are_those_of_tensorflow():
    images, boxes = tf.constant(IMAGES), tf.constant(BOXES)
    with tf.GradientTape() as tape:
        tape.watch([images, boxes])
        y = tf.reduce_sum(crop(images, boxes, INDICES, [3, 4]) * numbers(4, 3, 4, 2))
    by_pixel, by_box = tape.gradient(y, [images, boxes])
    first = [0.64776, 0.95465, 0.07836, 0.03787, 0.15672]
    np.testing.assert_allclose(by_pixel.numpy().ravel()[:5], first, atol=2e-5)
    first = [0.0, 3.18531, 0.0, 3.02315, -2.24749]
    np.testing.assert_allclose(by_box.numpy().ravel()[:5], first, atol=5e-5)


def test_the_gradient_of_a_single_pixel_goes_to_the_middle_of_the_box():
    images, boxes = tf.constant(IMAGES), tf.constant(BOXES)
    with tf.GradientTape() as tape:
        tape.watch([images, boxes])
        y = tf.reduce_sum(crop(images, boxes, INDICES, [3, 1]) ** 2)
    by_pixel, by_box = tape.gradient(y, [images, boxes])
    np.testing.assert_allclose(by_pixel.numpy().ravel()[:5], [0, 0, 0, 0, 0.46232], atol=2e-5)
    first = [0.0, -3.16709, 0.0, -3.16709, -0.52547]
    np.testing.assert_allclose(by_box.numpy().ravel()[:5], first, atol=5e-5)


def test_crops_work_in_functions_maps_and_forward_mode():
    boxes = tf.constant(BOXES[1:3])
    plain = crop(IMAGES, boxes, [1, 0], [2, 3])
    traced = tf.function(lambda b, i: crop(IMAGES, b, i, [2, 3]))(boxes, tf.constant([1, 0]))
    np.testing.assert_allclose(traced, plain, atol=1e-6)
    rows = tf.vectorized_map(lambda b: crop(IMAGES[1:], b[None], [0], [2, 3])[0], boxes)
    np.testing.assert_allclose(rows[0], plain[0], atol=1e-6)
    x = tf.constant(IMAGES)
    with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
        y = crop(x, boxes, [1, 0], [2, 3])
    np.testing.assert_allclose(accumulator.jvp(y), y, atol=1e-6)  # it is linear in the pixels


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: crop(IMAGES, BOXES, [0, 1, 2, 0], [3, 4]), tf.errors.OutOfRangeError, "box_index"),
        (lambda: crop(IMAGES, BOXES, [0, 1], [3, 4]), ValueError, "one index of"),
        (lambda: crop(IMAGES[0], BOXES, INDICES, [3, 4]), ValueError, "must be 4-D"),
        (lambda: crop(IMAGES, BOXES[:, :3], INDICES, [3, 4]), ValueError, "4 columns"),
        (lambda: crop(IMAGES, BOXES, INDICES, [3, 0]), ValueError, "at least one"),
        (lambda: crop(IMAGES, BOXES, INDICES, [3, 4], "cubic"), ValueError, "allowed values"),
        (lambda: crop(IMAGES, BOXES * np.nan, INDICES, [3, 4]), ValueError, "not finite"),
        (lambda: crop(IMAGES, BOXES, tf.cast(INDICES, tf.int64), [3, 4]), ValueError, "int64"),
    ],
)
def test_boxes_that_fit_no_image_are_refused_with_words(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


A, B = numbers(2, 13, 12, 3), numbers(2, 13, 12, 3)[:, ::-1].copy()
ssim = tf.image.ssim


@pytest.mark.parametrize(
    ("given", "options", "shape", "expected"),
    [
        ((A, B, 1.0), {}, (2,), [0.00346, 0.00358]),
        ((A[0], B[0], 1.0), {}, (), [0.00346]),
        ((A, B[:1], 1.0), {}, (2,), [0.00346, 0.00373]),
        (
            (A, B, 1.0),
            {"filter_size": 5, "filter_sigma": 0.8, "k1": 0.02, "k2": 0.05},
            (2,),
            [0.01437, 0.01422],
        ),
        (
            (A, B, 1.0),
            {"filter_size": 5, "return_index_map": True},
            (2, 9, 8),
            [0.05585, 0.06589, 0.04554, 0.06453, 0.05781],
        ),
        (
            ((A * 255).astype(np.uint8), (B * 255).astype(np.uint8), 255),
            {},
            (2,),
            [0.00296, 0.00157],
        ),
        ((A, A, 1.0), {}, (2,), [1.0, 1.0]),
    ],
)
def test_the_similarity_of_images_is_that_of_tensorflow(given, options, shape, expected):
    found = ssim(*given, **options)
    assert tuple(found.shape) == shape and found.dtype is tf.float32
    np.testing.assert_allclose(found.numpy().ravel()[: len(expected)], expected, atol=3e-5)


def test_the_gradient_of_a_similarity_is_that_of_tensorflow():
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(ssim(x, B, 1.0, filter_size=5))
    first = [-0.00012, 0.00024, 5e-05, -0.00074, 3e-05]
    np.testing.assert_allclose(tape.gradient(y, x).numpy().ravel()[:5], first, atol=2e-5)


C = numbers(2, 26, 25, 3)
D = (C[:, ::-1] * 0.7 + 0.1).copy()
multiscale = tf.image.ssim_multiscale


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        ((C, D, 1.0, [0.4, 0.6]), {}, [0.04342692, 0.04246964]),
        (
            (C[0], D[0], 1.0, [0.3, 0.3, 0.4]),
            {"filter_size": 5, "filter_sigma": 0.8, "k1": 0.02, "k2": 0.05},
            0.0,
        ),
        (
            ((C * 255).astype(np.uint8), (C * 200).astype(np.uint8), 255, [0.5, 0.5]),
            {},
            [0.95732564, 0.9572018],
        ),
    ],
)
def test_the_similarity_at_several_scales_is_that_of_tensorflow(given, options, expected):
    np.testing.assert_allclose(multiscale(*given, **options), expected, atol=1e-5)


def test_the_gradient_of_a_similarity_at_several_scales_is_that_of_tensorflow():
    x = tf.constant(C)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(multiscale(x, D * 0.5 + C * 0.5, 1.0, [0.4, 0.6]))
    expected = [-0.00028893, -0.00194469, 0.00022051, 0.00129213, -0.00290943, -0.00110802]
    found = tape.gradient(y, x).numpy()[0, 12, 12:14].ravel()
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_an_image_too_small_for_its_last_scale_is_refused_with_its_size_there():
    with pytest.raises(tf.errors.InvalidArgumentError, match="7 x 7 pixels, filter_size=11"):
        multiscale(C, C, 1.0, [0.3, 0.3, 0.4])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ssim(A[:, :8], B[:, :8], 1.0), "filter_size=11"),
        (lambda: ssim(A, B[:, :12], 1.0), "incompatible"),
        (lambda: ssim(A, np.concatenate([B, B[:1]]), 1.0), "incompatible"),
        (lambda: ssim(A[0, 0], B[0, 0], 1.0), r"\[height, width, channels\]"),
        (lambda: ssim(A, B, 1.0, filter_size=0), "at least one pixel"),
    ],
)
def test_images_that_cannot_be_compared_are_refused_with_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()
