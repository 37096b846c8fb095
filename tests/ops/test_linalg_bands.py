"""Logarithms, LU factors in use, and matrices of a few diagonals."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.errors import InvalidArgumentError

A = np.array([[2.0, -1.0, 0.5], [1.0, 3.0, -0.5], [0.3, 1.0, 1.5]])
B = np.array([[1.0, 0.5], [-1.0, 2.0], [0.25, 1.0]])
S = A @ A.T + np.eye(3)
STACK = np.stack([A, A.T + np.eye(3)])
DIAGONALS = np.array([[0.5, -1.0, 7.0], [2.0, 3.0, -2.5], [9.0, 1.0, 0.4]])
TRIDIAGONAL = np.array([[2.0, 0.5, 0.0], [1.0, 3.0, -1.0], [0.0, 0.4, -2.5]])


def gradient(f, x, dtype=tf.float64):
    x = tf.constant(x, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


# Logarithms.


def test_the_logarithm_of_a_jordan_block_is_its_series():
    block = np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]], complex)
    expected = np.array([[np.log(2), 0.5, -0.125], [0, np.log(2), 0.5], [0, 0, np.log(2)]])
    np.testing.assert_allclose(tf.linalg.logm(block), expected, atol=1e-13)


def test_the_logarithm_is_the_principal_one_in_the_complex_plane():
    values = np.array([1j, -1.0, -2 - 0.1j, 1e-3])
    found = tf.linalg.logm(np.diag(values)).numpy()
    np.testing.assert_allclose(np.diag(found), np.log(values), atol=1e-14)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_exponential_of_the_logarithm_is_the_matrix(scale):
    x = (scale * np.stack([A, S])).astype(complex)
    values, vectors = np.linalg.eig(tf.linalg.logm(x).numpy())
    again = (vectors * np.exp(values)[:, None, :]) @ np.linalg.inv(vectors)
    np.testing.assert_allclose(again, x, rtol=1e-10, atol=1e-10 * scale)


def test_the_gradient_of_the_trace_of_the_logarithm_is_the_inverse_transposed():
    x = S + 0.3j * A  # d tr log X = tr(X^-1 dX), in TensorFlow's conjugated convention
    found = gradient(lambda z: tf.math.real(tf.linalg.trace(tf.linalg.logm(z))), x, tf.complex128)
    np.testing.assert_allclose(found, np.conj(np.linalg.inv(x)).T, rtol=1e-10)


def test_the_logarithm_keeps_complex64_and_refuses_real_numbers():
    found = tf.linalg.logm(tf.constant(S, tf.complex64))
    values, vectors = np.linalg.eigh(S)
    assert found.dtype == tf.complex64
    np.testing.assert_allclose(found, (vectors * np.log(values)) @ vectors.T, atol=1e-5)
    with pytest.raises(InvalidArgumentError, match=r"float64 is not in the list.*tf\.cast"):
        tf.linalg.logm(S)
    with pytest.raises(InvalidArgumentError, match="square"):
        tf.linalg.logm(np.ones([2, 3], complex))


# LU.


@pytest.mark.parametrize("x", [A, STACK, S + 1j * A, STACK[:0], A[::-1]])
def test_lu_factors_give_the_matrix_again(x):
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(*tf.linalg.lu(x)), x, atol=1e-14)


@pytest.mark.parametrize("x", [A, STACK, S + 1j * A, A[::-1]])
def test_lu_factors_solve_and_invert(x):
    packed, order = tf.linalg.lu(x)
    y = B.astype(x.dtype)
    np.testing.assert_allclose(tf.linalg.lu_solve(packed, order, y), np.linalg.solve(x, y))
    np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(packed, order), np.linalg.inv(x))


def test_one_lu_decomposition_solves_a_stack_of_right_hand_sides():
    packed, order = tf.linalg.lu(A)
    y = np.stack([B, 2 * B, B - 1])
    np.testing.assert_allclose(tf.linalg.lu_solve(packed, order, y), np.linalg.solve(A, y))


def test_the_gradient_of_lu_solve_in_the_right_hand_side_solves_the_transpose():
    packed, order = tf.linalg.lu(A)
    found = gradient(lambda y: tf.reduce_sum(tf.linalg.lu_solve(packed, order, y)), B)
    np.testing.assert_allclose(found, np.linalg.solve(A.T, np.ones_like(B)))


def test_the_gradient_of_lu_reconstruct_flows_to_both_factors():
    packed, order = tf.linalg.lu(A)
    lower, upper = np.tril(packed.numpy(), -1) + np.eye(3), np.triu(packed.numpy())
    found = gradient(lambda x: tf.reduce_sum(tf.linalg.lu_reconstruct(x, order)), packed)
    ones = np.ones((3, 3))
    np.testing.assert_allclose(found, np.tril(ones @ upper.T, -1) + np.triu(lower.T @ ones))


def test_a_function_traces_lu_functions():
    f = tf.function(lambda x, y: tf.linalg.lu_solve(*tf.linalg.lu(x), y))
    np.testing.assert_allclose(f(tf.constant(A), tf.constant(B)), np.linalg.solve(A, B))
    assert f.runs_python is None


def test_lu_functions_say_which_shapes_do_not_fit():
    packed, order = tf.linalg.lu(A)
    with pytest.raises(InvalidArgumentError, match=r"rhs has shape \[2, 2\].*as many rows"):
        tf.linalg.lu_solve(packed, order, np.ones([2, 2]))
    with pytest.raises(InvalidArgumentError, match=r"perm has shape \[2\]"):
        tf.linalg.lu_reconstruct(packed, [0, 1])


# Tridiagonal matrices.

FORMATS = {
    "compact": DIAGONALS,
    "matrix": TRIDIAGONAL,
    "sequence": [DIAGONALS[0, :2], DIAGONALS[1], DIAGONALS[2, 1:]],
}


@pytest.mark.parametrize("form", FORMATS)
def test_a_tridiagonal_matrix_in_every_format_multiplies_and_solves(form):
    found = tf.linalg.tridiagonal_matmul(FORMATS[form], B, diagonals_format=form)
    np.testing.assert_allclose(found, TRIDIAGONAL @ B)
    found = tf.linalg.tridiagonal_solve(FORMATS[form], B, diagonals_format=form)
    np.testing.assert_allclose(found, np.linalg.solve(TRIDIAGONAL, B))


def test_a_sequence_of_full_diagonals_is_read_as_the_compact_format():
    found = tf.linalg.tridiagonal_matmul(list(DIAGONALS), B, diagonals_format="sequence")
    np.testing.assert_allclose(found, TRIDIAGONAL @ B)


def test_what_nobody_reads_of_the_diagonals_has_no_gradient():
    x = DIAGONALS.copy()
    x[0, -1] = x[2, 0] = 1e30
    for f in (tf.linalg.tridiagonal_matmul, tf.linalg.tridiagonal_solve):
        found = gradient(lambda x, f=f: tf.reduce_sum(f(x, B)), x)
        assert found[0, -1] == found[2, 0] == 0 and np.all(np.isfinite(found))


def test_the_gradient_of_a_tridiagonal_product_is_that_of_the_matrix_product():
    weights = np.arange(6.0).reshape(3, 2)
    full = weights @ B.T
    found = gradient(
        lambda x: tf.reduce_sum(weights * tf.linalg.tridiagonal_matmul(x, B)), DIAGONALS
    )
    expected = [[*np.diag(full, 1), 0], np.diag(full), [0, *np.diag(full, -1)]]
    np.testing.assert_allclose(found, expected)
    found = gradient(
        lambda y: tf.reduce_sum(weights * tf.linalg.tridiagonal_matmul(DIAGONALS, y)), B
    )
    np.testing.assert_allclose(found, TRIDIAGONAL.T @ weights)


def test_a_vector_or_a_transposed_or_conjugated_right_hand_side_is_solved():
    z = (B + 1j * B[::-1]).astype(complex)
    x = DIAGONALS.astype(complex)
    found = tf.linalg.tridiagonal_solve(DIAGONALS, B[:, 0])
    np.testing.assert_allclose(found, np.linalg.solve(TRIDIAGONAL, B[:, 0]))
    found = tf.linalg.tridiagonal_solve(x, z.T, transpose_rhs=True, conjugate_rhs=True)
    np.testing.assert_allclose(found, np.linalg.solve(TRIDIAGONAL, np.conj(z)))
    found = tf.linalg.tridiagonal_solve(DIAGONALS, B[:, 0], transpose_rhs=True)
    np.testing.assert_allclose(found, np.linalg.solve(TRIDIAGONAL, B[:, 0]))


def test_leading_axes_of_tridiagonal_matrices_and_right_hand_sides_broadcast():
    y = np.stack([B, B + 1])
    found = tf.linalg.tridiagonal_solve(DIAGONALS, y)
    np.testing.assert_allclose(found, np.linalg.solve(TRIDIAGONAL, y))
    found = tf.linalg.tridiagonal_matmul(np.stack([DIAGONALS] * 2), B)
    np.testing.assert_allclose(found, np.stack([TRIDIAGONAL @ B] * 2))


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_exchanged_where_a_pivot_is_small(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(3, 30))
    x[1, ::3] = 0  # without exchanges these would be divided by
    matrix = np.diag(x[1]) + np.diag(x[0, :-1], 1) + np.diag(x[2, 1:], -1)
    y = rng.normal(size=(30, 2))
    np.testing.assert_allclose(
        tf.linalg.tridiagonal_solve(x, y), np.linalg.solve(matrix, y), rtol=1e-8, atol=1e-10
    )


def test_tridiagonal_functions_say_what_does_not_fit():
    with pytest.raises(InvalidArgumentError, match="not invertible"):
        tf.linalg.tridiagonal_solve(np.ones([3, 2]), np.ones([2, 1]))
    with pytest.raises(InvalidArgumentError, match="as many rows as the matrix has, 3"):
        tf.linalg.tridiagonal_matmul(DIAGONALS, np.ones([2, 2]))
    with pytest.raises(
        InvalidArgumentError, match=r"shape \[\.\.\., 3, n\].*diagonals_format='mat"
    ):
        tf.linalg.tridiagonal_matmul(np.ones([4, 4]), np.ones([4, 1]))
    with pytest.raises(ValueError, match="Unrecognized diagonals_format: 'rows'"):
        tf.linalg.tridiagonal_solve(DIAGONALS, B, diagonals_format="rows")
    with pytest.raises(ValueError, match="sequence of length 3"):
        tf.linalg.tridiagonal_solve([B[:, 0]], B, diagonals_format="sequence")
    with pytest.raises(NotImplementedError, match="perturb_singular"):
        tf.linalg.tridiagonal_solve(DIAGONALS, B, perturb_singular=True)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_a_banded_triangular_matrix_is_solved(lower, adjoint):
    if lower:
        bands = np.array([[2.0, 3.0, 4.0], [99.0, 2.0, 3.0]])
        matrix = np.array([[2.0, 0, 0], [2.0, 3.0, 0], [0, 3.0, 4.0]])
    else:
        bands = np.array([[2.0, 3.0, 99.0], [-1.0, -2.0, -3.0]])
        matrix = np.array([[-1.0, 2.0, 0], [0, -2.0, 3.0], [0, 0, -3.0]])
    found = tf.linalg.banded_triangular_solve(bands, B, lower=lower, adjoint=adjoint)
    np.testing.assert_allclose(found, np.linalg.solve(matrix.T if adjoint else matrix, B))


def test_the_gradient_of_a_banded_solution_is_that_of_its_diagonal():
    found = gradient(
        lambda x: tf.reduce_sum(tf.linalg.banded_triangular_solve(x, np.ones([3, 1]))),
        [[2.0, 4.0, 5.0]],
    )
    np.testing.assert_allclose(found, [[-1 / 4, -1 / 16, -1 / 25]])


# Eigenvalues of tridiagonal matrices: 2 cos(k pi / (n + 1)) for zeros and ones.

COSINES = 2 * np.cos(np.pi * np.arange(5, 0, -1) / 6)
ZEROS, ONES = np.zeros(5), np.ones(4)


def test_the_eigenvalues_of_a_path_are_cosines():
    np.testing.assert_allclose(tf.linalg.eigh_tridiagonal(ZEROS, ONES), COSINES, atol=1e-14)


@pytest.mark.parametrize(
    ("select", "bounds", "chosen"),
    [("i", (1, 2), slice(1, 3)), ("v", (-1.1, 1.1), slice(1, 4)), ("v", (5.0, 6.0), slice(5, 5))],
)
def test_some_eigenvalues_are_selected(select, bounds, chosen):
    found = tf.linalg.eigh_tridiagonal(ZEROS, ONES, select=select, select_range=bounds)
    np.testing.assert_allclose(found, COSINES[chosen], atol=1e-14)


def test_eigenvectors_belong_to_their_eigenvalues():
    beta = np.array([1j, 0.5 - 1j])
    values, vectors = tf.linalg.eigh_tridiagonal(
        np.array([1.0, 2.0, 3.0], complex), beta, eigvals_only=False
    )
    matrix = np.diag([1.0, 2.0, 3.0]) + np.diag(beta, 1) + np.diag(np.conj(beta), -1)
    assert values.dtype == tf.float64
    np.testing.assert_allclose(matrix @ vectors.numpy(), vectors.numpy() * values.numpy())


def test_the_sum_of_the_eigenvalues_has_gradient_one_in_the_diagonal():
    found = gradient(lambda alpha: tf.reduce_sum(tf.linalg.eigh_tridiagonal(alpha, ONES)), ZEROS)
    np.testing.assert_allclose(found, np.ones(5))


def test_what_cannot_be_selected_is_refused():
    with pytest.raises(ValueError, match="must be 'a', 'i' or 'v'"):
        tf.linalg.eigh_tridiagonal(ZEROS, ONES, select="x")
    with pytest.raises(ValueError, match=r"select_range=\(min, max\)"):
        tf.linalg.eigh_tridiagonal(ZEROS, ONES, select="i")
    with pytest.raises(ValueError, match=r"got \(2, 1\)"):
        tf.linalg.eigh_tridiagonal(ZEROS, ONES, select="v", select_range=(2, 1))
    assert tf.linalg.eigh_tridiagonal([3.0], tf.zeros([0])).numpy().tolist() == [3.0]
