"""Values made of several tensors, as tapes see them: a flat list of tensors and a way back.

A tape only ever records tensors. A composite source or target is taken apart into its
differentiable parts, and the gradients of the parts are put together in its form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.tensor import Tensor, eager
from minitape.values.operators import Operators
from minitape.values.results import Result


class Composite(Operators[Result]):
    """Several tensors that act as one value (sparse, ragged): ops on it are ops on its parts."""

    __slots__ = ()

    if TYPE_CHECKING:  # what each kind defines

        def parts(self) -> list[Any]:
            """The tensors that tapes follow."""

        def with_parts(self, parts: list[Any]) -> Any:
            """The same with other tensors."""

        def as_tensors(self) -> Any:
            """The same with tensors where a raw sweep left arrays."""

        def expand_dims(self, axis: int) -> Any:
            """The same with one axis more."""

        def boolean_mask(self, mask: Any) -> Any:
            """The items where a mask is true."""

        def squeeze(self, axes: tuple[int, ...] | None) -> Any:
            """The same without axes of size 1."""

    def interpret(self, op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Computes an op, one of whose inputs is this value."""
        raise NotImplementedError


def parts(value: Any) -> list[Any]:
    """The differentiable tensors of a composite; anything else is its own only part."""
    return value.parts() if isinstance(value, Composite) else [value]


def rebuild(value: Any, new_parts: list[Any]) -> Any:
    """`new_parts` in the form of `value`; None if one of them is missing."""
    if not isinstance(value, Composite):
        return new_parts[0]
    return None if any(part is None for part in new_parts) else value.with_parts(new_parts)


def as_tensors(value: Any) -> Any:
    """The tensor of an array that a raw sweep gave; composites become those of tensors."""
    if isinstance(value, Tensor):
        return value
    return value.as_tensors() if isinstance(value, Composite) else eager(value)


def dense(value: Any) -> Any:
    """A tensor of sparse slices; anything else stays what it is."""
    to_dense = getattr(value, "dense", None)
    return value if to_dense is None else to_dense()
