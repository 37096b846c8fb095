"""From Python and NumPy values to arrays of TensorFlow's dtypes.

Python's numbers get 32 bits, where NumPy takes 64, and a Python float is never cut to an integer:
that is an error. A NumPy array is cast to any dtype, as in TensorFlow.
"""

from __future__ import annotations

import reprlib
from types import NoneType
from typing import Any

import numpy as np

from minitape.errors import DtypeError, teach
from minitape.errors.of_arguments import allocated, check_memory
from minitape.safety.silence import quietly
from minitape.values import dtypes
from minitape.values.numbers import plain_number
from minitape.values.shapes import TensorShape


def to_array(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A new native array (rank 0: a NumPy scalar) of `value`, by TensorFlow's inference."""
    number = plain_number(value) if dtype is None else None
    return quietly(_to_array, value, dtype) if number is None else number


def _to_array(value: Any, dtype: np.dtype[Any] | None) -> Any:
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
    given = as_numpy(value)
    array = _from_python(value, dtype) if given is None else _from_numpy(given, dtype)
    return array[()] if array.ndim == 0 and array.dtype.kind != "O" else array


# What has elements and no dtype of its own, and numbers; everything else is asked for an array.
_NO_ARRAYS = (list, tuple, str, bytes, dict, set, frozenset, range, int, float, complex, NoneType)
_INTERFACES = ("__array__", "__array_interface__", "__array_struct__")


def as_numpy(value: Any) -> Any:
    """The NumPy array that `value` is or gives, with its dtype; None if it is none.

    Data frames, images, tensors of other frameworks and buffers (`array.array`, `memoryview`) are
    arrays, not lists of Python numbers: nothing of them may be rounded to 32 bits.
    """
    if isinstance(value, np.ndarray | np.generic):
        return None if isinstance(value, str | bytes) else value
    if isinstance(value, _NO_ARRAYS):
        return None
    if any(hasattr(type(value), name) or hasattr(value, name) for name in _INTERFACES):
        return np.asarray(value)
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError):  # no buffer, or one of records
        return None


def _from_numpy(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A native copy of a NumPy array, cast to `dtype` where one is asked for."""
    kind = value.dtype.kind
    if kind == "O":
        return _from_python(value.tolist(), dtype)
    if kind not in "US":
        dtypes.as_dtype(value.dtype)  # raises for dates and records
    if dtype is not None and (kind in "US") != (dtype.kind == "O"):
        raise _does_not_fit(value, dtype)
    if kind in "US":
        return _strings(value)
    if kind == "c" and dtype is not None and dtype.kind != "c":
        value = value.real  # what NumPy's cast keeps too, with a warning
    # Of NaN it makes some integer.
    return np.array(value, dtype or value.dtype.newbyteorder("="))


# What may stand in a list where a dtype of some kind is asked for. TensorFlow reads True as 1 for
# the dtypes that have a converter of their own, and for these only.
_FITTING = {"f": "fiub", "c": "cfiu", "i": "iu", "u": "iu", "b": "b"}
_READS_BOOLS = ("int32", "int64", "uint64", "complex128")


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
        array = _large_integers(value, array, dtype)
    if dtype is None:
        return _inferred(value, array)
    kind = array.dtype.kind
    if (
        kind not in _FITTING.get(dtype.kind, "")
        and array.size
        and (kind != "b" or dtype.name not in _READS_BOOLS)
    ):
        raise _does_not_fit(value, dtype)
    if dtype.kind == "c" and dtype.itemsize == 8:
        _check_mixture(value, _first(value), array)
    if kind == "u" and dtype.kind == "i" and type(_first(value)) is int:
        raise _out_of_range(array) or _not_rectangular(value)
    return array.astype(dtype)  # integers that are too large wrap around


def _large_integers(value: Any, array: Any, dtype: np.dtype[Any] | None) -> Any:
    """An array of Python objects as floats, where they are integers that a float can hold."""
    if dtype is not None and dtype.kind == "f" and _out_of_range(array) is not None:
        try:
            return array.astype(np.float64)
        except (OverflowError, TypeError, ValueError):
            pass
    raise _out_of_range(array) or _not_rectangular(value)


def _inferred(value: Any, array: Any) -> Any:
    """`array` in TensorFlow's dtype for Python values: 32 bits where NumPy takes 64.

    As in TensorFlow the first number decides: NumPy's float64 and float16 stay what they are, all
    integers are int32 if they fit, and all complex numbers complex128.
    """
    first, kind = _first(value), array.dtype.kind
    if type(first) is not float or kind != "f":
        _check_mixture(value, first, array)
    if kind == "f":
        if type(first) in (np.float64, np.float16):
            return array.astype(first.dtype)
        rounded = array.astype(np.float32)
        if (np.isinf(rounded) & np.isfinite(array)).any():
            raise _too_large(value)
        return rounded
    if kind == "c":
        return array.astype(np.complex128)
    if kind in "iu":
        if not array.size or (array.min() >= -(2**31) and array.max() < 2**31):
            return array.astype(np.int32)
        if array.max() >= 2**63:
            raise _out_of_range(array) or _not_rectangular(value)
        return array.astype(np.int64)
    return np.array(array)


def _first(value: Any) -> Any:
    """The first number of nested lists, which decides their dtype."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    given = as_numpy(value)
    value = value if given is None else given
    return value.flat[0] if isinstance(value, np.ndarray) and value.size else value


def _check_mixture(value: Any, first: Any, array: Any) -> None:
    """Raises if a list starts with a bool or a real number and goes on with a wider kind."""
    kind = array.dtype.kind
    if (isinstance(first, bool | np.bool_) and kind != "b") or (
        isinstance(first, int | float | np.integer | np.floating) and kind == "c"
    ):
        raise ValueError(
            teach(
                f"Can't convert Python sequence with mixed types to Tensor: {_shown(value)}.",
                f"Its first number is {first!r}, which asks for another kind of numbers than "
                f"NumPy's {array.dtype.name}, the kind that holds them all.",
                "Write all of them as one kind, such as `1.0` for True or `2 + 0j` for 2.",
            )
        )


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


def _encoded(item: Any) -> bytes:
    """A string as bytes, in UTF-8."""
    try:
        return item.encode() if isinstance(item, str) else bytes(item)
    except UnicodeEncodeError as error:
        raise ValueError(
            teach(
                f"Attempt to convert the string {item!r:.80} to a Tensor: the character at "
                f"{error.start} is half a surrogate pair.",
                "A string tensor holds bytes, in UTF-8, which has no such character.",
                "Write `text.encode('utf-8', 'replace')`, or give bytes.",
            )
        ) from error


def _strings(array: Any) -> Any:
    """The strings of `array` as bytes objects, TensorFlow's string dtype."""
    encoded = [_encoded(item) for item in np.asarray(array).ravel().tolist()]
    out = np.empty(len(encoded), object)
    out[:] = encoded
    return out.reshape(np.shape(array))


def _does_not_fit(value: Any, dtype: np.dtype[Any]) -> DtypeError:
    name = dtypes.of(dtype).name
    return DtypeError(
        teach(
            f"Cannot convert {_shown(value)} to EagerTensor of dtype {name}.",
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


def _too_large(value: Any) -> ValueError:
    return ValueError(
        teach(
            "Can't convert Python sequence with a value out of range for a double-precision "
            f"float: {_shown(value)} holds a number beyond 3.4e38, the largest of tf.float32.",
            "Python's floats become float32 where no dtype is given, and it would be infinite.",
            "Write `tf.constant(value, tf.float64)`, or `float('inf')` if that is meant.",
        )
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."


def _not_rectangular(value: Any) -> ValueError:
    shown = _shown(value)
    if isinstance(value, list | tuple):
        return ValueError(
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


def read_only(value: Any) -> np.ndarray[Any, Any]:
    """A look at an array through which nothing can be written: the tensor is immutable.

    A view with its flag off would not do. The flag could be set again, and the array below be had
    by `base`.
    """
    try:
        view = np.asarray(memoryview(value).toreadonly())
    except (ValueError, TypeError, BufferError):  # objects, and dtypes that no buffer knows
        view = np.array(value)
    if view.size and view.dtype == value.dtype and view.dtype != object:
        return view
    copied = np.array(value)
    copied.flags.writeable = False
    return copied


def filling(array: Any, shape: tuple[Any, ...]) -> Any:
    """`array` in the shape asked for; a single value is repeated."""
    if array.shape == shape:
        return array
    if array.size == 1:
        check_memory("constant", shape, array.dtype.itemsize)
        return allocated("constant", lambda: np.full(shape, array.reshape(()), array.dtype)[()])
    if array.size != np.prod(shape):
        raise TypeError(
            teach(
                f"Eager execution of tf.constant with unsupported shape: {array.size} values do "
                f"not fill shape {shape}.",
                f"That shape holds {int(np.prod(shape))} values.",
                "Give as many values as the shape holds, or a single one to repeat.",
            )
        )
    return array.reshape(shape)[()]
