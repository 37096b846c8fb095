"""The stack of a jacobian's seeds in short: what stands on its diagonals, and what beside them.

Seed (i, j) of a matrix has 1 in row i and column j. Its indices i and j are *tied* to the rows and
the columns: where they agree with the place something stands of this example's own, elsewhere what
all examples have. Elementwise ops keep it so: they run on either part and give the same bits. A
product with a matrix picks one of its rows instead of adding up many, and the index that was tied
to the axis is *free* from then on. With all indices free the stack is an array; whatever else is
done to it needs it whole.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minitape.op import Op
    from minitape.tensor import Array, Shape

    Ties = tuple[int | None, ...]

_FEW = 16  # elements; along a shorter axis the product of the whole stack takes less time
_MOST = 8  # axes that are counted along; a whole stack has twice as many, and NumPy has a limit


class Diagonal:
    """A stack of examples; the elements of each are those of `off`, but on its diagonal of `on`.

    Args:
        on: what stands on the diagonals: an axis for each free index, then those of one example.
        off: what stands beside them, in the shape of one example.
        counts: how many examples there are, for each index; the stack counts the last one quickest.
        ties: for each index the axis that it is tied to, None if it is free.
    """

    __slots__ = ("counts", "off", "on", "ties")

    def __init__(self, on: Array, off: Array, counts: Shape, ties: Ties) -> None:
        self.on = on
        self.off = off
        self.counts = counts
        self.ties = ties

    @property
    def shape(self) -> Shape:
        """The shape of the whole stack."""
        return (prod(self.counts), *self.off.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the stack."""
        return self.on.dtype

    def whole(self) -> Array:
        """The stack as an array."""
        axes, indices, free = self._labels()
        stack: Array = np.empty((*self.counts, *self.off.shape), self.dtype)
        stack[...] = self.off
        np.einsum(stack, indices + axes, free + axes)[...] = self.on  # its diagonals, as a view
        return stack.reshape(self.shape)

    def times(self, matrix: Any) -> Diagonal | Array | None:
        """The products of all examples with a matrix, example @ matrix; None if it has no way."""
        last = self.off.ndim - 1
        if not self._may_pick(last, matrix):
            return None
        if last in self.ties:
            return self._picked(last, np.ascontiguousarray(matrix))
        return self._like(self.on @ matrix, self.ties)

    def under(self, matrix: Any) -> Diagonal | Array | None:
        """The products of a matrix with all examples, matrix @ example; None if it has no way."""
        if self.off.ndim != 2 or not self._may_pick(0, matrix):
            return None
        if 0 in self.ties:
            return self._picked(0, matrix.T)
        return self._like(matrix @ self.on, self.ties)

    def _may_pick(self, axis: int, matrix: Any) -> bool:
        """Whether what stands beside the diagonal adds nothing to the product over an axis.

        And whether it is worth while: the product of the whole stack is quicker where a short axis
        is the only one with a diagonal.
        """
        if type(matrix) is not np.ndarray or matrix.ndim != 2:
            return False
        if self.off.shape[axis] < _FEW and all(tie in (None, axis) for tie in self.ties):
            return False
        return not self.off.any() and bool(np.isfinite(matrix).all())

    def _picked(self, axis: int, rows: Array) -> Diagonal | Array:
        """The product over a tied axis: every example scales the one of `rows` that it picks."""
        axes, indices, free = self._labels()
        new = len(axes) + len(indices)
        ties = tuple([None if tie == axis else tie for tie in self.ties])
        freed = [label for label, tie in zip(indices, ties, strict=True) if tie is None]
        example = [*axes[:axis], new, *axes[axis + 1 :]]
        on = np.einsum(self.on, free + axes, rows, [axis, new], freed + example, order="C")
        return self._like(on, ties)

    def _like(self, on: Array, ties: Ties) -> Diagonal | Array:
        """The stack of the same examples with other elements, and with 0 beside its diagonal."""
        example = on.shape[ties.count(None) :]
        if all(tie is None for tie in ties):
            return on.reshape(prod(self.counts), *example)
        return Diagonal(on, np.zeros(example, on.dtype), self.counts, ties)

    def _labels(self) -> tuple[list[int], list[int], list[int]]:
        """Labels for `einsum`: of an example's axes, of all indices, of the free ones."""
        rank = self.off.ndim
        indices = [rank + p if tie is None else tie for p, tie in enumerate(self.ties)]
        return [*range(rank)], indices, [label for label in indices if label >= rank]


def identity_seeds(shape: Shape, rank: int, dtype: np.dtype[Any]) -> Diagonal | Array:
    """One seed for each element of the last `rank` axes of `shape`, in short if there is a way."""
    if not 0 < rank <= _MOST:
        return whole_seeds(shape, rank, dtype)
    counted = range(len(shape) - rank, len(shape))
    counts = tuple(shape[axis] for axis in counted)
    return Diagonal(np.ones(shape, dtype), np.zeros(shape, dtype), counts, tuple(counted))


def whole_seeds(shape: Shape, rank: int, dtype: np.dtype[Any], rows: slice = slice(None)) -> Array:
    """The stack of these seeds as an array, or some `rows` of it."""
    count = prod(shape[len(shape) - rank :])
    places = range(count)[rows]
    stack = np.zeros((len(places), prod(shape) // max(count, 1), count), dtype)
    stack[range(len(places)), :, places] = 1
    return stack.reshape(len(places), *shape)


def in_short(op: Op, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...]) -> Any:
    """What `op` makes of values some of which are a `Diagonal`; None where it needs them whole."""
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
    if any(each.ties != first.ties for each in shorts):
        return None
    off = op.forward(*[v.off if type(v) is Diagonal else v for v in values], *attributes)
    if off.shape != first.off.shape:
        return None
    on = op.forward(*[v.on if type(v) is Diagonal else v for v in values], *attributes)
    return Diagonal(on, off, first.counts, first.ties)
