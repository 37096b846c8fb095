"""Engines that are asked in other ways: a tape that is entered and asked, and a function `grad`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .numbers import MIXED, Numbers, sample
from .values import Expression, NotAnEngineError, Values, quiet


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
