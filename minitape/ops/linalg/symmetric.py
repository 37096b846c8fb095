"""Small ops that the derivatives of decompositions are made of.

Each is linear (or nearly so) and its own transpose, which keeps the rules of decompositions short
enough to read, in code and as formulas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.linalg.common import leading

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


def _adjoint(x: Array) -> Array:
    return np.conj(np.swapaxes(x, -1, -2))


@primitive(latex=r"\mathrm{{sym}}\left({x}\right)")
def plus_adjoint(x: Array) -> Array:
    """The sum of a matrix and its adjoint."""
    return x + _adjoint(x)


@plus_adjoint.vjp("x")
def _(g: Tensor) -> Tensor:
    return plus_adjoint(g)


plus_adjoint.batch(leading(plus_adjoint))


@primitive(latex=r"\mathrm{{skew}}\left({x}\right)")
def minus_adjoint(x: Array) -> Array:
    """The difference of a matrix and its adjoint."""
    return x - _adjoint(x)


@minus_adjoint.vjp("x")
def _(g: Tensor) -> Tensor:
    return minus_adjoint(g)


minus_adjoint.batch(leading(minus_adjoint))


@primitive(latex=r"\mathrm{{lower}}\left({x}\right)")
def half_lower(x: Array) -> Array:
    """The lower triangle with half of the diagonal, zeros above."""
    n = x.shape[-1]
    return x * (np.tri(n) - np.eye(n) / 2).astype(x.dtype)


@half_lower.vjp("x")
def _(g: Tensor) -> Tensor:
    return half_lower(g)


half_lower.batch(leading(half_lower))


@primitive(latex=r"\mathrm{{gaps}}\left({x}\right)")
def inverse_gaps(x: Array) -> Array:
    """1 / (x[j] - x[i]) at [i, j], and 0 where these are equal: TensorFlow's safe reciprocal."""
    gap = x[..., None, :] - x[..., :, None]
    return gap / (gap * gap + x.dtype.type(1e-20))


@inverse_gaps.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    pulled, last = g * out * out, len(out.shape) - 1
    return reduce_sum(pulled, last) - reduce_sum(pulled, last - 1)


@inverse_gaps.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return inverse_gaps(values[0])
