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


def short(value: object) -> str:
    """Write one number (Python's or NumPy's) with four significant digits.

    Args:
        value: A bool, int, float, complex or string, or a NumPy scalar or rank-0 array.

    Returns:
        The text; floats always show a point or an exponent, so that 2 and 2.0 differ.

    Example:
        >>> short(3.14159), short(2.0), short(2), short(-0.000012345), short(1.5e9)
        ('3.142', '2.0', '2', '−1.234e−5', '1.5e9')
        >>> short(complex(1, -2)), short(float("nan")), short(True)
        ('1.0−2.0j', 'nan', 'True')
    """
    if type(value) is float and value:  # most calls
        return _float_to_read(value)
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.item()
    is_number = isinstance(value, int | float | complex)
    return _number(value).replace("-", MINUS) if is_number else str(value)


@functools.lru_cache(maxsize=1 << 16)
def _float_to_read(value: float) -> str:
    return _written(value).replace("-", MINUS)


def _number(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < EXACT_INTEGER else _exponent(f"{value:.{DIGITS}g}")
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, complex):
        imaginary = _float(value.imag)
        sign = "" if imaginary.startswith("-") else "+"
        return f"{_float(value.real)}{sign}{imaginary}j"
    return str(value)


def _float(value: float) -> str:
    return _written(value) if value else str(value)  # 0.0 and -0.0 are one key


def _written(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    text = f"{value:.{DIGITS}g}"
    if "e" in text:
        return _exponent(text)
    return text if "." in text else f"{text}.0"


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
