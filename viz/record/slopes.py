"""A rule as the sparse matrix that it is: which elements of g each element of a result adds up.

A rule is linear in g, so its columns are the rule itself, run on cotangents that are one at a
single element. The microscope can so take apart every op that is registered. A learner's own rule
need not be (it may clip g); such a matrix would be false, and there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops.broadcasting import sum_to
from minitape.ops.linalg.matrix import broadcast_matmul, matmul
from minitape.ops.neural.convolution import convolution
from minitape.record import arguments, opened
from minitape.safety.silence import Silence
from minitape.tensors.composite import dense

from ..trace.parts import Slopes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_COLUMNS = 64  # elements of g: the rule runs once for each
MOST_ENTRIES = 1024
# The picture of these finds the elements by their places.
DRAWN = {each.op for each in (matmul, broadcast_matmul, convolution)}


def slopes(
    record: Any, pull: Any, op: Any, came: tuple[Any, ...], contribution: Any
) -> Slopes | None:
    """The matrix of one rule at its operands, where it is small; None for what has its own picture.

    Args:
        record: the record of the op.
        pull: the rule.
        op: the op.
        came: what came in at each output.
        contribution: what the rule gave.
    """
    came = tuple(opened(dense(g)) for g in came)
    shape = np.shape(opened(dense(contribution)))
    count = sum(np.size(g) for g in came)
    twofold = any(np.iscomplexobj(each) for each in (*came, opened(dense(contribution))))
    plain = op.elementwise and not pull.stretched
    if op in DRAWN or (plain and not twofold):
        return None
    given = arguments(pull, record, raw=True)
    try:
        with Silence():
            if op.elementwise and not twofold:
                return _stretched(pull, given, came[0], shape)
            if count > MOST_COLUMNS:
                return None
            run = _runner(pull, given, came, op.several, shape)
            found = _which(run, came) if twofold else _columns(run, came)
            return found if twofold or _gives(found, came, contribution) else None
    except Exception:  # a rule that cannot be taken apart is still a rule
        return None


def _stretched(pull: Any, given: list[Any], g: Any, shape: tuple[int, ...]) -> Slopes | None:
    """An elementwise op whose input was repeated: each element adds up where it was repeated to."""
    if np.size(g) > MOST_ENTRIES:
        return None
    local = np.broadcast_to(pull.rule(np.ones(np.shape(g), g.dtype)[()], *given), np.shape(g))
    places = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), np.shape(g))
    return _listed(places.ravel(), np.arange(np.size(g)), local.ravel())


def _runner(
    pull: Any, given: list[Any], came: tuple[Any, ...], several: bool, shape: tuple[int, ...]
) -> Callable[[int, int, complex], Any]:
    """The rule as a function of one element: of which cotangent, where, and what stands there."""

    def run(which: int, place: int, unit: complex) -> Any:
        units = [np.zeros(np.shape(each), each.dtype) for each in came]
        units[which].flat[place] = unit
        given_units = [each[()] for each in units]
        out = opened(dense(pull.rule(given_units if several else given_units[0], *given)))
        return np.ravel(sum_to(out, shape) if pull.stretched else out)

    return run


def _columns(run: Callable[[int, int, complex], Any], came: tuple[Any, ...]) -> Slopes | None:
    rows, columns, values = [], [], []
    for column, (which, place) in enumerate(_places(came)):
        out = run(which, place, 1)
        found = np.flatnonzero(out)
        rows += found.tolist()
        columns += [column] * len(found)
        values += out[found].tolist()
        if len(rows) > MOST_ENTRIES:
            return None
    return _listed(rows, columns, values)


def _gives(found: Slopes | None, came: tuple[Any, ...], contribution: Any) -> bool:
    """Whether the matrix times g is what the rule gave, but for rounding."""
    if found is None:
        return False
    given = np.ravel(opened(dense(contribution)))
    terms = np.array(found.values) * np.concatenate([np.ravel(g) for g in came])[[*found.columns]]
    rows = np.array(found.rows, int)
    total, size = (np.bincount(rows, each, given.size) for each in (terms, np.abs(terms)))
    near = max(1e-6, 100 * float(np.finfo(given.dtype).eps))  # slopes have seven digits
    return not np.all(np.isfinite(given)) or bool(np.all(np.abs(total - given) <= near * size))


def _which(run: Callable[[int, int, complex], Any], came: tuple[Any, ...]) -> Slopes:
    """Which elements count, where a slope is complex: no one number says how much."""
    rows, columns = [], []
    for column, (which, place) in enumerate(_places(came)):
        units = (1, 1j) if np.iscomplexobj(came[which]) else (1,)
        out = sum(abs(run(which, place, unit)) for unit in units)
        found = np.flatnonzero(out)
        rows += found.tolist()
        columns += [column] * len(found)
    return Slopes(tuple(map(int, rows)), tuple(columns), ())


def _places(came: tuple[Any, ...]) -> Iterator[tuple[int, int]]:
    for which, g in enumerate(came):
        for place in range(np.size(g)):
            yield which, place


def _listed(rows: Any, columns: Any, values: Any) -> Slopes | None:
    numbers = tuple(float(f"{value:.7g}") for value in values)
    if len(numbers) > MOST_ENTRIES or not np.all(np.isfinite(numbers)):
        return None
    return Slopes(tuple(map(int, rows)), tuple(map(int, columns)), numbers)
