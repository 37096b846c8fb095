"""Making tensors: constants of one value, sequences, and `linspace`, differentiable in its ends.

The one fact to know: what is made here depends on shapes only, so nothing of it is recorded; a
tensor that gives the value (`tf.fill(dims, x)`) is broadcast, through which gradients pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import check_memory, checked_one
from minitape.ops import broadcasting
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.families import canonical_axis
from minitape.ops.shapes.shaping import one_rank, spread
from minitape.ops.statics import (
    as_tensor,
    is_open,
    open_size,
    static_array,
    static_dims,
    static_int,
)
from minitape.primitive import export, exports, operands, primitive, registry
from minitape.tensor import make_constant
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor
    from minitape.values.public_types import Axis, DTypeLike, ShapeLike, TensorLike
    from minitape.values.results import SameKind


@export("zeros")
def zeros(shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """A tensor of zeros; False for bools, empty for strings.

    Example:
        >>> import minitape as tf
        >>> tf.zeros([2], tf.int32).numpy().tolist()
        [0, 0]
    """
    return _filled(static_dims(shape, "zeros"), dtypes.as_dtype(dtype).np, 0)


@export("ones")
def ones(shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """A tensor of ones; True for bools.

    Example:
        >>> import minitape as tf
        >>> tf.ones([2]).numpy().tolist()
        [1.0, 1.0]
    """
    return _filled(static_dims(shape, "ones"), dtypes.as_dtype(dtype).np, 1)


@export("zeros_like")
def zeros_like(input: TensorLike, dtype: DTypeLike = None, name: str | None = None) -> SameKind:  # noqa: A002  # TensorFlow's name
    """Zeros in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""
    return _like(input, dtype, 0)


@export("ones_like")
def ones_like(input: TensorLike, dtype: DTypeLike = None, name: str | None = None) -> SameKind:  # noqa: A002  # TensorFlow's name
    """Ones in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""
    return _like(input, dtype, 1)


def _like(value: Any, dtype: Any, number: int) -> Tensor:
    x = operand(value, None)
    if None in tuple(x.shape):  # a ragged tensor
        return x.with_parts([_like(part, dtype, number) for part in x.parts()])
    return _filled(
        tuple(x.shape), x.spec.dtype if dtype is None else dtypes.as_dtype(dtype).np, number
    )


def _filled(shape: Any, dtype: np.dtype[Any], number: int) -> Tensor:
    if dtype.kind == "O":
        if number:
            raise TypeError(
                "ones: strings have no number one. Choose a numeric dtype, or use tf.fill."
            )
        return make_constant(np.full(shape, b"", object))
    if any(type(n) is not int for n in shape):  # sizes that are known when a graph runs
        return broadcasting.broadcast_to(make_constant(dtype.type(number)), shape)
    if not shape:
        return make_constant(dtype.type(number))
    check_memory("fill", shape, dtype.itemsize)
    return make_constant(np.full(shape, number, dtype))


@export("fill")
def fill(dims: Any, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` whose elements are all `value`, a scalar; gradients reach `value`.

    Raises:
        InvalidArgumentError: if `value` is not a scalar, nor a vector of one element, which
            TensorFlow takes as well.

    Example:
        >>> import minitape as tf
        >>> tf.fill([2, 2], 7).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    x = as_tensor(value)
    if tuple(x.shape) == (1,):
        x = registry["reshape"].public(x, ())
    if len(x.shape):
        raise InvalidArgumentError(
            f"fill: value must be a scalar; got shape {tuple(x.shape)}. Use tf.broadcast_to or "
            "tf.tile."
        )
    return broadcasting.broadcast_to(x, static_dims(dims, "fill", "dims"))


@export("eye", "linalg.eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: ShapeLike = None,
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or a batch of them.

    Example:
        >>> import minitape as tf
        >>> tf.eye(2).numpy().tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = checked_one("eye", "num_rows", static_dims(num_rows, "eye", "num_rows"))
    columns = rows
    if num_columns is not None:
        dims = static_dims(num_columns, "eye", "num_columns")
        columns = checked_one("eye", "num_columns", dims)
    batch = () if batch_shape is None else static_dims(batch_shape, "eye", "batch_shape")
    kind = dtypes.as_dtype(dtype).np
    if type(rows) is not int and num_columns is None:  # known when the graph runs
        return exports["linalg.diag"](_filled((*batch, rows), kind, 1))
    check_memory("eye", (rows, columns), kind.itemsize)
    matrix = np.eye(rows, columns, dtype=kind)
    return make_constant(np.broadcast_to(matrix, (*batch, rows, columns)))


@export("range")
def range_(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """The numbers from `start` to before `limit`, `delta` apart; one argument is the limit.

    Args:
        start: the first number.
        limit: where it ends.
        delta: the step, not zero.
        dtype: by default that of the arguments: int32 for Python ints, float32 for floats.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if `delta` is zero or leads away from `limit`.
        TypeError: if a Python float is given for a range of integers.

    Example:
        >>> import minitape as tf
        >>> tf.range(3).numpy().tolist(), tf.range(2, 9, 3).numpy().tolist()
        ([0, 1, 2], [2, 5, 8])
    """
    if limit is None:
        start, limit = 0, start
    if is_open(limit) or is_open(start):
        return _open_range(open_size(start), open_size(limit), open_size(delta), dtype)
    ends = [_end(each, dtype) for each in (start, limit, delta)]
    if any(each.dtype.kind == "O" for each in ends):
        raise TypeError(
            f"range: start, limit and delta must be numbers; got {start!r}, {limit!r}, {delta!r}. "
            "A text has no next one. Write for instance `tf.range(0, 10, 2)`."
        )
    wanted = (
        np.result_type(*(each.dtype for each in ends))
        if dtype is None
        else dtypes.as_dtype(dtype).np
    )
    if dtype is None:
        wanted = _widest([each.dtype for each in ends])
    first, last, step = (each.astype(wanted) for each in ends)
    if step == 0 or not (last - first) * np.sign(step) >= 0:  # also where one is nan
        raise InvalidArgumentError(
            "range: Requires start <= limit when delta > 0 and start >= limit when delta < 0, "
            "and delta != 0; got "
            f"start={first}, limit={last}, delta={step}. Change the sign of delta."
        )
    check_memory("range", [int(min((last - first) / step, 1e30))], 2 * wanted.itemsize)
    return make_constant(np.arange(first, last, step).astype(wanted))


def _open_range(start: int, limit: int, delta: int, dtype: Any) -> Tensor:
    """A range whose length is known when the graph runs: sums of ones."""
    count = (limit - start + delta - 1) // delta
    steps = exports["cumsum"](_filled((count,), dtypes.as_dtype(dtype or "int32").np, 1))
    first = operand(start - delta, steps.spec.dtype)
    return steps * operand(delta, steps.spec.dtype) + first


def _end(value: Any, dtype: Any) -> Any:
    """A start, limit or step; a Python float is no end of a range of integers."""
    kind = None if dtype is None or type(value) is not float else dtypes.as_dtype(dtype).np
    end = static_array(value, "range", "its ends", kind)
    if end.shape == (1,):  # of one element, as TensorFlow takes it
        end = end[0]
    if end.shape:
        raise InvalidArgumentError(
            f"range: start, limit and delta must be scalars; got shape {end.shape}. Take one "
            "element of it."
        )
    return end


def _widest(found: list[np.dtype[Any]]) -> np.dtype[Any]:
    """The last of TensorFlow's order int32, int64, float32, float64 among the dtypes of a range."""
    order = [np.dtype(name) for name in ("int32", "int64", "float16", "float32", "float64")]
    return max(found, key=lambda dtype: order.index(dtype) if dtype in order else -1)


@primitive(type_name="LinSpace", latex=r"\mathrm{{linspace}}\left({x}, {y}\right)")
def linspace(x: Array, y: Array, num: int, axis: int) -> Array:
    """`num` values from `x` to `y`, evenly spaced along a new axis; see `tf.linspace`."""
    return np.linspace(x, y, num, axis=axis, dtype=x.dtype)


@linspace.vjp("x")
def _(g: Tensor, x: Spec, num: int, axis: int) -> Tensor:
    return reduce_sum(g * (1 - _steps(x, num, axis)), (axis,))


@linspace.vjp("y")
def _(g: Tensor, x: Spec, num: int, axis: int) -> Tensor:
    return reduce_sum(g * _steps(x, num, axis), (axis,))


def _steps(x: Spec, num: int, axis: int) -> Any:
    """How far along each of the values is, from 0 to 1."""
    return np.linspace(0, 1, num, dtype=x.dtype).reshape((num,) + (1,) * (len(x.shape) - axis))


@linspace.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    num, axis = attributes
    spreads = [spread(v, own, size) for v, own in zip(values, stacked, strict=True)]
    return linspace(*spreads, num, axis + 1) if one_rank(spreads) else NotImplemented


@export("linspace", "lin_space")
def linspace_values(
    start: TensorLike, stop: TensorLike, num: Any, name: str | None = None, axis: Axis = 0
) -> Tensor:
    """`num` values from `start` to `stop`, both included, evenly spaced along a new axis.

    Args:
        start: a floating tensor; integers become float64, those of 8 and 16 bits float32.
        stop: a tensor of the same dtype; the shapes broadcast.
        num: how many; one value is `start`, none an empty axis.
        name: accepted and not used.
        axis: where the new axis stands in the result.

    Raises:
        ValueError: if `num` is negative.

    Example:
        >>> import minitape as tf
        >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
        [0.0, 0.5, 1.0]
    """
    x, y = operands(linspace.op, (start, stop))
    num = static_int(num, "linspace", "num")
    if num < 0:
        raise InvalidArgumentError(f"linspace: Requires num >= 0: {num}. It counts the values.")
    if x.spec.dtype.kind in "iu":
        kind = np.float32 if x.spec.dtype.itemsize < 4 else np.float64
        x, y = (registry["cast"](each, np.dtype(kind)) for each in (x, y))
    shape = np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    x, y = (v if tuple(v.shape) == shape else broadcasting.broadcast_to(v, shape) for v in (x, y))
    axis = static_int(axis, "linspace", "axis")
    return linspace(x, y, num, canonical_axis(axis, len(shape) + 1, "linspace"))
