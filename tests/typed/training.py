"""A training loop as users write it: a Keras model, a module, an optimizer, metrics."""

from collections.abc import Iterator

import numpy as np

import minitape as tf


class Dense(tf.Module):
    """One layer, as in the guide."""

    def __init__(self, inputs: int, outputs: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([inputs, outputs]), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(x @ self.w + self.b)


class Scale(tf.keras.layers.Layer):
    """A Keras layer of one's own, with names of its own."""

    def build(self, input_shape: tuple[int, ...]) -> None:
        self.factor = self.add_weight(shape=(input_shape[-1],), initializer="ones")

    def call(self, x: tf.Tensor, training: bool = False) -> tf.Tensor:
        return x * self.factor if training else x


class Net(tf.keras.Model):
    """A subclassed model."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = tf.keras.layers.Dense(4, activation="tanh")
        self.scale = Scale()

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        hidden: tf.Tensor = self.hidden(inputs)
        scaled: tf.Tensor = self.scale(hidden)
        return scaled


def batches(x: np.ndarray, y: np.ndarray) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    """Batches of two examples."""
    for i in range(0, len(x), 2):
        yield tf.constant(x[i : i + 2]), tf.constant(y[i : i + 2])


def train() -> float:
    """Some steps with Keras."""
    tf.random.set_seed(1)
    x = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    y = x.sum(axis=1, keepdims=True)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), Net()])
    optimizer = tf.keras.optimizers.Adam(learning_rate=0.01)
    loss_of = tf.keras.losses.MeanSquaredError()
    seen = tf.keras.metrics.Mean(name="loss")
    loss = tf.constant(0.0)
    for _ in range(2):
        for inputs, labels in batches(x, y):
            with tf.GradientTape() as tape:
                predicted = model(inputs, training=True)
                loss = loss_of(labels, predicted)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            seen.update_state(loss)
    print(f"{seen.name}: {float(seen.result()):.3f}", model.count_params())
    return float(loss)


def train_by_hand() -> list[float]:
    """The same without Keras."""
    layer = Dense(3, 1)
    x = tf.random.normal((5, 3), seed=1)
    losses: list[float] = []
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean(tf.square(layer(x) - 1.0))
        dw, db = tape.gradient(loss, [layer.w, layer.b])
        layer.w.assign_sub(0.1 * dw)
        layer.b.assign_sub(0.1 * db)
        for variable in layer.trainable_variables:
            assert variable.name.endswith(":0")
        losses.append(float(loss))
    return losses


if __name__ == "__main__":
    train()
    train_by_hand()
