"""What a learner's file brings: engines of values, tapes, a function `grad`, layers.

Two kinds of engines are asked in ways of their own: a tape that is entered and asked, and a
function `grad`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import linecache
import pkgutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .examination import Examined, Mistake, examine_values
from .layers import examine_layers
from .numbers import MIXED, Numbers, sample
from .values import SWEEPS, Expression, NoGradientError, NotAnEngineError, Values, quiet


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
                found.append(self._numbers(tape.gradient(out, values[position])))
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

    def _numbers(self, found: Any) -> Numbers | None:
        if found is None:
            return None
        return self.read(found) if self.is_value(found) else np.array(found, np.float64)

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


class Functional(Values):
    """An engine without values of its own: `grad(f, 0)(x, y)` is the slope of f by x."""

    def __init__(self, grad: Callable[..., Any]) -> None:
        self.kind, self.arrays = np.ndarray, True
        self.step, self.tolerance = 1e-3, 1e-5
        self.grad = grad
        try:
            with quiet():
                found = grad(lambda x: x * x)(np.array(3.0))
        except Exception as error:
            raise NotAnEngineError(f"`grad(f)(np.array(3.0))` fails: {error}") from error
        if np.shape(found):
            raise NotAnEngineError("`grad(f)(np.array(3.0))` gives no number")

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
            out = expression(*values)
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
    found: list[Examined] = []
    seen: set[Any] = set()
    reasons: list[str] = []
    for module in modules:
        engines = _engines(module, folder, seen, reasons)
        # Beside an engine of values `forward` and `backward` are methods of its ops.
        for examined in engines or _layers(module, folder, seen):
            if examined.right or examined.mistakes or examined.left_out:
                found.append(examined)
    if not any(each.right or each.mistakes for each in found):
        why = "; ".join([*dict.fromkeys(reasons), *(w for e in found for w in e.left_out)][:3])
        raise NothingToExamineError(
            f"{path} has no engine that can be examined. Looked for: a class with `+`, `*` and "
            "`backward()` whose values get a gradient; a tape with `gradient(target, source)`; a "
            "function `grad(f)`; layers with `forward` and `backward`; functions `..._forward` "
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
    try:
        with quiet():
            first = _imported(path, names)
            modules = [first, *(_parts(first) if path.is_dir() else [])]
    except Exception as error:
        raise NothingToExamineError(
            f"{path} cannot be imported: {type(error).__name__}: {error}"
        ) from error
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


def _engines(module: ModuleType, folder: str, seen: set[Any], reasons: list[str]) -> list[Examined]:
    own = [
        thing for name, thing in vars(module).items()
        if inspect.isclass(thing) and thing not in seen and not name.startswith("_")
        and thing.__module__ == module.__name__
    ]  # fmt: skip
    valued = [each for each in own if hasattr(each, "__add__") or hasattr(each, "__mul__")]
    valued = [each for each in valued if not issubclass(each, int | float | tuple | list | str)]
    tapes = [each for each in own if hasattr(each, "__enter__") and hasattr(each, "gradient")]
    found = []
    for kind in valued:
        seen.add(kind)
        makers = [
            thing for name, thing in vars(module).items()
            if inspect.isfunction(thing) and name.lower() == kind.__name__.lower()
        ]  # fmt: skip
        sweeps = any(callable(getattr(kind, each, None)) for each in SWEEPS)
        tries: list[Callable[[], Values]] = [partial(Values, kind, makers)] if sweeps else []
        tries += [partial(Taped, kind, tape) for tape in tapes]
        for build in tries:
            try:
                engine = build()
            except NoGradientError as error:
                said = Mistake("no gradient", "", str(error))
                found.append(Examined(kind.__name__, mistakes=[said]))
                break
            except NotAnEngineError as error:
                reasons.append(str(error))
            except Exception as error:
                reasons.append(f"{kind.__name__}: {type(error).__name__}: {error}")
            else:
                found.append(examine_values(engine, module, folder))
                break
    for name in SLOPES:
        function = getattr(module, name, None)
        if inspect.isfunction(function) and function not in seen and not valued:
            seen.add(function)
            try:
                found.append(examine_values(Functional(function), module, folder))
            except NotAnEngineError as error:
                reasons.append(str(error))
    return found


def _layers(module: ModuleType, folder: str, seen: set[Any]) -> list[Examined]:
    found = [each for each in examine_layers(module, folder) if each.engine not in seen]
    seen.update(each.engine for each in found)
    return found


def first_mistake(found: list[Examined]) -> Mistake | None:
    """The first thing that is wrong, in the order of the file."""
    return next((mistake for each in found for mistake in each.mistakes), None)
