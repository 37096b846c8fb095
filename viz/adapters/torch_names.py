"""Which op of minitape a node of PyTorch's graph is the namesake of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import torch

import minitape as tf

from .namesakes import Call

SAME: dict[str, Call] = {
    "Add": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "Div": tf.divide, "Neg": tf.negative,
    "Mm": tf.matmul, "Bmm": tf.matmul, "Exp": tf.exp, "Log": tf.math.log, "Tanh": tf.tanh,
    "Relu": tf.nn.relu, "Sigmoid": tf.sigmoid, "Sin": tf.sin, "Cos": tf.cos, "Sqrt": tf.sqrt,
    "Rsqrt": tf.math.rsqrt, "Abs": tf.abs, "Maximum": tf.maximum, "Minimum": tf.minimum,
    "T": tf.transpose, "Erf": tf.math.erf, "Erfc": tf.math.erfc, "Log1P": tf.math.log1p,
    "Expm1": tf.math.expm1, "Silu": tf.nn.silu, "Softplus": tf.nn.softplus, "Sinh": tf.sinh,
    "Cosh": tf.cosh, "Tan": tf.tan, "Asin": tf.asin, "Acos": tf.acos, "Atan": tf.atan,
    "Atan2": tf.atan2, "Reciprocal": tf.math.reciprocal, "Mv": tf.linalg.matvec,
}  # fmt: skip

REDUCTIONS: dict[str, Call] = {
    "Sum": tf.reduce_sum, "Mean": tf.reduce_mean, "Prod": tf.reduce_prod, "Amax": tf.reduce_max,
    "Amin": tf.reduce_min, "Logsumexp": tf.reduce_logsumexp,
}  # fmt: skip

# Ops with one axis: from the axis to minitape's op.
ALONG: dict[str, Callable[[int], Call]] = {
    "Softmax": lambda axis: lambda x: tf.nn.softmax(x, axis=axis),
    "LogSoftmax": lambda axis: lambda x: tf.nn.log_softmax(x, axis=axis),
    "Cumsum": lambda axis: lambda x: tf.cumsum(x, axis=axis),
    "Cumprod": lambda axis: lambda x: tf.math.cumprod(x, axis=axis),
    "Cat": lambda axis: lambda *xs: tf.concat(xs, axis),
    "Stack": lambda axis: lambda *xs: tf.stack(xs, axis),
}


def op_name(name: str) -> str:
    """What the op is called: "mul" for "MulBackward0".

    Example:
        >>> op_name("MulBackward0"), op_name("MaxPool2DWithIndicesBackward0")
        ('mul', 'max_pool2d_with_indices')
    """
    base = re.sub(r"(?<=\d)D", "d", re.sub(r"Backward\d*$", "", name).rsplit("::", 1)[-1])
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", base).lower() or name


def call_of(function: Any) -> Call | None:
    """Minitape's op of the same meaning, with the attributes that PyTorch's node has saved."""
    base = re.sub(r"Backward\d*$", "", function.name())
    if base == "Pow" and isinstance(getattr(function, "_saved_exponent", None), int | float):
        exponent = float(function._saved_exponent)
        return lambda x: tf.pow(x, exponent)
    if base in ("Add", "Sub") and getattr(function, "_saved_alpha", 1) != 1:
        return None
    if base in REDUCTIONS:
        return _reduction(REDUCTIONS[base], function)
    if base in ALONG:
        axis = signed(getattr(function, "_saved_dim", 0))
        return ALONG[base](axis)
    return _moved(base, function) or SAME.get(base)


def _reduction(call: Call, function: Any) -> Call:
    if not hasattr(function, "_saved_dim"):
        return lambda x: call(x)
    dims, keep = function._saved_dim, bool(getattr(function, "_saved_keepdim", False))
    axes = [signed(each) for each in (dims if isinstance(dims, tuple) else (dims,))] or None
    return lambda x: call(x, axis=axes, keepdims=keep)


def _moved(base: str, function: Any) -> Call | None:
    """Ops that put numbers to other places."""
    if base == "Permute":
        dims = [signed(each) for each in function._saved_dims]
        return lambda x: tf.transpose(x, [d % len(dims) for d in dims])
    if base == "Transpose":
        first, second = signed(function._saved_dim0), signed(function._saved_dim1)
        return lambda x: tf.transpose(x, _exchanged(len(x.shape), first, second))
    if base == "Select":
        dim, index = signed(function._saved_dim), signed(function._saved_index)
        return lambda x: x[(slice(None),) * (dim % len(x.shape)) + (index,)]
    if base == "Slice":
        dim, start, end = (
            signed(getattr(function, f"_saved_{n}")) for n in ("dim", "start", "end")
        )
        cut = slice(start, end, function._saved_step)
        return lambda x: x[(slice(None),) * (dim % len(x.shape)) + (cut,)]
    return None


def _exchanged(rank: int, first: int, second: int) -> list[int]:
    order = list(range(rank))
    order[first], order[second] = order[second], order[first]
    return order


def signed(saved: int) -> int:
    """A saved number with its sign; PyTorch keeps -1 as an unsigned one."""
    return saved - 2**64 if saved >= 2**63 else saved


def argument_names(function: Any, saved: Mapping[str, Any]) -> list[str] | None:
    """What the op calls its tensors, one for each edge of PyTorch's graph; None where unknown."""
    packet = getattr(torch.ops.aten, op_name(function.name()), None)
    if packet is None:
        return None
    for overload in packet.overloads():
        arguments = getattr(packet, overload)._schema.arguments
        names = [a.name for a in arguments if str(a.type) in ("Tensor", "Optional[Tensor]")]
        listed = any("List[Tensor]" in str(a.type) for a in arguments)
        if len(names) == len(function.next_functions) and not listed:
            return names
    return None
