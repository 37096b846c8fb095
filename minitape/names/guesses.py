"""Names that one guesses in `tf`, from NumPy, PyTorch or JAX, and the line to write instead.

The one fact to know: a test runs every line, with a vector `x` and a tape of `y = x * x`.
"""

INSTEAD: dict[str, str] = {
    "sum": "tf.reduce_sum(x)",
    "mean": "tf.reduce_mean(x)",
    "max": "tf.reduce_max(x)",
    "min": "tf.reduce_min(x)",
    "prod": "tf.reduce_prod(x)",
    "dot": "tf.tensordot(x, x, 1)",
    "array": "tf.constant([1.0, 2.0])",
    "arange": "tf.range(3)",
    "relu": "tf.nn.relu(x)",
    "softmax": "tf.nn.softmax(x)",
    "cat": "tf.concat([x, x], 0)",
    "concatenate": "tf.concat([x, x], 0)",
    "grad": "tape.gradient(y, x)",
    "mse": "tf.reduce_mean((x - 1.0) ** 2)",
}
