"""`TensorShape`: a shape of which a dimension or even the rank may be unknown.

A `TensorShape` wraps a tuple of `int | None`, or None for an unknown rank. It stands in for that
tuple wherever Python or NumPy want a sequence, but it is no tuple itself, so that `nest.flatten`
leaves it whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from operator import index
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any, overload

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
        dims: the dimensions (integers or None), one integer for a vector, another TensorShape, or
            None for an unknown rank.

    Raises:
        ValueError: a dimension is negative.
        TypeError: a dimension is neither an integer nor None.

    Example:
        >>> shape = TensorShape([2, None])
        >>> shape, str(shape), shape.rank, shape == (2, None), shape[1:], shape.num_elements()
        (TensorShape([2, None]), '(2, None)', 2, True, TensorShape([None]), None)
        >>> TensorShape(None).rank, shape.is_compatible_with([2, 3]), shape.is_compatible_with([3])
        (None, True, False)
    """

    __slots__ = ("_dims",)
    _dims: Dims | None

    def __init__(self, dims: ShapeLike) -> None:
        self._dims = _dims_of(dims)

    @staticmethod
    def known(dims: Dims | None) -> TensorShape:
        """Wrap dimensions that are known to be right, unchecked: what `tensor.shape` does."""
        shape: TensorShape = _new(TensorShape)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None when it is unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[int | None] | None:
        """The dimensions as a list, or None when the rank is unknown."""
        return None if self._dims is None else list(self._dims)

    def as_list(self) -> list[int | None]:
        """Give the dimensions as a list, with None for an unknown one.

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
                f"{complaint} on a TensorShape of unknown rank: its dimensions cannot be listed."
                " Ask `shape.rank is not None` first, or give the shape when the tensor is made."
            )
        return self._dims

    def num_elements(self) -> int | None:
        """Give the number of elements, or None unless every dimension is known."""
        return prod(self._dims) if _is_known(self._dims) else None

    def is_fully_defined(self) -> bool:
        """Tell whether the rank and every dimension are known."""
        return _is_known(self._dims)

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """Append the dimensions of `other`; the rank is unknown when either rank is.

        Example:
            >>> TensorShape([2]).concatenate([3, 4]), (1,) + TensorShape([2])
            (TensorShape([2, 3, 4]), TensorShape([1, 2]))
        """
        tail = _dims_of(other)
        if self._dims is None or tail is None:
            return TensorShape(None)
        return TensorShape.known(self._dims + tail)

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Tell whether one tensor could have both shapes: unknown dimensions fit everything."""
        dims = _dims_of(other)
        if self._dims is None or dims is None:
            return True
        fits = [a is None or b is None or a == b for a, b in zip(self._dims, dims, strict=False)]
        return len(self._dims) == len(dims) and all(fits)

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Raise ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(
                f"Shapes {self} and {TensorShape(other)} are incompatible: they need the same rank"
                " and equal dimensions where both are known. Reshape one of the tensors."
            )

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """Give the shape with every dimension that at least one of two shapes knows.

        Raises:
            ValueError: the shapes are not compatible.

        Example:
            >>> TensorShape([2, None]).merge_with([None, 3])
            TensorShape([2, 3])
        """
        self.assert_is_compatible_with(other)
        dims = _dims_of(other)
        if self._dims is None or dims is None:
            return TensorShape.known(dims if self._dims is None else self._dims)
        pairs = zip(self._dims, dims, strict=True)
        return TensorShape.known(tuple(b if a is None else a for a, b in pairs))

    def with_rank(self, rank: int) -> TensorShape:
        """Give this shape, now known to have `rank` dimensions.

        Raises:
            ValueError: the rank is known and another.

        Example:
            >>> TensorShape(None).with_rank(2)
            TensorShape([None, None])
        """
        if self._dims is None:
            return TensorShape.known((None,) * rank)
        if len(self._dims) != rank:
            raise ValueError(
                f"Shape {self} must have rank {rank}, but it has {self.rank} dimensions."
                " Change that with tf.reshape, tf.expand_dims or tf.squeeze."
            )
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError when this shape is known to have another rank."""
        self.with_rank(rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Give this shape; raise ValueError when it has fewer than `rank` dimensions."""
        rank = _dimension(rank) or 0
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(
                f"Shape {self} must have rank at least {rank}, but it has {self.rank} dimensions."
                " Add some with tf.expand_dims or tf.reshape."
            )
        return self

    def __len__(self) -> int:
        return len(self._known_rank("len() is not defined"))

    def __iter__(self) -> Iterator[int | Any]:
        return iter(self._known_rank("Iteration is not defined"))

    def __bool__(self) -> bool:
        return self._dims is not None

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> int | Any: ...
    def __getitem__(self, key: slice | SupportsIndex) -> TensorShape | int | Any:
        if isinstance(key, slice):
            return TensorShape(None) if self._dims is None else TensorShape.known(self._dims[key])
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

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)


def _is_known(dims: Dims | None) -> TypeGuard[Shape]:
    return dims is not None and None not in dims


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
            f"Dimension {short(value)} of a shape is a {type(value).__name__}, but it counts"
            " elements: give an integer, or None when it is unknown, for example [2, None]."
        ) from None
    if size < 0:
        raise ValueError(
            f"Dimension {size} of a shape must be >= 0. Write None for an unknown one."
        )
    return size
