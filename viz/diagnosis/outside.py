"""Follows values outside of a framework: arrays and numbers that remember where they are from.

What leaves a tensor is a subclass of ndarray, float or int that carries a key of the graph, and
NumPy's functions on it are ops of the graph. So a way through NumPy is proved, and not guessed from
names and lines. Python makes an exact float of what `float(x)` gets, so the learner's own calls of
`float` and `int` are replaced when the file is compiled (`Numbers`).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.random  # NumPy loads it late, and would load it through what is wrapped here

from .words import METHODS

Heard = Callable[[str, str, list[Any], Any], int]  # name, called, traced inputs, result: a key
Leaves = Callable[[Any, str, Any], Any]  # a tensor, how it leaves, as what
_listeners: list[Heard] = []
OPERATORS = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "radd", "rsub", "rmul", "rtruediv",
    "rpow", "neg", "abs", "round",
]  # fmt: skip
DRAWS = ("normal", "uniform", "gamma", "exponential", "laplace", "lognormal")
PICKS = ("choice", "binomial", "randint", "permutation", "poisson")


class TracedArray(np.ndarray):
    """An array with a key; what NumPy computes of it is heard."""

    key: int = 0

    def __array_finalize__(self, source: Any) -> None:
        self.key = getattr(source, "key", 0)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.get("out")
        if out is not None:
            options["out"] = tuple(plain(each) for each in out)
        given = [plain(each) for each in inputs]
        result = getattr(ufunc, method)(*given, **{k: _deep(v) for k, v in options.items()})
        if result is NotImplemented or method == "at":
            return result
        if out is not None and isinstance(out[0], TracedArray):
            heard = noted(ufunc.__name__, f"np.{ufunc.__name__}", inputs, result)
            out[0].key = getattr(heard, "key", 0)
            return out[0]
        return noted(ufunc.__name__, f"np.{ufunc.__name__}", inputs, result)

    def __array_function__(self, func: Any, types: Any, args: Any, options: Any) -> Any:
        result = func(*_deep(args), **_deep(options))
        return noted(func.__name__, f"np.{func.__name__}", traced_in((args, options)), result)

    def __getitem__(self, item: Any) -> Any:
        return noted("getitem", "[...]", (self,), plain(self)[_deep(item)])

    def __setitem__(self, item: Any, value: Any) -> None:
        plain(self)[_deep(item)] = _deep(value)
        given = traced_in((value,))
        if given and _listeners:
            self.key = _listeners[-1]("setitem", "[...] =", [self, *given], plain(self))

    def item(self, *args: Any) -> Any:
        """One element as a number with the key."""
        return noted("item", "item", (self,), plain(self).item(*args))

    def tolist(self) -> Any:
        """The elements as numbers with the key."""
        return self.item() if self.ndim == 0 else [self[i].tolist() for i in range(len(self))]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __float__(self) -> float:
        return float(plain(self))

    def __int__(self) -> int:
        return int(plain(self))

    def __reduce__(self) -> Any:
        return plain(self).__reduce__()


def _method(name: str) -> Any:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        result = getattr(plain(self), name)(*_deep(args), **_deep(options))
        return noted(name, f"np.{name}", [self, *traced_in((args, options))], result)

    return method


for _name in METHODS:
    setattr(TracedArray, _name, _method(_name))


class TracedFloat(float):
    """A float with a key."""

    key: int

    def __reduce__(self) -> Any:
        return float, (float(self),)


class TracedInt(int):
    """A whole number with a key."""

    key: int

    def __reduce__(self) -> Any:
        return int, (int(self),)


def _operator(base: type, name: str) -> Any:
    own = getattr(base, f"__{name}__")

    def operator(self: Any, *others: Any) -> Any:
        result = own(self, *others)
        if result is NotImplemented:
            return result
        return noted(name.removeprefix("r") or name, name, (self, *others), result)

    return operator


for _base, _traced in ((float, TracedFloat), (int, TracedInt)):
    for _name in OPERATORS:
        setattr(_traced, f"__{_name}__", _operator(_base, _name))


def plain(value: Any) -> Any:
    """The same value without its key."""
    if isinstance(value, TracedArray):
        return value.view(np.ndarray)
    if isinstance(value, TracedFloat):
        return float(value)
    return int(value) if isinstance(value, TracedInt) else value


def key_of(value: Any) -> int:
    """The key of a value that is from a tensor, 0 for others."""
    return value.key if isinstance(value, TracedArray | TracedFloat | TracedInt) else 0


def with_key(value: Any, key: int) -> Any:
    """The same value, with the key of what it is from."""
    if isinstance(value, np.bool_ | bool):
        return value
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype == object or value.dtype.kind not in "fiucb":
            return value
        traced: Any = np.asarray(value).view(TracedArray)
    elif type(value) is float:
        traced = TracedFloat(value)
    elif type(value) is int:
        traced = TracedInt(value)
    elif type(value) is list:
        return [with_key(each, key) for each in value]
    else:
        return value
    traced.key = key
    return traced


def noted(name: str, called: str, inputs: Any, result: Any) -> Any:
    """The result of a function outside; heard if anything that it got is from a tensor."""
    if not _listeners:
        return result
    given = [each for each in inputs if key_of(each)]
    if not given or isinstance(result, bool | np.bool_):
        return result
    if type(result) in (tuple, list):
        return type(result)(noted(name, called, given, each) for each in result)
    if not isinstance(result, np.ndarray | np.generic | float | int):
        return result
    return with_key(result, _listeners[-1](name, called, given, result))


def _deep(tree: Any) -> Any:
    if type(tree) is tuple:
        return tuple(map(_deep, tree))
    if type(tree) is list:
        return list(map(_deep, tree))
    return {k: _deep(v) for k, v in tree.items()} if type(tree) is dict else plain(tree)


def untraced(tree: Any) -> Any:
    """Nested arguments without keys."""
    return _deep(tree)


def traced_in(tree: Any) -> list[Any]:
    """The values with a key in nested arguments."""
    if type(tree) in (tuple, list):
        if len(tree) > 64 and not key_of(tree[0]) and type(tree[0]) in (int, float, str):
            return []
        return [leaf for each in tree for leaf in traced_in(each)]
    if type(tree) is dict:
        return traced_in(list(tree.values()))
    return [tree] if key_of(tree) else []


class Following:
    """While it is open, `math` and `np.random` pass keys on; `math` makes numbers of tensors."""

    def __init__(self, heard: Heard, leaves: Leaves | None = None) -> None:
        self.heard, self.leaves = heard, leaves
        self.before: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Following:
        _listeners.append(self.heard)
        for name in dir(math):
            if callable(getattr(math, name)) and not name.startswith("_"):
                self._wrap(math, name, "math")
        for name in (*DRAWS, *PICKS):
            self._wrap(np.random, name, "np.random")
        return self

    def _wrap(self, module: Any, name: str, owner: str) -> None:
        own = getattr(module, name)
        self.before.append((module, name, own))

        def wrapper(*args: Any, **options: Any) -> Any:
            if owner == "math" and self.leaves is not None:
                args = tuple(map(self._number, args))
            given = traced_in((args, options))
            if not given:
                return own(*args, **options)
            return noted(name, f"{owner}.{name}", given, own(*_deep(args), **_deep(options)))

        wrapper.__name__ = name
        setattr(module, name, wrapper)

    def _number(self, value: Any) -> Any:
        """What `math` makes of a tensor; anything else as it is."""
        if self.leaves is None or not hasattr(value, "requires_grad"):
            return value
        return self.leaves(value, "float", float(value))

    def __exit__(self, *exc: object) -> None:
        _listeners.remove(self.heard)
        for module, name, own in self.before:
            setattr(module, name, own)


class Numbers(ast.NodeTransformer):
    """Puts calls that keep the key in place of `float(x)` and `int(x)`."""

    def visit_Call(self, node: ast.Call) -> Any:
        """One call."""
        self.generic_visit(node)
        is_one = len(node.args) == 1 and not node.keywords
        if isinstance(node.func, ast.Name) and node.func.id in {"float", "int"} and is_one:
            node.func.id = f"__{node.func.id}_of__"
        return node


def number_of(kind: type, leaves: Leaves) -> Callable[[Any], Any]:
    """`float` or `int` that keeps the key; `leaves` is asked about what has none."""

    def number(value: Any) -> Any:
        result = kind(plain(value))
        if key_of(value):
            return noted(kind.__name__, kind.__name__, (value,), result)
        return leaves(value, kind.__name__, result)

    return number
