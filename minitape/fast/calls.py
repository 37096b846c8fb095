"""How an op is called, written out for the commonest shapes of ops.

At declaration each op gets a closure of its own from the shapes below (one input, two inputs, one
input with attributes), so that a call on plain tensors does nothing but compute, wrap, and look at
two marks. Each does what `call.call` does, in this order: converting, checks, the forward, the
records. What is odd is odd for speed: names bound once, loops written out, `eager` without its
frame, records as short as they may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.call import check_promotion, observe
from minitape.errors import raise_instead
from minitape.errors.of_ops import attributes_refused, dtype_refused, dtypes_differ
from minitape.fast.arguments import beside, plain_defaults, read
from minitape.interpreter import active, fresh_ids, identity
from minitape.plan import SHAPE, TENSOR, VALUE
from minitape.record import kept, plan_for
from minitape.safety.retrying import retried
from minitape.tensor import EagerTensor, Operators, Spec, eager, storable
from minitape.values.spec import FLOAT32  # which no op refuses

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.interpreter import Mark
    from minitape.op import Op


_ndarray = np.ndarray
_ABSENT = object()  # an argument that was not given by position
_DISCRETE = frozenset({np.ndarray, np.bool_})  # classes of values that may be truth values or texts


def unary(op: Op, convert: Callable[..., Any]) -> Callable[..., Any]:
    """The call of an op with one input and no attributes.

    `convert(op, x)` gives a tensor for what is none, and what the op made of it if that is boxed.
    """
    forward, layouts, refuses = op.forward, op.layouts, op.refuses

    def call(x: Any, name: str | None = None) -> Any:
        if type(x) is not EagerTensor:
            x, out = convert(op, x)
            if out is not None:
                return out
        a = x.value
        if refuses and a.dtype is not FLOAT32 and a.dtype.kind in refuses:
            raise dtype_refused(op, a.dtype)
        try:
            value = forward(a)
        except Exception as error:
            value = retried(op, (x,), (), error)
        kind = type(a)
        if type(value) is not kind or (kind is _ndarray and value.dtype is not a.dtype):
            value = storable(value)
            check_promotion(op, (x,), value)
        out = EagerTensor()  # eager(value), without its frame
        out.value = value
        out.mark = None
        followed = x.mark
        if followed is None:  # then the stack is not even looked at
            return out
        for interpreter in active():
            mark = interpreter.mark
            if followed is mark:
                bits = 1
            elif mark[0] in followed:
                bits = 5
            else:
                continue
            if out.mark is None:
                out.mark = mark
                key = out.id = next(fresh_ids)
            else:
                out.mark += mark
            append = interpreter.append
            if append is None:
                interpreter.observe(op, (x,), out, ())
                continue
            try:
                plan, keeps, each = layouts[bits]
            except KeyError:
                plan, keeps, each = layout(op, bits)
            if keeps is None:
                append((plan, key, x.id, a))
                continue
            keep, keep_out = each
            kept_x = a if keep is None else x if keep == TENSOR else keep and lean(a, keep)
            if keep_out:
                append((plan, key, x.id, kept_x, kept(out, keep_out)))
            else:
                append((plan, key, x.id, kept_x))
        return out

    return call


def binary(op: Op, convert: Callable[..., Any]) -> Callable[..., Any]:
    """The call of an op with two inputs of one dtype and no attributes."""
    forward, layouts, broadcasts, refuses = op.forward, op.layouts, op.broadcasts, op.refuses
    cuts = op.cuts
    early = refuses if "c" in refuses else None  # complex may be followed, bools never are

    def call(x: Any, y: Any, name: str | None = None) -> Any:
        given = 3  # bit i: input i was not made for this call
        if type(x) is not EagerTensor or type(y) is not EagerTensor:
            if type(x) is EagerTensor and not cuts:  # a variable or number beside a tensor
                y = y.as_operand() if isinstance(y, Operators) else beside(y, x.value.dtype)
                given = 1
            elif type(y) is EagerTensor and not cuts:
                x = x.as_operand() if isinstance(x, Operators) else beside(x, y.value.dtype)
                given = 2
            elif not cuts:
                x, y = read(x, y)
                given = 0
            if type(y) is not EagerTensor or type(x) is not EagerTensor:
                x, y, out = convert(op, x, y)
                given = 0
                if out is not None:
                    return out
        a = x.value
        b = y.value
        kind = type(a)
        arrays = kind is _ndarray or kind is not type(b)  # else both are scalars of one dtype
        if arrays and a.dtype is not b.dtype and a.dtype != b.dtype and not cuts:
            raise dtypes_differ(op, (x, y))
        if early is not None and a.dtype is not FLOAT32 and a.dtype.kind in early:
            raise dtype_refused(op, a.dtype)
        try:
            value = forward(a, b)
        except Exception as error:
            value = retried(op, (x, y), (), error)
        out = EagerTensor()
        out.value = value
        out.mark = None
        followed_x = x.mark
        followed_y = y.mark
        if followed_x is None and followed_y is None:
            # Truth values and texts, which no interpreter follows.
            if refuses and kind in _DISCRETE and a.dtype.kind in "bO":
                out.value = value = _discrete(op, a, value)
            other = type(value) is not kind or (kind is _ndarray and value.dtype is not a.dtype)
            if other and not cuts:
                check_promotion(op, (x,), value)
            return out
        stretched = 0
        if arrays and broadcasts:
            if type(b) is not _ndarray:
                stretched = 8 if kind is _ndarray else 0  # a number beside an array
            elif kind is not _ndarray:
                stretched = 4
            elif (of_a := a.shape) != (of_b := b.shape):
                shape = value.shape
                stretched = (4 if of_a != shape else 0) + (8 if of_b != shape else 0)
        for interpreter in active():
            mark = interpreter.mark
            if followed_x is mark and followed_y is mark:
                bits = 3
            elif followed_x is mark and followed_y is None:
                bits = 65 if given & 2 else 1  # the other may be watched later
            elif followed_x is None and followed_y is mark:
                bits = 34 if given & 1 else 2
            else:
                bits = bits_of_two(mark[0], followed_x, followed_y, given)
                if not bits & 3:
                    continue
            if out.mark is None:
                out.mark = mark
                key = out.id = next(fresh_ids)
            else:
                out.mark += mark
            append = interpreter.append
            if append is None:
                interpreter.observe(op, (x, y), out, ())
                continue
            try:
                plan, keeps, each = layouts[bits + stretched]
            except KeyError:
                plan, keeps, each = layout(op, bits + stretched)
            if keeps is None:  # both values, no more
                append((plan, key, x.id, y.id, a, b))
                continue
            id_x = x.id if followed_x is not None else identity(x) if given & 1 else None
            id_y = y.id if followed_y is not None else identity(y) if given & 2 else None
            if not keeps:
                append((plan, key, id_x, id_y))
                continue
            keep_x, keep_y, keep_out = each
            kept_x = a if keep_x is None else x if keep_x == TENSOR else keep_x and lean(a, keep_x)
            kept_y = b if keep_y is None else y if keep_y == TENSOR else keep_y and lean(b, keep_y)
            if keep_out:
                append((plan, key, id_x, id_y, kept_x, kept_y, kept(out, keep_out)))
            else:
                append((plan, key, id_x, id_y, kept_x, kept_y))
        return out

    return call


def _discrete(op: Op, a: Any, value: Any) -> Any:
    """What an op made of truth values, if it takes them, or of texts, as a tensor holds it."""
    if a.dtype.kind in op.refuses:
        raise dtype_refused(op, a.dtype)
    return storable(value)


def undifferentiable(op: Op, convert: Callable[..., Any]) -> Callable[..., Any]:
    """The call of an op of one or two inputs that no tape records."""
    forward, several, refuses = op.forward, len(op.inputs) > 1 and not op.cuts, op.refuses

    def call(*inputs: Any, name: str | None = None) -> Any:
        if several and type(inputs[0]) is EagerTensor and type(inputs[1]) in (int, float):
            inputs = (inputs[0], beside(inputs[1], inputs[0].value.dtype))
        if not {EagerTensor}.issuperset(map(type, inputs)):
            *given, out = convert(op, *inputs)
            if out is not None:
                return out
            inputs = tuple(given)
        x, y, dtype = inputs[0], inputs[-1], inputs[0].value.dtype
        if several and dtype != y.value.dtype:
            raise dtypes_differ(op, inputs)
        if refuses and dtype.kind in refuses:
            raise dtype_refused(op, dtype)
        try:
            value = forward(*[each.value for each in inputs])
        except Exception as error:
            value = retried(op, inputs, (), error)
        out = eager(storable(value))
        if x.mark is not None or y.mark is not None:
            observe(op, inputs, out, (), active())
        return out

    return call


def attributed(op: Op, plain: Callable[..., Any]) -> Callable[..., Any]:
    """The call of an op with one input and attributes; `plain` is for what is not tensors alone."""
    forward, layouts, refuses = op.forward, op.layouts, op.refuses
    count, defaults = len(op.attributes), plain_defaults(op)

    def call(x: Any = _ABSENT, *attributes: Any, name: str | None = None, **kwargs: Any) -> Any:
        given = len(attributes)
        if type(x) is not EagerTensor and isinstance(x, Operators):
            x = x.as_operand()
        if kwargs or type(x) is not EagerTensor or (given != count and (given or defaults is None)):
            return plain(*(() if x is _ABSENT else (x, *attributes)), **kwargs)
        if given and op.prepare is not None:
            try:
                attributes = op.prepare(x, *attributes)
            except ValueError as error:
                raise_instead(attributes_refused(op, attributes, error), error)
        a = x.value
        if refuses and a.dtype is not FLOAT32 and a.dtype.kind in refuses:
            raise dtype_refused(op, a.dtype)
        try:
            if not given:
                attributes = defaults  # type: ignore[assignment]
                value = forward(a)
            elif count == 1:
                value = forward(a, attributes[0])
            else:
                value = forward(a, *attributes)
        except Exception as error:
            value = retried(op, (x,), attributes, error)
        out = EagerTensor()
        out.value = storable(value) if type(value) is bytes else value
        out.mark = None
        followed = x.mark
        if followed is None:
            return out
        for interpreter in active():
            mark = interpreter.mark
            if followed is mark:
                bits = 1
            elif mark[0] in followed:
                bits = 5
            else:
                continue
            if out.mark is None:
                out.mark = mark
                key = out.id = next(fresh_ids)
            else:
                out.mark += mark
            append = interpreter.append
            if append is None:
                interpreter.observe(op, (x,), out, attributes)
                continue
            try:
                plan, _, (keep, keep_out) = layouts[bits]
            except KeyError:
                plan, _, (keep, keep_out) = layout(op, bits)
            kept_x = a if keep is None else x if keep == TENSOR else keep and lean(a, keep)
            append((plan, key, x.id, kept_x, keep_out and kept(out, keep_out)) + attributes)
        return out

    return call


# Plans as the calls written out in `calls` ask for them: by bits, and in the quickest form.


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
