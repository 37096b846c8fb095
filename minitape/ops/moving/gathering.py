"""Gathering slices by index, and `IndexedSlices`, the sparse gradient of a gather.

The derivative of a gather along axis 0 is an `IndexedSlices`: the gathered
rows, the rest being zero. Sums of such slices keep all their rows (that is what makes gradients of
large tables cheap); any other op makes them dense first, by `ungather`, an op like all others, so
that tapes and batches see through it.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_one
from minitape.op import export, exports, primitive
from minitape.ops.broadcasting import reshape
from minitape.ops.casting import cast_to_discrete
from minitape.ops.families import add_rows, as_value, canonical_axis, picked
from minitape.ops.moving.joining import concat
from minitape.ops.shapes.shaping import spread, transpose
from minitape.ops.statics import static_int, static_ints
from minitape.tensor import EagerTensor, Spec, Tensor, eager
from minitape.tensors.composite import Composite
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values import dtypes
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from minitape.op import Op
    from minitape.tensor import Array, Indices, Shape, Tensor
    from minitape.values.public_types import Axis, NumpyValue, TensorLike
    from minitape.values.results import SameKind


@primitive(type_name="GatherV2", latex=r"{x:4}_{{\left[{indices}\right]}}")
def gather(
    x: Array, indices: Indices, axis: int = 0, batch_dims: int = 0, from_end: bool = False
) -> Array:
    """The slices of `x` along `axis` at `indices`; see `tf.gather`.

    Negative indices count from the end for `x[i]` (`from_end`), and for it alone.
    """
    if not from_end:
        _refuse_outside(indices, x.shape[axis], "gather")
    if not batch_dims:
        return as_value(x.take(indices, axis))
    return _grouped(
        _front(x, axis, batch_dims)[_grid(indices, batch_dims)],
        indices.ndim - batch_dims,
        axis,
        batch_dims,
    )


gather.says(moves="picks", unpicked="never picked", rule="each row goes back to where it came from")


def _grid(indices: Any, batch_dims: int) -> tuple[Any, ...]:
    """An index for the leading axes: each example's own number, then `indices`."""
    lead = np.ogrid[tuple(slice(n) for n in indices.shape[:batch_dims])]
    ones = (1,) * (indices.ndim - batch_dims)
    return (*(each.reshape(each.shape + ones) for each in lead), indices)


def _front(x: Any, axis: int, batch_dims: int) -> Any:
    """`x` with the gathered axis moved behind the batch axes."""
    return np.moveaxis(x, axis, batch_dims)


def _grouped(x: Any, count: int, axis: int, batch_dims: int) -> Any:
    """`x` with the `count` axes of the indices moved to where `axis` was."""
    return np.moveaxis(x, range(batch_dims, batch_dims + count), range(axis, axis + count))


@gather.prepare
def _(x: Any, indices: Any, axis: Any, batch_dims: Any, from_end: Any) -> tuple[Any, ...]:
    place = canonical_axis(axis, len(x.shape), "gather")
    # Where the first axis is counted from the end, TensorFlow's gradient is dense.
    return axis if axis < 0 and not place else place, batch_dims, from_end


@gather.vjp("x")
def _(g: Tensor, x: Spec, indices: Tensor, axis: int, batch_dims: int) -> Any:
    if axis or batch_dims:
        return ungather(g, indices, x.shape, max(axis, 0), batch_dims)
    count = _size(indices)
    return IndexedSlices(reshape(g, (count, *x.shape[1:])), reshape(indices, (count,)), x.shape)


def _size(indices: Any) -> int:
    return prod(tuple(indices.shape))


gather.jvp(picked(gather))


@gather.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    (x, indices), (axis, batch_dims, from_end) = values, attributes
    axis = max(axis, 0)
    if not batch_dims and not stacked[1]:
        return gather(x, indices, axis + 1, 0, from_end)
    if not batch_dims and not stacked[0]:
        out = gather(x, indices, axis, 0, from_end)
        return (
            transpose(out, (axis, *range(axis), *range(axis + 1, len(out.shape)))) if axis else out
        )
    x, indices = spread(x, stacked[0], size), spread(indices, stacked[1], size)
    return gather(x, indices, axis + 1, batch_dims + 1, from_end)


@primitive(
    type_name="UnsortedSegmentSum",
    latex=r"\mathrm{{zeros}}\left(\left[{indices}\right] \addto {x}\right)",
)
def ungather(x: Array, indices: Indices, shape: Shape, axis: int = 0, batch_dims: int = 0) -> Array:
    """Zeros of `shape` with the slices `x` added along `axis`: the transpose of gather."""
    out = np.zeros(shape, x.dtype)
    if not axis and not batch_dims:
        add_rows(out, indices, x)
        return out
    count = indices.ndim - batch_dims
    slices = np.moveaxis(x, range(axis, axis + count), range(batch_dims, batch_dims + count))
    np.add.at(_front(out, axis, batch_dims), _grid(indices, batch_dims), slices)
    return out


ungather.says(called="rows put back")


@ungather.vjp("x")
def _(g: Tensor, indices: Tensor, axis: int, batch_dims: int) -> Tensor:
    return gather(g, indices, axis, batch_dims, True)  # the way there has looked at the indices


@ungather.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    (x, indices), (shape, axis, batch_dims) = values, attributes
    if stacked[0] and not stacked[1] and not batch_dims:
        return ungather(x, indices, (size, *shape), axis + 1)
    x, indices = spread(x, stacked[0], size), spread(indices, stacked[1], size)
    return ungather(x, indices, (size, *shape), axis + 1, batch_dims + 1)


def infer_at_zeros(op: Op) -> Any:
    """How shapes are inferred where ones would be indices out of range: by the forward on zeros."""

    def infer(specs: Any, *attributes: Any) -> Spec:
        zeros = [np.broadcast_to(np.zeros((), s.dtype), s.shape)[()] for s in specs]
        out = op.forward(*zeros, *attributes)
        return Spec(out.shape, out.dtype)

    return infer


gather.op.infer = infer_at_zeros(gather.op)
ungather.op.infer = infer_at_zeros(ungather.op)


@export("gather")
def gather_slices(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    axis: Axis = None,
    batch_dims: Any = 0,
    name: str | None = None,
) -> SameKind:
    """The slices of `params` along `axis` at `indices`.

    Args:
        params: a tensor of rank at least 1.
        indices: integers from 0 to `params.shape[axis] - 1`, of any shape.
        validate_indices: accepted and not used; indices are always checked.
        axis: the axis that is gathered; by default `batch_dims`.
        batch_dims: how many leading axes `params` and `indices` share, example by example.
        name: accepted and not used.

    Returns:
        A tensor of shape
        `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.
        Its gradient for axis 0 is an `IndexedSlices`.

    Raises:
        InvalidArgumentError: if an index is out of range.

    Example:
        >>> import minitape as tf
        >>> tf.gather([10, 20, 30], [2, 0, 2]).numpy().tolist()
        [30, 10, 30]
    """
    x, ids = operand(params, None), operand(indices, None)
    batch_dims = checked_one(
        "gather", "batch_dims", static_ints(batch_dims, "gather", "batch_dims")
    )
    batch_dims = (
        canonical_axis(batch_dims, len(ids.shape) + 1, "gather", "batch_dims")
        if batch_dims >= 0
        else batch_dims % len(ids.shape)
    )
    axis = static_int(batch_dims if axis is None else axis, "gather", "axis")
    check_integers(ids, "gather")
    return gather(x, ids, axis, batch_dims)


class IndexRangeError(InvalidArgumentError, IndexError):
    """An index that no slice has."""


def check_indices(ids: Any, n: int, op: str) -> None:
    """Raises unless the indices are integers from 0 to n - 1, as far as they are known."""
    check_integers(ids, op)
    values: Any = getattr(ids, "value", None)
    if hasattr(values, "min"):  # else in a graph, or inside other batches
        _refuse_outside(values, n, op)


def check_integers(ids: Any, op: str) -> None:
    """Raises unless the indices are integers."""
    if ids.spec.dtype.kind not in "iu":
        raise DtypeError(
            f"{op}: indices must be integers (tf.int32 or tf.int64); got {ids.dtype.name}. "
            "Write `tf.cast(indices, tf.int32)`."
        )


def _refuse_outside(indices: Any, n: int, op: str) -> None:
    """Raises unless all indices are from 0 to n - 1."""
    if not indices.size or (indices.min() >= 0 and indices.max() < n):
        return
    at = next(i for i in np.ndindex(indices.shape) if not 0 <= indices[i] < n)
    raise IndexRangeError(
        teach(
            f"{op}: indices{list(at) if at else ''} = {indices[at]} is not in [0, {n}).",
            "Negative indices do not count from the end here.",
            f"Use indices from 0 to {n - 1}.",
        )
    )


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
        return ungather(self.values, self.indices, tuple(self.shape), 0, 0)

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
        values, indices = _same_kind([self.values, other.values], [self.indices, other.indices])
        return IndexedSlices(concat(values, 0), concat(indices, 0), self._dense_shape)

    def __radd__(self, other: Any) -> Any:
        return other + self.dense()

    def __neg__(self) -> Any:
        return IndexedSlices(-self.values, self.indices, self._dense_shape)

    def interpret(self, op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Computes any other op on the dense form."""
        dense = [x.dense() if isinstance(x, IndexedSlices) else x for x in inputs]
        call = op.call
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
        indices = [cast_to_discrete(each, np.dtype(np.int64)) for each in indices]
    return values, indices


def make_slices(values: Any, indices: Any, dense_shape: Any = None) -> IndexedSlices:
    """What `tf.IndexedSlices(...)` makes for users: plain values become tensors."""
    return IndexedSlices(convert_to_tensor(values), convert_to_tensor(indices), dense_shape)


exports["IndexedSlices"] = IndexedSlices
