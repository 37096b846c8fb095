"""`tf.data.Dataset`: elements from arrays, generators, ranges and other datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import minitape as tf
from minitape.data.core import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Core
from minitape.data.structures import as_component, leaves, mapped, row, spec_of
from minitape.data.transforming import Transforming
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_integer, not_fitting
from minitape.tensor import eager
from minitape.values.shapes import TensorShape


class Dataset(Transforming):
    """Elements one after another, made when they are asked for.

    Example:
        >>> import minitape as tf
        >>> data = tf.data.Dataset.from_tensor_slices(([1.0, 2.0, 3.0], [0, 1, 0]))
        >>> for x, y in data.batch(2):
        ...     print(x.numpy(), y.numpy())
        [1. 2.] [0 1]
        [3.] [0]
    """

    @classmethod
    def from_tensor_slices(cls, tensors: Any) -> Self:
        """Element i is row i of every component.

        Args:
            tensors: an array, or arrays in tuples and dicts, with equally many rows.

        Raises:
            ValueError: if the numbers of rows differ, or a component has no axis.
        """
        whole = mapped(as_component, tensors)
        size = _common_length(whole)
        spec = mapped(lambda x: tf.TensorSpec(x.shape[1:], x.dtype), whole)
        return cls("_TensorSliceDataset", lambda: _slices(whole), lambda: spec, size)

    @classmethod
    def from_tensors(cls, tensors: Any) -> Self:
        """A single element."""
        whole = mapped(as_component, tensors)
        spec = mapped(spec_of, whole)
        return cls("_TensorDataset", lambda: iter([whole]), lambda: spec, 1)

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
    ) -> Self:
        """What a generator yields; it is started anew for each pass.

        Args:
            generator: a function that returns something to iterate.
            output_types: dtypes of the components, where there is no `output_signature`.
            output_shapes: their shapes; unknown without it.
            args: tensors that the function gets, as NumPy values.
            output_signature: a `tf.TensorSpec` for each component.

        Raises:
            TypeError: if `generator` is no function, or there is no signature, or two.
            InvalidArgumentError: while iterating, for an element that does not fit the signature.

        Example:
            >>> import minitape as tf
            >>> def squares(n):
            ...     yield from (i * i for i in range(n))
            >>> data = tf.data.Dataset.from_generator(squares, tf.int32, args=[4])
            >>> [int(x) for x in data]
            [0, 1, 4, 9]
        """
        if not callable(generator):
            raise TypeError(
                f"`generator` must be a Python callable; got {type(generator).__name__}. A pass "
                "starts it again: pass the function, not what it returned."
            )
        spec = _signature(output_signature, output_types, output_shapes)

        def start() -> Iterator[Any]:
            return _generated(generator, spec, args)

        return cls("_FlatMapDataset", start, lambda: spec, UNKNOWN_CARDINALITY)

    @classmethod
    def range(cls, *args: Any, output_type: Any = tf.int64) -> Self:
        """The numbers of `range(*args)` as int64, or as `output_type`."""
        example = "Dataset.range(5)"
        given = [checked_integer("Dataset.range", "args", n, example) for n in args]
        if not 1 <= len(given) <= 3 or given[2:] == [0]:
            raise not_fitting("Dataset.range", "args", args, "one to three, no step of 0", example)
        numbers = range(*given)
        spec = tf.TensorSpec([], output_type)
        kind = tf.as_dtype(output_type).as_numpy_dtype
        return cls(
            "_RangeDataset", lambda: (eager(kind(n)) for n in numbers), lambda: spec, len(numbers)
        )

    @staticmethod
    def zip(*args: Any) -> Dataset:
        """Elements of several datasets side by side, as many as the shortest has.

        Args:
            *args: datasets, or one tuple or dict of datasets.

        Raises:
            TypeError: for what is no dataset.

        Example:
            >>> import minitape as tf
            >>> numbers = tf.data.Dataset.range(2)
            >>> [(int(a), int(b)) for a, b in tf.data.Dataset.zip((numbers, numbers.skip(1)))]
            [(0, 1)]
        """
        given = args[0] if len(args) == 1 else args
        given = tuple(given) if isinstance(given, list) else given
        parts = list(leaves(given))
        for each in parts:
            if not isinstance(each, Core):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(each)}."
                )

        def start() -> Iterator[Any]:
            passes = mapped(lambda each: each._start(), given)
            while True:
                try:
                    yield mapped(next, passes)
                except StopIteration:
                    return

        known = [each._size for each in parts if each._size != INFINITE_CARDINALITY]
        size = min(known) if known else INFINITE_CARDINALITY
        return Dataset(
            "_ZipDataset", start, lambda: mapped(lambda each: each.element_spec, given), size
        )


def _slices(tensors: Any) -> Iterator[Any]:
    """Element i is made of row i of every component."""
    for i in range(_common_length(tensors)):
        yield mapped(lambda x: row(x, i), tensors)  # noqa: B023  # called at once


def _common_length(tensors: Any) -> int:
    """The length of the first axis of all components.

    Raises:
        ValueError: if they differ, or a component has no axis.
    """
    sizes = []
    for each in leaves(tensors):
        if not each.shape.rank:
            raise ValueError(
                "Unbatching a tensor is only supported for rank >= 1: from_tensor_slices takes "
                f"rows, and {each!r:.80} has none. Write `Dataset.from_tensors(x)` for one element."
            )
        sizes.append(each.shape[0])
    if not sizes:
        raise ValueError("from_tensor_slices: there is no component. Give arrays with equal rows.")
    for size in sizes:
        if size != sizes[0]:
            raise ValueError(
                f"Dimensions {sizes[0]} and {size} are not compatible: element i is made of row i "
                f"of every component, and they have {sizes} rows. Give arrays of one length."
            )
    return int(sizes[0])


def _signature(output_signature: Any, output_types: Any, output_shapes: Any) -> Any:
    """The spec that a generator's elements have to fit."""
    if output_signature is not None:
        for argument, given in (("output_types", output_types), ("output_shapes", output_shapes)):
            if given is not None:
                raise TypeError(
                    f"The `{argument}` argument can not be used together with the "
                    f"`output_signature` argument, which says it already. Leave {argument} out."
                )
        return output_signature
    if output_types is None:
        raise TypeError(
            "from_generator: `output_signature` is missing; a generator does not say what it "
            "yields. Write `output_signature=tf.TensorSpec([], tf.float32)`."
        )
    types = tuple(output_types) if isinstance(output_types, list) else output_types
    if output_shapes is None:
        return mapped(lambda dtype: tf.TensorSpec(None, dtype), types)
    return mapped(
        lambda dtype, shape: tf.TensorSpec(TensorShape(shape), dtype), types, output_shapes
    )


def _generated(generator: Callable[..., Any], spec: Any, args: Any) -> Iterator[Any]:
    """What a generator yields, each element checked against `spec`."""
    arguments = [tf.convert_to_tensor(each).numpy() for each in args or ()]
    for index, value in enumerate(generator(*arguments)):
        value = tuple(value) if isinstance(value, list) and isinstance(spec, tuple) else value
        try:
            element = mapped(_fitting, spec, value)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element that did not match the expected "
                f"structure. The expected structure was {spec!r}, but element {index} was "
                f"{value!r:.200}. {error}"
            ) from error
        yield element


def _fitting(spec: Any, value: Any) -> Any:
    """A component of the dtype that `spec` says, and of a shape that it allows."""
    is_typed = hasattr(value, "dtype")
    x = tf.cast(value, spec.dtype) if is_typed else tf.constant(value, spec.dtype)
    if not spec.shape.is_compatible_with(x.shape):
        raise ValueError(
            f"It is an element of shape {tuple(x.shape)} where an element of shape {spec.shape} "
            "was expected. Write None in `output_signature` for axes that differ."
        )
    return x
