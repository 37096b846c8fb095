"""Formulas of rules with gaps for their operands: in a loop a rule runs once, not once a round.

The one fact to know: a rule sees of its operands the dtype, the shape and how strongly their
formulas bind, never what these say. What it gives for gaps holds for all operands that are alike.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .formula import Expression, Operand, rule_formula

if TYPE_CHECKING:
    from minitape.record import Pull

PLAIN = (int, float, bool, str, type(None))
GAP = re.compile("\0(\\d+)\0")


class Templates:
    """The formulas of rules by rule, kinds of operands and attributes."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], Expression] = {}

    def formula(self, pull: Pull, given: dict[str, Any], g: Any) -> Expression:
        """The same as `rule_formula`, without what an expression was made of."""
        texts: list[str] = []
        try:
            kinds = tuple(_kind(each, texts) for each in (g, *given.values()))
        except TypeError:
            return rule_formula(pull, given, g)
        key = (pull.rule, kinds)
        if key not in self.known:
            count = iter(range(len(texts)))
            gaps = {name: _gapped(each, count) for name, each in {"": g, **given}.items()}
            self.known[key] = rule_formula(pull, gaps, gaps.pop(""))
        found = self.known[key]
        return Expression(GAP.sub(lambda gap: texts[int(gap[1])], found.latex), found.level)


def _kind(value: Any, texts: list[str]) -> Any:
    """What a rule can see of an argument; the formulas of operands are put into `texts`."""
    if isinstance(value, Operand):
        texts.append(value.expression.latex)
        return value.spec, value.expression.level
    if isinstance(value, list):
        return tuple(_kind(each, texts) for each in value)
    if isinstance(value, tuple):
        return tuple(_kind(each, texts) for each in value), tuple
    if isinstance(value, PLAIN):
        return type(value), repr(value)  # 1 and 1.0 are not written alike
    raise TypeError(f"arguments of type {type(value).__name__} are not compared")


def _gapped(value: Any, count: Any) -> Any:
    if isinstance(value, Operand):
        return Operand(Expression(f"\0{next(count)}\0", value.expression.level), value.spec)
    return [_gapped(each, count) for each in value] if isinstance(value, list) else value
