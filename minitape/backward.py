"""The chain rule, once: every gradient, jacobian and picture comes from the loop below.

The one fact to know: a record says which rules to run and holds what they need; the sweep pops the
cotangent of the record's output, runs the rules, and adds each contribution to the cotangent of the
input it belongs to. `gradient` exhausts the generator, the viewer asks it to explain itself and
keeps the steps, static graphs feed it records in another order.

Cotangents here are plain (a rule is the derivative, no conjugates): for complex dtypes TensorFlow's
gradient is the conjugate, so whoever seeds a sweep conjugates there and at its end.
May import: ops, plan, records, tensor.
"""

from __future__ import annotations

import sys
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops.broadcasting import sum_to
from minitape.plan import STRETCHED, TAKES_TENSOR
from minitape.records import PULLS, plan_of, shape_of, tensor_at
from minitape.tensor import eager

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from minitape.interpreter import Mark
    from minitape.plan import Plan

Record = tuple[Any, ...]
Cotangents = dict[int, Any]

_ndarray, _sum_to = np.ndarray, sum_to.op.forward
_LARGE = 4096  # elements; what nobody else can see is written to from this size on
_SOLE = 2 if sys.version_info < (3, 14) else 1  # what `getrefcount(x)` says if only x refers to it


class Contribution:
    """What one rule gave to one input.

    Attributes:
        position: which argument of the op the input is.
        id: the input's id.
        value: the contribution.
        old: the input's cotangent before it, None if this is the first.
        total: the input's cotangent after it.
    """

    __slots__ = ("id", "old", "position", "total", "value")

    def __init__(self, position: int, key: int, value: Any, old: Any, total: Any) -> None:
        self.position = position
        self.id = key
        self.value = value
        self.old = old
        self.total = total


class Step:
    """One record of the sweep.

    Attributes:
        plan: the plan of the record.
        record: the record.
        cotangent: what came in; a tuple for an op with several outputs.
        contributions: what went to each followed input.
    """

    __slots__ = ("contributions", "cotangent", "plan", "record")

    def __init__(
        self, plan: Plan, record: Record, cotangent: Any, contributions: list[Contribution]
    ) -> None:
        self.plan = plan
        self.record = record
        self.cotangent = cotangent
        self.contributions = contributions


def backward(
    records: Iterable[Record],
    cotangents: Cotangents,
    wanted: set[int] | None = None,
    raw: bool = False,
    explain: bool = False,
    mark: Mark = (),
) -> Iterator[Step]:
    """Runs the rules of `records`, consumers first, and fills `cotangents` in place.

    Args:
        records: what a tape or graph recorded, latest first. They are not kept: a caller that pops
            them from its log frees what they hold as the sweep goes.
        cotangents: by tensor id; holds the seeds of the targets at the start.
        wanted: ids of outputs whose cotangents must survive their own record (intermediate
            sources).
        raw: whether rules run on NumPy arrays (nobody watches the sweep) or on tensors.
        explain: whether to yield a `Step` per record; then nothing is written in place.
        mark: of the tape that made the records, which may be following the sweep itself.

    Raises:
        LookupError: if an op on the way has no gradient registered.
    """
    get = cotangents.get
    take = _keeping(cotangents, wanted) if wanted else cotangents.pop
    large = _LARGE if raw and not explain else float("inf")
    contributions: list[Contribution] = []
    value = old = None
    for record in records:
        g = take(record[1], None)
        if g is None:
            if type(out := record[1]) is tuple:  # several outputs, which have an id each
                g = _cotangents_of_several(out, take, raw)
            if g is None:
                continue  # the targets do not depend on it
        for slot, rule, way, place in PULLS[record[0]]:
            if rule is None:  # it multiplies by the value that is kept there, or passes g on
                if not place:
                    value = g
                elif way and type(g) is _ndarray and g.size >= large:  # it is the LAST one
                    own = getrefcount(g) == _SOLE + (value is g) + (old is g)
                    value = _last_product(g, record[place], own, getrefcount(record) == _SOLE)
                else:
                    value = g * (record[place] if raw else tensor_at(record, place, mark))
            else:
                if way is None:  # it takes the value that is kept there
                    value = rule(g, record[place] if raw else tensor_at(record, place, mark))
                elif way == TAKES_TENSOR:
                    value = rule(g, record[place].value if raw else record[place])
                else:
                    value = rule(g, record, raw, mark)
                    if way == STRETCHED and value is not None:
                        add_up = _sum_to if type(value) is _ndarray else sum_to
                        value = add_up(value, shape_of(record[place]))
                if value is None:
                    continue
            key = record[slot]
            if key not in cotangents:
                old = None
                cotangents[key] = value
            else:
                old = cotangents[key]
                if (
                    type(value) is _ndarray
                    and value.size >= large
                    and type(old) is _ndarray
                    and getrefcount(get(key)) == 3  # the dict, the variable, and whoever counts
                    and old.base is None  # no view of memory that others see
                ):
                    old += value
                else:
                    cotangents[key] = old + value
            if explain:
                contributions.append(Contribution(slot - 2, key, value, old, cotangents[key]))
        if explain:
            yield Step(plan_of(record), record, g, contributions)
            contributions = []


def _keeping(cotangents: Cotangents, wanted: set[int]) -> Any:
    """How to take a cotangent out of the dict: those of `wanted` ids stay there."""
    take, get = cotangents.pop, cotangents.get
    return lambda key, default: get(key, default) if key in wanted else take(key, default)


def _cotangents_of_several(specs: tuple[Any, ...], take: Any, raw: bool) -> Any:
    """The cotangents of several outputs, zeros where nothing came in; None if none did."""
    found = [take(spec.id, None) for spec in specs]
    if all(g is None for g in found):
        return None
    zeros = [np.zeros(s.shape, s.dtype)[()] for s in specs]
    return tuple(
        (z if raw else eager(z)) if g is None else g for g, z in zip(found, zeros, strict=True)
    )


def _last_product(g: Any, kept: Any, own: bool, last: bool) -> Any:
    """`g * kept`; nobody needs g any more, so it is written to g if g is the sweep's `own`.

    Else to what is kept, if the record is the `last` that refers to it, and is used up here.
    """
    if kept.shape != g.shape or kept.dtype != g.dtype:
        return g * kept
    if own and g.base is None:
        return np.multiply(g, kept, g)
    if last and getrefcount(kept) == _SOLE + 1 and kept.base is None and kept.flags.writeable:
        return np.multiply(g, kept, kept)
    return g * kept
