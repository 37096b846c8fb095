"""The generators behind the methods of a dataset.

Every generator takes an iterator of elements and gives one, and holds no more elements than it
needs: a batch, a buffer, a window.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from minitape.data.structures import leaves, mapped, row
from minitape.errors import InvalidArgumentError
from minitape.tensor import eager

Elements = Iterator[Any]


def batched(elements: Elements, size: int, drop_remainder: bool) -> Iterator[list[Any]]:
    """Lists of `size` elements."""
    while chunk := list(islice(elements, size)):
        if len(chunk) < size and drop_remainder:
            return
        yield chunk


def dense(component: Any) -> Any:
    """A component that can be batched, or its spec.

    Raises:
        TypeError: if it is a dataset.
    """
    if hasattr(component, "element_spec"):
        raise TypeError(
            "batch: an element is a dataset itself, as `window` makes them. Batch inside: "
            "`dataset.window(n).flat_map(lambda w: w.batch(n))`."
        )
    return component


def joined(chunk: list[Any]) -> Any:
    """Elements as one, each component along a new first axis.

    Raises:
        InvalidArgumentError: if their shapes differ.
    """
    try:
        return mapped(_stacked, *chunk)
    except ValueError as error:
        raise _shapes_differ(chunk) from error


def _stacked(*parts: Any) -> Any:
    dense(parts[0])
    return eager(np.stack([each.value for each in parts]))


def _shapes_differ(chunk: list[Any]) -> InvalidArgumentError:
    """The error for the first component whose shapes differ."""
    columns = [[x.shape.as_list() for x in each] for each in zip(*map(leaves, chunk), strict=True)]
    number, shapes = next((i, s) for i, s in enumerate(columns) if any(x != s[0] for x in s))
    other = next(i for i, shape in enumerate(shapes) if shape != shapes[0])
    return InvalidArgumentError(
        f"Cannot batch tensors with different shapes in component {number}. First element had "
        f"shape {shapes[0]} and element {other} had shape {shapes[other]}. A batch is one tensor. "
        "Bring them to one size with map, or use padded_batch."
    )


def padded(shape: Any, value: Any, *parts: Any) -> Any:
    """A component of several elements as one, filled up to `shape`, or to the largest size.

    Raises:
        InvalidArgumentError: if one is larger than `shape`.
    """
    arrays = [each.value for each in parts]
    largest = np.max([each.shape for each in arrays], axis=0) if arrays[0].ndim else []
    target = [int(n if m is None else m) for m, n in zip(shape.as_list(), largest, strict=True)]
    if any(n > m for m, n in zip(target, largest, strict=True)):
        raise InvalidArgumentError(
            f"Attempted to pad to a smaller size than the input element: padded_shapes says "
            f"{target}, an element of the batch has {[int(n) for n in largest]}. Write None "
            "there, or a larger size."
        )
    out = np.full((len(arrays), *target), value, arrays[0].dtype)
    for i, array in enumerate(arrays):
        place: Any = (i, *map(slice, array.shape))
        out[place] = array
    return eager(out)


def unbatched(elements: Elements) -> Elements:
    """The rows of every element."""
    for element in elements:
        for i in range(next(leaves(element)).shape[0]):
            yield mapped(lambda x: row(x, i), element)  # noqa: B023  # called at once


def shuffled(elements: Elements, size: int, rng: np.random.Generator) -> Elements:
    """Each time a random one of the next `size` elements."""
    buffer = list(islice(elements, size))
    for element in elements:
        i = int(rng.integers(len(buffer)))
        yield buffer[i]
        buffer[i] = element
    while buffer:
        i = int(rng.integers(len(buffer)))
        yield buffer[i]
        buffer[i] = buffer[-1]
        buffer.pop()


def windows(
    elements: Elements, size: int, shift: int, stride: int, drop_remainder: bool
) -> Iterator[list[Any]]:
    """Lists of `size` elements, `stride` apart, each list starting `shift` after the one before."""
    span = (size - 1) * stride + 1
    buffer: deque[Any] = deque(islice(elements, span))
    while buffer:
        chosen = list(islice(buffer, 0, span, stride))
        if len(chosen) < size and drop_remainder:
            return
        yield chosen
        buffer.extend(islice(elements, shift))
        for _ in range(min(shift, len(buffer))):
            buffer.popleft()


def interleaved(inner: Iterator[Any], cycle: int, block: int) -> Elements:
    """The elements of `cycle` datasets in turn, `block` of each at a time."""
    running = deque(islice(inner, cycle))
    while running:
        turn = running.popleft()
        part = list(islice(turn, block))
        yield from part
        running.extend([turn] if len(part) == block else islice(inner, 1))
