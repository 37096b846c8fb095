"""A table that is read at a position: between two entries in place of at one of them.

The one fact to know: `table[int(x)]` is a staircase in x. A straight line between the entries has a
slope, and meets the staircase at whole positions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..rewriting.source import Source
from .candidate import wrapped


def between(source: Source, node: Any) -> Iterator[str]:
    """The texts that read a table between two entries, where a position is cast at a node."""
    if node is None:
        return
    cast = next((each for each in [*ast.walk(node), *source.above(node)] if _position(each)), None)
    if cast is None:
        return
    name = _name_of(source, cast)
    scope = source.scope(cast)
    for each in ast.walk(scope):
        table, index = _read(each)
        is_here = index is not None and (index is cast or name and source.code(index) == name)
        if table is not None and is_here:
            text = _line(source, source.code(table), _position(cast))
            around = source.parents.get(each)
            is_operand = isinstance(around, ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript)
            yield source.edited([source.replaced(each, f"({text})" if is_operand else text)])


def _line(source: Source, table: str, position: Any) -> str:
    """The straight line between the entries below and above a position."""
    tf, x = source.tf, source.code(position)
    below = f"{tf}.cast({tf}.floor({x}), {tf}.int32)"
    last = f"{tf}.shape({table})[0] - 1"
    low = f"{tf}.gather({table}, {below})"
    high = f"{tf}.gather({table}, {tf}.minimum({below} + 1, {last}))"
    return f"{low} + ({wrapped(source, position)} - {tf}.floor({x})) * ({high} - {low})"


def _position(node: Any) -> Any:
    """What is cast to a whole number: of `tf.cast(x, tf.int32)`, `int(x)`; None for others."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "int" and len(node.args) == 1:
        given: Any = node.args[0]
        is_number = isinstance(given, ast.Call) and getattr(given.func, "attr", "") == "numpy"
        return given.func.value if is_number else given
    wanted = [*node.args[1:], *(k.value for k in node.keywords)]
    is_whole = any("int" in ast.unparse(each) for each in wanted)
    return node.args[0] if name == "cast" and is_whole else None


def _name_of(source: Source, cast: Any) -> str:
    """The name under which a cast position is kept, "" if it is used where it is made."""
    statement = source.statement(cast)
    is_kept = isinstance(statement, ast.Assign) and statement.value is cast
    return source.code(statement.targets[0]) if is_kept else ""


def _read(node: Any) -> tuple[Any, Any]:
    """Table and position of `tf.gather(table, position)` and of `table[position]`."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "gather":
        return (node.args[0], node.args[1]) if len(node.args) == 2 else (None, None)
    if isinstance(node, ast.Subscript):
        return node.value, node.slice
    return None, None
