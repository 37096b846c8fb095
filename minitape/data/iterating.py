"""Iterating: one pass over a dataset, and the generators behind its methods.

The one fact to know: every generator takes an iterator of elements and gives one, and holds no more
elements than it needs: a batch, a buffer, a window.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from minitape.data.functions import applied
from minitape.data.structures import as_element, as_numpy, leaves, mapped, row, stacked
from minitape.errors import InvalidArgumentError, OutOfRangeError, teach
from minitape.tensor import eager

Elements = Iterator[Any]


class DatasetIterator:
    """One pass over a dataset: `next(iterator)`, `iterator.get_next()`, or a loop."""

    def __init__(self, elements: Elements, element_spec: Callable[[], Any]) -> None:
        self._elements = elements
        self._spec = element_spec

    @property
    def element_spec(self) -> Any:
        """Shapes and dtypes of the elements."""
        return self._spec()

    def __iter__(self) -> DatasetIterator:
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: if there is none.
        """
        for element in self._elements:
            return element
        raise OutOfRangeError("End of sequence: the dataset has no more elements. Use a `for`.")


class NumpyIterator(DatasetIterator):
    """The same with NumPy values."""

    def __next__(self) -> Any:
        return mapped(as_numpy, next(self._elements))


def joined(chunk: list[Any]) -> Any:
    """Elements as one, along a new first axis.

    Raises:
        InvalidArgumentError: if their shapes differ.
    """
    try:
        return mapped(lambda *parts: stacked(list(parts)), *chunk)
    except ValueError as error:
        columns = zip(*(leaves(each) for each in chunk), strict=True)
        for number, column in enumerate(columns):
            for i, each in enumerate(column):
                if each.shape != column[0].shape:
                    raise InvalidArgumentError(
                        teach(
                            "Cannot batch tensors with different shapes in component "
                            f"{number}. First element had shape {column[0].shape.as_list()} and "
                            f"element {i} had shape {each.shape.as_list()}.",
                            "A batch is one tensor.",
                            "Bring them to one size with map, or use padded_batch.",
                        )
                    ) from error
        raise


def batched(elements: Elements, size: int, drop_remainder: bool, join: Any = joined) -> Elements:
    """Groups of `size` elements."""
    while chunk := list(islice(elements, size)):
        if len(chunk) < size and drop_remainder:
            return
        yield join(chunk)


def padded(chunk: list[Any], shapes: Any, values: Any) -> Any:
    """Elements as one, each filled up to `shapes`, or to the largest where that says None."""

    def join(shape: Any, value: Any, *parts: Any) -> Any:
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
            place: Any = (i, *(slice(n) for n in array.shape))
            out[place] = array
        return eager(out)

    return mapped(join, shapes, values, *chunk)


def unbatched(elements: Elements) -> Elements:
    """The rows of every element."""
    for element in elements:
        columns = list(leaves(element))
        for i in range(columns[0].shape[0]):
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


def called(elements: Elements, function: Any, method: str = "map") -> Elements:
    """What `function` makes of the elements."""
    for index, element in enumerate(elements):
        yield as_element(applied(method, function, element, index))


def kept(elements: Elements, predicate: Any, method: str) -> Iterator[tuple[bool, Any]]:
    """The elements, and whether `predicate` holds for them."""
    for index, element in enumerate(elements):
        answer = np.asarray(applied(method, predicate, element, index))
        if answer.dtype != np.bool_ or answer.ndim:
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but it "
                f"returned dtype {answer.dtype} and shape {answer.shape} for element {index}. "
                "Compare: `lambda x: x > 0`."
            )
        yield bool(answer), element


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
        for _ in range(min(shift, len(buffer))):
            buffer.popleft()
        for _ in range(shift - span):
            next(elements, None)
        buffer.extend(islice(elements, span - len(buffer)))


def interleaved(inner: Iterator[Any], cycle: int, block: int) -> Elements:
    """The elements of `cycle` datasets in turn, `block` of each at a time."""
    running = deque(iter(each) for each in islice(inner, cycle))
    while running:
        turn = running.popleft()
        part = list(islice(turn, block))
        yield from part
        if len(part) == block:
            running.append(turn)
        else:
            following = next(inner, None)
            if following is not None:
                running.append(iter(following))
