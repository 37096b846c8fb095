"""Elements and slices by index tuples: gather_nd, scatter_nd, and tensors with some slices changed.

The last axis of `indices` holds index tuples for the first axes of a tensor, and each names a
slice. `gather_nd` reads the slices, `scatter_nd` adds slices into zeros, and these two are each
other's derivative. Batches share leading axes (`batch_dims`), which is also how stacks work.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive
from minitape.ops.broadcasting import reshape
from minitape.ops.casting import cast
from minitape.ops.elementwise.comparison import equal, gate
from minitape.ops.families import as_value, picked
from minitape.ops.moving.gathering import IndexedSlices, IndexRangeError, infer_at_zeros
from minitape.ops.shapes.shaping import spread

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Shape, Spec, Tensor


def places(indices: Any, batch_dims: int) -> tuple[Any, ...]:
    """The NumPy index of the slices: an array for each axis that is batched or indexed."""
    if indices.size and indices.min() < 0:  # NumPy itself refuses those that are too large
        at = tuple(map(int, np.argwhere(indices < 0)[0][:-1]))
        raise IndexRangeError(
            f"indices{list(at)} = {indices[at].tolist()} has a negative index, and these do not "
            "count from the end here. Use indices from 0 to the size less 1."
        )
    lead = np.ogrid[tuple(slice(n) for n in indices.shape[:batch_dims])]
    ones, each_tuple = (1,) * (indices.ndim - 1 - batch_dims), indices.shape[:-1]
    rows = (np.broadcast_to(each.reshape(each.shape + ones), each_tuple) for each in lead)
    return (*rows, *np.moveaxis(indices, -1, 0))


@primitive(latex=r"{x:4}_{{\left[{indices}\right]}}")
def gather_nd(x: Array, indices: Indices, batch_dims: int = 0) -> Array:
    """The slices of `x` at the index tuples in the last axis of `indices`; see `tf.gather_nd`."""
    if not indices.shape[-1] + batch_dims:  # empty tuples: the whole of x for each
        return np.broadcast_to(x, indices.shape[:-1] + x.shape)[()]
    return as_value(x[places(indices, batch_dims)])


gather_nd.says(moves="picks", unpicked="never picked")


@gather_nd.vjp("x")
def _(g: Tensor, x: Spec, indices: Tensor, batch_dims: int) -> Any:
    if len(indices.shape) == 2 and indices.shape[1] == 1 and not batch_dims:
        count = indices.shape[0]  # slices, as in TensorFlow
        rows = reshape(g, (count, *x.shape[1:]))  # an op, for it makes a sparse cotangent whole
        return IndexedSlices(rows, reshape(indices, (count,)), x.shape)
    return scatter_nd(g, indices, x.shape, batch_dims)


gather_nd.jvp(picked(gather_nd))


@gather_nd.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return gather_nd(*_spread(values, stacked, size), attributes[0] + 1)


@primitive(latex=r"\mathrm{{zeros}}\left(\left[{indices}\right] \addto {x}\right)")
def scatter_nd(x: Array, indices: Indices, shape: Shape, batch_dims: int = 0) -> Array:
    """Zeros of `shape` to which the slices `x` are added at `indices`; see `tf.scatter_nd`."""
    if not indices.shape[-1] + batch_dims:
        return np.add.reduce(x.reshape(prod(indices.shape[:-1]), *shape), 0)
    out = np.zeros(shape, x.dtype)
    np.add.at(out, places(indices, batch_dims), x)
    return out[()]


@scatter_nd.vjp("x")
def _(g: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    return gather_nd(g, indices, batch_dims)


@scatter_nd.jvp
def _(tangents: Any, inputs: Any, out: Any, attributes: Any) -> Any:
    """Slices, as in TensorFlow, where index tuples are single indices: nothing is added up."""
    (t, _), (_, indices), (shape, batch_dims) = tangents, inputs, attributes
    if len(indices.shape) == 2 and indices.shape[1] == 1 and not batch_dims:
        count = indices.shape[0]
        rows = reshape(t, (count, *shape[1:]))
        return IndexedSlices(rows, reshape(indices, (count,)), shape)
    return scatter_nd(t, indices, shape, batch_dims)


@scatter_nd.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    shape, batch_dims = attributes
    return scatter_nd(*_spread(values, stacked, size), (size, *shape), batch_dims + 1)


def _spread(values: list[Any], stacked: list[bool], size: int) -> list[Any]:
    """The inputs with a batch axis each: slices and indices share it."""
    return [spread(v, own, size) for v, own in zip(values, stacked, strict=True)]


@primitive(
    type_name="TensorScatterUpdate",
    latex=r"\left({x}\ \mathrm{{with}}\ \left[{indices}\right] \leftarrow {y}\right)",
)
def scatter_update(x: Array, y: Array, indices: Indices, batch_dims: int = 0) -> Array:
    """`x` with the slices at `indices` replaced by those of `y`; of equal indices the last wins.

    Where indices repeat, every one of the slices gets the cotangent, as in TensorFlow.
    """
    out = x.copy()
    out[places(indices, batch_dims)] = y
    return out


@scatter_update.vjp("x")
def _(g: Tensor, y: Spec, indices: Tensor, batch_dims: int) -> Tensor:
    return scatter_update(g, np.zeros(y.shape, y.dtype), indices, batch_dims)


@scatter_update.vjp("y")
def _(g: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    return gather_nd(g, indices, batch_dims)


@primitive(
    type_name="TensorScatterAdd",
    latex=r"{x} + \mathrm{{zeros}}\left(\left[{indices}\right] \addto {y}\right)",
)
def scatter_add(x: Array, y: Array, indices: Indices, batch_dims: int = 0) -> Array:
    """`x` with the slices of `y` added at `indices`; equal indices add up."""
    out = x.copy()
    np.add.at(out, places(indices, batch_dims), y)
    return out


@scatter_add.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@scatter_add.vjp("y")
def _(g: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    return gather_nd(g, indices, batch_dims)


@primitive(
    type_name="TensorScatterSub",
    latex=r"{x} - \mathrm{{zeros}}\left(\left[{indices}\right] \addto {y}\right)",
)
def scatter_sub(x: Array, y: Array, indices: Indices, batch_dims: int = 0) -> Array:
    """`x` with the slices of `y` subtracted at `indices`; equal indices add up."""
    out = x.copy()
    np.subtract.at(out, places(indices, batch_dims), y)
    return out


@scatter_sub.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@scatter_sub.vjp("y")
def _(g: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    return -gather_nd(g, indices, batch_dims)


@primitive(
    type_name="TensorScatterMax",
    latex=r"\left({x}\ \mathrm{{with}}\ \left[{indices}\right]"
    r" \leftarrow \max\left(\cdot, {y}\right)\right)",
    refuses="bcO",
)
def scatter_max(x: Array, y: Array, indices: Indices, batch_dims: int = 0) -> Array:
    """The larger of `x` and the slices of `y` at `indices`; ties share the cotangent equally."""
    out = x.copy()
    np.maximum.at(out, places(indices, batch_dims), y)
    return out


@primitive(
    type_name="TensorScatterMin",
    latex=r"\left({x}\ \mathrm{{with}}\ \left[{indices}\right]"
    r" \leftarrow \min\left(\cdot, {y}\right)\right)",
    refuses="bcO",
)
def scatter_min(x: Array, y: Array, indices: Indices, batch_dims: int = 0) -> Array:
    """The smaller of `x` and the slices of `y` at `indices`; ties share the cotangent equally."""
    out = x.copy()
    np.minimum.at(out, places(indices, batch_dims), y)
    return out


def _to_winning_x(
    g: Tensor, x: Tensor, y: Tensor, indices: Tensor, out: Tensor, batch_dims: int
) -> Tensor:
    return gate(_shared(g, x, y, indices, out, batch_dims), _same(x, out))


def _to_winning_y(
    g: Tensor, x: Tensor, y: Tensor, indices: Tensor, out: Tensor, batch_dims: int
) -> Tensor:
    share = gather_nd(_shared(g, x, y, indices, out, batch_dims), indices, batch_dims)
    return gate(share, _same(y, gather_nd(out, indices, batch_dims)))


def _shared(
    g: Tensor, x: Tensor, y: Tensor, indices: Tensor, out: Tensor, batch_dims: int
) -> Tensor:
    """`g` divided by how many of `x` and `y` are equal to the result."""
    won = cast(_same(y, gather_nd(out, indices, batch_dims)), x.dtype)
    winners = scatter_nd(won, indices, tuple(x.shape), batch_dims)
    return g / (winners + cast(_same(x, out), x.dtype))


def _same(x: Tensor, y: Tensor) -> Tensor:
    return equal(x, y)


for _op in (scatter_max, scatter_min):
    _op.vjp("x")(_to_winning_x)
    _op.vjp("y")(_to_winning_y)


def _batched(call: Any) -> Any:
    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        return call(*_spread(values, stacked, size), attributes[0] + 1)

    return rule


for _op in (scatter_update, scatter_add, scatter_sub, scatter_max, scatter_min):
    _op.batch(_batched(_op))
for _op in (
    gather_nd,
    scatter_nd,
    scatter_update,
    scatter_add,
    scatter_sub,
    scatter_max,
    scatter_min,
):
    _op.op.infer = infer_at_zeros(_op.op)
