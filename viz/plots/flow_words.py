"""What lengths of gradients over training say: missing, vanishing, exploding, fading.

Only ratios count, between layers and between beginning and end; a factor of a thousand is much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitape.safety.silence import Silence
from minitape.tensors.composite import dense

from ..base.numbers import short
from ..picture.canvas import short_label

RATIO = 1e3

Names = Sequence[str]
Norms = Sequence[Sequence[float | None]]


def verdicts(names: Names, norms: Norms) -> list[str]:
    """A sentence for everything that is wrong, from the first layer to the last.

    Example:
        >>> verdicts(["w"], [[1.0], [None], [2.0]]), verdicts(["w"], [[0.0]])
        ([], ['The gradient of `w` is always zero: it does not learn.'])
    """
    return [
        *_missing(names, norms),
        *_stopped(names, norms),
        *_across(names, norms),
        *_along(names, norms),
    ]


def as_table(norms: Norms) -> Any:
    """The lengths as an array [steps, variables], NaN for None."""
    return np.array([[np.nan if v is None else v for v in row] for row in norms], float)


def is_finite(value: float | None) -> bool:
    """Whether a length is finite; None is no number that could be otherwise."""
    return value is None or math.isfinite(value)


def length(g: Any) -> float | None:
    """The length of a gradient (the root of the sum of squares), None for None."""
    if g is None:
        return None
    g = dense(g)
    array = np.asarray(g.numpy() if hasattr(g, "numpy") else g)
    with Silence():
        size = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
        largest = float(size.max()) if size.size else 0.0
        if not 0 < largest < math.inf:
            return largest
        # Divided first: the squares of 1e200 overflow.
        return largest * float(np.sqrt(((size / largest) ** 2).sum()))


def _missing(names: Names, norms: Norms) -> list[str]:
    """Gradients that are None, or not finite."""
    found = []
    table = as_table(norms)
    for j, name in enumerate(names):
        name = short_label(name, 40)
        if all(row[j] is None for row in norms):
            found.append(
                f"`{name}` never gets a gradient (None): the loss does not depend on it. "
                "viz.explain says why."
            )
        broken = [i for i, row in enumerate(norms) if not is_finite(row[j])]
        if broken:
            count = f"{len(broken)} of {len(norms)} steps"
            found.append(
                f"The gradient of `{name}` is not finite at {count}, first at step {broken[0]}."
            )
        elif (table[:, j] == 0).all():
            found.append(f"The gradient of `{name}` is always zero: it does not learn.")
    return found


def _stopped(names: Names, norms: Norms) -> list[str]:
    """Gradients that were there and are exactly zero to the end.

    Rows of a table that a batch leaves out are zero now and then: only an end longer than every
    earlier pause counts.
    """
    found = []
    for name, lengths in zip(names, as_table(norms).T, strict=True):
        there = np.flatnonzero(lengths != 0)
        if not there.size:
            continue
        last = int(there[-1])
        pause = max(int(np.diff(there, prepend=-1).max()) - 1, 1)
        zeros = len(lengths) - 1 - last
        if zeros > pause:
            found.append(
                f"The gradient of `{short_label(name, 40)}` is exactly zero from step {last + 1} "
                f"to the end (it was {short(lengths[last])} before): it no longer learns. Look at "
                "the loss: if it is not at its best, units died or saturated, often after too "
                "large a step."
            )
    return found


def _across(names: Names, norms: Norms) -> list[str]:
    """The first layers against the last ones, at the typical step."""
    table = as_table(norms)
    with Silence():
        logs = np.where((table > 0) & np.isfinite(table), np.log10(table), np.nan)
    known = [j for j in range(len(names)) if np.isfinite(logs[:, j]).any()]
    if len(known) < 2:
        return []
    typical = {j: float(np.nanmedian(logs[:, j])) for j in known}
    small, large = min(known, key=typical.__getitem__), max(known, key=typical.__getitem__)
    ratio = 10 ** (typical[large] - typical[small])
    if ratio < RATIO:
        return []
    low, high = (short_label(names[j], 40) for j in (small, large))
    which = "Vanishing" if small < large else "Exploding"
    towards = "the first layers hardly learn" if small < large else "the first layers leap"
    return [
        f"{which} towards the first layers: the gradient of `{low}` is about {short(ratio)} "
        f"times smaller than that of `{high}`, so {towards}."
    ]


def _along(names: Names, norms: Norms) -> list[str]:
    """The end of the training against its beginning."""
    table = as_table(norms)
    with Silence():
        total = np.sqrt(np.nansum(table**2, axis=1))
    whole = np.array([all(map(is_finite, row)) for row in norms])
    good = np.flatnonzero(whole & (total > 0))
    if good.size < 2:
        return []
    first, last = float(total[good[0]]), float(total[good[-1]])
    peak = int(good[np.argmax(total[good])])
    if whole.all() and total[-1] == 0 and total[peak] > RATIO * first:
        return [
            f"Exploding, then dead: all gradients together grow from {short(first)} at step "
            f"{good[0]} to {short(total[peak])} at step {peak}, and are zero at the end. A smaller "
            "learning rate, or tf.clip_by_global_norm, keeps them in bounds."
        ]
    if last > RATIO * first:
        return [
            f"Exploding over time: all gradients together grow from {short(first)} at step "
            f"{good[0]} to {short(last)} at step {good[-1]}. A smaller learning rate, or "
            "tf.clip_by_global_norm, keeps them in bounds."
        ]
    if last * RATIO < first:
        return [
            f"Fading over time: all gradients together shrink from {short(first)} to "
            f"{short(last)}: the training has arrived, or something saturates."
        ]
    return []
