"""Corrections of shapes that met silently: both sides get one shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..finding import Finding
from ..source_text import Edit, Source
from .blocks import keyword_edit
from .candidate import at, call_named


def matching_shapes(source: Source, finding: Finding) -> Iterator[str]:
    """The texts to try."""
    if finding.cause == "losses":
        yield from _flat(source, finding)
    elif finding.cause == "keepdims":
        node = source.node(finding.spans.get("statistic"))
        if isinstance(node, ast.Call):
            yield source.edited([keyword_edit(source, node, "keepdims", "True")])
        at_once = source.statement(at(source, finding))
        if at_once is not None:  # several statistics in the line, or in the function
            yield _kept(source, [at_once])
            scope: Any = source.scope(at_once)
            yield _kept(source, scope.body if isinstance(scope.body, list) else [at_once])
    elif finding.cause == "bias":
        yield from _bias(source, finding)


def _kept(source: Source, statements: list[Any]) -> str:
    """All statistics along an axis in some statements, with that axis kept."""
    calls = [n for each in statements for n in ast.walk(each) if isinstance(n, ast.Call)]
    edits = [
        keyword_edit(source, n, "keepdims", "True")
        for n in calls
        if str(getattr(n.func, "attr", "")).startswith("reduce_")
        and any(k.arg == "axis" for k in n.keywords)
        and not any(k.arg == "keepdims" for k in n.keywords)
    ]
    return source.edited(edits)


def _flat(source: Source, finding: Finding) -> Iterator[str]:
    """The column of predictions without its last axis."""
    tf, node = source.tf, at(source, finding)
    column = finding.facts.get("column", 0)
    operands: list[Any] = []
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Call) and len(node.args) >= 2:
        operands = list(node.args[:2])
    if len(operands) == 2:
        for each in (operands[column], operands[1 - column]):
            text = f"{tf}.squeeze({source.code(each)}, -1)"
            yield source.edited([source.replaced(each, text)])
        for each in (operands[1 - column], operands[column]):
            other = operands[1] if each is operands[0] else operands[0]
            text = f"{tf}.reshape({source.code(each)}, {tf}.shape({source.code(other)}))"
            yield source.edited([source.replaced(each, text)])
        yield from _where_made(source, operands[column], f"{tf}.squeeze({{}}, -1)")
        yield from _where_made(source, operands[1 - column], f"{tf}.expand_dims({{}}, -1)")


def _where_made(source: Source, side: Any, wrap: str) -> Iterator[str]:
    """The shape given where a name in one side gets its value: all that uses it has it then."""
    names = {n.id for n in ast.walk(side) if isinstance(n, ast.Name)} if side is not None else set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and names & {source.code(t) for t in node.targets}:
            text = wrap.format(source.code(node.value))
            yield source.edited([source.replaced(node.value, text)])


def _bias(source: Source, finding: Finding) -> Iterator[str]:
    """A bias with one element per unit, from its making on."""
    node = source.node(finding.spans.get("made"))
    facts = finding.facts
    shape = f"[{facts.get('columns')}]" if facts.get("by_row") else f"[{facts.get('rows')}, 1]"
    zeros = call_named(source, node, "zeros", "ones", "normal", "uniform")
    if zeros is not None and zeros.args:
        yield source.edited([source.replaced(zeros.args[0], shape)])
    used = at(source, finding)
    if isinstance(node, ast.Call) and node.args:
        edit: Edit = source.replaced(node.args[0], f"{source.tf}.zeros({shape})")
        yield source.edited([edit])
    if isinstance(used, ast.BinOp) and not facts.get("by_row"):
        text = f"{source.code(used.right)}[:, None]"
        yield source.edited([source.replaced(used.right, text)])
