"""Reductions over axes.

The one fact to know: `axis` reaches forward and rules as None (all axes) or a sorted tuple counted
from the left, and a cotangent gets the reduced axes back as size 1 before it is spread over them.
May import: ops/families, ops/broadcasting, primitive, tensor.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops.broadcasting import broadcast_to, restore_axes
from minitape.ops.families import batched_reduction, canonical_axes, keep_axes_shape
from minitape.primitive import primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor


@primitive("reduce_mean", "math.reduce_mean", type_name="Mean", latex=r"\mathrm{{mean}}\,{x:3}")
def reduce_mean(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The mean over `axis` (all axes by default); integers are divided rounding towards zero."""
    total = np.add.reduce(x, axis, None, None, keepdims)
    return total * total.dtype.type(total.size / x.size) if x.size else total / x.size


@reduce_mean.prepare
def _(x: Any, axis: Any, keepdims: Any) -> tuple[Any, ...]:
    return canonical_axes(axis, len(x.shape), "reduce_mean"), bool(keepdims)


@reduce_mean.vjp("x")
def _(g: Tensor, x: Spec, axis: Any, keepdims: bool) -> Tensor:
    shape = x.shape
    count = prod(shape if axis is None else [shape[i] for i in axis]) or 1
    return broadcast_to(restore_axes(g * (1 / count), shape, axis, keepdims), shape)


reduce_mean.batch(batched_reduction(reduce_mean))
