"""Tensors: immutable NumPy values that interpreters can follow.

The one fact to know: an `EagerTensor` is a value, an id and a mark. The mark is None until an
interpreter follows the tensor, and an unmarked tensor costs nothing beyond NumPy. The operators are
attached to `Operators` where their ops are declared, so this module needs to know no op.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from minitape.interpreter import report_departure
from minitape.values import dtypes
from minitape.values.operators import CompositeOperators, Operators, Reference
from minitape.values.shapes import TensorShape
from minitape.values.spec import Array, Arrays, Indices, Shape, Spec, Specs, Tensors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.interpreter import Mark
    from minitape.values.public_types import NumpyValue

# Rules and forwards are annotated with these names; they come from here together with `Tensor`.
__all__ = [
    "Array",
    "Arrays",
    "Composite",
    "EagerTensor",
    "Indices",
    "Operators",
    "Reference",
    "Shape",
    "Spec",
    "Specs",
    "Tensor",
    "Tensors",
    "numpy_repr",
    "numpy_str",
]


class Tensor(Operators):
    """An immutable array of one dtype: what every op takes and gives.

    Made by `constant`, `convert_to_tensor` and every op; never by calling the class. Real code
    meets `EagerTensor`; inside `vectorized_map` and graphs there are boxed tensors, which have a
    shape and a dtype but no value of their own yet.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([[1.0, 2.0]])
        >>> x.shape, x.dtype
        (TensorShape([1, 2]), tf.float32)
        >>> print(x * 2.0)
        tf.Tensor([[2. 4.]], shape=(1, 2), dtype=float32)
    """

    __slots__ = ("__weakref__", "id", "mark", "part_of", "value")

    value: Any
    id: int
    mark: Mark | None
    part_of: tuple[Any, Any]  # where it was cut out: a variable and a key; for most never set

    @property
    def spec(self) -> Spec:
        """Shape and NumPy dtype, without the values."""
        return Spec(self.value.shape, self.value.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape; compares equal to tuples and lists."""
        return TensorShape(self.spec.shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The element type, for instance `tf.float32`."""
        return dtypes.of(self.spec.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.spec.shape)

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Checks that `shape` agrees with the shape that the tensor has.

        Raises:
            ValueError: if it does not.
        """
        self.shape.assert_is_compatible_with(TensorShape(shape))

    @property
    def name(self) -> str:
        """Raises: eager tensors have no name, as in TensorFlow."""
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def device(self) -> str:
        """Where the value lives: always the CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def numpy(self) -> NumpyValue:
        """The value as a NumPy array that is yours to change; rank 0 gives a NumPy scalar.

        What is computed from it is not recorded: no tape follows a value through NumPy.
        """
        raise NotImplementedError

    if TYPE_CHECKING:  # an eager tensor gives its value, a boxed one says why it cannot

        def __array__(
            self, dtype: Any = None, copy: bool | None = None
        ) -> np.ndarray[Any, Any]: ...
        def __float__(self) -> float: ...
        def __int__(self) -> int: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...
        def __bool__(self) -> bool: ...

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"'{type(self).__name__}' object does not support item assignment: tensors are "
            "immutable. "
            "Write `x = tf.tensor_scatter_nd_update(x, [[i]], [value])`, or use a tf.Variable and "
            "`v[i].assign(value)`."
        )

    def __iter__(self) -> Iterator[Tensor]:
        shape = self.spec.shape
        if not shape:
            raise TypeError(
                "Cannot iterate over a scalar tensor: it has no axis. Use the tensor itself."
            )
        return (self[i] for i in range(shape[0]))

    # An immutable value is its own copy, as in TensorFlow. (Pickled, it becomes another tensor.)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __len__(self) -> int:
        shape = self.spec.shape
        if not shape:
            raise TypeError(
                "Scalar tensor has no `len()`: its shape is (). Use `tf.size(x)` for the count."
            )
        return int(shape[0])


class EagerTensor(Tensor):
    """A tensor that has its value: an array, or a NumPy scalar where the rank is 0."""

    __slots__ = ()

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
        value = self.value
        if value.dtype == object and value.ndim == 0:
            return value[()]
        return value.copy() if isinstance(value, np.ndarray) else value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self.mark is not None:
            report_departure("numpy", self)
        if copy:
            return np.array(self.value, dtype)
        view = np.asarray(self.value, dtype).view()
        view.flags.writeable = False  # the tensor is immutable, and so is this look at it
        return view

    def _item(self, kind: str) -> Any:
        """The only element, for `float(x)` and its like."""
        if self.mark is not None:
            report_departure(kind, self)
        if self.value.size != 1:
            raise TypeError(
                f"only a tensor with one element can be converted by {kind}(); this one has shape "
                f"{self.value.shape}. Choose an element, `{kind}(x[0])`, or reduce it, "
                "`tf.reduce_sum(x)`."
            )
        return self.value.item()

    def __float__(self) -> float:
        return float(self._item("float"))

    def __int__(self) -> int:
        return int(self._item("int"))

    def __complex__(self) -> complex:
        return complex(self._item("complex"))

    def __index__(self) -> int:
        if self.value.dtype.kind not in "iub" or self.value.ndim:
            raise TypeError(
                "only a scalar integer tensor can be an index; this one has shape "
                f"{self.value.shape} "
                f"and dtype {self.value.dtype}. Write `tf.cast(x, tf.int32)` where that is meant."
            )
        return int(self.value)

    def __bool__(self) -> bool:
        if self.value.size > 1:
            raise ValueError(
                f"The truth value of a tensor with shape {self.value.shape} is ambiguous: it has "
                f"{self.value.size} elements. Write `tf.reduce_all(x)` or `tf.reduce_any(x)`."
            )
        return bool(self.value.size and self.value.item())

    def __format__(self, spec: str) -> str:
        value = self.value  # as NumPy writes it: f"{x}" is the value alone, str(x) is not
        return format(value[()] if value.ndim == 0 else value, spec)

    def __repr__(self) -> str:
        shown = numpy_repr(self.value)
        return f"<tf.Tensor: shape={self.value.shape}, dtype={self.dtype.name}, numpy={shown}>"

    def __str__(self) -> str:
        return (
            f"tf.Tensor({numpy_str(self.value)}, shape={self.value.shape}, dtype={self.dtype.name})"
        )

    def __reduce__(self) -> Any:
        return eager, (self.value,)


def eager(value: Any) -> EagerTensor:
    """The tensor of an array or NumPy scalar."""
    tensor = EagerTensor()
    tensor.value = value
    tensor.mark = None  # and no id: a tensor gets one when it is first followed
    return tensor


class Composite(CompositeOperators):
    """Several tensors that act as one value (sparse, ragged): ops on it are ops on its parts."""

    __slots__ = ()

    if TYPE_CHECKING:  # what each kind defines

        def parts(self) -> list[Any]:
            """The tensors that tapes follow."""

        def with_parts(self, parts: list[Any]) -> Any:
            """The same with other tensors."""

        def as_tensors(self) -> Any:
            """The same with tensors where a raw sweep left arrays."""

        def expand_dims(self, axis: int) -> Any:
            """The same with one axis more."""

    def interpret(self, op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Computes an op, one of whose inputs is this value."""
        raise NotImplementedError


def numpy_str(value: Any) -> str:
    """How TensorFlow prints a value inside `tf.Tensor(...)`."""
    text = repr(value[()]) if value.dtype == object and value.ndim == 0 else str(value)
    return "\n" + text if "\n" in text else text


def numpy_repr(value: Any) -> str:
    """How TensorFlow prints a value inside `<tf.Tensor: ...>`."""
    text = repr(value) if value.ndim else numpy_str(value)
    return "\n" + text if "\n" in text else text
