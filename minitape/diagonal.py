"""The stack of a jacobian's seeds in short: as two examples, one of what is on the diagonal.

The one fact to know: row k of the identity has 1 in column k and 0 in the others, and what an
elementwise op makes of such rows has two values per column again. So the op runs on two examples
instead of on all of them, and gives the same bits. A product with a matrix picks and scales its
rows. Whatever else is done to the stack needs it whole.
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
        stack = np.empty(self.shape, self.dtype)
        stack[...] = self.off
        at = self.on.ndim - self.rank
        on = self.on.reshape(prod(self.on.shape[:at]), prod(self.on.shape[at:]))
        square = stack.reshape(len(stack), *on.shape)[:, :, self.rows]
        np.einsum("kbk->bk", square)[...] = on[:, self.rows]  # its diagonal, as a view
        return stack

    def times(self, matrix: Any) -> Array | None:
        """The products of all examples with a matrix; None where 0 times it is not all 0."""
        if self.rank != 1 or self.off.any() or not np.isfinite(matrix).all():
            return None
        scales, rows = self.on[..., self.rows], np.ascontiguousarray(matrix[self.rows])
        out: Array = np.einsum("...k,kn->k...n", scales, rows, order="C")
        out += 0  # as in a sum of products there is no -0
        return out

    def alike(self, other: Diagonal) -> bool:
        """Whether both have their elements on and off the diagonal in the same places."""
        return (self.on.shape, self.rank, self.rows) == (other.on.shape, other.rank, other.rows)


def identity_seeds(
    shape: Shape, rank: int, dtype: np.dtype[Any], rows: slice | None = None
) -> Diagonal:
    """One seed for each element of the last `rank` axes of `shape`, or those in `rows`."""
    rows = rows or slice(0, prod(shape[len(shape) - rank :]))
    return Diagonal(np.ones(shape, dtype), np.zeros(shape, dtype), rank, rows)


def in_short(op: Op, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...]) -> Any:
    """What `op` makes of values some of which are a `Diagonal`; None where it needs them whole."""
    if op.product is not None:
        stack, matrix = op.product(*values)
        plain = type(stack) is Diagonal and type(matrix) is np.ndarray
        return stack.times(matrix) if plain and matrix.ndim == 2 else None
    if not op.elementwise or op.batch is not None or op.variadic:
        return None
    shorts = [each for each in values if type(each) is Diagonal]
    first = shorts[0]
    if len(shorts) < sum(stacked) or not all(map(first.alike, shorts)):
        return None
    on = op.forward(*[v.on if type(v) is Diagonal else v for v in values], *attributes)
    if on.shape != first.on.shape:
        return None
    off = op.forward(*[v.off if type(v) is Diagonal else v for v in values], *attributes)
    return Diagonal(on, off, first.rank, first.rows)
