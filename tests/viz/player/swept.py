"""Tapes of many kinds, as lectures and lessons have them, for a sweep over the player."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minitape as tf
from minitape import viz

Draw = Callable[..., Any]
KINDS: dict[str, Callable[[], Any]] = {}


def kind(program: Callable[[Draw], Any]) -> Callable[[Draw], Any]:
    """Keep a program under its name; each is given its own numbers."""
    name = program.__name__.replace("_", " ")

    def recorded() -> Any:
        rng = np.random.default_rng(len(name))
        return program(lambda *shape: rng.normal(size=shape).astype("float32"))

    KINDS[name] = recorded
    return program


def variables(draw: Draw, *shapes: tuple[int, ...]) -> list[Any]:
    return [tf.Variable(draw(*shape) * 0.5) for shape in shapes]


@kind
def rnn(draw: Draw) -> Any:
    Wx, Wh, b = variables(draw, (3, 4), (4, 4), (4,))
    steps = [tf.constant(draw(2, 3)) for _ in range(10)]
    with viz.recording(), tf.GradientTape() as tape:
        state = tf.zeros([2, 4])
        for x in steps:
            state = tf.tanh(x @ Wx + state @ Wh + b)
        loss = tf.reduce_sum(tf.square(state))
    return viz.step(tape, loss, [Wx, Wh, b])


@kind
def mlp_of_12_layers(draw: Draw) -> Any:
    layers = [variables(draw, (6, 6), (6,)) for _ in range(12)]
    x = tf.constant(draw(4, 6))
    with viz.recording(), tf.GradientTape() as tape:
        h = x
        for W, b in layers:
            h = tf.tanh(h @ W + b)
        loss = tf.reduce_mean(tf.square(h))
    return viz.step(tape, loss, [v for layer in layers for v in layer])


@kind
def lstm(draw: Draw) -> Any:
    W, U, b = variables(draw, (3, 16), (4, 16), (16,))
    steps = [tf.constant(draw(2, 3)) for _ in range(6)]
    with viz.recording(), tf.GradientTape() as tape:
        h = c = tf.zeros([2, 4])
        for x in steps:
            i, f, o, g = tf.split(x @ W + h @ U + b, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        loss = tf.reduce_sum(tf.square(h))
    return viz.step(tape, loss, [W, U, b])


@kind
def gru(draw: Draw) -> Any:
    Wz, Wr, Wh = variables(draw, (7, 4), (7, 4), (7, 4))
    steps = [tf.constant(draw(2, 3)) for _ in range(5)]
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.zeros([2, 4])
        for x in steps:
            both = tf.concat([x, h], 1)
            z, r = tf.sigmoid(both @ Wz), tf.sigmoid(both @ Wr)
            new = tf.tanh(tf.concat([x, r * h], 1) @ Wh)
            h = (1.0 - z) * h + z * new
        loss = tf.reduce_mean(h)
    return viz.step(tape, loss, [Wz, Wr, Wh])


def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    mean = tf.reduce_mean(x, axis=-1, keepdims=True)
    variance = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
    return (x - mean) / tf.sqrt(variance + 1e-5) * gamma + beta


def attention(x: Any, *weights: Any) -> Any:
    query, key, value = (x @ each for each in weights)
    scores = tf.matmul(query, key, transpose_b=True) / 2.0
    return tf.nn.softmax(scores) @ value


@kind
def transformer_of_3_blocks(draw: Draw) -> Any:
    shapes = [(4,), (4,), (4, 4), (4, 4), (4, 4), (4,), (4,), (4, 8), (8, 4)]
    blocks = [variables(draw, *shapes) for _ in range(3)]
    tokens = tf.constant(draw(5, 4))
    with viz.recording(), tf.GradientTape() as tape:
        x = tokens
        for g1, b1, Wq, Wk, Wv, g2, b2, W1, W2 in blocks:
            x = x + attention(layer_norm(x, g1, b1), Wq, Wk, Wv)
            x = x + tf.nn.relu(layer_norm(x, g2, b2) @ W1) @ W2
        loss = tf.reduce_mean(tf.square(x))
    return viz.step(tape, loss, [v for block in blocks for v in block])


@kind
def transformer_block(draw: Draw) -> Any:
    Wq, Wk, Wv, W1, W2 = variables(draw, (4, 4), (4, 4), (4, 4), (4, 8), (8, 4))
    gamma, beta = variables(draw, (4,), (4,))
    x = tf.constant(draw(5, 4))
    with viz.recording(), tf.GradientTape() as tape:
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
        normal = (x - mean) * tf.math.rsqrt(variance + 1e-5) * gamma + beta
        query, key, value = normal @ Wq, normal @ Wk, normal @ Wv
        raised = tf.exp(tf.matmul(query, key, transpose_b=True) / 2.0)
        weights = raised / tf.reduce_sum(raised, axis=-1, keepdims=True)
        x = x + weights @ value
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        normal = tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-5)
        x = x + tf.nn.gelu(normal @ W1) @ W2
        loss = tf.reduce_mean(tf.square(x))
    return viz.step(tape, loss, [Wq, Wk, Wv, W1, W2, gamma, beta])


@kind
def convnet(draw: Draw) -> Any:
    k1, k2, w = variables(draw, (3, 3, 3, 4), (3, 3, 4, 4), (16, 3))
    images, labels = tf.constant(draw(2, 8, 8, 3)), tf.constant([0, 2])
    with viz.recording(), tf.GradientTape() as tape:
        maps = tf.nn.relu(tf.nn.conv2d(images, k1, 1, "SAME"))
        maps = tf.nn.max_pool2d(maps, 2, 2, "VALID")
        maps = tf.nn.relu(tf.nn.conv2d(maps, k2, 1, "SAME"))
        pooled = tf.nn.max_pool2d(maps, 2, 2, "VALID")
        logits = tf.reshape(pooled, [2, 16]) @ w
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return viz.step(tape, loss, [k1, k2, w])


@kind
def vae(draw: Draw) -> Any:
    We, Wm, Ws, Wd, Wo = variables(draw, (6, 5), (5, 2), (5, 2), (2, 5), (5, 6))
    x, noise = tf.constant(draw(4, 6)), tf.constant(draw(4, 2))
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.nn.relu(x @ We)
        mean, log_var = h @ Wm, h @ Ws
        z = mean + tf.exp(0.5 * log_var) * noise
        out = tf.nn.relu(z @ Wd) @ Wo
        fit = tf.reduce_sum(tf.square(out - x), axis=1)
        divergence = -0.5 * tf.reduce_sum(1 + log_var - mean**2 - tf.exp(log_var), axis=1)
        loss = tf.reduce_mean(fit + divergence)
    return viz.step(tape, loss, [We, Wm, Ws, Wd, Wo])


@kind
def gan_step(draw: Draw) -> Any:
    G1, G2, D1, D2 = variables(draw, (2, 5), (5, 3), (3, 5), (5, 1))
    z, real = tf.constant(draw(4, 2)), tf.constant(draw(4, 3))

    def judged(x: Any) -> Any:
        return tf.nn.leaky_relu(x @ D1) @ D2

    with viz.recording(), tf.GradientTape() as tape:
        fake = tf.tanh(tf.nn.relu(z @ G1) @ G2)
        true_loss = tf.nn.sigmoid_cross_entropy_with_logits(tf.ones([4, 1]), judged(real))
        fake_loss = tf.nn.sigmoid_cross_entropy_with_logits(tf.zeros([4, 1]), judged(fake))
        loss = tf.reduce_mean(true_loss + fake_loss)
    return viz.step(tape, loss, [D1, D2, G1, G2])


@kind
def u_net(draw: Draw) -> Any:
    kernels = variables(draw, (3, 3, 1, 2), (3, 3, 2, 4), (3, 3, 4, 4), (3, 3, 6, 2), (1, 1, 2, 1))
    image, mask = tf.constant(draw(1, 8, 8, 1)), tf.constant(np.zeros((1, 8, 8, 1), "float32"))
    with viz.recording(), tf.GradientTape() as tape:
        first = tf.nn.relu(tf.nn.conv2d(image, kernels[0], 1, "SAME"))
        down = tf.nn.max_pool2d(first, 2, 2, "VALID")
        middle = tf.nn.relu(tf.nn.conv2d(down, kernels[1], 1, "SAME"))
        middle = tf.nn.relu(tf.nn.conv2d(middle, kernels[2], 1, "SAME"))
        up = tf.repeat(tf.repeat(middle, 2, axis=1), 2, axis=2)
        joined = tf.concat([first, up], axis=3)
        last = tf.nn.relu(tf.nn.conv2d(joined, kernels[3], 1, "SAME"))
        logits = tf.nn.conv2d(last, kernels[4], 1, "SAME")
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(mask, logits))
    return viz.step(tape, loss, kernels)


@kind
def siamese(draw: Draw) -> Any:
    W1, W2 = variables(draw, (5, 4), (4, 2))
    left, right = tf.constant(draw(3, 5)), tf.constant(draw(3, 5))

    def embed(x: Any) -> Any:
        return tf.nn.l2_normalize(tf.nn.relu(x @ W1) @ W2, axis=1)

    with viz.recording(), tf.GradientTape() as tape:
        far = tf.reduce_sum(tf.square(embed(left) - embed(right)), axis=1)
        loss = tf.reduce_mean(tf.maximum(1.0 - far, 0.0))
    return viz.step(tape, loss, [W1, W2])


@kind
def resnet(draw: Draw) -> Any:
    blocks = [variables(draw, (3, 3, 2, 2), (3, 3, 2, 2), (2,), (2,)) for _ in range(5)]
    stem, w = variables(draw, (3, 3, 1, 2), (2, 3))
    image = tf.constant(draw(2, 6, 6, 1))
    with viz.recording(), tf.GradientTape() as tape:
        x = tf.nn.conv2d(image, stem, 1, "SAME")
        for k1, k2, gamma, beta in blocks:
            mean, variance = tf.nn.moments(x, [0, 1, 2])
            normal = tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-3)
            inner = tf.nn.relu(tf.nn.conv2d(normal, k1, 1, "SAME"))
            x = x + tf.nn.conv2d(inner, k2, 1, "SAME")
        logits = tf.reduce_mean(x, axis=[1, 2]) @ w
        loss = tf.reduce_mean(tf.square(logits))
    return viz.step(tape, loss, [stem, w, *(v for block in blocks for v in block)])


@kind
def autoencoder(draw: Draw) -> Any:
    weights = variables(draw, (8, 6), (6, 3), (3, 6), (6, 8))
    x = tf.constant(draw(4, 8))
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.tanh(x @ weights[0])
        code = tf.tanh(h @ weights[1])
        h = tf.tanh(code @ weights[2])
        out = h @ weights[3]
        loss = tf.reduce_mean(tf.square(out - x))
    return viz.step(tape, loss, weights)


@kind
def physics_of_100_steps(draw: Draw) -> Any:
    speed, drag = tf.Variable(2.0), tf.Variable(0.1)
    with viz.recording(), tf.GradientTape() as tape:
        place, velocity = tf.constant(0.0), speed
        for _ in range(100):
            velocity = velocity - (9.81 + drag * velocity) * 0.01
            place = place + velocity * 0.01
        loss = tf.square(place - 1.0)
    return viz.step(tape, loss, [speed, drag])


@kind
def newton(draw: Draw) -> Any:
    a = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        x = tf.constant(1.0)
        for _ in range(5):
            x = 0.5 * (x + a / x)
        loss = x
    return viz.step(tape, loss, a)


@kind
def second_derivatives(draw: Draw) -> Any:
    x = tf.Variable(1.5)
    with viz.recording(), tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3.0 + tf.sin(x) * tf.exp(x)
        slope = inner.gradient(y, x)
        loss = tf.square(slope)
    return viz.step(outer, loss, x)


@kind
def second_derivatives_of_slices(draw: Draw) -> Any:
    x = tf.Variable(draw(6))
    with viz.recording(), tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum((x[1:] - x[:-1]) ** 3.0 + tf.nn.elu(x[2]))
        slope = inner.gradient(y, x)
        loss = tf.reduce_sum(tf.square(slope))
    return viz.step(outer, loss, x)


@kind
def function_with_cond_and_while(draw: Draw) -> Any:
    w = tf.Variable(1.5)

    @tf.function
    def program(x: Any) -> Any:
        y = tf.cond(x > 1.0, lambda: x * w, lambda: x - w)
        return tf.while_loop(lambda v: v < 20.0, lambda v: (v * 2.0,), [y])[0]

    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.square(program(w * 1.0))
    return viz.step(tape, loss, w)


@kind
def keras_model(draw: Draw) -> Any:
    layers = tf.keras.layers
    inputs = tf.keras.Input([6])
    x = layers.Dense(5, activation="relu", name="first")(inputs)
    x = layers.LayerNormalization(name="norm")(x)
    x = layers.Add()([layers.Dense(5, activation="tanh", name="second")(x), x])
    x = layers.BatchNormalization(name="batch")(x)
    model = tf.keras.Model(inputs, layers.Dense(3, name="last")(x))
    data, labels = tf.constant(draw(4, 6)), tf.constant([0, 1, 2, 1])
    with viz.recording(), tf.GradientTape() as tape:
        logits = model(data, training=True)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return viz.step(tape, loss, model.trainable_variables)


@kind
def custom_gradient(draw: Draw) -> Any:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return tf.identity(x), lambda g: tf.clip_by_value(g, -0.1, 0.1)

    w, x = tf.Variable(draw(3, 2)), tf.constant(draw(4, 3))
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(clipped(x @ w)))
    return viz.step(tape, loss, w)


@kind
def embedding_bag(draw: Draw) -> Any:
    table, w = variables(draw, (12, 4), (4, 3))
    words, labels = tf.constant([[3, 1, 3], [5, 0, 11]]), tf.constant([1, 2])
    with viz.recording(), tf.GradientTape() as tape:
        bags = tf.reduce_mean(tf.gather(table, words), axis=1)
        logits = bags @ w
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return viz.step(tape, loss, [table, w])


@kind
def chain_of_1000_ops(draw: Draw) -> Any:
    x = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        y = x
        for _ in range(1000):
            y = tf.sin(y)
    return viz.step(tape, y, x)


@kind
def deep_mlp_of_40_layers(draw: Draw) -> Any:
    layers = [variables(draw, (4, 4)) for _ in range(40)]
    x = tf.constant(draw(2, 4))
    with viz.recording(), tf.GradientTape() as tape:
        h = x
        for (W,) in layers:
            h = tf.nn.relu(h @ W)
        loss = tf.reduce_sum(h)
    return viz.step(tape, loss, [W for (W,) in layers])


@kind
def mlp_by_hand(draw: Draw) -> Any:
    W1, b1, W2, b2, W3, b3 = variables(draw, (3, 5), (5,), (5, 5), (5,), (5, 1), (1,))
    x, y = tf.constant(draw(4, 3)), tf.constant(draw(4, 1))
    with viz.recording(), tf.GradientTape() as tape:
        h1 = tf.nn.relu(x @ W1 + b1)
        h2 = tf.nn.relu(h1 @ W2 + b2)
        out = h2 @ W3 + b3
        loss = tf.reduce_mean(tf.square(out - y))
    return viz.step(tape, loss, [W1, b1, W2, b2, W3, b3])


@kind
def logistic_unit(draw: Draw) -> Any:
    w, b = tf.Variable(-0.6), tf.Variable(0.4)
    with viz.recording(), tf.GradientTape() as tape:
        p = tf.sigmoid(w * 2.0 + b)
        loss = tf.square(p - 1.0) + 0.1 * tf.square(w)
    return viz.step(tape, loss, [w, b])


@kind
def heads(draw: Draw) -> Any:
    """Multi-head attention with einsum, a mask and a sum over heads."""
    Wq, Wk, Wv, Wo = variables(draw, (4, 2, 3), (4, 2, 3), (4, 2, 3), (2, 3, 4))
    x = tf.constant(draw(2, 5, 4))
    mask = tf.constant(np.triu(np.full((5, 5), -1e9, "float32"), 1))
    with viz.recording(), tf.GradientTape() as tape:
        q = tf.einsum("bnd,dhk->bhnk", x, Wq)
        k = tf.einsum("bnd,dhk->bhnk", x, Wk)
        v = tf.einsum("bnd,dhk->bhnk", x, Wv)
        scores = tf.einsum("bhnk,bhmk->bhnm", q, k) / np.sqrt(3.0) + mask
        mixed = tf.einsum("bhnm,bhmk->bhnk", tf.nn.softmax(scores), v)
        out = tf.einsum("bhnk,hkd->bnd", mixed, Wo)
        loss = tf.reduce_mean(tf.square(out))
    return viz.step(tape, loss, [Wq, Wk, Wv, Wo])


@kind
def none_by_numpy(draw: Draw) -> Any:
    x = tf.Variable(draw(3))
    with viz.recording(), tf.GradientTape() as tape:
        scaled = x * 0.5
        squares = tf.constant(np.square(scaled.numpy()))
        loss = tf.reduce_sum(squares)
    return viz.step(tape, loss, x)


@kind
def wide_sum_of_20_terms(draw: Draw) -> Any:
    ws = [tf.Variable(float(i)) for i in range(20)]
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.add_n([w * w for w in ws])
    return viz.step(tape, loss, ws)
