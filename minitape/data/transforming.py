"""Methods that choose, order, compute and join elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count, islice, repeat as endlessly
from typing import Any, Self

import numpy as np

import minitape as tf
from minitape.data import iterating
from minitape.data.core import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Core
from minitape.data.functions import applied, checked, spec_of_results
from minitape.data.grouping import LARGEST, Grouping, positive
from minitape.data.structures import as_element, leaves, mapped
from minitape.errors.of_arguments import checked_text, not_fitting
from minitape.graphs.abstract import common_spec
from minitape.ops.random.randomness import generator


class Transforming(Grouping):
    """`map`, `filter`, `shuffle`, `repeat`, `take` and their like."""

    def _same(self, kind: str, start: Callable[[], Iterator[Any]], size: int) -> Self:
        """A dataset of elements of the same spec."""
        return type(self)(kind, start, lambda: self.element_spec, size)

    def concatenate(self, dataset: Any) -> Self:
        """The elements of this dataset, then those of another.

        Raises:
            TypeError: if their elements differ in structure or dtype.
        """
        if not isinstance(dataset, Core):
            raise not_fitting("concatenate", "dataset", dataset, "a Dataset", "a.concatenate(b)")
        one, two = self.element_spec, dataset.element_spec
        if [s.dtype for s in leaves(one)] != [s.dtype for s in leaves(two)]:
            raise TypeError(
                f"Incompatible dataset elements:\n  {one} vs.  {two}. A dataset has elements of "
                "one kind. Cast one of them with map."
            )
        fewest = min(self._size, dataset._size)  # less than 0 if one is infinite or unknown
        return type(self)(
            "_ConcatenateDataset",
            lambda: chain(self._start(), dataset._start()),
            lambda: mapped(common_spec, one, two),
            fewest if fewest < 0 else self._size + dataset._size,
        )

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None
    ) -> Self:
        """Each time a random one of the next `buffer_size` elements.

        Args:
            buffer_size: how many are held; as many as there are for a uniform order.
            seed: makes the order repeatable, as `tf.random.set_seed` does.
            reshuffle_each_iteration: whether each pass has another order, which is the default.

        Raises:
            InvalidArgumentError: if `buffer_size` is not positive.
        """
        size = positive("buffer_size", buffer_size)
        start = int(generator().integers(2**31)) if seed is None else int(seed)
        passes = count()

        def shuffled() -> Iterator[Any]:
            number = 0 if reshuffle_each_iteration is False else next(passes)
            rng = np.random.default_rng([start % 2**32, number])
            return iterating.shuffled(self._start(), size, rng)

        return self._same("_ShuffleDataset", shuffled, self._size)

    def repeat(self, count: Any = None) -> Self:
        """The elements `count` times over; without end if it is None or -1."""
        times = -1 if count is None else positive("repeat: count", count, -LARGEST)
        if times < 0:
            size = INFINITE_CARDINALITY if self._size else 0
        else:
            size = self._size * times if self._size >= 0 or not times else self._size

        def start() -> Iterator[Any]:
            for _ in endlessly(None) if times < 0 else range(times):
                ended = True
                for element in self._start():
                    ended = False
                    yield element
                if ended:
                    return

        return self._same("_RepeatDataset", start, size)

    def take(self, count: Any) -> Self:
        """The first `count` elements; all of them for -1."""
        n = positive("count", count, -1)
        stop = None if n < 0 else n
        size = n if self._size == INFINITE_CARDINALITY else min(n, self._size)
        return self._same(
            "_TakeDataset", lambda: islice(self._start(), stop), self._size if n < 0 else size
        )

    def skip(self, count: Any) -> Self:
        """All but the first `count` elements; none for -1."""
        n = positive("count", count, -1)
        if n < 0:
            return self._same("_SkipDataset", lambda: iter(()), 0)
        size = self._counted(lambda size: max(0, size - n))
        return self._same("_SkipDataset", lambda: islice(self._start(), n, None), size)

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        **options: Any,
    ) -> Self:
        """What a function makes of each element; a tuple's components are its arguments.

        It runs eagerly, element by element. TensorFlow traces it into a graph once, so that Python
        side effects happen once there, and `.numpy()` is not possible.

        Args:
            map_func: gives a tensor, or tensors in tuples and dicts.
            num_parallel_calls: accepted and not used, like those that follow.
            deterministic: not used.
            **options: not used.

        Raises:
            ValueError: if `map_func` is no function.

        Example:
            >>> import minitape as tf
            >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * x)]
            [0, 1, 4]
        """
        function = checked("map", map_func)

        def start() -> Iterator[Any]:
            for index, element in enumerate(self._start()):
                yield as_element(applied("map", function, element, index))

        def spec() -> Any:
            return spec_of_results(function, self.element_spec, self._start())

        return type(self)("_MapDataset", start, spec, self._size)

    def filter(self, predicate: Callable[..., Any]) -> Self:
        """The elements for which `predicate` gives True.

        Raises:
            ValueError: while iterating, if it gives something else than one truth value.
        """
        function = checked("filter", predicate)

        def start() -> Iterator[Any]:
            for index, element in enumerate(self._start()):
                answer = np.asarray(applied("filter", function, element, index))
                if answer.dtype != np.bool_ or answer.ndim:
                    raise ValueError(
                        "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, "
                        f"but it returned dtype {answer.dtype} and shape {answer.shape} for "
                        f"element {index}. Compare: `lambda x: x > 0`."
                    )
                if answer:
                    yield element

        return self._same("_FilterDataset", start, UNKNOWN_CARDINALITY)

    def flat_map(self, map_func: Callable[..., Any]) -> Self:
        """The elements of the datasets that `map_func` gives, one dataset after the other.

        Raises:
            TypeError: while iterating, if it gives something else than a dataset.
        """
        return self._inside("flat_map", map_func, chain.from_iterable)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: int | None = None,
        block_length: int = 1,
        **options: Any,
    ) -> Self:
        """The elements of the datasets that `map_func` gives, `cycle_length` of them in turn."""
        cycle = 2 if cycle_length is None or cycle_length < 1 else cycle_length

        def in_turn(passes: Iterator[Iterator[Any]]) -> Iterator[Any]:
            return iterating.interleaved(passes, cycle, block_length)

        return self._inside("interleave", map_func, in_turn)

    def _inside(self, method: str, map_func: Any, joined: Callable[..., Iterator[Any]]) -> Self:
        function = checked(method, map_func)

        def inner() -> Iterator[Any]:
            for index, element in enumerate(self._start()):
                found = applied(method, function, element, index)
                if not isinstance(found, Core):
                    raise TypeError(
                        f"`map_func` must return a `Dataset` object; got {found!r:.80} in "
                        f"Dataset.{method}(). Wrap it: `Dataset.from_tensors(x)`."
                    )
                yield found

        return type(self)(
            "_FlatMapDataset" if method == "flat_map" else "_InterleaveDataset",
            lambda: joined(each._start() for each in inner()),
            lambda: next((first.element_spec for first in inner()), None),
            UNKNOWN_CARDINALITY,
        )

    def enumerate(self, start: Any = 0) -> Self:
        """Pairs of a number, counted from `start`, and an element."""

        def pairs() -> Iterator[Any]:
            for number, element in enumerate(self._start(), int(start)):
                yield tf.constant(number, tf.int64), element

        def spec() -> Any:
            return tf.TensorSpec([], tf.int64), self.element_spec

        return type(self)("_ZipDataset", pairs, spec, self._size)

    def cache(self, filename: str = "") -> Self:
        """Keeps the elements of the first whole pass in memory; no file is written."""
        checked_text("cache", "filename", filename, "cache()")
        whole: list[list[Any]] = []  # the elements, once a pass came to its end

        def start() -> Iterator[Any]:
            if whole:
                yield from whole[0]
                return
            found = []
            for element in self._start():
                found.append(element)
                yield element
            whole.append(found)

        return self._same("CacheDataset", start, self._size)

    def prefetch(self, buffer_size: Any) -> Self:
        """The same elements; accepted, and not needed where everything runs on one thread."""
        positive("prefetch: buffer_size", buffer_size, -1)
        return self._same("_PrefetchDataset", self._start, self._size)

    def with_options(self, options: Any) -> Self:
        """The same elements: there is nothing to choose."""
        return self._same("_OptionsDataset", self._start, self._size)
