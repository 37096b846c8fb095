"""From Python and NumPy values to tensors, by TensorFlow's rules.

The one fact to know: between tensors there is no promotion. A Python number, a list or an array
takes the dtype of the tensor beside it; two tensors of different dtypes are an error.
May import: tensor, interpreter, errors, dtypes, shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape import dtypes
from minitape.errors import InvalidArgumentError, teach
from minitape.interpreter import symbolic_interpreter, tell_journals
from minitape.loading import load_rest
from minitape.shapes import TensorShape
from minitape.tensor import EagerTensor, Operators, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

# The op that packs a list of tensors; `ops/array.py` puts it here, as ops attach their operators.
pack: list[Callable[..., Tensor]] = []

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """Makes a tensor of a Python number, a nested list or a NumPy array (which is copied).

    Args:
        value: a number, bool, string, array, or nested lists of them with rows of equal length.
        dtype: the element type; by default float32 for Python floats, int32 for ints, and the
            array's own for NumPy arrays.
        shape: the shape; a single value is repeated to fill it.
        name: accepted and not used.

    Raises:
        ValueError: if rows differ in length, or the values do not fit `shape`.
        TypeError: if the values do not fit `dtype`.

    Example:
        >>> import minitape as tf
        >>> print(tf.constant([1.0, 2.0]))
        tf.Tensor([1. 2.], shape=(2,), dtype=float32)
        >>> tf.constant(7, shape=[2, 2]).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    if isinstance(value, Tensor) or hasattr(value, "__tf_tensor__"):
        tensor = convert_to_tensor(value)
        value = tensor.numpy()
    array = to_array(value, None if dtype is None else dtypes.as_dtype(dtype).np)
    if shape is not None:
        array = _fill(array, tuple(TensorShape(shape)))
    return make_constant(array, value)


def make_constant(value: Any, origin: Any = None) -> Tensor:
    """Wraps an array that nobody else holds; inside a graph the constant becomes a node of it.

    `origin` is what the array was made of: a journal notes what came back from NumPy.
    """
    tensor = EagerTensor(value)
    tell_journals("constant", tensor, origin)
    graph = symbolic_interpreter()
    return tensor if graph is None else graph.constant(tensor)


def _fill(array: Any, shape: tuple[Any, ...]) -> Any:
    """`array` in the shape asked for; a single value is repeated."""
    if array.shape == shape:
        return array
    if array.size == 1:
        return np.full(shape, array.reshape(()), array.dtype)[()]
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


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Makes a tensor of `value`; a tensor comes back itself.

    Args:
        value: a tensor, variable, `IndexedSlices`, number, array, or nested lists of these.
        dtype: the element type demanded.
        dtype_hint: the element type wished for, used where `value` fits it.
        name: accepted and not used.

    Raises:
        ValueError: if a tensor has another dtype than `dtype`, or rows differ in length.
        TypeError: if the values do not fit `dtype`.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant(1.0)
        >>> tf.convert_to_tensor(x) is x
        True
        >>> tf.convert_to_tensor([1, 2], dtype=tf.float64).dtype
        tf.float64
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype).np
    if not isinstance(value, Tensor):
        to_tensor = getattr(value, "__tf_tensor__", None)
        if to_tensor is None:
            return _convert_plain(value, wanted, dtype_hint)
        value = to_tensor()
    if wanted is not None and value.spec.dtype != wanted:
        raise _wrong_dtype(value, wanted)
    return value  # type: ignore[no-any-return]


def _convert_plain(value: Any, wanted: Any, hint: Any) -> Tensor:
    """A tensor of something that is not one; a list with tensors in it is packed by an op."""
    if isinstance(value, list | tuple) and _holds_tensor(value):
        if not pack:
            load_rest()
        return pack[0](value, wanted)
    if wanted is None and hint is not None:
        try:
            return make_constant(to_array(value, dtypes.as_dtype(hint).np), value)
        except (TypeError, ValueError):
            pass  # a hint is a wish: what does not fit it keeps its own dtype
    return make_constant(to_array(value, wanted), value)


def _holds_tensor(value: Any) -> bool:
    """Whether a nested list has a tensor or variable in it."""
    todo = [value]
    while todo:
        for item in todo.pop():
            if isinstance(item, Tensor) or hasattr(item, "__tf_tensor__"):
                return True
            if isinstance(item, list | tuple):
                todo.append(item)
    return False


def _wrong_dtype(tensor: Tensor, wanted: Any) -> ValueError:
    return ValueError(
        teach(
            f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
            f"{tensor.dtype.name}: {tensor!r}.",
            "minitape, like TensorFlow, never changes the dtype of a tensor by itself.",
            f"Write `tf.cast(x, tf.{wanted.name})`.",
        )
    )


def operand(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A tensor of `value` for an op whose other inputs have `dtype` (None: they decide nothing).

    A variable gives what it holds now without a record of its own; composites stay what they are.
    """
    kind = type(value)
    if kind is EagerTensor:
        return value
    if (kind is float or kind is int) and dtype is not None and dtype.kind in "fc":
        return EagerTensor(dtype.type(value))
    if isinstance(value, Operators):
        read = getattr(value, "as_operand", None)
        return value if read is None else read()
    return _convert_plain(value, dtype, None)


def to_array(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A new native array (rank 0: a NumPy scalar) of `value`, by TensorFlow's inference."""
    if value is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a "
            "Tensor."
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
        raise _not_rectangular(value)
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
