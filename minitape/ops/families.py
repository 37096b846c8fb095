"""What many ops share: axes in canonical form, and batching rules for whole families.

The one fact to know: a batching rule gets stacks (`values[i]` has a leading batch axis where
`stacked[i]`), and attributes in canonical form, so that moving to stacks is adding 1 to an axis.
May import: errors, spec. (It is the lowest of the ops: rules call the op they are given.)
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.values.spec import FLOAT32, FLOAT64

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Shape

# Elements and rows: NumPy's reductions take their time per row along a last axis as short as this.
_SHORT, _SHORT_SUM, _ROWS = 32, 128, 16
_LONG = 64
MANY = 4096  # elements; from here on it is worth while to spare an array, or a slow loop of NumPy's
_FIRST = (0, (0,))
_BLAS = frozenset({FLOAT32, FLOAT64})  # of what it makes products

BatchRule = "Callable[[list[Any], list[bool], tuple[Any, ...], int], Any]"


def extreme(ufunc: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """`ufunc.reduce` of an array with elements, for np.maximum or np.minimum.

    Over a short last axis it reduces the first of a transposed copy, up to ten times as quick.
    """
    if not _is_short(x, axis, _SHORT):
        return ufunc.reduce(x, axis, None, None, keepdims)
    shape = x.shape[:-1]
    out = ufunc.reduce(x.reshape(-1, x.shape[-1]).T.copy(), 0)
    return out.reshape((*shape, 1) if keepdims else shape)


def total(x: Any, axis: Any, keepdims: bool) -> Any:
    """The sum of an array in its own dtype.

    Over the first axis, or over a short last one, a product with ones is up to 20 times as quick.
    """
    if axis in _FIRST and x.ndim > 1:
        sums = sum_of_rows(x)
        return sums[np.newaxis] if keepdims else sums
    if not _is_short(x, axis, _SHORT_SUM) or x.dtype not in _BLAS:
        return _add(x, axis, x.dtype, None, keepdims)
    *shape, n = x.shape
    sums = x.reshape(-1, n).dot(repeated(1, n, x.dtype))
    return sums.reshape((*shape, 1) if keepdims else shape)


def sum_of_rows(x: Any) -> Any:
    """The sum over the first axis."""
    dtype = x.dtype
    if dtype in _BLAS:
        if x.ndim == 2:
            return repeated(1, len(x), dtype).dot(x)
        if x.ndim > 2 and x.size >= MANY and x.flags.c_contiguous:
            return repeated(1, len(x), dtype).dot(x.reshape(len(x), -1)).reshape(x.shape[1:])
    return _add(x, 0, x.dtype)


def repeated(number: int, count: int, dtype: Any) -> Any:
    """A vector of one number; short ones are made once, for all, and cannot be written to."""
    make = _repeated if count <= MANY else _repeated.__wrapped__
    return make(number, count, dtype)


@lru_cache(64)
def _repeated(number: int, count: int, dtype: Any) -> Any:
    out = np.full(count, number, dtype)
    out.flags.writeable = False
    return out


def bounded(ufunc: Any, x: Any, bound: Any) -> Any:
    """`ufunc(x, bound)` for np.maximum or np.minimum and a number.

    NumPy takes half the time beside an array of such numbers, where there are many elements.
    """
    if x.size < MANY:
        return ufunc(x, bound)
    row = x.shape[-1:] if x.shape[-1] >= _LONG else x.shape
    own = type(bound) is int and len(row) == 1  # the op's; a user's may be -0.0, which equals 0
    return ufunc(x, repeated(bound, row[0], x.dtype) if own else np.full(row, bound, x.dtype))


def _is_short(x: Any, axis: Any, limit: int) -> bool:
    """Whether `axis` is the last of several, and there are many short rows along it."""
    if axis is None or x.ndim < 2 or axis not in (-1, x.ndim - 1, (x.ndim - 1,)):
        return False
    n = x.shape[-1]
    return 0 < n <= limit and x.size >= n * _ROWS


# By position it takes 0.3 µs less than by name, which NumPy's stubs do not know of `keepdims`.
_add: Any = np.add.reduce


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
            f"{op}: {argument} must be an integer; got {axis!r} of type {type(axis).__name__}."
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
