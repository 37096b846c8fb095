"""What `Result` is for checkers and editors: see `results.py`."""

from typing import Any, TypeAlias

from minitape.ops.moving.gathering import IndexedSlices
from minitape.ragged_tensors.tensor import RaggedTensor
from minitape.values.abstract import Tensor

class AnyTensor(RaggedTensor, IndexedSlices, Tensor):  # type: ignore[misc]
    """A tensor, or where an argument was ragged or sparse, what belongs to that.

    It has the attributes of all of them.
    """

    def __add__(self, other: Any) -> AnyTensor: ...
    def __radd__(self, other: Any) -> AnyTensor: ...
    def __neg__(self) -> AnyTensor: ...

# With `Any` beside it, programs may compare it with None, and put a tensor in its place.
Result: TypeAlias = AnyTensor | Any
SameKind: TypeAlias = Result
