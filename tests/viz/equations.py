"""Reads equations out of texts and works them out with the digits that stand there.

Nothing of minitape is used: numbers become fractions, so that what is called false here is false
for whoever has the page and a pencil.
"""

from __future__ import annotations

import cmath
import math
import re
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

SUPER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMBER = r"(?:\d+(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|e[−-]?\d+)?|(?:nan|inf|NaN|∞)(?!\w))[ij]?(?!\w)"
WORDS = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh, "sinh": math.sinh,
    "cosh": math.cosh, "exp": math.exp, "log": lambda x: math.log(x) if x else -math.inf,
    "ln": math.log, "√": math.sqrt, "acosh": math.acosh, "asinh": math.asinh, "atanh": math.atanh,
    "erfc": math.erfc, "Γ": math.gamma, "sign": lambda x: x / abs(x) if x else x,
    "erf": math.erf, "arctan": math.atan, "conj": lambda z: z.conjugate(), "broadcast": lambda x: x,
    "σ": lambda x: 1 / (1 + math.exp(-x)), "Re": lambda z: z.real, "Im": lambda z: z.imag,
    "arcsin": math.asin, "arccos": math.acos, "softplus": lambda x: math.log1p(math.exp(x)),
}  # fmt: skip
CHOICES = {
    "max": lambda *x: max(x), "min": lambda *x: min(x), "atan2": math.atan2, "fmod": math.fmod,
    "clip": lambda x, low, high: max(low, min(x, high)),
}  # fmt: skip
TOKEN = re.compile(
    rf"\s*({NUMBER}|(?:{'|'.join(WORDS)}|{'|'.join(CHOICES)}|mod|where|True|False|mean|i)(?!\w)|√"
    r"|e(?=\^)|[()\[\],+−·⊙×/^∑∏|‖<>≤≥≠=]|-(?=[\d(∞in]))"
)
SIGNS = re.compile(r"(?<=\s)(=|≈|wraps to)(?=\s)")
PROSE = r"(?:passes|gives|up:|as|is|of|:)\s*$"
MOST_WORDS = 200


class Claim(NamedTuple):
    """An equation of a text: what is left of the sign, the sign, what is right of it."""

    left: str
    sign: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


def claims(text: str) -> list[Claim]:
    """The equations of a text whose sides are numbers."""
    found = []
    for match in SIGNS.finditer(text):
        left, right = _before(text[: match.start()]), _after(text[match.end() :])
        if left and right and re.search(r"[+−·⊙×/^∑]|[a-z√]", left.lstrip("−-")):
            found.append(Claim(left, match[1], right))
    return found


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            break
        tokens.append(match[1])
        at = match.end()
    return tokens


def _before(text: str) -> str:
    """The longest end of a text that is an expression of numbers."""
    text = text.rstrip()
    for start in [m.start() for m in re.finditer(r"(?<!\S)\S", text)][-MOST_WORDS:]:
        part = text[start:]
        if re.search(r"[a-zA-Z_)\]⊤ᵀ]$", text[:start].rstrip()) and not re.search(
            PROSE, text[:start]
        ):
            continue  # behind the name of a function, which is not worked out here
        if worked_out(part) is not None:
            return part
    return ""


def _after(text: str) -> str:
    """The number or list of numbers at the start of a text."""
    match = re.match(rf"\s*(\(?[−-]?{NUMBER}(?:\s?[+−]\s?{NUMBER})?\)?)", text)
    if match:
        return match[1] if match[1].count("(") == match[1].count(")") else match[1].strip("()")
    if not re.match(r"\s*\[", text):
        return ""
    depth, end = 0, len(text)
    for at, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth == 0 and character == "]":
            end = at + 1
            break
    return text[:end].strip() if "…" not in text[:end] else ""


def number(text: str) -> Any:
    """What a printed number is: a fraction, a complex number, or what no fraction is."""
    if text[-1] in "ij" and text not in ("inf",):
        return 1j * float(number(text[:-1]))
    if text in ("nan", "NaN"):
        return math.nan
    if text in ("inf", "∞"):
        return math.inf
    mantissa, _, power = re.sub("·10", "e", text).partition("e")
    return Fraction(mantissa) * Fraction(10) ** int(power.translate(SUPER).replace("−", "-") or 0)


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def take(self, *wanted: str) -> str:
        if self.tokens and self.tokens[0] in wanted:
            return self.tokens.pop(0)
        return ""

    def sum(self) -> Any:
        value = self.product()
        while sign := self.take("+", "−", "-"):
            other = self.product()
            value = _add(value, other if sign == "+" else _mapped(lambda x: -x, other))
        return value

    def product(self) -> Any:
        value = self.factor()
        while sign := self.take("·", "⊙", "×", "/", "mod") or "·" * (self.tokens[:1] == ["∑"]):
            other = self.factor()
            if sign == "×" and np.ndim(value) == np.ndim(other) == 1:
                value = np.cross(value, other)
                continue
            if sign == "mod":
                value = _both(lambda x, y: x % y, value, other)
                continue
            value = _times(value, other) if sign != "/" else _divided(value, other)
        return value

    def factor(self) -> Any:
        if self.take("−", "-"):
            return _mapped(lambda x: -x, self.factor())
        if self.take("∑"):
            return np.sum(np.asarray(self.product(), object), dtype=object)
        if self.take("∏"):
            return np.prod(np.asarray(self.product(), object), dtype=object)
        if self.take("mean"):
            values = np.asarray(self.factor(), object)
            return _divided(np.sum(values, dtype=object), Fraction(values.size))
        value = self.atom()
        if self.take("^"):
            power = self.factor()
            return _mapped(lambda x: _power(x, power), value)
        return value

    def atom(self) -> Any:
        token = self.tokens.pop(0)
        if token == "(":
            value = self.sum()
            if not self.take(")"):
                raise ValueError("no )")
            return value
        if token == "[":
            items = [self.sum()]
            while self.take(","):
                items.append(self.sum())
            if not self.take("]"):
                raise ValueError("no ]")
            return np.array(items, object)
        if token == "i":
            return 1j
        if token == "|":
            value = self.sum()
            if not self.take("|"):
                raise ValueError("no |")
            return _mapped(abs, value)
        if token == "‖":
            squares = _mapped(lambda x: x * x, np.asarray(self.sum(), object))
            if not self.take("‖"):
                raise ValueError("no ‖")
            return math.sqrt(np.sum(squares))
        if token == "e":
            return math.e
        if token in ("True", "False"):
            return token == "True"
        if token in CHOICES or token == "where":
            return self.chosen(token)
        if token in WORDS:
            return _mapped(lambda x: _called(token, x), self.factor())
        return number(token)

    def chosen(self, word: str) -> Any:
        """What max, min or where gives, of its arguments in parentheses or of one array."""
        if self.tokens[:1] == ["["]:
            return CHOICES[word](*np.ravel(self.atom()))
        if not self.take("("):
            raise ValueError("no (")
        given = [self.compared()]
        while self.take(","):
            given.append(self.sum())
        if not self.take(")"):
            raise ValueError("no )")
        if word == "where":
            condition, yes, no = given
            return yes if condition else no
        return math.nan if any(x != x for x in given) else CHOICES[word](*given)

    def compared(self) -> Any:
        """A sum, or whether it is not another."""
        value = self.sum()
        return value != self.sum() if self.take("≠") else value


def _called(word: str, x: Any) -> Any:
    if word in ("conj", "broadcast", "Re", "Im", "sign"):
        return WORDS[word](x)
    return getattr(cmath, word)(x) if isinstance(x, complex) else WORDS[word](float(x))


def _power(x: Any, power: Any) -> Any:
    whole = isinstance(power, Fraction) and power.denominator == 1
    return x ** int(power) if whole else float(x) ** float(power)


def _mapped(f: Any, value: Any) -> Any:
    return np.vectorize(f, otypes=[object])(value) if isinstance(value, np.ndarray) else f(value)


def _both(f: Any, a: Any, b: Any) -> Any:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.vectorize(lambda x, y: _both(f, x, y), otypes=[object])(a, b)
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        kind = complex if isinstance(a, complex) or isinstance(b, complex) else float
        a, b = kind(a), kind(b)
    return f(a, b)


def _add(a: Any, b: Any) -> Any:
    return _both(lambda x, y: x + y, a, b)


def _times(a: Any, b: Any) -> Any:
    return _both(lambda x, y: x * y, a, b)


def _divided(a: Any, b: Any) -> Any:
    def of(x: Any, y: Any) -> Any:
        if y == 0:
            return math.nan if x == 0 or x != x else math.copysign(math.inf, x)
        return x / y

    return _both(of, a, b)


def worked_out(text: str) -> Any:
    """What an expression of numbers gives; None where it is none, or cannot be worked out."""
    tokens = _tokens(text)
    if "".join(tokens).replace(" ", "") != text.replace(" ", ""):
        return None
    reader = _Reader(tokens)
    try:
        value = reader.sum()
    except (ValueError, IndexError, OverflowError, TypeError, ZeroDivisionError):
        return None
    return None if reader.tokens else value


def is_true(claim: Claim, dtype: str = "float32") -> bool | None:
    """Whether an equation holds for its digits; None where it cannot be worked out."""
    left, right = worked_out(claim.left), worked_out(claim.right)
    if left is None or right is None:
        return None
    try:
        mine, said = np.broadcast_arrays(np.asarray(left, object), np.asarray(right, object))
    except ValueError:
        return None
    if claim.sign == "wraps to":
        return all((a - b) % 256 == 0 for a, b in zip(mine.flat, said.flat, strict=True))
    largest = max(
        (abs(number(t)) for t in _tokens(claim.left) if re.fullmatch(NUMBER, t)), default=0
    )
    count = len(_tokens(claim.left))
    near = {"float16": 2**-11, "bfloat16": 2**-8, "float64": 2**-53}.get(dtype, 2**-24)
    for a, b, unit in zip(mine.flat, said.flat, _units(claim.right, said), strict=True):
        for x, y in zip(_parts(a), _parts(b), strict=True):
            if not (math.isfinite(x) and math.isfinite(y)):
                if not (x == y or (x != x and y != y)):
                    return False
                continue
            if claim.sign == "=" and abs(x - y) > unit * (0.5 + 1e-9):
                return False
            about = max(0.01 * max(abs(x), abs(y)), 4 * count * near * largest)
            if claim.sign == "≈" and abs(x - y) > about:
                return False
    return True


def _parts(value: Any) -> tuple[float, float]:
    return (value.real, value.imag) if isinstance(value, complex) else (value, 0.0)


def _units(text: str, said: Any) -> list[float]:
    """The last place that each number on the right claims: that of its fourth digit, or lower."""
    texts = re.findall(NUMBER, text)
    units = [_unit(each) for each in texts]
    if len(units) == said.size:
        return units
    return [max(units)] * said.size  # the two parts of complex numbers, one of a broadcast


def _unit(text: str) -> float:
    text = text.rstrip("ij") or text
    if not text[0].isdigit():
        return 0.0
    if re.fullmatch(r"\d+", text):
        return 1.0
    value = float(number(text))
    mantissa, _, power = re.sub("·10", "e", text).partition("e")
    place = 10.0 ** (
        int(power.translate(SUPER).replace("−", "-") or 0) - len(mantissa.partition(".")[2])
    )
    lead = 10.0 ** (math.floor(math.log10(abs(value)) + 1e-12) - 3) if value else place
    return min(place, lead)
