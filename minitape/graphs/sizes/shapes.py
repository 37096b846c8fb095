"""Shapes with sizes that are not known yet: found, shown, and filled in when the graph runs.

Sizes may stand anywhere in an op's attributes, in tuples, lists and slices; `sampled` puts a sample
in their place, `resolved` the numbers of a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.graphs.sizes.size import Size, needs_size, plain, second
from minitape.tensor import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def has_size(value: Any) -> bool:
    """Whether a size is in a nest of tuples, lists and slices."""
    return next(_sizes(value), None) is not None


def _sizes(value: Any) -> Iterator[Size]:
    kind = type(value)
    if kind is Size:
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _sizes(each)
    elif kind is slice:
        yield from _sizes((value.start, value.stop, value.step))


def has_open_axis(specs: Sequence[Spec]) -> bool:
    """Whether a result has a size of its own, which only the run of its op tells."""
    return any(None in spec.shape for spec in specs)


def slots_of(attributes: Any) -> tuple[int, ...]:
    """The slots whose shapes decide the sizes in `attributes`."""
    found: dict[int, None] = {}
    todo: list[Any] = list(_sizes(attributes))
    while todo:
        recipe = todo.pop().recipe
        if callable(recipe[0]):
            todo += [each for each in recipe[1:] if isinstance(each, Size)]
        else:
            found[recipe[0]] = None
    return tuple(found)


def resolved(value: Any, shape_of: Callable[[int], Sequence[int]]) -> Any:
    """`value` with each size as it is in a run, where `shape_of(slot)` are the true shapes."""
    kind = type(value)
    if kind is Size:
        return _size_in(value, shape_of)
    if isinstance(value, tuple | list):
        return kind(resolved(each, shape_of) for each in value)
    if kind is slice:
        return slice(*(resolved(each, shape_of) for each in (value.start, value.stop, value.step)))
    return value


def _size_in(size: Size, shape_of: Callable[[int], Sequence[int]]) -> int:
    first, *rest = size.recipe
    if callable(first):
        found: int = first(*(resolved(each, shape_of) for each in rest))
        return found
    axis: int = rest[0]
    return shape_of(first)[axis]


def sampled(value: Any, which: int) -> Any:
    """`value` with each size as it is for the first or second sample."""
    kind = type(value)
    if kind is Size:
        return second(value) if which else plain(value)
    if isinstance(value, tuple | list):
        return kind(sampled(each, which) for each in value)
    if kind is slice:
        return slice(*(sampled(each, which) for each in (value.start, value.stop, value.step)))
    return Spec(sampled(value.shape, which), value.dtype) if kind is Spec else value


def at_slot(shape: Sequence[int | None], slot: int, samples: tuple[int, int]) -> tuple[int, ...]:
    """A shape whose unknown sizes, None or of another tensor, are those of the tensor at `slot`."""
    return tuple(
        Size(*((plain(n), n.other) if isinstance(n, Size) else samples), (slot, axis))
        if n is None or isinstance(n, Size)
        else n
        for axis, n in enumerate(shape)
    )


def merged(first: Spec, other: Spec, slot: int) -> Spec:
    """The spec of a result whose shapes for the two samples are given."""
    if len(first.shape) != len(other.shape) or first.dtype != other.dtype:
        raise needs_size()
    pairs = zip(first.shape, other.shape, strict=True)
    return Spec(
        tuple(a if a == b else Size(a, b, (slot, axis)) for axis, (a, b) in enumerate(pairs)),
        first.dtype,
    )


def visible(shape: Sequence[int]) -> tuple[int | None, ...]:
    """A shape as programs see it: None for what is not known."""
    return tuple(None if isinstance(n, Size) else n for n in shape)


def fits(shape: Sequence[int], expected: Sequence[int]) -> bool:
    """Whether an array of `shape` may stand where `expected` leaves some sizes open."""
    return len(shape) == len(expected) and all(
        isinstance(b, Size) or isinstance(a, Size) or a == b
        for a, b in zip(shape, expected, strict=True)
    )
