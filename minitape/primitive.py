r"""Declaring an op in one place: its forward, its derivative rules, its batching rule, its formula.

    @primitive("multiply", "math.multiply", operator="mul", broadcasts=True, latex=r"{x} \odot
    {y}") def multiply(x: Array, y: Array) -> Array:
        return x * y

    @multiply.vjp("x")
    def _(g: Tensor, y: Tensor) -> Tensor:
        return g * y

The one fact to know: a primitive called on arrays gives arrays, and on tensors gives tensors. So
one rule serves the raw sweep over NumPy arrays and the sweeps that an outer tape, a batch or a
formula watches. `op.public` is what users call: it makes tensors of numbers, lists and variables
first.

A rule is the plain derivative, without conjugates: the sweep conjugates seeds and results of
complex dtype instead (see `backward`), which costs real programs nothing.
May import: calls, convert, plan, messages, interpreter, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from minitape import calls, messages
from minitape.annotations import words
from minitape.convert import operand
from minitape.loading import load_rest
from minitape.plan import Plans, Rule
from minitape.tensor import Boxed, EagerTensor, Operators, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable


class Registry(dict[str, Any]):
    """The primitives by name; one whose module is not loaded yet is loaded when asked for."""

    def __missing__(self, name: str) -> Any:
        load_rest()
        if name in self:
            return self[name]
        raise KeyError(name)


registry = Registry()
exports: dict[str, Any] = {}  # public name, such as "math.multiply" -> what users call


class Primitive(Protocol):
    """What `@primitive` returns: a function on tensors or arrays that carries its declaration."""

    op: Op
    public: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the op: on arrays if all inputs are arrays, else on tensors."""

    def vjp(self, *names: str) -> Callable[[Callable[..., Any]], None]:
        """Declares the rule for the inputs `names`: `(g, ...) -> contribution`."""

    def jvp(self, rule: Callable[..., Any]) -> None:
        """Declares a forward rule where the transposed VJP would be slow."""

    def batch(self, rule: Callable[..., Any]) -> None:
        """Declares how the op works on inputs with a leading batch axis."""

    def prepare(self, rule: Callable[..., Any]) -> None:
        """Declares the canonical form of attributes: `(*inputs, *attributes) -> attributes`."""


class Op:
    """The declaration of one primitive: plain data, filled in by the decorators."""

    __slots__ = (
        "attributes",
        "batch",
        "broadcasts",
        "cuts",
        "defaults",
        "differentiable",
        "draws",
        "effect",
        "elementwise",
        "exported",
        "forward",
        "infer",
        "inputs",
        "jvp",
        "latex",
        "name",
        "plans",
        "prepare",
        "rules",
        "several",
        "type_name",
        "variadic",
    )

    def __init__(
        self,
        forward: Callable[..., Any],
        exported: tuple[str, ...],
        *,
        kernel: Callable[..., Any] | None = None,
        broadcasts: bool = False,
        elementwise: bool = False,
        differentiable: bool = True,
        effect: bool = False,
        draws: bool = False,
        latex: str = "",
        type_name: str = "",
        batch: Any = None,
        infer: Any = None,
    ) -> None:
        code, notes = forward.__code__, words(forward)
        names = code.co_varnames[: code.co_argcount]
        self.name = forward.__name__.rstrip("_")
        self.exported = exported
        self.forward: Callable[..., Any] = kernel or forward  # a C function saves the Python frame
        self.inputs = tuple(
            name for name in names if notes.get(name) in {"Array", "Arrays", "Indices"}
        )
        self.attributes = names[len(self.inputs) :]
        self.defaults = dict(
            zip(
                names[len(names) - len(forward.__defaults__ or ()) :],
                forward.__defaults__ or (),
                strict=True,
            )
        )
        self.cuts = {
            name for name in self.inputs if notes[name] == "Indices"
        }  # inputs without a derivative
        self.variadic = "Arrays" in notes.values()
        self.several = str(notes.get("return")).startswith("tuple")
        self.broadcasts = broadcasts
        self.elementwise = elementwise or broadcasts
        self.differentiable = differentiable
        self.draws = draws  # random numbers: the examples of a batch each have their own
        self.effect = effect  # a graph has to record it even without symbolic inputs
        self.latex = latex
        self.type_name = type_name or "".join(part.capitalize() for part in self.name.split("_"))
        self.batch = batch
        self.infer = infer
        self.jvp: Any = None
        self.prepare: Any = None
        self.rules: dict[str, Rule] = {}
        self.plans = Plans(self)

    def input_name(self, position: int) -> str:
        """The name of the input at `position`."""
        return self.inputs[0] if self.variadic else self.inputs[position]

    def matching(self, count: int) -> list[int]:
        """The positions of the inputs that must have one dtype."""
        return [i for i in range(count) if self.input_name(i) not in self.cuts]


def primitive(
    *exported: str, operator: str = "", **options: Any
) -> Callable[[Callable[..., Any]], Primitive]:
    """Declares an op; see the top of this module.

    Args:
        exported: the public names, for instance "multiply", "math.multiply".
        operator: the Python operator that it is, for instance "mul" for `*`.
        options: the keyword arguments of `Op`.
    """

    def declare(forward: Callable[..., Any]) -> Primitive:
        op = Op(forward, exported, **options)
        public = _function(op, forward, _on_values)
        call = _function(op, forward, _on_arrays_or_tensors)
        call.public, call.vjp = public, _vjp(op)
        call.jvp, call.batch, call.prepare = (
            _setter(op, slot) for slot in ("jvp", "batch", "prepare")
        )
        exports.update(dict.fromkeys(exported, public))
        if operator:
            attach(operator, public, reflected=len(op.inputs) == 2 and op.differentiable)
        registry[op.name] = call
        return call  # type: ignore[no-any-return]

    return declare


def export(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares the public names of a function that is made of ops."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        exports.update(dict.fromkeys(names, function))
        return function

    return declare


def attach(operator: str, public: Callable[..., Any], reflected: bool) -> None:
    """Makes `public` a Python operator of tensors and variables, on both sides where asked."""
    setattr(Operators, f"__{operator}__", public)
    if reflected:
        setattr(Operators, f"__r{operator}__", lambda y, x: public(x, y))


def _function(op: Op, forward: Callable[..., Any], fallback: Callable[..., Any]) -> Any:
    """The function that users or rules call: a closure of `calls` where the op's shape has one."""
    arrays = fallback is _on_arrays_or_tensors
    simple = not (op.several or op.variadic or op.effect)
    if simple and not op.differentiable and len(op.inputs) <= 2 and not op.attributes:
        convert = _convert_one if len(op.inputs) == 1 else _convert_two
        discrete = calls.undifferentiable(
            op, lambda *inputs: convert(op, discrete, *inputs), arrays
        )
        function = discrete if arrays else _by_name(op, discrete)
    elif simple and op.differentiable and not op.cuts and len(op.inputs) == 1 and op.attributes:
        function = calls.attributed(
            op, lambda inputs, attributes: fallback(op, inputs, attributes), arrays
        )
    elif simple and op.differentiable and len(op.inputs) <= 2 and not op.attributes:
        shape = calls.unary if len(op.inputs) == 1 else calls.binary
        convert = _convert_one if len(op.inputs) == 1 else _convert_two
        function = shape(op, lambda *inputs: convert(op, function, *inputs), arrays)
        if not arrays and op.inputs not in (("x",), ("x", "y")):
            function = _by_name(op, function)
    else:

        def function(*args: Any, name: str | None = None, **attributes: Any) -> Any:
            return fallback(op, args, attributes)

    function.__name__, function.__qualname__, function.__module__ = (
        op.name,
        op.name,
        forward.__module__,
    )
    function.__doc__, function.__wrapped__ = forward.__doc__, forward  # type: ignore[attr-defined]
    function.op = op  # type: ignore[attr-defined]
    return function


def _by_name(op: Op, call: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a closure, whose own arguments are x and y, take the arguments by the op's names."""

    def function(*args: Any, name: str | None = None, **named: Any) -> Any:
        return (
            call(*bind(op, args, named)[0]) if named or len(args) != len(op.inputs) else call(*args)
        )

    return function


def _convert_one(op: Op, call: Callable[..., Any], x: Any) -> Any:
    """Calls the closure again with a tensor for what was none, or asks a box's interpreter."""
    if isinstance(x, Boxed) and x.interpreter.sweep:
        return x.interpreter.interpret(op, (x,), ())
    (x,) = operands(op, (x,))
    return call(x) if type(x) is EagerTensor else apply(op, (x,), ())


def _convert_two(op: Op, call: Callable[..., Any], x: Any, y: Any) -> Any:
    """The same for two inputs; the commonest is a variable or number beside a tensor."""
    if type(x) is EagerTensor and not op.cuts:
        y = operand(y, x.value.dtype)
    elif type(y) is EagerTensor and not op.cuts:
        x = operand(x, y.value.dtype)
    else:
        sweep = sweeping((x, y))
        if sweep is not None:
            return sweep.interpret(op, (x, y), ())
        x, y = operands(op, (x, y))
    return call(x, y) if type(x) is EagerTensor is type(y) else apply(op, (x, y), ())


def sweeping(inputs: Any) -> Any:
    """The batch of a raw sweep with stacks among `inputs`; arrays beside them are the tape's."""
    for x in inputs:
        if isinstance(x, Boxed):
            return x.interpreter if x.interpreter.sweep else None
    return None


def _vjp(op: Op) -> Callable[..., Any]:
    def vjp(*names: str) -> Callable[[Callable[..., Any]], None]:
        if not set(names) <= set(op.inputs):
            raise TypeError(f"{op.name} has no input {names}; its inputs are {op.inputs}")
        return lambda rule: op.rules.update(dict.fromkeys(names, Rule(rule)))

    return vjp


def _setter(op: Op, slot: str) -> Callable[[Callable[..., Any]], None]:
    return lambda rule: setattr(op, slot, rule)


def _on_values(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What users call: every input becomes a tensor first."""
    inputs, attributes = bind(op, args, kwargs)
    if sweeping(inputs) is not None:  # an operator in a rule
        return _on_arrays_or_tensors(op, inputs, dict(zip(op.attributes, attributes, strict=True)))
    return apply(op, operands(op, inputs), attributes)


def _on_arrays_or_tensors(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What rules call: arrays give arrays; as soon as one input is a tensor, all become tensors."""
    inputs, attributes = bind(op, args, kwargs)
    sweep = sweeping(inputs)
    if sweep is None:
        for x in inputs:
            if isinstance(x, Operators):
                return apply(op, operands(op, inputs), attributes)
    if op.prepare is not None:
        attributes = (
            op.prepare(inputs, *attributes) if op.variadic else op.prepare(*inputs, *attributes)
        )
    if sweep is not None:
        return sweep.interpret(op, inputs, attributes)
    return op.forward(inputs, *attributes) if op.variadic else op.forward(*inputs, *attributes)


def apply(op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Runs `op` on tensors, or on composites, which take themselves apart."""
    for x in inputs:
        if not isinstance(x, Tensor):
            return x.interpret(op, inputs, attributes)
    if op.prepare is not None:
        attributes = (
            op.prepare(inputs, *attributes) if op.variadic else op.prepare(*inputs, *attributes)
        )
    return calls.general(op, inputs, attributes)


def bind(
    op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Splits a call's arguments into inputs and attributes, defaults filled in."""
    names = op.inputs + op.attributes
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
            found[i] = operand(value, None)
        if dtype is None and not (op.cuts and op.input_name(i) in op.cuts):
            x = found[i]
            dtype = x.value.dtype if type(x) is EagerTensor else x.spec.dtype
    for i in plain:
        if op.cuts and op.input_name(i) in op.cuts:
            found[i] = operand(values[i], None)
        else:
            found[i] = operand(values[i], dtype)
            dtype = found[i].spec.dtype if dtype is None else dtype
    return tuple(found)
