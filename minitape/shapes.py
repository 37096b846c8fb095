"""Shapes: `TensorShape`, where a dimension or even the rank may be unknown, and broadcasting.

The one fact to know: a `TensorShape` wraps a tuple of `int | None`, or None when the rank is unknown.
It behaves like that tuple wherever Python or NumPy want a sequence; it is no tuple itself, so that
`nest.flatten` leaves it whole.

May import: the standard library.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from operator import index
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import SupportsIndex, TypeAlias, TypeGuard

    Dims: TypeAlias = "tuple[int | None, ...]"
    ShapeLike: TypeAlias = "TensorShape | Iterable[SupportsIndex | None] | SupportsIndex | None"

Shape = tuple[int, ...]
_new = object.__new__


class TensorShape:
    """The shape of a tensor: fully known, with unknown dimensions, or of unknown rank.

    Equal to a list or tuple of the same dimensions (and, when the rank is unknown, to None). Always
    true as a condition unless the rank is unknown, as in TensorFlow: the scalar shape `()` is true.

    Args:
        dims: the dimensions (an iterable of integers and None, or one integer for a vector), another
            TensorShape, or None for an unknown rank.

    Raises:
        ValueError: a dimension is negative.
        TypeError: a dimension is neither an integer nor None.

    Example:
        >>> shape = TensorShape([2, None])
        >>> shape, str(shape), shape.rank, shape == (2, None), shape[1:]
        (TensorShape([2, None]), '(2, None)', 2, True, TensorShape([None]))
        >>> TensorShape(None)
        TensorShape(None)
    """

    __slots__ = ("_dims",)
    _dims: Dims | None

    def __init__(self, dims: ShapeLike) -> None:
        self._dims = _dims_of(dims)

    @staticmethod
    def known(dims: Shape) -> TensorShape:
        """Wrap a tuple of non-negative Python ints, unchecked: what `tensor.shape` does every time."""
        shape: TensorShape = _new(TensorShape)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None when it is unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The same as `rank`."""
        return self.rank

    @property
    def dims(self) -> list[int | None] | None:
        """The dimensions as a list, or None when the rank is unknown."""
        return None if self._dims is None else list(self._dims)

    def as_list(self) -> list[int | None]:
        """Give the dimensions as a list.

        Returns:
            A list of integers, with None for an unknown dimension.

        Raises:
            ValueError: the rank is unknown.

        Example:
            >>> TensorShape((2, None)).as_list()
            [2, None]
        """
        return list(self._known_rank("as_list() is not defined"))

    def _known_rank(self, complaint: str) -> Dims:
        if self._dims is None:
            raise ValueError(
                f"{complaint} on a TensorShape of unknown rank: there are no dimensions to go through."
                " Ask `shape.rank is not None` first, or give the shape when the tensor is made."
            )
        return self._dims

    def num_elements(self) -> int | None:
        """Give the number of elements, or None unless every dimension is known.

        Example:
            >>> TensorShape([2, 3]).num_elements(), TensorShape([2, None]).num_elements()
            (6, None)
        """
        return prod(self._dims) if _is_known(self._dims) else None

    def is_fully_defined(self) -> bool:
        """Tell whether the rank and every dimension are known."""
        return _is_known(self._dims)

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless the rank and every dimension are known."""
        if not self.is_fully_defined():
            raise ValueError(
                f"Shape {self} is not fully defined: what is marked None is unknown."
                " Give every dimension as an integer."
            )

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """Append the dimensions of `other`; the rank is unknown when either rank is.

        Example:
            >>> TensorShape([2]).concatenate([3, 4])
            TensorShape([2, 3, 4])
        """
        tail = _dims_of(other)
        if self._dims is None or tail is None:
            return TensorShape(None)
        return _wrap(self._dims + tail)

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Tell whether one tensor could have both shapes: unknown dimensions fit everything.

        Example:
            >>> TensorShape([2, None]).is_compatible_with([2, 3]), TensorShape([2]).is_compatible_with([3])
            (True, False)
        """
        dims = _dims_of(other)
        if self._dims is None or dims is None:
            return True
        pairs = zip(self._dims, dims, strict=False)
        return len(self._dims) == len(dims) and all(
            a is None or b is None or a == b for a, b in pairs
        )

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Raise ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(
                f"Shapes {self} and {TensorShape(other)} are incompatible: they need the same rank, and"
                " every dimension known in both must be equal. Reshape one of the tensors."
            )

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """Combine what two compatible shapes know.

        Args:
            other: a shape or anything that makes one.

        Returns:
            The shape with every dimension that at least one of the two knows.

        Raises:
            ValueError: the shapes are not compatible.

        Example:
            >>> TensorShape([2, None]).merge_with([None, 3])
            TensorShape([2, 3])
        """
        self.assert_is_compatible_with(other)
        dims = _dims_of(other)
        if self._dims is None or dims is None:
            return _wrap(dims if self._dims is None else self._dims)
        return _wrap(tuple(b if a is None else a for a, b in zip(self._dims, dims, strict=True)))

    def with_rank(self, rank: int) -> TensorShape:
        """Give this shape, now known to have `rank` dimensions.

        Raises:
            ValueError: the rank is known and another.

        Example:
            >>> TensorShape(None).with_rank(2)
            TensorShape([None, None])
        """
        if self._dims is None:
            return _wrap((None,) * rank)
        self.assert_has_rank(rank)
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError when the rank is known and is not `rank`."""
        if self.rank not in (None, rank):
            raise ValueError(
                f"Shape {self} must have rank {rank}, but it has {self.rank} dimensions."
                " Change that with tf.reshape, tf.expand_dims or tf.squeeze."
            )

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Give this shape when it has, or may have, at least `rank` dimensions; else raise ValueError."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(
                f"Shape {self} must have rank at least {rank}, but it has {self.rank} dimensions."
                " Add some with tf.expand_dims or tf.reshape."
            )
        return self

    def __len__(self) -> int:
        return len(self._known_rank("len() is not defined"))

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known_rank("Iteration is not defined"))

    def __bool__(self) -> bool:
        return self._dims is not None

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> int | None: ...
    def __getitem__(self, key: slice | SupportsIndex) -> TensorShape | int | None:
        if isinstance(key, slice):
            return TensorShape(None) if self._dims is None else _wrap(self._dims[key])
        return None if self._dims is None else self._dims[key]

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: ShapeLike) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        if isinstance(other, (list, tuple)):
            return self._dims == tuple(other)
        return self._dims is None if other is None else NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple[type[TensorShape], tuple[Dims | None]]:
        return TensorShape, (self._dims,)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)


def _is_known(dims: Dims | None) -> TypeGuard[Shape]:
    return dims is not None and None not in dims


def _wrap(dims: Dims | None) -> TensorShape:
    """Make a TensorShape of dimensions that were checked before."""
    shape: TensorShape = _new(TensorShape)
    shape._dims = dims
    return shape


def _dims_of(value: ShapeLike) -> Dims | None:
    if value is None:
        return None
    if isinstance(value, TensorShape):
        return value._dims
    return tuple(map(_dimension, value if isinstance(value, Iterable) else (value,)))


def _dimension(value: SupportsIndex | None) -> int | None:
    if value is None:
        return None
    try:
        size = index(value)
    except TypeError:
        raise TypeError(
            f"Dimension {value!r} of a shape is a {type(value).__name__}, but a dimension counts elements."
            " Give an integer, or None when it is unknown, for example [2, None]."
        ) from None
    if size < 0:
        raise ValueError(
            f"Dimension {size} of a shape must be >= 0. Write None for an unknown dimension."
        )
    return size


def broadcast_shapes(a: Shape, b: Shape) -> Shape:
    """Give the shape that arrays of shapes `a` and `b` broadcast to.

    Args:
        a: a tuple of ints.
        b: a tuple of ints.

    Returns:
        The common shape, as a tuple of ints.

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

    Args:
        shape_x: a shape or anything that makes one.
        shape_y: a shape or anything that makes one.

    Returns:
        The common shape; of unknown rank when either rank is unknown.

    Raises:
        ValueError: two known dimensions differ and neither is 1.

    Example:
        >>> broadcast_static_shape([2, 1], [None, 3])
        TensorShape([2, 3])
    """
    x, y = _dims_of(shape_x), _dims_of(shape_y)
    if x is None or y is None:
        return TensorShape(None)
    return _wrap(_broadcast(x, y))


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
