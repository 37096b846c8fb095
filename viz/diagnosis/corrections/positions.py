"""A table that is read at a position: between two entries in place of at one of them.

`table[int(x)]` is a staircase in x. A straight line between the entries has a slope, and meets the
staircase at whole positions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..source_text import Source, called
from .candidate import wrapped


def between(source: Source, node: Any) -> Iterator[str]:
    """The texts that read a table between two entries, where a position is cast at a node."""
    if node is None:
        return
    cast = next((each for each in [*ast.walk(node), *source.above(node)] if _position(each)), None)
    if cast is None:
        return
    name, whole = _kept(source, cast)
    scope = source.scope(cast)
    for each in ast.walk(scope):
        table, index = _read(each)
        is_here = index is not None and (cast in ast.walk(index) or name == source.code(index))
        if table is not None and is_here:
            written = whole if name == source.code(index) else index
            position = _without(source, written, cast)
            text = _line(source, source.code(table), position, _period(source, written))
            around = source.parents.get(each)
            is_operand = isinstance(around, ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript)
            yield source.edited([source.replaced(each, f"({text})" if is_operand else text)])


def _without(source: Source, node: Any, cast: Any) -> str:
    """The text of a position without its cast: `x % 4` of `tf.cast(x, tf.int32) % 4`."""
    text, code = source.code(node), source.code(cast)
    if node is cast:
        return source.code(_position(cast))
    return text.replace(code, wrapped(source, _position(cast)), 1)


def _period(source: Source, node: Any) -> str:
    """`n` of a position `k % n`, after whose last entry the first one comes; "" for others."""
    is_round = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
    return wrapped(source, node.right) if is_round else ""


def _line(source: Source, table: str, x: str, period: str) -> str:
    """The straight line between the entries below and above a position."""
    tf = source.tf
    operand = x if x.isidentifier() or x.endswith(")") else f"({x})"
    below = f"{tf}.cast({tf}.floor({x}), {tf}.int32)"
    last = f"{tf}.shape({table})[0] - 1"
    low = f"{tf}.gather({table}, {below})"
    above = f"({below} + 1) % {period}" if period else f"{tf}.minimum({below} + 1, {last})"
    high = f"{tf}.gather({table}, {above})"
    return f"{low} + ({operand} - {tf}.floor({x})) * ({high} - {low})"


def _position(node: Any) -> Any:
    """What is cast to a whole number: of `tf.cast(x, tf.int32)`, `int(x)`; None for others."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = called(node.func)
    if name == "int" and len(node.args) == 1:
        given: Any = node.args[0]
        is_number = isinstance(given, ast.Call) and getattr(given.func, "attr", "") == "numpy"
        return given.func.value if is_number else given
    wanted = [*node.args[1:], *(k.value for k in node.keywords)]
    is_whole = any("int" in ast.unparse(each) for each in wanted)
    return node.args[0] if name == "cast" and is_whole else None


def _kept(source: Source, cast: Any) -> tuple[str | None, Any]:
    """The name and the expression of a position that is kept, None if it is used where it is."""
    statement = source.statement(cast)
    value = getattr(statement, "value", None)
    is_kept = isinstance(statement, ast.Assign) and (
        value is cast or isinstance(value, ast.BinOp) and cast in (value.left, value.right)
    )
    return (source.code(statement.targets[0]), value) if is_kept else (None, None)


def _read(node: Any) -> tuple[Any, Any]:
    """Table and position of `tf.gather(table, position)` and of `table[position]`."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "gather":
        return (node.args[0], node.args[1]) if len(node.args) == 2 else (None, None)
    if isinstance(node, ast.Subscript):
        return node.value, node.slice
    return None, None
