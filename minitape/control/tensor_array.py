"""`TensorArray`: a list of tensors that loops fill, and tapes follow.

Eagerly an array is written in place, as in TensorFlow; in functions, batches and branches a handle
never changes, and what writes gives a new one. The elements are ordinary tensors (see
`array_storage`), so gradients need nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.control.array_storage import (
    Elements,
    Listed,
    Stacked,
    check_lengths,
    check_place,
    cleared,
    in_place,
    known,
    row_count,
)
from minitape.errors.of_arguments import check_memory
from minitape.errors.of_flags import checked_flag
from minitape.graphs.symbolic import Symbolic
from minitape.op import exports
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.gathering import gather_slices
from minitape.ops.moving.joining import concat_values, split_value
from minitape.ops.moving.scattering_functions import tensor_scatter_nd_update
from minitape.ops.statics import static_int, static_ints
from minitape.tensor import Tensor
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import convert_to_tensor
from minitape.values import dtypes
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from minitape.values.results import Result


_PLACE = 8  # bytes of an element that was not written yet


class TensorArray:
    """A list of tensors of one dtype, made to be written place by place in a loop.

    Every method that writes returns the array to use from there on, `array = array.write(i, x)`:
    eagerly this one itself, in a function another. In a traced loop its size is fixed, and so is
    the shape of its elements: give `element_shape`, or write once before anything is read.

    Args:
        dtype: the element type.
        size: how many places there are.
        dynamic_size: whether writing beyond the end makes it longer. (In a traced loop that is not
            possible; the function then runs its Python at each call.)
        clear_after_read: whether a place can be read only once, eagerly. True by default.
        tensor_array_name: accepted and not used, like `handle`, `flow`, `name` and
            `colocate_with_first_write_call`.
        infer_shape: whether all elements must have the shape of the first one written.
        element_shape: the shape of an element, as far as it is known.

    Raises:
        ValueError: if there is no `size`.

    Example:
        >>> import minitape as tf
        >>> array = tf.TensorArray(tf.float32, size=3)
        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     for i in range(3):
        ...         array = array.write(i, x**i)
        ...     y = array.stack()
        >>> y.numpy().tolist(), float(tape.gradient(y, x))
        ([1.0, 2.0, 4.0], 5.0)
    """

    __slots__ = ("_elements", "_part", "_read", "_storage", "clear_after_read", "dynamic_size")

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays. Write `size=n`, or `size=0, "
                "dynamic_size=True` for one that grows."
            )
        count = static_int(size, "TensorArray", "size")
        check_memory("TensorArray", [count], _PLACE)
        self.dynamic_size = checked_flag("TensorArray", "dynamic_size", dynamic_size)
        self.clear_after_read = True if clear_after_read is None else clear_after_read
        self._elements = Elements(dtypes.as_dtype(dtype), TensorShape(element_shape), infer_shape)
        self._storage: Listed | Stacked = Listed([None] * count)
        self._read: set[int] = set()
        self._part: Any = None  # of a graph: the elements' tensor, when it was asked for

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        return self._elements.dtype

    @property
    def element_shape(self) -> TensorShape:
        """The shape of an element, as far as it is known."""
        return self._elements.shape

    def size(self, name: str | None = None) -> Tensor:
        """How many places there are, an int32 scalar."""
        return convert_to_tensor(np.int32(self._storage.size))

    def identity(self) -> TensorArray:
        """The array itself; in a function another handle with the same contents."""
        return self if in_place() else self._with(self._storage)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with `value` at `index`.

        Raises:
            OutOfRangeError: if there is no such place, and it does not grow.
            InvalidArgumentError: if `value` has another dtype.
            ValueError: if it has another shape than the elements.
        """
        if (place := known(index)) is not None:
            check_place(place, self._storage, "write to", grows=self.dynamic_size)
        x = self._elements.element(value)
        place, storage = self._placed(index)
        if isinstance(place, int) and isinstance(storage, Listed) and in_place():
            storage.put(place, x)
            return self._becomes(storage)
        return self._with(storage.written(place, x))

    def read(self, index: Any, name: str | None = None) -> Result:
        """The element at `index`; zeros where nothing was written.

        Raises:
            OutOfRangeError: if there is no such place.
            InvalidArgumentError: if it was read before (see `clear_after_read`), or was never
                written and the shape is not known.
        """
        if (number := known(index)) is not None:
            check_place(number, self._storage, "read from")
        self._check_written()
        place, storage = self._placed(index)
        element = storage.read(place)
        if not isinstance(place, int):
            return element
        if element is None and place in self._read:
            raise cleared(place)
        if self.clear_after_read and isinstance(storage, Listed) and in_place():
            self._read.add(place)
            storage.put(place, None)
            self._becomes(storage)
        return self._elements.filled(element)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, along a new axis 0; they need one shape."""
        if not self._storage.size:
            shape = self.element_shape
            inner = tuple(shape.as_list()) if shape.is_fully_defined() else ()
            return convert_to_tensor(np.zeros((0, *inner), self.dtype.np))
        self._check_written()
        return self._full().stacked()  # type: ignore[no-any-return]

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at `indices`, a vector, as one tensor."""
        if isinstance(indices, Boxed) or isinstance(self._storage, Stacked):
            return gather_slices(self.stack(), indices)
        places = static_ints(indices, "TensorArray.gather", "indices")
        for place in places:
            check_place(place, self._storage, "read from")
        chosen = Listed([self._storage.elements[place] for place in places])
        return self._with(chosen).stack()

    def concat(self, name: str | None = None) -> Tensor:
        """The elements one behind the other along their own first axis."""
        self._check_written()
        elements = self._storage.listed().elements
        if not elements:
            return self.stack()
        return concat_values([self._elements.filled(x) for x in elements], 0)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array with the slices of `value` along axis 0 as its elements.

        Raises:
            ValueError: if there are more of them than places, and it does not grow.
        """
        x = self._elements.checked(value)
        count = row_count(x, "unstack")
        if count > self._storage.size and not self.dynamic_size:
            raise ValueError(
                f"Cannot unstack {count} tensors into a TensorArray of static size "
                f"{self._storage.size}. Make it with size={count}, or dynamic_size=True."
            )
        if not in_place():  # eagerly the shape stays open, as in TensorFlow
            self._elements.settle(x.spec.shape[1:])
        return self._becomes(Stacked(x) if isinstance(x, Boxed) else Stacked(x).listed())

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the slices of `value` along axis 0 at `indices`, a vector."""
        x = self._elements.checked(value)
        row_count(x, "scatter")
        if isinstance(indices, Boxed):
            self._elements.settle(x.spec.shape[1:])
            rows = reshape(indices, (*indices.spec.shape, 1))
            return self._with(Stacked(tensor_scatter_nd_update(self.stack(), rows, x)))
        array = self
        for place, row in zip(
            static_ints(indices, "scatter", "indices"), Stacked(x).listed()[0], strict=False
        ):
            array = array.write(place, row)
        return array

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array with pieces of `value` along axis 0, of the sizes `lengths`.

        Raises:
            InvalidArgumentError: if `lengths` do not add up to the size of axis 0, or there is
                another number of them than of places and it does not grow.
        """
        x = self._elements.checked(value)
        sizes = static_ints(lengths, "TensorArray.split", "lengths")
        check_lengths(sizes, x, self._storage.size, grows=self.dynamic_size)
        return self._becomes(Listed(split_value(x, list(sizes))))

    def __repr__(self) -> str:
        return (
            f"<tf.TensorArray: size={self._storage.size}, dtype={self.dtype.name}, "
            f"element_shape={self.element_shape}>"
        )

    def _becomes(self, storage: Listed | Stacked) -> TensorArray:
        """The array with other contents: this one where it may change, else another handle."""
        if not in_place():
            return self._with(storage)
        self._storage, self._part = storage, None
        return self

    def _with(self, storage: Listed | Stacked) -> TensorArray:
        """A handle of the same kind with other contents."""
        other = object.__new__(TensorArray)
        for slot in self.__slots__:
            setattr(other, slot, getattr(self, slot))
        other._storage, other._read, other._part = storage, set(self._read), None
        return other

    def _placed(self, index: Any) -> tuple[Any, Listed | Stacked]:
        """A place, as a number if it can be, and the storage in the form for it."""
        place = known(index)
        if place is not None:
            whole = isinstance(self._storage, Stacked) and isinstance(self._storage.tensor, Boxed)
            return place, self._storage if whole else self._storage.listed()
        if self.dynamic_size and isinstance(index, Symbolic):
            raise index.interpreter.refusal("A TensorArray that grows", index)
        return index, self._full()

    def _check_written(self) -> None:
        if not self._read:
            self._elements.check_written(self._storage)

    def _full(self) -> Stacked:
        """The contents as one tensor, with zeros where nothing was written."""
        if isinstance(self._storage, Stacked):
            return self._storage
        elements = [self._elements.filled(x) for x in self._storage.elements]
        if in_place():
            self._storage = Listed(elements)
        if elements:
            return Stacked(Listed(elements).stacked())
        return Stacked(self.stack())

    def __composite_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        # A function's result is taken apart again at every run, when its graph is closed.
        part = self._full().tensor if self._part is None else self._part
        if isinstance(part, Symbolic):
            self._part = part
        return self, (part,)

    @classmethod
    def __composite_unflatten__(cls, metadata: TensorArray, parts: Any) -> TensorArray:
        return metadata._with(Stacked(parts[0]))


exports["TensorArray"] = TensorArray
