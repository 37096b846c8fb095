"""Which op of minitape an equation of JAX is the namesake of."""

from __future__ import annotations

from typing import Any

import minitape as tf

from .namesakes import Call

SAME: dict[str, Call] = {
    "add": tf.add, "add_any": tf.add, "sub": tf.subtract, "mul": tf.multiply, "div": tf.divide,
    "neg": tf.negative, "exp": tf.exp, "log": tf.math.log, "tanh": tf.tanh, "sin": tf.sin,
    "cos": tf.cos, "sqrt": tf.sqrt, "rsqrt": tf.math.rsqrt, "logistic": tf.sigmoid, "abs": tf.abs,
    "max": tf.maximum, "min": tf.minimum, "pow": tf.pow, "square": tf.square, "relu": tf.nn.relu,
    "erf": tf.math.erf,
}  # fmt: skip


def call_of(equation: Any) -> Call | None:
    """Minitape's op of the same meaning, with the equation's parameters."""
    name, params = equation.primitive.name, equation.params
    if name == "integer_pow":
        exponent = float(params["y"])
        return lambda x: tf.pow(x, exponent)
    if name == "reduce_sum":
        return lambda x: tf.reduce_sum(x, axis=list(params["axes"]))
    if name == "transpose":
        return lambda x: tf.transpose(x, list(params["permutation"]))
    if name == "dot_general" and params["dimension_numbers"] == (((1,), (0,)), ((), ())):
        return tf.matmul
    if name.startswith("custom_"):
        return SAME.get(str(params.get("name")))
    return SAME.get(name)
