"""From Python and NumPy values to tensors, by TensorFlow's rules.

Between tensors there is no promotion. A Python number, a list or an array takes the dtype of the
tensor beside it; two tensors of different dtypes are an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.names.loading import load_rest
from minitape.safety.silence import quietly
from minitape.tensor import EagerTensor, Operators, Tensor, eager, make_constant
from minitape.values import dtypes
from minitape.values.arrays import to_array
from minitape.values.containers import refuse_endless

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard


_MAX_RANK = 64  # NumPy's arrays have no more axes

# The op that packs a list of tensors; `ops/array.py` puts it here, as ops attach their operators.
pack: list[Callable[..., Tensor]] = []


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
    if isinstance(value, list | tuple) and holds_tensor(value):
        if not pack:
            load_rest()
        return pack[0](value, wanted)
    if wanted is None and hint is not None:
        try:
            return make_constant(to_array(value, dtypes.as_dtype(hint).np), value)
        except (TypeError, ValueError):
            pass  # a hint is a wish: what does not fit it keeps its own dtype
    return make_constant(to_array(value, wanted), value)


def holds_tensor(value: Any) -> bool:
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


def _takes_fractions(dtype: np.dtype[Any] | None) -> TypeGuard[np.dtype[Any]]:
    return dtype is not None and dtype.kind in "fc"


def operand(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """A tensor of `value` for an op whose other inputs have `dtype` (None: they decide nothing).

    A variable gives what it holds now without a record of its own; composites stay what they are.
    """
    kind = type(value)
    if (kind is float or kind is int) and _takes_fractions(dtype):
        return eager(quietly(dtype.type, value))
    if kind is EagerTensor:
        return value
    if isinstance(value, Operators):
        return value.as_operand()
    return _convert_plain(value, dtype, None)
