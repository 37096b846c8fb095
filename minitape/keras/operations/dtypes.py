"""How `tf.keras.ops` converts dtypes: as NumPy does, but the default is Keras' `floatx`.

A number of Python is weak, so int8 + 1 is int8, and int8 + 1.5 is float32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

import minitape as tf
from minitape.keras.config import floatx


def tensor(x: Any) -> Any:
    """`x` as a tensor."""
    return tf.convert_to_tensor(x)


def kind(x: Any) -> str:
    """The kind of a tensor's dtype, a letter of NumPy's."""
    return tf.as_dtype(x.dtype).np.kind


def floating(x: Any) -> Any:
    """`x` as a tensor of a floating dtype."""
    x = tensor(x)
    return tf.cast(x, floatx()) if kind(x) in "biu" else x


def numbers(x: Any) -> Any:
    """`x` as a tensor in which a sum has room: small integers and truth values become int32."""
    x = tensor(x)
    dtype = tf.as_dtype(x.dtype).np
    if dtype.kind == "b" or (dtype.kind in "iu" and dtype.itemsize < 4):
        return tf.cast(x, "uint32" if dtype.kind == "u" else "int32")
    return x


def no_truths(x: Any) -> Any:
    """`x` as a tensor of numbers: truth values become int32."""
    x = tensor(x)
    return tf.cast(x, "int32") if kind(x) == "b" else x


def truths(x: Any) -> Any:
    """`x` as truth values: what is not 0 is true."""
    x = tensor(x)
    return x if kind(x) == "b" else tf.not_equal(x, tf.zeros_like(x))


def alike(*given: Any) -> list[Any]:
    """The values as tensors of one dtype: a floating one if there is one."""
    strong = [tensor(x) for x in given if not isinstance(x, int | float) or isinstance(x, bool)]
    kinds = [tf.as_dtype(x.dtype).np for x in strong]
    weak = [x for x in given if isinstance(x, int | float) and not isinstance(x, bool)]
    dtype = np.result_type(*([k for k in kinds if k.kind in "fc"] or kinds or [np.dtype(np.int32)]))
    if dtype.kind not in "fc" and any(isinstance(x, float) for x in weak):
        dtype = np.dtype(floatx())
    elif dtype.kind == "b" and weak:
        dtype = np.dtype(np.int32)
    return [tf.cast(tensor(x), dtype) for x in given]


def of_kind(function: Callable[..., Any], change: Callable[[Any], Any]) -> Any:
    """`function` of a tensor that `change` has converted."""

    @wraps(function)
    def converting(x: Any, *args: Any, **options: Any) -> Any:
        return function(change(x), *args, **options)

    return converting


def of_one_dtype(function: Callable[..., Any], change: Callable[[Any], Any] | None = None) -> Any:
    """`function` of two tensors in one dtype, which `change` has converted before."""

    @wraps(function)
    def converting(x1: Any, x2: Any) -> Any:
        pair = (x1, x2) if change is None else (change(x1), change(x2))
        return function(*alike(*pair))

    return converting
