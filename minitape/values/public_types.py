"""What public functions take and give, as annotations: tensor-likes, dtypes, shapes, results.

The one fact to know: these are for type checkers, editors and people who read a signature; while a
program runs nothing is compared with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    from minitape.ops.moving.indexed_slices import IndexedSlices
    from minitape.ragged_tensors.tensor import RaggedTensor
    from minitape.tensor import Operators, Tensor
    from minitape.values.dtypes import DType
    from minitape.values.shapes import TensorShape

    class AnyTensor(Tensor, RaggedTensor, IndexedSlices):  # type: ignore[misc]
        """A tensor, or where an argument was ragged or sparse, what belongs to that.

        Python's annotations cannot say which; so this has the attributes of all of them.
        """

        def __add__(self, other: Any) -> AnyTensor: ...
        def __radd__(self, other: Any) -> AnyTensor: ...
        def __neg__(self) -> AnyTensor: ...

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


# A tensor or variable, or what becomes one: a number, a text, an array, nested lists of these.
TensorLike: TypeAlias = (
    "Operators | HasArray | HasTensor | complex | str | bytes | TensorShape | Sequence[TensorLike]"
)
# An element type: `tf.float32`, `np.float32`, `"float32"`, `float`.
DTypeLike: TypeAlias = "DType | np.dtype[Any] | type[Any] | str | None"
# A shape: sizes (None for one that is not known), a tensor of them, a `tf.TensorShape`.
ShapeLike: TypeAlias = "TensorShape | Operators | HasArray | Sequence[Any] | int | None"
# Numbers of axes, counted from the end where negative: one, several, or None for all.
Axis: TypeAlias = "int | Operators | HasArray | Sequence[Any] | None"
# What can be another kind of value, or None for a gradient. With `Any` beside it, programs may
# compare it with None, and put a tensor in its place.
Result: TypeAlias = "AnyTensor | Any"
# What an op gives that takes ragged tensors too, and gives one then; the stubs have overloads.
SameKind: TypeAlias = Result
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
