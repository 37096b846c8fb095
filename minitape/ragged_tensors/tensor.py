"""`RaggedTensor`: rows of different lengths, one behind the other in one tensor.

The values are an ordinary tensor, and where its rows end is static data. An elementwise op is the
op on the values; a row is a slice of them; a list of lists of rows is a ragged tensor whose values
are ragged. So tapes see ordinary ops only, and gradients are ragged like the sources. (The module
is not called `ragged`, because `tf.ragged` is a namespace.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.op import exports
from minitape.ragged_tensors.factories import Factories
from minitape.ragged_tensors.rows import Rows
from minitape.tensor import EagerTensor, Spec, Tensor
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand
from minitape.values import dtypes
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from minitape.values.public_types import NumpyValue
    from minitape.values.results import Result

# The methods that need ops, which know ragged tensors and are not known here: by name.
meanings: dict[str, Callable[..., Any]] = {}


class RaggedTensor(Factories, Rows, Composite):
    """A tensor with rows of different lengths.

    Made by `tf.ragged.constant` and by the class methods `from_row_splits`, `from_row_lengths`, ...

    Example:
        >>> import minitape as tf
        >>> x = tf.ragged.constant([[1.0, 2.0], [3.0]])
        >>> x * 2.0
        <tf.RaggedTensor [[2.0, 4.0], [6.0]]>
        >>> x.shape, x[0].shape
        (TensorShape([2, None]), TensorShape([2]))
    """

    __slots__ = ("__weakref__", "_splits", "_values")
    __array_ufunc__ = None

    def __init__(self, values: Any, splits: np.ndarray[Any, Any]) -> None:
        self._values = values
        self._splits = splits

    # What it is made of; where its rows are, says `Rows`.

    @property
    def values(self) -> Result:
        """All rows, one behind the other: a tensor, or a ragged tensor of their rows."""
        return self._values

    @property
    def flat_values(self) -> Result:
        """The innermost values, a tensor."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged axes."""
        return TensorShape([len(self._splits) - 1, None, *tuple(self._values.shape)[1:]])

    @property
    def spec(self) -> Spec:
        """Shape and NumPy dtype, without the values."""
        return Spec(tuple(self.shape), self.flat_values.spec.dtype)

    @property
    def dtype(self) -> dtypes.DType:
        """The element type of the values."""
        return self.flat_values.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    uniform_row_length = None

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    # The same rows around other values.

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values, as many."""
        return RaggedTensor(operand(new_values, None), self._splits)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other innermost values, as many."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(operand(new_values, None))

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same with row splits of `dtype`."""
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(dtype)
        return RaggedTensor(inner, self._splits.astype(dtypes.as_dtype(dtype).np))

    def same_rows(self, other: RaggedTensor) -> bool:
        """Whether both have rows of the same lengths on all ragged axes."""
        pairs = zip(self.nested_row_splits, other.nested_row_splits, strict=False)
        same = all(np.array_equal(a.value, b.value) for a, b in pairs)
        return same and self.ragged_rank == other.ragged_rank

    def parts(self) -> list[Any]:
        """What tapes follow: the flat values."""
        return [self.flat_values]

    def with_parts(self, parts: list[Any]) -> RaggedTensor:
        """The same rows of other flat values."""
        flat = parts[0]
        to_dense = getattr(flat, "dense", None)
        return self.with_flat_values(flat if to_dense is None else to_dense())

    def as_tensors(self) -> RaggedTensor:
        """Itself: its values are always tensors."""
        return self

    def __composite_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.ragged_rank, (self.flat_values, *self.nested_row_splits)

    @classmethod
    def __composite_unflatten__(cls, metadata: Any, parts: Any) -> RaggedTensor:
        values, *nested = parts
        for splits in reversed(nested):
            values = cls(values, np.asarray(splits))
        return values  # type: ignore[no-any-return]

    # Ops.

    def interpret(self, op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Computes an op: an elementwise one on the flat values, others as they declare."""
        plain = op.elementwise and not op.several and op.ragged is None
        meaning = meanings["on_values"] if plain else op.ragged
        if meaning is None:
            raise TypeError(no_meaning(op.name))
        return meaning(op, inputs, attributes)

    def __getitem__(self, key: Any) -> Result:
        return meanings["getitem"](self, key)

    def expand_dims(self, axis: int) -> Result:
        """A new axis of size 1; what `tf.expand_dims` does."""
        return meanings["expand_dims"](self, axis)

    def squeeze(self, axes: tuple[int, ...] | None) -> Result:
        """Without axes of size 1; what `tf.squeeze` does."""
        return meanings["squeeze"](self, axes)

    def boolean_mask(self, mask: Any) -> Result:
        """The items where a mask is true; what `tf.ragged.boolean_mask` does."""
        return meanings["boolean_mask"](self, mask)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Result:
        """All axes from `outer_axis` to `inner_axis` as one; a tensor if no ragged one is left."""
        return meanings["merge_dims"](self, outer_axis, inner_axis)

    def __len__(self) -> int:
        return len(self._splits) - 1

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        raise TypeError(
            "RaggedTensor may not be used as a boolean. Reduce it first: `tf.reduce_all(x)`."
        )

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        raise TypeError(no_meaning("convert_to_tensor"))

    # As Python and NumPy see it.

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """A tensor that holds all rows, filled up with `default_value` (0, False or empty).

        Args:
            default_value: a scalar.
            name: accepted and not used.
            shape: the shape of the result, with None for sizes that follow from the rows; what
                does not fit is cut off.
        """
        return meanings["to_tensor"](self, default_value, shape)  # type: ignore[no-any-return]

    def to_list(self) -> list[Any]:
        """The rows as nested Python lists."""
        inner = self._values
        items = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        return [items[a:b] for a, b in zip(self._splits[:-1], self._splits[1:], strict=True)]

    def numpy(self) -> NumpyValue:
        """An array of the rows: of arrays, unless all have one length."""
        rows = [row.numpy() for row in self]
        if rows and all(row.shape == rows[0].shape and row.dtype != object for row in rows):
            return np.stack(rows)
        out = np.empty(len(rows), object)
        out[:] = rows
        return out

    def __repr__(self) -> str:
        flat = self.flat_values
        known = isinstance(flat, EagerTensor)
        return f"<tf.RaggedTensor {self.to_list() if known else f'of {flat!r}'}>"


def no_meaning(name: str) -> str:
    """What to say when an op cannot take rows of different lengths."""
    return teach(
        f"`{name}` got a tf.RaggedTensor, an op on a ragged list that it has no meaning for.",
        "Its rows have different lengths; only elementwise ops, reductions, concat, stack, "
        "gather and slices know these.",
        "Write `x.to_tensor()` to fill the rows up, or `tf.ragged.map_flat_values(op, x)` for "
        "the op on all values.",
    )


exports["RaggedTensor"] = RaggedTensor
