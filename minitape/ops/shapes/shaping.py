"""Shapes for users: reshape, transpose, expand_dims, squeeze, and what tells the shape of a tensor.

Shapes are static. A dimension that users give as a tensor is read by value when the op is called,
and `tf.shape(x)` is a constant even where `x` has no value of its own yet.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_items, checked_one
from minitape.errors.of_flags import checked_flag
from minitape.op import export, primitive
from minitape.ops import broadcasting
from minitape.ops.broadcasting import reshape
from minitape.ops.families import as_value, canonical_axes, canonical_axis
from minitape.ops.passing import conj, identity
from minitape.ops.statics import as_rows, as_tensor, static_ints
from minitape.tensor import Operators
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.tensor import Array, Shape, Tensor
    from minitape.values.public_types import Axis, ShapeLike, TensorLike
    from minitape.values.results import SameKind


@primitive(node_name="transpose", latex=r"{x:4}^\top")
def transpose(x: Array, perm: tuple[int, ...]) -> Array:
    """`x` with its axes in the order `perm` (None: reversed); see `tf.transpose`."""
    return as_value(x.transpose(perm))


transpose.says(moves="shape")


@transpose.prepare
def _(x: Any, perm: Any) -> tuple[Any, ...]:
    rank = len(x.shape)
    if perm is None:
        return (tuple(reversed(range(rank))),)
    given = static_ints(perm, "transpose", "perm")
    if sorted(given) == list(range(rank)):
        return (given,)
    order = tuple(canonical_axis(each, rank, "transpose", "perm") for each in given)
    if sorted(order) != list(range(rank)):
        raise InvalidArgumentError(
            f"transpose: perm={list(given)} is not a permutation of the {rank} axes of a "
            "tensor of shape "
            f"{tuple(x.shape)}. Name every axis from 0 to {rank - 1} once."
        )
    return (order,)


@transpose.vjp("x")
def _(g: Tensor, perm: tuple[int, ...]) -> Tensor:
    return transpose(g, inverse(perm))


@transpose.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return transpose(values[0], (0, *(i + 1 for i in attributes[0])))


def inverse(perm: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes `perm`."""
    return tuple(sorted(range(len(perm)), key=perm.__getitem__))


def spread(value: Any, own: bool, size: int) -> Any:
    """`value` with a batch axis, for batching rules: itself if it has one, else repeated."""
    return value if own else broadcasting.broadcast_to(value, (size, *value.shape))


def one_rank(values: Sequence[Any]) -> bool:
    """Whether all have as many axes; stacks of others would broadcast along the wrong ones."""
    return len({len(value.shape) for value in values}) == 1


@export("reshape")
def reshape_to(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same elements, row by row, in another shape.

    Args:
        tensor: a tensor of any shape.
        shape: integers, or an integer tensor. One of them may be -1: found from the rest.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the shape does not hold as many elements, or has two -1.

    Example:
        >>> import minitape as tf
        >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).shape
        TensorShape([2, 3])
    """
    x = as_tensor(tensor)
    dims = static_ints(shape, "reshape", "shape")
    return reshape(x, _filled(dims, tuple(x.shape)))


def _filled(dims: Shape, old: Shape) -> Shape:
    """`dims` with -1 replaced, checked against the shape `old`."""
    count, free = prod(old), dims.count(-1)
    known = prod(n for n in dims if n != -1)
    if free > 1 or any(n < -1 for n in dims):
        raise InvalidArgumentError(
            f"reshape: shape={list(dims)} has {free} times -1 or a size below it; Only one "
            "input size may be -1, "
            "the others are at least 0. Write the other sizes out."
        )
    if free and not known and not count:
        raise InvalidArgumentError(
            f"reshape: reshape cannot infer the missing input size of shape={list(dims)} for an "
            "empty tensor unless all specified input sizes are non-zero: any size would do. Write "
            "it out."
        )
    if known != count and not (free and known and count % known == 0):
        raise InvalidArgumentError(
            teach(
                f"reshape: Input to reshape is a tensor of shape {old} with {count} values, "
                "but the requested shape "
                f"{list(dims)} "
                + (f"requires a multiple of {known}." if free else f"has {known}."),
                "Reshape keeps all elements and makes none up.",
                "Give sizes whose product is the number of elements, or -1 for one of them.",
            )
        )
    return tuple(count // known if n == -1 else n for n in dims)


@export("transpose")
def transpose_axes(
    a: TensorLike, perm: Any = None, conjugate: bool = False, name: str | None = None
) -> Tensor:
    """The axes in another order: axis i of the result is axis `perm[i]` of `a`.

    Args:
        a: a tensor of any shape.
        perm: a permutation of its axes; by default they are reversed.
        conjugate: whether to conjugate complex elements too.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if `perm` is no permutation of the axes.

    Example:
        >>> import minitape as tf
        >>> tf.transpose(tf.ones([2, 3, 4]), perm=[1, 0, 2]).shape
        TensorShape([3, 2, 4])
    """
    out = transpose(as_tensor(a), perm)
    return conj(out) if checked_flag("transpose", "conjugate", conjugate) else out


@export("expand_dims")
def expand_dims(input: TensorLike, axis: Axis, name: str | None = None) -> SameKind:  # noqa: A002  # TensorFlow's name
    """A new axis of size 1 at position `axis` of the result; negative counts from its end.

    Raises:
        InvalidArgumentError: if `axis` is not between -rank - 1 and rank.

    Example:
        >>> import minitape as tf
        >>> tf.expand_dims(tf.ones([2, 3]), -1).shape
        TensorShape([2, 3, 1])
    """
    x = operand(input, None)
    shape = tuple(x.shape)
    axis = checked_one("expand_dims", "axis", static_ints(axis, "expand_dims", "axis"))
    if isinstance(x, Composite):
        return x.expand_dims(axis)
    at = canonical_axis(axis, len(shape) + 1, "expand_dims")
    return reshape(x, (*shape[:at], 1, *shape[at:]))


@export("squeeze")
def squeeze(input: TensorLike, axis: Axis = None, name: str | None = None) -> SameKind:  # noqa: A002  # TensorFlow's name
    """The tensor without axes of size 1: all of them, or those that `axis` names.

    Raises:
        InvalidArgumentError: if a named axis is longer than 1 or does not exist.
        ValueError: if `input` is ragged and `axis` is not given.

    Example:
        >>> import minitape as tf
        >>> tf.squeeze(tf.ones([1, 3, 1])).shape, tf.squeeze(tf.ones([1, 3, 1]), axis=[0]).shape
        (TensorShape([3]), TensorShape([3, 1]))
    """
    x = as_rows(input)
    shape = tuple(x.shape)
    if isinstance(x, Composite):
        return x.squeeze(canonical_axes(axis, len(shape), "squeeze"))
    axes = canonical_axes(
        None if isinstance(axis, list) and not axis else axis, len(shape), "squeeze"
    )
    if axes is None:
        # An unknown size might be 1: `int` refuses it.
        return reshape(x, tuple(n for n in map(int, shape) if n != 1))
    for i in axes:
        if shape[i] != 1:
            raise InvalidArgumentError(
                f"squeeze: Can not squeeze dim[{i}], expected a dimension of 1, got "
                f"{shape[i]}: the shape is {shape}. "
                "Name axes of size 1 only, or use `tf.reshape`."
            )
    return reshape(x, tuple(n for i, n in enumerate(shape) if i not in axes))


@export("broadcast_to")
def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The tensor repeated along new leading axes and axes of size 1, until it has `shape`.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    Example:
        >>> import minitape as tf
        >>> tf.broadcast_to([1, 2], [3, 2]).numpy().tolist()
        [[1, 2], [1, 2], [1, 2]]
    """
    x = as_tensor(input)
    dims = static_ints(shape, "broadcast_to", "shape")
    old = tuple(x.shape)
    lead = len(dims) - len(old)
    dims = tuple(old[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(dims))
    if lead < 0 or any(a not in (1, b) for a, b in zip(old, dims[lead:], strict=False)):
        raise InvalidArgumentError(
            teach(
                f"broadcast_to: Incompatible shapes: a tensor of shape {old} cannot become "
                f"{list(dims)}.",
                "Compared from the right, an axis must have the size asked for, or size 1.",
                "Add axes with tf.expand_dims, or use tf.tile.",
            )
        )
    return broadcasting.broadcast_to(x, dims)


@export("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x` itself, after a check that it has `shape`, where None stands for any size.

    Raises:
        InvalidArgumentError: if it has another shape.

    Example:
        >>> import minitape as tf
        >>> tf.ensure_shape(tf.ones([2, 3]), [2, None]).shape
        TensorShape([2, 3])
    """
    tensor = as_tensor(x)
    wanted = TensorShape(shape)
    if not tensor.shape.is_compatible_with(wanted):
        raise InvalidArgumentError(
            f"ensure_shape: Shape of tensor {tensor.shape} is not compatible with expected "
            f"shape {wanted}. "
            "Reshape the tensor, or write None for sizes that may vary."
        )
    return identity(tensor)


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Tensor]:  # noqa: A002  # TensorFlow's name
    """New tensors with the same values, one for each of a list."""
    items = checked_items("identity_n", "input", input, "tf.identity_n([x, y])")
    return [identity.public(each) for each in items]


@export("is_tensor")
def is_tensor(x: TensorLike) -> bool:
    """Whether `x` is a tensor, a variable, `IndexedSlices` or a ragged tensor."""
    return isinstance(x, Operators)
