"""The call of any op: compute it, then show it to the interpreters, or let one of them compute it.

What an op does is to be read here, with all of its checks: whether it runs eagerly, in a graph or
in a batch, every op comes through `call`. (`fast` writes this out for the commonest shapes of ops.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import raise_instead
from minitape.errors.of_ops import (
    box_escaped,
    dtype_refused,
    dtypes_differ,
    forward_failed,
    promotion_refused,
)
from minitape.interpreter import active, fresh_ids, identity, only
from minitape.records import make_record
from minitape.tensor import EagerTensor, eager, storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.interpreter import Interpreter
    from minitape.op import Op
    from minitape.tensor import Tensor


def call(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Calls any op on tensors, plain or boxed."""
    stack = active()
    boxes = [x.interpreter for x in inputs if type(x) is not EagerTensor]
    at = _interpreting(op, boxes, stack)
    if at is None:
        out = compute(op, inputs, attributes)
        observe(op, inputs, out, attributes, stack)
        return out
    # A box is a view of a computation that is going on; kept beyond that, it stands for nothing.
    if any(box not in stack for box in boxes):
        raise box_escaped(op, inputs)
    # What an interpreter does for the op is seen by those outside of it alone. An inner tape then
    # observes the op itself, on boxes, and not the ops that the outer one made of it.
    with only(stack[:at]):
        out = stack[at].interpret(op, inputs, attributes)
    observe(op, inputs, out, attributes, stack[at + 1 :])
    return out


def _interpreting(op: Op, boxes: list[Interpreter], stack: tuple[Any, ...]) -> int | None:
    """Where on the stack the interpreter is that computes the op; None: it is just computed.

    Boxes are computed by the innermost interpreter that made one. A graph writes down what is done
    to the boxes of others, too (a branch does that only if it is taken), and ops with effects.
    """
    if not boxes and not op.effect:
        return None
    at = None
    for i, each in enumerate(stack):
        if each in boxes or each.symbolic or (op.draws and each.draws):
            at = i
    return -1 if boxes and at is None else at


def check_dtypes(op: Op, inputs: Sequence[Any]) -> None:
    """Raises if inputs that must agree have different dtypes, or one that the op is not for."""
    alike = inputs if op.alike is None else [inputs[i] for i in op.alike]
    if any(x.spec.dtype != alike[0].spec.dtype for x in alike):
        raise dtypes_differ(op, inputs)
    if op.refuses and inputs and inputs[0].spec.dtype.kind in op.refuses:
        raise dtype_refused(op, inputs[0].spec.dtype)


def check_promotion(op: Op, inputs: Sequence[Any], result: Any) -> None:
    """Raises if NumPy made floats of integers where TensorFlow's op takes none."""
    # NumPy's sine of an int32 is a float64; TensorFlow's takes no integers.
    if op.refuses_promotion and result.dtype.kind in "fc" and inputs[0].spec.dtype.kind in "iub":
        raise promotion_refused(op, inputs[0])


def compute(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Runs the forward of `op` on the values of plain tensors."""
    check_dtypes(op, inputs)
    values = [x.value for x in inputs]
    try:
        if op.variadic:
            result = op.forward(values, *attributes)
        else:
            result = op.forward(*values, *attributes)
    except Exception as error:
        raise_instead(forward_failed(op, inputs, attributes, error), error)
    if op.several:
        return tuple(map(eager, result))
    result = storable(result)
    check_promotion(op, inputs, result)
    return eager(result)


def observe(
    op: Op, inputs: tuple[Any, ...], out: Any, attributes: tuple[Any, ...], stack: tuple[Any, ...]
) -> None:
    """Shows an op to the interpreters on `stack` that follow an input, outermost first."""
    # The commonest case by far: the stack is not even looked at.
    if all(x.mark is None for x in inputs):
        return
    outputs = out if op.several else (out,)
    for interpreter in stack:
        own = interpreter.mark[0]
        followed = tuple(x.mark is not None and own in x.mark for x in inputs)
        is_tape = interpreter.append is not None
        if not any(followed) or (is_tape and not op.differentiable):
            continue
        for y in outputs:
            if is_tape and y.spec.dtype.kind in "iub":  # such as indices: nothing goes back
                identity(y)
            else:
                _follow_result(y, interpreter)
        if is_tape:
            mark = interpreter.mark
            interpreter.append(make_record(op, followed, inputs, out, attributes, mark))
        else:
            interpreter.observe(op, inputs, out, attributes)


def _follow_result(y: Tensor, interpreter: Interpreter) -> None:
    """Makes an interpreter follow what an op gave it; `follow` is for what is not such a result."""
    if y.mark is None:
        # Without the lock of `follow`: no other thread has seen this result yet.
        y.mark = interpreter.mark
        y.id = getattr(y, "id", 0) or next(fresh_ids)
    else:
        y.mark += interpreter.mark
