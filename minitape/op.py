"""What an op is: the data of its declaration.

The one fact to know: an `Op` computes nothing. It says what the forward takes, which rules belong
to which input, and how the op behaves in batches, graphs and pictures; others read that.
May import: annotations, plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.annotations import words
from minitape.plan import Plans, Rule

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


_INPUTS = {"Array", "Arrays", "Indices"}


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
        "product",
        "promotes",
        "refuses",
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
        refuses: str = "",
        promotes: bool = False,
        batch: Any = None,
        infer: Any = None,
    ) -> None:
        self.name = forward.__name__.rstrip("_")
        self.exported = exported
        self._read(forward)
        # a C function saves the Python frame
        self.forward: Callable[..., Any] = kernel or forward
        self.refuses = refuses  # kinds of dtypes that NumPy computes with and TensorFlow does not
        self.promotes = promotes  # whether it may make floats of integers, as TensorFlow's does
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
        self.product: Any = None
        self.rules: dict[str, Rule] = {}
        self.plans = Plans(self)

    def _read(self, forward: Callable[..., Any]) -> None:
        """Finds inputs and attributes in the signature."""
        code, notes = forward.__code__, words(forward)
        names = code.co_varnames[: code.co_argcount]
        self.inputs = tuple(name for name in names if notes.get(name) in _INPUTS)
        self.attributes = names[len(self.inputs) :]
        given = forward.__defaults__ or ()
        self.defaults = dict(zip(names[len(names) - len(given) :], given, strict=True))
        # inputs that have no derivative
        self.cuts = {name for name in self.inputs if notes[name] == "Indices"}
        self.variadic = "Arrays" in notes.values()
        self.several = str(notes.get("return")).startswith("tuple")

    @property
    def plain_defaults(self) -> tuple[Any, ...] | None:
        """The attributes of a call that gives none, if all have a default in canonical form.

        None and truth values are; an axis such as -1 is for `prepare` to see.
        """
        given = tuple(self.defaults.values())
        plain = all(x is None or type(x) is bool for x in given)
        return given if plain and len(given) == len(self.attributes) else None

    def input_name(self, position: int) -> str:
        """The name of the input at `position`."""
        return self.inputs[0] if self.variadic else self.inputs[position]

    def matching(self, count: int) -> Sequence[int]:
        """The positions of the inputs that must have one dtype."""
        if not self.cuts:
            return range(count)
        return [i for i in range(count) if self.input_name(i) not in self.cuts]
