"""What every dataset can: be iterated, counted, described and reduced.

A dataset is a recipe, a function that starts a pass over its elements. Nothing is computed before
an element is asked for, and each `for` starts anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.data.functions import applied, checked
from minitape.data.structures import as_element, as_numpy, mapped, spec_of
from minitape.errors import InvalidArgumentError, OutOfRangeError
from minitape.interpreter import symbolic_interpreter
from minitape.names.absent import words
from minitape.safety.locks import object_lock

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


class Constructors(type):
    """The class of `Dataset`, which has words for constructors that are not there."""

    if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

        def __getattr__(cls, name: str) -> Any:
            raise _missing("type object 'Dataset'", name)


class Core(metaclass=Constructors):
    """A recipe for elements: `start` begins a pass, `spec` describes them, `size` counts them.

    `Dataset.from_tensor_slices(arrays)` and its siblings make one.
    """

    def __init__(
        self, kind: str, start: Callable[[], Iterator[Any]], spec: Callable[[], Any], size: int
    ) -> None:
        self._kind, self._start, self._find_spec, self._size = kind, start, spec, size

    def __iter__(self) -> DatasetIterator:
        """A pass over the elements, which are tensors in tuples and dicts.

        While a `tf.function` is traced there are no elements yet, so that function runs its Python
        at every call.
        """
        graph = symbolic_interpreter()
        if graph is not None:
            raise graph.refusal("a loop over a dataset", self)
        return DatasetIterator(self._start())

    def as_numpy_iterator(self) -> DatasetIterator:
        """A pass over the elements as NumPy values.

        Example:
            >>> import minitape as tf
            >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
            [np.int64(0), np.int64(1), np.int64(2)]
        """
        return DatasetIterator(mapped(as_numpy, element) for element in self._start())

    @cached_property
    def element_spec(self) -> Any:
        """A `tf.TensorSpec` for each component of an element.

        Where only values tell it, that of the first element.

        Example:
            >>> import minitape as tf
            >>> tf.data.Dataset.range(3).map(lambda x: (x, x / 2)).element_spec[1]
            TensorSpec(shape=(), dtype=tf.float64, name=None)
        """
        spec = self._find_spec()
        return mapped(spec_of, next(self._start(), None)) if spec is None else spec

    def cardinality(self) -> Any:
        """How many elements there are, as int64: -1 for infinitely many, -2 if only a pass tells.

        Example:
            >>> import minitape as tf
            >>> int(tf.data.Dataset.range(10).batch(4).cardinality())
            3
        """
        return tf.constant(self._size, tf.int64)

    def __len__(self) -> int:
        """How many elements there are.

        Raises:
            TypeError: if they are infinitely many, or only a pass tells.
        """
        if self._size == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite. `take(n)` makes a finite one.")
        if self._size == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown. Count it: `sum(1 for _ in dataset)`.")
        return self._size

    def __bool__(self) -> bool:
        return True

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """`reduce_func(state, element)` over all elements; the last state.

        Args:
            initial_state: a tensor, or tensors in tuples and dicts.
            reduce_func: gives the next state.

        Example:
            >>> import minitape as tf
            >>> print(tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda a, b: a + b))
            tf.Tensor(10, shape=(), dtype=int64)
        """
        function = checked("reduce", reduce_func)
        state = as_element(initial_state)
        for index, element in enumerate(self._start()):
            state = as_element(applied("reduce", function, (state, element), index))
        return state

    def get_single_element(self) -> Any:
        """The only element.

        Raises:
            InvalidArgumentError: if there are none or several.
        """
        elements = list(islice(self._start(), 2))
        if len(elements) != 1:
            raise InvalidArgumentError(
                f"Dataset had {'more than one element' if elements else 'no elements'}; "
                "get_single_element takes the only one. `batch` makes one of many."
            )
        return elements[0]

    def __repr__(self) -> str:
        return f"<{self._kind} element_spec={self.element_spec!r}>"

    def __getattr__(self, name: str) -> Any:
        if name == "element_spec":  # a user's function raised an AttributeError, which is said
            return self._find_spec()
        raise _missing("'Dataset' object", name)


def _missing(where: str, name: str) -> AttributeError:
    said = "" if name.startswith("_") else words(f"data.Dataset.{name}")
    return AttributeError(f"{where} has no attribute '{name}'. {said}".rstrip())


class DatasetIterator(Iterator[Any]):
    """One pass over a dataset: `next(iterator)`, `iterator.get_next()`, or a loop."""

    def __init__(self, elements: Iterator[Any]) -> None:
        self._elements = elements
        self._taking = object_lock()  # generators run in one thread at a time

    def __next__(self) -> Any:
        with self._taking:
            return next(self._elements)

    next = __next__

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: if there is none.
        """
        with self._taking:
            for element in self._elements:
                return element
        raise OutOfRangeError("End of sequence: the dataset has no more elements. Use a `for`.")


class Options:
    """`tf.data.Options`: accepted with any attribute, and without effect; order is always kept."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = Options()
        return value
