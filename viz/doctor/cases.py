"""What an engine is asked: each op that its values have, found by trying.

An op is an operator, a method, a class with `apply`, a class whose instances are called with
values (a layer or a function), a function of the file or package, or a function that a table of
rules has as its key. What cannot be called with values, or does not give one, is none; what gives
other numbers each time is left out.
"""

from __future__ import annotations

import contextlib
import inspect
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from ..trace.facts import primitive_called
from .numbers import DOMAINS, Numbers, sample
from .values import Values, quiet

Shape = tuple[int, ...]
Asked = Callable[..., Any]

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
# Parameters that take the classes of a loss, and those that take what was to be predicted.
LABELS = ("y", "target", "targets", "labels", "label", "y_true", "t", "actual")
PRODUCT: tuple[Shape, ...] = ((3, 4), (4, 2))
SQUARE: tuple[Shape, ...] = ((3, 3), (3, 3))  # where a wrong transpose fails for no other reason
PRODUCTS = re.compile(r"mul|dot|(^|_)mm$")
CHOOSES = re.compile(r"^(where|select|choose)$", re.IGNORECASE)
# Ops whose inputs are probabilities: elsewhere they are cut off, and have no slope.
OF_PROBABILITIES = re.compile(r"bce|binary|entropy|nll|logit|kl_?div", re.IGNORECASE)
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
        labels: the function and the classes that are its last argument, one for each row.
    """

    op: str
    shapes: tuple[Shape, ...]
    call: Callable[..., Any]
    code: Any = None
    domain: Numbers | None = None
    known: Callable[..., Any] | None = None
    sure: bool = True
    labels: Any = None

    @property
    def is_product(self) -> bool:
        """Whether it is asked as a product of matrices."""
        return self.shapes in (PRODUCT, SQUARE)

    def inputs(self, turn: int = 0) -> list[Numbers]:
        """Numbers for its inputs."""
        domain = DOMAINS[0] if self.domain is None else self.domain
        return [sample(shape, domain, turn + i) for i, shape in enumerate(self.shapes)]


def cases(engine: Values, modules: Sequence[ModuleType]) -> list[Case]:
    """The ops of an engine, the plainest first, each where it can be asked."""
    found: list[Case] = []
    for case in [*_operators(engine), *_methods(engine), *_functions(engine, modules)]:
        asked = _asked(engine, case)
        if asked is not None and not any(_is_known(engine, asked, each) for each in found):
            found.append(asked)
    return found


def _asked(engine: Values, case: Case) -> Case | None:
    """The case in the first domain where its values are finite and the same each time."""
    domains = DOMAINS[1:] if OF_PROBABILITIES.search(case.op) else DOMAINS
    for domain in domains:
        tried = replace(case, domain=domain)
        try:
            if not _gives_a_value(engine, tried):
                return None
            first, second = (engine.forward(tried.call, tried.inputs()) for _ in range(2))
            if case.labels is not None and not _goes_by_rows(engine, tried, first):
                return None
        except Exception:
            continue
        if np.isfinite(first).all() and np.array_equal(first, second) and first.size:
            return tried
    return None


def _goes_by_rows(engine: Values, case: Case, whole: Any) -> bool:
    """Whether a loss takes a class for each row: then it is the mean or sum of those of its rows.

    One that is written for a single example takes a batch, too, and computes something else.
    """
    call, classes = case.labels
    (x,) = case.inputs()
    parts = [
        engine.forward(_with_last(call, classes[i : i + 1]), [x[i : i + 1]]) for i in range(len(x))
    ]
    rows = np.concatenate([np.ravel(each) for each in parts])
    wholes = (np.mean(rows), np.sum(rows)) if np.size(whole) == 1 else (rows,)
    return any(np.allclose(np.ravel(whole), each, rtol=1e-4) for each in wholes)


def _gives_a_value(engine: Values, case: Case) -> bool:
    """Whether it gives a value of the engine, and not the one it is called on, changed."""
    with quiet():
        values = [engine.make(each) for each in case.inputs()]
        out = case.call(*values)
    return engine.is_value(out) and not any(out is each for each in values)


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


def _functions(engine: Values, modules: Sequence[ModuleType]) -> Iterator[Case]:
    shape: Shape = (3, 4) if engine.arrays else ()
    own, met = {each.__name__ for each in modules}, set()
    tables = [
        each for module in modules for each in vars(module).values()
        if isinstance(each, dict) and _keys_with_rules(each)
    ]  # fmt: skip
    for module in modules:
        for name, thing in list(vars(module).items()):
            is_maker = name.lower() == engine.kind.__name__.lower()
            if name.startswith("_") or name in SKIP or is_maker:
                continue
            if not callable(thing) or getattr(thing, "__module__", None) not in own or thing in met:
                continue
            met.add(thing)
            if tables and thing.__module__ != module.__name__:
                continue  # made for a namespace, as NumPy's: those with a rule are asked below
            if inspect.isfunction(thing):
                yield from _of_function(name, thing, thing, shape, False)
            elif inspect.isclass(thing):
                yield from _of_class(name, thing, shape)
    for key in [each for table in tables for each in _keys_with_rules(table)]:
        yield from _of_function(key.__name__, key, key, shape, False)


def _keys_with_rules(table: dict[Any, Any]) -> list[Any]:
    """The functions of a table of rules: what it has a function, or several, for."""
    keys = [key for key, held in table.items() if inspect.isfunction(key) and _are_rules(held)]
    return [key for key in keys if hasattr(key, "__name__")]


def _are_rules(held: Any) -> bool:
    inside = list(held.values()) if isinstance(held, dict) else held
    inside = list(inside) if isinstance(inside, list | tuple) else [inside]
    return any(callable(each) for each in inside)


def _of_class(name: str, kind: Any, shape: Shape) -> Iterator[Case]:
    """A class that stands for an op: with `apply`, or whose instances are called with values."""
    if inspect.ismethod(getattr(kind, "apply", None)) or isinstance(
        inspect.getattr_static(kind, "apply", None), staticmethod
    ):
        yield from _of_function(name, kind.apply, kind, shape, False)
        return
    way = next((each for each in ("__call__", "forward") if callable(_own(kind, each))), None)
    if way is None or not _needs_nothing(kind):
        return

    def call(*values: Any) -> Any:
        return getattr(kind(), way)(*values)

    yield from _of_function(name, call, getattr(kind, "forward", _own(kind, way)), shape, False)


def is_op_of(engine: Values, kind: Any) -> bool:
    """Whether the instances of a class, called with values of an engine, give one."""
    shape: Shape = (3, 4) if engine.arrays else ()
    for case in _of_class(kind.__name__, kind, shape):
        with contextlib.suppress(Exception):
            if _gives_a_value(engine, case):
                return True
    return False


def _own(kind: type, name: str) -> Any:
    """A method that a class or one of its bases writes; a class itself is called, too."""
    return next((vars(each)[name] for each in kind.__mro__[:-1] if name in vars(each)), None)


def _needs_nothing(kind: type) -> bool:
    try:
        needed = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return False
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
               for p in needed)  # fmt: skip


def _of_function(
    name: str, call: Asked, code: Any, shape: Shape, is_method: bool
) -> Iterator[Case]:
    """The ways in which a function may take values: one, two, with an axis, with labels."""
    inside = "" if is_method else "x"
    known = _known(name.rpartition(".")[2].lower())
    yield Case(f"{name}({inside})", (shape,), call, code, known=known, sure=is_method)
    second = "y" if is_method else "x, y"
    yield Case(f"{name}({second})", (shape, shape), call, (code, 2), sure=is_method)
    if shape and PRODUCTS.search(name.lower()):
        yield Case(f"{name}({second})", PRODUCT, call, (code, 2), sure=is_method)
    axis = _axis_of(code)
    if shape and axis:
        more = f"{axis}=0" if is_method else f"x, {axis}=0"
        yield Case(f"{name}({more})", (shape,), _with(call, axis, 0), (code, axis), sure=is_method)
    takes = _parameters(code)
    if shape and len(takes) >= 2 and takes[1] in LABELS and not is_method:
        classes = np.arange(shape[0]) % shape[1]
        yield Case(f"{name}(x, labels)", (shape,), _with_last(call, classes), (code, "labels"),
                   sure=False, labels=(call, classes))  # fmt: skip
    if shape and len(takes) >= 3 and [each[:1].lower() for each in takes[1:3]] == ["w", "b"]:
        yield Case(f"{name}(x, w, b)", (*PRODUCT, (2,)), call, (code, 3), sure=False)
    if CHOOSES.match(name) and not is_method:
        chosen = np.arange(int(np.prod(shape))).reshape(shape) % 3 > 0
        yield Case(f"{name}(chosen, x, y)", (shape, shape), _with_first(call, chosen), (code, 3),
                   sure=False)  # fmt: skip


def _parameters(code: Any) -> list[str]:
    try:
        found = list(inspect.signature(code).parameters)
    except (TypeError, ValueError):
        return []
    return found[1:] if found[:1] in (["self"], ["ctx"]) else found


def _with_first(call: Asked, first: Any) -> Asked:
    return lambda *values: call(first, *values)


def _with_last(call: Asked, last: Any) -> Asked:
    return lambda *values: call(*values, last)


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
