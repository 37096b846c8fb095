"""Factorisations and functions of matrices: qr, lu, expm, sqrtm.

The derivative of a function of a matrix is read off the same function of a matrix twice as large;
LU has no gradient registered, as in TensorFlow.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive
from minitape.ops.elementwise.complexes import complex_, imag
from minitape.ops.linalg.common import adjoint, leading, of_first, sides, with_room
from minitape.ops.linalg.diagonal import band_part, matrix_diag_part
from minitape.ops.linalg.matrix import matrix_transpose
from minitape.ops.linalg.solve import triangular_solve
from minitape.ops.linalg.spectral import diagonal_matrix
from minitape.ops.linalg.symmetric import minus_adjoint
from minitape.ops.moving.joining import concat
from minitape.ops.passing import conjugate, is_complex

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive(type_name="Qr", latex=r"\mathrm{{qr}}\left({x}\right)")
def qr(x: Array, full_matrices: bool = False) -> tuple[Array, Array]:
    """Orthonormal columns q and an upper triangular r with x = q r."""
    q, r = np.linalg.qr(with_room(x), "complete" if full_matrices else "reduced")
    return q.astype(x.dtype, copy=False), r.astype(x.dtype, copy=False)


@qr.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """Roberts and Roberts, "QR and LQ decomposition matrix backpropagation algorithms" (2020)."""
    q, r = out
    rows, columns = sides(x)
    if q.shape[-1] == rows > columns:
        raise NotImplementedError(
            "qr gradient is not implemented when nrows > ncols and full_matrices is True: "
            "the matrix is "
            f"{rows} x {columns}, and the extra columns of q are not unique. Use "
            "full_matrices=False."
        )
    gq, gr = conjugate(g[0]), conjugate(g[1])
    if rows >= columns:
        return conjugate(_qr_gradient(q, r, gq, gr))
    later = x[..., rows:]
    g_later = gr[..., rows:]
    g_first = _qr_gradient(q, r[..., :rows], gq + later @ adjoint(g_later), gr[..., :rows])
    return conjugate(concat([g_first, q @ g_later], len(x.shape) - 1))


qr.batch(leading(qr))


def _qr_gradient(q: Any, r: Any, gq: Any, gr: Any) -> Any:
    """The gradient of q r with as many rows as columns or more, in TensorFlow's convention."""
    of_q, of_r = adjoint(q) @ gq, r @ adjoint(gr)
    lower = band_part(minus_adjoint(of_q + of_r), -1, 0)
    out = q @ (gr + _over_adjoint(lower, r)) + _over_adjoint(gq - q @ of_q, r)
    if is_complex(q):
        phase = imag(matrix_diag_part(of_r - adjoint(of_q)))
        correction = diagonal_matrix(complex_(phase * 0, -phase))
        out = out + _over_adjoint(q @ correction, r)
    return out


def _over_adjoint(x: Any, r: Any) -> Any:
    """The product of `x` and the inverse of the adjoint of the upper triangular `r`."""
    return adjoint(triangular_solve(r, adjoint(x), False))


@primitive(type_name="Lu", latex=r"\mathrm{{lu}}\left({x}\right)")
def lu(x: Array, index_dtype: Any = np.int32) -> tuple[Array, Array]:
    """L (without its diagonal of ones) and U in one matrix, and the order of the rows."""
    out, n = x.copy(), x.shape[-1]
    flat = out.reshape(prod(x.shape[:-2]), n, n)
    order = np.tile(np.arange(n), (len(flat), 1))
    each = np.arange(len(flat))
    for k in range(n):
        pivot = k + np.argmax(np.abs(flat[:, k:, k]), 1)
        for rows in (flat, order):
            rows[each, pivot], rows[:, k] = rows[:, k].copy(), rows[each, pivot]
        flat[:, k + 1 :, k] /= flat[:, k, k][:, None]
        flat[:, k + 1 :, k + 1 :] -= flat[:, k + 1 :, k, None] * flat[:, None, k, k + 1 :]
    return flat.reshape(x.shape), order.astype(index_dtype).reshape(x.shape[:-1])


lu.batch(leading(lu))

_PADE = [64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000]
_PADE += [10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1]
_LARGEST = {8: 5.371920351148152, 4: 3.925724783138660}  # by bytes of a real number


@primitive(type_name="MatrixExponential", latex=r"e^{{{x}}}")
def matrix_exponential(x: Array) -> Array:
    """The sum of x^k / k! over k, by scaling, a Pade approximation of degree 13, and squaring.

    Higham, "The scaling and squaring method for the matrix exponential revisited" (2005).
    """
    size = np.linalg.norm(x, 1, (-2, -1), keepdims=True)
    limit = _LARGEST[x.real.dtype.itemsize]
    halvings = np.ceil(np.log2(np.maximum(size / limit, 1)))
    halvings = np.where(np.isfinite(halvings), halvings, 0).astype(int)
    out = _pade(x / (2.0**halvings).astype(x.real.dtype))
    for k in range(int(halvings.max(initial=0))):
        out = np.where(k < halvings, out @ out, out)
    return out


matrix_exponential.says(matrix=True)


def _pade(x: Array) -> Array:
    b = [x.real.dtype.type(number) for number in _PADE]
    eye = np.eye(x.shape[-1], dtype=x.dtype)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    odd = (
        x6 @ (b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * eye
    )
    even = (
        x6 @ (b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * eye
    )
    u = x @ odd
    return np.linalg.solve(even - u, even + u)


@matrix_exponential.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    """The corner of exp([[A, G], [0, A]]) is the derivative in direction G (Mathias 1996)."""
    turned = matrix_transpose(x)
    rank, n = len(x.shape), x.shape[-1]
    top, bottom = concat([turned, g], rank - 1), concat([g * 0, turned], rank - 1)
    return matrix_exponential(concat([top, bottom], rank - 2))[..., :n, n:]


matrix_exponential.batch(leading(matrix_exponential))


@primitive(type_name="MatrixSquareRoot", latex=r"{x:4}^{{1/2}}")
def matrix_square_root(x: Array) -> Array:
    """The matrix with x = out out whose eigenvalues have positive real parts.

    By the product form of the Denman-Beavers iteration (Higham, "Functions of matrices" (2008),
    6.29).
    """
    out, product = x.copy(), x.copy()
    eye = np.eye(x.shape[-1], dtype=x.dtype)
    for _ in range(50):
        inverse = np.linalg.inv(product)
        change = np.abs(product - eye).max(initial=0)
        if not change > 4 * x.shape[-1] * np.finfo(x.dtype).eps:
            break
        out = 0.5 * out @ (eye + inverse)
        product = 0.5 * (eye + 0.5 * (product + inverse))
    return out


matrix_square_root.says(matrix=True)


@matrix_square_root.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    turned = matrix_transpose(x)
    rank, n = len(x.shape), x.shape[-1]
    top, bottom = concat([turned, g], rank - 1), concat([g * 0, turned], rank - 1)
    return matrix_square_root(concat([top, bottom], rank - 2))[..., :n, n:]


matrix_square_root.batch(leading(matrix_square_root))
matrix_square_root.op.infer = of_first
