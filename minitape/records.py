"""Records: what a tape keeps of an op, and how to read it.

A record is a plain tuple of ids and of what rules need:

    number of its plan, id of the result, id of each input, kept of each input, kept of the result,
    *attributes

The one fact to know: a value is kept as an array where its tensor is the tape's alone, else as that
tensor: nobody follows it yet, or others do too. So most records hold nothing that Python's garbage
collector has to visit; the plan itself in place of its number would be. Several results have specs
in place of an id. Where nothing is kept a record ends early.
May import: interpreter, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.interpreter import active, identity
from minitape.tensor import Tensor, eager

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.interpreter import Mark
    from minitape.plan import Plan, Pull

# What a record keeps of an input or result.
NOTHING, SHAPE, SPEC, VALUE, TENSOR = range(5)

PLANS: list[Plan] = []  # by number
PULLS: list[list[Any]] = []  # what the sweep runs of each plan, as plain tuples


def plan_of(record: Any) -> Plan:
    """What the record of an op keeps, and the rules to run."""
    plan: Plan = PLANS[record[0]]
    return plan


def arguments(finds: list[Any], record: Any, raw: bool, mark: Mark) -> list[Any]:
    """The arguments of a rule beyond g, from a record; `raw` gives arrays for tensors."""
    found: list[Any] = []
    for kind, place in finds:
        if kind == "index":
            found.append(place)
        elif kind == "given":
            found.append(record[place])
        elif raw and kind != "shape":
            kept = record[place]
            found.append(list(map(opened, kept)) if isinstance(place, slice) else opened(kept))
        elif kind == "value":
            found.append(tensor_at(record, place, mark))
        elif kind == "values":
            found.append(tensors_at(record, place, mark))
        elif kind == "spec":
            found.append(spec_of(record[place]))
        elif kind == "shape":
            found.append(shape_of(record[place]))
        else:
            found.append([spec_of(kept) for kept in record[place]])
    return found


def attributes(record: Any) -> tuple[Any, ...]:
    """The attributes of the op of a record."""
    plan = plan_of(record)
    return tuple(record[3 + 2 * len(plan.keep) :]) if plan.op.attributes else ()


def input_id(record: Any, pull: Pull) -> int:
    """The id of the input that a pull of a record is for."""
    return int(record[2 + pull.position])


def output_ids(record: Any) -> tuple[int, ...]:
    """The ids of a record's results."""
    out = record[1]
    return (out,) if type(out) is int else tuple(spec.id for spec in out)


def input_ids(record: Any) -> tuple[int, ...]:
    """The id of each input of a record; 0 for what the tape neither follows nor keeps."""
    return tuple(key for key, _, _ in kept_of(record))[: len(plan_of(record).keep)]


def kept_of(record: Any) -> Iterator[tuple[int, int, Any]]:
    """For each input, and then each result, its id, what is kept of it (`VALUE`, ...), and that."""
    plan, entries = plan_of(record), record[2:]
    count = len(plan.keep)
    keys, kept = entries[:count], entries[count : 2 * count] or (None,) * count
    for key, keep, each in zip(keys, plan.keep, kept, strict=True):
        yield identity(each) if keep == TENSOR else key or 0, keep, each
    outputs = output_ids(record)
    out = entries[2 * count] if plan.keep_out else None
    several: Any = out if plan.op.several and plan.keep_out else [out] * len(outputs)
    for key, each in zip(outputs, several, strict=True):
        yield key, plan.keep_out, each


def tensor_at(record: Any, place: int, mark: Mark) -> Any:
    """The tensor whose value is kept at a place of a record; see `revived`."""
    kept = record[place]
    if not active():
        return kept if isinstance(kept, Tensor) else eager(kept)
    count = len(plan_of(record).keep)
    out = place == 2 + 2 * count
    return revived(record[1] if out else record[place - count], kept, mark)


def tensors_at(record: Any, place: Any, mark: Mark) -> Any:
    """The tensors of all inputs, or of all results, whose values are kept at a place."""
    if isinstance(place, slice):
        keys = record[2 : 2 + len(plan_of(record).keep)]
        return [revived(key, kept, mark) for key, kept in zip(keys, record[place], strict=True)]
    return tuple(map(revived, output_ids(record), record[place], (mark,) * len(record[place])))


def revived(key: int, kept: Any, mark: Mark) -> Any:
    """The tensor of a kept value, as those who follow it see it.

    Args:
        key: its id.
        kept: the tensor, or its array: then only the tape with `mark` followed it at the time.
        mark: of that tape.
    """
    if isinstance(kept, Tensor):
        return kept
    tensor = eager(kept)
    tensor.id = key
    since = tuple(i.mark[0] for i in active() if i.leaves.get(key, i) is None)  # they watch it
    tensor.mark = tuple(ref for ref in mark if ref not in since) + since or None
    return tensor


def opened(kept: Any) -> Any:
    """The array of a kept tensor, or those of several; arrays and specs stay what they are."""
    if isinstance(kept, Tensor):
        return kept.value
    return tuple(map(opened, kept)) if type(kept) is tuple else kept


def spec_of(kept: Any) -> Any:
    """What is known of a kept tensor without its values; of an array that is itself."""
    return kept.spec if isinstance(kept, Tensor) else kept


def shape_of(kept: Any) -> Any:
    """The shape of what is kept of a tensor."""
    return kept if type(kept) is tuple else tuple(spec_of(kept).shape)
