"""Writes and reads records, what a tape keeps of an op.

A record is a plain tuple of ids and of what rules need:

    number of its plan, id of the result, id of each input, kept of each input, kept of the result,
    *attributes

What is kept is decided by its plan (see `plan`); this module alone knows what stands where. Several
results have specs, with their ids, in place of an id. An input that no tape will be told to watch
may have None for its id: no pull is for it. A record without attributes may leave out a result of
which nothing is kept, and end after the ids where nothing is kept at all: the fast layer's do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from minitape.interpreter import active, identity, is_watchable
from minitape.plan import PLANS, SHAPE, SPEC, VALUE, Plan
from minitape.tensor import EagerTensor, Spec, Tensor, eager

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.interpreter import Mark
    from minitape.op import Op
    from minitape.plan import Need, Pull
    from minitape.tensor import Array, Shape

# A plain tuple of ids and arrays, and a number in place of the plan: Python's garbage collector
# stops visiting such tuples, so that a long tape does not make it slow. A slotted object would also
# take twice as long to make.
Record = tuple[Any, ...]

# What a record keeps of a tensor: shape, spec, array, itself, or nothing; a tuple for several.
Kept: TypeAlias = "Shape | Spec | Array | Tensor | tuple[Any, ...] | None"

# Where a record has the number of its plan, the id of its result, and that of its first input.
PLAN, RESULT, INPUTS = range(3)


# Writing one.


def make_record(
    op: Op,
    followed: tuple[bool, ...],
    inputs: Sequence[Tensor],
    out: Any,
    attributes: tuple[Any, ...],
    mark: Mark | None = None,
) -> Record:
    """What a tape keeps of an op.

    Args:
        op: the op.
        followed: for each input whether the tape follows it.
        inputs: the tensors that the op took.
        out: what it gave, a tuple for an op with several results.
        attributes: its static values.
        mark: of the tape; None is for a record that no tape has, and keeps tensors in place of
            arrays.
    """
    stretched = (False,) * len(inputs)
    if op.broadcasts:
        shape = out.spec.shape
        stretched = tuple(x.spec.shape != shape for x in inputs)
    alone = mark is not None and all(_is_alone(x, mark) for x in inputs)
    open_to = tuple(mark is not None and is_watchable(x) for x in inputs)
    plan = plan_for(op, followed, stretched, alone, open_to)
    result = tuple(kept(y, SPEC) for y in out) if op.several else out.id
    known = map(any, zip(followed, open_to, strict=True))
    ids = [identity(x) if each else None for x, each in zip(inputs, known, strict=True)]
    of_inputs = map(kept, inputs, plan.keep)
    of_result = (
        tuple(kept(y, plan.keep_out) for y in out) if op.several else kept(out, plan.keep_out)
    )
    return (plan.number, result, *ids, *of_inputs, of_result, *attributes)


def plan_for(op: Op, *details: Any) -> Plan:
    """The plan of an op for inputs with such `details`, made when it is first asked for."""
    plan: Plan | None = op.plans.get(details)
    if plan is None:
        plan = op.plans[details] = Plan(op, *details)
    return plan


def _is_alone(x: Tensor, mark: Mark) -> bool:
    """Whether no interpreter but the tape with `mark` follows a tensor."""
    return type(x) is EagerTensor and (x.mark is mark or x.mark is None)


def kept(x: Tensor, keep: int) -> Any:
    """What a record keeps of a tensor: its value, itself, its spec, its shape, or nothing."""
    if keep == VALUE:
        return x.value
    if SHAPE <= keep <= SPEC:
        value = x.value if type(x) is EagerTensor else x.spec
        shape = tuple(value.shape)
        return shape if keep == SHAPE else Spec(shape, value.dtype, getattr(x, "id", 0))
    return x if keep else None


# Reading one.


def plan_of(record: Record) -> Plan:
    """What the record of an op keeps, and the rules to run."""
    return PLANS[record[PLAN]]


def output_ids(record: Record) -> tuple[int, ...]:
    """The ids of a record's results."""
    out = record[RESULT]
    return (out,) if type(out) is int else tuple(spec.id for spec in out)


def slot_of(pull: Pull) -> int:
    """Where records have the id of the input that a pull is for."""
    return INPUTS + pull.position


def position_of(slot: int) -> int:
    """Which input has its id there."""
    return slot - INPUTS


def input_id(record: Record, pull: Pull) -> int:
    """The id of the input that a pull of a record is for."""
    return int(record[slot_of(pull)])


def arguments(pull: Pull, record: Record, raw: bool, mark: Mark = ()) -> list[Any]:
    """The arguments of a pull's rule beyond the cotangent; `raw` gives arrays for tensors."""
    plan = plan_of(record)
    return [argument(record, need, place_of(plan, need), raw, mark) for need in pull.needs]


def place_of(plan: Plan, need: Need) -> Any:
    """Where records of a plan have what a rule needs; a slice for all inputs."""
    count = len(plan.keep)
    if need.source == "input":
        return INPUTS + count + need.place
    if need.source == "inputs":
        return slice(INPUTS + count, _after_inputs(plan))
    if need.source == "result":
        return _after_inputs(plan)
    return _after_inputs(plan) + 1 + need.place


def _after_inputs(plan: Plan) -> int:
    """Where records of a plan have what is kept of the result; the attributes follow."""
    return INPUTS + 2 * len(plan.keep)


def argument(record: Record, need: Need, place: Any, raw: bool, mark: Mark) -> Any:
    """One argument of a rule, from a place of a record."""
    if need.source == "position":
        return need.place
    held = record[place]
    if need.source == "attribute":
        return held
    if need.source == "inputs" or type(record[RESULT]) is tuple and need.source == "result":
        keys = (
            record[INPUTS : INPUTS + len(held)] if need.source == "inputs" else output_ids(record)
        )
        each = [_read(x, need.what, raw, key, mark) for key, x in zip(keys, held, strict=True)]
        return each if need.source == "inputs" else tuple(each)
    key = record[RESULT] if need.source == "result" else record[INPUTS + need.place]
    return _read(held, need.what, raw, key, mark)


def _read(held: Kept, what: str, raw: bool, key: int, mark: Mark) -> Any:
    if what == "shape":
        return shape_of(held)
    if what == "spec":
        return spec_of(held)
    return opened(held) if raw else revived(key, held, mark)


def broadcast_from(record: Record, pull: Pull) -> tuple[int, ...]:
    """The shape that the input of a pull had before the op broadcast it."""
    return shape_of(record[slot_of(pull) + len(plan_of(record).keep)])


def revived(key: int, held: Kept, mark: Mark) -> Tensor:
    """The tensor of a kept value, as the interpreters that follow it see it.

    Args:
        key: its id.
        held: the tensor, or its array: then only the tape with `mark` followed it at the time.
        mark: of that tape.
    """
    if isinstance(held, Tensor):
        return held
    tensor = eager(held)
    tensor.id = key
    # Interpreters that began to watch it after the record was made follow it, too.
    since = tuple(i.mark[0] for i in active() if i.watched.get(key, i) is None)
    tensor.mark = tuple(ref for ref in mark if ref not in since) + since or None
    return tensor


def opened(held: Kept) -> Any:
    """The array of a kept tensor, or those of several; arrays and specs stay what they are."""
    if isinstance(held, Tensor):
        return held.value
    return tuple(map(opened, held)) if type(held) is tuple else held


def spec_of(held: Kept) -> Any:
    """What is known of a kept tensor without its values; of an array that is itself."""
    return held.spec if isinstance(held, Tensor) else held


def shape_of(held: Kept) -> tuple[int, ...]:
    """The shape of what is kept of a tensor."""
    return held if type(held) is tuple else tuple(spec_of(held).shape)
