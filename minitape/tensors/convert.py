"""From Python and NumPy values to tensors, by TensorFlow's rules.

The one fact to know: between tensors there is no promotion. A Python number, a list or an array
takes the dtype of the tensor beside it; two tensors of different dtypes are an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.interpreter import symbolic_interpreter, tell_journals
from minitape.names.loading import load_rest
from minitape.tensor import EagerTensor, Operators, Tensor, eager
from minitape.values import dtypes
from minitape.values.arrays import to_array
from minitape.values.containers import refuse_endless
from minitape.values.shapes import TensorShape
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard


_MAX_RANK = 64  # NumPy's arrays have no more axes

# The op that packs a list of tensors; `ops/array.py` puts it here, as ops attach their operators.
pack: list[Callable[..., Tensor]] = []


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """Makes a tensor of a Python number, a nested list or a NumPy array (which is copied).

    Args:
        value: a number, bool, string, array, or nested lists of them with rows of equal length; a
            tensor comes back itself, so its gradient flows (in a graph, or in another shape, a
            constant of its values), lists of tensors are for `tf.stack`.
        dtype: the element type; by default float32 for Python floats, int32 for ints, and the
            array's own for NumPy arrays.
        shape: the shape; a single value is repeated to fill it.
        name: accepted and not used.

    Raises:
        ValueError: if rows differ in length, or there are tensors in the list.
        TypeError: if the values do not fit `dtype` or `shape`, or a tensor has another dtype.

    Example:
        >>> import minitape as tf
        >>> print(tf.constant([1.0, 2.0]))
        tf.Tensor([1. 2.], shape=(2,), dtype=float32)
        >>> tf.constant(7, shape=[2, 2]).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    if isinstance(value, Tensor) or hasattr(value, "__tf_tensor__"):
        tensor = convert_to_tensor(value)
        is_itself = tensor is value
        if is_itself and dtype not in (None, tensor.dtype):
            raise _another_dtype(tensor, dtypes.as_dtype(dtype).name)
        fits = shape is None or tuple(TensorShape(shape)) == tensor.spec.shape
        if is_itself and fits and symbolic_interpreter() is None:
            return tensor
        value = tensor.numpy()
    elif isinstance(value, list | tuple) and _holds_tensor(value):
        raise _constant_of_tensors(value)
    array = to_array(value, None if dtype is None else dtypes.as_dtype(dtype).np)
    if shape is not None:
        array = _fill(array, tuple(TensorShape(shape)))
    return make_constant(array, value)


def make_constant(value: Any, origin: Any = None) -> Tensor:
    """Wraps an array that nobody else holds; inside a graph the constant becomes a node of it.

    `origin` is what the array was made of: a journal notes what came back from NumPy.
    """
    tensor = eager(value)
    tell_journals("constant", tensor, origin)
    graph = symbolic_interpreter()
    return tensor if graph is None else graph.constant(tensor)


def _another_dtype(tensor: Tensor, wanted: str) -> TypeError:
    return TypeError(
        teach(
            f"Expected tensor {tensor!r} with dtype {wanted}, but got dtype {tensor.dtype.name}.",
            "A tensor keeps its dtype until it is cast.",
            f"Write `tf.cast(x, tf.{wanted})`.",
        )
    )


def _constant_of_tensors(value: Any) -> ValueError:
    return ValueError(
        teach(
            f"Attempt to convert a value ({value!r:.100}) with tensors in it to a constant.",
            "A constant is made of plain numbers, so the gradient would end here unnoticed.",
            "Write `tf.stack(...)` or `tf.convert_to_tensor(...)`, which keep the gradient.",
        )
    )


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
    if hasattr(value, "in_graph"):  # a number that is known when the graph runs
        return value.in_graph(wanted)  # type: ignore[no-any-return]
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
    """Whether a nested list has a tensor or variable in it.

    Raises:
        ValueError: a list contains itself.
    """
    level = [value]
    for _ in range(_MAX_RANK):
        inner: dict[int, Any] = {}  # by their ids: each list once, however often it is met
        for each in level:
            for item in each:
                if isinstance(item, Tensor) or hasattr(item, "__tf_tensor__"):
                    refuse_endless(value)
                    return True
                if isinstance(item, list | tuple):
                    inner[id(item)] = item
        level = list(inner.values())
        if not level:
            return False
    refuse_endless(value)
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


_ONE = np.float32(1)


def _takes_fractions(dtype: np.dtype[Any] | None) -> TypeGuard[np.dtype[Any]]:
    return dtype is not None and dtype.kind in "fc"


def operand(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A tensor of `value` for an op whose other inputs have `dtype` (None: they decide nothing).

    A variable gives what it holds now without a record of its own; composites stay what they are.
    """
    kind = type(value)
    if (kind is float or kind is int) and (dtype is FLOAT32 or _takes_fractions(dtype)):
        tensor = EagerTensor()  # eager(...), without its frame
        # The product is np.float32(value) in a quarter of the time.
        tensor.value = _ONE * value if dtype is FLOAT32 else dtype.type(value)
        tensor.mark = None
        return tensor
    if kind is EagerTensor:
        return value
    if isinstance(value, Operators):
        return value.as_operand()
    return _convert_plain(value, dtype, None)
