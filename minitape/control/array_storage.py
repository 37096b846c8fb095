"""What a `TensorArray` holds: its elements one by one, or stacked in one tensor.

As long as places are numbers, the elements are kept as they are, whatever their shapes, in a list.
Where a place is not known yet (in a traced loop, or per example of a batch), the elements are one
tensor of static shape, and reading and writing are the gather and scatter ops, with their
gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.errors import InvalidArgumentError, OutOfRangeError, teach
from minitape.graphs.symbolic import Symbolic, running_python
from minitape.interpreter import active
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.gathering import gather_slices
from minitape.ops.moving.joining import stack, unstack
from minitape.ops.moving.scattering_functions import tensor_scatter_nd_update
from minitape.ops.statics import static_int
from minitape.tensor import eager
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.values.dtypes import DType


class Listed(NamedTuple):
    """The elements one by one; None where nothing was written."""

    elements: list[Any]

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.elements)

    def read(self, place: int) -> Any:
        """The element at `place`."""
        return self.elements[place]

    def written(self, place: int, value: Any) -> Listed:
        """The same with `value` at `place`, longer where that is beyond the end."""
        other = Listed(list(self.elements))
        other.put(place, value)
        return other

    def put(self, place: int, value: Any) -> None:
        """Puts `value` at `place`, and makes the list longer where that is beyond the end."""
        self.elements.extend([None] * (place + 1 - len(self.elements)))
        self.elements[place] = value

    def stacked(self) -> Any:
        """All elements as one tensor."""
        return stack(self.elements, 0)

    def listed(self) -> Listed:
        """This itself."""
        return self


class Stacked(NamedTuple):
    """The elements along axis 0 of one tensor."""

    tensor: Any

    @property
    def size(self) -> int:
        """How many places there are."""
        return int(self.tensor.spec.shape[0])

    def read(self, place: Any) -> Any:
        """The element at `place`."""
        return gather_slices(self.tensor, place)

    def written(self, place: Any, value: Any) -> Stacked:
        """The same with `value` at `place`."""
        place = reshape(operand(place, None), (1, 1))
        rows = reshape(value, (1, *value.spec.shape))
        return Stacked(tensor_scatter_nd_update(self.tensor, place, rows))

    def stacked(self) -> Any:
        """All elements as one tensor."""
        return self.tensor

    def listed(self) -> Listed:
        """The elements one by one."""
        return Listed(list(unstack(self.tensor, 0)) if self.size else [])


def known(place: Any) -> int | None:
    """A place as a number; None where it is not known yet, or differs by example."""
    if isinstance(place, Symbolic):
        graph = place.interpreter
        outside = graph.captured.get(place.value)
        value = graph.known.get(place.value, getattr(outside, "value", None))
        return None if not isinstance(value, np.generic) else int(value)
    return None if isinstance(place, Boxed) else static_int(place, "TensorArray", "index")


def check_place(place: int, storage: Listed | Stacked, what: str, grows: bool = False) -> None:
    """Raises if there is no such place, unless the array grows.

    Raises:
        OutOfRangeError: if `place` is beyond the end, or negative.
    """
    if place < 0 or (place >= storage.size and not grows):
        raise OutOfRangeError(
            f"Tried to {what} index {place} but array is not resizeable and size is: "
            f"{storage.size}. Make it larger, or with dynamic_size=True where it is to grow by "
            "writing."
        )


def cleared(place: int) -> InvalidArgumentError:
    """The error of who reads a place twice where reading clears it."""
    return InvalidArgumentError(
        f"Could not read index {place} twice because it was cleared after a previous read: a "
        "TensorArray gives memory back as it is read. Make it with clear_after_read=False, or keep "
        "what you read."
    )


def in_place() -> bool:
    """Whether arrays are changed in place: eagerly, and not for each example of a batch."""
    return not running_python.get() and not any(i.symbolic or i.draws for i in active())


def row_count(x: Any, method: str) -> int:
    """The size of axis 0 of what is to be taken apart."""
    if not x.spec.shape:
        raise InvalidArgumentError(
            f"TensorArray.{method}: Expected value to be at least a vector, but received shape: "
            "(). Its axis 0 is taken apart."
        )
    return int(x.spec.shape[0])


def check_lengths(lengths: Sequence[int], x: Any, size: int, grows: bool) -> None:
    """Raises unless pieces of `lengths` are all of `x`, and one for each of `size` places.

    Raises:
        InvalidArgumentError: if they are not, and the array does not grow.
    """
    if sum(lengths) != row_count(x, "split"):
        raise InvalidArgumentError(
            f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{sum(lengths)} and value's shape is {tuple(x.spec.shape)}."
        )
    if len(lengths) != size and not grows:
        raise InvalidArgumentError(
            f"TensorArray's size is not equal to the size of lengths ({size} vs. {len(lengths)}), "
            "and the TensorArray is not marked as dynamically resizeable. Give one length per "
            "place."
        )


class Elements:
    """What the elements of an array have in common; one for all its handles.

    Args:
        dtype: the element type.
        shape: the shape of an element, as far as it is known.
        infer_shape: whether the first write settles the shape for all.
    """

    __slots__ = ("_infer_shape", "_was_given", "dtype", "shape")

    def __init__(self, dtype: DType, shape: TensorShape, infer_shape: bool) -> None:
        self.dtype, self.shape, self._infer_shape = dtype, shape, infer_shape
        self._was_given = shape.is_fully_defined()

    def checked(self, value: Any) -> Any:
        """`value` as a tensor of the array's dtype."""
        x = operand(convert_to_tensor(value, dtype_hint=self.dtype), None)
        if x.spec.dtype != self.dtype.np:
            raise InvalidArgumentError(
                f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype "
                f"{x.dtype.name}. Write `tf.cast(value, tf.{self.dtype.name})`."
            )
        return x

    def element(self, value: Any) -> Any:
        """`value` as an element: of the array's dtype and, so far as it is known, shape."""
        x = self.checked(value)
        self.settle(x.spec.shape)
        return x

    def settle(self, shape: Any) -> None:
        """Takes note that an element has `shape`.

        Raises:
            ValueError: if the others have another one.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Incompatible shape for value {TensorShape(shape)}, expected {self.shape}. "
                "With infer_shape=False the elements may differ in shape; they can be read and "
                "concatenated then, not stacked."
            )
        if self._infer_shape:
            self.shape = self.shape.merge_with(shape)

    def check_written(self, storage: Listed | Stacked) -> None:
        """Raises if nothing was written, but to a handle that was thrown away."""
        if self._was_given or isinstance(storage, Stacked) or not storage.size:
            return
        if all(x is None for x in storage.elements):
            raise InvalidArgumentError(
                teach(
                    "Nothing was written to this TensorArray.",
                    "In a function `write` and its like return a new array, and leave the old one "
                    "as it is.",
                    "Write `array = array.write(i, x)`; or, for zeros, give element_shape.",
                )
            )

    def filled(self, x: Any) -> Any:
        """An element; zeros where nothing was written.

        Raises:
            InvalidArgumentError: if their shape is not known.
        """
        if x is not None:
            return x
        if not self.shape.is_fully_defined():
            raise InvalidArgumentError(
                teach(
                    "A place of the TensorArray was never written, or was cleared when it was "
                    "read, and the shape of its elements is not known.",
                    "Such a place holds zeros, of the elements' shape.",
                    "Give element_shape, or write to it first; clear_after_read=False keeps what "
                    "is read.",
                )
            )
        return eager(np.zeros([n or 0 for n in self.shape], self.dtype.np)[()])
