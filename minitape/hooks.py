"""Where the fast layer takes over from plain code: six hooks.

Everything in minitape is complete without `fast/`, and correct; with it the same is done sooner.
MINITAPE_PLAIN=1 in the environment leaves it off, and the folder may as well be missing.

This is the only module that knows the layer. It could not be handed in from above: the ops are
declared while they are imported, and their calls are specialised there and then.
"""

from __future__ import annotations

import operator
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from minitape.plain import PLAIN
from minitape.tensors.assigning import Assignable

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Op
    from minitape.plan import Plan, Pull

    Call = Callable[..., Any]

T = TypeVar("T")

# By name, and only if it is there: the folder may have been deleted.
_is_on = not PLAIN and find_spec("minitape.fast") is not None
_fast: Any = import_module("minitape.fast") if _is_on else None


# Quicker functions of arrays, by the names of the plain ones.
kernels: dict[str, Call] = {} if _fast is None else _fast.kernels


def call(op: Op, plain: Call, in_rules: bool) -> Call:
    """The function that users (or, with `in_rules`, rules) call for an op."""
    return plain if _fast is None else _fast.call(op, plain, in_rules)


def pull(plan: Plan, one: Pull, plain: Call, raw: bool, sum_to: Call) -> Call | None:
    """The function of a cotangent, a record and a mark that a sweep calls; see `backward`."""
    return plain if _fast is None else _fast.pull(plan, one, plain, raw, sum_to)


def kernel(plain: Call) -> Call:
    """Decorates a function of arrays that the layer may know a quicker one for, by its name.

    It is one that forwards call; what an op's declaration names as `kernel=` is a whole forward.
    """
    return kernels.get(plain.__name__, plain)


def request(plain: type[T]) -> type[T]:
    """Decorates the class of requests, of which the layer may make a quicker one."""
    return plain if _fast is None else _fast.request(plain)


# The sum of an input's cotangent and one more contribution, in a sweep over arrays.
add: Call = operator.add if _fast is None else _fast.add

# `assign_add` and `assign_sub` may write to the array of a delta that nothing else refers to.
if _fast is not None:
    Assignable._combination = staticmethod(_fast.combination)
