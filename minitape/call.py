"""The call of any op, plain: compute it, then tell the interpreters, or let one of them compute it.

The one fact to know: `calls` has the same three times over, written out for the commonest shapes of
ops; what an op does is to be read here.
May import: interpreter, keeping, records, messages, tensor.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import raise_instead
from minitape.errors.of_ops import (
    box_escaped,
    dtype_refused,
    dtypes_differ,
    forward_failed,
    refuse_promotion,
)
from minitape.interpreter import active, fresh_ids, only
from minitape.keeping import kept, kept_result, stretch
from minitape.records import SPEC
from minitape.tensor import EagerTensor, eager

if TYPE_CHECKING:
    from minitape.primitive import Op


def general(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Calls any op on tensors, plain or boxed."""
    if op.refuses and inputs and inputs[0].spec.dtype.kind in op.refuses:
        raise dtype_refused(op, inputs[0].spec.dtype)
    if op.elementwise and op.differentiable and not op.attributes:
        _check_promotion(op, inputs)
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


def _check_promotion(op: Op, inputs: tuple[Any, ...]) -> None:
    """Refuses integers of which NumPy would make floats, before anything is written down."""
    x = inputs[op.matching(len(inputs))[0]]
    dtype = x.spec.dtype
    if dtype.kind in "iub":
        refuse_promotion(op, x, _of_ones(op, dtype))


@lru_cache(512)
def _of_ones(op: Op, dtype: np.dtype[Any]) -> Any:
    """What an elementwise op makes of the number 1."""
    one = dtype.type(1)
    try:
        with np.errstate(all="ignore"):
            return op.forward([one]) if op.variadic else op.forward(*[one for _ in op.inputs])
    except TypeError:  # it has no meaning for such numbers at all
        return np.float32(1)


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
    return tuple(map(eager, result)) if op.several else eager(result)


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
                y.id = getattr(y, "id", 0) or next(fresh_ids)
            else:
                y.mark += mark
        if interpreter.append is None:
            interpreter.observe(op, inputs, out, attributes)
        else:
            interpreter.append(record(op, bits, inputs, out, attributes, mark))


def record(
    op: Op,
    bits: int,
    inputs: tuple[Any, ...],
    out: Any,
    attributes: tuple[Any, ...],
    mark: Any = None,
) -> tuple[Any, ...]:
    """What a tape with `mark` keeps of an op (see `plan`)."""
    count = len(inputs)
    if op.broadcasts:
        bits += stretch([x.spec for x in inputs], out.spec.shape)
    if mark is None or not all(_is_alone(x, mark) for x in inputs):
        bits += 1 << 2 * count
    plan = op.plans[(count, bits) if op.variadic else bits]
    outputs = tuple(kept(y, SPEC) for y in out) if op.several else out.id
    ids = [x.id if bits >> i & 1 else None for i, x in enumerate(inputs)]
    of_inputs = map(kept, inputs, plan.keep)
    return (plan.number, outputs, *ids, *of_inputs, kept_result(out, plan.keep_out), *attributes)


def _is_alone(x: Any, mark: Any) -> bool:
    """Whether a tensor is followed by nobody but the tape with `mark`."""
    return type(x) is EagerTensor and (x.mark is mark or x.mark is None)
