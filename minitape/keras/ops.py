"""`tf.keras.ops`: names of Keras 3 for ops that `tf` has already.

What NumPy calls `sum` is `tf.reduce_sum`; a table says which is which. Dtypes are converted here as
in NumPy: the mean of whole numbers is a fraction, int + float is a float. What differs in more than
dtypes stands in the folder `operations`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras.operations import functions
from minitape.keras.operations.dtypes import (
    floating,
    no_truths,
    numbers,
    of_kind,
    of_one_dtype,
    truths,
)
from minitape.keras.operations.functions import *  # noqa: F403  # its __all__
from minitape.keras.symbols import of_symbols
from minitape.names.absent import missing

if TYPE_CHECKING:  # the ops of `tf`
    from minitape.api.keras_ops import *  # noqa: F403

_OTHER_NAMES = {
    "absolute": "abs", "all": "reduce_all", "amax": "reduce_max", "amin": "reduce_min", "any":
    "reduce_any", "arange": "range", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "array":
    "convert_to_tensor", "floor_divide": "math.floordiv", "isfinite": "math.is_finite", "isinf":
    "math.is_inf", "isnan": "math.is_nan", "logsumexp": "reduce_logsumexp", "max": "reduce_max",
    "mean": "reduce_mean", "min": "reduce_min", "mod": "math.floormod", "power": "pow", "prod":
    "reduce_prod", "std": "math.reduce_std", "sum": "reduce_sum", "true_divide": "divide", "var":
    "math.reduce_variance",
}  # fmt: skip
_PLACES = ("", "math.", "nn.", "linalg.")  # of names that `tf` has too
_UNCHANGED = [
    "abs", "absolute", "amax", "amin", "angle", "arange", "argsort", "array", "broadcast_to",
    "cast", "cond", "conj", "convert_to_tensor", "einsum", "erfc", "erfinv", "expand_dims", "imag",
    "is_tensor", "leaky_relu", "log_sigmoid", "log_softmax", "max", "meshgrid", "min", "negative",
    "ones", "ones_like", "pad", "real", "reciprocal", "relu", "relu6", "repeat", "reshape", "selu",
    "sigmoid", "sign", "silu", "size", "slice", "softplus", "softsign", "sort", "squeeze",
    "stop_gradient", "swish", "tile", "top_k", "transpose", "unstack", "vectorized_map", "zeros",
    "zeros_like",
]  # fmt: skip
_OF_FLOATS = [
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "cos", "cosh", "erf",
    "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log1p", "logsumexp", "mean",
    "rsqrt", "sin", "sinh", "softmax", "sqrt", "std", "tan", "tanh", "var",
]  # fmt: skip
_OF_TWO = [
    "add", "equal", "floor_divide", "greater", "greater_equal", "less", "less_equal",
    "maximum", "minimum", "mod", "multiply", "not_equal", "power", "subtract",
]  # fmt: skip
_OF_TWO_FLOATS = ["arctan2", "divide", "divide_no_nan", "true_divide"]
_CONVERTING: dict[str, Callable[..., Any]] = {  # what is made of the op, by name
    **dict.fromkeys(["prod", "sum"], partial(of_kind, change=numbers)),
    "square": partial(of_kind, change=no_truths),
    **dict.fromkeys(_OF_FLOATS, partial(of_kind, change=floating)),
    **dict.fromkeys(["all", "any", "logical_not"], partial(of_kind, change=truths)),
    **dict.fromkeys(_OF_TWO, of_one_dtype),
    **dict.fromkeys(_OF_TWO_FLOATS, partial(of_one_dtype, change=floating)),
    **dict.fromkeys(
        ["logical_and", "logical_or", "logical_xor"], partial(of_one_dtype, change=truths)
    ),
}
OWN = functions.__all__
__all__ = [*OWN, *_CONVERTING, *_UNCHANGED]  # noqa: PLE0604  # names, in a list made of three


def named(name: str) -> Any:
    """The op of `tf` that a name of NumPy stands for, or None."""
    places = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else [each + name for each in _PLACES]
    for place in places:
        found: Any = tf
        for part in place.split("."):
            found = getattr(found, part, None)
        if callable(found):
            return found
    return None


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
    return sorted(__all__)
