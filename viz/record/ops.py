"""What a record's op is called, and how many of its inputs are the learner's."""

from __future__ import annotations

from typing import Any

from minitape.custom.op import Operation
from minitape.record import plan_of

from .reading import attributes

# Ops that have another name in the program, or that the rules of others are written with; an outer
# tape shows those to learners.
SPOKEN = {
    "broadcast_matmul": "matmul",
    "power_slope": "slope of power",
    "tanh_gradient": "back through tanh",
    "unslice": "slice put back",
    "ungather": "rows put back",
    "add_along": "values put back",
    "unpool": "winners put back",
    "avg_unpool": "means shared out",
    "pick_winners": "winners picked",
    "max_pool_winners": "winners found",
    "extreme_shares": "shares of winners",
    "segment_shares": "shares of winners",
    "softmax_less_one_hot": "softmax less truth",
    "zero_times": "gated product",
    "zero_over": "gated quotient",
    "masked": "gate",
    "finite_max": "largest",
    "igamma_slope": "slope of igamma",
    "complex_sign": "sign",
}


def op_name(record: Any) -> str:
    """What a record's op is called: a function with its own gradient by its own name."""
    op = plan_of(record).op
    name = str(attributes(record)[0].name if isinstance(op, Operation) else op.name)
    return SPOKEN.get(name, name)


def count_of_arguments(record: Any) -> int:
    """How many inputs to draw: the op of a function with its own gradient takes its results too."""
    plan = plan_of(record)
    if isinstance(plan.op, Operation) and all(p.position < plan.op.count for p in plan.pulls):
        return int(plan.op.count)
    return len(plan.keep)
