"""From the arguments of a call to the op's inputs: binding, converting, and who computes.

The one fact to know: users' calls make tensors of everything (`on_values`); the calls in rules
leave arrays alone as long as no input is a tensor (`on_arrays_or_tensors`), so that one rule serves
sweeps over arrays and sweeps that a tape follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.call import call
from minitape.errors import of_ops as messages, raise_instead
from minitape.tensor import EagerTensor, Operators, Tensor
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable

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


def prepared(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The attributes in their canonical form."""
    if op.prepare is None:
        return attributes
    try:
        given = (inputs,) if op.variadic else inputs
        return tuple(op.prepare(*given, *attributes))
    except ValueError as error:
        raise_instead(messages.attributes_refused(op, attributes, error), error)


def apply(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Runs `op` on tensors, or on composites, which take themselves apart."""
    for x in inputs:
        if not isinstance(x, Tensor):
            return x.interpret(op, inputs, attributes)
    return call(op, inputs, prepared(op, inputs, attributes))


def bind(
    op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Splits a call's arguments into inputs and attributes, defaults filled in."""
    names = op.inputs + op.attributes
    if len(args) == len(names) + 1 and not op.attributes:
        args = args[:-1]  # the name, which TensorFlow takes by position, too
    if len(args) > len(names):
        raise messages.unexpected_argument(
            op, f"takes {len(names)} arguments but {len(args)} were given"
        )
    if kwargs or len(args) < len(names):
        given = dict(zip(names, args, strict=False))
        wrong = [key for key in kwargs if key in given or key not in names]
        if wrong:
            problem = (
                "got multiple values for" if wrong[0] in given else "got an unexpected keyword"
            )
            raise messages.unexpected_argument(op, f"{problem} argument '{wrong[0]}'")
        given = op.defaults | given | kwargs
        missing = [name for name in names if name not in given]
        if missing:
            raise messages.unexpected_argument(op, f"misses its argument '{missing[0]}'")
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


def sweeping(inputs: Any) -> Any:
    """The batch of a raw sweep with stacks among `inputs`; arrays beside them are the tape's."""
    for x in inputs:
        if isinstance(x, Boxed):
            return x.interpreter if x.interpreter.in_sweep else None
    return None
