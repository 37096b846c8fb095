"""Which op of minitape an op of TensorFlow's graphs is the namesake of."""

from __future__ import annotations

import minitape as tf

from .namesakes import Call

PASSED_ON = ("Identity", "ReadVariableOp")  # the same value, one name more

SAME: dict[str, Call] = {
    "Add": tf.add, "AddV2": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "RealDiv": tf.divide,
    "Neg": tf.negative, "MatMul": tf.matmul, "Exp": tf.exp, "Log": tf.math.log, "Tanh": tf.tanh,
    "Relu": tf.nn.relu, "Sigmoid": tf.sigmoid, "Sin": tf.sin, "Cos": tf.cos, "Sqrt": tf.sqrt,
    "Rsqrt": tf.math.rsqrt, "Square": tf.square, "Abs": tf.abs, "Maximum": tf.maximum,
    "Minimum": tf.minimum, "Softmax": tf.nn.softmax, "LogSoftmax": tf.nn.log_softmax,
    "Pow": tf.pow,
}  # fmt: skip


def call_of(name: str) -> Call | None:
    """Minitape's op of the same meaning.

    Example:
        >>> call_of("AddV2").__name__, call_of("Conv2D")
        ('add', None)
    """
    return SAME.get(name)
