"""The stack of a jacobian's seeds in short: as two examples, one of what is on the diagonal.

The one fact to know: row k of the identity has 1 in column k and 0 in the others, and what an
elementwise op makes of such rows has two values per column again. So the op runs on two examples
instead of on all of them, and gives the same bits. A product with a matrix picks and scales rows
or columns of it. Whatever else is done to the stack needs it whole.
May import: op, tensor.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minitape.op import Op
    from minitape.tensor import Array, Shape


class Diagonal:
    """A stack of examples; example k has the elements of `off`, but element k of `on`.

    Args:
        on: what stands on the diagonal, in the shape of one example.
        off: what stands beside it, in that shape.
        rank: how many axes the elements are counted along, the last ones; for each index of the
            axes before, they are counted anew.
        rows: which examples are in the stack.
    """

    __slots__ = ("off", "on", "rank", "rows")

    def __init__(self, on: Array, off: Array, rank: int, rows: slice) -> None:
        self.on = on
        self.off = off
        self.rank = rank
        self.rows = rows

    @property
    def shape(self) -> Shape:
        """The shape of the whole stack."""
        return (self.rows.stop - self.rows.start, *self.on.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the stack."""
        return self.on.dtype

    def whole(self) -> Array:
        """The stack as an array."""
        rows, shape = self.rows, self.on.shape
        stack: Array = self.off[None].repeat(rows.stop - rows.start, 0)
        at = len(shape) - self.rank
        on = self.on.reshape(prod(shape[:at]), prod(shape[at:]))
        square = stack.reshape(len(stack), *on.shape)[:, :, rows]
        np.einsum("kbk->bk", square)[...] = on[:, rows]  # its diagonal, as a view
        return stack

    def times(self, matrix: Any) -> Array | None:
        """The products of all examples with a matrix, example @ matrix; None if it has no way."""
        if not self._is_alone_in_products_with(matrix):
            return None
        on = self.on
        if self.rank == 1:
            scales, factors = on[..., self.rows], np.ascontiguousarray(matrix[self.rows])
            out: Array = np.einsum("...k,kn->k...n", scales, factors, order="C")
            return out
        if not self._counts_a_matrix():
            return None
        rows, columns = on.shape
        out = np.zeros((rows, columns, rows, matrix.shape[1]), on.dtype)
        # The 0 is that of a sum of products, in which there is no -0.
        np.einsum("ijin->ijn", out)[...] = on[..., None] * matrix + 0
        return out.reshape(rows * columns, rows, matrix.shape[1])

    def under(self, matrix: Any) -> Array | None:
        """The products of a matrix with all examples, matrix @ example; None if it has no way."""
        if not self._is_alone_in_products_with(matrix) or not self._counts_a_matrix():
            return None
        rows, columns = self.on.shape
        out = np.zeros((rows, columns, len(matrix), columns), self.on.dtype)
        np.einsum("ijmj->ijm", out)[...] = self.on[..., None] * matrix.T[:, None] + 0
        return out.reshape(rows * columns, len(matrix), columns)

    def _is_alone_in_products_with(self, matrix: Any) -> bool:
        """Whether what stands beside the diagonal adds nothing to a product with the matrix."""
        plain = type(matrix) is np.ndarray and matrix.ndim == 2
        return plain and not self.off.any() and bool(np.isfinite(matrix).all())

    def _counts_a_matrix(self) -> bool:
        """Whether there is an example for each element of a matrix."""
        return self.rank == self.on.ndim == 2 and self.shape[0] == self.on.size


def identity_seeds(
    shape: Shape, rank: int, dtype: np.dtype[Any], rows: slice | None = None
) -> Diagonal:
    """One seed for each element of the last `rank` axes of `shape`, or those in `rows`."""
    rows = rows or slice(0, prod(shape[len(shape) - rank :]))
    return Diagonal(np.ones(shape, dtype), np.zeros(shape, dtype), rank, rows)


def in_short(op: Op, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...]) -> Any:
    """What `op` makes of values some of which are a `Diagonal`; None where it needs them whole.

    All of them come from the same seeds and have their elements in the same places.
    """
    shorts = [each for each in values if type(each) is Diagonal]
    if len(shorts) < sum(stacked):
        return None
    if op.product is not None:
        found = op.product(*values)
        if found is None:
            return None
        left, right = found
        return left.times(right) if type(left) is Diagonal else right.under(left)
    first = shorts[0]
    if not op.elementwise or op.batch or op.variadic:
        return None
    on = op.forward(*[v.on if type(v) is Diagonal else v for v in values], *attributes)
    if on.shape != first.on.shape:
        return None
    off = op.forward(*[v.off if type(v) is Diagonal else v for v in values], *attributes)
    return Diagonal(on, off, first.rank, first.rows)
