"""Which call an op gets: the closure for its shape, or the plain call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.call import bind
from minitape.fast import calls
from minitape.fast.arguments import convert_one, convert_two
from minitape.fast.rule_calls import arrays_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Op


def call(op: Op, plain: Callable[..., Any], in_rules: bool) -> Callable[..., Any]:
    """The function that users (or, with `in_rules`, rules) call; `plain` where no closure fits."""
    function = _closure(op, plain)
    if function is None:
        return plain
    if in_rules:
        return arrays_first(op, function, plain)
    if (op.attributes and op.differentiable) or (
        op.inputs in (("x",), ("x", "y")) and op.differentiable
    ):
        return function
    return _by_name(op, function)


def _closure(op: Op, plain: Callable[..., Any]) -> Callable[..., Any] | None:
    """The closure for an op of this shape, if there is one."""
    if op.several or op.variadic or op.effect or not 1 <= len(op.inputs) <= 2:
        return None
    convert: Any = convert_one if len(op.inputs) == 1 else convert_two
    if not op.attributes:
        if not op.differentiable:
            return calls.undifferentiable(op, convert)
        return (calls.unary if len(op.inputs) == 1 else calls.binary)(op, convert)
    if op.differentiable and not op.cuts and len(op.inputs) == 1:
        return calls.attributed(op, plain)
    return None


def _by_name(op: Op, call: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a closure, whose own arguments are x and y, take the arguments by the op's names."""
    count = len(op.inputs)

    def function(*args: Any, name: str | None = None, **named: Any) -> Any:
        if named or len(args) != count:
            args = bind(op, args, named)[0]
        return call(*args)

    return function
