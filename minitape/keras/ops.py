"""`tf.keras.ops`: names of Keras 3 for ops that `tf` has already.

The one fact to know: what NumPy calls `sum` is `tf.reduce_sum`; a table says which is which. Dtypes
are converted here as in NumPy: the mean of whole numbers is a fraction, int + float is a float.
What differs in more than dtypes stands in the folder `operations`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras import activations, loss_functions
from minitape.keras.operations import arrays, reductions
from minitape.keras.operations.arrays import *  # noqa: F403  # its __all__
from minitape.keras.operations.dtypes import (
    floating,
    no_truths,
    numbers,
    of_kind,
    of_one_dtype,
    truths,
)
from minitape.keras.operations.reductions import *  # noqa: F403
from minitape.keras.symbols import KerasTensor, of_symbols
from minitape.names.absent import missing

if TYPE_CHECKING:  # the ops of `tf`
    from minitape.api.keras_ops import *  # noqa: F403

OTHER_NAMES = {
    "absolute": "abs", "all": "reduce_all", "amax": "reduce_max", "amin": "reduce_min", "any":
    "reduce_any", "arange": "range", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "array":
    "convert_to_tensor", "erf": "math.erf", "floor_divide": "math.floordiv", "isfinite":
    "math.is_finite", "isinf": "math.is_inf", "isnan": "math.is_nan", "log": "math.log", "log1p":
    "math.log1p", "logsumexp": "reduce_logsumexp", "max": "reduce_max", "mean": "reduce_mean",
    "min": "reduce_min", "mod": "math.floormod", "power": "pow", "prod": "reduce_prod", "std":
    "math.reduce_std", "sum": "reduce_sum", "top_k": "math.top_k", "true_divide": "divide", "var":
    "math.reduce_variance",
}  # fmt: skip
_SAME_NAMES = [
    "abs", "add", "angle", "argsort", "broadcast_to", "cast", "ceil", "cond", "conj",
    "convert_to_tensor", "cos", "cosh", "cross", "custom_gradient", "depth_to_space", "det",
    "divide", "divide_no_nan", "eig", "eigh", "einsum", "equal", "erfc", "erfinv", "exp",
    "expand_dims", "expm1", "floor", "greater", "greater_equal", "imag", "in_top_k", "inv",
    "is_tensor", "leaky_relu", "less", "less_equal", "log_sigmoid", "log_softmax", "logdet",
    "logical_and", "logical_not", "logical_or", "logical_xor", "lstsq", "matrix_rank", "maximum",
    "meshgrid", "minimum", "multiply", "negative", "nextafter", "not_equal", "ones", "ones_like",
    "pad", "pinv", "real", "reciprocal", "relu", "relu6", "repeat", "reshape", "rsqrt",
    "saturate_cast", "searchsorted", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "size",
    "slice", "slogdet", "softmax", "softplus", "softsign", "solve", "sort", "space_to_depth",
    "sqrt", "square", "squeeze", "stop_gradient", "subtract", "swish", "tan", "tanh", "tile",
    "transpose", "unravel_index", "unstack", "vectorized_map", "zeros", "zeros_like",
]  # fmt: skip
OWN = [
    *arrays.__all__, *reductions.__all__, "binary_crossentropy",
    "categorical_crossentropy", "convert_to_numpy", "elu", "gelu", "normalize", "ravel", "shape",
    "sparse_categorical_crossentropy",
]  # fmt: skip
__all__ = [*OWN, *OTHER_NAMES, *_SAME_NAMES]  # noqa: PLE0604  # names, in a list made of three
_PLACES = ("", "math.", "nn.", "linalg.")
_OF_FLOATS = [
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "cos", "cosh", "erf",
    "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log1p", "logsumexp", "mean",
    "rsqrt", "sin", "sinh", "softmax", "sqrt", "std", "tan", "tanh", "var",
]  # fmt: skip
_OF_TWO = [
    "add", "cross", "equal", "floor_divide", "greater", "greater_equal", "less", "less_equal",
    "maximum", "minimum", "mod", "multiply", "not_equal", "power", "subtract",
]  # fmt: skip
_OF_TWO_FLOATS = [
    "arctan2", "divide", "divide_no_nan", "lstsq", "nextafter", "solve", "true_divide",
]  # fmt: skip
_OF_TWO_TRUTHS = ["logical_and", "logical_or", "logical_xor"]
_CONVERTING: dict[str, Callable[..., Any]] = {  # what is made of the op, by name
    **dict.fromkeys(["prod", "sum"], partial(of_kind, change=numbers)),
    "square": partial(of_kind, change=no_truths),
    **dict.fromkeys(_OF_FLOATS, partial(of_kind, change=floating)),
    **dict.fromkeys(["all", "any", "logical_not"], partial(of_kind, change=truths)),
    **dict.fromkeys(_OF_TWO, of_one_dtype),
    **dict.fromkeys(_OF_TWO_FLOATS, partial(of_one_dtype, change=floating)),
    **dict.fromkeys(_OF_TWO_TRUTHS, partial(of_one_dtype, change=truths)),
}


def named(name: str) -> Any:
    """The op of `tf` that a name of NumPy stands for, or None."""
    places = [OTHER_NAMES[name]] if name in OTHER_NAMES else [each + name for each in _PLACES]
    for place in places:
        found: Any = tf
        for part in place.split("."):
            found = getattr(found, part, None)
        if callable(found):
            return found
    return None


elu = activations.elu


def gelu(x: Any, approximate: bool = True) -> Any:
    """`tf.nn.gelu`, here with tanh by default."""
    return tf.nn.gelu(x, approximate)


def normalize(x: Any, axis: int = -1, order: Any = 2) -> Any:
    """A tensor divided by its norm along an axis."""
    return x / tf.maximum(tf.norm(x, order, axis, keepdims=True), 1e-7)


def shape(x: Any) -> tuple[int, ...]:
    """The shape as a tuple."""
    return tuple((x if isinstance(x, KerasTensor) else tf.convert_to_tensor(x)).shape)


def convert_to_numpy(x: Any) -> Any:
    """The values as a NumPy array."""
    return tf.convert_to_tensor(x).numpy()


def ravel(x: Any) -> Any:
    """All values in a row."""
    return tf.reshape(x, [-1])


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy of each value; `tf.keras.losses.binary_crossentropy` takes means of it."""
    target, output = (tf.expand_dims(x, -1) for x in (target, output))
    return loss_functions.binary_crossentropy(target, output, from_logits)


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """`tf.keras.losses.categorical_crossentropy` under the arguments' names of ops."""
    return loss_functions.categorical_crossentropy(target, output, from_logits, 0.0, axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """`tf.keras.losses.sparse_categorical_crossentropy` under the arguments' names of ops."""
    return loss_functions.sparse_categorical_crossentropy(target, output, from_logits, None, axis)


_LOOKING_AT_SYMBOLS = {"shape", "convert_to_numpy", "is_tensor"}
for _name in {*OWN} - _LOOKING_AT_SYMBOLS:
    globals()[_name] = of_symbols(_name, globals()[_name])


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        found = named(name) if name in __all__ else None
        if found is None:
            raise missing("minitape.keras.ops", name)
        if name in _CONVERTING:
            found = _CONVERTING[name](found)
        if name not in _LOOKING_AT_SYMBOLS:
            found = of_symbols(name, found)
        return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted({*__all__})
