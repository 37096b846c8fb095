"""What the special functions share: float64 inside, polynomials, Chebyshev sums.

Special functions are computed in float64 and rounded once at the end, so that float16 and float32
results are as good as their dtype can hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.tensor import Array

_BLOCK = 8192  # elements
Doubles = np.ndarray[Any, np.dtype[np.float64]]  # flat arrays of float64


def in_doubles(function: Callable[..., Doubles], *inputs: Array) -> Array:
    """Computes `function` of flat float64 arrays; the result has the inputs' dtype and shape.

    Raises:
        InvalidArgumentError: if the inputs are not floating.
    """
    dtype = inputs[-1].dtype
    if dtype.kind != "f":
        raise InvalidArgumentError(
            f"Special functions take float16, float32 or float64, and not {dtype}: "
            "write `tf.cast(x, tf.float32)` first."
        )
    wide = np.broadcast_arrays(*inputs) if len(inputs) > 1 else inputs
    flat = [np.asarray(x).ravel() for x in wide]
    out = np.empty(flat[0].size, dtype)
    for start in range(0, out.size, _BLOCK):  # their temporary arrays stay in the cache
        block = slice(start, start + _BLOCK)
        out[block] = function(*[x[block].astype(np.float64) for x in flat])
    return out.reshape(wide[0].shape)[()]


def polynomial(x: Doubles, coefficients: Sequence[float]) -> Doubles:
    """The polynomial with `coefficients`, the highest power first, by Horner's rule."""
    total = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        total *= x
        total += c
    return total


def chebyshev(t: Doubles, coefficients: Sequence[float]) -> Doubles:
    """The sum of c_k T_k(t), by Clenshaw's recurrence (MTAC 9, 1955)."""
    b, before = np.zeros_like(t), np.zeros_like(t)
    for c in reversed(coefficients[1:]):
        b, before = 2 * t * b - before + c, b
    return t * b - before + coefficients[0]


def piecewise(x: Doubles, pieces: Sequence[tuple[Any, Callable[[Doubles], Doubles]]]) -> Doubles:
    """The function that is given by several formulas: pairs of a mask and what holds there.

    The first mask that holds decides; where none does the result is nan.
    """
    out = np.full_like(x, np.nan)
    free = np.ones(x.shape, bool)
    for mask, formula in pieces:
        here = mask & free
        if here.any():
            out[here] = formula(x[here])
            free &= ~here
    return out
