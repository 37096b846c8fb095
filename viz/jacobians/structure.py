"""A jacobian's numbers and its structure: which zeros no change of values could ever fill.

The structure is the engine's own answer. Its sweep runs once more with NaN in place of the ones of
the identity; NaN times zero is NaN, so it arrives wherever a path leads, and a zero that stays zero
has no path (a closed relu has one: its zero holds at this point only).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minitape.backward import backward
from minitape.batches.batching import Batch, unbox
from minitape.batches.diagonal import whole_seeds
from minitape.interpreter import identity
from minitape.leaving import only
from minitape.safety.silence import Silence
from minitape.tensor import eager
from minitape.tensors.composite import dense

from ..base.numbers import short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from minitape.request import Request

Numbers = npt.NDArray[Any]
Truths = npt.NDArray[np.bool_]

MAX_ENTRIES = 4_000_000
TINY = 1e-12  # of the largest entry; less is what rounding leaves


@dataclass(frozen=True, slots=True)
class Structure:
    """What there is to say about the entries of a matrix.

    Attributes:
        matrix: the numbers, [rows, columns].
        reached: where a path leads from the column's element to the row's.

    Example:
        >>> s = Structure(np.diag([2.0, 0.0, 4.0]), np.eye(3, dtype=bool))
        >>> s.structural_zeros, s.zeros_here, s.nonzeros, s.pattern
        (6, 1, 2, 'diagonal')
    """

    matrix: Numbers
    reached: Truths

    @property
    def structural_zeros(self) -> int:
        """How many entries have no path: zero for all values."""
        return int((~self.reached).sum())

    @property
    def zeros_here(self) -> int:
        """How many entries have a path and are exactly zero at this point."""
        return int((self.reached & (self.matrix == 0)).sum())

    @property
    def tiny(self) -> int:
        """How many entries are not zero but so small that they may be rounding."""
        size = np.abs(self.matrix)
        finite = size[np.isfinite(size)]
        largest = float(finite.max()) if finite.size else 0.0
        return int(((size > 0) & (size < TINY * largest)).sum())

    @property
    def nonzeros(self) -> int:
        """How many entries are not exactly zero."""
        return int((self.matrix != 0).sum())

    @property
    def pattern(self) -> str:
        """The shape of what is reached: diagonal, lower triangular, banded, dense, ..."""
        rows, columns = np.nonzero(self.reached)
        height, width = self.reached.shape
        if self.reached.size == 0:
            return "empty"
        if rows.size == 0:
            return "zero"
        if rows.size == self.reached.size:
            return "dense"
        below, above = int((rows - columns).max()), int((columns - rows).max())
        if height == width:
            if below <= 0 and above <= 0:
                return "diagonal"
            if above <= 0 and below > 1:
                return "lower triangular"
            if below <= 0 and above > 1:
                return "upper triangular"
        if max(below, 0) + max(above, 0) + 1 <= max(min(height, width) // 2, 2):
            return f"banded ({max(below, 0)} below and {max(above, 0)} above the diagonal)"
        each = (self.reached.sum(0) == 1).all() and (self.reached.sum(1) == 1).all()
        return "a permutation" if each else "sparse"

    def words(self, pattern: str = "") -> str:
        """The counts in one sentence; `pattern` is used where it is known better."""
        size = self.matrix.size
        if size == 0:
            return "The jacobian is empty: the target or the source has no elements."
        parts = [f"{_count(self.structural_zeros, size)} structural zeros (no path leads there)"]
        if self.zeros_here:
            parts.append(f"{_count(self.zeros_here, size)} zeros at this point")
        if self.tiny:
            parts.append(f"{_count(self.tiny, size)} tiny numbers, perhaps rounding")
        lost = int((~np.isfinite(self.matrix)).sum())
        if lost:
            parts.append(f"{_count(lost, size)} entries that are not finite")
        height, width = self.matrix.shape
        return f"{height} × {width}, {pattern or self.pattern}: {', '.join(parts)}."


def _count(count: int, size: int) -> str:
    return f"{count:,} of {size:,} ({short(100 * count / size)} %)"


def structure(request: Request, records: Sequence[Any], leaves: Mapping[int, Any]) -> Structure:
    """The jacobian of a request with one target and one source, as a matrix, with its paths."""
    (target,), (source,) = request.targets, request.sources
    height, width = (prod(end.spec.shape) for end in (target, source))
    dtype = target.spec.dtype
    shape = tuple(target.spec.shape)
    seeds = whole_seeds(shape, len(shape), dtype)
    if dtype.kind not in "fc" or not height or not width:
        return Structure(np.zeros((height, width)), np.zeros((height, width), bool))
    marked = np.where(seeds != 0, np.nan, seeds).astype(dtype)
    matrix, paths = (_swept(request, records, leaves, each) for each in (seeds, marked))
    if matrix is None or paths is None:
        return Structure(np.zeros((height, width)), np.zeros((height, width), bool))
    matrix, paths = matrix.reshape(height, width), paths.reshape(height, width)
    matrix = np.conj(matrix) if matrix.dtype.kind == "c" else matrix
    return Structure(matrix, np.isnan(paths) | (matrix != 0))


def _swept(request: Request, records: Sequence[Any], leaves: Mapping[int, Any], seeds: Any) -> Any:
    """One sweep of the engine over stacked seeds; None where no path leads to the source."""
    (target,), (source,) = request.targets, request.source_ids
    with only(()), Silence(), Batch(len(seeds), in_sweep=True) as batch:
        raw = batch.raw and request.plain
        cotangents = {identity(target): batch.box(seeds if batch.raw else eager(seeds))}
        chosen, wanted = request.path(reversed(records), list(records), leaves)
        for _ in backward(chosen, cotangents, wanted, raw):
            pass
        g = cotangents.get(source)
        g = None if g is None else dense(g)
    return None if g is None else np.asarray(unbox(g, batch).value)
