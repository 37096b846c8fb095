"""`IndexedSlices`: some rows of a tensor, the rest of which is zero: the gradients of gathers.

The one fact to know: rows with the same index count together. Sums of slices keep all their rows
(that is what makes gradients of large tables cheap); any other op makes the tensor dense first,
by `ungather`, an op like all others, so that tapes and batches see through it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.primitive import exports, registry
from minitape.tensor import EagerTensor, Spec, Tensor, eager
from minitape.tensors.composite import Composite
from minitape.tensors.convert import convert_to_tensor
from minitape.values import dtypes
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from minitape.values.public_types import NumpyValue


class IndexedSlices(Composite):
    """Rows of a larger tensor: `dense[indices[i]]` is the sum of the `values[j]` with that index.

    Args:
        values: a tensor of shape [n, d1, ...].
        indices: an integer tensor of shape [n].
        dense_shape: the shape [d0, d1, ...] of the whole tensor, or None if it is not known.

    Example:
        >>> import minitape as tf
        >>> s = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([0, 0]), tf.constant([3]))
        >>> print(tf.convert_to_tensor(s))
        tf.Tensor([3. 0. 0.], shape=(3,), dtype=float32)
    """

    __slots__ = ("_dense_shape", "indices", "values")
    # In a raw sweep the values are arrays, and so may be what is added from the left.
    __array_ufunc__ = None

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = values
        self.indices = indices
        self._dense_shape = dense_shape

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor as an integer tensor; None if it is not known."""
        shape = self._dense_shape
        known = isinstance(shape, tuple)
        return eager(np.array(shape, np.int32)) if known else shape

    @property
    def spec(self) -> Spec:
        """Shape and NumPy dtype of the whole tensor."""
        return Spec(tuple(self.shape), _spec(self.values).dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor; sizes that are not known are None."""
        shape = self._dense_shape
        if shape is None:
            return TensorShape([None, *_spec(self.values).shape[1:]])
        if isinstance(shape, tuple):
            return TensorShape.known(shape)
        return TensorShape(np.asarray(shape).tolist())

    @property
    def dtype(self) -> dtypes.DType:
        """The element type of the values."""
        return dtypes.of(_spec(self.values).dtype)

    @property
    def name(self) -> str:
        """Raises: there are no names without a graph."""
        raise AttributeError("IndexedSlices have no name when eager execution is enabled.")

    device = property(lambda self: self.values.device)

    def dense(self) -> Any:
        """The whole tensor (an array, if the values are one); rows with the same index are added.

        Raises:
            ValueError: if the whole shape is not known.
        """
        if self._dense_shape is None:
            raise ValueError(
                teach(
                    f"Tensor conversion requested for IndexedSlices without dense_shape: {self!r}.",
                    "The rows alone do not tell how many rows the whole tensor has.",
                    "Write `tf.IndexedSlices(values, indices, dense_shape=[rows, ...])`.",
                )
            )
        return registry["ungather"](self.values, self.indices, tuple(self.shape), 0, 0)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        dense = self.dense()
        return dense if isinstance(dense, Tensor) else eager(dense)

    def numpy(self) -> NumpyValue:
        """The whole tensor as a NumPy array."""
        return self.__tf_tensor__().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.__tf_tensor__(), dtype)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, IndexedSlices):
            return self.dense() + other
        join = registry["concat"]
        values, indices = _same_kind([self.values, other.values], [self.indices, other.indices])
        return IndexedSlices(join(values, 0), join(indices, 0), self._dense_shape)

    def __radd__(self, other: Any) -> Any:
        return other + self.dense()

    def __neg__(self) -> Any:
        return IndexedSlices(-self.values, self.indices, self._dense_shape)

    def interpret(self, op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Computes any other op on the dense form."""
        dense = [x.dense() if isinstance(x, IndexedSlices) else x for x in inputs]
        call = registry[op.name]
        if not isinstance(self.values, Tensor):  # a raw sweep goes on with arrays
            dense = [x.value if type(x) is EagerTensor else x for x in dense]
        return op.applied(call, dense, attributes)

    def parts(self) -> list[Any]:
        """What tapes follow: the rows."""
        return [self.values]

    def with_parts(self, parts: list[Any]) -> IndexedSlices:
        """Other rows at the same indices."""
        return IndexedSlices(parts[0], self.indices, self._dense_shape)

    def as_tensors(self) -> IndexedSlices:
        """The same with tensors where a raw sweep left arrays."""
        values, indices = (
            x if isinstance(x, Tensor) else eager(x) for x in (self.values, self.indices)
        )
        return IndexedSlices(values, indices, self._dense_shape)

    def __composite_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        return self._dense_shape, (self.values, self.indices)

    @classmethod
    def __composite_unflatten__(cls, metadata: Any, parts: Any) -> IndexedSlices:
        values, indices = parts
        return cls(values, indices, metadata)

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{shape})"


def _spec(values: Any) -> Any:
    return values.spec if isinstance(values, Tensor) else Spec(values.shape, values.dtype)


def _same_kind(values: list[Any], indices: list[Any]) -> tuple[list[Any], list[Any]]:
    """Indices of one dtype: int32 ones beside int64 ones become int64."""
    found = {_spec(each).dtype for each in indices}
    if len(found) > 1:
        indices = [registry["cast_to_discrete"](each, np.dtype(np.int64)) for each in indices]
    return values, indices


def make_slices(values: Any, indices: Any, dense_shape: Any = None) -> IndexedSlices:
    """What `tf.IndexedSlices(...)` makes for users: plain values become tensors."""
    return IndexedSlices(convert_to_tensor(values), convert_to_tensor(indices), dense_shape)


exports["IndexedSlices"] = IndexedSlices
