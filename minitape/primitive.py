r"""Declaring an op in one place: its forward, its derivative rules, its batching rule, its formula.

    @primitive("multiply", "math.multiply", operator="mul", broadcasts=True, latex=r"{x} {y}")
    def multiply(x: Array, y: Array) -> Array:
        return x * y

    @multiply.vjp("x")
    def _(g: Tensor, y: Tensor) -> Tensor:
        return g * y

The one fact to know: a primitive called on arrays gives arrays, and on tensors gives tensors. So
one rule serves the raw sweep over NumPy arrays and the sweeps that an outer tape, a batch or a
formula follows. `op.public` is what users call: it makes tensors of numbers, lists and variables
first.

A rule is the plain derivative, without conjugates: the sweep conjugates seeds and results of
complex dtype instead (see `backward`), which costs real programs nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from minitape import hooks
from minitape.arguments import (
    apply,
    bind,
    function_of,
    on_arrays_or_tensors,
    on_values,
    operands,
    sweeping,
)
from minitape.errors import teach
from minitape.names.registry import exports, registry
from minitape.op import Op, Rule
from minitape.plan import KEEPS
from minitape.tensor import Operators

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Primitive

Public = TypeVar("Public")  # a public function or class, which keeps its type

__all__ = [
    "Op",
    "apply",
    "attach",
    "bind",
    "export",
    "exports",
    "operands",
    "primitive",
    "registry",
    "sweeping",
]


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
        # Two functions of one op: users' calls make tensors of numbers, calls in rules do not.
        public = _function(op, forward, in_rules=False)
        call = _function(op, forward, in_rules=True)
        call.public, call.vjp, call.joint = public, partial(_vjp, op), partial(_joint, op)
        for slot in ("jvp", "batch", "product", "prepare"):
            setattr(call, slot, partial(setattr, op, slot))
        exports.update(dict.fromkeys(exported, public))
        if operator:
            attach(operator, public, reflected=len(op.inputs) == 2 and op.differentiable)
        registry[op.name] = call
        return call  # type: ignore[no-any-return]

    return declare


def export(*names: str) -> Callable[[Public], Public]:
    """Declares the public names of a function that is made of ops."""

    def declare(function: Public) -> Public:
        exports.update(dict.fromkeys(names, function))
        return function

    return declare


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
