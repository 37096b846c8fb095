"""`Size`: an integer that is known only when a graph runs.

A `Size` is an integer twice. As a number it is that of a sample, so that all code that computes
with shapes goes on; beside it stands a recipe (the size of axis 0 of that tensor, times two), by
which the graph finds the true number when it runs. Where a recipe would get lost, because a size
becomes a float or an array, `NeedsSize` ends the tracing, and the function is traced once for each
shape instead.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from minitape.errors import teach
from minitape.interpreter import symbolic_interpreter
from minitape.ops.shapes.sizes import sizes
from minitape.tensor import eager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Two samples: a size that is the same for both does not depend on the unknown one. They have many
# divisors, since programs split and reshape; a constant of such a size was made of a sample. Where
# many sizes are unknown the samples are smaller, or tracing would take long.
_SAMPLES, _SMALL_SAMPLES = (60, 120), (12, 24)

# Where a result brings the first unknown size, whole data sets are captured beside it, and their
# numbers of rows must not be taken for samples: few are multiples of this one.
SAMPLES_OF_RESULTS = (168, 336)


def samples_for(count: int) -> tuple[int, int]:
    """Two samples for the unknown sizes of a graph whose inputs have `count` of them."""
    return _SAMPLES if count < 3 else _SMALL_SAMPLES


class NeedsSize(BaseException):
    """Tracing needs a size that is not known; `function` then traces once for each shape.

    Not an `Exception`, so that an `except Exception` in the traced code cannot swallow it.
    """


def needs_size() -> BaseException:
    """A size is needed as a number while a graph is built."""
    graph = symbolic_interpreter()
    if graph is None or graph.root.traced_again:
        return NeedsSize()
    return ValueError(
        teach(
            "A size of a tensor is needed, and it is None: it is not known while a graph is built.",
            "The graph is built once for all sizes, and this op is written down with its sizes.",
            "Give the placeholder its whole shape, or write a tf.function: it can be traced for "
            "each shape.",
        )
    )


class Size(int):
    """A size that is known when a graph runs; as an int it is that of a sample.

    Attributes:
        other: what it is for the second sample.
        recipe: `(slot, axis)`, or `(function, x, y)` of sizes and integers.
    """

    other: int
    recipe: tuple[Any, ...]

    def __new__(cls, sample: int, other: int, recipe: tuple[Any, ...]) -> Size:
        """A size by its two samples and its recipe."""
        size = int.__new__(cls, sample)
        size.other, size.recipe = other, recipe
        return size

    def _is_above(self, y: object, least: int) -> Any:
        """Whether the size is `y` or more, or more than `y`: known only for what every size is."""
        if not isinstance(y, int):
            return NotImplemented
        if isinstance(y, Size) or y > least:
            raise needs_size()
        return True

    def __eq__(self, y: object) -> bool:
        if not isinstance(y, int):
            return NotImplemented
        return all(a == b for a, b in _samples(self, y))

    def __ne__(self, y: object) -> bool:
        return not self == y

    __hash__ = int.__hash__

    def __ge__(self, y: object) -> bool:
        return bool(self._is_above(y, 1))

    def __gt__(self, y: object) -> bool:
        return bool(self._is_above(y, 0))

    def __lt__(self, y: object) -> bool:
        return not self._is_above(y, 1)

    def __le__(self, y: object) -> bool:
        return not self._is_above(y, 0)

    def __index__(self) -> int:
        return self

    def __pos__(self) -> int:
        return self

    def __neg__(self) -> Size:
        return 0 - self  # type: ignore[return-value]  # __rsub__ gives a size

    def _lost(self, *_: object) -> NoReturn:
        raise needs_size()

    def __truediv__(self, y: Any) -> Number:  # type: ignore[override]  # no number yet
        return Number(operator.truediv, self, y)

    def __rtruediv__(self, y: Any) -> Number:  # type: ignore[override]
        return Number(operator.truediv, y, self)

    def in_graph(self, dtype: np.dtype[Any] | None) -> Any:
        """The tensor of this size, for ops on data; int32 unless a dtype is asked for."""
        return in_graph(self, np.dtype(np.int32) if dtype is None else dtype)

    __int__ = __float__ = __complex__ = __pow__ = _lost
    __round__ = __divmod__ = __rdivmod__ = __and__ = __or__ = __format__ = _lost

    def __repr__(self) -> str:
        return "None"

    __str__ = __repr__


class Number:
    """A number that is computed of sizes, such as the factor of a mean: one over a size.

    Attributes:
        recipe: `(function, x, y)` of sizes and numbers.
    """

    __slots__ = ("recipe",)

    def __init__(self, function: Callable[[Any, Any], Any], x: Any, y: Any) -> None:
        self.recipe = (function, x, y)

    def __mul__(self, y: Any) -> Any:
        return Number(operator.mul, self, y) if _is_number(y) else NotImplemented

    def __rmul__(self, x: Any) -> Any:
        return Number(operator.mul, x, self) if _is_number(x) else NotImplemented

    def __truediv__(self, y: Any) -> Any:
        return Number(operator.truediv, self, y) if _is_number(y) else NotImplemented

    def __rtruediv__(self, x: Any) -> Any:
        return Number(operator.truediv, x, self) if _is_number(x) else NotImplemented

    def __add__(self, y: Any) -> Any:
        return Number(operator.add, self, y) if _is_number(y) else NotImplemented

    def __radd__(self, x: Any) -> Any:
        return Number(operator.add, x, self) if _is_number(x) else NotImplemented

    def __sub__(self, y: Any) -> Any:
        return Number(operator.sub, self, y) if _is_number(y) else NotImplemented

    def __rsub__(self, x: Any) -> Any:
        return Number(operator.sub, x, self) if _is_number(x) else NotImplemented

    def __neg__(self) -> Number:
        return Number(operator.sub, 0, self)

    def __pow__(self, y: Any) -> Any:
        return Number(operator.pow, self, y) if _is_number(y) else NotImplemented

    def in_graph(self, dtype: np.dtype[Any] | None) -> Any:
        """The tensor of this number; float32 unless a dtype is asked for."""
        return in_graph(self, np.dtype(np.float32) if dtype is None else dtype)


def _is_number(x: object) -> bool:
    return isinstance(x, int | float | Number)


def in_graph(x: Any, dtype: np.dtype[Any]) -> Any:
    """A size or number as a tensor, whose value is found when the graph runs."""
    if not isinstance(x, Size | Number):
        return eager(dtype.type(x))
    first, *rest = x.recipe
    if callable(first):
        return first(*(in_graph(each, dtype) for each in rest))
    return sizes(symbolic_interpreter().tensor_at(first), dtype)[rest[0]]


def _samples(x: int, y: int) -> Iterator[tuple[int, int]]:
    """Both numbers for each of the samples, as plain integers."""
    yield plain(x), plain(y)
    yield second(x), second(y)


def plain(x: int) -> int:
    """What a size is for the first sample."""
    return int.__index__(x) if isinstance(x, Size) else x


def second(x: int) -> int:
    """What a size is for the second sample."""
    return x.other if isinstance(x, Size) else x


def _arithmetic(function: Callable[[int, int], int], reflected: bool) -> Any:
    def method(self: Size, y: object) -> Any:
        if not isinstance(y, int):
            return NotImplemented
        x, y = (y, self) if reflected else (self, y)
        first, other = (function(*pair) for pair in _samples(x, y))
        return Size(first, other, (function, x, y))

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Size, f"__{_name}__", _arithmetic(getattr(operator, _name), False))
    setattr(Size, f"__r{_name}__", _arithmetic(getattr(operator, _name), True))
