"""Methods that change what an element is: batches, windows, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any, Self

import minitape as tf
from minitape.data import iterating
from minitape.data.core import UNKNOWN_CARDINALITY, Core
from minitape.data.structures import DatasetSpec, leaves, mapped
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_function
from minitape.errors.of_flags import checked_flag
from minitape.values.shapes import TensorShape

LARGEST = 2**63 - 1


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
        raise InvalidArgumentError(f"{name} must be greater than zero; got {number}.")
    return number


def _filled_to(spec: Any, shape: Any) -> TensorShape:
    """The shape to which elements of a spec are filled up."""
    wanted = TensorShape(shape)
    if None not in (wanted.rank, spec.shape.rank) and wanted.rank != spec.shape.rank:
        raise ValueError(
            f"The padded shape {tuple(wanted)} is not compatible with the shape "
            f"{tuple(spec.shape)} of the corresponding input component. Padding adds places along "
            f"an axis, and no axis: give {spec.shape.rank} sizes, None for the largest."
        )
    return wanted


class Grouping(Core):
    """`batch`, `padded_batch`, `unbatch` and `window`."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
    ) -> Self:
        """Groups of `batch_size` elements as one, along a new first axis.

        Args:
            batch_size: how many.
            drop_remainder: whether a last group that is smaller is left out.
            num_parallel_calls: accepted and not used, like those that follow.
            deterministic: not used.

        Raises:
            InvalidArgumentError: if `batch_size` is not positive; while iterating, if the shapes
                of elements differ.

        Example:
            >>> import minitape as tf
            >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
            [[0, 1], [2, 3], [4]]
        """
        return self._grouped(
            "_BatchDataset",
            batch_size,
            drop_remainder,
            iterating.joined,
            lambda: self.element_spec,
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
    ) -> Self:
        """Groups of elements of different sizes as one, filled up to the largest of the group.

        Args:
            batch_size: how many.
            padded_shapes: sizes to fill up to, for each component; None means the largest.
            padding_values: what to fill with, for each component; by default 0, or empty texts.
            drop_remainder: whether a last group that is smaller is left out.

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
        spec = self.element_spec
        if padded_shapes is None and any(each.shape.rank is None for each in leaves(spec)):
            raise ValueError(
                "You must provide `padded_shapes`: the number of axes of the elements is not "
                "known. Write for instance `padded_shapes=[None]`."
            )
        if padded_shapes is None:
            shapes = mapped(lambda each: each.shape, spec)
        else:
            shapes = mapped(_filled_to, spec, padded_shapes)
        if isinstance(padding_values, tuple | dict):
            values = mapped(_filling, spec, padding_values)
        else:
            values = mapped(lambda each: _filling(each, padding_values), spec)

        def join(chunk: list[Any]) -> Any:
            return mapped(iterating.padded, shapes, values, *chunk)

        def filled() -> Any:
            return mapped(lambda each, shape: tf.TensorSpec(shape, each.dtype), spec, shapes)

        return self._grouped("_PaddedBatchDataset", batch_size, drop_remainder, join, filled)

    def _grouped(
        self,
        kind: str,
        batch_size: Any,
        drop_remainder: bool,
        join: Callable[[list[Any]], Any],
        spec: Callable[[], Any],
    ) -> Self:
        """Groups of `batch_size` elements of `spec`, each made one by `join`."""
        size = positive("batch_size", batch_size)
        is_full = checked_flag("batch", "drop_remainder", drop_remainder)

        def grown(each: Any) -> Any:
            first = TensorShape([size if is_full else None])
            return tf.TensorSpec(first.concatenate(iterating.dense(each).shape), each.dtype)

        return type(self)(
            kind,
            lambda: map(join, iterating.batched(self._start(), size, is_full)),
            lambda: mapped(grown, spec()),
            self._counted(lambda n: n // size if is_full else -(-n // size)),
        )

    def _counted(self, count: Callable[[int], int]) -> int:
        """`count` of how many elements there are; what is infinite or unknown stays so."""
        return self._size if self._size < 0 else count(self._size)

    def unbatch(self) -> Self:
        """The rows of every element as elements.

        Raises:
            ValueError: if a component has no axis.
        """
        specs = list(leaves(self.element_spec))
        if any(each.shape.rank == 0 for each in specs):
            raise ValueError(
                "Cannot unbatch an input with scalar components: there are no rows to take apart."
            )
        rows = None if specs[0].shape.rank is None else specs[0].shape[0]
        return type(self)(
            "_UnbatchDataset",
            lambda: iterating.unbatched(self._start()),
            lambda: mapped(lambda x: tf.TensorSpec(x.shape[1:], x.dtype), self.element_spec),
            UNKNOWN_CARDINALITY if rows is None else self._counted(lambda n: n * rows),
        )

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False
    ) -> Self:
        """Datasets of `size` neighbouring elements; of each component one.

        Args:
            size: how many elements a window has.
            shift: how far the next window starts; by default `size`.
            stride: the distance between elements of a window.
            drop_remainder: whether windows at the end that are smaller are left out.

        Example:
            >>> import minitape as tf
            >>> data = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
            >>> [x.numpy().tolist() for x in data.flat_map(lambda w: w.batch(3))]
            [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        n, gap = positive("window size", size), positive("window stride", stride)
        step = n if shift is None else positive("window shift", shift)
        is_full = checked_flag("window", "drop_remainder", drop_remainder)
        span = (n - 1) * gap + 1

        def inner(spec: Any, *parts: Any) -> Any:
            return type(self)("_VariantDataset", lambda: iter(parts), lambda: spec, len(parts))

        def start() -> Iterator[Any]:
            whole = self.element_spec
            for chosen in iterating.windows(self._start(), n, step, gap, is_full):
                yield mapped(inner, whole, *chosen)

        return type(self)(
            "_WindowDataset",
            start,
            lambda: mapped(DatasetSpec, self.element_spec),
            self._counted(lambda n: max(0, (n - span) // step + 1) if is_full else -(-n // step)),
        )

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """`transformation_func(dataset)`, for functions that stand in a chain of methods."""
        example = "dataset.apply(lambda d: d.batch(2))"
        return checked_function("apply", "transformation_func", transformation_func, example)(self)


def _filling(spec: Any, value: Any) -> Any:
    """What a component is filled up with: 0 or an empty text where no value is given."""
    if value is None:
        return b"" if spec.dtype == tf.string else 0
    return tf.convert_to_tensor(value).numpy()
