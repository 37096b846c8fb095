"""What an engine is asked: each op that its values have, found by trying.

An op is an operator, a method, a class with `apply`, or a function of the file. What cannot be
called with values, or does not give one, is none; what gives other numbers each time is left out.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from ..trace.facts import primitive_called
from .numbers import DOMAINS, Numbers, sample
from .values import Values, quiet

Shape = tuple[int, ...]

BINARY = {
    "+": ("__add__", operator.add), "*": ("__mul__", operator.mul),
    "-": ("__sub__", operator.sub), "/": ("__truediv__", operator.truediv),
}  # fmt: skip
# What `x - y` and `x / y` are often made of is asked before them.
PARTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "-x": ("__neg__", lambda x: -x), "x ** 3": ("__pow__", lambda x: x**3),
    "x ** -1": ("__pow__", lambda x: x**-1),
}  # fmt: skip
WITH_NUMBERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "x + 2": ("__add__", lambda x: x + 2.0), "2 + x": ("__radd__", lambda x: 2.0 + x),
    "x * 3": ("__mul__", lambda x: x * 3.0), "3 * x": ("__rmul__", lambda x: 3.0 * x),
    "x - 2": ("__sub__", lambda x: x - 2.0), "2 - x": ("__rsub__", lambda x: 2.0 - x),
    "x / 2": ("__truediv__", lambda x: x / 2.0), "2 / x": ("__rtruediv__", lambda x: 2.0 / x),
    "x ** 2.5": ("__pow__", lambda x: x**2.5), "abs(x)": ("__abs__", abs),
}  # fmt: skip
SKIP = {
    "backward", "backprop", "zero_grad", "zero_grad_tree", "numpy", "item", "tolist", "detach",
    "copy", "clone", "data", "to", "cpu", "gpu", "cuda", "zeros", "ones", "rand", "randn", "sample",
    "zero_", "requires_grad_", "register_hook", "retain_grad", "apply", "parents", "graph",
}  # fmt: skip
AXIS = ("axis", "dim", "axes", "dims")
REPEATED: tuple[tuple[Shape, Shape], ...] = (
    ((3, 4), (4,)), ((3, 4), (3, 1)), ((3, 1), (1, 4)), ((4,), (3, 4)),
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One op, as it is asked.

    Attributes:
        op: what a sentence calls it.
        shapes: of its inputs.
        call: from values to a value.
        code: the function of the learner's that is called, where it is known.
        domain: where its inputs are.
        sure: whether it is certain that it is meant to be called so, as an operator is.
        known: what it gives for arrays, where that is known.
    """

    op: str
    shapes: tuple[Shape, ...]
    call: Callable[..., Any]
    code: Any = None
    domain: Numbers | None = None
    known: Callable[..., Any] | None = None
    sure: bool = True

    def inputs(self, turn: int = 0) -> list[Numbers]:
        """Numbers for its inputs."""
        domain = DOMAINS[0] if self.domain is None else self.domain
        return [sample(shape, domain, turn + i) for i, shape in enumerate(self.shapes)]


def cases(engine: Values, module: ModuleType) -> list[Case]:
    """The ops of an engine, the plainest first, each where it can be asked."""
    found: list[Case] = []
    for case in [*_operators(engine), *_methods(engine), *_functions(engine, module)]:
        asked = _asked(engine, case)
        if asked is not None and not any(_is_known(engine, asked, each) for each in found):
            found.append(asked)
    return found


def _asked(engine: Values, case: Case) -> Case | None:
    """The case in the first domain where its values are finite and the same each time."""
    for domain in DOMAINS:
        tried = replace(case, domain=domain)
        try:
            first, second = (engine.forward(tried.call, tried.inputs()) for _ in range(2))
            if _changes_itself(engine, tried):
                return None
        except Exception:
            continue
        if np.isfinite(first).all() and np.array_equal(first, second) and first.size:
            return tried
    return None


def _changes_itself(engine: Values, case: Case) -> bool:
    """Whether a method gives back the value it is called on: it changes it, and is no op."""
    with quiet():
        values = [engine.make(each) for each in case.inputs()]
        out = case.call(*values)
    return any(out is each for each in values)


def _is_known(engine: Values, case: Case, other: Case) -> bool:
    """Whether it is another name for an op that is asked already."""
    return case.code is not None and case.code == other.code and case.shapes == other.shapes


def _operators(engine: Values) -> Iterator[Case]:
    shape: Shape = (3, 4) if engine.arrays else ()
    signs = list(BINARY.items())
    for sign, (name, call) in signs[:2]:
        if hasattr(engine.kind, name):
            yield Case(f"x {sign} y", (shape, shape), call, known=call)
    yield from _with_numbers(engine, PARTS, shape)
    for sign, (name, call) in signs[2:]:
        if hasattr(engine.kind, name):
            yield Case(f"x {sign} y", (shape, shape), call, known=call)
    if engine.arrays and hasattr(engine.kind, "__matmul__"):
        yield Case("x @ y", ((3, 4), (4, 2)), operator.matmul, known=operator.matmul)
    yield from _with_numbers(engine, WITH_NUMBERS, shape)


def _with_numbers(
    engine: Values, table: dict[str, tuple[str, Callable[[Any], Any]]], shape: Shape
) -> Iterator[Case]:
    for said, (name, one) in table.items():
        if hasattr(engine.kind, name):
            yield Case(said, (shape,), one, known=one)


def _methods(engine: Values) -> Iterator[Case]:
    shape: Shape = (3, 4) if engine.arrays else ()
    for name in dir(engine.kind):
        if name.startswith("_") or name in SKIP:
            continue
        own = inspect.getattr_static(engine.kind, name)
        if isinstance(own, property):
            yield Case(f"x.{name}", (shape,), _property(name), own.fget)
        elif inspect.isfunction(own):
            yield from _of_function(f"x.{name}", _method(name), own, shape, True)


def _functions(engine: Values, module: ModuleType) -> Iterator[Case]:
    shape: Shape = (3, 4) if engine.arrays else ()
    for name, thing in list(vars(module).items()):
        is_maker = name.lower() == engine.kind.__name__.lower()
        if name.startswith("_") or name in SKIP or is_maker:
            continue
        if inspect.isclass(thing) and callable(getattr(thing, "apply", None)):
            yield from _of_function(name, getattr(thing, "apply"), thing, shape, False)  # noqa: B009
        elif inspect.isfunction(thing) and thing.__module__ == module.__name__:
            yield from _of_function(name, thing, thing, shape, False)


def _of_function(
    name: str, call: Callable[..., Any], code: Any, shape: Shape, is_method: bool
) -> Iterator[Case]:
    """The ways in which a function may take values: one, two, with an axis."""
    inside = "" if is_method else "x"
    known = _known(name.rpartition(".")[2].lower())
    yield Case(f"{name}({inside})", (shape,), call, code, known=known, sure=is_method)
    second = "y" if is_method else "x, y"
    yield Case(f"{name}({second})", (shape, shape), call, (code, 2), sure=is_method)
    if shape and "mul" in name.lower():
        yield Case(f"{name}({second})", ((3, 4), (4, 2)), call, (code, 2), sure=is_method)
    axis = _axis_of(code)
    if shape and axis:
        more = f"{axis}=0" if is_method else f"x, {axis}=0"
        yield Case(f"{name}({more})", (shape,), _with(call, axis, 0), (code, axis), sure=is_method)


def _known(name: str) -> Callable[[Any], Any] | None:
    """What functions of a name give everywhere; None where that is not sure, and is not judged."""
    found = primitive_called(name, 1)
    if found is None or not found.op.exported or not found.op.elementwise or found.op.attributes:
        return None
    return found.op.forward if len(found.op.inputs) == 1 and found.op.differentiable else None


def _axis_of(code: Any) -> str:
    try:
        parameters = inspect.signature(code).parameters
    except (TypeError, ValueError):
        return ""
    return next((name for name in AXIS if name in parameters), "")


def _with(call: Callable[..., Any], name: str, value: Any) -> Callable[..., Any]:
    return lambda x: call(x, **{name: value})


def _method(name: str) -> Callable[..., Any]:
    return lambda x, *rest, **named: getattr(x, name)(*rest, **named)


def _property(name: str) -> Callable[[Any], Any]:
    return lambda x: getattr(x, name)


def repeated(engine: Values, known: Sequence[Case]) -> list[Case]:
    """Ops on arrays of which one is repeated (broadcast), for each that is right without."""
    if not engine.arrays:
        return []
    found = []
    for case in known:
        if case.op in {f"x {sign} y" for sign in BINARY}:
            for shapes in REPEATED:
                said = " and ".join(str(list(each)) for each in shapes)
                asked = _asked(engine, Case(f"{case.op}, with shapes {said}", shapes, case.call))
                found += [] if asked is None else [asked]
    return found
