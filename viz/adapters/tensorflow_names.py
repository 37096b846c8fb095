"""Which op of minitape an op of TensorFlow's graphs is the namesake of."""

from __future__ import annotations

from typing import Any

import minitape as tf

from .namesakes import Call

PASSED_ON = ("Identity", "ReadVariableOp")  # the same value, one name more

SAME: dict[str, Call] = {
    "Add": tf.add, "AddV2": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "RealDiv": tf.divide,
    "Neg": tf.negative, "MatMul": tf.matmul, "Exp": tf.exp, "Log": tf.math.log, "Tanh": tf.tanh,
    "Relu": tf.nn.relu, "Sigmoid": tf.sigmoid, "Sin": tf.sin, "Cos": tf.cos, "Sqrt": tf.sqrt,
    "Rsqrt": tf.math.rsqrt, "Square": tf.square, "Abs": tf.abs, "Maximum": tf.maximum,
    "Minimum": tf.minimum, "Softmax": tf.nn.softmax, "LogSoftmax": tf.nn.log_softmax,
    "Pow": tf.pow, "Erf": tf.math.erf, "Log1p": tf.math.log1p, "Expm1": tf.math.expm1,
    "Softplus": tf.nn.softplus, "Elu": tf.nn.elu, "Selu": tf.nn.selu, "Tan": tf.tan,
    "Sinh": tf.sinh, "Cosh": tf.cosh, "Asin": tf.asin, "Acos": tf.acos, "Atan": tf.atan,
    "Atan2": tf.atan2, "AddN": lambda *xs: tf.add_n(list(xs)), "Reciprocal": tf.math.reciprocal,
    "SquaredDifference": tf.math.squared_difference, "Relu6": tf.nn.relu6,
}  # fmt: skip


REDUCTIONS: dict[str, Call] = {
    "Sum": tf.reduce_sum, "Mean": tf.reduce_mean, "Max": tf.reduce_max, "Min": tf.reduce_min,
    "Prod": tf.reduce_prod,
}  # fmt: skip

# Ops whose settings are their last inputs.
SET: dict[str, Call] = {
    "Reshape": lambda x, shape: tf.reshape(x, _numbers(shape)),
    "ExpandDims": lambda x, axis: tf.expand_dims(x, _numbers(axis)),
    "Transpose": lambda x, perm: tf.transpose(x, _numbers(perm)),
    "BroadcastTo": lambda x, shape: tf.broadcast_to(x, _numbers(shape)),
    "ConcatV2": lambda *xs: tf.concat(xs[:-1], _numbers(xs[-1])),
    "GatherV2": lambda x, at, axis: tf.gather(x, at, axis=_numbers(axis)),
    "TensorScatterUpdate": tf.tensor_scatter_nd_update,
    "SelectV2": tf.where,
    "BiasAdd": tf.add,
}


def call_of(op: Any) -> Call | None:
    """Minitape's op of the same meaning, with the attributes of an op of a graph."""
    name = op.type
    if name in REDUCTIONS:
        call, keep = REDUCTIONS[name], op.get_attr("keep_dims")
        return lambda x, axis: call(x, axis=_numbers(axis), keepdims=keep)
    if name == "MatMul":
        plain = not (op.get_attr("transpose_a") or op.get_attr("transpose_b"))
        return tf.matmul if plain else None
    if name == "BatchMatMulV2":
        return tf.matmul if not (op.get_attr("adj_x") or op.get_attr("adj_y")) else None
    if name == "Pack":
        axis = op.get_attr("axis")
        return lambda *xs: tf.stack(xs, axis)
    if name == "Squeeze":
        shape = op.outputs[0].shape.as_list()
        return lambda x: tf.reshape(x, shape)
    if name in ("Conv2D", "MaxPool", "AvgPool"):
        return _windows(name, op)
    return SET.get(name) or SAME.get(name)


def _windows(name: str, op: Any) -> Call | None:
    padding = op.get_attr("padding").decode()
    if op.get_attr("data_format") != b"NHWC" or padding == "EXPLICIT":
        return None
    strides = op.get_attr("strides")[1:3]
    if name == "Conv2D":
        spread = op.get_attr("dilations")[1:3]
        return lambda x, k: tf.nn.conv2d(x, k, strides, padding, dilations=spread)
    size = op.get_attr("ksize")[1:3]
    call = tf.nn.max_pool2d if name == "MaxPool" else tf.nn.avg_pool2d
    return lambda x: call(x, size, strides, padding)


def short_name(op: Any) -> str:
    """What an op is in the table of short formulas: products say which factor is transposed."""
    if op.type not in ("MatMul", "BatchMatMulV2"):
        return str(op.type)
    names = ("transpose_a", "transpose_b") if op.type == "MatMul" else ("adj_x", "adj_y")
    first, second = (op.get_attr(name) for name in names)
    return f"{'T^' * first}{op.type}{'^T' * second}"


def _numbers(x: Any) -> Any:
    return x.numpy().tolist()
