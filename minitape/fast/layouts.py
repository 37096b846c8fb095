"""Plans as the calls written out in `calls` ask for them: by bits, and in the quickest form.

The bits of an op with n inputs: bit i, input i is followed; bit n + i, it was broadcast; bit 2 n,
other interpreters follow an input, too; bit 2 n + 1 + i, input i may be watched later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.record import SHAPE, VALUE, plan_for
from minitape.tensor import Spec

if TYPE_CHECKING:
    from minitape.interpreter import Mark
    from minitape.op import Op


def layout(op: Op, bits: int) -> tuple[Any, ...]:
    """The number of a plan, whether it keeps anything, and what of each input and of the result.

    None stands for an input's value, and for the values of all inputs and no more: these are the
    commonest, and None is the quickest to ask for. It is found in `op.layouts` from then on.
    """
    n = len(op.inputs)
    followed, stretched, open_to = (
        tuple(bool(bits >> (first + i) & 1) for i in range(n)) for first in (0, n, 2 * n + 1)
    )
    plan = plan_for(op, followed, stretched, not bits >> 2 * n & 1, open_to)
    keep = [None if each == VALUE else each for each in plan.keep]
    keeps: bool | None = any(plan.keep) or bool(plan.keep_out)
    if set(plan.keep) == {VALUE} and not plan.keep_out:
        keeps = None
    found = op.layouts[bits] = (plan.number, keeps, (*keep, plan.keep_out))
    return found


def lean(array: Any, keep: int) -> Any:
    """What a record keeps of an array without its values."""
    return array.shape if keep == SHAPE else Spec(array.shape, array.dtype)


def bits_of_two(own: Any, followed_x: Mark | None, followed_y: Mark | None, given: int) -> int:
    """Which of two inputs the interpreter `own` follows, where others may follow one too."""
    bits = (own in (followed_x or ())) + 2 * (own in (followed_y or ()))
    return 16 + bits + 32 * (given & ~bits)
