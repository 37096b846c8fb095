"""A learner's answer as numbers: read from text without ever evaluating it, and compared.

Of a text only its syntax tree is looked at, and only signed numbers, nan, inf and lists of them are
taken from it; a name, a call or an operator is refused.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import numpy.typing as npt

from minitape.safety.silence import Silence

from ..base.numbers import LOWERED

Numbers = npt.NDArray[Any]

MAX_TEXT = 4_000
RELATIVE = 5e-3  # answers are given to three or four digits
ABSOLUTE = 1e-12
EXAMPLE = "write a number such as -1.5, or a list such as [1.0, 2.5] or [[1, 2], [3, 4]]"
_WORDS = {"nan": float("nan"), "inf": float("inf")}


class AnswerError(ValueError):
    """An answer is no number and no list of numbers; it does not count as a try."""


def numbers(answer: Any) -> Numbers:
    """An answer as an array.

    Args:
        answer: a number, nested lists, an array, a tensor, or text with numbers in it.

    Raises:
        AnswerError: if it is something else.

    Example:
        >>> numbers("[[1, -2.5]]").tolist(), numbers("−3").tolist(), numbers("1.5·10⁻⁷").tolist()
        ([[1.0, -2.5]], -3.0, 1.5e-07)
    """
    value = _read(answer) if isinstance(answer, str) else answer
    try:
        array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    except (TypeError, ValueError) as error:
        message = "the rows of the answer have different lengths"
        raise AnswerError(f"{message}; {EXAMPLE}") from error
    if array.dtype.kind not in "biufc":
        raise AnswerError(f"the answer {answer!r:.60} holds something else than numbers; {EXAMPLE}")
    return array if array.dtype.kind == "c" else array.astype(np.float64)


def _read(text: str) -> Any:
    """The numbers of a text."""
    if len(text) > MAX_TEXT:
        raise AnswerError(f"the answer has {len(text):,} characters; {EXAMPLE}")
    plain = text.strip().replace("−", "-").replace("∞", "inf").replace("NaN", "nan")
    plain = plain.replace("·10", "e").translate(LOWERED)
    try:
        return _value(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, AnswerError):
            raise
        raise AnswerError(f"cannot read {text!r:.60} as numbers; {EXAMPLE}") from error


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, complex):
        return node.value
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        if not isinstance(value, list):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(each) for each in node.elts]
    raise AnswerError(f"the answer may hold numbers and brackets only; {EXAMPLE}")


def same(a: Numbers, b: Numbers) -> bool:
    """Whether two arrays agree in shape and, to three digits, in their numbers.

    Example:
        >>> same(np.array(0.3333), np.array(1 / 3)), same(np.array(0.33), np.array(1 / 3))
        (True, False)
    """
    return a.shape == b.shape and bool(close(a, b).all())


def close(a: Numbers, b: Numbers) -> npt.NDArray[np.bool_]:
    """Where two arrays of one shape agree: to three digits, and near zero by the largest number."""
    size = np.abs(b[np.isfinite(b)])
    around_zero = 1e-4 * float(size.max()) if size.size else 0.0
    with Silence():
        return np.isclose(a, b, RELATIVE, max(around_zero, ABSOLUTE), equal_nan=True)
