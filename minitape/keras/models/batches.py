"""What `fit` is given, as batches: arrays, datasets, generators and sequences.

`Batches` is started once per epoch and gives tuples of inputs, targets and weights, as tensors.
Floating arrays of float64 become those of `floatx`, as in Keras.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_integer, checked_number, not_fitting
from minitape.keras.config import floatx
from minitape.tensor import Operators, eager


class Batches:
    """Batches of x, y and weights; `steps` is how many an epoch has, None before one was seen."""

    def __init__(self, source: Any, steps: int | None = None) -> None:
        if steps is not None:
            checked_integer("model", "steps", steps, "steps=10")
        self.source, self.limit = source, steps
        self.steps = steps if steps is not None else _length(source)
        self._pass: Iterator[Any] = iter(())

    def __iter__(self) -> Iterator[Any]:
        """One epoch; with a limit the next one goes on where this one stopped, or begins anew."""
        if self.limit is None:
            yield from self._start()
            return
        for step in range(self.limit):
            batch = next(self._pass, None)
            if batch is None and step == 0:
                self._pass = self._start()
                batch = next(self._pass, None)
            if batch is None:
                return
            yield batch

    def begin_anew(self) -> None:
        """Lets the next epoch begin with the first batch, wherever the last one stopped."""
        self._pass = iter(())

    def _start(self) -> Iterator[Any]:
        batches = iter(self.source)
        return batches if isinstance(self.source, Arrays) else map(as_tensors, batches)


class PyDataset:
    """Batches by number: define `__len__` and `__getitem__` in a subclass, and give it to `fit`.

    Its arguments change nothing: batches are made when they are needed.

    Example:
        >>> import minitape as tf
        >>> class Rows(tf.keras.utils.PyDataset):
        ...     def __len__(self):
        ...         return 2
        ...
        ...     def __getitem__(self, index):
        ...         return tf.fill([1, 2], float(index))
        >>> [batch.numpy().tolist() for batch in Rows()]
        [[[0.0, 0.0]], [[1.0, 1.0]]]
    """

    def __init__(
        self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10
    ) -> None:
        pass

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define `__getitem__`.")

    def __iter__(self) -> Iterator[Any]:
        for i in range(len(self)):  # type: ignore[arg-type]  # of a subclass
            yield self[i]
        self.on_epoch_end()

    def on_epoch_end(self) -> None:
        """Called after the last batch, for instance to shuffle."""


class Arrays:
    """Batches of arrays, in another order each time if `shuffle`."""

    def __init__(self, arrays: Any, batch_size: int, shuffle: bool) -> None:
        if checked_integer("model", "batch_size", batch_size, "batch_size=32") < 1:
            raise not_fitting("model", "batch_size", batch_size, "at least 1", "batch_size=32")
        self.arrays, self.batch_size, self.shuffle = arrays, batch_size, shuffle
        self.count = count_of(arrays)

    def __len__(self) -> int:
        return -(-self.count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        order = np.arange(self.count)
        if self.shuffle:
            order = tf.random.shuffle(order).numpy()
        for start in range(0, self.count, self.batch_size):
            places: Any = order[start : start + self.batch_size]
            if not self.shuffle:  # a slice copies nothing
                places = slice(start, start + self.batch_size)
            yield each_array(lambda a: eager(a[places]), self.arrays)  # noqa: B023


def _length(source: Any) -> int | None:
    try:
        return len(source)
    except TypeError:
        return None


def as_array(value: Any) -> Any:
    """A NumPy array of what a user gave; floating ones in the dtype of layers."""
    array = value.numpy() if isinstance(value, Operators) else np.asarray(value)  # type: ignore[attr-defined]
    if array.dtype.kind == "U":
        return array.astype(object)
    return array.astype(floatx(), copy=False) if array.dtype.kind == "f" else array


def arrays_of(structure: Any) -> Any:
    """Arrays in the nest of a user; a list of numbers or rows is one array, None stays None."""
    if hasattr(structure, "to_numpy"):  # a table of pandas
        structure = structure.to_numpy()
    if isinstance(structure, list) and not _holds_arrays(structure):
        return as_array(structure)
    return each_array(as_array, structure)


def each_array(function: Callable[[Any], Any], arrays: Any) -> Any:
    """What `function` makes of each array; None, the target of an output without a loss, stays."""
    return tf.nest.map_structure(lambda x: None if x is None else function(x), arrays)


def _holds_arrays(items: list[Any]) -> bool:
    given = [x for x in items if x is not None]
    return bool(given) and all(isinstance(x, Operators | np.ndarray) and x.ndim for x in given)  # type: ignore[union-attr]


def count_of(arrays: Any) -> int:
    """How many examples there are.

    Raises:
        ValueError: if arrays have different numbers of them.
    """
    given = [a for a in tf.nest.flatten(arrays) if a is not None]
    if not all(a.shape for a in given):
        raise ValueError(
            "An array of examples is a scalar, and has no axis that counts them. Example i is made "
            "of row i of each. Give arrays, for instance `fit(x, y)` with rows in both."
        )
    sizes = [a.shape[0] for a in given]
    if len(set(sizes)) > 1:
        raise ValueError(
            "Data cardinality is ambiguous. Make sure all arrays contain the same number of "
            f"samples: they have {sizes}. Example i is made of row i of each."
        )
    return sizes[0] if sizes else 0


def _are_arrays(x: Any) -> bool:
    """Whether data are arrays or nests of them, and not something to iterate."""
    return isinstance(x, Operators | list | tuple | dict) or hasattr(x, "__array__")


def _check_data(argument: str, given: Any) -> None:
    """Raises if something stands for no examples at all.

    Raises:
        ValueError: for a class, a function, a text, a number or an object of another kind.
    """
    is_data = given is None or _are_arrays(given) or hasattr(given, "__iter__")
    if is_data and not isinstance(given, type | str | bytes):
        return
    what = "It is the class itself, not what it makes. " if isinstance(given, type) else ""
    raise ValueError(
        f"Unrecognized data type: {argument}={given!r:.80} (of type {type(given)}). {what}"
        "Examples are the rows of arrays, or come from a dataset, a generator or a PyDataset. "
        "Write for instance `fit(x, y)` or `fit(dataset)`."
    )


def make_batches(
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    batch_size: int | None = None,
    shuffle: bool = False,
    steps: int | None = None,
) -> Batches:
    """The batches of what `fit`, `evaluate` or `predict` were given."""
    if x is None:
        raise not_fitting("model", "x", x, "arrays or a dataset", "fit(x, y)")
    for argument, data in (("x", x), ("y", y), ("sample_weight", sample_weight)):
        _check_data(argument, data)
    if not _are_arrays(x):
        if y is not None:
            raise ValueError(
                f"`y` is given beside a {type(x).__name__}, whose elements hold the targets "
                "already. Make it of pairs: `Dataset.from_tensor_slices((x, y))`."
            )
        return Batches(x, steps)
    arrays = tuple(map(arrays_of, (x, y, sample_weight)))
    given: Any = arrays if sample_weight is not None else arrays[:2]
    if y is None and sample_weight is None:  # inputs alone are no tuple, unless they are several
        given = arrays[:1] if isinstance(arrays[0], tuple | list) else arrays[0]
    return Batches(Arrays(given, batch_size or 32, shuffle), steps)


def as_tensors(batch: Any) -> Any:
    """A batch as x, (x,), (x, y) or (x, y, weights) of tensors."""
    batch = tuple(batch) if isinstance(batch, list) else batch
    return each_array(_as_tensor, batch)


def _as_tensor(x: Any) -> Any:
    return x if isinstance(x, Operators) else tf.convert_to_tensor(as_array(x))


def unpack(data: Any) -> tuple[Any, Any, Any]:
    """The inputs, targets and weights of a batch, None for what is not there."""
    x, y, weights = (*data, None, None)[:3] if isinstance(data, tuple) else (data, None, None)
    return x, y, weights


def split(given: tuple[Any, ...], share: float) -> tuple[Any, Any]:
    """The examples to train with, and the last `share` of them, to validate with.

    Raises:
        ValueError: if there is nothing left on one side.
    """
    arrays = tuple(map(arrays_of, given))
    count = count_of(arrays)
    fraction = checked_number("fit", "validation_split", share, "validation_split=0.2")
    at = int(count * (1.0 - fraction))
    if at in {0, count}:
        raise ValueError(
            f"validation_split={share} of {count} examples leaves none on one side. Take another "
            "share, or more examples."
        )
    return each_array(lambda a: a[:at], arrays), each_array(lambda a: a[at:], arrays)
