"""The advanced autodiff guide: each of its examples on minitape, with the values it records.

The facts are outputs of TensorFlow 2.17: those that the guide prints, and, for the examples with
random weights, those of the same computation with weights drawn by `numpy.random.RandomState`.
The code is ours.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def dense(units: int, activation, inputs: int, seed: int):
    """A dense layer with fixed weights."""
    layer = tf.keras.layers.Dense(units, activation=activation)
    layer.build((None, inputs))
    draw = np.random.RandomState(seed)
    layer.kernel.assign(draw.randn(inputs, units).astype(np.float32))
    layer.bias.assign(draw.randn(units).astype(np.float32))
    return layer


def two_numbers():
    return tf.Variable(2.0), tf.Variable(3.0)


# Controlling gradient recording


def test_what_is_computed_while_recording_is_stopped_has_no_gradient():
    x, y = two_numbers()
    with tf.GradientTape() as t:
        x_sq = x * x
        with t.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    grad = t.gradient(z, {"x": x, "y": y})
    assert str(grad["x"]) == "tf.Tensor(4.0, shape=(), dtype=float32)"
    assert grad["y"] is None


def test_what_was_recorded_before_a_reset_has_no_gradient():
    x, y = two_numbers()
    with tf.GradientTape() as t:
        y_sq = y * y
        t.reset()
        z = x * x + y_sq
    grad = t.gradient(z, {"x": x, "y": y})
    assert str(grad["x"]) == "tf.Tensor(4.0, shape=(), dtype=float32)"
    assert grad["y"] is None


def test_stop_gradient_stops_one_path():
    x, y = two_numbers()
    with tf.GradientTape() as t:
        y_sq = y**2
        z = x**2 + tf.stop_gradient(y_sq)
    grad = t.gradient(z, {"x": x, "y": y})
    assert str(grad["x"]) == "tf.Tensor(4.0, shape=(), dtype=float32)"
    assert grad["y"] is None


# Custom gradients


@tf.custom_gradient
def clip_gradients(y):
    def backward(dy):
        return tf.clip_by_norm(dy, 0.5)

    return y, backward


def test_a_custom_gradient_clips_the_gradient_of_a_square():
    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        output = clip_gradients(v * v)
    assert str(t.gradient(output, v)) == "tf.Tensor(2.0, shape=(), dtype=float32)"


def test_a_custom_gradient_holds_inside_a_traced_method_of_a_module():
    class MyModule(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec(None)])
        def call_custom_grad(self, x):
            return clip_gradients(x)

    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        output = MyModule().call_custom_grad(v * v)
    assert str(t.gradient(output, v)) == "tf.Tensor(2.0, shape=(), dtype=float32)"


# Multiple tapes, higher orders


def test_two_tapes_follow_their_own_sources():
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.sigmoid(x1))
    assert tape0.gradient(ys, x0).numpy() == 1.0
    assert tape1.gradient(ys, x1).numpy() == 0.25


def test_the_second_derivative_of_a_cube_at_one_is_six():
    x = tf.Variable(1.0)
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = x * x * x
        dy_dx = t1.gradient(y, x)
    d2y_dx2 = t2.gradient(dy_dx, x)
    assert dy_dx.numpy() == 3.0
    assert d2y_dx2.numpy() == 6.0


def input_gradient(layer, x):
    """The magnitude of the gradient with respect to the input, and the outer tape."""
    with tf.GradientTape() as t2:
        with tf.GradientTape(watch_accessed_variables=False) as t1:
            t1.watch(x)
            out = tf.reduce_sum(layer(x) ** 2)
        g1_mag = tf.norm(t1.gradient(out, x))
    return g1_mag, t2


def test_the_input_gradient_s_magnitude_has_gradients_of_the_variables_shapes():
    layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
    layer.build((None, 5))
    g1_mag, t2 = input_gradient(layer, tf.random.normal([7, 5]))
    dg1_mag = t2.gradient(g1_mag, layer.trainable_variables)
    shapes = [var.shape for var in dg1_mag]
    assert str(shapes) == "[TensorShape([5, 10]), TensorShape([10])]"


def test_the_input_gradient_s_magnitude_and_its_gradient_are_tensorflow_s():
    layer, x = dense(10, tf.nn.relu, 5, seed=1), tf.constant(normal(2, 7, 5))
    g1_mag, t2 = input_gradient(layer, x)
    of_bias = t2.gradient(g1_mag, layer.trainable_variables)[1]
    assert g1_mag.numpy() == pytest.approx(65.75624, rel=1e-5)
    expected = [3.9005785, 2.5305328, 1.0470042, 1.3281074, 1.687523, 4.2234693, 1.8117502]
    expected += [2.5357535, 0.635641, -0.46471]
    np.testing.assert_allclose(of_bias, expected, rtol=1e-4)


# Jacobians


def test_a_jacobian_for_a_scalar_has_the_shape_of_the_target():
    x = tf.linspace(-10.0, 10.0, 200 + 1)
    delta = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.nn.sigmoid(x + delta)
    dy_dx = tape.jacobian(y, delta)
    assert y.shape == dy_dx.shape == (201,)
    expected = [0.19661193, 0.23500371, 0.25, 0.23500371, 0.19661196]
    np.testing.assert_allclose(dy_dx[90:111:5], expected, rtol=1e-5)


def layer_jacobian():
    x, layer = tf.constant(normal(3, 7, 5)), dense(10, tf.nn.relu, 5, seed=4)
    with tf.GradientTape(persistent=True) as tape:
        y = layer(x)
    return layer, y, tape.jacobian(y, layer.kernel), tape.gradient(y, layer.kernel)


def test_a_jacobian_has_the_target_s_shape_followed_by_the_source_s():
    layer, y, j, g = layer_jacobian()
    assert y.shape == (7, 10)
    assert layer.kernel.shape == g.shape == (5, 10)
    assert j.shape == (7, 10, 5, 10)


def test_a_jacobian_s_sum_over_the_target_is_the_gradient():
    _, _, j, g = layer_jacobian()
    j_sum = tf.reduce_sum(j, axis=[0, 1])
    delta = tf.reduce_max(abs(g - j_sum)).numpy()
    assert delta < 1e-3
    np.testing.assert_allclose(g[0, :4], [-0.1237914, 0.0, -3.2262845, 1.4659326], rtol=1e-4)
    np.testing.assert_allclose(g[4, 6:], [-0.9737515, -2.839437, -2.2849364, -2.562049], rtol=1e-4)


def hessian():
    """Two layers, their loss on a batch, and gradient and Hessian for the first kernel."""
    x = tf.constant(normal(5, 7, 5))
    layer1, layer2 = dense(8, tf.nn.relu, 5, seed=6), dense(6, tf.nn.relu, 8, seed=7)

    def loss():
        return tf.reduce_mean(layer2(layer1(x)) ** 2)

    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            before = loss()
        g = t1.gradient(before, layer1.kernel)
    return layer1, loss, before, g, t2.jacobian(g, layer1.kernel)


def test_a_hessian_is_the_jacobian_of_a_gradient_and_symmetric():
    layer1, _, _, g, h = hessian()
    assert layer1.kernel.shape == g.shape == (5, 8)
    assert h.shape == (5, 8, 5, 8)
    h_mat = tf.reshape(h, [40, 40])
    np.testing.assert_allclose(h_mat, tf.transpose(h_mat), atol=1e-3)


def test_a_damped_newton_step_gives_tensorflow_s_loss():
    layer1, loss, before, g, h = hessian()
    n_params = tf.reduce_prod(layer1.kernel.shape)
    assert n_params.numpy() == 40
    h_mat, g_vec = tf.reshape(h, [n_params, n_params]), tf.reshape(g, [n_params, 1])
    update = tf.linalg.solve(h_mat + tf.eye(h_mat.shape[0]) * 1.0, g_vec)
    layer1.kernel.assign_sub(tf.reshape(update, layer1.kernel.shape))
    assert before.numpy() == pytest.approx(9.93303, rel=1e-5)
    assert loss().numpy() == pytest.approx(3.4579158, rel=1e-3)


def batch_of_seven():
    x = tf.constant(normal(8, 7, 5))
    layer1, layer2 = dense(8, tf.nn.elu, 5, seed=9), dense(6, tf.nn.elu, 8, seed=10)
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = layer2(layer1(x))
    return x, y, tape


def test_a_full_jacobian_of_a_batch_holds_the_batch_twice():
    x, y, tape = batch_of_seven()
    assert y.shape == (7, 6)
    j = tape.jacobian(y, x)
    assert j.shape == (7, 6, 7, 5)
    assert tf.reduce_sum(j, axis=2).shape == (7, 6, 5)
    assert tf.einsum("bxby->bxy", j).shape == (7, 6, 5)


def test_a_batch_jacobian_is_the_diagonal_of_the_full_one_and_its_sum():
    x, y, tape = batch_of_seven()
    j, jb = tape.jacobian(y, x), tape.batch_jacobian(y, x)
    assert jb.shape == (7, 6, 5)
    assert tf.reduce_max(abs(jb - tf.reduce_sum(j, axis=2))).numpy() < 1e-3
    assert tf.reduce_max(abs(jb - tf.einsum("bxby->bxy", j))).numpy() < 1e-3
    first = [0.8626371, -0.2582047, 2.659102, 1.0524883, -3.4894397]
    np.testing.assert_allclose(jb[0, 0], first, rtol=1e-4)
    last = [-0.39445546, 0.5345132, -1.4499613, -0.9567895, 1.0187527]
    np.testing.assert_allclose(jb[0, 5], last, rtol=1e-4)


def test_batch_normalisation_fills_the_blocks_off_the_diagonal():
    x = tf.constant(normal(11, 4, 3))
    layer1, layer2 = dense(5, tf.nn.elu, 3, seed=12), dense(2, tf.nn.elu, 5, seed=13)
    normalise = tf.keras.layers.BatchNormalization()
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = layer2(normalise(layer1(x), training=True))
    j, jb = tape.jacobian(y, x), tape.batch_jacobian(y, x)
    assert j.shape == (4, 2, 4, 3)
    assert jb.shape == (4, 2, 3)
    assert tf.reduce_max(abs(j[0, :, 1])).numpy() > 1e-4
