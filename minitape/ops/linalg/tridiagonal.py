"""Tridiagonal matrices: products, and equations solved in as many steps as there are rows.

A matrix is three rows of numbers, its superdiagonal, diagonal and subdiagonal, each as long as the
diagonal; the last of the first row and the first of the last row are read by nobody. So the
transpose is the outer rows exchanged, and rolled by one place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import primitive
from minitape.ops.linalg.common import leading
from minitape.tensor import Spec

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive(latex=r"{x:4}^\top")
def tridiagonal_transpose(x: Array) -> Array:
    """The diagonals of the transposed matrix."""
    return np.stack([np.roll(x[..., 2, :], -1, -1), x[..., 1, :], np.roll(x[..., 0, :], 1, -1)], -2)


@tridiagonal_transpose.vjp("x")
def _(g: Tensor) -> Tensor:
    return tridiagonal_transpose(g)


@primitive(type_name="TridiagonalMatMul", latex=r"\mathrm{{tri}}\left({x}\right) \, {y:2}")
def tridiagonal_matmul(x: Array, y: Array) -> Array:
    """The product A y, where A has the diagonals `x` of shape [..., 3, n]."""
    above, main, below = (x[..., i, :, None] for i in range(3))
    out = main * y
    out[..., :-1, :] += above[..., :-1, :] * y[..., 1:, :]
    out[..., 1:, :] += below[..., 1:, :] * y[..., :-1, :]
    return out


@tridiagonal_matmul.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return outer_diagonals(g, y)


@tridiagonal_matmul.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return tridiagonal_matmul(tridiagonal_transpose(x), g)


@primitive(latex=r"\mathrm{{diags}}\left({x:2} \, {y:4}^\top\right)")
def outer_diagonals(x: Array, y: Array) -> Array:
    """The three diagonals of x y^T, with zeros in places that are never read."""
    out = np.zeros((*x.shape[:-2], 3, x.shape[-2]), x.dtype)
    out[..., 0, :-1] = (x[..., :-1, :] * y[..., 1:, :]).sum(-1)
    out[..., 1, :] = (x * y).sum(-1)
    out[..., 2, 1:] = (x[..., 1:, :] * y[..., :-1, :]).sum(-1)
    return out


@outer_diagonals.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return tridiagonal_matmul(g, y)


@outer_diagonals.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return tridiagonal_matmul(tridiagonal_transpose(g), x)


for _op in (tridiagonal_transpose, tridiagonal_matmul, outer_diagonals):
    _op.batch(leading(_op))


@primitive(type_name="TridiagonalSolve", latex=r"\mathrm{{tri}}\left({x}\right)^{{-1}} \, {y:2}")
def tridiagonal_solve(x: Array, y: Array) -> Array:
    """The solution z of A z = y, where A has the diagonals `x` of shape [..., 3, n].

    By elimination with exchanges of neighbouring rows, as LAPACK's gtsv does.
    """
    n = x.shape[-1]
    bands = np.zeros((n + 1, *x.shape[:-2], 3), x.dtype)  # of row i: columns i, i + 1, i + 2
    bands[:n, ..., 0], bands[: n - 1, ..., 1] = _first(x[..., 1, :]), _first(x[..., 0, : n - 1])
    below, right = _first(x[..., 2, :]), np.moveaxis(y, -2, 0).copy()
    for i in range(n - 1):
        _eliminate(bands, below, right, i)
    if not np.all(bands[:n, ..., 0]):
        raise InvalidArgumentError(
            teach(
                "tridiagonal_solve: Input matrix is not invertible.",
                "A singular matrix has no inverse, and its equations no single solution.",
                "Check the diagonals, or add a small number to the middle one.",
            )
        )
    out = np.zeros((n + 2, *right.shape[1:]), y.dtype)
    for i in range(n - 1, -1, -1):
        d, u, v = (bands[i, ..., j, None] for j in range(3))
        out[i] = (right[i] - u * out[i + 1] - v * out[i + 2]) / d
    return np.moveaxis(out[:n], 0, -2)


def _first(x: Array) -> Array:
    return np.moveaxis(x, -1, 0)


def _eliminate(bands: Array, below: Array, right: Array, i: int) -> None:
    """Makes column i zero below row i; the row with the larger element there comes first."""
    one = bands[i].copy()
    two = np.stack([below[i + 1], bands[i + 1, ..., 0], bands[i + 1, ..., 1]], -1)
    swap = (np.abs(two[..., 0]) > np.abs(one[..., 0]))[..., None]
    bands[i] = np.where(swap, two, one)
    two = np.where(swap, one, two)
    top, bottom = np.where(swap, right[i + 1], right[i]), np.where(swap, right[i], right[i + 1])
    pivot = bands[i, ..., :1]
    factor = np.divide(two[..., :1], pivot, out=np.zeros_like(pivot), where=pivot != 0)
    bands[i + 1, ..., :2] = (two - factor * bands[i])[..., 1:]
    right[i], right[i + 1] = top, bottom - factor * top


@tridiagonal_solve.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """From dz = -A^-1 dA z."""
    return -outer_diagonals(tridiagonal_solve(tridiagonal_transpose(x), g), out)


@tridiagonal_solve.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return tridiagonal_solve(tridiagonal_transpose(x), g)


tridiagonal_solve.batch(leading(tridiagonal_solve))
tridiagonal_solve.op.infer = lambda specs: Spec(specs[1].shape, specs[1].dtype)
