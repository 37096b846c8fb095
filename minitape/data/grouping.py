"""Methods that change what an element is: batches, windows, and back."""

from __future__ import annotations

from collections.abc import Callable
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any, Self

import minitape as tf
from minitape.data import iterating
from minitape.data.core import Core
from minitape.data.structures import (
    DatasetSpec,
    as_component,
    is_container,
    leaves,
    mapped,
    with_axis,
    without_axis,
)
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_function
from minitape.errors.of_flags import checked_flag
from minitape.values.shapes import TensorShape


def positive(name: str, value: Any, least: int = 1) -> int:
    """An argument as an integer.

    Raises:
        InvalidArgumentError: if it is less than `least`.
        TypeError: if it is none.
    """
    try:
        number = int(tf.convert_to_tensor(value, tf.int64))
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be an integer; got {short(value)}.") from None
    if number < least:
        raise InvalidArgumentError(
            f"{name} must be greater than {'or equal to ' if not least else ''}zero; got {number}."
        )
    return number


class Grouping(Core):
    """`batch`, `padded_batch`, `unbatch`, `rebatch` and `window`."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Groups of `batch_size` elements as one, along a new first axis.

        Args:
            batch_size: how many.
            drop_remainder: whether a last group that is smaller is left out.
            num_parallel_calls: accepted and not used, like those that follow.
            deterministic: not used.
            name: not used.

        Raises:
            InvalidArgumentError: if `batch_size` is not positive; while iterating, if the shapes
                of elements differ.

        Example:
            >>> import minitape as tf
            >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
            [[0, 1], [2, 3], [4]]
        """
        size = positive("batch_size", batch_size)
        drop_remainder = checked_flag("batch", "drop_remainder", drop_remainder)
        return self._made(
            "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset",
            lambda: iterating.batched(self._start(), size, drop_remainder),
            lambda: self._batch_spec(size if drop_remainder else None),
            self._groups(size, drop_remainder),
        )

    def _batch_spec(self, size: int | None) -> Any:
        def grown(spec: Any) -> Any:
            if isinstance(spec, DatasetSpec):
                raise TypeError(
                    "batch: an element is a dataset itself, as `window` makes them. Batch inside: "
                    "`dataset.window(n).flat_map(lambda w: w.batch(n))`."
                )
            return with_axis(spec, size)

        return mapped(grown, self.element_spec)

    def _groups(self, size: int, drop_remainder: bool) -> int:
        if self._size < 0:
            return self._size
        return self._size // size if drop_remainder else -(-self._size // size)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Groups of elements of different sizes as one, filled up to the largest of the group.

        Args:
            batch_size: how many.
            padded_shapes: sizes to fill up to, for each component; None means the largest.
            padding_values: what to fill with, for each component; by default 0, or empty texts.
            drop_remainder: whether a last group that is smaller is left out.
            name: accepted and not used.

        Raises:
            InvalidArgumentError: while iterating, if an element is larger than `padded_shapes`.
            ValueError: if the number of axes is unknown and `padded_shapes` does not say it.

        Example:
            >>> import minitape as tf
            >>> rows = lambda: iter([[1], [2, 3]])
            >>> data = tf.data.Dataset.from_generator(rows, tf.int32, [None])
            >>> [x.numpy().tolist() for x in data.padded_batch(2)]
            [[[1, 0], [2, 3]]]
        """
        size = positive("batch_size", batch_size)
        shapes = _shapes(padded_shapes, self.element_spec)
        largest = shapes
        if padded_shapes is None:  # the spec may be the first element's, of a function's results
            largest = mapped(_open_shape, self.element_spec)
        values = _fill(padding_values, self.element_spec)
        return self._made(
            "_PaddedBatchDataset",
            lambda: iterating.batched(
                self._start(),
                size,
                drop_remainder,
                lambda chunk: iterating.padded(chunk, largest, values),
            ),
            lambda: mapped(
                lambda shape, spec: with_axis(
                    tf.TensorSpec(shape, spec.dtype), size if drop_remainder else None
                ),
                shapes,
                self.element_spec,
            ),
            self._groups(size, drop_remainder),
        )

    def unbatch(self, name: str | None = None) -> Self:
        """The rows of every element as elements.

        Raises:
            ValueError: if a component has no axis.
        """
        if any(each.shape.rank == 0 for each in leaves(self.element_spec)):
            raise ValueError(
                "Cannot unbatch an input with scalar components: there are no rows to take apart."
            )
        rows = next(leaves(self.element_spec)).shape[0]
        return self._made(
            "_UnbatchDataset",
            lambda: iterating.unbatched(self._start()),
            lambda: mapped(without_axis, self.element_spec),
            self._size * rows if self._size > 0 and rows is not None else -2,
        )

    def rebatch(self, batch_size: Any, drop_remainder: bool = False) -> Self:
        """Batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder)

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Datasets of `size` neighbouring elements; of each component one.

        Args:
            size: how many elements a window has.
            shift: how far the next window starts; by default `size`.
            stride: the distance between elements of a window.
            drop_remainder: whether windows at the end that are smaller are left out.
            name: accepted and not used.

        Example:
            >>> import minitape as tf
            >>> data = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
            >>> [x.numpy().tolist() for x in data.flat_map(lambda w: w.batch(3))]
            [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        n, gap = positive("window size", size), positive("window stride", stride)
        step = n if shift is None else positive("window shift", shift)

        def inner(window: list[Any]) -> Any:
            return self._inner(window, self.element_spec)

        span = (n - 1) * gap + 1
        drop_remainder = checked_flag("window", "drop_remainder", drop_remainder)
        count = self._size if self._size < 0 else -(-self._size // step)
        if drop_remainder and self._size >= 0:
            count = max(0, (self._size - span) // step + 1)
        return self._made(
            "_WindowDataset",
            lambda: map(inner, iterating.windows(self._start(), n, step, gap, drop_remainder)),
            lambda: mapped(DatasetSpec, self.element_spec),
            count,
        )

    def _inner(self, window: list[Any], spec: Any) -> Any:
        """A window as a dataset, or one per component."""
        if not is_container(spec):
            return self._made("_VariantDataset", lambda: iter(window), lambda: spec, len(window))
        columns = zip(*(leaves(each) for each in window), strict=True)
        parts = iter([self._inner(list(c), s) for c, s in zip(columns, leaves(spec), strict=True)])
        ordered = dict(zip(map(id, leaves(spec)), parts, strict=True))
        return mapped(lambda each: ordered[id(each)], spec)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """`transformation_func(dataset)`, for functions that stand in a chain of methods."""
        example = "dataset.apply(lambda d: d.batch(2))"
        function = checked_function("apply", "transformation_func", transformation_func, example)
        return function(self)


def _open_shape(spec: Any) -> Any:
    """As many axes as an element has, of any length."""
    return tf.TensorShape([None] * (spec.shape.rank or 0))


def _shapes(given: Any, spec: Any) -> Any:
    if given is None:
        if any(each.shape.rank is None for each in leaves(spec)):
            raise ValueError(
                "You must provide `padded_shapes`: the number of axes of the elements is not "
                "known. Write for instance `padded_shapes=[None]`."
            )
        return mapped(lambda each: each.shape, spec)
    if not is_container(spec):
        return TensorShape(given)
    if isinstance(spec, dict):
        return {k: _shapes(given[k], spec[k]) for k in spec}
    return tuple(_shapes(g, s) for g, s in zip(given, spec, strict=True))


def _fill(given: Any, spec: Any) -> Any:
    """What to fill with, for each component: 0 or an empty text where nothing is given."""

    def value(each: Any, own: Any) -> Any:
        if own is None:
            return b"" if each.dtype == tf.string else 0
        return own.value

    own = mapped(as_component, given)
    if is_container(own):
        return mapped(value, spec, own)
    return mapped(lambda each: value(each, own), spec)
