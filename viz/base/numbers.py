"""One way to write a number: four significant digits, everywhere.

A number that four digits tell exactly ends early: 1.5, 2.0. Of any other all four stand, zeros too,
so that a reader sees which were rounded: 0.7870. `short` is the only function in the viewer that
turns a number into text, so the picture, the player, the sentences and the exports can never show
two roundings of one value. Its texts are to be read: negative numbers have a real minus sign
(U+2212), as formulas do. Numbers for programs stay numbers (see `array_json`).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from minitape.safety.silence import Silence

Number = bool | int | float | complex | str

DIGITS = 4
MINUS = "\u2212"
LARGE = 6  # the power of ten from which on a number is written with it
LARGEST = 3e38  # of float32
RAISED = str.maketrans("-0123456789", "\u207b⁰¹²³⁴⁵⁶⁷⁸⁹")
LOWERED = {raised: chr(plain) for plain, raised in RAISED.items()}


def short(value: object, digits: int = DIGITS) -> str:
    """Write one number (Python's or NumPy's) with four significant digits, or so many.

    Args:
        value: A bool, int, float, complex or string, or a NumPy scalar or rank-0 array.
        digits: How many; more only where an equation needs them to be true (see `quoting`).

    Returns:
        The text; floats that are exact always show a point or a power of ten, so that 2 and 2.0
        differ. Integers are never rounded.

    Example:
        >>> short(3.14159), short(2.0), short(2), short(-0.000012345), short(1.5e9)
        ('3.142', '2.0', '2', '−1.234·10⁻⁵', '1.5·10⁹')
        >>> short(0.78699), short(complex(1, -2)), short(float("nan")), short(True)
        ('0.7870', '1.0−2.0j', 'NaN', 'True')
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
        return str(value)
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
        return "NaN" if value != value else "∞" if value > 0 else "-∞"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent, is_exact = int(power), _is_exact(value, digits)
    if not -5 < exponent < LARGE:
        if is_exact and "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        return f"{mantissa}·10{str(exponent).translate(RAISED)}"
    # A rounded number has no place behind the point that it did not get: 1234.6 is 1235.
    text = f"{value:.{max(digits - 1 - exponent, 0)}f}"
    if not is_exact:
        return text
    whole, _, places = text.partition(".")
    return f"{whole}.{places.rstrip('0') or '0'}"


def _is_exact(value: float, digits: int) -> bool:
    """Whether so many digits give the number, of float64 or, where it is one, of float32."""
    said = float(f"{value:.{digits - 1}e}")
    return said == value or (
        digits < 7 and abs(value) < LARGEST and float(np.float32(said)) == value
    )


def value_of(text: str) -> float:
    """The number that a text says.

    Example:
        >>> value_of("−1.234·10⁻⁵"), value_of("0.7870"), value_of("∞")
        (-1.234e-05, 0.787, inf)
    """
    plain = text.replace(MINUS, "-").replace("∞", "inf").replace("·10", "e")
    return float(plain.translate(LOWERED))


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


def all_close(found: object, right: object, relative: float = 1e-5, absolute: float = 1e-8) -> bool:
    """Whether two arrays agree, NaN with NaN, as `np.allclose` says with `equal_nan`.

    NumPy's own sets the error state in Python, where an interrupt can lose the way back.

    Example:
        >>> all_close([1.0, float("nan")], [1.000001, float("nan")]), all_close(1.0, 1.1)
        (True, False)
    """
    with Silence():
        mine, theirs = np.asarray(found) + 0, np.asarray(right) + 0
        near = np.abs(mine - theirs) <= absolute + relative * np.abs(theirs)
        same = (mine == theirs) | ((mine != mine) & (theirs != theirs))
        return bool(np.all((near & np.isfinite(theirs)) | same))
