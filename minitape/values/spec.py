"""What is known of an array without its values, and the annotations of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = np.ndarray[Any, np.dtype[Any]]  # or, where the rank is 0, a NumPy scalar
# The annotation of an op's inputs that are never differentiated; not the same object as `Array`.
Indices = Annotated[Array, "Indices"]
Arrays = list[Array]  # the annotation of any number of inputs
Shape = tuple[int, ...]

# The commonest dtypes. NumPy has one object for each.
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Spec:
    """What is known of an array without its values: all that many rules need to keep.

    Attributes:
        shape: the shape, a tuple.
        dtype: the NumPy dtype.
        id: of the tensor it describes, where a tape has to find its cotangent.
    """

    __slots__ = ("dtype", "id", "shape")  # plain slots: a named tuple takes twice as long to make

    def __init__(self, shape: Any, dtype: np.dtype[Any], id: int = 0) -> None:  # noqa: A002
        self.shape = shape
        self.dtype = dtype
        self.id = id

    @property
    def spec(self) -> Spec:
        """Itself, as tensors have a `spec` too."""
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter((self.shape, self.dtype, self.id))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"Spec(shape={self.shape}, dtype={self.dtype})"


Tensors = list[Any]  # the annotation of a rule's argument: the values of any number of inputs
Specs = list[Spec]  # the annotation of a rule's argument: the specs of any number of inputs
