"""Copies and moves of elements: tile, repeat, reverse, roll, meshgrid.

An element that appears several times in the result gets the sum of the cotangents of its copies;
one that only moves gets the cotangent from where it went.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.op import export, primitive
from minitape.ops.broadcasting import broadcast_to, reduce_sum, reshape
from minitape.ops.families import batched_along_axis, canonical_axes, canonical_axis
from minitape.ops.moving.gathering import ungather
from minitape.ops.statics import as_rows, as_tensor, static_dims, static_int, static_ints

if TYPE_CHECKING:
    from minitape.tensor import Array, Shape, Spec, Tensor
    from minitape.values.public_types import Axis, TensorLike
    from minitape.values.results import SameKind


@primitive(latex=r"\mathrm{{tile}}\left({x}\right)")
def tile(x: Array, multiples: Shape) -> Array:
    """`multiples[i]` copies of `x`, one after the other, along axis i; see `tf.tile`."""
    return np.tile(x, multiples)[()]


tile.says(moves="copies")


@tile.vjp("x")
def _(g: Tensor, x: Spec, multiples: Shape) -> Tensor:
    pairs = [n for pair in zip(multiples, x.shape, strict=True) for n in pair]
    return reduce_sum(reshape(g, tuple(pairs)), tuple(range(0, len(pairs), 2)))


@tile.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return tile(values[0], (1, *attributes[0]))


@export("tile")
def tile_value(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """Copies of a tensor one behind the other: `multiples[i]` of them along axis i.

    Raises:
        InvalidArgumentError: if there is not one number of copies for each axis.

    Example:
        >>> import minitape as tf
        >>> tf.tile([1, 2], [2]).numpy().tolist()
        [1, 2, 1, 2]
    """
    x = as_rows(input)
    counts = static_dims(multiples, "tile", "multiples")
    if len(counts) != len(x.shape):
        raise InvalidArgumentError(
            f"tile: Expected multiples argument to be a vector of length {len(x.shape)} but got "
            f"length {len(counts)}: the tensor has shape {tuple(x.shape)}. Give one number of "
            "copies "
            "for each axis, 1 where an axis stays."
        )
    return tile(x, counts)


@primitive(latex=r"\mathrm{{repeat}}\left({x}\right)")
def repeat(x: Array, counts: Shape, axis: int) -> Array:
    """Slice i along `axis` repeated `counts[i]` times; see `tf.repeat`."""
    return np.repeat(x, counts, axis)


repeat.says(moves="copies")


@repeat.vjp("x")
def _(g: Tensor, x: Spec, counts: Shape, axis: int) -> Tensor:
    return ungather(g, np.repeat(np.arange(len(counts)), counts), x.shape, axis)


repeat.batch(batched_along_axis(repeat, 1))


@export("repeat")
def repeat_value(
    input: TensorLike, repeats: TensorLike, axis: Axis = None, name: str | None = None
) -> Tensor:  # noqa: A002
    """Every slice along an axis repeated, each copy next to its original.

    Args:
        input: a tensor of any shape.
        repeats: how often, for all slices or as a list with one number for each.
        axis: the axis of the slices; by default the tensor is flattened first.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is not one number of copies for each slice.

    Example:
        >>> import minitape as tf
        >>> tf.repeat([1, 2], [1, 3]).numpy().tolist()
        [1, 2, 2, 2]
    """
    x = as_tensor(input)
    if axis is None or not x.spec.shape:  # a scalar has one slice, along the axis that it gets
        x, axis = reshape(x, (prod(tuple(x.shape)),)), axis or 0
    axis = static_int(axis, "repeat", "axis")
    axis = canonical_axis(axis, len(x.shape), "repeat")
    counts, n = static_dims(repeats, "repeat", "repeats"), tuple(x.shape)[axis]
    if len(counts) not in (1, n):
        raise InvalidArgumentError(
            f"repeat: repeats has {len(counts)} numbers, but axis {axis} of a tensor of shape "
            f"{tuple(x.shape)} has {n} slices. Give one number for each, or one for all."
        )
    return repeat(x, counts * n if len(counts) == 1 else counts, axis)


@primitive(type_name="ReverseV2", latex=r"\mathrm{{reverse}}\left({x}\right)")
def reverse(x: Array, axis: tuple[int, ...]) -> Array:
    """`x` backwards along the axes named; see `tf.reverse`."""
    return np.flip(x, axis)[()]


reverse.says(moves="turns")


@reverse.prepare
def _(x: Any, axis: Any) -> tuple[Any, ...]:
    return (canonical_axes(axis, len(x.shape), "reverse"),)


@reverse.vjp("x")
def _(g: Tensor, axis: tuple[int, ...]) -> Tensor:
    return reverse(g, axis)


@reverse.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return reverse(values[0], tuple(i + 1 for i in attributes[0]))


@export("reverse")
def reverse_value(tensor: TensorLike, axis: Axis, name: str | None = None) -> SameKind:
    """The tensor backwards along each of the axes in the list `axis`.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
        [3, 2, 1]
    """
    return reverse(as_rows(tensor), static_ints(axis, "reverse", "axis"))


@primitive(latex=r"\mathrm{{roll}}\left({x}\right)")
def roll(x: Array, shift: Shape, axis: Shape) -> Array:
    """`x` moved by `shift[i]` along `axis[i]`; what falls off comes in at the other end."""
    return np.roll(x, shift, axis)


roll.says(moves="turns")


@roll.prepare
def _(x: Any, shift: Any, axis: Any) -> tuple[Any, ...]:
    return shift, tuple(canonical_axis(each, len(x.shape), "roll") for each in axis)


@roll.vjp("x")
def _(g: Tensor, shift: Shape, axis: Shape) -> Tensor:
    return roll(g, tuple(-n for n in shift), axis)


@roll.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    shift, axis = attributes
    return roll(values[0], shift, tuple(i + 1 for i in axis))


@export("roll")
def roll_value(input: TensorLike, shift: TensorLike, axis: Axis, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The tensor moved along axes; what falls off at one end comes in at the other.

    Raises:
        InvalidArgumentError: if `shift` and `axis` differ in length, or an axis does not exist.

    Example:
        >>> import minitape as tf
        >>> tf.roll([1, 2, 3], shift=1, axis=0).numpy().tolist()
        [3, 1, 2]
    """
    shifts, axes = static_ints(shift, "roll", "shift"), static_ints(axis, "roll", "axis")
    if len(shifts) != len(axes):
        raise InvalidArgumentError(
            f"roll: shift={list(shifts)} and axis={list(axes)} must have the same size. "
            "Give one shift for each axis."
        )
    return roll(as_tensor(input), shifts, axes)


@export("meshgrid")
def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """The coordinates of a grid: each vector spread over the axes of all the others.

    Args:
        args: vectors of one dtype.
        indexing: "xy" has the second vector along axis 0 and the first along axis 1, as plots do;
            "ij" has vector i along axis i.
        name: accepted and not used.

    Raises:
        ValueError: if `indexing` is another.

    Example:
        >>> import minitape as tf
        >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
        >>> x.numpy().tolist(), y.numpy().tolist()
        ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"meshgrid: Argument `indexing` must be 'xy' or 'ij', but got {indexing!r}."
        )
    vectors = [as_tensor(each) for each in args]
    sizes = [prod(tuple(v.shape)) for v in vectors]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(places) > 1:
        places[:2] = [1, 0]
    shape = tuple(sizes[places.index(i)] for i in range(len(places)))
    grids = []
    for vector, size, place in zip(vectors, sizes, places, strict=True):
        line = tuple(size if i == place else 1 for i in range(len(places)))
        grids.append(broadcast_to(reshape(vector, line), shape))
    return grids
