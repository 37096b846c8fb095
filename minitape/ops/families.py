"""What many ops share: axes in canonical form, and rules for whole families.

A batching rule gets stacks (`values[i]` has a leading batch axis where `stacked[i]`), and
attributes in canonical form, so that moving to stacks is adding 1 to an axis. This is the lowest of
the ops: rules call the op that they are given.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.hooks import kernel
from minitape.tensors.composite import dense

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Shape

# Elements. From here on it is worth while to spare an array, or a slow loop of NumPy's.
MANY = 4096

BatchRule = "Callable[[list[Any], list[bool], tuple[Any, ...], int], Any]"


_add: Any = np.add.reduce  # whose stubs do not know all of its arguments together


@kernel
def extreme(ufunc: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """`ufunc.reduce` of an array with elements, for np.maximum or np.minimum."""
    return ufunc.reduce(x, axis=axis, keepdims=keepdims)


@kernel
def total(x: Any, axis: Any, keepdims: bool) -> Any:
    """The sum of an array in its own dtype."""
    return _add(x, axis=axis, dtype=x.dtype, keepdims=keepdims)


@kernel
def sum_of_rows(x: Any) -> Any:
    """The sum over the first axis."""
    return _add(x, axis=0, dtype=x.dtype)


@kernel
def add_rows(out: Any, indices: Any, x: Any) -> None:
    """Adds the slices of `x` to those of a new array `out`, which `indices` name."""
    np.add.at(out, indices, x)


@kernel
def repeated(number: int, count: int, dtype: Any) -> Any:
    """A vector of one number, which nobody writes to."""
    return np.full(count, number, dtype)


@kernel
def bounded(ufunc: Any, x: Any, bound: Any) -> Any:
    """`ufunc(x, bound)` for np.maximum or np.minimum and a number."""
    return ufunc(x, bound)


def as_value(out: Any) -> Any:
    """What a forward returns: a NumPy scalar for rank 0, but an array where that holds a string."""
    if isinstance(out, np.ndarray):
        return out if out.ndim or out.dtype == object else out[()]
    return out if isinstance(out, np.generic) else np.array(out, object)


def canonical_axis(axis: Any, rank: int, op: str, argument: str = "axis") -> int:
    """`axis` counted from the left.

    Raises:
        InvalidArgumentError: if there is no such axis.
    """
    try:
        number = axis.__index__()
    except (AttributeError, TypeError):
        raise TypeError(
            f"{op}: {argument} must be an integer; got {short(axis)} of type "
            f"{type(axis).__name__}. Write for instance `{argument}=0`."
        ) from None
    if not -rank <= number < rank:
        known = f"Use {argument} from {-rank} to {rank - 1}." if rank else "A scalar has no axes."
        raise InvalidArgumentError(
            f"{op}: {argument}={number} is out of range for a tensor of rank {rank}. {known}"
        )
    return number % rank


def canonical_axes(axis: Any, rank: int, op: str) -> tuple[int, ...] | None:
    """Sorted axes counted from the left; None stays None and stands for all of them.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.
    """
    if axis is None:
        return None
    if type(axis) is int and 0 <= axis < rank:
        return (axis,)
    if hasattr(axis, "numpy"):
        axis = axis.numpy()
    several = axis.tolist() if hasattr(axis, "tolist") else axis
    several = several if isinstance(several, list | tuple | range) else [several]
    axes = sorted(canonical_axis(each, rank, op) for each in several)
    if len(set(axes)) < len(axes):
        raise InvalidArgumentError(f"{op}: axis={axis} names an axis twice. Name each axis once.")
    return tuple(axes)


def keep_axes_shape(shape: Shape, axis: tuple[int, ...] | None) -> Shape:
    """`shape` with the reduced axes as size 1."""
    return tuple(1 if axis is None or i in axis else n for i, n in enumerate(shape))


def batched_reduction(call: Callable[..., Any]) -> Any:
    """The rule of ops with the attributes `axis` (None or a tuple) and `keepdims`."""

    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        axis, *rest = attributes
        x = values[0]
        axes = range(len(x.shape) - 1) if axis is None else axis
        return call(x, tuple(i + 1 for i in axes), *rest)

    return rule


def batched_along_axis(call: Callable[..., Any], place: int = 0) -> Any:
    """The rule of one-input ops with one canonical axis, attribute number `place`."""

    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        moved = list(attributes)
        moved[place] += 1
        return call(values[0], *moved)

    return rule


def picked(call: Callable[..., Any]) -> Any:
    """The JVP of ops that pick numbers of their first input: they pick the same of its tangent.

    The transpose of a VJP would give that too, but by way of zeros as large as the input.
    """

    def rule(tangents: Any, inputs: Any, out: Any, attributes: Any) -> Any:
        return call(dense(tangents[0]), *inputs[1:], *attributes)

    return rule
