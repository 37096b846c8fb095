"""What the learner wrote at a place: the operands of the expression, the name of the tape."""

from __future__ import annotations

import ast
import linecache
from typing import Any

from ...record.lines import calling_frame
from ...record.standpoints import Place, Span, Stack, stack

__all__ = ["Place", "Span", "Stack", "operands", "stack", "tape_name"]


def _written(place: Place) -> str:
    """The text of the expression at a place, "" where it takes several lines."""
    span = place.span
    if span is None or span.line != span.end_line:
        return ""
    row = linecache.getline(place.code.co_filename, span.line).encode()
    return row[span.column : span.end_column].decode(errors="replace")


def expression(place: Place) -> Any:
    """The expression at a place; None where it takes several lines."""
    try:
        return ast.parse(_written(place), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def operands(place: Place) -> list[str]:
    """The two operands of the expression at a place, as they are written; [] for others."""
    code = _written(place)
    tree = expression(place)
    if isinstance(tree, ast.BinOp):
        both = [tree.left, tree.right]
    else:
        both = list(tree.args[:2]) if isinstance(tree, ast.Call) else []
    return [ast.get_source_segment(code, each) or "" for each in both]


def called(place: Place) -> str:
    """The function that the expression at a place calls, `pow` for `**`; "" for others."""
    tree = expression(place)
    if isinstance(tree, ast.Call):
        return str(getattr(tree.func, "attr", getattr(tree.func, "id", "")))
    return "pow" if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Pow) else ""


def tapes_not_called(tree: ast.AST, line: int) -> list[ast.expr]:
    """The classes of tapes that a `with` at a line enters without making one."""
    entered = [
        item.context_expr
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and node.lineno == line
        for item in node.items
    ]
    names = {"GradientTape", "ForwardAccumulator"}
    return [e for e in entered if getattr(e, "attr", getattr(e, "id", "")) in names]


def tape_name(tape: Any) -> str:
    """What the learner calls a tape, in the frame that asked it; `tape` where it has no name."""
    frame = calling_frame()
    scopes = [] if frame is None else [frame.f_locals, frame.f_globals]
    names = [name for scope in scopes for name, value in scope.items() if value is tape]
    return names[0] if names else "tape"
