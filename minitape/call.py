"""Calls an op: makes tensors of its inputs, computes it, and shows it to the interpreters.

Whether it runs eagerly, in a graph or in a batch, every op comes through
`call`, with all of its checks. Users' calls make tensors of everything first (`on_values`); the
calls in rules leave arrays alone as long as no input is a tensor (`on_arrays_or_tensors`), so that
one rule serves sweeps over arrays and sweeps that a tape follows.

Read from the top: what a user's call passes through comes first, then the arguments, and last what
only calls on arrays or boxes need. (`fast` writes this out for the commonest shapes of ops.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import of_ops as refusals, raise_instead
from minitape.interpreter import active, fresh_ids, identity
from minitape.leaving import only
from minitape.record import make_record
from minitape.safety.retrying import retried
from minitape.tensor import EagerTensor, Operators, Tensor, eager, storable
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.interpreter import Interpreter
    from minitape.op import Op


def function_of(op: Op, handle: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an op's arguments; `name` is accepted as in TensorFlow, and not used."""

    def function(*args: Any, name: str | None = None, **named: Any) -> Any:
        return handle(op, args, named)

    return function


def on_values(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What users call: every input becomes a tensor first."""
    inputs, attributes = bind(op, args, kwargs)
    # Rules are written with operators, too, and Python knows only one `*` for both uses.
    if sweeping(inputs) is not None:
        return on_arrays_or_tensors(op, inputs, dict(zip(op.attributes, attributes, strict=True)))
    return apply(op, operands(op, inputs), attributes)


def apply(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Runs `op` on tensors, or on composites, which take themselves apart."""
    for x in inputs:
        if not isinstance(x, Tensor):
            return x.interpret(op, inputs, attributes)
    return call(op, inputs, prepared(op, inputs, attributes))


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
        raise refusals.box_escaped(op, inputs)
    # What an interpreter does for the op is seen by those outside of it alone. An inner tape then
    # observes the op itself, on boxes, and not the ops that the outer one made of it.
    with only(stack[:at]):
        out = stack[at].interpret(op, inputs, attributes)
    observe(op, inputs, out, attributes, stack[at + 1 :])
    return out


def check_dtypes(op: Op, inputs: Sequence[Any]) -> None:
    """Raises if inputs that must agree have different dtypes, or one that the op is not for."""
    alike = inputs if op.alike is None else [inputs[i] for i in op.alike]
    if any(x.spec.dtype != alike[0].spec.dtype for x in alike):
        raise refusals.dtypes_differ(op, inputs)
    if op.refuses and inputs and inputs[0].spec.dtype.kind in op.refuses:
        raise refusals.dtype_refused(op, inputs[0].spec.dtype)


def check_promotion(op: Op, inputs: Sequence[Any], result: Any) -> None:
    """Raises if NumPy made floats of integers where TensorFlow's op takes none."""
    # NumPy's sine of an int32 is a float64; TensorFlow's takes no integers.
    if op.refuses_promotion and result.dtype.kind in "fc" and inputs[0].spec.dtype.kind in "iub":
        raise refusals.promotion_refused(op, inputs[0])


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
        result = retried(op, inputs, attributes, error)
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


def bind(
    op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Splits a call's arguments into inputs and attributes, defaults filled in."""
    names = op.inputs + op.attributes
    if len(args) == len(names) + 1 and not op.attributes:
        args = args[:-1]  # the name, which TensorFlow takes by position, too
    if len(args) > len(names):
        raise refusals.unexpected_argument(
            op, f"takes {len(names)} arguments but {len(args)} were given"
        )
    if kwargs or len(args) < len(names):
        given = dict(zip(names, args, strict=False))
        wrong = [key for key in kwargs if key in given or key not in names]
        if wrong:
            problem = (
                "got multiple values for" if wrong[0] in given else "got an unexpected keyword"
            )
            raise refusals.unexpected_argument(op, f"{problem} argument '{wrong[0]}'")
        given = op.defaults | given | kwargs
        missing = [name for name in names if name not in given]
        if missing:
            raise refusals.unexpected_argument(op, f"misses its argument '{missing[0]}'")
        args = tuple(given[name] for name in names)
    count = len(op.inputs)
    return (tuple(args[0]) if op.variadic else args[:count]), args[count:]


def operands(op: Op, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tensors of an op's inputs: plain values take the dtype of the first tensor among them."""
    found = list(values)
    plain = []
    dtype = None
    for i, value in enumerate(values):
        if type(value) is not EagerTensor:
            if not isinstance(value, Operators):
                plain.append(i)
                continue
            found[i] = _made_for_the_call(operand(value, None))
        # Indices have a dtype of their own, which says nothing of the numbers beside them.
        if dtype is None and not (op.cuts and op.input_name(i) in op.cuts):
            x = found[i]
            dtype = x.value.dtype if type(x) is EagerTensor else x.spec.dtype
    # Only now is the dtype known: in `2 * x` the number comes first.
    for i in plain:
        if op.cuts and op.input_name(i) in op.cuts:
            found[i] = _made_for_the_call(operand(values[i], None))
        else:
            found[i] = _made_for_the_call(operand(values[i], dtype))
            dtype = found[i].spec.dtype if dtype is None else dtype
    return tuple(found)


def _made_for_the_call(x: Any) -> Any:
    """Says of a new tensor that nobody else has it, so that no tape can be told to watch it."""
    if type(x) is EagerTensor and x.mark is None:
        x.id = 0
    return x


def prepared(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The attributes in their canonical form."""
    if op.prepare is None:
        return attributes
    try:
        given = (inputs,) if op.variadic else inputs
        return tuple(op.prepare(*given, *attributes))
    except ValueError as error:
        raise_instead(refusals.attributes_refused(op, attributes, error), error)


def on_arrays_or_tensors(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What rules call: arrays give arrays; as soon as one input is a tensor, all become tensors."""
    inputs, attributes = bind(op, args, kwargs)
    sweep = sweeping(inputs)
    if sweep is None:
        # One tensor is enough: an interpreter that follows it has to see the op.
        for x in inputs:
            if isinstance(x, Operators):
                return apply(op, operands(op, inputs), attributes)
    attributes = prepared(op, inputs, attributes)
    if sweep is not None:
        return sweep.interpret(op, inputs, attributes)
    return op.forward(inputs, *attributes) if op.variadic else op.forward(*inputs, *attributes)


def sweeping(inputs: Any) -> Any:
    """The batch of a raw sweep with stacks among `inputs`; arrays beside them are the tape's."""
    for x in inputs:
        if isinstance(x, Boxed):
            return x.interpreter if x.interpreter.in_sweep else None
    return None


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
