"""The slope of an op in symbols, `1 − h²`: its own rule, run on names instead of numbers."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.tensor import Spec

from ...record import notation
from ...record.formula import Expression, Operand, rule_formula
from .naming import attributes_of, op_of, tidy

if TYPE_CHECKING:
    from ...trace.trace import Node, Trace
    from .naming import Names

LONGEST = 44
NOT_SAID = re.compile(r"const|…|∂|where|cast|sign\(|¬|(?<![\w)])\[")


def slope_formula(trace: Trace, names: Names, node: Node, position: int) -> str:
    """The slope of an elementwise op in one input; "" where its rule is not g times something."""
    op = op_of(node)
    if op is None:
        return ""
    rule = op.rules.get(op.input_name(position))
    if rule is None:
        return ""
    try:
        attributes = dict(zip(op.attributes, attributes_of(node, op), strict=True))
        inputs = dict(zip(op.inputs, node.inputs, strict=True))
        given = {
            name: _given(name, note, trace, names, node, inputs, attributes, position)
            for name, note in rule.needs
        }
        g = Operand(Expression("g"), _spec(node))
        found = rule_formula(SimpleNamespace(rule=rule.function), given, g)  # type: ignore[arg-type]
    except Exception:  # a rule that cannot be written in symbols is still a rule
        return ""
    text = tidy(notation.to_text(found.latex))
    if len(re.findall(r"\bg\b", text)) != 1:
        return ""
    # A rule is linear in g: with 1 in its stead it is the slope.
    text = re.sub(r"\bg·", "", text)
    text = re.sub(r"\((−?\d[\d.]*)\)(?=/)", r"\1", re.sub(r"\bg\b", "1", text))
    if len(text) > LONGEST or NOT_SAID.search(text):
        return ""
    return _bare(text)


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


def _given(
    name: str, note: Any, trace: Trace, names: Names, node: Node, inputs: dict[str, int],
    attributes: dict[str, Any], position: int,
) -> Any:  # fmt: skip
    if name in attributes:
        return attributes[name]
    if name in inputs or name == "out":
        which = trace.nodes[inputs.get(name, node.id)]
        if note == "Shape":
            return tuple(which.shape)
        return _spec(which) if note == "Spec" else Operand(names.expression(which.id), _spec(which))
    return position


def _spec(node: Node) -> Spec:
    return Spec(tuple(node.shape), np.dtype(node.dtype or "float32"))
