"""What a learner's file brings: engines of values, tapes, a function `grad`, layers.

Three kinds of engines are asked in ways of their own: a tape that is entered and asked, a function
that gives the gradients of a result, and a function `grad` of functions.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import linecache
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .cases import is_op_of
from .examination import Examined, Mistake, examine_values
from .layers import examine_layers
from .numbers import MIXED, Numbers, sample
from .values import (
    SWEEPS,
    Expression,
    NoGradientError,
    NotAnEngineError,
    NotCallableError,
    Values,
    quiet,
)


class Taped(Values):
    """An engine whose gradients come from a tape: `with Tape() as tape`, then `tape.gradient`."""

    def __init__(self, kind: type, tape: type) -> None:
        self.tape = tape
        super().__init__(kind)

    def gradients(
        self, expression: Expression, inputs: Sequence[Numbers], weight: Numbers | None = None
    ) -> list[Numbers | None]:
        """The tape's gradients by each input, from a recording for each."""
        found = []
        for position in range(len(inputs)):
            with quiet():
                tape, values, out = self._recorded(expression, inputs, weight)
                found.append(self.numbers(tape.gradient(out, values[position])))
        return found

    def _recorded(
        self, expression: Expression, inputs: Sequence[Numbers], weight: Numbers | None
    ) -> tuple[Any, list[Any], Any]:
        with self.tape() as tape:
            values = [self.make(each) for each in inputs]
            if callable(getattr(tape, "watch", None)):
                for each in values:
                    tape.watch(each)
            out = expression(*values)
            if weight is not None:
                out = out * self.make(weight)
        return tape, values, out

    def _sweeper(self) -> tuple[Callable[[Any], Any], str]:
        shape = (2, 3) if self.arrays else ()
        pair = [sample(shape, MIXED, turn) for turn in range(2)]
        with quiet():
            tape, values, out = self._recorded(lambda x, y: x * y, pair, None)
            try:
                tape.gradient(out, values[0])
            except TypeError as error:
                said = f"`{self.tape.__name__}.gradient` takes no (target, source): {error}"
                raise NotAnEngineError(said) from error
        return lambda out: None, ""


class Asked(Values):
    """An engine whose gradients a function gives: `get_gradients(y)[x]`, `gradients(y, [x])`."""

    def __init__(
        self, kind: type, makers: Sequence[Callable[..., Any]], function: Callable[..., Any]
    ) -> None:
        self.function = function
        super().__init__(kind, makers)

    def gradients(
        self, expression: Expression, inputs: Sequence[Numbers], weight: Numbers | None = None
    ) -> list[Numbers | None]:
        """What the function says of each input."""
        if self._grad:
            return super().gradients(expression, inputs, weight)
        with quiet():
            values = [self.make(each) for each in inputs]
            out = expression(*values)
            if weight is not None:
                out = out * self.make(weight)
            return [self.numbers(each) for each in self._given(out, values)]

    def _sweeper(self) -> tuple[Callable[[Any], Any], str]:
        shape = (2, 3) if self.arrays else ()
        pair = [sample(shape, MIXED, turn) for turn in range(2)]
        for given in (self._in_a_table, self._in_a_list, self._one_by_one):
            self._given, self._grad = given, ""
            try:
                found = self.gradients(lambda x, y: x * y, pair)
            except Exception:
                continue
            if all(each is not None and each.shape == shape for each in found):
                return lambda out: None, ""
        name = self._gradient_name(self.function)
        if not name:
            raise NotAnEngineError(
                f"`{self.function.__name__}(y)` gives no gradients of `{self.kind.__name__}`s"
            )
        return self.function, name

    def _in_a_table(self, out: Any, values: list[Any]) -> list[Any]:
        table = self.function(out)
        return [table[x] if x in table else table.get(id(x)) for x in values]

    def _in_a_list(self, out: Any, values: list[Any]) -> list[Any]:
        return list(self.function(out, values))

    def _one_by_one(self, out: Any, values: list[Any]) -> list[Any]:
        return [self.function(out, x) for x in values]


class Functional(Values):
    """An engine without values of its own: `grad(f, 0)(x, y)` is the slope of f by x."""

    def __init__(self, grad: Callable[..., Any]) -> None:
        self.kind, self.arrays = np.ndarray, True
        self.step, self.tolerance = 1e-3, 1e-5
        self.grad = grad
        why = ""
        for slope in (lambda x: x * x, lambda x: x * 2.0, lambda x: x + 2.0):
            try:
                with quiet():
                    found = grad(slope)(np.array(3.0))
            except Exception as error:  # what fails where x is used twice is a mistake to name
                why = f"`grad(f)(np.array(3.0))` fails: {error}"
                continue
            if not np.shape(found):
                return
            why = "`grad(f)(np.array(3.0))` gives no number"
        raise NotAnEngineError(why)

    def make(self, array: Numbers) -> Any:
        """An array is its own value."""
        return np.asarray(array, np.float64)

    def read(self, value: Any) -> Numbers:
        """An array is its own value."""
        return np.array(value, np.float64)

    def gradients(
        self, expression: Expression, inputs: Sequence[Numbers], weight: Numbers | None = None
    ) -> list[Numbers | None]:
        """One `grad` for each input."""

        def weighted(*values: Any) -> Any:
            try:
                out = expression(*values)
            except Exception as error:
                raise NotCallableError(f"{type(error).__name__}: {error}") from error
            return out if weight is None else out * weight

        found: list[Numbers | None] = []
        for position in range(len(inputs)):
            with quiet():
                slope = self.grad(weighted, position)(*inputs)
            found.append(None if slope is None else np.array(slope, np.float64))
        return found


SLOPES = ("grad", "gradient", "derivative")


class NothingToExamineError(Exception):
    """A file has nothing that has gradients; the message says what was looked for."""


def examine(path: Path) -> list[Examined]:
    """Puts all questions to what a file or a package brings.

    Args:
        path: a Python file, or the folder of a package. Its code runs.

    Raises:
        NothingToExamineError: there is no engine and no layer in it, or it cannot be imported.
    """
    modules, folder = loaded(path)
    seen: set[Any] = set()
    reasons: list[str] = []
    engines, found = [], []
    for module in modules:
        for each in _engines(module, modules, seen, reasons):
            engines.append(each)
            values = each if isinstance(each, Examined) else examine_values(each, modules, folder)
            found.append(values)
    ops = {kind for each in engines if isinstance(each, Values) for kind in _ops(each, modules)}
    for module in modules:
        found += _layers(module, folder, seen, ops, bool(engines))
    found = [each for each in found if each.right or each.mistakes or each.left_out]
    if not any(each.right or each.mistakes for each in found):
        why = "; ".join([*dict.fromkeys(reasons), *(w for e in found for w in e.left_out)][:3])
        raise NothingToExamineError(
            f"{path} has no engine that can be examined. Looked for: a class with `+`, `*` and "
            "`backward()` whose values get a gradient; a tape with `gradient(target, source)`; a "
            "function `grad(f)`, or one like `get_gradients(y)`; layers with `forward` and "
            "`backward`; functions `..._forward` "
            f"and `..._backward`.{' Tried: ' * bool(why)}{why}"
        )
    return found


def loaded(path: Path) -> tuple[list[ModuleType], str]:
    """The modules of a file or package, and the folder that the learner's code is in."""
    path = path.resolve()
    linecache.checkcache()
    root, names = path.parent, [path.stem]
    while (root / "__init__.py").exists():
        names.insert(0, root.name)
        root = root.parent
    sys.path.insert(0, str(root))
    # What was compiled counts as the same file for a second, however that changes.
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        with quiet():
            first = _imported(path, names)
            modules = [first, *(_parts(first) if path.is_dir() else [])]
    except Exception as error:
        raise NothingToExamineError(
            f"{path} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    finally:
        sys.dont_write_bytecode = writes
    return modules, str(root / names[0]) if len(names) > 1 or path.is_dir() else str(path)


def _imported(path: Path, names: list[str]) -> ModuleType:
    if len(names) > 1 or path.is_dir():
        return importlib.import_module(".".join(names))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _parts(package: ModuleType) -> list[ModuleType]:
    """The modules of a package that can be imported; tests are left out."""
    found = []
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", lambda _: None):
        if "test" in each.name or "__main__" in each.name:
            continue
        try:
            found.append(importlib.import_module(each.name))
        except Exception:
            continue
    return found


def _engines(
    module: ModuleType, modules: Sequence[ModuleType], seen: set[Any], reasons: list[str]
) -> Iterator[Values | Examined]:
    """The engines of a module; one in whose values nothing arrives is examined by that."""
    own = [
        thing for name, thing in vars(module).items()
        if inspect.isclass(thing) and thing not in seen and not name.startswith("_")
        and thing.__module__ == module.__name__
    ]  # fmt: skip
    valued = [each for each in own if hasattr(each, "__add__") or hasattr(each, "__mul__")]
    valued = [each for each in valued if not issubclass(each, int | float | tuple | list | str)]
    tapes = [each for each in own if hasattr(each, "__enter__") and hasattr(each, "gradient")]
    has_one = False
    for kind in valued:
        seen.add(kind)
        makers = [
            thing for name, thing in vars(module).items()
            if inspect.isfunction(thing) and name.lower() == kind.__name__.lower()
        ]  # fmt: skip
        sweeps = any(callable(getattr(kind, each, None)) for each in SWEEPS)
        tries: list[Callable[[], Values]] = [partial(Values, kind, makers)] if sweeps else []
        tries += [partial(Taped, kind, tape) for tape in tapes]
        if not tries:
            tries = [partial(Asked, kind, makers, each) for each in _gradient_functions(modules)]
        for build in tries:
            try:
                engine = build()
            except NoGradientError as error:
                said = Mistake("no gradient", "", str(error))
                has_one = True
                yield Examined(kind.__name__, mistakes=[said])
                break
            except NotAnEngineError as error:
                reasons.append(str(error))
            except Exception as error:
                reasons.append(f"{kind.__name__}: {type(error).__name__}: {error}")
            else:
                has_one = True
                yield engine
                break
    for name in [] if has_one else SLOPES:
        function = getattr(module, name, None)
        if inspect.isfunction(function) and function not in seen:
            seen.add(function)
            try:
                yield Functional(function)
            except NotAnEngineError as error:
                reasons.append(str(error))


def _gradient_functions(modules: Sequence[ModuleType]) -> list[Any]:
    """The functions that may give the gradients of a result, by their names."""
    return [
        thing for module in modules for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__
        and ("grad" in name or name in SWEEPS) and not name.startswith(("_", "zero"))
    ]  # fmt: skip


def _ops(engine: Values, modules: Sequence[ModuleType]) -> set[type]:
    """The classes whose instances are ops of an engine, with their bases: they are no layers."""
    found = set()
    for module in modules:
        for kind in vars(module).values():
            if inspect.isclass(kind) and is_op_of(engine, kind):
                found |= set(kind.__mro__[:-1])
    return found


def _layers(
    module: ModuleType, folder: str, seen: set[Any], ops: set[type], beside: bool
) -> list[Examined]:
    """The layers of a module; beside an engine those that do not fit are not named."""
    found = []
    for each in examine_layers(module, folder, ops):
        if each.engine not in seen and (each.right or each.mistakes or not beside):
            found.append(each)
        seen.add(each.engine)
    return found
