"""The call of any op, plain: compute it, then tell the interpreters, or let one of them compute it.

The one fact to know: `calls` has the same three times over, written out for the commonest shapes of
ops; what an op does is to be read here.
May import: interpreter, keeping, plan, messages, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import raise_instead
from minitape.interpreter import active, fresh_id, only
from minitape.keeping import kept, kept_result, stretch
from minitape.messages import box_escaped, dtype_refused, dtypes_differ, forward_failed
from minitape.plan import SPEC
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from minitape.primitive import Op


def general(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Calls any op on tensors, plain or boxed."""
    if op.refuses and inputs and inputs[0].spec.dtype.kind in op.refuses:
        raise dtype_refused(op, inputs[0].spec.dtype)
    stack = active()
    boxes = []
    for x in inputs:
        if type(x) is not EagerTensor:
            boxes.append(x.interpreter)
    if not boxes and not (op.effect and any(i.symbolic or (op.draws and i.draws) for i in stack)):
        out = compute(op, inputs, attributes)
        observe(op, inputs, out, attributes, stack)
        return out
    # A graph writes down what is done to boxes from outside too: a branch does that if taken.
    at = -1
    for i, each in enumerate(stack):
        if each in boxes or each.symbolic or (op.draws and each.draws):
            at = i
    if at < 0 or any(box not in stack for box in boxes):
        raise box_escaped(op, inputs)
    with only(stack[:at]):
        out = stack[at].interpret(op, inputs, attributes)
    observe(op, inputs, out, attributes, stack[at + 1 :])
    return out


def compute(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Runs the forward of `op` on the values of plain tensors."""
    values = [x.value for x in inputs]
    dtype = None
    for i in op.matching(len(inputs)):
        if dtype is None:
            dtype = values[i].dtype
        elif dtype != values[i].dtype:
            raise dtypes_differ(op, inputs)
    try:
        result = (
            op.forward(values, *attributes) if op.variadic else op.forward(*values, *attributes)
        )
    except Exception as error:
        raise_instead(forward_failed(op, inputs, attributes, error), error)
    return tuple(map(EagerTensor, result)) if op.several else EagerTensor(result)


def observe(
    op: Op, inputs: tuple[Any, ...], out: Any, attributes: tuple[Any, ...], stack: tuple[Any, ...]
) -> None:
    """Tells the interpreters on `stack`, outermost first, of an op."""
    outputs = out if op.several else (out,)
    for interpreter in stack:
        mark = interpreter.mark
        bits = 0
        for i, x in enumerate(inputs):
            if x.mark is not None and mark[0] in x.mark:
                bits |= 1 << i
        if not bits or not (op.differentiable or interpreter.append is None):
            continue
        for y in outputs:
            if y.mark is None:
                y.mark = mark
                y.id = getattr(y, "id", 0) or fresh_id()
            else:
                y.mark += mark
        if interpreter.append is None:
            interpreter.observe(op, inputs, out, attributes)
        else:
            interpreter.append(record(op, bits, inputs, out, attributes))


def record(
    op: Op, bits: int, inputs: tuple[Any, ...], out: Any, attributes: tuple[Any, ...]
) -> tuple[Any, ...]:
    """What a tape keeps of an op: plan, id (or specs), an entry per input, output, attributes."""
    if op.broadcasts:
        bits += stretch([x.spec for x in inputs], out.spec.shape)
    plan = op.plans[(len(inputs), bits) if op.variadic else bits]
    outputs = tuple(kept(y, SPEC) for y in out) if op.several else out.id
    entries = map(kept, inputs, plan.keep)
    return (plan, outputs, *entries, kept_result(out, plan.keep_out), *attributes)
