"""The autodiff guides' examples, and what users write around them."""

import numpy as np

import minitape as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
dy_dx = tape.gradient(y, x)
print(dy_dx.numpy(), float(dy_dx))

w = tf.Variable(tf.random.normal((3, 2)), name="w")
b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
inputs = [[1.0, 2.0, 3.0]]
with tf.GradientTape(persistent=True) as tape:
    out = inputs @ w + b
    loss = tf.reduce_mean(out**2)
dl_dw, dl_db = tape.gradient(loss, [w, b])
print(w.shape, dl_dw.shape, w.shape[0] * 2, dl_db.dtype.name)
named = tape.gradient(loss, {"w": w, "b": b})
print(named["b"], [variable.name for variable in tape.watched_variables()])
del tape

x0 = tf.Variable(3.0, name="x0")
x1 = tf.Variable(3.0, name="x1", trainable=False)
x2 = tf.Variable(2.0, name="x2") + 1.0
x3 = tf.constant(3.0, name="x3")
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch([x0, x3])
    y = (x0**2) + (x1**2) + (x2**2)
    with tape.stop_recording():
        y = y + tf.stop_gradient(x3)
grad = tape.gradient(y, [x0, x1, x2, x3])
for each in grad:
    if each is None:
        print("None")
    elif isinstance(each, tf.IndexedSlices):
        print(each.indices, each.values)
    else:
        print(each.numpy())

value = tf.constant(1.0)
with tf.GradientTape() as t2:
    t2.watch(value)
    with tf.GradientTape() as t1:
        t1.watch(value)
        result = 1.0 - value
        if value > 0.0:
            result = value * value
    slope = t1.gradient(result, value, unconnected_gradients=tf.UnconnectedGradients.ZERO)
bend = t2.gradient(slope, value, unconnected_gradients="zero")
assert bend is not None

points = tf.linspace(-10.0, 10.0, 5)
with tf.GradientTape() as tape:
    tape.watch(points)
    curve = tf.nn.sigmoid(points)
jacobian = tape.jacobian(curve, points)
print(jacobian.shape, np.asarray(curve), tf.linalg.diag_part(jacobian).numpy()[0])

batch = tf.random.normal([7, 5])
with tf.GradientTape() as tape:
    tape.watch(batch)
    rows = tf.math.cumsum(batch, axis=1)
print(tape.batch_jacobian(rows, batch).shape)


@tf.custom_gradient
def clipped(z: tf.Tensor) -> "tuple[tf.Tensor, object]":
    """A gradient of one's own."""

    def backward(dz: tf.Tensor) -> tf.Tensor:
        return tf.clip_by_norm(dz, 0.5)

    return tf.identity(z), backward


@tf.function
def power(a: tf.Tensor, n: int = 2) -> tf.Tensor:
    """Traced."""
    return a**n


@tf.function(input_signature=[tf.TensorSpec(shape=[None], dtype=tf.float32)])
def total(a: tf.Tensor) -> tf.Tensor:
    """Traced for one signature."""
    return tf.reduce_sum(a)


print(clipped(tf.constant(2.0)), power(tf.constant(3.0), n=3), total(tf.constant([1.0, 2.0])))
print(power.get_concrete_function(tf.constant(1.0)))

table = tf.Variable(tf.ones([4, 2]))
with tf.GradientTape() as tape:
    chosen = tf.gather(table, [0, 2])
slices = tape.gradient(chosen, table)
print(slices.indices, slices.values, tf.convert_to_tensor(slices))
table[0].assign([5.0, 6.0])
table.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3])))

ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
with tf.GradientTape() as tape:
    tape.watch(ragged)
    squares = ragged * ragged
print(tape.gradient(squares, ragged).to_list(), tf.sin(ragged).row_lengths(), ragged[0])
print((1.0 - ragged).to_tensor(), tf.concat([ragged, ragged], axis=0).to_list())

with tf.autodiff.ForwardAccumulator(primals=x0, tangents=tf.constant(1.0)) as accumulator:
    pushed = tf.math.exp(x0)
print(accumulator.jvp(pushed))

a, n = tf.constant([1.0, 2.0]), tf.constant(3)
print(
    a + 1, 1 - a, 2.0 * a, a / 2, 7 // n, n % 2, 2**n, -a, abs(a), a == 1.0, a != a, a >= 1, a < 3
)
print(a[0], a[..., tf.newaxis], a[1:], a[::-1], ~(a > 1.0) & (a < 2.0), [a] @ tf.transpose([a]))
print(a + np.ones(2, np.float32), np.float32(2.0) * a, [1.0, 2.0] * a, len(a), list(a), range(n))
print(tf.math.argmax(a), int(n), bool(n > 2), complex(a[0]), a.dtype == tf.float32, f"{a[0]:.2f}")
print(tf.add(a, 1.0), tf.reduce_max(a, axis=0, keepdims=True), tf.cast(n, tf.float64), a.ref())
print(tf.nest.map_structure(lambda t: t + 1.0, {"a": a}), tf.nest.flatten([a, (n,)]))
print(
    tf.cond(n > 2, lambda: a, lambda: -a),
    tf.map_fn(lambda t: t * t, a),
    tf.vectorized_map(tf.square, a),
)
print(tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (tf.constant(0),)))
q, r = tf.linalg.qr(tf.eye(2))
s, u, v = tf.linalg.svd(tf.eye(2))
parts = tf.split(a, 2)
print(
    q, r, s, u, v, parts[0], tf.stack([a, a]), tf.unstack(a)[0], tf.zeros_like(a), tf.one_hot(n, 4)
)
try:
    tf.debugging.assert_equal(a, 2.0)
except tf.errors.InvalidArgumentError as error:
    print(error.message)
with tf.Graph().as_default():
    placeholder = tf.compat.v1.placeholder(tf.float32, [])
    derivative = tf.compat.v1.gradients(tf.square(placeholder), placeholder)[0]
    with tf.compat.v1.Session() as session:
        print(session.run(derivative, {placeholder: 3.0}))
