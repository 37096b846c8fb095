"""What the calls in `calls` do with arguments that are no tensors yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.call import apply, operands
from minitape.safety.silence import quietly
from minitape.tensor import EagerTensor, Operators, eager
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import operand
from minitape.values.spec import FLOAT32  # NumPy has one object for it, so `is` may ask

if TYPE_CHECKING:
    from minitape.op import Op

_ONE = np.float32(1)
_INT32, _LIMIT = np.dtype(np.int32), 2**31  # for counters


def beside(value: Any, dtype: Any) -> Any:
    """What is no tensor or variable, as a tensor of the dtype of the one beside it."""
    if dtype is FLOAT32 and (type(value) is float or type(value) is int):
        tensor = EagerTensor()  # eager(np.float32(value)), in a quarter of the time
        try:
            tensor.value = _ONE * value
        except Exception:  # it is beyond float32, and NumPy's state or a filter asks for an error
            tensor.value = quietly(np.float32, value)
        tensor.mark = None
        return tensor
    if dtype is _INT32 and type(value) is int and -_LIMIT <= value < _LIMIT:
        return eager(np.int32(value))
    return operand(value, dtype)


def read(x: Any, y: Any) -> tuple[Any, Any]:
    """Variables as tensors, and a number beside one as a tensor of its dtype."""
    if isinstance(x, Operators):
        x = x.as_operand()
        if type(x) is EagerTensor:
            y = y.as_operand() if isinstance(y, Operators) else beside(y, x.value.dtype)
    elif isinstance(y, Operators):
        y = y.as_operand()
        if type(y) is EagerTensor:
            x = beside(x, y.value.dtype)
    return x, y


def plain_defaults(op: Op) -> tuple[Any, ...] | None:
    """The attributes of a call that gives none, if all have a default in canonical form.

    None and truth values are; an axis such as -1 is for `prepare` to see.
    """
    given = tuple(op.defaults.values())
    plain = all(x is None or type(x) is bool for x in given)
    return given if plain and len(given) == len(op.attributes) else None


def convert_one(op: Op, x: Any) -> tuple[Any, Any]:
    """A tensor for what is none; or None, and what the op gave, as a box's interpreter does it."""
    if isinstance(x, Boxed) and x.interpreter.in_sweep:
        return None, x.interpreter.interpret(op, (x,), ())
    (x,) = operands(op, (x,))
    return (x, None) if type(x) is EagerTensor else (None, apply(op, (x,), ()))


def convert_two(op: Op, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The same for two inputs."""
    box = x if isinstance(x, Boxed) else y
    if isinstance(box, Boxed) and box.interpreter.in_sweep:
        return None, None, box.interpreter.interpret(op, (x, y), ())
    x, y = operands(op, (x, y))
    if type(x) is EagerTensor is type(y):
        return x, y, None
    return None, None, apply(op, (x, y), ())
