"""Broadcasting of shapes: which shape two tensors stretch to when an op takes both.

Shapes are aligned at their last dimension, and a dimension of size 1, or one that is not there,
stretches to the other's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from minitape.values.shapes import Dims, Shape, ShapeLike


def broadcast_shapes(a: Shape, b: Shape) -> Shape:
    """Give the shape that arrays of shapes `a` and `b`, tuples of ints, broadcast to.

    Raises:
        ValueError: two dimensions differ and neither is 1.

    Example:
        >>> broadcast_shapes((2, 1), (3,))
        (2, 3)
    """
    if a == b:
        return a
    return _broadcast(a, b)  # type: ignore[return-value]  # known dimensions give known ones


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """Give the static shape that two tensors broadcast to.

    Shapes are aligned at their last dimension; a missing dimension counts as 1, and 1 stretches. An
    unknown dimension is taken to fit a known one; beside 1 or another unknown one it stays unknown.
    The result's rank is unknown when either rank is.

    Raises:
        ValueError: two known dimensions differ and neither is 1.

    Example:
        >>> broadcast_static_shape([2, 1], [None, 3])
        TensorShape([2, 3])
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    return TensorShape.known(_broadcast(tuple(x.as_list()), tuple(y.as_list())))


def _broadcast(x: Dims, y: Dims) -> Dims:
    missing = len(x) - len(y)
    pairs = zip((1,) * -missing + x, (1,) * missing + y, strict=True)
    try:
        return tuple([a if a == b or b == 1 else _stretch(a, b) for a, b in pairs])
    except ValueError as error:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {x} and {y}. Aligned at the last dimension,"
            f" {error}. Reshape one of them, or add a dimension of size 1 with tf.expand_dims."
        ) from None


def _stretch(a: int | None, b: int | None) -> int | None:
    """Give the common size of two dimensions that differ, where `b` is not 1."""
    if a == 1 or a is None:
        return b
    if b is None:
        return a
    raise ValueError(f"{a} meets {b} and neither is 1")
