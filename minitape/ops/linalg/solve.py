"""Inverses, determinants and linear equations.

Rules here are plain derivatives, so they have transposes where textbooks on complex matrices have
adjoints; solving goes through LAPACK's factorisations, never through an inverse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.op import primitive
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.linalg.common import (
    adjoint,
    as_matrix,
    invertible,
    leading,
    of_first,
    sides,
    with_room,
)
from minitape.ops.linalg.diagonal import band_part
from minitape.ops.linalg.matrix import matrix_transpose
from minitape.ops.linalg.symmetric import half_lower, plus_adjoint
from minitape.ops.passing import conjugate
from minitape.tensor import Spec

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive(type_name="MatrixInverse", latex=r"{x:4}^{{-1}}")
def inverse(x: Array) -> Array:
    """The inverse of square matrices; a singular one is an error."""
    return invertible(np.linalg.inv, with_room(x)).astype(x.dtype, copy=False)


inverse.says(also="inv", matrix=True)


@inverse.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    """From d(X^-1) = -X^-1 dX X^-1."""
    turned = matrix_transpose(out)
    return -(turned @ g @ turned)


inverse.batch(leading(inverse))
inverse.op.infer = of_first  # the ones that shapes are inferred with are singular


@primitive(type_name="MatrixDeterminant", latex=r"\det {x:3}")
def determinant(x: Array) -> Array:
    """The determinant of square matrices."""
    return np.linalg.det(x)


determinant.says(matrix=True)


@determinant.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    """A determinant is linear in each element, and the slope is the element's cofactor."""
    return as_matrix(g) * cofactors(x)


determinant.batch(leading(determinant))


@primitive(latex=r"\mathrm{{cof}}\left({x}\right)")
def cofactors(x: Array) -> Array:
    """The cofactors of square matrices: det X X^-T, and of singular ones what that tends to.

    With X = U diag(s) V^H it is det(U V^H) conj(U) diag(products of all other s) V^T, in which
    nothing is divided (Golub and Van Loan, Matrix Computations, section 2.4).
    """
    size = np.linalg.det(x)
    if np.all(size != 0):
        return (np.asarray(size)[..., None, None] * np.linalg.inv(x).mT).astype(x.dtype, copy=False)
    u, s, vh = np.linalg.svd(x)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]).prod(-1)
    turned = np.asarray(np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return (turned * (u.conj() * others[..., None, :]) @ vh.conj()).astype(x.dtype, copy=False)


@cofactors.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """From cof X = det X X^-T; of a singular matrix it is an error, as the inverse is."""
    turned = matrix_transpose(inverse(x))
    rank = len(x.shape)
    shared = reduce_sum(g * out, (rank - 2, rank - 1), False)
    return as_matrix(shared) * turned - turned @ matrix_transpose(g) @ out


cofactors.batch(leading(cofactors))
cofactors.op.infer = of_first  # the ones that shapes are inferred with are singular


@primitive(type_name="LogMatrixDeterminant", latex=r"\mathrm{{slogdet}}\left({x}\right)")
def sign_and_log_determinant(x: Array) -> tuple[Array, Array]:
    """The sign (a number of modulus 1) and the logarithm of the modulus of the determinant."""
    sign, log = np.linalg.slogdet(x)
    return sign, log.astype(x.dtype)[()]


sign_and_log_determinant.says(matrix=True)


@sign_and_log_determinant.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    """The sign is constant around an invertible matrix, so only the logarithm has a gradient."""
    return as_matrix(g[1]) * matrix_transpose(inverse(x))


sign_and_log_determinant.batch(leading(sign_and_log_determinant))


@primitive(type_name="MatrixSolve", latex=r"{x:4}^{{-1}} \, {y:2}", refuses="b")
def solve(x: Array, y: Array) -> Array:
    """The solution z of the equations x z = y."""
    return invertible(np.linalg.solve, x, y)


solve.says(matrix=True)


@solve.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    return -(solve(matrix_transpose(x), g) @ matrix_transpose(out))


@solve.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return solve(matrix_transpose(x), g)


@primitive(type_name="MatrixTriangularSolve", latex=r"{x:4}^{{-1}} \, {y:2}")
def triangular_solve(x: Array, y: Array, lower: bool = True) -> Array:
    """The solution z of x z = y, reading only the lower (or upper) triangle of `x`."""
    triangle = np.tril(x) if lower else np.triu(x)
    return invertible(np.linalg.solve, with_room(triangle), with_room(y)).astype(
        x.dtype, copy=False
    )


@triangular_solve.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor, lower: bool) -> Tensor:
    full = triangular_solve(matrix_transpose(x), g, not lower) @ matrix_transpose(out)
    return -(band_part(full, -1, 0) if lower else band_part(full, 0, -1))


@triangular_solve.vjp("y")
def _(g: Tensor, x: Tensor, lower: bool) -> Tensor:
    return triangular_solve(matrix_transpose(x), g, not lower)


def _of_second(specs: Any, *attributes: Any) -> Spec:
    return Spec(specs[1].shape, specs[1].dtype)


def _batched_solve(call: Any) -> Any:
    """One matrix and many right-hand sides: they stand side by side, and it is factorised once."""
    each = leading(call)

    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        x, y = values
        if stacked[0] or len(x.shape) > 2:
            return each(values, stacked, attributes, size)
        _, n, columns = y.shape
        wide = matrix_transpose(reshape(matrix_transpose(y), (size * columns, n)))
        out = matrix_transpose(call(x, wide, *attributes))
        return matrix_transpose(reshape(out, (size, columns, n)))

    return rule


solve.op.infer = triangular_solve.op.infer = lambda specs, *attributes: Spec(
    specs[1].shape, specs[1].dtype
)
solve.batch(_batched_solve(solve))
triangular_solve.batch(_batched_solve(triangular_solve))


@primitive(type_name="Cholesky", latex=r"\mathrm{{chol}}\left({x}\right)", refuses="b")
def cholesky(x: Array) -> Array:
    """The lower triangular factor L of x = L L^H; only the lower triangle of `x` is read.

    The factor of a matrix that is not positive definite is nan, as in TensorFlow.
    """
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        if x.ndim > 2:
            return np.stack([cholesky.op.forward(each) for each in x])
        return np.tril(np.full_like(x, np.nan))


cholesky.says(matrix=True)


@cholesky.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    """Murray, "Differentiation of the Cholesky decomposition" (2016), 10, made symmetric."""
    turned = matrix_transpose(out)
    left = triangular_solve(turned, half_lower(turned @ g), False)
    both = matrix_transpose(triangular_solve(conjugate(turned), matrix_transpose(left), False))
    return plus_adjoint(both) * 0.5


cholesky.batch(leading(cholesky))
cholesky.op.infer = of_first


@primitive(type_name="PseudoInverse", latex=r"{x:4}^{{+}}")
def pseudo_inverse(x: Array, rcond: float) -> Array:
    """The Moore-Penrose inverse; singular values below `rcond` times the largest count as 0."""
    return np.linalg.pinv(x, rcond)


@pseudo_inverse.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """Golub and Pereyra (1973), eq. 4.12; where the rank changes there is no derivative."""
    turned, a, p = matrix_transpose(out), conjugate(x), conjugate(out)
    rows, columns = sides(x)
    dtype = x.dtype if isinstance(x.dtype, np.dtype) else x.dtype.np
    left = (np.eye(rows, dtype=dtype) - a @ p) @ adjoint(g) @ (p @ turned)
    right = (turned @ p) @ adjoint(g) @ (np.eye(columns, dtype=dtype) - p @ a)
    return left + right - turned @ g @ turned


pseudo_inverse.batch(leading(pseudo_inverse))


@primitive(type_name="MatrixSolveLs", latex=r"{x:4}^{{+}} \, {y:2}")
def least_squares(x: Array, y: Array) -> Array:
    """The z of least norm that brings x z nearest to y, for matrices of any rank.

    TensorFlow defines no gradient for this way to solve (`tf.linalg.lstsq(fast=False)`), so asking
    for one is an error here too.
    """
    return np.linalg.pinv(x, 10 * max(x.shape[-2:]) * np.finfo(x.dtype).eps) @ y


def _no_gradient(g: Tensor) -> Tensor:
    raise ValueError(
        teach(
            "Gradient not defined for fast=False: tf.linalg.lstsq was called with it.",
            "This way to solve takes matrices of any rank, and where the rank changes there is no "
            "derivative.",
            "Leave fast=True, or write `tf.linalg.pinv(matrix) @ rhs`.",
        )
    )


least_squares.vjp("x")(_no_gradient)
least_squares.vjp("y")(_no_gradient)
least_squares.batch(leading(least_squares))
