"""Clipping: to a range of values, to a norm of one tensor, to a common norm of several.

Inside the range, its bounds included, the gradient passes unchanged; where a tensor is scaled to a
norm, the gradient takes the scaling into account.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, operands, primitive
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.elementwise.comparison import masked, maximum, minimum, select
from minitape.ops.elementwise.powers import rsqrt, sqrt
from minitape.ops.families import bounded
from minitape.ops.reductions.sums import add_n
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import Axis, TensorLike
    from minitape.values.results import SameKind


@primitive(
    broadcasts=True,
    type_name="ClipByValue",
    node_name="clip_by_value",
    latex=r"\mathrm{{clip}}\left({x}, {low}, {high}\right)",
    refuses="bc",
)
def clip_by_value(x: Array, low: Array, high: Array) -> Array:
    """The value nearest to x between low and high, elementwise (low, if high is below it).

    The gradient goes to x from low to high, the bounds included, else to the bound that was taken.
    """
    if high.ndim == 0 == low.ndim:
        return bounded(np.maximum, bounded(np.minimum, x, high), low)
    return np.maximum(np.minimum(x, high), low)


clip_by_value.says(
    gate="clipped",
    fault="clipped",
    flat="the value is outside of the limits, where it is held fast",
)


@clip_by_value.vjp("x")
def _(g: Tensor, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return masked(g, (x >= low) & (x <= high))


@clip_by_value.vjp("low")
def _(g: Tensor, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return masked(g, minimum(x, high) < low)


@clip_by_value.vjp("high")
def _(g: Tensor, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return masked(g, (x > high) & (high >= low))


@export("clip_by_value")
def clip_by_value_function(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> SameKind:
    """Clips the elements of a tensor to a range.

    Args:
        t: tensor of real numbers, or `IndexedSlices`.
        clip_value_min: the smallest value; a tensor that broadcasts to the shape of `t`.
        clip_value_max: the largest value; a tensor that broadcasts to the shape of `t`.
        name: accepted and not used.

    Returns:
        A tensor like `t`. The gradient passes inside the range and at its bounds.

    Raises:
        InvalidArgumentError: if a bound would broadcast `t` to a larger shape.

    Example:
        >>> import minitape as tf
        >>> tf.clip_by_value([-3.0, 0.5, 5.0], -1.0, 2.0).numpy().tolist()
        [-1.0, 0.5, 2.0]
    """
    values = operand(_values(t), None)
    out = clip_by_value.public(values, clip_value_min, clip_value_max)
    if tuple(out.spec.shape) != tuple(values.spec.shape):
        raise InvalidArgumentError(
            teach(
                f"clip_by_value: bounds would broadcast `t` of shape {tuple(values.spec.shape)} to "
                f"{tuple(out.spec.shape)}.",
                "Clipping keeps the shape.",
                "Broadcast the tensor first: `tf.broadcast_to(t, shape)`.",
            )
        )
    return _like(t, out)


def _values(t: Any) -> Any:
    """The values of sparse slices; anything else is its own values."""
    return t.parts()[0] if isinstance(t, Composite) else t


def _like(t: Any, values: Any) -> Any:
    """The clipped `values` in the form of `t`."""
    return t.with_parts([values]) if isinstance(t, Composite) else values


@export("clip_by_norm")
def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: Axis = None, name: str | None = None
) -> SameKind:
    """Scales a tensor down to a 2-norm, where it has a larger one.

    Args:
        t: floating tensor, or `IndexedSlices`.
        clip_norm: the largest norm, a scalar.
        axes: the axes over which norms are taken; all by default.
        name: accepted and not used.

    Returns:
        A tensor like `t`: `t * clip_norm / max(norm, clip_norm)`.

    Example:
        >>> import minitape as tf
        >>> print(tf.clip_by_norm([3.0, 4.0], 2.0).numpy())
        [1.2 1.6]
    """
    values, limit = operands(clip_by_value.op, (_values(t), clip_norm))
    squares = reduce_sum(values * values, axes, True)
    positive = squares > 0  # zeros take no square root: its derivative would be infinite
    norm = select(positive, sqrt(select(positive, squares, 1.0)), squares)
    return _like(t, values * limit / maximum(norm, limit))


@export("linalg.global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The 2-norm of several tensors taken as one vector.

    Args:
        t_list: list of floating tensors or `IndexedSlices`; None is left out.
        name: accepted and not used.

    Returns:
        A scalar tensor; 0 where there is nothing.

    Raises:
        TypeError: if `t_list` is not a list.

    Example:
        >>> import minitape as tf
        >>> float(tf.linalg.global_norm([tf.constant([3.0]), tf.constant([4.0])]))
        5.0
    """
    halves = [reduce_sum(x * x) * 0.5 for x in _tensors(t_list) if x is not None]
    return sqrt(add_n(halves) * 2.0) if halves else operand(0.0, None)


def _tensors(t_list: Any) -> list[Any]:
    """The values of each entry as a tensor, None where there is none."""
    if not isinstance(t_list, list | tuple):
        raise TypeError(
            f"`t_list` should be a sequence of tensors; got {type(t_list).__name__}. Write `[x]`."
        )
    return [None if t is None else operand(_values(t), None) for t in t_list]


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: TensorLike, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Scales several tensors by one factor so that their common 2-norm is at most `clip_norm`.

    Args:
        t_list: list of floating tensors, `IndexedSlices` or None.
        clip_norm: the largest norm, a positive scalar.
        use_norm: the common norm, if it is known already.
        name: accepted and not used.

    Returns:
        The scaled tensors (None stays None), and the norm before scaling. If that norm is infinite
        or nan, the tensors are all nan.

    Raises:
        TypeError: if `t_list` is not a list.

    Example:
        >>> import minitape as tf
        >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
        >>> print(float(norm), clipped[1].numpy())
        5.0 [0.8]
    """
    values = _tensors(t_list)
    norm = global_norm(t_list) if use_norm is None else operand(use_norm, None)
    limit = operand(clip_norm, norm.spec.dtype)
    scale = limit * minimum(1.0 / norm, 1.0 / limit) + (
        norm - norm
    )  # inf - inf makes nan, as wanted
    clipped = [
        None if x is None else _like(t, x * scale) for t, x in zip(t_list, values, strict=True)
    ]
    return clipped, norm


@export("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Tensor:
    """Scales a tensor down to an average 2-norm (norm over the number of elements), where needed.

    Args:
        t: floating tensor.
        clip_norm: the largest average norm, a scalar.
        name: accepted and not used.

    Returns:
        A tensor like `t`.

    Example:
        >>> import minitape as tf
        >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.25).numpy().round(4).tolist()
        [1.5, 2.0]
    """
    x, limit = operands(clip_by_value.op, (t, clip_norm))
    count = float(np.prod(x.spec.shape))
    inverse = rsqrt(reduce_sum(x * x))
    return x * limit * minimum(inverse * count, 1.0 / limit)
