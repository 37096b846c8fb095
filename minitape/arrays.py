"""From Python and NumPy values to arrays of TensorFlow's dtypes.

The one fact to know: Python's numbers get 32 bits, where NumPy takes 64, and nothing is rounded or
cut silently: what does not fit the dtype that is asked for is an error.
May import: errors, dtypes, shapes.
"""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from minitape import dtypes
from minitape.errors import InvalidArgumentError, teach
from minitape.shapes import TensorShape

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def to_array(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A new native array (rank 0: a NumPy scalar) of `value`, by TensorFlow's inference."""
    if value is None:
        raise ValueError(
            teach(
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) "
                "to a Tensor.",
                "None has no values; it is what a function without a `return` gives, and what "
                "`gradient` gives where nothing is connected.",
                "Return the value, or ask with `unconnected_gradients='zero'`.",
            )
        )
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, np.ndarray | np.generic) and not isinstance(value, str | bytes):
        array = _from_numpy(value, dtype)
    else:
        array = _from_python(value, dtype)
    return array[()] if array.ndim == 0 and array.dtype.kind != "O" else array


def _from_numpy(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A native copy of a NumPy array, in `dtype` where one is asked for."""
    if value.dtype.kind in "US":
        return _strings(value)
    if value.dtype.kind == "O":
        return _from_python(value.tolist(), dtype)
    dtypes.as_dtype(value.dtype)  # raises for dates and records
    if (
        dtype is not None
        and dtype.kind in "iu"
        and value.dtype.kind in "fc"
        or (dtype is not None and dtype.kind == "O")
    ):
        raise _does_not_fit(value, dtype)
    return np.array(value, dtype or value.dtype.newbyteorder("="))


def _from_python(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """An array of Python numbers, strings or nested lists of them."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise _not_rectangular(value) from error
    kind = array.dtype.kind
    if kind in "US" or (kind == "O" and dtype is not None and dtype.kind == "O"):
        return _strings_only(value, array, dtype)
    if kind == "O":
        raise _out_of_range(array) or _not_rectangular(value)
    if dtype is None:
        return np.array(array, _inferred(value, array))
    fits = kind in {"f": "fiu", "c": "cfiu", "i": "iu", "u": "iu", "b": "b"}.get(dtype.kind, "")
    if not fits and array.size:
        raise _does_not_fit(value, dtype)
    try:
        return (
            np.array(value, dtype) if kind in "iu" and dtype.kind in "iu" else array.astype(dtype)
        )
    except OverflowError as error:
        raise _does_not_fit(value, dtype) from error


def _inferred(value: Any, array: Any) -> np.dtype[Any]:
    """TensorFlow's dtype for Python values: 32 bits where NumPy takes 64."""
    leaf = value
    dtype: np.dtype[Any] = np.dtype(array.dtype)
    while isinstance(leaf, list | tuple) and leaf:
        leaf = leaf[0]
    if isinstance(leaf, np.ndarray | np.generic) and leaf is not value:
        return dtype
    if dtype == _FLOAT64:
        return _FLOAT32
    if dtype == _INT64 and (not array.size or (array.min() >= -(2**31) and array.max() < 2**31)):
        return _INT32
    return dtype


def _strings_only(value: Any, array: Any, dtype: np.dtype[Any] | None) -> Any:
    """An array of byte strings; numbers among them are an error, not text."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, list | tuple):
            todo.extend(item)
        elif not isinstance(item, str | bytes | np.ndarray):
            raise ValueError(
                f"Can't convert Python sequence with mixed types to Tensor: {item!r} stands among "
                "strings."
            )
    if dtype is not None and dtype.kind != "O":
        raise _does_not_fit(value, dtype)
    return _strings(array)


def _strings(array: Any) -> Any:
    """The strings of `array` as bytes objects, TensorFlow's string dtype."""
    encoded = [
        item.encode() if isinstance(item, str) else bytes(item)
        for item in np.asarray(array).ravel().tolist()
    ]
    out = np.empty(len(encoded), object)
    out[:] = encoded
    return out.reshape(np.shape(array))


def _does_not_fit(value: Any, dtype: np.dtype[Any]) -> TypeError:
    name = dtypes.of(dtype).name
    text = repr(value)
    shown = text if len(text) < 80 else text[:77] + "..."
    return TypeError(
        teach(
            f"Cannot convert {shown} to EagerTensor of dtype {name}.",
            f"These values do not fit {name} without a loss, and nothing is rounded silently.",
            f"Write `tf.cast(value, tf.{name})`, or cast the tensor beside it to the values' "
            "dtype.",
        )
    )


def _out_of_range(array: Any) -> ValueError | None:
    """The error for an integer beyond 64 bits; None where all that is there fits."""
    large = [n for n in array.ravel().tolist() if isinstance(n, int) and not -(2**63) <= n < 2**63]
    if not large:
        return None
    return ValueError(
        teach(
            "Can't convert Python sequence with out-of-range integer to Tensor: "
            f"{reprlib.repr(large[0])}.",
            "tf.int64, the widest integer, ends at 2**63 - 1.",
            "Write it as a float, `tf.constant(float(n))`, where its last digits do not matter.",
        )
    )


def _not_rectangular(value: Any) -> Exception:
    text = repr(value)
    shown = text if len(text) < 80 else text[:77] + "..."
    if isinstance(value, list | tuple):
        return InvalidArgumentError(
            teach(
                f"Can't convert non-rectangular Python sequence to Tensor: {shown}.",
                "A tensor has rows of equal length and elements that are numbers, bools or "
                "strings.",
                "Pad the rows, or use `tf.ragged.constant(rows)`.",
            )
        )
    return ValueError(
        teach(
            f"Attempt to convert a value ({shown}) with an unsupported type ({type(value)}) to a "
            "Tensor.",
            "Only numbers, bools, strings, NumPy arrays, tensors and nested lists of them have a "
            "dtype.",
            "Give one of those.",
        )
    )


def held(value: Any) -> Any:
    """What an op gave, as tensors hold it: a single text in an array, which has shape and dtype."""
    return np.array(value, object) if type(value) is bytes else value
