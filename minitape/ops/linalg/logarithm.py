"""The logarithm of matrices: `tf.linalg.logm`.

Where the eigenvectors are far enough from each other, it is the logarithm of the eigenvalues; else
square roots bring the matrix close to the identity, where a quadrature of the integral of (x - 1) /
(1 + t (x - 1)) over t is exact to rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.errors import DtypeError, teach
from minitape.op import export, primitive
from minitape.ops.linalg.common import leading, matrices, of_first
from minitape.ops.linalg.factors import matrix_square_root
from minitape.ops.linalg.matrix import matrix_transpose
from minitape.ops.moving.joining import concat
from minitape.ops.passing import is_complex

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike

_WELL_APART = 1e4  # the condition number of eigenvectors up to which they are used
_NEAR = 0.2  # the distance to the identity from which the quadrature is exact to rounding


@primitive(type_name="MatrixLogarithm", latex=r"\log {x:3}")
def matrix_logarithm(x: Array) -> Array:
    """The matrix with x = exp(out) whose eigenvalues have imaginary parts in (-pi, pi].

    For a real matrix it is real; that needs one without eigenvalues on the negative real axis.
    """
    out = np.array(x, np.complex128)
    for place in np.ndindex(*x.shape[:-2]):
        out[place] = _logarithm(out[place])
    return (out if x.dtype.kind == "c" else out.real).astype(x.dtype)


matrix_logarithm.says(matrix=True)


def _logarithm(x: Array) -> Array:
    """By eigenvalues, or (Higham, "Functions of matrices" (2008), 11.5) by square roots."""
    if not x.size or not np.all(np.isfinite(x)):
        return x * np.nan
    values, vectors = np.linalg.eig(x)
    if np.linalg.cond(vectors) < _WELL_APART:
        return (vectors * np.log(values)) @ np.linalg.inv(vectors)
    eye, roots = np.eye(len(x)), 0
    while np.abs(x - eye).sum(0).max() > _NEAR and roots < 60:
        x, roots = matrix_square_root(x), roots + 1
    near = x - eye
    nodes, weights = np.polynomial.legendre.leggauss(10)  # of [-1, 1]
    pairs = zip((nodes + 1) / 2, weights / 2, strict=True)
    total = sum(weight * np.linalg.solve(eye + node * near, near) for node, weight in pairs)
    return np.asarray(2.0**roots * total)


@matrix_logarithm.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    """The corner of log([[A, G], [0, A]]) is the derivative in direction G (Mathias 1996)."""
    turned = matrix_transpose(x)
    rank, n = len(x.shape), x.shape[-1]
    top, bottom = concat([turned, g], rank - 1), concat([g * 0, turned], rank - 1)
    return matrix_logarithm(concat([top, bottom], rank - 2))[..., :n, n:]


matrix_logarithm.batch(leading(matrix_logarithm))
matrix_logarithm.op.infer = of_first


@export("linalg.logm")
def logm(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The principal logarithm of square complex matrices: the inverse of `tf.linalg.expm`.

    It has a gradient here, which TensorFlow has not registered.

    Args:
        input: a tensor of shape [..., n, n], complex64 or complex128, of invertible matrices.
        name: accepted and not used.

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        InvalidArgumentError: if a matrix is not square, or its dtype not complex.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([[1.0, 1.0], [0.0, 1.0]], tf.complex64)
        >>> tf.math.real(tf.linalg.logm(x)).numpy().round(5).tolist()
        [[0.0, 1.0], [0.0, 0.0]]
    """
    x = matrices(input, "logm", square=True)
    if not is_complex(x):
        raise DtypeError(
            teach(
                f"logm: Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: "
                "complex64, complex128.",
                "The logarithm of a real matrix can be complex.",
                "Write `tf.linalg.logm(tf.cast(x, tf.complex64))`.",
            )
        )
    return matrix_logarithm(x)
