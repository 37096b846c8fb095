"""Which op of minitape a node of PyTorch's graph is the namesake of."""

from __future__ import annotations

import re
from typing import Any

import minitape as tf

from .namesakes import Call

SAME: dict[str, Call] = {
    "Add": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "Div": tf.divide, "Neg": tf.negative,
    "Mm": tf.matmul, "Bmm": tf.matmul, "Exp": tf.exp, "Log": tf.math.log, "Tanh": tf.tanh,
    "Relu": tf.nn.relu, "Sigmoid": tf.sigmoid, "Sin": tf.sin, "Cos": tf.cos, "Sqrt": tf.sqrt,
    "Rsqrt": tf.math.rsqrt, "Abs": tf.abs, "Maximum": tf.maximum, "Minimum": tf.minimum,
    "T": tf.transpose, "Erf": tf.math.erf,
}  # fmt: skip


def op_name(name: str) -> str:
    """What the op is called: "mul" for "MulBackward0".

    Example:
        >>> op_name("MulBackward0"), op_name("NativeLayerNormBackward0")
        ('mul', 'native_layer_norm')
    """
    base = re.sub(r"Backward\d*$", "", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", base).lower() or name


def call_of(function: Any) -> Call | None:
    """Minitape's op of the same meaning, with the attributes that PyTorch's node has saved."""
    base = re.sub(r"Backward\d*$", "", function.name())
    if base == "Pow" and isinstance(function._saved_exponent, int | float):
        exponent = float(function._saved_exponent)
        return lambda x: tf.pow(x, exponent)
    if base in ("Sum", "Mean"):
        call = tf.reduce_sum if base == "Sum" else tf.reduce_mean
        if not hasattr(function, "_saved_dim"):
            return lambda x: call(x)
    if base == "Softmax":
        return lambda x: tf.nn.softmax(x, axis=_axis(function._saved_dim))
    if base == "LogSoftmax":
        return lambda x: tf.nn.log_softmax(x, axis=_axis(function._saved_dim))
    return SAME.get(base)


def _axis(saved: int) -> int:
    """A saved axis as a signed number; PyTorch keeps -1 as an unsigned one."""
    return saved - 2**64 if saved >= 2**63 else saved
