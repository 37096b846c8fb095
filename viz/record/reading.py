"""What the viewer reads in a record of the engine: ids, what is kept, attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.interpreter import identity
from minitape.plan import TENSOR
from minitape.record import INPUTS, RESULT, output_ids, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.record import Record


def input_ids(record: Record) -> tuple[int, ...]:
    """The id of each input of a record; 0 for what the tape neither follows nor keeps."""
    return tuple(key for key, _, _ in kept_of(record))[: len(plan_of(record).keep)]


def attributes(record: Record) -> tuple[Any, ...]:
    """The attributes of the op of a record."""
    plan = plan_of(record)
    return tuple(record[INPUTS + 2 * len(plan.keep) + 1 :]) if plan.op.attributes else ()


def kept_of(record: Record) -> Iterator[tuple[int, int, Any]]:
    """For each input, and then each result, its id, what is kept of it (`VALUE`, ...), and that."""
    plan, entries = plan_of(record), record[INPUTS:]
    count = len(plan.keep)
    keys, values = entries[:count], entries[count : 2 * count] or (None,) * count
    for key, keep, each in zip(keys, plan.keep, values, strict=True):
        yield identity(each) if keep == TENSOR else key or 0, keep, each
    outputs = output_ids(record)
    out = entries[2 * count] if plan.keep_out else None
    several: Any = out if plan.op.several and plan.keep_out else [out] * len(outputs)
    for key, each in zip(outputs, several, strict=True):
        yield key, plan.keep_out, each


def kept_parts(record: Record) -> Iterator[Any]:
    """All that a record holds, several results one by one."""
    for each in record[RESULT:]:
        yield from each if type(each) is tuple else (each,)
