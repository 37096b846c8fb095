"""Joining and splitting: concat, stack, split, unstack, and what packs lists of tensors.

Concat and split are each other's derivative, and so are stack and unstack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_count, checked_one
from minitape.op import export, operands, primitive
from minitape.ops.elementwise.comparison import masked
from minitape.ops.families import as_value, batched_along_axis, canonical_axis
from minitape.ops.moving.slicing import ALL, Key, getitem
from minitape.ops.passing import identity
from minitape.ops.shapes.shaping import spread
from minitape.ops.statics import as_rows, as_tensor, static_int, static_ints
from minitape.tensors.composite import Composite, dense
from minitape.tensors.convert import convert_to_tensor

if TYPE_CHECKING:
    from minitape.tensor import Array, Arrays, Shape, Specs, Tensor
    from minitape.values.public_types import Axis, TensorLike
    from minitape.values.results import SameKind


@primitive(
    type_name="ConcatV2",
    node_name="concat",
    latex=r"\mathrm{{concat}}\left({xs}\right)",
    lengths=True,
)
def concat(xs: Arrays, axis: int) -> Array:
    """The tensors joined along `axis`; see `tf.concat`."""
    try:
        return np.concatenate(xs, axis)
    except ValueError:
        _check_joint(xs, axis)
        raise


concat.says(moves="joins")


@concat.prepare
def _(xs: Any, axis: Any) -> tuple[Any, ...]:
    return (canonical_axis(axis, len(xs[0].shape), "concat"),)


@concat.vjp("xs")
def _(g: Tensor, xs: Specs, axis: int, index: int) -> Tensor:
    start = sum(x.shape[axis] for x in xs[:index])
    return getitem(g, Key((*(ALL,) * axis, slice(start, start + xs[index].shape[axis], 1))))


@concat.jvp
def _(tangents: Any, inputs: Any, out: Any, attributes: Any) -> Tensor:
    return concat(_whole(tangents, inputs), *attributes)


@concat.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return concat(
        [spread(v, own, size) for v, own in zip(values, stacked, strict=True)], attributes[0] + 1
    )


@primitive(
    type_name="Pack", node_name="stack", latex=r"\mathrm{{stack}}\left({xs}\right)", lengths=True
)
def stack(xs: Arrays, axis: int = 0) -> Array:
    """The tensors side by side along a new axis; see `tf.stack`."""
    at = (*(ALL,) * axis, None)  # np.stack does this in more steps
    try:
        return np.concatenate([x[at] for x in xs], axis)
    except (ValueError, IndexError):  # an axis more than one of them has room for
        _check_alike(xs)
        raise


stack.says(moves="joins")


@stack.prepare
def _(xs: Any, axis: Any) -> tuple[Any, ...]:
    return (canonical_axis(axis, len(xs[0].shape) + 1, "stack"),)


@stack.vjp("xs")
def _(g: Tensor, axis: int, index: int) -> Tensor:
    return getitem(g, Key((*(ALL,) * axis, index)))


@stack.jvp
def _(tangents: Any, inputs: Any, out: Any, attributes: Any) -> Tensor:
    return stack(_whole(tangents, inputs), *attributes)


def _whole(tangents: Any, inputs: Any) -> list[Any]:
    """The tangents, zeros where an input is constant.

    Joined as they are. The transpose of as many slices would add up as many whole results.
    """
    pairs = zip(tangents, inputs, strict=True)
    return [masked(x, np.False_) if t is None else dense(t) for t, x in pairs]


@stack.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return stack(
        [spread(v, own, size) for v, own in zip(values, stacked, strict=True)], attributes[0] + 1
    )


@primitive(
    type_name="SplitV", node_name="split", latex=r"\mathrm{{split}}\left({x}\right)", lengths=True
)
def split(x: Array, sizes: tuple[int, ...], axis: int = 0) -> tuple[Array, ...]:
    """Parts of the given sizes along `axis`; see `tf.split`."""
    parts, start = [], 0
    for size in sizes:
        parts.append(x[(*(ALL,) * axis, slice(start, start + size))])
        start += size
    return tuple(parts)


split.says(moves="part")


@split.prepare
def _(x: Any, sizes: Any, axis: Any) -> tuple[Any, ...]:
    return tuple(sizes), canonical_axis(axis, len(x.shape), "split")


@split.vjp("x")
def _(g: Any, axis: int) -> Tensor:
    return concat(list(g), axis)


split.batch(batched_along_axis(split, 1))


@primitive(
    type_name="Unpack",
    node_name="unstack",
    latex=r"\mathrm{{unstack}}\left({x}\right)",
    lengths=True,
)
def unstack(x: Array, axis: int = 0) -> tuple[Array, ...]:
    """The slices along `axis`, without it; see `tf.unstack`."""
    before: Any = (ALL,) * axis
    return tuple([as_value(x[(*before, i)]) for i in range(x.shape[axis])])


unstack.says(moves="part")


@unstack.prepare
def _(x: Any, axis: Any) -> tuple[Any, ...]:
    return (canonical_axis(axis, len(x.shape), "unstack"),)


@unstack.vjp("x")
def _(g: Any, axis: int) -> Tensor:
    return stack(list(g), axis)


unstack.batch(batched_along_axis(unstack))


@export("concat")
def concat_values(values: TensorLike, axis: Axis, name: str | None = None) -> SameKind:
    """The tensors joined along `axis`.

    Args:
        values: tensors of one dtype and rank, whose shapes agree but for `axis`; one tensor
            alone comes back.
        axis: the axis along which they are joined.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or there is nothing to join.

    Example:
        >>> import minitape as tf
        >>> tf.concat([[1, 2], [3]], axis=0).numpy().tolist()
        [1, 2, 3]
    """
    axis = static_int(axis, "concat", "axis")
    tensors = _as_list(values, "concat")
    if len(tensors) == 1:
        return identity.public(tensors[0])
    if any(isinstance(each, Composite) for each in tensors):
        return concat(tensors, axis)
    if not tensors[0].spec.shape:
        _check_joint([each.spec for each in tensors], 0)
    return concat(tensors, axis)


def _as_list(values: Any, op: str) -> list[Any]:
    """The inputs of a joining op, as tensors of one dtype where plain values are among them."""
    if not isinstance(values, list | tuple):
        values = [values]
    if not values:
        raise InvalidArgumentError(f"{op}: the list of tensors is empty. Give at least one tensor.")
    return list(operands(concat.op, tuple(values)))


def _check_joint(arrays: list[Any], axis: int) -> None:
    """Raises unless the shapes agree but for `axis`."""
    first = arrays[0].shape
    for i, array in enumerate(arrays):
        shape = array.shape
        if not shape:
            raise InvalidArgumentError(
                f"concat: tensor #{i} is a scalar, which has no axis to join along. Use tf.stack."
            )
        if (
            len(shape) != len(first)
            or shape[:axis] + shape[axis + 1 :] != first[:axis] + first[axis + 1 :]
        ):
            raise InvalidArgumentError(
                teach(
                    f"concat: Dimension mismatch: shapes[0] = {first} vs. shapes[{i}] = {shape}, "
                    f"joined along axis {axis}.",
                    "All other axes must have equal sizes.",
                    "Reshape one of them, or choose another axis.",
                )
            )


@export("stack")
def stack_values(values: TensorLike, axis: Axis = 0, name: str | None = None) -> SameKind:
    """The tensors side by side along a new axis.

    Args:
        values: a list of tensors of one shape and dtype; plain numbers may be mixed.
        axis: where the new axis stands in the result.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes differ, or there is no such axis.

    Example:
        >>> import minitape as tf
        >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
        [[1, 3], [2, 4]]
    """
    axis = checked_one("stack", "axis", static_ints(axis, "stack", "axis"))
    if not isinstance(values, list | tuple):
        values = unstack_values(values)
    if not axis and all(isinstance(each, int | float | complex) for each in values):
        return convert_to_tensor(values)  # [1, 2.5] is float32, and [] is an empty float32
    tensors = _as_list(values, "stack")
    if any(isinstance(each, Composite) for each in tensors):
        return stack(tensors, axis)
    return stack(tensors, axis)


def _check_alike(arrays: list[Any]) -> None:
    """Raises unless all have one shape."""
    first = arrays[0].shape
    for i, array in enumerate(arrays):
        if array.shape != first:
            raise InvalidArgumentError(
                teach(
                    f"stack: Shapes of all inputs must match: values[0].shape = {first} != "
                    f"values[{i}].shape = {array.shape}.",
                    "A new axis holds tensors of one shape.",
                    "Use tf.concat to join along an axis that is there, or tf.ragged.stack.",
                )
            )


@export("unstack")
def unstack_values(
    value: TensorLike, num: int | None = None, axis: Axis = 0, name: str | None = None
) -> list[Tensor]:
    """The slices along `axis`, as a list of tensors without that axis.

    Args:
        value: a tensor of rank at least 1.
        num: the number of slices; checked where it is given.
        axis: the axis that is taken apart.
        name: accepted and not used.

    Raises:
        ValueError: if `num` is not the size of the axis.

    Example:
        >>> import minitape as tf
        >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]])]
        [[1, 2], [3, 4]]
    """
    axis = static_int(axis, "unstack", "axis")
    x = as_tensor(value)
    shape = tuple(x.shape)
    n = shape[canonical_axis(axis, len(shape), "unstack")]
    if num is not None and num != n:
        raise InvalidArgumentError(
            f"unstack: num={num}, but axis {axis} of shape {shape} has {n} slices. Leave num out."
        )
    return list(unstack(x, axis)) if n else []


# `tf.split`: what may be said of the sizes of parts.


@export("split")
def split_value(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: Axis = 0,
    num: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """Parts of a tensor along an axis, as a list.

    Args:
        value: a tensor of rank at least 1.
        num_or_size_splits: how many equal parts, or their sizes, of which one may be -1: the rest.
        axis: the axis along which it is cut.
        num: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the sizes do not add up to the axis.

    Example:
        >>> import minitape as tf
        >>> [t.numpy().tolist() for t in tf.split([1, 2, 3], [1, -1])]
        [[1], [2, 3]]
    """
    axis = static_int(axis, "split", "axis")
    x = as_rows(value)
    n = tuple(x.shape)[canonical_axis(axis, len(x.shape), "split")]
    return list(split(x, _sizes(num_or_size_splits, n, axis, tuple(x.shape)), axis))


def _sizes(wanted: Any, n: int, axis: int, shape: Shape) -> Shape:
    """The sizes of the parts of an axis with `n` elements."""
    sizes = static_ints(wanted, "split", "num_or_size_splits")
    if not isinstance(wanted, list | tuple) and not tuple(getattr(wanted, "shape", ())):
        (count,) = sizes
        if count < 1 or n % count:
            raise InvalidArgumentError(
                teach(
                    f"split: axis {axis} of a tensor of shape {shape} has {n} elements, which "
                    f"is not evenly divisible by {count}.",
                    "All parts get the same size.",
                    f"Give the sizes as a list, for example [{n // max(count, 1) or 1}, -1].",
                )
            )
        return (n // count,) * checked_count("split", "num_or_size_splits", count)
    rest = n - sum(size for size in sizes if size != -1)
    sizes = tuple(rest if size == -1 else size for size in sizes)
    if (
        sum(sizes) != n
        or min(sizes, default=0) < 0
        or list(static_ints(wanted, "split", "")).count(-1) > 1
    ):
        raise InvalidArgumentError(
            f"split: the sizes {list(static_ints(wanted, 'split', ''))} do not add up to the "
            f"{n} elements of axis {axis} of a tensor of shape {shape}. One may be -1: the rest."
        )
    return sizes
