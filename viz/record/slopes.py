"""A rule as the sparse matrix that it is: which elements of g each element of a result adds up.

The one fact to know: a rule is linear in g, so its columns are the rule itself, run on cotangents
that are one at a single element. The microscope can so take apart every op that is registered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.records import arguments, opened
from minitape.tensors.composite import dense

from ..trace.parts import Slopes

MOST_COLUMNS = 64  # elements of g: the rule runs once for each
MOST_ENTRIES = 1024
DRAWN = {"matmul", "convolution"}  # the picture of these finds the elements by their places


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
    plain = op.elementwise and not pull.stretched
    if plain or op.name in DRAWN or any(np.iscomplexobj(g) for g in came):
        return None
    given = arguments(pull, record, raw=True)
    try:
        with np.errstate(all="ignore"):
            if op.elementwise:
                return _stretched(pull, given, came[0], shape)
            if count > MOST_COLUMNS:
                return None
            return _columns(pull, given, came, op.several)
    except Exception:  # a rule that cannot be taken apart is still a rule
        return None


def _stretched(pull: Any, given: list[Any], g: Any, shape: tuple[int, ...]) -> Slopes | None:
    """An elementwise op whose input was repeated: each element adds up where it was repeated to."""
    if np.size(g) > MOST_ENTRIES:
        return None
    local = np.broadcast_to(pull.rule(np.ones(np.shape(g), g.dtype)[()], *given), np.shape(g))
    places = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), np.shape(g))
    return _listed(places.ravel(), np.arange(np.size(g)), local.ravel())


def _columns(pull: Any, given: list[Any], came: tuple[Any, ...], several: bool) -> Slopes | None:
    rows, columns, values = [], [], []
    start = 0
    for place, g in enumerate(came):
        for j in range(np.size(g)):
            ones = [np.zeros(np.shape(each), each.dtype) for each in came]
            ones[place].flat[j] = 1
            units = [each[()] for each in ones]
            out = np.ravel(opened(dense(pull.rule(units if several else units[0], *given))))
            found = np.flatnonzero(out)
            rows += found.tolist()
            columns += [start + j] * len(found)
            values += out[found].tolist()
            if len(rows) > MOST_ENTRIES:
                return None
        start += np.size(g)
    return _listed(rows, columns, values)


def _listed(rows: Any, columns: Any, values: Any) -> Slopes | None:
    numbers = tuple(float(f"{value:.7g}") for value in values)
    if len(numbers) > MOST_ENTRIES or not np.all(np.isfinite(numbers)):
        return None
    return Slopes(tuple(map(int, rows)), tuple(map(int, columns)), numbers)
