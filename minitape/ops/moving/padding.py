"""Padding: elements put before and behind a tensor along its axes.

A constant border has no derivative, so the cotangent is cut out of the middle; a mirrored border is
made of copies, whose cotangents are added to their originals axis by axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, primitive
from minitape.ops.moving.gathering import ungather
from minitape.ops.moving.slicing import Key, getitem
from minitape.ops.statics import as_tensor, static_array, static_value

if TYPE_CHECKING:
    from minitape.tensor import Array, Shape, Spec, Tensor
    from minitape.values.public_types import TensorLike

Paddings = tuple[tuple[int, int], ...]


@primitive(type_name="PadV2", node_name="Pad", latex=r"\mathrm{{pad}}\left({x}\right)")
def pad(x: Array, paddings: Paddings, value: Any = 0) -> Array:
    """`x` with `value` put before and after it along each axis; see `tf.pad`."""
    if not paddings:
        return x
    pairs = list(zip(paddings, x.shape, strict=True))
    out = np.empty([before + n + behind for (before, behind), n in pairs], x.dtype)
    out[...] = value
    out[tuple([slice(before, before + n) for (before, _), n in pairs])] = x
    return out


pad.says(moves="pads")


@pad.vjp("x")
def _(g: Tensor, x: Spec, paddings: Paddings) -> Tensor:
    pairs = zip(paddings, x.shape, strict=True)
    return getitem(g, Key(slice(before, before + n, 1) for (before, _), n in pairs))


@pad.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    paddings, value = attributes
    return pad(values[0], ((0, 0), *paddings), value)


@primitive(type_name="MirrorPad", latex=r"\mathrm{{pad}}\left({x}\right)")
def mirror_pad(x: Array, paddings: Paddings, mode: str) -> Array:
    """`x` continued by its mirror image, without ("reflect") or with its border elements."""
    return np.pad(x, paddings, mode)[()] if paddings else x  # type: ignore[call-overload]


mirror_pad.says(moves="pads")


@mirror_pad.vjp("x")
def _(g: Tensor, x: Spec, paddings: Paddings, mode: str) -> Tensor:
    shape = [before + n + behind for (before, behind), n in zip(paddings, x.shape, strict=True)]
    for axis, pair in enumerate(paddings):
        if any(pair):
            shape[axis] = x.shape[axis]
            sources = np.pad(np.arange(shape[axis]), pair, mode)  # type: ignore[call-overload]
            g = ungather(g, sources, tuple(shape), axis)
    return g


@mirror_pad.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    paddings, mode = attributes
    return mirror_pad(values[0], ((0, 0), *paddings), mode)


@export("pad")
def pad_value(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """The tensor with elements put before and behind it along each axis.

    Args:
        tensor: a tensor of any shape.
        paddings: for each axis, how many elements before and behind.
        mode: "CONSTANT" puts `constant_values`; "REFLECT" and "SYMMETRIC" put the mirror image,
            without and with the border elements.
        constant_values: the scalar to put in mode "CONSTANT".
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is not a pair for each axis, or a mirror image is too short.
        ValueError: if the mode is unknown.

    Example:
        >>> import minitape as tf
        >>> tf.pad([1, 2], [[1, 2]]).numpy().tolist()
        [0, 1, 2, 0, 0]
        >>> tf.pad([1, 2, 3], [[2, 0]], "REFLECT").numpy().tolist()
        [3, 2, 1, 2, 3]
    """
    x = as_tensor(tensor)
    pairs = _checked_paddings(paddings, tuple(x.shape))
    kind = str(mode).upper()
    if kind == "CONSTANT":
        value = _border(constant_values, x.spec.dtype)
        return pad(x, pairs, value)
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"Unknown padding mode: {mode}. Use 'CONSTANT', 'REFLECT' or 'SYMMETRIC'.")
    for axis, (n, pair) in enumerate(zip(tuple(x.shape), pairs, strict=True)):
        most = n - (kind == "REFLECT")
        if max(pair) > max(most, 0):
            raise InvalidArgumentError(
                f"pad: paddings must be no greater than the dimension size: {pair} of axis {axis}, "
                f"mode {kind}, where the tensor has {n} elements and so at most {max(most, 0)} to "
                "mirror. Use fewer, or mode 'CONSTANT'."
            )
    return mirror_pad(x, pairs, kind.lower())


def _border(value: Any, dtype: np.dtype[Any]) -> Any:
    """The scalar to put around; the default 0 is False for bools and empty for strings."""
    if type(value) is int and value == 0:
        return np.array(b"", object) if dtype.kind == "O" else dtype.type(0)
    return static_array(value, "pad", "constant_values", dtype)


def _checked_paddings(paddings: Any, shape: Shape) -> Paddings:
    """A pair of counts for each axis."""
    given = np.asarray(static_value(paddings, "pad", "paddings"))
    if given.size == 0 and not shape:
        return ()
    if given.shape != (len(shape), 2) or given.dtype.kind not in "iu" or given.min() < 0:
        raise InvalidArgumentError(
            teach(
                f"pad: The first dimension of paddings must be the rank of inputs: paddings is "
                f"{given.tolist()} for a tensor of shape {shape}.",
                "Every axis needs two counts of at least 0: elements before and elements behind.",
                f"Write paddings={[[1, 1]] * len(shape)}, for example.",
            )
        )
    return tuple((before, behind) for before, behind in given.tolist())
