"""What a trace keeps of an array: a small one whole, of a large one statistics and a thumbnail.

An `Array` is bounded (64 elements unless a recording is short enough to afford more, the peaks of
blocks), so a trace stays small whatever the program computed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.safety.silence import Silence

from ..base.numbers import Number, short
from ..errors import TraceError
from .array_json import MAX_KEPT, MAX_WHOLE, as_json, read_array_fields
from .thumbs import LAST_AXES, Axes, Thumb, thumbnail

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Array", "Number", "short"]

FIRST_OF_LARGE = 8
SAMPLE_ABOVE = 1 << 22
MAX_STRING = 200

NumericArray = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Array:
    """A bounded record of one array.

    Attributes:
        dtype: Name of the dtype, such as "float32", "complex128", "bool", "string".
        shape: The shape.
        data: All elements, row-major, of an array of at most 64, or of a larger one that was
            recorded whole (up to 4096); else the first few.
        min: Smallest finite element of a larger array, None otherwise (and for complex: of |x|).
        max: Largest finite element of a larger array.
        mean: Mean of the finite elements of a larger array.
        finite: Whether every element is finite.
        thumb: the peaks of blocks of an array that is not whole, for a heat map; |x| for complex.
        sampled: Whether statistics and thumbnail were computed on evenly spaced elements only.
    """

    dtype: str
    shape: tuple[int, ...]
    data: tuple[Number, ...]
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    finite: bool = True
    thumb: Thumb | None = None
    sampled: bool = False
    _all: str = field(default="", init=False, repr=False, compare=False)  # elements as text
    # The array itself, where a program holds on to it; a saved trace has the record alone.
    _array: NumericArray | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls, values: npt.ArrayLike, whole: int = MAX_WHOLE, dtype: str = "",
        picture: Axes = LAST_AXES,
    ) -> Array:  # fmt: skip
        """Record an array (copies at most a bounded sample of it).

        Args:
            values: Anything `numpy.asarray` takes; numbers, bools or strings.
            whole: Keep up to so many elements, 64 to 4096.
            dtype: The name of a dtype that NumPy lacks, for values in one that it has.
            picture: Which two axes are rows and columns of a picture, where there are more.

        Returns:
            The record.

        Example:
            >>> Array.of([1.0, 2.5]).data
            (1.0, 2.5)
            >>> Array.of(np.arange(100.0)).text()
            '0.0 … 99.0'
        """
        array = np.asarray(values)
        dtype = dtype or (name_of(array.dtype) if array.dtype.kind in "biufcV" else "string")
        if array.size <= min(max(whole, MAX_WHOLE), MAX_KEPT):
            data = _elements(array)
            return cls(dtype, array.shape, data, finite=_all_finite(data))
        first = _elements(array.flat[:FIRST_OF_LARGE])
        if array.dtype.kind not in "biufc":
            return cls(dtype, array.shape, first)
        return cls._large(array, dtype, first, picture)

    @classmethod
    def _large(
        cls, array: NumericArray, dtype: str, first: tuple[Number, ...], picture: Axes
    ) -> Array:
        shape = array.shape
        grid = array.reshape(-1, shape[-1]) if array.flags.c_contiguous else _as_grid(array)
        sampled = grid.size < array.size or grid.size > SAMPLE_ABOVE
        if grid.size > SAMPLE_ABOVE:
            step = math.ceil(math.sqrt(grid.size / SAMPLE_ABOVE))
            # A thin grid is thinned along its long side only, or nothing of the short one remains.
            step_rows = min(step * step, max(step, grid.shape[0] // 2048), grid.shape[0])
            step_columns = max(1, math.ceil(step * step / step_rows))
            grid = grid[::step_rows, ::step_columns]
        real = np.abs(grid) if grid.dtype.kind == "c" else grid
        finite = bool(np.isfinite(real).all())
        good = real if finite else real[np.isfinite(real)]
        low, high, mean = _statistics(good)
        thumb = thumbnail(array if array.ndim in (3, 4) else real, picture)
        return cls(dtype, shape, first, low, high, mean, finite, thumb, sampled)

    def holding(self, array: NumericArray) -> Array:
        """Keep the whole array for `numpy()`, however large; this record."""
        array = array.view()
        array.flags.writeable = False
        object.__setattr__(self, "_array", array)
        return self

    def numpy(self) -> NumericArray:
        """The values as a NumPy array of one's own, such as for a test.

        bfloat16 and what else NumPy lacks is float32.

        Raises:
            ValueError: only a part of a large array was recorded.

        Example:
            >>> Array.of([[1.0, 2.5]]).numpy()
            array([[1. , 2.5]])
        """
        if self._array is not None:
            return self._array.copy()
        if not self.is_whole:
            raise ValueError(
                f"this record of an array of shape {list(self.shape)} has {len(self.data)} of its "
                f"{self.size} elements, min, max and mean. `gradients` of a player that an "
                "adapter has just made are whole; a saved trace and the values on the way are not."
            )
        known: dict[Any, Any] = {**np.sctypeDict, "string": np.str_, "bool": np.bool_}
        values: NumericArray = np.array(self.data, known.get(self.dtype, np.float32))
        return values.reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NumericArray:
        if copy is False:
            raise ValueError("a record gives a copy: write np.asarray(record)")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    @property
    def size(self) -> int:
        """Number of elements of the recorded array."""
        return math.prod(self.shape)

    @property
    def is_whole(self) -> bool:
        """Whether `data` holds every element."""
        return len(self.data) == self.size

    @property
    def is_zero(self) -> bool:
        """Whether every element is 0."""
        return not any(self.data) and self.bounds() == (0.0, 0.0)

    def text(self, limit: int = 28) -> str:
        """Write the value in at most about `limit` characters: whole if that fits, else its range.

        Example:
            >>> Array.of(2.0).text(), Array.of([[1, 2], [3, 4]]).text()
            ('2.0', '[[1, 2], [3, 4]]')
            >>> Array.of(np.linspace(0, 1, 50)).text(), Array.of(np.zeros((0, 3))).text()
            ('0.0 … 1.0', '[] (empty)')
        """
        size = self.size
        if size == 0:
            return "[] (empty)"
        # An element takes three characters at least, with what stands between it and the next.
        if len(self.data) == size and (3 * size <= limit or not self.shape):
            whole = self._all or self._write_all()
            if len(whole) <= limit or not self.shape:
                return whole
        return self._range(limit)

    def _write_all(self) -> str:
        """All elements as text; kept, as sentences and formulas ask for it again and again."""
        whole = _nested([short(v) for v in self.data], self.shape)
        object.__setattr__(self, "_all", whole)
        return whole

    def written(self, digits: int) -> str:
        """Write all elements with so many digits."""
        return _nested([short(v, digits) for v in self.data], self.shape)

    def _range(self, limit: int) -> str:
        low, high = self.bounds()
        if low is None or high is None:
            return _few_elements(self.data, limit)
        inner = f"{short(low)} … {short(high)}" if low != high else f"all {short(low)}"
        inner = f"|x| {inner}" if self.dtype.startswith("complex") else inner
        return inner if self.finite else f"{inner}, not finite"

    def bounds(self) -> tuple[float | None, float | None]:
        """Smallest and largest finite element (|x| for complex), or None where there is none."""
        if not self.is_whole or self.min is not None:
            return self.min, self.max
        numbers = [_real(v) for v in self.data if not isinstance(v, str)]
        finite = [v for v in numbers if math.isfinite(v)]
        return (min(finite), max(finite)) if finite else (None, None)

    def to_plain(self) -> dict[str, object]:
        """Give the JSON object of this record (NaN and infinities as strings, complex as pairs)."""
        plain: dict[str, object] = {
            "dtype": self.dtype,
            "shape": list(self.shape),
            "data": [as_json(v) for v in self.data],
            "finite": self.finite,
        }
        for name in ("min", "max", "mean"):
            if getattr(self, name) is not None:
                plain[name] = as_json(getattr(self, name))
        if self.thumb is not None:
            rows, columns, peaks, tiles = self.thumb
            more = [] if tiles == (1, 1) else [list(tiles)]
            plain["thumb"] = [rows, columns, [as_json(v) for v in peaks], *more]
        if self.sampled:
            plain["sampled"] = True
        return plain

    @classmethod
    def from_plain(cls, value: object, where: str) -> Array:
        """Read the JSON object of a record, checking everything; `where` is for the messages."""
        return cls(**read_array_fields(value, where))


@functools.cache
def name_of(dtype: np.dtype[Any]) -> str:
    """The name of a dtype, which NumPy makes anew each time."""
    return dtype.name


def _real(value: Number) -> float:
    return abs(value) if isinstance(value, complex) else float(value)


def _elements(array: NumericArray) -> tuple[Number, ...]:
    kind = array.dtype.kind
    if kind in "bi" or array.dtype == np.float64 or array.dtype == np.complex128 or kind == "u":
        return tuple(array.ravel().tolist())
    flat = array.ravel()
    if kind == "f":
        # The shortest text that reads back as the same float32: 0.1 and not 0.10000000149011612.
        return tuple(float(str(v)) for v in flat)
    if kind == "c":
        return tuple(complex(float(str(v.real)), float(str(v.imag))) for v in flat)
    if kind in "USO":
        return tuple(_string(v) for v in flat.tolist())
    try:
        return tuple(float(v) for v in flat)
    except (TypeError, ValueError):
        message = (
            f"cannot record an array of dtype {array.dtype}: it holds no numbers, bools or text"
        )
        raise TraceError(
            f"{message}; convert it first, for instance with .astype('float64')"
        ) from None


def _string(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= MAX_STRING else text[: MAX_STRING - 1] + "…"


def _all_finite(data: tuple[Number, ...]) -> bool:
    for value in data:
        number = abs(value) if isinstance(value, complex) else value
        if isinstance(number, float) and not math.isfinite(number):
            return False
    return True


def _as_grid(array: NumericArray) -> NumericArray:
    """View any array as two axes without copying a huge one: keep the last axis and the longest."""
    while array.ndim > 2 and array.size > SAMPLE_ABOVE:
        array = array[array.shape[0] // 2]
    return array.reshape(1, -1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])


def _statistics(good: NumericArray) -> tuple[float | None, float | None, float | None]:
    if good.size == 0:
        return None, None, None
    with Silence():
        return float(good.min()), float(good.max()), float(good.mean(dtype=np.float64))


def _nested(texts: Sequence[str], shape: tuple[int, ...]) -> str:
    """Bracket a flat list of texts by shape, from the last axis outwards."""
    level = list(texts)
    for length in reversed(shape):
        level = ["[" + ", ".join(level[i : i + length]) + "]" for i in range(0, len(level), length)]
    return level[0]


def _few_elements(data: tuple[Number, ...], limit: int) -> str:
    text = ", ".join(short(v) for v in data)
    return f"[{text}]" if len(text) + 2 <= limit else f"[{text[: max(limit - 3, 1)]}…]"
