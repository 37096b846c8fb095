"""Slicing: the primitive behind `x[1, ::2, ..., tf.newaxis]`, and its transpose.

Every form becomes one canonical key (integers, `slice`s and None, counted from the left, for every
axis), so that slicing is one primitive whose derivative, `unslice`, puts the cotangent into zeros
at the same key, and the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import primitive
from minitape.ops.families import as_value, picked
from minitape.ops.statics import static_value
from minitape.tensors.boxed import Boxed

if TYPE_CHECKING:
    from minitape.tensor import Array, Shape, Spec, Tensor

ALL = slice(None)


class SliceError(InvalidArgumentError, IndexError):
    """An index that the tensor does not have: both of TensorFlow's and of Python's class for it."""


class Key(tuple[Any, ...]):
    """A canonical key; prints as it is written between brackets."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(map(_written, self))

    __repr__ = __str__


def _written(entry: Any) -> str:
    if entry is None:
        return "newaxis"
    if not isinstance(entry, slice):
        return str(entry)
    ends = [("" if end is None else str(end)) for end in (entry.start, entry.stop)]
    return ":".join(ends) if entry.step in (None, 1) else ":".join([*ends, str(entry.step)])


@primitive(
    type_name="StridedSlice",
    node_name="strided_slice",
    latex=r"{x:4}_{{\left[{key}\right]}}",
    lengths=True,
)
def getitem(x: Array, key: Key) -> Array:
    """The part of `x` that a canonical key names."""
    return as_value(x[key])


getitem.says(moves="part")


@getitem.vjp("x")
def _(g: Tensor, x: Spec, key: Key) -> Tensor:
    return unslice(g, key, x.shape)


getitem.jvp(picked(getitem))


@getitem.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return getitem(values[0], Key((ALL, *attributes[0])))


@primitive(
    type_name="StridedSliceGrad",
    latex=r"\mathrm{{zeros}}\left(\left[{key}\right] \leftarrow {x}\right)",
)
def unslice(x: Array, key: Key, shape: Shape) -> Array:
    """Zeros of `shape` with `x` at `key`: the transpose of slicing."""
    out = np.zeros(shape, x.dtype)
    out[key] = x
    return out[()]


unslice.says(called="slice put back")


@unslice.vjp("x")
def _(g: Tensor, key: Key) -> Tensor:
    return getitem(g, key)


@unslice.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    key, shape = attributes
    return unslice(values[0], Key((ALL, *key)), (size, *shape))


@primitive(
    type_name="StridedSlice", node_name="strided_slice", latex=r"{x:4}_{{{index}}}", lengths=True
)
def take(x: Array, index: int) -> Array:
    """Row `index` of `x`: one example of a stack."""
    return as_value(x[index])


take.says(moves="part", unpicked="not taken")


@take.vjp("x")
def _(g: Tensor, x: Spec, index: int) -> Tensor:
    return unslice(g, Key((index,)), x.shape)


take.jvp(picked(take))


@take.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return getitem(values[0], Key((ALL, attributes[0])))


def canonical_key(key: Any, shape: Shape) -> Key:
    """`key`, as Python hands it to `__getitem__`, for a tensor of `shape`.

    Raises:
        SliceError: if an index is out of range, or there are more of them than axes.
        TypeError: if something cannot be an index.
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    axes = sum(each is not None and each is not Ellipsis for each in entries)
    _check_count(entries, axes, shape)
    if Ellipsis not in [each for each in entries if each is Ellipsis]:
        entries.append(Ellipsis)
    found: list[Any] = []
    axis = 0
    for each in entries:
        if each is Ellipsis:
            found += [ALL] * (len(shape) - axes)
            axis += len(shape) - axes
        elif each is None:
            found.append(None)
        else:
            found.append(_canonical_entry(each, shape[axis], axis, shape))
            axis += 1
    while found and found[-1] == ALL:
        found.pop()
    return Key(found)


def _check_count(entries: list[Any], axes: int, shape: Shape) -> None:
    if sum(each is Ellipsis for each in entries) > 1:
        raise SliceError(
            f"Multiple ellipses in slice spec not allowed: {Key(entries)} has more than one "
            "`...`. Write one."
        )
    if axes > len(shape):
        raise SliceError(
            teach(
                f"Index out of range using input dim {len(shape)}: {axes} indices for a tensor "
                f"of shape {shape}, "
                f"which has only {len(shape)} dims.",
                "Every index takes one axis.",
                "Remove indices, or add axes with tf.newaxis.",
            )
        )


def _canonical_entry(entry: Any, n: int, axis: int, shape: Shape) -> Any:
    """An integer from 0 to n - 1, or a slice with nothing left to count from the right."""
    if isinstance(entry, slice):
        bounds = slice(
            *(
                None if end is None else _integer(end)
                for end in (entry.start, entry.stop, entry.step)
            )
        )
        if bounds == ALL:
            return ALL
        if bounds.step == 0:
            raise SliceError(
                f"slice step cannot be zero, in axis {axis} of a tensor of shape {shape}. Use "
                "a step like 1 or -1."
            )
        start, stop, step = bounds.indices(n)
        if start < 0:  # backwards from before the first element; -1 would mean the last one
            return slice(0, 0, step)
        return slice(start, None if stop < 0 else stop, step)
    number = _integer(entry)
    if not -n <= number < n:
        raise SliceError(
            teach(
                f"slice index {number} of dimension {axis} out of bounds: the tensor has shape "
                f"{shape}.",
                f"Axis {axis} has {n} elements.",
                f"Use an index from {-n} to {n - 1}." if n else "There is no element to choose.",
            )
        )
    return number % n


def _integer(value: Any) -> int:
    """The value of an index; tensors and NumPy scalars may be one."""
    number = value.as_operand() if hasattr(value, "as_operand") else value
    if isinstance(number, Boxed):
        number = static_value(number, "x[...]", "a bound of a slice")
    if isinstance(number, bool):
        raise ValueError(
            f"mask cannot be scalar: {value!r} as an index says nothing of an axis. A mask has a "
            "truth value for each element. Write `tf.boolean_mask(x, mask)`, or an integer."
        )
    whole = hasattr(number, "__index__")
    if not whole or getattr(number, "ndim", 0) != 0:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {value!r}. Use tf.gather for a list "
            "of rows, tf.gather_nd for single elements, and tf.boolean_mask for a mask."
        )
    return int(number.__index__())
