"""`tf.random`: shapes, ranges, seeds, and what gradients flow to."""

import numpy as np
import pytest

import minitape as tf


def test_set_seed_repeats_the_whole_sequence():
    def draw():
        tf.random.set_seed(7)
        return [tf.random.normal([3]).numpy(), tf.random.uniform([2]).numpy()]

    for a, b in zip(draw(), draw(), strict=True):
        assert a.tolist() == b.tolist()


def test_two_draws_differ():
    tf.random.set_seed(7)
    assert tf.random.normal([3]).numpy().tolist() != tf.random.normal([3]).numpy().tolist()


def test_an_op_seed_starts_a_sequence_of_its_own():
    tf.random.set_seed(1)
    first = [float(tf.random.normal([], seed=5)) for _ in range(2)]
    tf.random.set_seed(1)
    tf.random.normal([10])
    assert [float(tf.random.normal([], seed=5)) for _ in range(2)] == first
    assert first[0] != first[1]


def test_another_seed_gives_other_numbers():
    tf.random.set_seed(1)
    a = float(tf.random.normal([]))
    tf.random.set_seed(2)
    assert float(tf.random.normal([])) != a


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
@pytest.mark.parametrize("shape", [[], [0], [2, 3]])
def test_draws_have_the_shape_and_dtype_asked_for(dtype, shape):
    for draw in (tf.random.normal, tf.random.uniform, tf.random.truncated_normal):
        x = draw(shape, dtype=dtype)
        assert x.shape == shape
        assert x.dtype == dtype


def test_a_shape_may_be_a_tensor():
    assert tf.random.normal(tf.constant([2, 3])).shape == [2, 3]


def test_normal_numbers_have_the_mean_and_deviation_asked_for():
    tf.random.set_seed(0)
    x = tf.random.normal([20000], mean=3.0, stddev=2.0).numpy()
    assert x.mean() == pytest.approx(3.0, abs=0.1)
    assert x.std() == pytest.approx(2.0, abs=0.1)


def test_gradients_flow_to_mean_and_deviation():
    mean, deviation = tf.Variable(0.0), tf.Variable(1.0)
    tf.random.set_seed(3)
    noise = tf.random.normal([4]).numpy()
    tf.random.set_seed(3)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.random.normal([4], mean, deviation))
    got = tape.gradient(y, [mean, deviation])
    np.testing.assert_allclose([float(g) for g in got], [4.0, noise.sum()], rtol=1e-5)


def test_uniform_numbers_stay_in_their_range():
    x = tf.random.uniform([1000], 2.0, 3.0).numpy()
    assert x.min() >= 2.0
    assert x.max() < 3.0
    n = tf.random.uniform([1000], 2, 5, dtype=tf.int32).numpy()
    assert set(n.tolist()) == {2, 3, 4}


def test_uniform_half_precision_never_rounds_up_to_one():
    assert tf.random.uniform([20000], dtype=tf.float16).numpy().max() < 1


def test_uniform_integers_need_an_upper_end():
    with pytest.raises(ValueError, match="Must specify maxval"):
        tf.random.uniform([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="Need minval < maxval"):
        tf.random.uniform([2], 3, 3, dtype=tf.int32)


def test_normal_integers_raise():
    with pytest.raises(ValueError, match="must be a floating one"):
        tf.random.normal([2], dtype=tf.int32)


def test_truncated_normal_numbers_stay_within_two_deviations():
    x = tf.random.truncated_normal([5000], mean=1.0, stddev=0.5).numpy()
    assert abs(x - 1).max() <= 1.0


def test_shuffle_keeps_the_rows_whole():
    x = np.arange(20).reshape(10, 2)
    got = tf.random.shuffle(x).numpy()
    assert sorted(map(tuple, got)) == [tuple(row) for row in x]


def test_categorical_draws_classes_with_their_probabilities():
    tf.random.set_seed(0)
    got = tf.random.categorical(np.log([[0.25, 0.75]]), 4000).numpy()
    assert got.dtype == np.int64
    assert got.mean() == pytest.approx(0.75, abs=0.03)
    with pytest.raises(ValueError, match="should be a matrix"):
        tf.random.categorical([0.0, 1.0], 2)


def test_stateless_draws_depend_on_their_seed_alone():
    a = tf.random.stateless_uniform([3], seed=[1, 2]).numpy()
    tf.random.normal([5])
    assert tf.random.stateless_uniform([3], seed=[1, 2]).numpy().tolist() == a.tolist()
    assert tf.random.stateless_uniform([3], seed=[1, 3]).numpy().tolist() != a.tolist()
    with pytest.raises(ValueError, match=r"seed must have shape \[2\]"):
        tf.random.stateless_normal([3], seed=[1])


def test_a_generator_has_a_sequence_of_its_own():
    a, b = (tf.random.Generator.from_seed(4) for _ in range(2))
    first = a.normal([2]).numpy().tolist()
    assert b.normal([2]).numpy().tolist() == first
    assert a.normal([2]).numpy().tolist() != first


def test_gamma_and_poisson_numbers_have_their_means():
    tf.random.set_seed(0)
    x = tf.random.gamma([4000], alpha=[2.0], beta=[4.0]).numpy()
    assert x.mean() == pytest.approx(0.5, abs=0.03)
    n = tf.random.poisson([4000], 3.0).numpy()
    assert n.mean() == pytest.approx(3.0, abs=0.15)


def test_a_graph_draws_again_at_each_call():
    draw = tf.function(lambda: tf.random.normal([3]))
    assert draw().numpy().tolist() != draw().numpy().tolist()


def test_tracing_a_graph_draws_nothing():
    draw = tf.function(lambda: tf.random.normal([3]))
    tf.random.set_seed(5)
    expected = tf.random.normal([3]).numpy().tolist()
    tf.random.set_seed(5)
    assert draw().numpy().tolist() == expected


# How a draw moves with alpha, of TensorFlow 2.21's RandomGammaGrad: draws, alphas, slopes.
MOVED = [
    (0.01, [0.01, 0.1, 0.5, 1.0, 2.0], [4.0944037, 0.4227934, 0.093544, 0.0505569, 0.0277377]),
    (0.5, [0.01, 0.5, 2.0, 10.0], [46.6792641, 1.3373526, 0.4980266, 0.1596891]),
    (3.0, [0.01, 0.5, 1.0, 10.0], [80.2807617, 2.912944, 1.937912, 0.5242121]),
    (11.0, [10.0], [1.0660531]),
    (90.0, [100.0], [0.9498259]),
    (1010.0, [1000.0], [1.0051509]),
]


@pytest.mark.parametrize(("sample", "alphas", "expected"), MOVED)
def test_a_draw_of_the_gamma_distribution_moves_with_alpha_as_in_tensorflow(
    monkeypatch, sample, alphas, expected
):
    class Fixed:
        def standard_gamma(self, alpha, shape):
            return np.full(shape, sample)

    monkeypatch.setattr("minitape.ops.random.randomness.generator", lambda seed: Fixed())
    alpha = tf.constant(alphas, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        draws = tf.random.gamma([2], alpha, dtype=tf.float64)
    found = tape.gradient(draws, alpha)  # of the sum over both draws
    np.testing.assert_allclose(found.numpy(), 2 * np.array(expected), rtol=2e-6)


# The slope of one draw deviates by about its mean: both tolerances are above four deviations.
@pytest.mark.parametrize(
    ("draws", "tolerance"), [(2000, 0.1), pytest.param(20000, 0.03, marks=pytest.mark.slow)]
)
@pytest.mark.takes_turns
def test_the_mean_of_the_slopes_of_gamma_draws_is_one_and_beta_scales_them(draws, tolerance):
    tf.random.set_seed(3)
    alpha, beta = tf.constant([0.5, 2.0, 30.0]), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        mean = tf.reduce_mean(tf.random.gamma([draws], alpha, beta), 0)
    by_alpha, by_beta = tape.gradient(mean, [alpha, beta])
    np.testing.assert_allclose(by_alpha, [0.25] * 3, rtol=tolerance)  # the mean is alpha / beta
    assert float(by_beta) == pytest.approx(-32.5 / 16, rel=tolerance)


def test_the_second_derivative_of_a_gamma_draw_is_not_registered_as_in_tensorflow():
    alpha = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(alpha)
        with tf.GradientTape() as inner:
            inner.watch(alpha)
            draw = tf.random.gamma([], alpha)
        first = inner.gradient(draw, alpha)
    with pytest.raises(LookupError, match="no entry for: RandomGammaGrad"):
        outer.gradient(first, alpha)
