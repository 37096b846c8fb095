"""What a record's op is called, and how many of its inputs are the learner's."""

from __future__ import annotations

from typing import Any

from minitape.custom.op import Operation
from minitape.records import attributes, plan_of


def op_name(record: Any) -> str:
    """What a record's op is called: a function with its own gradient by its own name."""
    op = plan_of(record).op
    return str(attributes(record)[0].name if isinstance(op, Operation) else op.name)


def count_of_arguments(record: Any) -> int:
    """How many inputs to draw: the op of a function with its own gradient takes its results too."""
    plan = plan_of(record)
    if isinstance(plan.op, Operation) and all(p.position < plan.op.count for p in plan.pulls):
        return int(plan.op.count)
    return len(plan.keep)
