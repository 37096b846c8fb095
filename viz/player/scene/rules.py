"""The slope of an op in symbols, `1 − h²`: its own rule, run on names instead of numbers."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.tensor import Spec

from ...record import notation
from ...record.formula import Expression, Operand, rule_formula
from ...trace.facts import declared
from .naming import attributes_of, tidy

if TYPE_CHECKING:
    from minitape.op import Op

    from ...trace.trace import Node, Trace
    from .naming import Names

LONGEST = 44
MARK = 0x1200  # letters that stand for operands
NOT_SAID = re.compile(r"const|…|∂|where|cast|sign\(|¬|(?<![\w)])\[")


class Rules:
    """Slopes in symbols of the ops of one trace; ops that are called alike share one run."""

    def __init__(self, trace: Trace, names: Names) -> None:
        self.trace = trace
        self.names = names
        self._known: dict[Any, str] = {}

    def slope(self, node: Node, position: int) -> str:
        """The slope of an elementwise op in one input; "" where its rule is not so simple."""
        op = declared(node)
        rule = None if op is None else op.rules.get(op.input_name(position))
        if op is None or rule is None:
            return ""
        nodes = [*(self.trace.nodes[i] for i in node.inputs), node]
        expressions = [self.names.expression(each.id) for each in nodes]
        kinds = tuple((each.dtype, each.shape) for each in nodes)
        levels = tuple(each.level for each in expressions)
        key = (op.name, position, node.attributes, kinds, levels)
        if key not in self._known:
            marks = [Expression(chr(MARK + i), level) for i, level in enumerate(levels)]
            self._known[key] = _slope(op, rule, node, position, nodes, marks)
        text = self._known[key]
        for i, each in enumerate(expressions):
            if chr(MARK + i) in text:
                text = text.replace(chr(MARK + i), tidy(notation.to_text(each.latex)))
        if len(text) > LONGEST or "…" in text or "const" in text:
            return ""
        return _bare(text)


def _slope(
    op: Op, rule: Any, node: Node, position: int, nodes: list[Node], marks: list[Expression]
) -> str:
    """A rule with letters that stand for its operands and its result."""
    try:
        attributes = dict(zip(op.attributes, attributes_of(node, op), strict=True))
        places = {name: i for i, name in enumerate((*op.inputs, "out"))}
        given = {}
        for name, note in rule.needs:
            if name in attributes:
                given[name] = attributes[name]
            elif name in places:
                which, mark = nodes[places[name]], marks[places[name]]
                given[name] = Operand(mark, _spec(which))
                if note == "Shape":
                    given[name] = tuple(which.shape)
                elif note == "Spec":
                    given[name] = _spec(which)
            else:
                given[name] = position
        g = Operand(Expression("g"), _spec(node))
        found = rule_formula(SimpleNamespace(rule=rule.function), given, g)  # type: ignore[arg-type]
    except Exception:  # a rule that cannot be written in symbols is still a rule
        return ""
    text = tidy(notation.to_text(found.latex))
    if len(re.findall(r"\bg\b", text)) != 1 or NOT_SAID.search(text):
        return ""
    # A rule is linear in g: with 1 in its stead it is the slope.
    text = re.sub(r"\bg·", "", text)
    return re.sub(r"\((−?\d[\d.]*)\)(?=/)", r"\1", re.sub(r"\bg\b", "1", text))


def _bare(text: str) -> str:
    """Without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1]


def _spec(node: Node) -> Spec:
    return Spec(tuple(node.shape), np.dtype(node.dtype or "float32"))
