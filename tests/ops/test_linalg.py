"""Matrix products, einsum and linear algebra: beyond the systematic checks of every op."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.errors import InvalidArgumentError

A = np.array([[2.0, -1.0, 0.5], [1.0, 3.0, -0.5], [0.3, 1.0, 1.5]])
B = np.array([[1.0, 0.5], [-1.0, 2.0], [0.25, 1.0]])
S = A @ A.T + np.eye(3)
STACK = np.stack([A, A.T + np.eye(3)])
Z = A + 0.5j * A.T[::-1]
COTANGENT = np.cos(np.arange(99.0)) + 1j * np.sin(np.arange(99.0) ** 2)


def weighted(y):
    """A real number of a tensor: a weighted sum of all it holds."""
    w = COTANGENT[: int(tf.size(y))].reshape(tuple(y.shape))
    if y.dtype.is_complex:
        return tf.reduce_sum(tf.math.real(y * tf.constant(w.astype(y.dtype.as_numpy_dtype))))
    return tf.reduce_sum(y * w.real.astype(y.dtype.as_numpy_dtype))


def differences(f, x, step=1e-6):
    """TensorFlow's gradient by central differences, in both directions for complex arrays."""
    out = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
            ends = []
            for sign in (1, -1):
                moved = x.copy()
                moved[index] += sign * step * unit
                ends.append(float(weighted(f(tf.constant(moved)))))
            out[index] += unit * (ends[0] - ends[1]) / (2 * step)
    return out


def gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = weighted(f(x))
    return tape.gradient(y, x).numpy()


def positive(x):
    return tf.matmul(x, x, adjoint_b=True) + tf.eye(3, dtype=x.dtype)


def symmetric(x):
    return x + tf.linalg.adjoint(x)


def projections(vectors):
    """What does not depend on the phases of eigenvectors: the projection on the first of them."""
    first = vectors[..., :1]
    return tf.matmul(first, first, adjoint_b=True)


GAUGE_FREE = {
    "cholesky": lambda x: tf.linalg.cholesky(positive(x)),
    "cholesky_solve": lambda x: tf.linalg.cholesky_solve(tf.linalg.cholesky(positive(x)), x),
    "logdet": lambda x: tf.linalg.logdet(positive(x)),
    "eigh values": lambda x: tf.linalg.eigh(symmetric(x))[0],
    "eigh vectors": lambda x: projections(tf.linalg.eigh(symmetric(x))[1]),
    "eigvalsh": lambda x: tf.linalg.eigvalsh(symmetric(x)),
    "svd values": lambda x: tf.linalg.svd(x, compute_uv=False),
    "svd u": lambda x: projections(tf.linalg.svd(x)[1]),
    "svd v of a wide matrix": lambda x: projections(tf.linalg.svd(x[:2])[2]),
    "svd u of a tall matrix": lambda x: projections(tf.linalg.svd(x[:, :2])[1]),
    "svd, full": lambda x: projections(tf.linalg.svd(x[:2], full_matrices=True)[2]),
    "qr": lambda x: tf.abs(tf.linalg.qr(x[:, :2])[0]),
    "qr of a wide matrix": lambda x: tf.abs(tf.linalg.qr(x[:2])[1][:, 1:]),
    "eigvals": lambda x: tf.reduce_sum(tf.linalg.eigvals(x) ** 3),
    "eig": lambda x: tf.reduce_sum(tf.abs(tf.linalg.eig(x)[1]) ** 4),
    "inv, adjoint": lambda x: tf.linalg.inv(x, adjoint=True),
    "solve, adjoint": lambda x: tf.linalg.solve(x, x[:, :2], adjoint=True),
    "triangular_solve, adjoint": lambda x: tf.linalg.triangular_solve(x, x, adjoint=True),
    "triangular_solve, upper": lambda x: tf.linalg.triangular_solve(x, x, lower=False),
    "lstsq": lambda x: tf.linalg.lstsq(x[:, :2], x, l2_regularizer=0.3),
    "lstsq of a wide matrix": lambda x: tf.linalg.lstsq(x[:2], x[:2]),
    "pinv": lambda x: tf.linalg.pinv(x[:, :2]),
    "expm": tf.linalg.expm,
    "sqrtm": lambda x: tf.linalg.sqrtm(positive(x)),
    "det": tf.linalg.det,
    "norm": lambda x: tf.norm(x, 2, [0, 1]),
    "normalize": lambda x: tf.linalg.normalize(x, axis=1)[0],
    "l2_normalize": lambda x: tf.math.l2_normalize(x, axis=0),
    "einsum with a scalar": lambda x: tf.einsum(",ab->ba", x[0, 0], x),
    "tensor_diag": tf.linalg.tensor_diag,
    "adjoint": tf.linalg.adjoint,
}


@pytest.mark.parametrize("name", GAUGE_FREE)
@pytest.mark.parametrize("x", [A, Z], ids=["real", "complex"])
def test_gradients_equal_central_differences(name, x):
    f = GAUGE_FREE[name]
    np.testing.assert_allclose(gradient(f, x), differences(f, x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("flag", ["transpose", "adjoint"])
def test_matmul_turns_its_operands(flag):
    y = Z[:2]
    turned = y.T if flag == "transpose" else y.conj().T
    np.testing.assert_allclose(tf.matmul(Z, y, **{f"{flag}_b": True}).numpy(), Z @ turned)
    np.testing.assert_allclose(tf.matmul(y, y, **{f"{flag}_a": True}).numpy(), turned @ y)


def test_an_operand_cannot_be_transposed_and_adjoint():
    with pytest.raises(ValueError, match="Only one of `transpose_b` and `adjoint_b` can be True"):
        tf.matmul(A, A, transpose_b=True, adjoint_b=True)


def test_the_operator_works_from_both_sides():
    expected = A @ B
    for product in (tf.constant(A) @ B, A @ tf.constant(B), tf.Variable(A) @ tf.Variable(B)):
        np.testing.assert_allclose(product.numpy(), expected)


@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((3,), (3, 2)), ((3,), (3,))])
def test_a_product_with_a_vector_says_to_use_matvec(shapes):
    a, b = (np.ones(shape, np.float32) for shape in shapes)
    with pytest.raises(InvalidArgumentError, match=r"tf\.linalg\.matvec"):
        tf.matmul(a, b)


def test_inner_sizes_that_differ_are_named():
    with pytest.raises(InvalidArgumentError, match=r"In\[0\]: \[2, 3\], In\[1\]: \[2, 3\]"):
        tf.ones([2, 3]) @ tf.ones([2, 3])


def test_matvec_says_which_shapes_it_got():
    with pytest.raises(InvalidArgumentError, match=r"a: \[2, 3\] and b: \[2\]"):
        tf.linalg.matvec(tf.ones([2, 3]), tf.ones([2]))


def test_stacks_of_batches_broadcast_and_their_gradients_are_summed():
    x, y = tf.constant(STACK[:, None]), tf.constant(B)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        out = tf.matmul(x, y)
    assert out.shape == (2, 1, 3, 2)
    dx, dy = tape.gradient(out, [x, y])
    np.testing.assert_allclose(dx.numpy(), np.broadcast_to(B.sum(1), (2, 1, 3, 3)))
    np.testing.assert_allclose(dy.numpy(), np.repeat(STACK.sum((0, 1))[:, None], 2, 1))


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("...ij,...jk->...ik", [(1, 3, 4), (2, 4, 2)]),
        ("...i,...i", [(2, 1, 4), (3, 4)]),
        ("ba", [(2, 3)]),
        ("ij,jk", [(2, 3), (3, 2)]),
        (" i j , j -> i ", [(2, 3), (3,)]),
        ("i...->...", [(2, 3, 4)]),
        ("ab,bc,cd,de->ae", [(2, 3), (3, 2), (2, 4), (4, 2)]),
    ],
)
def test_einsum_reads_ellipses_spaces_and_implicit_results(equation, shapes):
    xs = [np.sin(np.arange(np.prod(shape)) + i).reshape(shape) for i, shape in enumerate(shapes)]
    expected = np.einsum(equation, *xs)
    out = tf.einsum(equation, *xs)
    assert out.shape == expected.shape
    np.testing.assert_allclose(out.numpy(), expected)


def test_random_equations_of_several_operands_equal_numpy():
    rng = np.random.default_rng(0)
    for _ in range(40):
        size = dict(zip("abcde", rng.integers(1, 4, 5), strict=True))
        terms = [
            "".join(rng.choice(list("abcde"), rng.integers(0, 4)))
            for _ in range(rng.integers(3, 6))
        ]
        result = "".join(c for c in sorted(set("".join(terms))) if rng.random() < 0.5)
        xs = [np.asarray(rng.normal(size=[size[c] for c in term])) for term in terms]
        equation = f"{','.join(terms)}->{result}"
        np.testing.assert_allclose(
            tf.einsum(equation, *xs).numpy(), np.einsum(equation, *xs), atol=1e-9, err_msg=equation
        )


@pytest.mark.parametrize(
    ("equation", "problem"),
    [
        ("ij,jk->ik", "names 2 operands, and 1 were given"),
        ("ijk->i", "names 3 axes"),
        ("ij->ik", "has to appear in an operand"),
        ("i1->i", "not made of letters"),
        ("ii->i", "has the sizes 3 and 2"),
        ("i...->i", "the result has no"),
    ],
)
def test_einsum_says_what_is_wrong_with_an_equation(equation, problem):
    with pytest.raises(ValueError, match=problem):
        tf.einsum(equation, B)


@pytest.mark.parametrize("axes", [0, 1, [[1], [0]], (-1, 0), [1, 0], np.array([[1], [0]])])
def test_tensordot_takes_axes_in_every_form(axes):
    np.testing.assert_allclose(tf.tensordot(A, B, axes).numpy(), np.tensordot(A, B, axes))


@pytest.mark.parametrize(
    ("axes", "problem"),
    [
        (5, "must be from 0 to 2"),
        ([[0, 1], [0]], "different number of contraction axes"),
        ([[3], [0]], "are not all axes"),
        ([[0], [1]], "they need the same size"),
        ([1, 2, 3], "have length 2"),
    ],
)
def test_tensordot_says_what_is_wrong_with_its_axes(axes, problem):
    with pytest.raises(ValueError, match=problem):
        tf.tensordot(A, B, axes)


@pytest.mark.parametrize("call", [tf.linalg.inv, lambda x: tf.linalg.solve(x, x)])
def test_a_singular_matrix_is_not_invertible(call):
    with pytest.raises(InvalidArgumentError, match="not invertible"):
        call(np.zeros((2, 2)))


def test_cholesky_of_an_indefinite_matrix_is_nan_and_of_its_neighbours_is_not():
    factors = tf.linalg.cholesky([[[1.0, 2.0], [2.0, 1.0]], [[4.0, 0.0], [0.0, 1.0]]]).numpy()
    np.testing.assert_array_equal(factors[0], [[np.nan, 0.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(factors[1], [[2.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    "name", ["inv", "det", "slogdet", "logdet", "cholesky", "eigh", "eigvals", "expm", "lu"]
)
def test_matrices_that_are_not_square_are_refused(name):
    with pytest.raises(InvalidArgumentError, match="must be square matrices"):
        getattr(tf.linalg, name)(B)


@pytest.mark.parametrize("name", ["inv", "svd", "qr", "pinv", "matrix_rank"])
def test_integers_and_vectors_are_refused(name):
    with pytest.raises(TypeError, match=r"tf\.cast\(x, tf\.float32\)"):
        getattr(tf.linalg, name)([[1, 2], [3, 4]])
    with pytest.raises(InvalidArgumentError, match="rank 2 or more"):
        getattr(tf.linalg, name)([1.0, 2.0])


def test_the_gradient_of_cholesky_is_symmetric():
    g = gradient(tf.linalg.cholesky, S)
    np.testing.assert_allclose(g, g.T)


def test_eigenvectors_get_the_lower_triangle_of_their_gradient():
    g = gradient(tf.linalg.eigvalsh, S)
    assert np.triu(g, 1).tolist() == np.zeros((3, 3)).tolist()


def test_equal_eigenvalues_leave_the_gradient_finite():
    assert np.isfinite(gradient(lambda x: tf.linalg.eigh(x)[1], np.eye(3))).all()


def test_singular_values_of_complex_matrices_are_real_and_those_of_hermitian_ones_complex():
    assert tf.linalg.svd(Z, compute_uv=False).dtype == tf.float64
    assert tf.linalg.eigvalsh(Z + Z.conj().T).dtype == tf.complex128
    assert tf.linalg.eigvals(A).dtype == tf.complex128


def test_the_parts_of_decompositions_make_up_the_matrix():
    s, u, v = tf.linalg.svd(Z)
    np.testing.assert_allclose((u.numpy() * s.numpy()) @ v.numpy().conj().T, Z)
    values, vectors = tf.linalg.eig(A)
    np.testing.assert_allclose(A @ vectors.numpy(), vectors.numpy() * values.numpy(), atol=1e-12)
    q, r = tf.linalg.qr(B, full_matrices=True)
    assert q.shape == (3, 3)
    np.testing.assert_allclose((q @ r).numpy(), B, atol=1e-12)


def test_lu_gives_the_order_of_rows_and_has_no_gradient():
    packed, order = tf.linalg.lu(STACK)
    for p, rows, x in zip(packed.numpy(), order.numpy(), STACK, strict=True):
        np.testing.assert_allclose((np.tril(p, -1) + np.eye(3)) @ np.triu(p), x[rows], atol=1e-12)
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.lu(x)[0]
    with pytest.raises(LookupError, match="gradient registry has no entry for: Lu"):
        tape.gradient(y, x)


@pytest.mark.parametrize(("name", "x"), [("svd", A[:1]), ("qr", A[:, :1])])
def test_full_decompositions_without_unique_vectors_have_no_gradient(name, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.linalg, name)(x, full_matrices=True)[0]
    with pytest.raises(NotImplementedError, match="full_matrices is True"):
        tape.gradient(y, x)


def test_the_rank_of_a_matrix_counts_singular_values_above_the_tolerance():
    assert tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy() == 1
    assert tf.linalg.matrix_rank(np.stack([np.eye(2), np.zeros((2, 2))])).numpy().tolist() == [2, 0]
    assert tf.linalg.matrix_rank([[1.0, 0.0], [0.0, 0.1]], tol=0.5).numpy() == 1


def test_bands_of_diagonals_are_packed_highest_first():
    x = np.arange(1, 10).reshape(3, 3)
    assert tf.linalg.diag_part(x, k=(-1, 1)).numpy().tolist() == [[0, 2, 6], [1, 5, 9], [4, 8, 0]]
    left = tf.linalg.diag_part(x, k=(-1, 1), align="LEFT_RIGHT", padding_value=-1)
    assert left.numpy().tolist() == [[2, 6, -1], [1, 5, 9], [-1, 4, 8]]


def test_diag_finds_the_size_that_the_diagonal_needs():
    assert tf.linalg.diag([1, 2], k=1).numpy().tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert tf.linalg.diag([1, 2], k=1, num_rows=2).numpy().tolist() == [[0, 1, 0], [0, 0, 2]]
    assert tf.linalg.diag([1], num_cols=2, padding_value=9).numpy().tolist() == [[1, 9]]


def test_diagonals_that_do_not_exist_are_named():
    with pytest.raises(InvalidArgumentError, match="a 2 x 2 matrix does not have"):
        tf.linalg.diag_part(np.eye(2), k=5)
    with pytest.raises(InvalidArgumentError, match=r"have shape \[2\]"):
        tf.linalg.set_diag(np.eye(2), np.ones(3))


def test_the_vector_product_needs_three_elements():
    with pytest.raises(InvalidArgumentError, match="three elements along the last axis"):
        tf.linalg.cross([1.0, 2.0], [3.0, 4.0])


def test_expm_of_a_large_matrix_is_that_of_its_eigenvalues():
    x = np.diag([-50.0, 0.0, 3.0])
    np.testing.assert_allclose(
        tf.linalg.expm(x).numpy(), np.diag(np.exp([-50.0, 0.0, 3.0])), rtol=1e-9
    )


def test_decompositions_name_their_parts_as_in_tensorflow():
    x = tf.constant([[2.0, 1.0], [0.0, 3.0]])
    assert tf.linalg.qr(x)._fields == ("q", "r")
    found = tf.linalg.slogdet(x)
    assert float(found.sign) == 1.0
    assert np.isclose(found.log_abs_determinant, np.log(6.0))


def test_least_squares_by_the_pseudo_inverse_have_no_gradient_as_in_tensorflow():
    a, b = tf.constant([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]]), tf.constant([[5.0], [10.0], [1.0]])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        x = tf.linalg.lstsq(a, b, fast=False)
    np.testing.assert_allclose(x, [[1.0], [2.0]], rtol=1e-5)
    with pytest.raises(ValueError, match="Gradient not defined for fast=False"):
        tape.gradient(x, [a, b])


@pytest.mark.parametrize("k", [0, 1, -2])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_an_empty_diagonal_gives_a_matrix_of_padding_as_in_tensorflow(k, batch):
    v = tf.Variable(tf.zeros((*batch, 0)))
    with tf.GradientTape() as tape:
        y = tf.linalg.diag(v, k=k, padding_value=3.0)
    np.testing.assert_array_equal(y.numpy(), np.full((*batch, abs(k), abs(k)), 3.0))
    assert tape.gradient(y, v).shape == (*batch, 0)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_gradient_of_the_determinant_of_a_singular_matrix_is_its_cofactors(dtype):
    rng = np.random.default_rng(7)
    matrix = rng.normal(size=(3, 3)).astype(dtype)
    matrix[2] = 2 * matrix[0]  # of rank 2
    minors = np.empty_like(matrix)
    for i, j in np.ndindex(3, 3):
        smaller = np.delete(np.delete(matrix, i, 0), j, 1)
        minors[i, j] = (-1) ** (i + j) * np.linalg.det(smaller)
    m = tf.Variable(matrix)
    with tf.GradientTape() as tape:
        volume = tf.linalg.det(m)
    np.testing.assert_allclose(tape.gradient(volume, m), np.conj(minors), atol=1e-12)
