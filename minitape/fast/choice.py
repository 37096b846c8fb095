"""Which call an op gets: the closure for its shape, or the plain call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.call import bind
from minitape.fast import calls
from minitape.fast.arguments import convert_one, convert_two, plain_defaults
from minitape.tensor import EagerTensor

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


# How rules call ops: arrays give arrays, at once, so that a rule runs on either.


_ABSENT = object()  # an argument that was not given by position
_ndarray, _float32, _float64 = np.ndarray, np.float32, np.float64
_ARRAYS = (np.ndarray, np.generic, int, float, complex)
_COMMON = frozenset({np.ndarray, np.float32, np.float64})  # a set is quicker than `isinstance`


def arrays_first(op: Op, call: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """What rules call: tensors are for the closure `call`, the rest for the `plain` function."""
    forward, count, defaults = op.forward, len(op.attributes), plain_defaults(op)

    def one(x: Any) -> Any:
        kind = type(x)
        if kind is _ndarray or kind is _float32 or kind is _float64:  # 15 ns less than the set
            return forward(x)
        if kind is not EagerTensor and isinstance(x, _ARRAYS):
            return forward(x)
        return call(x)

    def two(x: Any, y: Any) -> Any:
        if type(x) is _ndarray and type(y) is _ndarray:
            return forward(x, y)
        if type(x) in _COMMON and type(y) in _COMMON:
            return forward(x, y)
        if type(x) is not EagerTensor and isinstance(x, _ARRAYS) and isinstance(y, _ARRAYS):
            return forward(x, y)
        return call(x, y)

    def with_attributes(x: Any, *attributes: Any, **named: Any) -> Any:
        given = len(attributes)
        if type(x) not in _COMMON or named or (given != count and (given or defaults is None)):
            return call(x, *attributes, **named)
        if given and op.prepare is not None:
            attributes = op.prepare(x, *attributes)
        return forward(x, *attributes)

    def with_one(x: Any, attribute: Any = _ABSENT, **named: Any) -> Any:
        if type(x) in _COMMON and attribute is not _ABSENT and op.prepare is None and not named:
            return forward(x, attribute)
        return with_attributes(x, *(() if attribute is _ABSENT else (attribute,)), **named)

    if count:
        return with_one if count == 1 else with_attributes
    return one if len(op.inputs) == 1 else two
