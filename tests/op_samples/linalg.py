"""Samples of matrix products, einsum and linear algebra."""

import numpy as np

from op_samples import Sample

A = np.array([[2.0, -1.0, 0.5], [1.0, 3.0, -0.5], [0.3, 1.0, 1.5]])
STACK = np.stack([A, A.T + np.eye(3)])
WIDE = np.array([[1.0, 0.5, -0.7, 0.2], [-1.0, 2.0, 0.4, 0.9], [0.25, 1.0, 1.3, -0.6]])
TALL = WIDE.T
B = WIDE[:, :2]
S = A @ A.T + np.eye(3)
DISTINCT = np.array([[1.0, 0.3, 0.1], [0.2, 2.5, -0.2], [0.1, 0.3, 4.0]])
PAIR = np.stack([B, B[::-1] + 0.1])
VECTOR = np.array([0.5, -1.5, 2.0])
RANK_ONE = np.array([[1.0, 2.0], [2.0, 4.0]])  # whose determinant is exactly 0

DIAGONALS = np.array([[0.5, -1.0, 7.0], [2.0, 3.0, -2.5], [9.0, 1.0, 0.4]])
EXCHANGED = np.array([[1.0, -1.0, 0.0], [0.1, 0.2, 2.5], [0.0, 3.0, 2.4]])


def tri_solve(x, y, lower=True):
    return np.linalg.solve(np.tril(x) if lower else np.triu(x), y)


def diag_part(x, k=(0, 0)):
    return np.diagonal(x, k[0], -2, -1)


def diag(x, k, rows, columns):
    out = np.zeros((*x.shape[:-1], rows, columns), x.dtype)
    for i in range(x.shape[-1]):
        out[..., i + max(-k[0], 0), i + max(k[0], 0)] = x[..., i]
    return out


def set_diag(x, y):
    out = x.copy()
    for i in range(y.shape[-1]):
        out[..., i, i] = y[..., i]
    return out


def band(x, lower, upper):
    above = np.triu(x, -lower) if lower >= 0 else x
    return np.tril(above, upper) if upper >= 0 else above


def series(x):
    x = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    out = term = np.eye(x.shape[-1], dtype=x.dtype)
    for k in range(1, 60):
        term = term @ x / k
        out = out + term
    return out


def root(x):
    values, vectors = np.linalg.eigh(x)
    return (vectors * np.sqrt(values)) @ vectors.T


def logarithm(x):
    values, vectors = np.linalg.eig(x)
    out = (vectors * np.log(values.astype(complex))) @ np.linalg.inv(vectors)
    return out if x.dtype.kind == "c" else out.real


def tridiagonal(x):
    above, main, below = (x[..., i, :] for i in range(3))
    n = x.shape[-1]
    out = np.zeros((*x.shape[:-2], n, n), x.dtype)
    i = np.arange(n)
    out[..., i, i] = main
    out[..., i[:-1], i[1:]] = above[..., :-1]
    out[..., i[1:], i[:-1]] = below[..., 1:]
    return out


def tridiagonal_product(x, y):
    return tridiagonal(x) @ y


def tridiagonal_turned(x):
    return np.array([[*x[2, 1:], x[2, 0]], x[1], [x[0, -1], *x[0, :-1]]])


def diagonals_of_product(x, y):
    full = x @ np.swapaxes(y, -1, -2)
    out = np.zeros((*full.shape[:-2], 3, full.shape[-1]), x.dtype)
    out[..., 0, :-1] = np.diagonal(full, 1, -2, -1)
    out[..., 1, :] = np.diagonal(full, 0, -2, -1)
    out[..., 2, 1:] = np.diagonal(full, -1, -2, -1)
    return out


def tridiagonal_solution(x, y):
    return np.linalg.solve(tridiagonal(x), y)


def gaps(x):
    difference = x[None, :] - x[:, None]
    with np.errstate(divide="ignore"):
        return np.where(difference == 0, 0, 1 / difference).astype(x.dtype)


def product(x, y):
    return np.einsum("...ij,...jk->...ik", x, y)


def einsums():
    i, j = np.array([1.0, -0.5]), np.array([0.3, 2.0, 1.1])
    m = WIDE[:2, :3]
    cases = {
        "ab,bc->ac": [m, A],
        "abc,acd->abd": [STACK, PAIR],
        "aa->": [A],
        "aa->a": [A],
        "aba->b": [STACK.transpose(0, 1, 2)[:, :, :2]],
        "ab->ba": [m],
        "ab->b": [m],
        "a,b->ab": [i, j],
        "a,ab,b->": [i, m, j],
        "aab,bc->ac": [STACK[:, :2], A],
        "a,a,a->a": [j, j + 1, j - 1],
        ",a->a": [np.float64(1.5), j],
        "ab,c->a": [m, j],
    }
    return [
        Sample(
            "einsum",
            xs,
            {"equation": eq},
            lambda *xs, equation: np.einsum(equation, *xs),
            "complex",
            note=eq,
        )
        for eq, xs in cases.items()
    ]


def dense(name, *inputs, numpy=None, attributes=None, dtypes="float", **more):
    """A sample of linear algebra: float32 at least, and finite differences lose more digits."""
    return Sample(name, list(inputs), attributes or {}, numpy, dtypes, tolerance=1e-4, **more)


SAMPLES = [
    Sample("matrix_transpose", [STACK], {}, lambda x: np.swapaxes(x, -1, -2), "complex"),
    Sample("matmul", [WIDE, TALL], {}, product, "complex"),
    Sample("matmul", [STACK, PAIR], {}, product, "complex", note="stacks"),
    Sample("matmul", [WIDE, TALL[:, :1]], {}, product, note="one column"),
    Sample("matmul", [np.zeros((2, 0)), np.zeros((0, 3))], {}, product, note="empty"),
    Sample("broadcast_matmul", [STACK, B], {}, product, "complex", note="one right matrix"),
    Sample("broadcast_matmul", [A, PAIR], {}, product, "complex", note="one left matrix"),
    Sample("broadcast_matmul", [STACK[:, None], PAIR[:1]], {}, product, note="both broadcast"),
    Sample("broadcast_matmul", [A, PAIR[:, :, :1]], {}, product, note="columns"),
    Sample("matvec", [WIDE.T, VECTOR], {}, np.matmul, "complex"),
    Sample(
        "matvec",
        [STACK, np.stack([VECTOR, VECTOR + 1])],
        {},
        lambda x, y: np.einsum("bij,bj->bi", x, y),
        "complex",
        note="stacks",
    ),
    *einsums(),
    Sample("on_diagonal", [VECTOR], {"term": "aa"}, lambda x, term: np.diag(x), "complex"),
    Sample(
        "on_diagonal",
        [B],
        {"term": "aab"},
        lambda x, term: np.stack([np.diag(x[:, k]) for k in range(2)], -1),
    ),
    dense("inverse", A, numpy=np.linalg.inv, dtypes="complex"),
    dense("inverse", STACK, numpy=np.linalg.inv, note="stacks"),
    dense("inverse", np.array([[4.0]]), numpy=lambda x: 1 / x, note="1 x 1"),
    Sample("tridiagonal_matmul", [DIAGONALS, B], {}, tridiagonal_product, "complex"),
    Sample("tridiagonal_matmul", [np.stack([DIAGONALS] * 2), PAIR], {}, tridiagonal_product),
    Sample("tridiagonal_transpose", [DIAGONALS], {}, tridiagonal_turned, "complex"),
    Sample("outer_diagonals", [B, B[::-1]], {}, diagonals_of_product, "complex"),
    Sample("outer_diagonals", [PAIR, PAIR + 1], {}, diagonals_of_product, note="stacks"),
    dense("determinant", A, numpy=np.linalg.det, dtypes="complex"),
    dense("determinant", STACK, numpy=np.linalg.det, note="stacks"),
    dense("determinant", RANK_ONE, numpy=np.linalg.det, order=1, note="singular"),
    dense("cofactors", A, numpy=lambda x: np.linalg.det(x) * np.linalg.inv(x).T, dtypes="complex"),
    dense(
        "cofactors",
        STACK,
        note="stacks",
        numpy=lambda x: np.linalg.det(x)[:, None, None] * np.linalg.inv(x).mT,
    ),
    dense("sign_and_log_determinant", STACK, numpy=np.linalg.slogdet),
    dense("sign_and_log_determinant", -A, numpy=np.linalg.slogdet, note="negative"),
    dense("solve", A, B, numpy=np.linalg.solve, dtypes="complex"),
    dense("solve", STACK, PAIR, numpy=np.linalg.solve, note="stacks"),
    dense("triangular_solve", A, B, numpy=tri_solve, dtypes="complex"),
    dense(
        "triangular_solve", STACK, PAIR, numpy=tri_solve, attributes={"lower": False}, note="upper"
    ),
    dense("cholesky", S, numpy=np.linalg.cholesky, order=0),
    dense("cholesky", np.stack([S, 2 * S]), numpy=np.linalg.cholesky, order=0, note="stacks"),
    dense(
        "pseudo_inverse",
        TALL,
        numpy=lambda x, rcond: np.linalg.pinv(x),
        attributes={"rcond": 1e-10},
        dtypes="complex",
    ),
    dense(
        "pseudo_inverse",
        WIDE,
        numpy=lambda x, rcond: np.linalg.pinv(x),
        attributes={"rcond": 1e-10},
        note="wide",
    ),
    dense("least_squares", TALL, TALL[:, :2], numpy=lambda x, y: np.linalg.lstsq(x, y)[0], order=0),
    dense(
        "least_squares",
        WIDE,
        WIDE,
        numpy=lambda x, y: np.linalg.lstsq(x, y)[0],
        order=0,
        note="wide",
    ),
    dense("eigvalsh", S, numpy=np.linalg.eigvalsh),
    dense("eigvalsh", np.stack([S, S - A - A.T]), numpy=np.linalg.eigvalsh, note="stacks"),
    dense("eigh", S, numpy=lambda x: tuple(np.linalg.eigh(x))),
    dense("eigvals", DISTINCT, numpy=lambda x: np.linalg.eigvals(x).astype(complex)),
    dense(
        "eig", DISTINCT, numpy=lambda x: tuple(v.astype(complex) for v in np.linalg.eig(x)), order=1
    ),
    dense("singular_values", WIDE, numpy=lambda x: np.linalg.svd(x, compute_uv=False)),
    dense(
        "singular_values", STACK, numpy=lambda x: np.linalg.svd(x, compute_uv=False), note="stacks"
    ),
    dense("svd", WIDE, note="wide"),
    dense("svd", TALL, note="tall"),
    dense("svd", STACK, note="stacks"),
    dense("svd", WIDE, attributes={"full_matrices": True}, note="full", order=1),
    dense("qr", TALL, numpy=lambda x: tuple(np.linalg.qr(x)), note="tall"),
    dense("qr", WIDE, numpy=lambda x: tuple(np.linalg.qr(x)), note="wide"),
    dense("qr", STACK, numpy=lambda x: tuple(np.linalg.qr(x)), note="stacks"),
    dense("lu", STACK, order=0),
    dense("matrix_exponential", A, numpy=series, dtypes="complex"),
    dense("matrix_exponential", STACK * 3, numpy=series, note="scaled and squared", order=1),
    dense("matrix_square_root", S, numpy=root),
    dense("matrix_logarithm", S, numpy=logarithm, dtypes="complex"),
    dense("matrix_logarithm", STACK, order=1, note="stacks"),
    dense("matrix_logarithm", np.zeros((0, 0)), numpy=lambda x: x, order=0, note="empty"),
    dense("tridiagonal_solve", DIAGONALS, PAIR[0], numpy=tridiagonal_solution, dtypes="complex"),
    dense(
        "tridiagonal_solve",
        np.stack([DIAGONALS, DIAGONALS[:, ::-1]]),
        PAIR,
        numpy=tridiagonal_solution,
        note="stacks",
    ),
    dense("tridiagonal_solve", EXCHANGED, B, numpy=tridiagonal_solution, note="rows exchanged"),
    dense("tridiagonal_solve", VECTOR[:, None], B[:1], numpy=lambda x, y: y / x[1], note="1 x 1"),
    Sample("tridiagonal_matmul", [DIAGONALS, B], {}, tridiagonal_product, "complex"),
    Sample("tridiagonal_matmul", [np.stack([DIAGONALS] * 2), PAIR], {}, tridiagonal_product),
    Sample("tridiagonal_transpose", [DIAGONALS], {}, tridiagonal_turned, "complex"),
    Sample("outer_diagonals", [B, B[::-1]], {}, diagonals_of_product, "complex"),
    Sample("outer_diagonals", [PAIR, PAIR + 1], {}, diagonals_of_product, note="stacks"),
    Sample("matrix_diag_part", [WIDE], {}, diag_part, "complex"),
    Sample("matrix_diag_part", [STACK], {"k": (-1, -1)}, diag_part, note="below"),
    Sample(
        "matrix_diag_part",
        [WIDE],
        {"k": (0, 1), "padding": 7.0},
        lambda x, k, padding: np.stack([np.diagonal(x, 1), np.diagonal(x)]),
        note="band",
    ),
    Sample("matrix_diag", [B], {"k": (0, 0), "rows": 2, "columns": 3}, diag, "complex"),
    Sample("matrix_diag", [VECTOR], {"k": (-2, -2), "rows": 5, "columns": 4}, diag, note="below"),
    Sample(
        "matrix_diag",
        [np.zeros((2, 0))],
        {"k": (0, 0), "rows": 0, "columns": 0},
        diag,
        note="empty",
    ),
    Sample("matrix_set_diag", [STACK, PAIR[:, :, 0]], {}, set_diag, "complex"),
    Sample("matrix_set_diag", [WIDE, VECTOR], {}, set_diag, note="wide"),
    Sample("band_part", [STACK], {"lower": 1, "upper": 0}, band, "complex"),
    Sample("band_part", [WIDE], {"lower": -1, "upper": 1}, band),
    Sample("trace", [STACK], {}, lambda x: np.trace(x, axis1=-2, axis2=-1), "complex"),
    Sample("trace", [WIDE], {}, np.trace, note="wide"),
    Sample("cross", [A, A[::-1]], {}, np.cross, "complex"),
    Sample("cross", [VECTOR, A[0]], {}, np.cross),
    Sample("plus_adjoint", [STACK], {}, lambda x: x + np.conj(np.swapaxes(x, -1, -2)), "complex"),
    Sample("minus_adjoint", [STACK], {}, lambda x: x - np.conj(np.swapaxes(x, -1, -2)), "complex"),
    Sample(
        "half_lower", [STACK], {}, lambda x: np.tril(x, -1) + np.triu(np.tril(x)) / 2, "complex"
    ),
    dense("inverse_gaps", VECTOR, numpy=gaps),
    dense("inverse_gaps", np.array([1.0, 1.0, 2.0]), numpy=gaps, order=0, note="equal"),
]
