"""The largest and smallest: reduce_max, reduce_min, argmax, argmin.

Elements that tie for an extreme share its gradient evenly, as in TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, primitive
from minitape.ops.broadcasting import add_up, restore_axes
from minitape.ops.families import batched_along_axis, batched_reduction, canonical_axis, extreme
from minitape.ops.reductions.reduction import prepare_axes, public_reduction
from minitape.ops.statics import static_value
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor
    from minitape.values.public_types import Axis, DTypeLike, TensorLike


def _bound(dtype: np.dtype[Any], largest: bool) -> Any:
    """The extreme of no elements: the infinity or integer limit at the other end."""
    if dtype.kind == "f":
        return -np.inf if largest else np.inf
    limits = np.iinfo(dtype)
    return limits.min if largest else limits.max


def _extreme(ufunc: Any, x: Array, axis: Any, keepdims: bool) -> Array:
    if x.size:
        return extreme(ufunc, x, axis, keepdims)
    start = _bound(x.dtype, ufunc is np.maximum)
    return ufunc.reduce(x, axis, keepdims=keepdims, initial=start)


@primitive(differentiable=False, latex=r"\mathrm{{winner}}\left({x}\right)")
def extreme_shares(x: Array, axis: Any, largest: bool) -> Array:
    """What each element gets of the gradient of the extreme over `axis`: 1/n for n ties, else 0."""
    ties = x == _extreme(np.maximum if largest else np.minimum, x, axis, True)
    return (ties / add_up(ties, axis, x.dtype, None, True)).astype(x.dtype)


extreme_shares.says(called="shares of winners")


@extreme_shares.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    axis, largest = attributes
    axes = range(len(values[0].shape) - 1) if axis is None else axis
    return extreme_shares(values[0], tuple(i + 1 for i in axes), largest)


@primitive(type_name="Max", latex=r"\max {x:3}", refuses="bcO")
def reduce_max(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The largest over `axis`; -inf (the lowest integer) of none. Ties share the gradient."""
    return _extreme(np.maximum, x, axis, keepdims)


reduce_max.says(
    reduces="largest",
    extreme="largest",
    unpicked="nowhere the largest",
    rule="only the largest gets it",
)


reduce_max.prepare(prepare_axes("reduce_max"))


@reduce_max.vjp("x")
def _(g: Tensor, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return restore_axes(g, x.shape, axis, keepdims) * extreme_shares(x, axis, True)


reduce_max.batch(batched_reduction(reduce_max))


@primitive(type_name="Min", latex=r"\min {x:3}", refuses="bcO")
def reduce_min(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The smallest over `axis`; inf (the highest integer) of none. Ties share the gradient."""
    return _extreme(np.minimum, x, axis, keepdims)


reduce_min.says(
    reduces="smallest",
    extreme="smallest",
    unpicked="nowhere the smallest",
    rule="only the smallest gets it",
)


reduce_min.prepare(prepare_axes("reduce_min"))


@reduce_min.vjp("x")
def _(g: Tensor, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return restore_axes(g, x.shape, axis, keepdims) * extreme_shares(x, axis, False)


reduce_min.batch(batched_reduction(reduce_min))

public_reduce_max = public_reduction(
    reduce_max,
    "reduce_max",
    "math.reduce_max",
    does="The largest element over axes; elements that tie share its gradient evenly.",
    example=">>> tf.reduce_max([[1, 5], [3, 4]], axis=1).numpy().tolist()\n        [5, 4]",
)
public_reduce_min = public_reduction(
    reduce_min,
    "reduce_min",
    "math.reduce_min",
    does="The smallest element over axes; elements that tie share its gradient evenly.",
    example=">>> tf.reduce_min([[1, 5], [3, 4]], axis=1).numpy().tolist()\n        [1, 3]",
)


@primitive(
    differentiable=False,
    type_name="ArgMax",
    latex=r"\mathrm{{argmax}}\left({x}\right)",
    refuses="cO",
)
def argmax(x: Indices, axis: int = 0, dtype: Any = np.int64) -> Array:
    """The index of the largest element along `axis`; the first where several are."""
    return np.argmax(x, axis).astype(dtype)[()]


argmax.says(jumps="position")


@primitive(
    differentiable=False,
    type_name="ArgMin",
    latex=r"\mathrm{{argmin}}\left({x}\right)",
    refuses="cO",
)
def argmin(x: Indices, axis: int = 0, dtype: Any = np.int64) -> Array:
    """The index of the smallest element along `axis`; the first where several are."""
    return np.argmin(x, axis).astype(dtype)[()]


argmin.says(jumps="position")


def _prepare_index(op: str) -> Any:
    def prepare(x: Any, axis: Any, dtype: Any) -> tuple[Any, ...]:
        shape = tuple(x.shape)
        number = canonical_axis(static_value(axis, op, "axis"), len(shape), op)
        if not shape[number]:
            raise InvalidArgumentError(
                teach(
                    f"Reduction axis {number} is empty in shape {list(shape)} [Op:{op}].",
                    "No element of an empty axis is an extreme, so there is no index to return.",
                    "Check `x.shape` before, or choose another axis.",
                )
            )
        return number, dtypes.as_dtype(dtype).np

    return prepare


for _op in (argmax, argmin):
    _op.prepare(_prepare_index(_op.op.type_name))
    _op.batch(batched_along_axis(_op))


@export("argmax", "math.argmax")
def argmax_function(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    axis: Axis = None,
    output_type: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor:
    """The index of the largest element along an axis; the first where several are.

    Args:
        input: a tensor of rank 1 or more.
        axis: along which axis, by default the first.
        output_type: the integer type of the indices.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is no such axis, or it is empty.

    Example:
        >>> import minitape as tf
        >>> tf.argmax([[1, 9], [3, 2]], axis=1).numpy().tolist()
        [1, 0]
    """
    return argmax(operand(input, None), 0 if axis is None else axis, output_type)


@export("argmin", "math.argmin")
def argmin_function(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    axis: Axis = None,
    output_type: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor:
    """The index of the smallest element along an axis; the first where several are.

    Args:
        input: a tensor of rank 1 or more.
        axis: along which axis, by default the first.
        output_type: the integer type of the indices.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is no such axis, or it is empty.

    Example:
        >>> import minitape as tf
        >>> int(tf.argmin([4.0, 1.0, 1.0]))
        1
    """
    return argmin(operand(input, None), 0 if axis is None else axis, output_type)
