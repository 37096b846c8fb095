"""One way to write a number: four significant digits, everywhere.

`short` is the only function in the viewer that turns a number into text, so the picture, the
player, the sentences and the exports can never show two roundings of one value. Its texts are to be
read: negative numbers have a real minus sign (U+2212), as formulas do. Numbers for programs stay
numbers (see `array_json`).
"""

from __future__ import annotations

import functools
import math

import numpy as np

Number = bool | int | float | complex | str

DIGITS = 4
MINUS = "\u2212"
EXACT_INTEGER = 10**9


def short(value: object, digits: int = DIGITS) -> str:
    """Write one number (Python's or NumPy's) with four significant digits, or so many.

    Args:
        value: A bool, int, float, complex or string, or a NumPy scalar or rank-0 array.
        digits: How many; more only where an equation needs them to be true (see `quoting`).

    Returns:
        The text; floats always show a point or an exponent, so that 2 and 2.0 differ.

    Example:
        >>> short(3.14159), short(2.0), short(2), short(-0.000012345), short(1.5e9)
        ('3.142', '2.0', '2', '−1.234e−5', '1.5e9')
        >>> short(complex(1, -2)), short(float("nan")), short(True)
        ('1.0−2.0j', 'nan', 'True')
    """
    if type(value) is float and value:  # most calls
        return _float_to_read(value, digits)
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.item()
    is_number = isinstance(value, int | float | complex)
    return _number(value, digits).replace("-", MINUS) if is_number else str(value)


@functools.lru_cache(maxsize=1 << 16)
def _float_to_read(value: float, digits: int) -> str:
    return _written(value, digits).replace("-", MINUS)


def _number(value: object, digits: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < EXACT_INTEGER else _exponent(f"{value:.{DIGITS}g}")
    if isinstance(value, float):
        return _float(value, digits)
    if isinstance(value, complex):
        imaginary = _float(value.imag, digits)
        sign = "" if imaginary.startswith("-") else "+"
        return f"{_float(value.real, digits)}{sign}{imaginary}j"
    return str(value)


def _float(value: float, digits: int) -> str:
    return _written(value, digits) if value else "0.0"  # no lesson needs the sign of -0.0


def _written(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return str(value)
    text = f"{value:.{digits}g}"
    if "e" in text:
        return _exponent(text)
    # A rounded number has no place behind the point that it did not get: 1234.6 is 1235.
    return text if "." in text or float(text) != value else f"{text}.0"


def _exponent(text: str) -> str:
    """Write 1e+06 as 1e6 and 1e-05 as 1e-5: narrower."""
    mantissa, mark, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if mark else text


def size_in_bytes(count: int) -> str:
    """Write an amount of memory.

    Example:
        >>> size_in_bytes(12), size_in_bytes(2048), size_in_bytes(3_500_000)
        ('12 B', '2.0 kB', '3.5 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"
