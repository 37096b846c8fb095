"""`Tensor`: what plain and boxed tensors have in common, and what no tensor can do.

A tensor never changes, so it is its own copy, and what would assign to it raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from minitape.values import dtypes
from minitape.values.operators import Operators
from minitape.values.shapes import TensorShape
from minitape.values.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from minitape.interpreter import Mark
    from minitape.values.public_types import NumpyValue


class Tensor(Operators["Tensor"]):
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

    def cpu(self) -> Self:
        """The tensor itself: it is on the CPU already."""
        return self

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
            "immutable. Write `x = tf.tensor_scatter_nd_update(x, [[i]], [value])`, or use a "
            "tf.Variable and `v[i].assign(value)`."
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
