"""What every dataset can: be iterated, counted, described and reduced.

The one fact to know: a dataset is a recipe, a function that starts a pass over its elements.
Nothing is computed before an element is asked for, and each `for` starts anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import minitape as tf
from minitape.data.functions import applied, checked
from minitape.data.iterating import DatasetIterator, NumpyIterator
from minitape.data.structures import as_element, mapped, spec_of
from minitape.errors import InvalidArgumentError
from minitape.interpreter import symbolic_interpreter

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2
Spec = Callable[[], Any]


class Core:
    """A recipe for elements: `start` begins a pass, `spec` describes them, `size` counts them."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError(
            "Can't instantiate abstract class Dataset: it does not say where elements come from. "
            "Write tf.data.Dataset.from_tensor_slices(arrays), or from_generator."
        )

    @classmethod
    def _made(cls, kind: str, start: Callable[[], Iterator[Any]], spec: Spec, size: int) -> Self:
        new = object.__new__(cls)
        new._kind, new._start, new._size = kind, start, size
        new._find_spec, new._spec = spec, None
        return new

    _kind: str
    _start: Callable[[], Iterator[Any]]
    _size: int
    _find_spec: Spec
    _spec: Any

    def __iter__(self) -> DatasetIterator:
        """A pass over the elements, which are tensors in tuples and dicts.

        While a `tf.function` is traced there are no elements yet, so that function runs its Python
        at every call.
        """
        graph = symbolic_interpreter()
        if graph is not None:
            raise graph.refusal("a loop over a dataset", self)
        return DatasetIterator(self._start(), lambda: self.element_spec)

    def as_numpy_iterator(self) -> NumpyIterator:
        """A pass over the elements as NumPy values.

        Example:
            >>> import minitape as tf
            >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
            [np.int64(0), np.int64(1), np.int64(2)]
        """
        return NumpyIterator(self._start(), lambda: self.element_spec)

    @property
    def element_spec(self) -> Any:
        """A `tf.TensorSpec` for each component of an element.

        Behind a `map` whose function needs values, two elements are computed to see.

        Example:
            >>> import minitape as tf
            >>> tf.data.Dataset.range(3).map(lambda x: (x, x / 2)).element_spec[1]
            TensorSpec(shape=(), dtype=tf.float64, name=None)
        """
        if self._spec is None:
            self._spec = self._find_spec()
        if self._spec is None:
            for element in self._start():
                self._spec = mapped(spec_of, element)
                break
        return self._spec

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
        """`reduce_func(state, element)` over all elements.

        Args:
            initial_state: a tensor, or tensors in tuples and dicts.
            reduce_func: gives the next state.

        Returns:
            The last state.

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
        elements = list(zip(range(2), self._start(), strict=False))
        if len(elements) != 1:
            raise InvalidArgumentError(
                f"Dataset had {'more than one element' if elements else 'no elements'}; "
                "get_single_element takes the only one. `batch` makes one of many."
            )
        return elements[0][1]

    def options(self) -> Any:
        """Empty options: everything runs in order, on one thread."""
        return Options()

    def __repr__(self) -> str:
        return f"<{self._kind} element_spec={self.element_spec!r}>"


class Options:
    """`tf.data.Options`: accepted with any attribute, and without effect; order is always kept."""

    def __init__(self) -> None:
        self.deterministic = True
        self.experimental_deterministic = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = Options()
        return value
