"""Reductions."""
from __future__ import annotations
from typing import TYPE_CHECKING, Any
import numpy as np
from minitape.primitive import primitive
from minitape.ops.broadcasting import broadcast_to, keep_axes
if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor, Spec

@primitive("reduce_mean", "math.reduce_mean", type_name="Mean")
def reduce_mean(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """mean"""
    s = np.add.reduce(x, axis, keepdims=keepdims)
    return s * s.dtype.type(s.size / x.size)
@reduce_mean.vjp("x")
def _(g: Tensor, x: Spec, axis: Any, keepdims: bool) -> Tensor:
    n = np.prod(x.shape) / np.prod(g.shape)
    return broadcast_to(keep_axes(g * (1/float(n)), x.shape, axis, keepdims), x.shape)
