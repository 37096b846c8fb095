"""What a record's op is called, and how many of its inputs are the learner's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.custom.op import Operation
from minitape.facts import Facts
from minitape.record import plan_of

from .reading import attributes

if TYPE_CHECKING:
    from minitape.op import Op


def op_name(record: Any) -> str:
    """What a record's op is called: a function with its own gradient by its own name."""
    op = plan_of(record).op
    return str(attributes(record)[0].name) if isinstance(op, Operation) else called(op)


def called(op: Op) -> str:
    """What learners call an op: those that rules are written with have names of the engine's."""
    return op.facts.called or op.name


def facts_to_carry(record: Any) -> Facts | None:
    """What a trace has to say of an op because no reader finds it by its name: one of your own."""
    op = plan_of(record).op
    if op.ours and not isinstance(op, Operation):
        return None
    # That axes stay themselves follows from the declaration, which a saved trace has not got.
    return op.facts._replace(keeps_axes=True) if op.elementwise else op.facts


def count_of_arguments(record: Any) -> int:
    """How many inputs to draw: the op of a function with its own gradient takes its results too."""
    plan = plan_of(record)
    if isinstance(plan.op, Operation) and all(p.position < plan.op.count for p in plan.pulls):
        return int(plan.op.count)
    return len(plan.keep)
