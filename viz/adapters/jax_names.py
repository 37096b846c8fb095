"""Which op of minitape an equation of JAX is the namesake of."""

from __future__ import annotations

import math
from typing import Any

import minitape as tf

from ..jaxprs.equations import op_name
from .namesakes import Call

SAME: dict[str, Call] = {
    "add": tf.add, "add_any": tf.add, "sub": tf.subtract, "mul": tf.multiply, "div": tf.divide,
    "neg": tf.negative, "exp": tf.exp, "log": tf.math.log, "tanh": tf.tanh, "sin": tf.sin,
    "cos": tf.cos, "sqrt": tf.sqrt, "rsqrt": tf.math.rsqrt, "logistic": tf.sigmoid, "abs": tf.abs,
    "max": tf.maximum, "min": tf.minimum, "pow": tf.pow, "square": tf.square, "relu": tf.nn.relu,
    "erf": tf.math.erf, "erfc": tf.math.erfc, "log1p": tf.math.log1p, "expm1": tf.math.expm1,
    "tan": tf.tan, "asin": tf.asin, "acos": tf.acos, "atan": tf.atan, "atan2": tf.atan2,
    "sinh": tf.sinh, "cosh": tf.cosh, "silu": tf.nn.silu, "softplus": tf.nn.softplus,
}  # fmt: skip


REDUCTIONS: dict[str, Call] = {
    "reduce_sum": tf.reduce_sum, "reduce_max": tf.reduce_max, "reduce_min": tf.reduce_min,
    "reduce_prod": tf.reduce_prod,
}  # fmt: skip


def call_of(equation: Any) -> Call | None:
    """Minitape's op of the same meaning, with the equation's parameters."""
    name, params = equation.primitive.name, equation.params
    if name in REDUCTIONS:
        call, axes = REDUCTIONS[name], list(params["axes"])
        return lambda x: call(x, axis=axes)
    if name == "dot_general":
        return _product(params["dimension_numbers"], equation.invars)
    if name.startswith("custom_"):
        return SAME.get(op_name(equation))
    return _moved(name, params, equation) or SAME.get(name)


def _product(numbers: Any, operands: Any) -> Call | None:
    """A product of matrices, or any other sum over axes that meet."""
    if numbers == (((1,), (0,)), ((), ())) and [len(v.aval.shape) for v in operands] == [2, 2]:
        return tf.matmul
    ((left, right), (batch_left, batch_right)) = numbers
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    first = [next(letters) for _ in operands[0].aval.shape]
    second = [next(letters) for _ in operands[1].aval.shape]
    for i, j in zip([*left, *batch_left], [*right, *batch_right], strict=True):
        second[j] = first[i]
    batch = [first[i] for i in batch_left]
    rest = [c for i, c in enumerate(first) if i not in (*left, *batch_left)]
    rest += [c for j, c in enumerate(second) if j not in (*right, *batch_right)]
    equation = f"{''.join(first)},{''.join(second)}->{''.join(batch + rest)}"
    return lambda x, y: tf.einsum(equation, x, y)


def _moved(name: str, params: Any, equation: Any) -> Call | None:
    """Ops that put numbers to other places, and those with a setting."""
    shape = list(equation.outvars[0].aval.shape)
    calls: dict[str, Call] = {
        "integer_pow": lambda x: tf.pow(x, float(params["y"])),
        "transpose": lambda x: tf.transpose(x, list(params["permutation"])),
        "reshape": lambda x: tf.reshape(x, shape),
        "squeeze": lambda x: tf.reshape(x, shape),
        "expand_dims": lambda x: tf.reshape(x, shape),
        "broadcast_in_dim": lambda x: _broadcast(x, shape, params["broadcast_dimensions"]),
        "concatenate": lambda *xs: tf.concat(xs, params["dimension"]),
        "select_n": lambda which, no, yes: tf.where(which, yes, no),
        "cumsum": lambda x: tf.cumsum(x, axis=params["axis"], reverse=params["reverse"]),
        "convert_element_type": lambda x: tf.cast(x, str(params["new_dtype"])),
    }
    return calls.get(name)


def _broadcast(x: Any, shape: list[int], places: Any) -> Any:
    """One op where axes are only added, or only stretched."""
    if math.prod(shape) == math.prod(x.shape):
        return tf.reshape(x, shape)
    if list(places) != list(range(len(shape)))[len(shape) - len(x.shape) :]:
        raise ValueError("axes are added in the middle and stretched: two ops in minitape")
    return tf.broadcast_to(x, shape)
