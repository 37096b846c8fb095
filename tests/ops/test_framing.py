"""Crops, frames, turns and colours of images, beside NumPy's; refusals recorded from TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

IMAGE = np.arange(5 * 4 * 3, dtype=np.float32).reshape(5, 4, 3) / 60


def test_images_turn_by_quarters_against_the_clock():
    for k in (-1, 0, 1, 2, 3, 5):
        assert np.array_equal(tf.image.rot90(IMAGE, k).numpy(), np.rot90(IMAGE, k))
        turned = tf.image.rot90(IMAGE[None], k)
        assert np.array_equal(turned.numpy()[0], np.rot90(IMAGE, k))
    assert np.array_equal(tf.image.transpose(IMAGE).numpy(), IMAGE.swapaxes(0, 1))


def test_boxes_are_cut_out_and_put_into_frames():
    assert np.array_equal(tf.image.crop_to_bounding_box(IMAGE, 1, 2, 3, 2).numpy(), IMAGE[1:4, 2:4])
    framed = tf.image.pad_to_bounding_box(IMAGE, 1, 2, 8, 7).numpy()
    assert np.array_equal(framed, np.pad(IMAGE, [(1, 2), (2, 1), (0, 0)]))


def test_the_middle_stays_where_an_image_is_cut_or_framed():
    assert np.array_equal(tf.image.central_crop(IMAGE, 0.5).numpy(), IMAGE[1:4, 1:3])
    assert np.array_equal(tf.image.central_crop(IMAGE, 1.0).numpy(), IMAGE)
    both = tf.image.resize_with_crop_or_pad(IMAGE, 3, 7).numpy()
    assert np.array_equal(both, np.pad(IMAGE[1:4], [(0, 0), (1, 2), (0, 0)]))


def test_the_gradient_of_what_was_cut_off_is_zero():
    x = tf.Variable(IMAGE)
    with tf.GradientTape() as tape:
        y = tf.image.rot90(tf.image.central_crop(x, 0.5))
    expected = np.zeros_like(IMAGE)
    expected[1:4, 1:3] = 1.0
    assert np.array_equal(tape.gradient(y, x).numpy(), expected)


def test_grey_images_get_three_channels():
    assert np.array_equal(
        tf.image.grayscale_to_rgb(IMAGE[..., :1]).numpy(), np.repeat(IMAGE[..., :1], 3, -1)
    )


def test_gamma_is_a_power_between_black_and_white():
    np.testing.assert_allclose(
        tf.image.adjust_gamma(IMAGE, 2.0, 0.5).numpy(), IMAGE**2 / 2, rtol=1e-6
    )
    pixels = tf.constant([[[0], [51], [255]]], tf.uint8)  # 51 is 255 / 5
    assert tf.image.adjust_gamma(pixels, 2.0).numpy().ravel().tolist() == [0, 10, 255]


def test_the_ratio_of_signal_to_noise_is_in_decibels_and_has_a_gradient():
    a, b = tf.constant(IMAGE), tf.Variable(IMAGE + 0.1)
    with tf.GradientTape() as tape:
        ratio = tf.image.psnr(a, b, 1.0)
    assert float(ratio) == pytest.approx(20.0, rel=1e-5)
    # 10 log10(1 / mean(d^2)): the slope by each pixel is -20 d / (ln 10 * sum(d^2)).
    slope = -20 * 0.1 / (np.log(10) * IMAGE.size * 0.01)
    np.testing.assert_allclose(tape.gradient(ratio, b).numpy(), slope, rtol=1e-3)
    assert float(tf.image.psnr(a, a, 1.0)) == np.inf
    ten = tf.image.psnr(tf.constant([[[10]]], tf.uint8), tf.constant([[[20]]], tf.uint8), 255)
    assert float(ten) == pytest.approx(10 * np.log10(255**2 / 100), rel=1e-5)


def test_brightness_and_contrast_at_random_stay_within_their_bounds():
    for _ in range(5):
        change = tf.image.random_brightness(IMAGE, 0.2).numpy() - IMAGE
        assert np.ptp(change) < 1e-6
        assert abs(change).max() <= 0.2 + 1e-6
        spread = np.std(tf.image.random_contrast(IMAGE, 0.5, 1.5).numpy()[..., 0])
        assert 0.5 - 1e-5 <= spread / np.std(IMAGE[..., 0]) <= 1.5 + 1e-5


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: tf.image.crop_to_bounding_box(IMAGE, 3, 3, 3, 3), "must lie in the image"),
        (lambda: tf.image.pad_to_bounding_box(IMAGE, 0, 0, 2, 2), "must hold the image"),
        (lambda: tf.image.resize_with_crop_or_pad(IMAGE, 0, 2), "at least one pixel"),
        (lambda: tf.image.central_crop(IMAGE, 0.0), "must be within"),
        (lambda: tf.image.grayscale_to_rgb(IMAGE), "should be size 1, not 3"),
        (lambda: tf.image.adjust_gamma(IMAGE, -1.0), "non-negative real number; got -1.0"),
        (lambda: tf.image.random_brightness(IMAGE, -1.0), "must be non-negative; got -1.0"),
        (lambda: tf.image.random_contrast(IMAGE, 1.5, 0.5), "upper must be > lower"),
        (lambda: tf.image.random_contrast(IMAGE, -1.5, 0.5), "lower must be non-negative"),
    ],
)
def test_a_frame_or_change_that_makes_no_sense_is_a_value_error(call, part):
    with pytest.raises(ValueError, match=part):
        call()
