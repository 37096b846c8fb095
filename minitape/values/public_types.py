"""What public functions take, as annotations: tensor-likes, dtypes, shapes.

These are for type checkers, editors and people who read a signature; while a program runs nothing
is compared with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    from minitape.values.dtypes import DType
    from minitape.values.operators import Operators
    from minitape.values.shapes import TensorShape

    class AnyValue(np.ndarray[Any, np.dtype[Any]]):
        """An array; of a tensor without axes a NumPy scalar, or bytes."""

        def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
            """The bytes as text."""

        def __round__(self, digits: int | None = None) -> Any: ...


class HasArray(Protocol):
    """An array, or what NumPy can make one of."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        """The values."""


class HasTensor(Protocol):
    """What says by TensorFlow's protocol which tensor it is."""

    def __tf_tensor__(self, *args: Any, **kwargs: Any) -> Any:
        """The tensor."""


class SlicesLike(Protocol):
    """Slices and where in a larger tensor they belong, as `tf.IndexedSlices` has them."""

    @property
    def values(self) -> Any:
        """The slices."""

    @property
    def indices(self) -> Any:
        """The numbers of their rows."""


# A tensor or variable, or what becomes one: a number, a text, an array, nested lists of these.
HasValue: TypeAlias = "Operators[Any] | HasArray | HasTensor | TensorShape"
TensorLike: TypeAlias = "HasValue | complex | str | bytes | Sequence[TensorLike]"
# An element type: `tf.float32`, `np.float32`, `"float32"`, `float`.
DTypeLike: TypeAlias = "DType | np.dtype[Any] | type[Any] | str | None"
# A shape: sizes (None for one that is not known), a tensor of them, a `tf.TensorShape`.
ShapeLike: TypeAlias = "TensorShape | Operators[Any] | HasArray | Sequence[Any] | int | None"
# Numbers of axes, counted from the end where negative: one, several, or None for all.
Axis: TypeAlias = "int | Operators[Any] | HasArray | Sequence[Any] | None"
# A leaf, or any nesting of tuples, lists and dicts with leaves in them, as `tf.nest` takes it.
Structure: TypeAlias = Any
# A function of as many tensors as there are, written out so that checkers know a lambda's.
FunctionOfLeaves: TypeAlias = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any, Any], Any]
)
# What a tensor holds, for NumPy.
NumpyValue: TypeAlias = "AnyValue | Any"
