"""Differences whose digits cancel, in a form that does not subtract; else in a wider type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..source_text import Source
from .numbers import in_float64

ONE = r"1(?:\.0?)?"


def kept_digits(source: Source, node: Any) -> Iterator[str]:
    """The texts to try for a difference at a node."""
    code = source.code(node) if isinstance(node, ast.BinOp) else ""
    for pattern, form in _forms(source.tf):
        found = re.fullmatch(pattern, code, re.S)
        if found:
            parts = [each or "" for each in found.groups()]
            text = source.edited([source.replaced(node, form.format(*parts))])
            yield text
            yield widened(text)
    if re.search(r"\bfloat16\b", source.text):
        yield re.sub(r"\bfloat16\b", "float32", source.text)
    yield source.text.replace("float32", "float64")
    yield widened(source.text)


def widened(text: str) -> str:
    """The text with all its numbers in float64."""
    return in_float64(Source(re.sub(r"\bfloat(16|32)\b", "float64", text)))


def _forms(tf: str) -> list[tuple[str, str]]:
    """Differences, and what they are in another form."""
    name = rf"{tf}\.(?:math\.)?"
    mean = rf"{name}reduce_mean"
    square = rf"{name}square"
    return [
        (rf"{ONE} - {name}cos\((.*)\)", f"2.0 * {tf}.sin(0.5 * ({{0}})) ** 2"),
        (rf"{name}exp\((.*)\) - {ONE}", f"{tf}.math.expm1({{0}})"),
        (
            rf"{mean}\((.+?) \*\* 2(?:\.0)?(, .*)?\) - {mean}\(\1(?:, .*)?\) \*\* 2(?:\.0)?",
            f"{tf}.math.reduce_variance({{0}}{{1}})",
        ),
        (
            rf"{mean}\({square}\((.+?)\)(, .*)?\) - {square}\({mean}\(\1(?:, .*)?\)\)",
            f"{tf}.math.reduce_variance({{0}}{{1}})",
        ),
    ]
