"""Functions with precise annotations: what ops, tapes, layers and decorators give fits them."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import minitape as tf
from minitape import keras
from minitape.keras import layers, losses, optimizers

Floats = npt.NDArray[np.float32]


def slope(f: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> tf.Tensor:
    """The gradient of one function in one place."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def slopes(y: tf.Tensor, xs: list[tf.Variable], tape: tf.GradientTape) -> list[tf.Tensor]:
    """Several gradients."""
    return tape.gradient(y, xs)


def curvature(f: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> tf.Tensor:
    """The second derivative, by a tape within a tape."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        dx = slope(f, x)
    return outer.jacobian(dx, x)


def checked(variables: list[tf.Variable], tape: tf.GradientTape, loss: tf.Tensor) -> None:
    """Gradients with those left out that are None."""
    grads = tape.gradient(loss, variables)
    pairs = [(g, v) for g, v in zip(grads, variables, strict=True) if g is not None]
    clipped, norm = tf.clip_by_global_norm([g for g, _ in pairs], 1.0)
    optimizers.SGD(0.1).apply_gradients(zip(clipped, variables, strict=True))
    print(float(norm))


class Block(tf.Module):
    """Layers in a module, with a traced method."""

    def __init__(self) -> None:
        super().__init__("block")
        self.dense = layers.Dense(2, activation="relu")
        self.scale = tf.Variable(2.0)

    @tf.function
    def __call__(self, x: tf.Tensor, times: int = 1) -> tf.Tensor:
        for _ in range(times):
            x = self.dense(x) * self.scale
        return x

    @tf.function(autograph=False)
    def doubled(self, x: tf.Tensor) -> tf.Tensor:
        return self(x) * 2.0


class Mean(keras.layers.Layer):
    """A layer that returns what another gave."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.inner = layers.Dense(units)

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        return self.inner(inputs)


class Offset(losses.Loss):
    """A loss of one's own."""

    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)


class Halved(tf.keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate of one's own."""

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        return 0.1 / (1.0 + tf.cast(step, tf.float32))


@tf.custom_gradient
def scaled(x: tf.Tensor, factor: float = 1.0) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    """An argument that has no gradient."""

    def grad(upstream: tf.Tensor) -> tf.Tensor:
        return upstream * factor

    return x * factor, grad


class Steps:
    """A custom gradient as a method, with the gradients of variables."""

    def __init__(self) -> None:
        self.w = tf.Variable(2.0)

    @tf.custom_gradient
    def apply(self, x: tf.Tensor) -> tuple[tf.Tensor, Callable[..., object]]:
        """Calls."""

        def grad(dy: tf.Tensor, variables: list[tf.Variable] | None = None) -> object:
            return dy * self.w, [dy * x for _ in variables or []]

        return self.w * x, grad


@tf.recompute_grad
def heavy(x: tf.Tensor) -> tf.Tensor:
    """Computed twice."""
    return tf.exp(tf.sin(x))


def branches(x: tf.Tensor) -> tf.Tensor:
    """Branches and loops."""
    y = tf.cond(x > 0.0, lambda: x, lambda: tf.zeros_like(x))
    i, total = tf.while_loop(
        lambda i, total: i < 3, lambda i, total: (i + 1, total + y), (tf.constant(0), y)
    )
    assert int(i) == 3
    folded = tf.foldl(lambda a, b: a + b, tf.stack([total, total]))
    return tf.switch_case(tf.constant(0), [lambda: folded, lambda: -folded])


def as_array(x: tf.Tensor | tf.Variable) -> Floats:
    """NumPy's side."""
    return x.numpy().astype(np.float32)


def as_number(x: tf.Tensor) -> float:
    """Python's side."""
    return round(float(x), 3) + float(x.numpy())


def lengths(rows: tf.RaggedTensor) -> tf.Tensor:
    """Ragged rows."""
    return rows.row_lengths()


def doubled_rows(rows: tf.RaggedTensor) -> tf.RaggedTensor:
    """Ragged in, ragged out."""
    return tf.square(rows) * 2.0 + rows


def rows_of(table: tf.Variable, tape: tf.GradientTape, y: tf.Tensor) -> tf.IndexedSlices:
    """A sparse gradient."""
    grad = tape.gradient(y, table)
    assert isinstance(grad, tf.IndexedSlices)
    return grad


def collect(count: int) -> tf.Tensor:
    """A list of tensors."""
    array = tf.TensorArray(tf.float32, size=count)
    for i in range(count):
        array = array.write(i, float(i))
    return array.stack()


def main() -> None:
    """Runs all of it."""
    x = tf.constant(1.5)
    print(
        slope(tf.sin, x), curvature(lambda t: t**3, x), heavy(x), branches(x), scaled(x, factor=2.0)
    )
    steps = Steps()
    with tf.GradientTape(persistent=True) as tape:
        y = steps.apply(x) * steps.w
        looked_up = tf.gather(tf.Variable([[1.0], [2.0]]), [0])
    print(slopes(y, [steps.w], tape), looked_up.shape.as_list())
    checked([steps.w], tape, y)
    block = Block()
    print(block(tf.ones([1, 3])), block(tf.ones([1, 3]), times=1), block.doubled(tf.ones([1, 3])))
    print([v.name for v in block.trainable_variables], Mean(2)(tf.ones([1, 2])).shape[0])
    print(
        Offset()(tf.ones([1, 1]), tf.zeros([1, 1])),
        Halved()(tf.constant(1)),
        as_array(x),
        as_number(x),
    )
    rows = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 1])
    print(lengths(rows), doubled_rows(rows).to_list(), collect(3))
    print(tf.constant("abc").numpy().decode(), tf.strings.length(["a", "bc"]))
    print(tf.autodiff.gradients_function(lambda a, b: a * b)(x, x))
    print([each.dtype for each in tf.autodiff.make_vjp(tf.sin)(x)[1](tf.constant(1.0))])
    kernel: tf.Variable = block.dense.kernel
    with tf.GradientTape() as tape:
        loss = tf.nn.l2_loss(kernel)
    optimizer: tf.keras.optimizers.Optimizer = optimizers.Adam(Halved())
    optimizer.apply_gradients([(tape.gradient(loss, kernel), kernel)])


if __name__ == "__main__":
    main()
