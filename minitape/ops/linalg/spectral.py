"""Eigenvalues and singular values.

Rules follow TensorFlow's formulas, which are written with adjoints for its conjugated convention;
`plain` turns such a formula into a plain rule. Where eigenvalues or singular values coincide, the
vectors have no derivative; those terms are then left out, as in TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive
from minitape.ops.broadcasting import reshape
from minitape.ops.elementwise.complexes import complex_, real
from minitape.ops.linalg.common import adjoint, leading
from minitape.ops.linalg.diagonal import matrix_diag, matrix_diag_part
from minitape.ops.linalg.matrix import matrix_transpose
from minitape.ops.linalg.solve import solve
from minitape.ops.linalg.symmetric import half_lower, inverse_gaps, plus_adjoint
from minitape.ops.passing import conj, conjugate, is_complex

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor


def diagonal_matrix(values: Any) -> Any:
    """Square matrices with `values` on their diagonals."""
    n = values.shape[-1]
    return matrix_diag(values, (0, 0), n, n)


@primitive(type_name="SelfAdjointEigV2", latex=r"\mathrm{{eigh}}\left({x}\right)")
def eigh(x: Array) -> tuple[Array, Array]:
    """Ascending eigenvalues, and eigenvectors (columns), from the lower triangle."""
    values, vectors = np.linalg.eigh(x)
    return values.astype(x.dtype), vectors


@eigh.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    """Giles, "An extended collection of matrix derivative results" (2008), 3.1."""
    values, vectors = out
    inner = diagonal_matrix(g[0]) + inverse_gaps(values) * (matrix_transpose(vectors) @ g[1])
    return _lower(conjugate(vectors) @ inner @ matrix_transpose(vectors))


def _lower(g: Any) -> Any:
    """The gradient of a Hermitian matrix of which only the lower triangle is read."""
    return half_lower(plus_adjoint(g))


eigh.batch(leading(eigh))


@primitive(type_name="SelfAdjointEigV2", latex=r"\mathrm{{eigvalsh}}\left({x}\right)")
def eigvalsh(x: Array) -> Array:
    """The ascending eigenvalues of Hermitian matrices, from the lower triangle."""
    return np.linalg.eigvalsh(x).astype(x.dtype)


@eigvalsh.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    vectors = eigh(x)[1]
    *batch, n = g.shape
    scaled = conjugate(vectors) * reshape(g, (*batch, 1, n))
    return _lower(scaled @ matrix_transpose(vectors))


eigvalsh.batch(leading(eigvalsh))


def _to_complex(x: Array) -> Array:
    return x if x.dtype.kind == "c" else x.astype(np.result_type(x.dtype, np.complex64))


@primitive(type_name="Eig", latex=r"\mathrm{{eig}}\left({x}\right)")
def eig(x: Array) -> tuple[Array, Array]:
    """Complex eigenvalues (in no order) and eigenvectors of length 1 (columns)."""
    values, vectors = np.linalg.eig(x)
    return _to_complex(values), _to_complex(vectors)


@eig.vjp("x")
def _(g: Tensor, x: Spec, out: Tensor) -> Tensor:
    """Boeddeker, "On the computation of complex-valued gradients" (2017), 4.12, made plain."""
    values, vectors = out
    turned = matrix_transpose(vectors)
    inner = turned @ g[1]
    along = matrix_diag_part(real(inner))
    lengths = diagonal_matrix(complex_(along, along * 0))
    change = inner - (turned @ conj(vectors)) @ lengths
    return _solved(g[0], inverse_gaps(values) * change, turned, x)


@primitive(type_name="Eig", latex=r"\mathrm{{eigvals}}\left({x}\right)")
def eigvals(x: Array) -> Array:
    """The complex eigenvalues of square matrices, in no order."""
    return _to_complex(np.linalg.eigvals(x))


@eigvals.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    turned = matrix_transpose(eig(x)[1])
    return _solved(g, None, turned, x)


def _solved(values: Any, change: Any, turned: Any, x: Any) -> Any:
    """The gradient of a matrix from those of its eigenvalues and, in their basis, eigenvectors."""
    inner = diagonal_matrix(values) if change is None else diagonal_matrix(values) + change
    out = solve(turned, inner @ turned)
    return out if is_complex(x) else real(out)


eig.batch(leading(eig))
eigvals.batch(leading(eigvals))


@primitive(type_name="Svd", latex=r"\sigma\left({x}\right)")
def singular_values(x: Array) -> Array:
    """The singular values in descending order."""
    return np.linalg.svd(x, compute_uv=False)


@singular_values.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    _, u, v = svd(x, False)
    *batch, n = g.shape
    row = reshape(_like(g, x), (*batch, 1, n))
    return (conjugate(u) * row) @ matrix_transpose(v)


def _like(values: Any, x: Any) -> Any:
    """Real `values` in the dtype of `x`."""
    return complex_(values, values * 0) if is_complex(x) else values


singular_values.batch(leading(singular_values))


@primitive(type_name="Svd", latex=r"\mathrm{{svd}}\left({x}\right)")
def svd(x: Array, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    """Singular values s (descending) and vectors u, v (columns): x = u diag(s) v^H."""
    u, s, turned = np.linalg.svd(x, full_matrices)
    return s, u, np.conj(np.swapaxes(turned, -1, -2))


@svd.vjp("x")
def _(g: Tensor, x: Spec, out: Tensor, full_matrices: bool) -> Tensor:
    """Townsend, "Differentiating the singular value decomposition" (2016).

    For complex matrices see Wan and Zhang, "Automatic differentiation for complex valued SVD"
    (2019).
    """
    rows, columns = x.shape[-2:]
    if full_matrices and abs(rows - columns) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True: "
            "the matrix is "
            f"{rows} x {columns}, and the extra vectors are not unique. Use full_matrices=False."
        )
    s, u, v = _like(out[0], x), out[1], out[2]
    gs, gu, gv = _like(g[0], x), conjugate(g[1]), conjugate(g[2])
    if rows > columns:
        return matrix_transpose(_svd_gradient(gs, gv, gu, s, v, u))
    return conjugate(_svd_gradient(gs, gu, gv, s, u, v))


svd.batch(leading(svd))


def _svd_gradient(gs: Any, gu: Any, gv: Any, s: Any, u: Any, v: Any) -> Any:
    """The gradient of u diag(s) v^H, not taller than wide, in TensorFlow's convention."""
    n = s.shape[-1]
    first, g_first = v[..., :n], gv[..., :n]
    gaps = inverse_gaps(s * s)
    of_u, of_v = adjoint(u) @ gu, adjoint(first) @ g_first
    turn_u, turn_v = gaps * of_u, gaps * of_v
    scale, inverse = diagonal_matrix(s), s / (s * s + 1e-20)
    inner = diagonal_matrix(gs) + plus_adjoint(turn_u) @ scale + scale @ plus_adjoint(turn_v)
    if is_complex(u):
        phase = matrix_diag_part(of_v)
        inner = inner + diagonal_matrix((conj(phase) - phase) * inverse * 0.5)
    out = u @ inner @ adjoint(first)
    if u.shape[-1] == v.shape[-2]:
        return out
    beyond = adjoint(g_first) - (adjoint(g_first) @ first) @ adjoint(first)
    if v.shape[-1] > n:
        second, g_second = v[..., n:], gv[..., n:]
        beyond = beyond - (adjoint(first) @ g_second) @ adjoint(second)
    return out + u @ diagonal_matrix(inverse) @ beyond
