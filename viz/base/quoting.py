"""Equations that are true as printed: `0.50337 · 0.98661 = 0.4966`.

"=" stands only where the printed left side, worked out, rounds to the printed right side. Where
four digits on the left do not do, all of its numbers get one more, up to as many as their dtype can
tell apart. What then still differs by rounding has "≈", and what differs by more is no equation:
the result stands alone. `numbers.js` does the same for sums of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitape.safety.silence import Silence

from .numbers import DIGITS, LOWERED, short, value_of

MOST = {"float16": 5, "bfloat16": 4}  # digits that a dtype can tell apart; 9 for all others
EPSILON = {"float16": 2**-11, "bfloat16": 2**-8, "float64": 2**-53, "complex128": 2**-53}
RELATIVE = 0.01


class Equation(NamedTuple):
    """How an equation may be printed: with so many digits on the left, and with this sign.

    `sign` is "=", "≈" or "wraps to"; "≠" is for what is no equation.
    """

    digits: int
    sign: str


def equation(
    work: Callable[[int], Any], result: Any, dtype: str, largest: float = 0.0, count: int = 2
) -> Equation:
    """The digits and the sign of an equation.

    Args:
        work: the left side worked out from its numbers as they are printed with so many digits.
        result: the right side, a number or an array, which is printed with four digits.
        dtype: the name of its dtype.
        largest: the size of the largest number on the left.
        count: how many numbers there are.

    Example:
        >>> a, b, product = 0.50336623, 0.98661431, 0.49662834
        >>> equation(lambda digits: read(a, digits) * read(b, digits), product, "float32")
        Equation(digits=5, sign='=')
        >>> equation(lambda digits: 65536 * 65536, 0, "int32")
        Equation(digits=4, sign='wraps to')
    """
    said = np.ravel(result).tolist()
    most = MOST.get(dtype, 9)
    mine: list[Any] = []
    for digits in range(DIGITS, most + 1):
        mine = np.ravel(np.asarray(work(digits))).tolist()
        if len(mine) == 1 < len(said):
            mine = mine * len(said)
        if len(mine) != len(said):
            return Equation(DIGITS, "≠")
        if all(map(_agrees, mine, said)):
            return Equation(digits, "=")
        if dtype.startswith(("int", "uint", "bool")):
            break
    if dtype.startswith(("int", "uint")):
        modulus = 2 ** int(dtype.lstrip("uint") or 64)
        wraps = all((int(a) - int(b)) % modulus == 0 for a, b in zip(mine, said, strict=True))
        return Equation(DIGITS, "wraps to" if wraps else "≠")
    mine = np.ravel(np.asarray(work(most))).tolist()
    mine = mine * len(said) if len(mine) == 1 else mine
    least = 4 * count * EPSILON.get(dtype, 2**-24) * largest
    near = all(_is_near(a, b, least) for a, b in zip(mine, said, strict=True))
    return Equation(most, "≈" if near else "≠")


def read(value: Any, digits: int = DIGITS) -> Any:
    """A number as it is printed with so many digits."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex):
        return complex(read(value.real, digits), read(value.imag, digits))
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return value_of(short(value, digits))


def readings(values: Any, digits: int) -> Any:
    """An array with its elements as they are printed; integers become Python's, without bounds."""
    array = np.asarray(values)
    if array.dtype.kind in "iu":
        return array.astype(object) if array.shape else int(array)
    if array.dtype.kind not in "fc":
        return array
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    exact = [complex(v) if wide is np.complex128 else float(str(v)) for v in array.ravel()]
    return np.array([read(v, digits) for v in exact], wide).reshape(array.shape)[()]


def total(terms: Sequence[Any], result: Any, dtype: str) -> Equation:
    """The digits and the sign of a sum, of numbers or of arrays element by element."""
    largest = max((float(np.max(np.abs(each))) for each in terms if np.size(each)), default=0.0)

    def work(digits: int) -> Any:
        return sum(readings(each, digits) for each in terms)

    with Silence():
        return equation(work, result, dtype, largest, len(terms))


def _agrees(mine: Any, said: Any) -> bool:
    return all(map(_rounds_to, _parts(mine), _parts(said)))


def _rounds_to(mine: float, said: float) -> bool:
    """Whether a number, rounded to the last place of another as that is printed, is that."""
    printed = read(said)
    if mine == printed or (mine != mine and printed != printed):
        return True
    if not (math.isfinite(mine) and math.isfinite(printed)) or printed == 0:
        return False
    return bool(abs(mine - printed) <= 0.5 * unit_of(short(said)) * (1 + 1e-9))


def unit_of(text: str) -> float:
    """The last place that a printed number claims: that of its fourth digit, or a lower one.

    Example:
        >>> unit_of("0.5"), unit_of("1613.0"), unit_of("1613"), unit_of("1.5·10⁷")
        (0.0001, 0.1, 1.0, 10000.0)
    """
    digits, _, power = text.partition("·10")
    place = int(power.translate(LOWERED) or 0) - len(digits.partition(".")[2])
    size = abs(value_of(text))
    if not size:
        return 0.0
    lead = math.floor(math.log10(size) + 1e-12) - DIGITS + 1
    return float(f"1e{min(place, lead)}")


def _is_near(mine: Any, said: Any, least: float) -> bool:
    for a, b in zip(_parts(mine), _parts(said), strict=True):
        gap, size = abs(a - b), max(abs(a), abs(b))
        near = math.isfinite(gap) and gap <= max(RELATIVE * size, least)
        if not (near or _rounds_to(a, b)):
            return False
    return True


def _parts(value: Any) -> tuple[float, ...]:
    return (value.real, value.imag) if isinstance(value, complex) else (value, 0.0)
