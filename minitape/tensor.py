"""Tensors: immutable NumPy values that interpreters can follow.

An `EagerTensor` is a value, an id and a mark. The mark is None until an interpreter follows the
tensor, and an unmarked tensor costs nothing beyond NumPy. The operators are attached to `Operators`
where their ops are declared, so this module needs to know no op. What boxed tensors have as well is
in `values/abstract.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import of_tensors as refusals
from minitape.interpreter import report_departure, symbolic_interpreter, tell_journals
from minitape.values import dtypes
from minitape.values.abstract import Tensor
from minitape.values.arrays import read_only
from minitape.values.operators import Operators, Reference
from minitape.values.printing import numpy_repr, numpy_str
from minitape.values.shapes import TensorShape
from minitape.values.spec import Array, Arrays, Indices, Shape, Spec, Specs, Tensors

if TYPE_CHECKING:
    from minitape.values.public_types import NumpyValue

# Rules and forwards are annotated with these names; they come from here together with `Tensor`.
__all__ = ["EagerTensor", "Operators", "Reference", "Tensor"]
__all__ += ["Array", "Arrays", "Indices", "Shape", "Spec", "Specs", "Tensors"]


class EagerTensor(Tensor):
    """A tensor that has its value: an array, or a NumPy scalar where the rank is 0."""

    __slots__ = ()

    @property
    def spec(self) -> Spec:
        """Shape and NumPy dtype, without the values."""
        return Spec(self.value.shape, self.value.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape; compares equal to tuples and lists."""
        return TensorShape.known(self.value.shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The element type, for instance `tf.float32`."""
        return dtypes.of(self.value.dtype)

    def numpy(self) -> NumpyValue:
        """The value as a NumPy array that is yours to change; rank 0 gives a NumPy scalar.

        What is computed from it is not recorded: no tape follows a value through NumPy.

        Example:
            >>> import minitape as tf
            >>> float(tf.constant(1.5).numpy())
            1.5
        """
        if self.mark is not None:
            report_departure("numpy", self)
        # A single text comes as a bytes object, as from TensorFlow.
        value = self.value
        if value.dtype == object and value.ndim == 0:
            return value[()]
        # Not a view: writing to it would change the tensor.
        try:
            return value.copy() if isinstance(value, np.ndarray) else value
        except MemoryError as error:
            from minitape.errors.of_arguments import out_of_memory

            raise out_of_memory("numpy", error) from None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self.mark is not None:
            report_departure("numpy", self)
        if copy:
            return np.array(self.value, dtype)
        return read_only(self.value if dtype is None else np.asarray(self.value, dtype))

    def _item(self, kind: str) -> Any:
        """The only element, for `float(x)` and its like."""
        if self.mark is not None:
            report_departure(kind, self)
        if self.value.size != 1:
            raise refusals.not_one_element(kind, self.value.shape)
        return self.value.item()

    def __float__(self) -> float:
        return float(self._item("float"))

    def __int__(self) -> int:
        return int(self._item("int"))

    def __complex__(self) -> complex:
        return complex(self._item("complex"))

    def __index__(self) -> int:
        if self.value.dtype.kind not in "iub" or self.value.ndim:
            raise refusals.not_an_index(self.value)
        return int(self.value)

    def __bool__(self) -> bool:
        if self.value.size > 1:
            raise refusals.no_truth(self.value)
        return bool(self.value.size and self.value.item())

    def __format__(self, spec: str) -> str:
        # As in TensorFlow: f"{x}" is the value alone, str(x) is not.
        value = self.value
        return format(value[()] if value.ndim == 0 else value, spec)

    def __repr__(self) -> str:
        shown = numpy_repr(self.value)
        return f"<tf.Tensor: shape={self.value.shape}, dtype={self.dtype.name}, numpy={shown}>"

    def __str__(self) -> str:
        return (
            f"tf.Tensor({numpy_str(self.value)}, shape={self.value.shape}, dtype={self.dtype.name})"
        )

    def __reduce__(self) -> Any:
        # The value alone: ids and marks mean something in this process only.
        return eager, (self.value,)


def eager(value: Any) -> EagerTensor:
    """The tensor of an array or NumPy scalar."""
    tensor = EagerTensor()
    tensor.value = value
    tensor.mark = None  # and no id: a tensor gets one when it is first followed
    return tensor


def make_constant(value: Any, origin: Any = None) -> Tensor:
    """Wraps an array that nothing else refers to; inside a graph the constant becomes a node of it.

    `origin` is what the array was made of: a journal notes what came back from NumPy.
    """
    tensor = eager(value)
    tell_journals("constant", tensor, origin)
    graph = symbolic_interpreter()
    return tensor if graph is None else graph.constant(tensor)


def storable(value: Any) -> Any:
    """What an op gave, as tensors hold it: a single text in an array, which has shape and dtype."""
    return np.array(value, object) if type(value) is bytes else value
