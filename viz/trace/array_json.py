"""The JSON form of an `Array`, read strictly.

JSON has no NaN, infinity or complex numbers: they are the strings "nan", "inf", "-inf" and pairs
[re, im]. The dtype says how to read an element, so a text "nan" in a string array stays a text.
"""

from __future__ import annotations

import math
from typing import Any

from ..base.numbers import Number
from ..errors import TraceError
from .plain import as_object, describe, reader
from .thumbs import MOST_TILES, SIDE, Thumb

MAX_WHOLE = 64  # elements: so small an array is always kept whole
MAX_KEPT = 4096
MAX_RANK = 64
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
FIELDS = ("dtype", "shape", "data", "min", "max", "mean", "finite", "thumb", "sampled")


def as_json(value: Number) -> object:
    """Turn one element into a JSON value.

    Example:
        >>> as_json(1.5), as_json(float("inf")), as_json(complex(0, 1))
        (1.5, 'inf', [0.0, 1.0])
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, complex):
        return [as_json(value.real), as_json(value.imag)]
    return value


def read_array_fields(value: object, where: str) -> dict[str, Any]:
    """Check the JSON object of an array and return the arguments of `Array`."""
    given = as_object(value, where)
    if unknown := given.keys() - set(FIELDS):
        message = f"{where}: unknown field {sorted(unknown)[0]!r:.60} of an array"
        raise TraceError(f"{message}; the fields are {', '.join(FIELDS)}")
    for name in ("dtype", "shape", "data", "finite"):
        if name not in given:
            raise TraceError(f"{where}: the field {name!r} of an array is missing")
    dtype = reader(str)(given["dtype"], f"{where}.dtype")
    shape = reader(tuple[int, ...])(given["shape"], f"{where}.shape")
    return {
        "dtype": dtype,
        "shape": shape,
        "data": _read_data(given["data"], dtype, shape, f"{where}.data"),
        "min": _read_statistic(given.get("min"), f"{where}.min"),
        "max": _read_statistic(given.get("max"), f"{where}.max"),
        "mean": _read_statistic(given.get("mean"), f"{where}.mean"),
        "finite": reader(bool)(given["finite"], f"{where}.finite"),
        "thumb": _read_thumb(given.get("thumb"), f"{where}.thumb"),
        "sampled": reader(bool)(given.get("sampled", False), f"{where}.sampled"),
    }


def _read_data(value: object, dtype: str, shape: tuple[int, ...], where: str) -> tuple[Number, ...]:
    if len(shape) > MAX_RANK or any(length < 0 for length in shape):
        raise TraceError(f"{where}: impossible shape {describe(list(shape))}; lengths are >= 0")
    if not isinstance(value, list):
        raise TraceError(f"{where}: expected a flat list of elements, got {describe(value)}")
    size = math.prod(shape)
    if len(value) > min(size, MAX_KEPT) or (size <= MAX_WHOLE and len(value) != size):
        most = min(size, MAX_KEPT)
        wanted = f"all {size} elements" if size <= MAX_WHOLE else f"at most {most} elements"
        message = f"{where}: {len(value)} elements for shape {list(shape)}"
        raise TraceError(f"{message}; a trace holds {wanted} of such an array")
    return tuple(_read_element(item, dtype, where) for item in value)


def _read_element(value: object, dtype: str, where: str) -> Number:
    if dtype == "string":
        return str(reader(str)(value, where))
    if dtype == "bool":
        return bool(reader(bool)(value, where))
    if dtype.startswith(("int", "uint")):
        return int(reader(int)(value, where))
    if dtype.startswith("complex"):
        if not isinstance(value, list) or len(value) != 2:
            raise TraceError(f"{where}: expected a pair [re, im], got {describe(value)}")
        return complex(_read_float(value[0], where), _read_float(value[1], where))
    return _read_float(value, where)


def _read_float(value: object, where: str) -> float:
    if isinstance(value, str) and value in NOT_FINITE:
        return NOT_FINITE[value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        message = f"{where}: expected a number, got {describe(value)}"
        raise TraceError(f'{message}; write NaN and infinities as "nan", "inf", "-inf"')
    try:
        return float(value)
    except OverflowError:
        raise TraceError(f"{where}: {describe(value)} is too large for a float") from None


def _read_statistic(value: object, where: str) -> float | None:
    return None if value is None else _read_float(value, where)


def _read_thumb(value: object, where: str) -> Thumb | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) not in (3, 4) or not isinstance(value[2], list):
        expected = "[rows, columns, [peaks]], and [down, across] where there are tiles"
        raise TraceError(f"{where}: expected {expected}, got {describe(value)}")
    rows, columns = reader(int)(value[0], where), reader(int)(value[1], where)
    tiles = reader(tuple[int, ...])(value[3] if len(value) == 4 else [1, 1], where)
    _check_thumb(rows, columns, tiles, len(value[2]), where)
    return Thumb(rows, columns, tuple(_read_float(item, where) for item in value[2]), tiles)


def _check_thumb(rows: int, columns: int, tiles: tuple[int, ...], peaks: int, where: str) -> None:
    """Refuse blocks, tiles and peaks that cannot be."""
    if not (0 < rows <= SIDE and 0 < columns <= SIDE):
        raise TraceError(f"{where}: {rows} x {columns} blocks; each side is 1 to {SIDE}")
    count = math.prod(tiles)
    if len(tiles) != 2 or min(tiles) < 1 or count > MOST_TILES:
        wanted = f"down and across, 1 to {MOST_TILES} together"
        raise TraceError(f"{where}: tiles {list(tiles)}; they are counted {wanted}")
    if peaks != rows * columns * count:
        raise TraceError(f"{where}: {peaks} peaks for {count} x {rows} x {columns} blocks")
