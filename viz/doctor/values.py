"""Engines whose values have a gradient: how one is made, read, and asked for its slopes.

All of it is found by trying: a value is made of known numbers, the attribute that holds them is
looked for, a small expression is swept, and the attribute that then has a gradient is the gradient.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitape.safety.silence import Silence

from ..base.engines import GRADIENTS, NUMBERS
from .numbers import MIXED, Numbers, sample

Expression = Callable[..., Any]

SWEEPS = ("backward", "backprop", "backpropagate", "backward_pass", "compute_gradients", "bwd")


class NotAnEngineError(Exception):
    """A class is none whose values have gradients; the message says what was missing."""


class NoGradientError(NotAnEngineError):
    """The values have an attribute for a gradient, and none arrives there."""


class NotCallableError(Exception):
    """An expression cannot be computed with what an engine puts in the place of arrays."""


class Nowhere(io.TextIOBase):
    """A stream that keeps nothing of what is written to it."""

    def writable(self) -> bool:
        """It takes all."""
        return True

    def write(self, text: str) -> int:
        """As if it had been written."""
        return len(text)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Runs a learner's code without what it prints, and without NumPy's warnings."""
    with contextlib.redirect_stdout(Nowhere()), Silence():
        yield


class Values:
    """An engine of values.

    Attributes:
        kind: the class.
        arrays: whether a value may hold an array, and not only a number.
        step: how far differences go, by the precision of its numbers.
        tolerance: how far a gradient may be from the differences, of the largest element.
        through_sum: whether a backward pass starts at the sum of a result.
    """

    through_sum = False

    def __init__(self, kind: type, makers: Sequence[Callable[..., Any]] = ()) -> None:
        self.kind = kind
        self._make, self.arrays = self._maker([kind, *makers])
        self._held = self._holder()
        self._sweep, self._grad = self._sweeper()
        exact = self.read(self.make(np.array(1 / 3))).item() == 1 / 3
        self.step = 1e-3 if exact else 1e-2
        self.tolerance = 1e-5 if exact else 5e-3

    def make(self, array: Numbers) -> Any:
        """A value of the engine."""
        return self._make(array)

    def read(self, value: Any) -> Numbers:
        """The numbers of a value."""
        return np.array(self._held(value), np.float64)

    def is_value(self, thing: Any) -> bool:
        """Whether that is a value of this engine."""
        return isinstance(thing, self.kind)

    def numbers(self, found: Any) -> Numbers | None:
        """The numbers of a gradient that is a value, an array or None."""
        if found is None:
            return None
        return self.read(found) if self.is_value(found) else np.array(found, np.float64)

    def forward(self, expression: Expression, inputs: Sequence[Numbers]) -> Numbers:
        """The numbers that an expression of values gives."""
        with quiet():
            return self.read(expression(*map(self.make, inputs)))

    def gradients(
        self, expression: Expression, inputs: Sequence[Numbers], weight: Numbers | None = None
    ) -> list[Numbers | None]:
        """What the engine says the slopes of `sum(weight * expression)` are, by its own sweep."""
        with quiet():
            values = [self.make(each) for each in inputs]
            out = expression(*values)
            if weight is not None:
                out = out * self.make(weight)
            self.sweep(out)
            return [self.gradient(each) for each in values]

    def sweep(self, out: Any) -> None:
        """Runs the engine's sweep from a result."""
        self._sweep(out)

    def gradient(self, value: Any) -> Numbers | None:
        """What a value has received; None for nothing yet."""
        found = getattr(value, self._grad, None)
        if found is None or callable(found):
            return None
        return self.read(found) if self.is_value(found) else np.array(found, np.float64)

    def _maker(self, makers: Sequence[Callable[..., Any]]) -> tuple[Callable[..., Any], bool]:
        """How a value is made, of arrays where it can be."""
        trials = [
            (maker, dict(extra), convert)
            for convert in (np.asarray, np.ndarray.tolist)
            for maker in makers
            for extra in ({"requires_grad": True}, {})
            if "requires_grad" not in extra or _takes(maker, "requires_grad")
        ]
        array = sample((2, 3), MIXED)
        for maker, extra, convert in trials:
            if self._works(maker, extra, convert(array)) and not _starts_with_a_number(
                maker(convert(array), **extra)
            ):
                return _making(maker, extra, convert), True
        for maker, extra, _ in trials:
            if self._works(maker, extra, 0.47):
                return _making(maker, extra, float), False
        raise NotAnEngineError(f"no `{self.kind.__name__}` can be made of a number or an array")

    def _works(self, maker: Callable[..., Any], extra: dict[str, Any], numbers: Any) -> bool:
        try:
            with quiet():
                value = maker(numbers, **extra)
                pair = value + maker(numbers, **extra)
            return self.is_value(value) and self.is_value(pair)
        except Exception:
            return False

    def _holder(self) -> Callable[[Any], Any]:
        """How the numbers of a value are got at."""
        known = sample((2, 3), MIXED) if self.arrays else np.array(0.47)
        value = self.make(known)
        names = [*NUMBERS, *getattr(value, "__dict__", {})]
        for name in names:
            for get in (_attribute(name), _called(name)):
                try:
                    found = np.array(get(value), np.float64)
                except Exception:
                    continue
                if found.shape == known.shape and np.allclose(found, known, atol=1e-6):
                    return get
        raise NotAnEngineError(f"no attribute of a `{self.kind.__name__}` has its numbers")

    def _sweeper(self) -> tuple[Callable[[Any], Any], str]:
        """How a sweep is run, and what a gradient is called."""
        name = next((each for each in SWEEPS if callable(getattr(self.kind, each, None))), "")
        if not name:
            raise NotAnEngineError(f"a `{self.kind.__name__}` has no method `backward`")

        def run(out: Any) -> Any:
            return getattr(out, name)()

        ways = [run]
        if self.arrays:
            ways = [
                run,
                lambda out: run(out if self.read(out).size == 1 else out.sum()),
                lambda out: getattr(out, name)(np.ones(self.read(out).shape)),
                lambda out: getattr(out, name)(self._make(np.ones(self.read(out).shape))),
            ]
        for number, way in enumerate(ways):
            found = self._gradient_name(way)
            if found:
                self.through_sum = number == 1
                return way, found
        held = next((each for each in GRADIENTS if hasattr(self.make(np.array(0.47)), each)), "")
        if held:
            raise NoGradientError(
                f"After `y = x * z; y.{name}()` and `y = x + z; y.{name}()` neither x nor z has "
                f"received anything in `{held}`. A sweep starts with 1 at the result, and each "
                "rule adds to the gradients of its inputs."
            )
        raise NotAnEngineError(
            f"after `{name}` no attribute of a `{self.kind.__name__}` has a gradient; it is looked "
            f"for in {', '.join(GRADIENTS)}"
        )

    def _gradient_name(self, way: Callable[[Any], Any]) -> str:
        for expression in (operator.add, operator.mul):
            shape = (2, 3) if self.arrays else ()
            try:
                with quiet():
                    pair = [self.make(sample(shape, MIXED, turn)) for turn in range(2)]
                    before = [self._gradients_of(each) for each in pair]
                    way(expression(*pair))
            except Exception:
                continue
            for each, had in zip(pair, before, strict=True):
                for name, numbers in self._gradients_of(each).items():
                    is_new = name not in had or not np.array_equal(had[name], numbers)
                    if is_new and numbers.shape == shape and numbers.any():
                        return name
        return ""

    def _gradients_of(self, value: Any) -> dict[str, Numbers]:
        """What may be gradients of a value, as they are now."""
        found = {}
        for name in GRADIENTS:
            held = getattr(value, name, None)
            if held is not None and not callable(held):
                with contextlib.suppress(Exception):
                    found[name] = (
                        self.read(held) if self.is_value(held) else np.array(held, np.float64)
                    )
        return found


def _starts_with_a_number(value: Any) -> bool:
    """Whether the gradient of an array begins as the number 0: the engine is one of numbers."""
    held = [getattr(value, name, None) for name in GRADIENTS]
    return any(type(each) in (int, float) for each in held)


def _takes(maker: Callable[..., Any], name: str) -> bool:
    try:
        return name in inspect.signature(maker).parameters
    except (TypeError, ValueError):
        return False


def _making(
    maker: Callable[..., Any], extra: dict[str, Any], convert: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    return lambda array: maker(convert(np.asarray(array, np.float64)), **extra)


def _attribute(name: str) -> Callable[[Any], Any]:
    return lambda value: getattr(value, name)


def _called(name: str) -> Callable[[Any], Any]:
    return lambda value: getattr(value, name)()
