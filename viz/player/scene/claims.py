"""The equations of steps: each is true for the digits that stand there.

An element is the sum of what meets in it, each times its slope. Which elements meet, and their
slopes, come from the op itself (see `again`) or from the step's own numbers; an equation that would
not give what was recorded is not written.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitape.safety.silence import Silence

from ...base.numbers import DIGITS, MINUS, short, value_of
from ...base.quoting import EPSILON, MOST, RELATIVE, equation, read, unit_of
from ...record import notation
from ...record.formula import ATOM, SUM, Expression
from .parts import Claim, Column, Meet, Role, Term

SHOWN = 5  # terms of a sum that are written; all others are one more
MARK = 0x1200  # letters that stand for numbers while a formula is written
EQUAL = 1e-6  # how nearly equal slopes are one number


class Number(NamedTuple):
    """A number to be written: its value, its role, and what it is."""

    value: Any
    role: Role
    under: str = ""


class Product(NamedTuple):
    """One term of a sum: a number times its slope (None: as it is)."""

    number: Number
    slope: Number | None
    label: str = ""

    @property
    def is_conjugated(self) -> bool:
        """Whether the slope counts conjugated: what goes back of complex numbers is g · conj."""
        found = None if self.slope is None else self.slope.value
        return isinstance(found, complex) and self.number.role == "gradient"

    @property
    def value(self) -> Any:
        """What it adds."""
        if self.slope is None:
            return self.number.value
        return self.times(self.number.value, self.slope.value)

    def times(self, number: Any, slope: Any) -> Any:
        """A number times a slope, as it counts."""
        return number * (complex(slope).conjugate() if self.is_conjugated else slope)

    @property
    def sign(self) -> str:
        """What stands between both."""
        return "·conj" if self.is_conjugated else "·"


def exact(values: Any, place: tuple[int, ...] = ()) -> Any:
    """An element as Python's number: of a float32 the shortest text that reads back as it.

    Example:
        >>> exact(np.float32([0.1]), (0,))
        0.1
    """
    value = np.asarray(values)[place]
    kind = value.dtype.kind
    if kind == "c":
        return complex(float(str(value.real)), float(str(value.imag)))
    return float(str(value)) if kind == "f" else value.item()


def written(value: Any, digits: int = DIGITS) -> str:
    """A number, in parentheses if it is complex."""
    text = short(value, digits)
    return f"({text})" if isinstance(value, complex) else text


def equal(
    pieces: Sequence[str | Number], result: Number, dtype: str, work: Callable[..., Any]
) -> Claim | None:
    """An equation of signs and numbers; None where it would not be one.

    Args:
        pieces: what stands on the left.
        result: what it gives.
        dtype: the name of its dtype.
        work: works out the left side from its numbers.

    Example:
        >>> from operator import mul
        >>> a, b = Number(0.50336623, "gradient"), Number(0.98661431, "slope")
        >>> equal([a, "·", b], Number(0.49662834, "gradient"), "float32", mul).text()
        '0.50337·0.98661 = 0.4966'
    """
    numbers = [each for each in pieces if isinstance(each, Number)]

    def worked(digits: int) -> Any:
        return work(*(read(each.value, digits) for each in numbers))

    if isinstance(result.value, bool):
        return _is(pieces, result, worked(DIGITS))
    sizes = [abs(each.value) for each in numbers if not isinstance(each.value, bool)]
    finite = [float(size) for size in sizes if math.isfinite(size)]
    try:
        with Silence():
            found = equation(worked, result.value, dtype, max(finite, default=0.0), len(numbers))
    except (ArithmeticError, TypeError, ValueError):
        return None
    if found.sign == "≠":
        return None
    return _claim(pieces, result, found.digits, found.sign)


def _is(pieces: Sequence[str | Number], result: Number, worked: Any) -> Claim | None:
    if bool(worked) != result.value:
        return None
    return _claim(pieces, result, DIGITS, "is")


def _claim(pieces: Sequence[str | Number], result: Number, digits: int, sign: Any) -> Claim:
    right = Term(written(result.value), result.role, result.under)
    return Claim(_terms(pieces, digits), right, sign)


def _terms(pieces: Sequence[str | Number], digits: int) -> tuple[Term, ...]:
    """Signs and numbers; a negative number behind a sign stands in parentheses."""
    terms: list[Term] = []
    before = ""
    for each, after in zip(pieces, [*pieces[1:], ""], strict=True):
        if isinstance(each, str):
            text = each
            terms.append(Term(text))
        else:
            bare = before.rstrip()
            beside = bare[-1:] + (after.lstrip()[:1] if isinstance(after, str) else "")
            counts = isinstance(each.value, bool) and re.search(r"[+−·/]", beside)
            text = written(int(each.value) if counts else each.value, digits)
            whole = re.fullmatch(r"\d+|\(.*\)", text)
            if (text.startswith(MINUS) and re.search(r"[+−·/^√]$", bare)) or (
                bare.endswith("^") and not whole
            ):
                text = f"({text})"
            within = bare.endswith("(") and isinstance(after, str) and after.startswith(")")
            if within and text.startswith("("):
                text = text[1:-1]
            terms.append(Term(text, each.role, each.under))
        before = text
    return tuple(terms)


def of_formula(
    template: str,
    names: dict[str, Number | str],
    level: int,
    result: Number,
    dtype: str,
    work: Callable[..., Any],
) -> Claim | None:
    """The equation of an op that is computed element by element, by the formula it declares.

    Args:
        template: the formula, as ops declare it.
        names: by its symbols the numbers, and words for attributes.
        level: how strongly the formula binds.
        result: what the op gave.
        dtype: the name of its dtype.
        work: the op, on the numbers in the order in which they are given.
    """
    numbers = [each for each in names.values() if isinstance(each, Number)]
    shapes = tuple(
        (symbol, each if isinstance(each, str) else _is_negative(each.value))
        for symbol, each in names.items()
    )
    parts = _laid_out(template, shapes)
    pieces = [numbers[each] if isinstance(each, int) else each for each in parts]
    order = [each for each in parts if isinstance(each, int)]
    if set(order) != set(range(len(numbers))):
        return None  # a number that does not stand in the formula may count in the result

    def ordered(*given: Any) -> Any:
        return work(*(given[order.index(i)] for i in range(len(numbers))))

    return equal(pieces, result, dtype, ordered)


def _is_negative(value: Any) -> bool:
    return not isinstance(value, complex) and value < 0


@functools.lru_cache(4096)
def _laid_out(template: str, shapes: tuple[tuple[str, str | bool], ...]) -> tuple[str | int, ...]:
    """A formula as signs and the places of numbers, which are bracketed where they are negative."""
    filled: dict[str, Any] = {}
    count = 0
    for symbol, shape in shapes:
        if isinstance(shape, str):
            filled[symbol] = shape
        else:
            filled[symbol] = Expression(chr(MARK + count), SUM if shape else ATOM)
            count += 1
    text = notation.to_text(template.format(**filled))
    marks = "".join(chr(MARK + i) for i in range(count))
    text = re.sub(rf"\b(?!mod\b)([a-z]+) ?([{marks}])", r"\1(\2)", text).replace(" · ", "·")
    text = re.sub(r"\b(?!mod\b)([a-z]+) \(", r"\1(", text)
    text = re.sub(rf"\(\(([{marks}])\)\)", r"(\1)", text)
    text = re.sub(rf"^\(([{marks}])\)(?=\s*(?:[·/+−]|$))", r"\1", text)
    split = [part for part in re.split(rf"([{marks}])", text) if part]
    return tuple(ord(part) - MARK if part in marks else part for part in split)


def total(
    products: Sequence[Product],
    result: Number,
    dtype: str,
    names: tuple[str, str] = ("", ""),
    shared: bool = False,
) -> tuple[Claim | None, Meet | None]:
    """The equation of a sum, and the products that it adds up.

    Args:
        products: all that counts.
        result: what they add up to.
        dtype: the name of its dtype.
        names: what the first and the second factors are.
        shared: whether the slopes are those of a sum or a mean, and 1/n is a division by n.
    """
    if not products:
        return None, None
    if len(products) == 1:
        return _single(products[0], result, dtype, shared), None
    if nothing := _cancelled(products, result, dtype):
        return nothing, None
    slope = _common_slope(products)
    if slope is not None and (names[1] or (slope > 1 and not shared)):
        slope = None  # a row that meets a column of ones is a product as well
    if slope is not None:
        plain = [each._replace(slope=None) for each in products]
        return _sum(plain, result, dtype, slope)
    return _products(products, result, dtype, names)


def _single(product: Product, result: Number, dtype: str, shared: bool) -> Claim | None:
    if product.slope is None:
        return equal([product.number, "·1"], result, dtype, lambda x: x)
    divisor = _divisor(product.slope.value) if shared else 0
    if divisor > 1:
        return equal([product.number, f"/{divisor}"], result, dtype, lambda x: x / divisor)
    return equal([product.number, product.sign, product.slope], result, dtype, product.times)


def _common_slope(products: Sequence[Product]) -> int | None:
    """The number by which a plain sum is divided: 1, or n for a mean; None for other slopes."""
    found = [1 if each.slope is None else each.slope.value for each in products]
    if any(isinstance(each, complex) and each.imag for each in found):
        return None
    real = [float(each.real) for each in found]
    if not all(map(math.isfinite, real)) or max(real) - min(real) > EQUAL * abs(real[0]):
        return None
    if abs(real[0] - 1) < EQUAL:
        return 1
    return _divisor(real[0]) or None


def _divisor(slope: Any) -> int:
    """n, for a slope of 1/n."""
    if isinstance(slope, complex) or not math.isfinite(slope) or abs(slope) < 1e-7:
        return 0
    whole = round(1 / slope)
    return whole if whole > 1 and abs(whole * slope - 1) < EQUAL else 0


def _sum(
    products: Sequence[Product], result: Number, dtype: str, divisor: int
) -> tuple[Claim | None, Meet | None]:
    shown, rest = _largest(products)
    numbers = [each.number for each in shown]
    if rest is not None:
        numbers.append(rest)
    pieces: list[str | Number] = ["("] if divisor > 1 else []
    for i, each in enumerate(numbers):
        pieces += [" + ", each] if i else [each]
    pieces += [f")/{divisor}"] if divisor > 1 else []

    def work(*values: Any) -> Any:
        return sum(values) / divisor if divisor > 1 else sum(values)

    return equal(pieces, result, dtype, work), None


def _products(
    products: Sequence[Product], result: Number, dtype: str, names: tuple[str, str]
) -> tuple[Claim | None, Meet | None]:
    shown, rest = _largest(products)
    role: Role = result.role if result.role != "sum" else "gradient"
    numbers = [Number(each.value, role, each.label) for each in shown]
    if rest is not None:
        numbers.append(rest)
    pieces: list[str | Number] = []
    for i, each in enumerate(numbers):
        pieces += [" + ", each] if i else [each]
    claim = equal(pieces, result, dtype, lambda *values: sum(values))
    if claim is None:
        return None, None
    said = [term for term in claim.left if term.role != "sign"]
    columns = []
    for product, term in zip(shown, said, strict=False):
        made = _column(product, term, dtype)
        if made is None:
            return None, None
        columns.append(Column(product.label, made))
    return claim, Meet(*names, tuple(columns), len(products) - len(shown))


def _column(product: Product, said: Term, dtype: str) -> Claim | None:
    """The equation of one product, whose result is the text that stands in the sum."""
    assert product.slope is not None
    is_complex = isinstance(product.value, complex)
    text = said.text if is_complex else said.text.strip("()")
    pieces: list[str | Number] = [product.number, product.sign, product.slope]
    right = Term(text, said.role, said.under)
    most = MOST.get(dtype, 9)
    digits = DIGITS
    for digits in range(DIGITS, most + 1):
        mine = product.times(*(read(x.value, digits) for x in (product.number, product.slope)))
        if _rounds_to(mine, text):
            return Claim(_terms(pieces, digits), right, "=")
    near = abs(product.value - _number(text)) <= RELATIVE * abs(product.value)
    return Claim(_terms(pieces, digits), right, "≈") if near else None


def _rounds_to(mine: Any, text: str) -> bool:
    said = _number(text)
    if isinstance(said, complex):
        texts = re.findall(r"−?[\d.]+(?:e−?\d+)?", text)
        unit = max(unit_of(each) for each in texts)
        gaps = abs(mine.real - said.real), abs(mine.imag - said.imag)
        return bool(max(gaps) <= 0.5 * unit * (1 + 1e-9))
    if bool(mine == said) or bool(mine != mine and said != said):
        return True
    return bool(math.isfinite(mine) and abs(mine - said) <= 0.5 * unit_of(text) * (1 + 1e-9))


def _number(text: str) -> Any:
    """A printed number."""
    plain = text.strip("()")
    return complex(plain.replace(MINUS, "-")) if plain.endswith("j") else value_of(plain)


def _largest(products: Sequence[Product]) -> tuple[list[Product], Number | None]:
    """Those that count most, in the order of their places, and all others as one number."""
    if len(products) <= SHOWN + 1:
        return list(products), None
    order = sorted(range(len(products)), key=lambda i: -_size(products[i].value))
    kept = sorted(order[:SHOWN])
    others = [products[i].value for i in order[SHOWN:]]
    rest = Number(sum(others), products[0].number.role, f"{len(others)} more")
    return [products[i] for i in kept], rest


def _size(value: Any) -> float:
    size = abs(value)
    return math.inf if size != size else float(size)


def _cancelled(products: Sequence[Product], result: Number, dtype: str) -> Claim | None:
    """A result that is nothing but rounding, as of terms that cancel: it is 0."""
    values = [each.value for each in products]
    if isinstance(result.value, complex | bool | int) or not all(map(_is_finite, values)):
        return None
    bound = 4 * len(values) * EPSILON.get(dtype, 2**-24) * max(map(abs, values))
    if not 0 < abs(result.value) <= bound:
        return None
    shown, rest = _largest(products)
    numbers = [Number(each.value, "gradient", each.label) for each in shown]
    numbers += [] if rest is None else [rest]
    pieces: list[str | Number] = []
    for i, each in enumerate(numbers):
        pieces += [" + ", each] if i else [each]
    if abs(sum(read(each.value, 9) for each in numbers)) > bound:
        return None
    right = Term("0", result.role, result.under)
    return Claim(_terms(pieces, DIGITS + 5), right, "≈", f"rounding: {short(result.value, 2)}")


def _is_finite(value: Any) -> bool:
    return not isinstance(value, complex) and math.isfinite(value)
