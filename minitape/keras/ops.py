"""`tf.keras.ops`: names of Keras 3 for ops that `tf` has already.

The one fact to know: what NumPy calls `sum` is `tf.reduce_sum`; a table says which is which. Dtypes
are converted here as in NumPy: the mean of whole numbers is a fraction, int + float is a float.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

import minitape as tf
from minitape.keras import activations, loss_functions
from minitape.keras.config import floatx
from minitape.names.absent import missing

if TYPE_CHECKING:  # the ops of `tf`
    from minitape.api.keras_ops import *  # noqa: F403

OTHER_NAMES = {
    "absolute": "abs", "all": "reduce_all", "any": "reduce_any", "arange": "range",
    "arccos": "acos", "arcsin": "asin", "arctan": "atan", "arctan2": "atan2",
    "array": "convert_to_tensor", "average": "reduce_mean", "clip": "clip_by_value",
    "concatenate": "concat", "cross": "linalg.cross", "erf": "math.erf",
    "full": "fill", "identity": "eye", "isfinite": "math.is_finite", "isinf": "math.is_inf",
    "isnan": "math.is_nan", "log": "math.log", "log1p": "math.log1p",
    "logsumexp": "reduce_logsumexp", "max": "reduce_max", "mean": "reduce_mean",
    "min": "reduce_min", "mod": "math.floormod", "power": "pow", "prod": "reduce_prod",
    "std": "math.reduce_std", "sum": "reduce_sum", "take": "gather", "top_k": "math.top_k",
    "var": "math.reduce_variance",
}  # fmt: skip
_SAME_NAMES = [
    "abs", "add", "angle", "argsort", "batch_normalization", "bincount", "broadcast_to", "cast",
    "ceil", "cholesky", "cond", "conj", "convert_to_tensor", "cos", "cosh", "count_nonzero",
    "custom_gradient", "depth_to_space", "det", "divide", "divide_no_nan", "eig", "eigh",
    "einsum", "equal", "erfc", "erfinv", "exp", "expand_dims", "expm1", "eye", "floor",
    "greater", "greater_equal", "imag", "in_top_k", "inv", "is_tensor", "leaky_relu", "less",
    "less_equal", "log_sigmoid", "log_softmax", "logdet", "logical_and", "logical_not",
    "logical_or", "logical_xor", "lstsq", "matmul", "matrix_rank", "max_pool", "maximum",
    "meshgrid", "minimum", "moments", "multiply", "negative", "nextafter", "norm", "not_equal",
    "ones", "ones_like", "pad", "pinv", "qr", "real", "reciprocal", "relu", "relu6", "repeat",
    "reshape", "roll", "round", "rsqrt", "saturate_cast", "scan", "searchsorted", "segment_max",
    "segment_min", "segment_prod", "segment_sum", "selu", "sigmoid", "sign", "silu", "sin",
    "sinh", "size", "slice", "slogdet", "softmax", "softplus", "softsign", "solve", "sort",
    "space_to_depth", "split", "sqrt", "square", "squeeze", "stack", "stop_gradient",
    "subtract", "svd", "swish", "tan", "tanh", "tensordot", "tile", "trace", "transpose",
    "unique", "unravel_index", "unstack", "vectorized_map", "where", "while_loop", "zeros",
    "zeros_like",
]  # fmt: skip
OWN = [
    "argmax", "argmin", "binary_crossentropy", "categorical_crossentropy", "clip",
    "concatenate", "convert_to_numpy", "cumprod", "cumsum", "diag", "elu", "gelu", "linspace",
    "normalize", "one_hot", "ravel", "shape", "sparse_categorical_crossentropy",
]  # fmt: skip
__all__ = [*OWN, *OTHER_NAMES, *_SAME_NAMES]  # noqa: PLE0604  # names, in a list made of three
_PLACES = ("", "math.", "nn.", "linalg.")
_OF_FLOATS = {
    "arccos", "arcsin", "arctan", "average", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor",
    "isfinite", "isinf", "isnan", "log", "log1p", "logsumexp", "mean", "norm", "rsqrt", "sin",
    "sinh", "sqrt", "std", "tan", "tanh", "var",
}  # fmt: skip
_OF_NUMBERS = {"prod", "square", "sum"}
_OF_TWO = {
    "add", "arctan2", "divide", "equal", "greater", "greater_equal", "less", "less_equal",
    "maximum", "minimum", "mod", "multiply", "not_equal", "power", "subtract",
}  # fmt: skip


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


def _tensor(x: Any) -> Any:
    return x if hasattr(x, "node") else tf.convert_to_tensor(x)  # a symbol of a model stays one


def _of_kind(function: Callable[..., Any], kinds: str, dtype: Callable[[], str]) -> Any:
    """`function` of a tensor; one of the `kinds` of NumPy dtypes is cast first."""

    @wraps(function)
    def converting(x: Any, *args: Any, **options: Any) -> Any:
        x = _tensor(x)
        x = tf.cast(x, dtype()) if tf.as_dtype(x.dtype).np.kind in kinds else x
        return function(x, *args, **options)

    return converting


def _of_one_dtype(function: Callable[..., Any]) -> Any:
    """`function` of two tensors in one dtype: a floating one if there is one."""

    @wraps(function)
    def converting(x1: Any, x2: Any) -> Any:
        pair = [_tensor(x1), _tensor(x2)]
        kinds = [tf.as_dtype(x.dtype).np for x in pair]
        dtype = np.result_type(*([k for k in kinds if k.kind in "fc"] or kinds))
        if function is tf.divide and dtype.kind not in "fc":
            dtype = np.dtype(floatx())
        return function(*(tf.cast(x, dtype) for x in pair))

    return converting


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the largest value along an axis, or of all values in a row."""
    return _place(tf.argmax, x, axis, keepdims)


def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the smallest value along an axis, or of all values in a row."""
    return _place(tf.argmin, x, axis, keepdims)


def _place(function: Callable[..., Any], x: Any, axis: int | None, keepdims: bool) -> Any:
    x = _of_kind(_tensor, "b", lambda: "int32")(x)
    found = function(x if axis is not None else tf.reshape(x, [-1]), axis or 0, "int32")
    if not keepdims:
        return found
    return tf.expand_dims(found, axis) if axis is not None else tf.reshape(found, [1] * x.ndim)


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Values brought between two bounds."""
    return tf.clip_by_value(x, x_min, x_max)


def concatenate(xs: Any, axis: int = 0) -> Any:
    """Tensors one behind the other."""
    return tf.concat(xs, axis)


def cumsum(x: Any, axis: int | None = None) -> Any:
    """Sums of all values up to each, along an axis or of all values in a row."""
    return tf.cumsum(x, axis) if axis is not None else tf.cumsum(tf.reshape(x, [-1]))


def cumprod(x: Any, axis: int | None = None) -> Any:
    """Products of all values up to each, along an axis or of all values in a row."""
    return tf.math.cumprod(x, axis) if axis is not None else tf.math.cumprod(tf.reshape(x, [-1]))


elu = activations.elu


def gelu(x: Any, approximate: bool = True) -> Any:
    """`tf.nn.gelu`, here with tanh by default."""
    return tf.nn.gelu(x, approximate)


def normalize(x: Any, axis: int = -1, order: Any = 2) -> Any:
    """A tensor divided by its norm along an axis."""
    return x / tf.maximum(tf.norm(x, order, axis, keepdims=True), 1e-7)


def shape(x: Any) -> tuple[int, ...]:
    """The shape as a tuple."""
    return tuple(_tensor(x).shape)


def convert_to_numpy(x: Any) -> Any:
    """The values as a NumPy array."""
    return tf.convert_to_tensor(x).numpy()


def diag(x: Any, k: int = 0) -> Any:
    """A matrix with those values along a diagonal, or the diagonal of a matrix."""
    x = _tensor(x)
    return tf.linalg.diag(x, k=k) if len(x.shape) == 1 else tf.linalg.diag_part(x, k=k)


def linspace(start: Any, stop: Any, num: int = 50) -> Any:
    """Evenly spaced numbers, both ends among them."""
    return tf.linspace(tf.cast(start, floatx()), tf.cast(stop, floatx()), num)


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None) -> Any:
    """`tf.one_hot` under the arguments' names of ops."""
    return tf.one_hot(tf.cast(x, "int32"), num_classes, axis=axis, dtype=dtype or floatx())


def ravel(x: Any) -> Any:
    """All values in a row."""
    return tf.reshape(x, [-1])


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy of each value; `tf.keras.losses.binary_crossentropy` takes means of it."""
    target, output = (tf.expand_dims(_tensor(x), -1) for x in (target, output))
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


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        found = named(name) if name in __all__ else None
        if found is None:
            raise missing("minitape.keras.ops", name)
        if name in _OF_FLOATS:
            found = _of_kind(found, "biu", floatx)
        elif name in _OF_NUMBERS:
            found = _of_kind(found, "b", lambda: "int32")
        elif name in _OF_TWO:
            found = _of_one_dtype(found)
        return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted({*__all__})
