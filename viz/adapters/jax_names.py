"""Which op of minitape an equation of JAX is the namesake of."""

from __future__ import annotations

import math
from typing import Any

import minitape as tf

from ..jaxprs.equations import op_name
from ..trace.facts import primitive_called
from .namesakes import Call, elementwise_op


def call_of(equation: Any) -> Call | None:
    """Minitape's op of the same meaning, with the equation's parameters."""
    name, params = equation.primitive.name, equation.params
    if name == "dot_general":
        return _product(params["dimension_numbers"], equation.invars)
    if name.startswith("custom_"):
        return elementwise_op(op_name(equation), len(equation.invars))
    moved = _moved(name, params, equation)
    if moved is not None:
        return moved
    found = primitive_called(name, len(equation.invars))
    if found is not None and found.op.facts.reduces and "axes" in params:
        axes = list(params["axes"])
        return lambda x: found.public(x, axis=axes)
    return elementwise_op(name, len(equation.invars))


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
