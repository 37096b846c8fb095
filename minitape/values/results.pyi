"""What `Result` is for checkers and editors: see `results.py`."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar, overload

from minitape.ops.moving.gathering import IndexedSlices
from minitape.ragged_tensors.tensor import RaggedTensor
from minitape.values.abstract import Tensor
from minitape.values.modes import UnconnectedGradients
from minitape.values.operators import Operators
from minitape.values.public_types import Structure

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

# What a tape gives for its sources. One source gives one result, a list a list; for other
# structures the type says nothing.
Leaf = TypeVar("Leaf", bound=Operators[Any])

class Gradient(Protocol):
    """`GradientTape.gradient` of a tape."""

    @overload
    def __call__(
        self,
        target: Structure,
        sources: Operators[Any],
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> Result: ...
    @overload
    def __call__(
        self,
        target: Structure,
        sources: list[Leaf],
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> list[Any]: ...
    @overload
    def __call__(
        self,
        target: Structure,
        sources: Structure,
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> Any: ...

class Jacobian(Protocol):
    """`GradientTape.jacobian` of a tape."""

    @overload
    def __call__(
        self,
        target: Any,
        sources: Operators[Any],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Result: ...
    @overload
    def __call__(
        self,
        target: Any,
        sources: list[Leaf],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Any]: ...
    @overload
    def __call__(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any: ...

Form = TypeVar("Form", covariant=True)

class Method(Protocol[Form]):
    @overload
    def __get__(self, tape: None, kind: Any) -> Callable[..., Any]: ...
    @overload
    def __get__(self, tape: object, kind: Any) -> Form: ...

# By the last argument that they have in common.
@overload
def like_sources(
    method: Callable[[Any, Any, Any, Any, UnconnectedGradients | str], Any],
) -> Method[Gradient]: ...
@overload
def like_sources(method: Callable[[Any, Any, Any, Any, int | None], Any]) -> Method[Jacobian]: ...
