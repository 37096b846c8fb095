"""How an op is called: the few lines that every op of every program passes through.

The one fact to know: at declaration `primitive` builds one closure per op from the shapes below
(unary, binary, general), so that a call on plain tensors does nothing but compute, wrap, and look
at two marks. What is odd here is odd for speed (names bound once, loops written out, records as
plain tuples: a slotted object would cost 190 ns more); everything else in minitape is plain.
May import: interpreter, keeping, plan, messages, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import raise_instead
from minitape.interpreter import active, fresh_id, only
from minitape.keeping import kept, kept_result, stretch
from minitape.messages import box_escaped, dtypes_differ, forward_failed, refuse_promotion
from minitape.plan import ID, SPEC, VALUE, Layouts
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.primitive import Op


_ARRAYS = (np.ndarray, np.generic, int, float, complex)
_COMMON = frozenset({np.ndarray, np.float32, np.float64})  # a set is quicker than `isinstance`


def unary(op: Op, fallback: Callable[..., Any], arrays: bool) -> Callable[..., Any]:
    """The call of an op with one input and no attributes; `arrays`: arrays give arrays."""
    forward, layouts, new = op.forward, Layouts(op.plans), object.__new__

    def call(x: Any, name: str | None = None) -> Any:
        if type(x) is not EagerTensor:
            raw = arrays and (type(x) in _COMMON or isinstance(x, _ARRAYS))
            return forward(x) if raw else fallback(x)
        a = x.value
        try:
            value = forward(a)
        except Exception as error:
            raise_instead(forward_failed(op, (x,), (), error), error)
        if type(value) is not type(a) or (type(a) is np.ndarray and value.dtype is not a.dtype):
            refuse_promotion(op, x, value)
        out = new(EagerTensor)  # EagerTensor(value), without the frame of __init__
        out.value = value
        out.mark = None
        followed = x.mark
        if followed is None:  # nobody follows the input: the stack is not even looked at
            return out
        for interpreter in active():
            mark = interpreter.mark
            if followed is not mark and mark[0] not in followed:
                continue
            if out.mark is None:
                out.mark = mark
                out.id = fresh_id()
            else:
                out.mark += mark
            append = interpreter.append
            if append is None:
                interpreter.observe(op, (x,), out, ())
                continue
            plan, keep_out, keep = layouts[1]
            entry = x if keep == VALUE else x.id if keep == ID else kept(x, keep)
            if keep_out:
                append((plan, out.id, entry, kept(out, keep_out)))
            else:
                append((plan, out.id, entry))
        return out

    return call


def binary(op: Op, fallback: Callable[..., Any], arrays: bool) -> Callable[..., Any]:
    """The call of an op with two inputs of one dtype; `arrays`: arrays give arrays."""
    forward, layouts, broadcasts = op.forward, Layouts(op.plans), op.broadcasts
    new, ndarray = object.__new__, np.ndarray

    def call(x: Any, y: Any, name: str | None = None) -> Any:
        if type(x) is not EagerTensor or type(y) is not EagerTensor:
            return (
                forward(x, y)
                if arrays and isinstance(x, _ARRAYS) and isinstance(y, _ARRAYS)
                else fallback(x, y)
            )
        a = x.value
        b = y.value
        kind = type(a)
        alike = kind is type(b)  # for NumPy scalars that is all: one dtype, no shape
        one_dtype = alike and (kind is not ndarray or a.dtype is b.dtype)
        if not one_dtype and a.dtype != b.dtype and not op.cuts:
            raise dtypes_differ(op, (x, y))
        try:
            value = forward(a, b)
        except Exception as error:
            raise_instead(forward_failed(op, (x, y), (), error), error)
        out = new(EagerTensor)
        out.value = value
        out.mark = None
        followed_x = x.mark
        followed_y = y.mark
        if followed_x is None and followed_y is None:
            return out
        stretched = 0
        if broadcasts and (not alike or kind is ndarray) and a.shape != b.shape:
            stretched = stretch((a, b), value.shape)
        for interpreter in active():
            mark = interpreter.mark
            bits = 0
            if followed_x is mark or (followed_x is not None and mark[0] in followed_x):
                bits = 1
            if followed_y is mark or (followed_y is not None and mark[0] in followed_y):
                bits += 2
            if not bits:
                continue
            if out.mark is None:
                out.mark = mark
                out.id = fresh_id()
            else:
                out.mark += mark
            append = interpreter.append
            if append is None:
                interpreter.observe(op, (x, y), out, ())
                continue
            plan, keep_out, keep_x, keep_y = layouts[bits + stretched]
            entry_x = x if keep_x == VALUE else x.id if keep_x == ID else kept(x, keep_x)
            entry_y = y if keep_y == VALUE else y.id if keep_y == ID else kept(y, keep_y)
            if keep_out:
                append((plan, out.id, entry_x, entry_y, kept(out, keep_out)))
            else:
                append((plan, out.id, entry_x, entry_y))
        return out

    return call


def undifferentiable(op: Op, fallback: Callable[..., Any], arrays: bool) -> Callable[..., Any]:
    """The call of an op of one or two inputs that no tape records; `arrays`: arrays give arrays."""
    forward, several = op.forward, len(op.inputs) > 1 and not op.cuts

    def call(*inputs: Any, name: str | None = None) -> Any:
        for x in inputs:
            if type(x) is not EagerTensor:
                plain = arrays and all(isinstance(each, _ARRAYS) for each in inputs)
                return forward(*inputs) if plain else fallback(*inputs)
        x, y = inputs[0], inputs[-1]
        if several and x.value.dtype != y.value.dtype:
            raise dtypes_differ(op, inputs)
        try:
            out = EagerTensor(forward(*[each.value for each in inputs]))
        except Exception as error:
            raise_instead(forward_failed(op, inputs, (), error), error)
        if x.mark is not None or y.mark is not None:
            observe(op, inputs, out, (), active())
        return out

    return call


def attributed(op: Op, fallback: Callable[..., Any], arrays: bool) -> Callable[..., Any]:
    """The call of an op with one input and attributes; `arrays`: arrays give arrays."""
    forward, plans = op.forward, op.plans
    defaults: Any = None  # the attributes of a call that gives none, where all have a default
    given = tuple(op.defaults.values())
    # None and bools are in canonical form; an axis such as -1 is for `prepare` to see.
    if len(given) == len(op.attributes) and all(x is None or type(x) is bool for x in given):
        defaults = given
    count = 1 + len(op.attributes)

    def call(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        x = args[0] if args else None
        if type(x) is not EagerTensor and not (arrays and isinstance(x, _ARRAYS)):
            return fallback(args, kwargs)
        if kwargs or (len(args) != count and (len(args) != 1 or defaults is None)):
            return fallback(args, kwargs)
        if len(args) == 1:
            attributes = defaults
        else:
            attributes = args[1:] if op.prepare is None else op.prepare(*args)
        if type(x) is not EagerTensor:
            return forward(x, *attributes)
        try:
            out = EagerTensor(forward(x.value, *attributes))
        except Exception as error:
            raise_instead(forward_failed(op, (x,), attributes, error), error)
        followed = x.mark
        if followed is None:
            return out
        for interpreter in active():
            mark = interpreter.mark
            if followed is not mark and mark[0] not in followed:
                continue
            if out.mark is None:
                out.mark = mark
                out.id = fresh_id()
            else:
                out.mark += mark
            append = interpreter.append
            if append is None:
                interpreter.observe(op, (x,), out, attributes)
                continue
            plan = plans[1]
            append((plan, out.id, kept(x, plan.keep[0]), kept(out, plan.keep_out), *attributes))
        return out

    return call


def general(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """The call of any op on tensors, plain or boxed: what the closures above speed up."""
    stack = active()
    boxes = [x.interpreter for x in inputs if type(x) is not EagerTensor]
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
    dtypes = {inputs[i].value.dtype for i in op.matching(len(inputs))}
    if len(dtypes) > 1:
        raise dtypes_differ(op, inputs)
    values = [x.value for x in inputs]
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
    """Tells the interpreters on `stack` of an op: the general form of the loops above."""
    if all(x.mark is None for x in inputs):
        return
    outputs = out if op.several else (out,)
    for interpreter in stack:
        mark = interpreter.mark
        bits = sum(1 << i for i, x in enumerate(inputs) if x.mark is not None and mark[0] in x.mark)
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
