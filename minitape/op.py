r"""Declares an op in one place: its forward, its derivative rules, its batching rule, its formula.

    @primitive("multiply", "math.multiply", operator="mul", broadcasts=True, latex=r"{x} {y}")
    def multiply(x: Array, y: Array) -> Array:
        return x * y

    @multiply.vjp("x")
    def _(g: Tensor, y: Tensor) -> Tensor:
        return g * y

    multiply.says(sign="·", grows=True)

A primitive called on arrays gives arrays, and on tensors gives tensors. So one rule serves the raw
sweep over NumPy arrays and the sweeps that an outer tape, a batch or a formula follows.
`multiply.public` is what users call: it makes tensors of numbers, lists and variables first.
`multiply.op` is the declaration, an `Op`: plain data, which computes nothing and which others read.
What an op says of itself is for pictures and explanations (see `facts`); nothing here asks it.

A rule is the plain derivative, without conjugates: the sweep conjugates seeds and results of
complex dtype instead (see `backward`), which costs real programs nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from minitape import hooks
from minitape.call import (
    apply,
    bind,
    function_of,
    on_arrays_or_tensors,
    on_values,
    operands,
    sweeping,
)
from minitape.errors import teach
from minitape.errors.of_formulas import check_formula
from minitape.facts import NOTHING, Facts
from minitape.names import signatures
from minitape.names.registry import exports, registry
from minitape.plan import KEEPS
from minitape.tensor import Array, Arrays, Indices, Operators, Shape, Spec, Specs, Tensor, Tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    class Primitive(Protocol):
        """What `@primitive` returns: a function that carries its declaration."""

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

        def product(self, rule: Callable[..., Any]) -> None:
            """Declares the op as a product of matrices: `(*inputs) -> (left, right)` or None."""

        def prepare(self, rule: Callable[..., Any]) -> None:
            """Declares the canonical form of attributes: `(*inputs, *attributes) -> attributes`."""

        def ragged(self, rule: Callable[..., Any]) -> None:
            """Declares what it does with ragged tensors: `(op, inputs, attributes) -> result`."""

        def joint(self, other: Primitive) -> Callable[[Callable[..., Any]], None]:
            """Declares a forward that gives this op's result and that of `other`, bit by bit.

            It takes this op's inputs, of which `other` has those of the same names, and the
            attributes of both: `(*inputs, *attributes) -> (out, other's out)`.
            """

        def says(self, **facts: Any) -> None:
            """Says what one has to know to show and explain the op; see `facts.Facts`."""


Public = TypeVar("Public")  # a public function or class, which keeps its type

__all__ = [
    "Op",
    "Rule",
    "apply",
    "attach",
    "bind",
    "export",
    "exports",
    "operands",
    "primitive",
    "registry",
    "sweeping",
    "words",
]


def primitive(
    *exported: str, operator: str = "", **options: Any
) -> Callable[[Callable[..., Any]], Primitive]:
    """Declares an op; see the top of this module.

    Args:
        exported: the public names, for instance "multiply", "math.multiply".
        operator: the Python operator that it is, for instance "mul" for `*`.
        options: the keyword arguments of `Op`.

    Raises:
        TypeError: a public name is not a text; a decorator without its parentheses, for instance.
            Or the formula names what is neither an input nor an attribute of the forward.
    """
    _are_names("primitive", exported)

    def declare(forward: Callable[..., Any]) -> Primitive:
        op = Op(forward, exported, **options)
        if not op.ours:  # ours are checked by a test: importing them is to be quick
            check_formula(op.name, op.latex, op.inputs, op.attributes)
        # Two functions of one op: users' calls make tensors of numbers, calls in rules do not.
        public = _function(op, forward, in_rules=False)
        call = _function(op, forward, in_rules=True)
        call.public, call.vjp, call.joint = public, partial(_vjp, op), partial(_joint, op)
        call.says = partial(_says, op)
        for slot in ("jvp", "batch", "product", "prepare", "ragged"):
            setattr(call, slot, partial(setattr, op, slot))
        _export(public, exported)
        if operator:
            attach(operator, public, reflected=len(op.inputs) == 2 and op.differentiable)
        op.call = call
        # A learner's op does not take the place of one of ours.
        if op.name not in registry or not registry[op.name].op.ours:
            registry[op.name] = call
        return call  # type: ignore[no-any-return]

    return declare


def export(*names: str) -> Callable[[Public], Public]:
    """Declares the public names of a function that is made of ops."""
    _are_names("export", names)

    def declare(function: Public) -> Public:
        _export(function, names)
        return function

    return declare


def _are_names(decorator: str, given: tuple[Any, ...]) -> None:
    for each in given:
        if not isinstance(each, str):
            raise TypeError(
                teach(
                    f"{decorator} got {getattr(each, '__name__', repr(each))} as a public name.",
                    "Public names are texts; a decorator without parentheses takes the function "
                    "for one.",
                    f'Write `@{decorator}()`, or `@{decorator}("math.cube")`.',
                )
            )


def _export(function: Any, names: tuple[str, ...]) -> None:
    """Makes a function or class public, under names of which the first becomes its own."""
    exports.update(dict.fromkeys(names, function))
    if names:
        signatures.public(function, names[0])


def attach(operator: str, public: Callable[..., Any], reflected: bool) -> None:
    """Makes `public` a Python operator of tensors and variables, on both sides where asked."""
    # Attached here and not written there, so that `Operators` knows no op and imports none.
    setattr(Operators, f"__{operator}__", public)
    # Python swaps the operands of a reflected operator: 2 - x is x.__rsub__(2).
    if reflected:
        setattr(Operators, f"__r{operator}__", lambda y, x: public(x, y))


def _function(op: Op, forward: Callable[..., Any], in_rules: bool) -> Any:
    """The function that users or rules call."""
    plain = function_of(op, on_arrays_or_tensors if in_rules else on_values)
    function: Any = hooks.call(op, plain, in_rules)
    # The forward's name and text, so that help() and tracebacks show what was declared.
    function.__name__ = function.__qualname__ = op.name
    function.__module__ = forward.__module__
    function.__doc__, function.__wrapped__ = forward.__doc__, forward
    function.op = op
    return function


def _vjp(op: Op, *names: str) -> Callable[[Callable[..., Any]], None]:
    if not set(names) <= set(op.inputs):
        raise TypeError(f"{op.name} has no input {names}; its inputs are {op.inputs}")

    def declare(rule: Callable[..., Any]) -> None:
        declared = Rule(rule)
        for name, note in declared.needs:
            if name in (*op.inputs, "out") and note not in KEEPS:
                raise TypeError(
                    teach(
                        f"A rule of {op.name} takes `{name}` without saying what of it.",
                        "The annotation decides what a tape keeps: a rule's signature is its "
                        "memory plan.",
                        f"Write `{name}: Tensor` for the value, `{name}: Spec` for shape and "
                        f"dtype, `{name}: Shape` for the shape.",
                    )
                )
        # A rule may come late, in a notebook's next cell: it changes what records have to keep.
        op.rules.update(dict.fromkeys(names, declared))
        op.forget()

    return declare


def _joint(op: Op, other: Primitive) -> Callable[[Callable[..., Any]], None]:
    def declare(forward: Callable[..., Any]) -> None:
        both = Op(forward, (), type_name=op.type_name)
        both.name = f"{op.name}_and_{other.op.name}"
        op.joint = other.op, both

    return declare


def _says(op: Op, **facts: Any) -> None:
    unknown = facts.keys() - set(Facts._fields)
    if unknown:
        raise TypeError(
            teach(
                f"{op.name} says {', '.join(f'{name}=...' for name in sorted(unknown))}.",
                "Pictures and explanations ask an op for certain facts, and for none of that name.",
                f"Say one of these: {', '.join(Facts._fields)}.",
            )
        )
    op.facts = op.facts._replace(**facts)


class Rule:
    """A derivative rule, and what its signature says it needs: pairs of name and annotation."""

    __slots__ = ("function", "needs")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        # The first argument is the cotangent, whatever its name.
        names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
        notes = words(function)
        self.needs = [(name, notes.get(name)) for name in names]


class Op:
    """The declaration of one primitive: plain data, filled in by the decorators."""

    __slots__ = (
        "alike",
        "attributes",
        "batch",
        "broadcasts",
        "call",
        "cuts",
        "defaults",
        "differentiable",
        "draws",
        "effect",
        "elementwise",
        "exported",
        "facts",
        "forward",
        "infer",
        "inputs",
        "joint",
        "jvp",
        "latex",
        "layouts",
        "lengths",
        "name",
        "node_name",
        "ours",
        "plans",
        "prepare",
        "product",
        "ragged",
        "refuses",
        "refuses_promotion",
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
        lengths: bool = False,
        latex: str = "",
        type_name: str = "",
        node_name: str = "",
        refuses: str = "",
        promotes: bool = False,
        mixed: bool = False,
        batch: Any = None,
        infer: Any = None,
    ) -> None:
        self.name = forward.__name__.rstrip("_")
        self.exported = exported
        self._read(forward)
        # Or a learner's; a function that `exec` made may be of no module.
        self.ours = (forward.__module__ or "").startswith("minitape.")
        self.forward: Callable[..., Any] = kernel or forward  # NumPy's own saves a Python frame
        self.broadcasts = broadcasts
        self.elementwise = elementwise or broadcasts
        self.differentiable = differentiable
        self.draws = draws  # random numbers: the examples of a batch each have their own
        self.lengths = lengths  # makes sizes of sizes: graphs know them before they run
        # With an effect a graph has to record it even without symbolic inputs.
        self.effect = effect
        self.latex = latex
        self.facts = NOTHING  # for pictures and explanations: the engine reads none of them
        self.type_name: str = type_name or "".join(map(str.capitalize, self.name.split("_")))
        # What TensorFlow calls its first node in a graph: `add` for x + y, `Sin` for tf.sin(x).
        self.node_name = node_name or self.type_name
        self.batch, self.infer = batch, infer
        self.call: Any = None  # what rules call; see `primitive`
        self.jvp: Any = None
        self.prepare: Any = None
        self.product: Any = None
        self.ragged: Any = None  # an elementwise op needs none: it acts on the values
        self.joint: tuple[Op, Op] | None = None  # another op, and the one that is both
        self._demand(mixed, refuses, promotes)
        self.rules: dict[str, Rule] = {}
        self.plans: dict[Any, Any] = {}  # by what is followed and what was broadcast; see `record`
        self.layouts: dict[int, Any] = {}  # the same as the fast layer asks for it

    def _read(self, forward: Callable[..., Any]) -> None:
        """Finds inputs and attributes in the signature."""
        code, notes = forward.__code__, words(forward)
        names = code.co_varnames[: code.co_argcount]
        self.inputs = tuple(name for name in names if notes.get(name) in _INPUTS)
        self.attributes = names[len(self.inputs) :]
        given = forward.__defaults__ or ()
        self.defaults = dict(zip(names[len(names) - len(given) :], given, strict=True))
        # Inputs without a derivative: a gradient ends there, and is None, as in TensorFlow.
        self.cuts = {name for name in self.inputs if notes[name] == "Indices"}
        self.variadic = "Arrays" in notes.values()
        self.several = str(notes.get("return")).startswith("tuple")

    def _demand(self, mixed: bool, refuses: str, promotes: bool) -> None:
        """Says what calls have to look at: which inputs agree in dtype, which dtypes are refused.

        Args:
            mixed: whether all inputs may have different dtypes.
            refuses: kinds of dtypes that NumPy computes with and TensorFlow's op does not.
            promotes: whether it may make floats of integers, as TensorFlow's op does.
        """
        self.refuses = refuses
        # Positions of the inputs that must have one dtype; None for all of them.
        self.alike: tuple[int, ...] | None = None
        if mixed:
            self.alike = ()
        elif self.cuts:
            self.alike = tuple(i for i, name in enumerate(self.inputs) if name not in self.cuts)
        # Whether a floating result of integers is an error, as in TensorFlow: tf.sin(3). (An
        # attribute may ask for another dtype, so that NumPy's result says nothing.)
        may_differ = self.attributes or self.cuts or self.several or self.effect or promotes
        self.refuses_promotion = self.differentiable and not may_differ

    def pulled(self, followed: Sequence[bool]) -> list[int]:
        """The positions of the followed inputs that get a share of the gradient."""
        return [i for i, own in enumerate(followed) if own and self.input_name(i) not in self.cuts]

    def forget(self) -> None:
        """Drops all plans: those of calls that were made before the op got a rule."""
        # Plans keep their numbers: records that were made with them can still be swept.
        self.plans.clear()
        self.layouts.clear()

    def applied(
        self, function: Callable[..., Any], inputs: Sequence[Any], attributes: tuple[Any, ...]
    ) -> Any:
        """What `function`, called as the forward is, makes of inputs and attributes."""
        given = (inputs,) if self.variadic else inputs
        return function(*given, *attributes)

    def input_name(self, position: int) -> str:
        """The name of the input at `position`."""
        return self.inputs[0] if self.variadic else self.inputs[position]


_WORDS = {
    Array: "Array",
    Indices: "Indices",
    Arrays: "Arrays",
    Tensor: "Tensor",
    Tensors: "Tensors",
    Shape: "Shape",
    Spec: "Spec",
    Specs: "Specs",
}
_INPUTS = {"Array", "Arrays", "Indices"}


def words(function: Callable[..., Any]) -> dict[str, str]:
    """The annotations of a function as words, by the names of its arguments (and `return`).

    With `from __future__ import annotations` Python keeps words; without it, as in most notebooks,
    the objects that the words stand for.

    Example:
        >>> from minitape.tensor import Array
        >>> def forward(x: Array, axis: int) -> Array: ...
        >>> words(forward)["x"]
        'Array'
    """
    return {name: _word(note) for name, note in function.__annotations__.items()}


def _word(note: Any) -> str:
    if isinstance(note, str):
        return note.strip("'\"")
    return next((word for known, word in _WORDS.items() if note == known), str(note))
