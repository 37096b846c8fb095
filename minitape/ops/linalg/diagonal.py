"""Diagonals and bands of matrices: diag, diag_part, set_diag, band_part, trace, tensor_diag.

A band of diagonals `k = (lowest, highest)` is packed with one row per diagonal, the highest first;
`band` says where each packed element stands in the matrix, and every op here is one indexing with
it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import not_fitting
from minitape.op import primitive
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.elementwise.comparison import masked
from minitape.ops.linalg.common import leading

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor

Diagonals = tuple[int, int]


class Band(NamedTuple):
    """Where the elements of a band stand: in the matrix (row, column) and packed (line, place)."""

    row: Any
    column: Any
    line: Any
    place: Any
    lines: int
    length: int


@lru_cache(maxsize=256)
def band(rows: int, columns: int, k: Diagonals, align: str) -> Band:
    """The diagonals `k` of a matrix of the given size.

    Raises:
        InvalidArgumentError: if the matrix has no such diagonals.
    """
    low, high = k
    lengths = {d: min(rows + min(d, 0), columns - max(d, 0)) for d in range(low, high + 1)}
    if low > high or (min(lengths.values()) <= 0 and rows * columns):
        raise InvalidArgumentError(
            teach(
                f"k={k if low != high else low} names diagonals that a {rows} x {columns} "
                "matrix does not have.",
                "Diagonal 0 is the main one, positive ones lie above it, negative ones below.",
                f"Use k from {1 - rows} to {columns - 1}, the lower one first.",
            )
        )
    longest = max(*lengths.values(), 0) if low != high else max(lengths[low], 0)
    if align not in [f"{a}_{b}" for a in ("LEFT", "RIGHT") for b in ("LEFT", "RIGHT")]:
        raise not_fitting("diagonals", "align", align, "such as 'RIGHT_LEFT'", "align='RIGHT_LEFT'")
    upper_right, lower_right = align.split("_")[0] == "RIGHT", align.split("_")[1] == "RIGHT"
    parts = []
    for d, n in lengths.items():
        right = (upper_right and d >= 0) or (lower_right and d <= 0)
        steps, gap = np.arange(max(n, 0)), longest - n if right else 0
        parts.append((steps + max(-d, 0), steps + max(d, 0), steps * 0 + high - d, steps + gap))
    row, column, line, place = map(np.concatenate, zip(*parts, strict=True))
    return Band(row, column, line, place, len(lengths), longest)


@primitive(type_name="MatrixDiagPartV3", latex=r"\mathrm{{diag}}\left({x}\right)")
def matrix_diag_part(
    x: Array, k: Diagonals = (0, 0), padding: float = 0, align: str = "RIGHT_LEFT"
) -> Array:
    """The diagonals `k` of matrices, packed; see `tf.linalg.diag_part`."""
    if k == (0, 0):
        return np.diagonal(x, axis1=-2, axis2=-1)
    place = band(*x.shape[-2:], k, align)
    out = np.full((*x.shape[:-2], place.lines, place.length), padding, x.dtype)
    out[..., place.line, place.place] = x[..., place.row, place.column]
    return out[..., 0, :] if k[0] == k[1] else out


matrix_diag_part.says(moves="part")


@matrix_diag_part.vjp("x")
def _(g: Tensor, x: Spec, k: Diagonals, align: str) -> Tensor:
    rows, columns = x.shape[-2:]
    return matrix_diag(g, k, rows, columns, 0, align)


matrix_diag_part.batch(leading(matrix_diag_part))


@primitive(type_name="MatrixDiagV3", node_name="diag", latex=r"\mathrm{{diag}}\left({x}\right)")
def matrix_diag(
    x: Array,
    k: Diagonals,
    rows: int,
    columns: int,
    padding: float = 0,
    align: str = "RIGHT_LEFT",
) -> Array:
    """Matrices with the diagonals `k`, given packed, and `padding` elsewhere."""
    if k[0] == k[1] and not x.shape[-1]:  # an empty diagonal, which no matrix needs to have
        return np.full((*x.shape[:-1], rows, columns), padding, x.dtype)
    place = band(rows, columns, k, align)
    packed = x[..., None, :] if k[0] == k[1] else x
    out = np.full((*packed.shape[:-2], rows, columns), padding, x.dtype)
    out[..., place.row, place.column] = packed[..., place.line, place.place]
    return out


matrix_diag.says(moves="pads")


@matrix_diag.vjp("x")
def _(g: Tensor, x: Spec, k: Diagonals, align: str) -> Tensor:
    if k[0] == k[1] and not x.shape[-1]:
        return matrix_diag_part(g)[..., :0]
    return matrix_diag_part(g, k, 0, align)


matrix_diag.batch(leading(matrix_diag))


@primitive(type_name="MatrixSetDiagV3", latex=r"\mathrm{{setdiag}}\left({x}, {y}\right)")
def matrix_set_diag(x: Array, y: Array, k: Diagonals = (0, 0), align: str = "RIGHT_LEFT") -> Array:
    """`x` with `y` on its diagonals `k`; see `tf.linalg.set_diag`."""
    place = band(*x.shape[-2:], k, align)
    packed = y[..., None, :] if k[0] == k[1] else y
    out = x.copy()
    out[..., place.row, place.column] = packed[..., place.line, place.place]
    return out


@matrix_set_diag.vjp("x")
def _(g: Tensor, x: Spec, k: Diagonals) -> Tensor:
    rows, columns = x.shape[-2:]
    offset = np.arange(columns) - np.arange(rows)[:, None]
    return masked(g, (offset < k[0]) | (offset > k[1]))


@matrix_set_diag.vjp("y")
def _(g: Tensor, k: Diagonals, align: str) -> Tensor:
    return matrix_diag_part(g, k, 0, align)


matrix_set_diag.batch(leading(matrix_set_diag))


@primitive(type_name="MatrixBandPart", latex=r"\mathrm{{band}}\left({x}\right)")
def band_part(x: Array, lower: int, upper: int) -> Array:
    """`x` with zeros beyond `lower` diagonals below and `upper` above; -1 keeps all."""
    rows, columns = x.shape[-2:]
    offset = np.arange(columns) - np.arange(rows)[:, None]
    inside = ((lower < 0) | (offset >= -lower)) & ((upper < 0) | (offset <= upper))
    return np.where(inside, x, x.dtype.type(0))


@band_part.vjp("x")
def _(g: Tensor, lower: int, upper: int) -> Tensor:
    return band_part(g, lower, upper)


band_part.batch(leading(band_part))


@primitive(latex=r"\mathrm{{tr}}\left({x}\right)")
def trace(x: Array) -> Array:
    """The sum of the main diagonal of each matrix."""
    return np.trace(x, axis1=-2, axis2=-1, dtype=x.dtype)


@trace.vjp("x")
def _(g: Tensor, x: Spec) -> Tensor:
    *batch, rows, columns = x.shape
    diagonal = broadcast_to(reshape(g, (*batch, 1)), (*batch, min(rows, columns)))
    return matrix_diag(diagonal, (0, 0), rows, columns)


trace.batch(leading(trace))


@primitive(type_name="Cross", latex=r"{x:2} \times {y:2}")
def cross(x: Array, y: Array) -> Array:
    """The vector product of vectors of three elements along the last axis."""
    return np.cross(x, y)


@cross.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return cross(y, g)


@cross.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return cross(g, x)


cross.batch(leading(cross))
