"""Reductions over axes: sums, means, products, truth values, counts.

`axis` reaches forward and rules as None (all axes) or a sorted tuple counted from the left, and a
cotangent gets the reduced axes back as size 1 before it is spread over them.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, primitive
from minitape.ops.broadcasting import add_up, broadcast_to, reduce_sum, restore_axes
from minitape.ops.elementwise.comparison import tie
from minitape.ops.families import batched_reduction, canonical_axes, total
from minitape.ops.reductions.cumulative import cumprod
from minitape.tensor import Operators
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Array, Indices, Shape, Tensor
    from minitape.values.public_types import Axis, DTypeLike, TensorLike

_ARGUMENTS = """

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
"""


_multiply: Any = np.multiply.reduce
_all: Any = np.logical_and.reduce
_any: Any = np.logical_or.reduce


def spread_over(g: Any, shape: Any, axis: Any, keepdims: bool) -> Any:
    """The cotangent of a reduction of `shape`, repeated along the reduced axes."""
    return broadcast_to(restore_axes(g, shape, axis, keepdims), shape)


def prepare_axes(op: str) -> Callable[..., tuple[Any, ...]]:
    """The `prepare` of ops with the attributes axis and keepdims."""
    return lambda x, axis, keepdims: (canonical_axes(axis, len(x.shape), op), bool(keepdims))


def public_reduction(
    op: Any, *names: str, does: str, example: str, dtype: Any = None
) -> Callable[..., Tensor]:
    """The public function of a reduction, with TensorFlow's argument names and a full docstring.

    `dtype` is what plain values are converted to, where it does not follow from them.
    """
    call = op.public

    def function(
        input_tensor: TensorLike,
        axis: Axis = None,
        keepdims: bool = False,
        name: str | None = None,
    ) -> Tensor:
        if dtype is not None and not isinstance(input_tensor, Operators):
            input_tensor = convert_to_tensor(input_tensor, dtype)
        if axis is None and keepdims is False:
            return call(input_tensor)
        return call(input_tensor, axis, keepdims)

    function.__name__ = function.__qualname__ = names[0].rpartition(".")[2]
    function.__module__ = op.__module__
    function.__doc__ = f"{does}{_ARGUMENTS}        {example}\n    "
    return export(*names)(function)


public_reduce_sum = public_reduction(
    reduce_sum,
    "reduce_sum",
    "math.reduce_sum",
    does="The sum of elements over axes; 0 of none.",
    example=">>> tf.reduce_sum([[1, 2], [3, 4]], axis=1).numpy().tolist()\n        [3, 7]",
)


@primitive(type_name="Mean", latex=r"\mathrm{{mean}}\,{x:3}")
def reduce_mean(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The mean over `axis` (all axes by default); integers are divided rounding towards zero."""
    dtype = x.dtype
    if dtype.char not in "fdFD":
        return _other_mean(x, axis, keepdims)
    size = x.size
    if axis is None and not keepdims and size:
        return total(x, None, False) * (1 / size)
    whole = total(x, axis, keepdims)
    return whole * (whole.size / size) if size else whole / size


reduce_mean.says(reduces="mean", shrinks=True, rule="each is shared out evenly")


def _other_mean(x: Array, axis: Any, keepdims: bool) -> Array:
    if x.dtype.kind == "f":  # a sum of many halves would soon be above their largest number
        return np.mean(x, axis, np.float32, keepdims=keepdims).astype(x.dtype)[()]
    if x.dtype.kind == "b":
        raise InvalidArgumentError(
            teach(
                "reduce_mean got a tensor of dtype bool.",
                "Truth values have no sum, so they have no mean.",
                "Write `tf.reduce_mean(tf.cast(x, tf.float32))` for the fraction of True values.",
            )
        )
    # A sum of many bytes is no byte.
    wide = {"i": np.dtype(np.int64), "u": np.dtype(np.uint64)}.get(x.dtype.kind, x.dtype)
    whole = add_up(x, axis, wide, None, keepdims)
    count = max(x.size // max(whole.size, 1), 1)
    return (np.sign(whole) * (np.abs(whole) // count)).astype(x.dtype)[()]


reduce_mean.prepare(prepare_axes("reduce_mean"))


@reduce_mean.vjp("x")
def _(g: Tensor, x: Shape, axis: Any, keepdims: bool) -> Tensor:
    if axis is None:
        return broadcast_to(g * (1 / (prod(x) or 1)), x)
    shared = g * (1 / (prod(x[i] for i in axis) or 1))
    return broadcast_to(restore_axes(shared, x, axis, keepdims), x)


reduce_mean.batch(batched_reduction(reduce_mean))

public_reduce_mean = public_reduction(
    reduce_mean,
    "reduce_mean",
    "math.reduce_mean",
    does="The mean of elements over axes; nan of none, and an integer of integers.",
    example=">>> tf.reduce_mean([[1.0], [3.0]], axis=0).numpy().tolist()\n        [2.0]",
)


@primitive(type_name="Prod", latex=r"\prod {x:2}", refuses="b", lengths=True)
def reduce_prod(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The product over `axis` (all axes by default)."""
    return _multiply(x, axis, x.dtype, None, keepdims)


reduce_prod.says(reduces="product", grows=True, shrinks=True)


reduce_prod.prepare(prepare_axes("reduce_prod"))


@reduce_prod.vjp("x")
def _(g: Tensor, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """Each factor gets the product of the others, which is right with zeros among them too."""
    axes = list(range(len(x.shape)) if axis is None else axis)
    return restore_axes(g, x.shape, axis, keepdims) * _others(x, axes) if axes else tie(g, x)


def _others(x: Any, axes: list[int]) -> Any:
    """The product of all other elements along `axes`, for each element of `x`."""
    first, *rest = axes
    others = cumprod(x, first, True, False) * cumprod(x, first, True, True)
    return others * _others(reduce_prod(x, (first,), True), rest) if rest else others


reduce_prod.batch(batched_reduction(reduce_prod))

public_reduce_prod = public_reduction(
    reduce_prod,
    "reduce_prod",
    "math.reduce_prod",
    does="The product of elements over axes; 1 of none. The gradient is right with zeros too.",
    example=">>> tf.reduce_prod([[1, 2], [3, 4]], axis=1).numpy().tolist()\n        [2, 12]",
)


@primitive(differentiable=False, type_name="All", latex=r"\mathrm{{all}}\left({x}\right)")
def reduce_all(x: Indices, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether all elements over `axis` are True."""
    return _all(_truths(x, "reduce_all"), axis, None, None, keepdims)


reduce_all.prepare(prepare_axes("reduce_all"))
reduce_all.batch(batched_reduction(reduce_all))

public_reduce_all = public_reduction(
    reduce_all,
    "reduce_all",
    "math.reduce_all",
    does="Whether all elements over axes are True; True of none.",
    example=">>> tf.reduce_all([[True, False]], axis=1).numpy().tolist()\n        [False]",
    dtype=dtypes.bool_,
)


@primitive(differentiable=False, type_name="Any", latex=r"\mathrm{{any}}\left({x}\right)")
def reduce_any(x: Indices, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether any element over `axis` is True."""
    return _any(_truths(x, "reduce_any"), axis, None, None, keepdims)


reduce_any.prepare(prepare_axes("reduce_any"))
reduce_any.batch(batched_reduction(reduce_any))

public_reduce_any = public_reduction(
    reduce_any,
    "reduce_any",
    "math.reduce_any",
    does="Whether any element over axes is True; False of none.",
    example=">>> tf.reduce_any([[True], [False]], axis=1).numpy().tolist()\n        [True, False]",
    dtype=dtypes.bool_,
)


def _truths(x: Array, op: str) -> Array:
    if x.dtype.kind != "b":
        raise InvalidArgumentError(
            teach(
                f"{op} got a tensor of dtype {x.dtype.name}.",
                "It works on bools, and these are numbers.",
                f"Compare first, for instance `tf.{op}(x > 0)`.",
            )
        )
    return x


@primitive(differentiable=False, latex=r"\mathrm{{count}}\left({x} \neq 0\right)")
def count_nonzero(
    x: Indices, axis: Any = None, keepdims: bool = False, dtype: Any = np.int64
) -> Array:
    """The number of elements over `axis` that are not zero, False or an empty string."""
    counts = np.count_nonzero(x != b"" if x.dtype == object else x, axis, keepdims=keepdims)
    return np.asarray(counts, dtype)[()]  # NumPy 2.0 counts all axes with a Python number


@count_nonzero.prepare
def _(x: Any, axis: Any, keepdims: Any, dtype: Any) -> tuple[Any, ...]:
    axes = canonical_axes(axis, len(x.shape), "count_nonzero")
    return axes, bool(keepdims), dtypes.as_dtype(dtype).np


count_nonzero.batch(batched_reduction(count_nonzero))


@export("math.count_nonzero")
def count_nonzero_function(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    axis: Axis = None,
    keepdims: bool = False,
    dtype: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor:
    """The number of elements that are not zero (not False, not an empty string).

    Args:
        input: a tensor of any shape and dtype.
        axis: the axes to count over: an integer, a list of them, or None for all.
        keepdims: whether reduced axes stay, with size 1.
        dtype: the integer type of the counts.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.math.count_nonzero([[0, 3], [1, 2]], axis=1).numpy().tolist()
        [1, 2]
    """
    return count_nonzero(operand(input, None), axis, keepdims, dtype)
