"""Corrections around a tape's block: a watch, lines moved into it or out, a name, a keyword.

Lines are moved whole, and only their indentation changes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..source_text import Edit, Source, called


def tape_blocks(source: Source) -> list[Any]:
    """The `with` statements that enter a tape, in order."""
    names = {
        source.code(node.targets[0])
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign) and "GradientTape(" in source.code(node.value)
    }
    return [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.With)
        and any(tape_call(i) or source.code(i.context_expr) in names for i in node.items)
    ]


def tape_call(item: ast.withitem) -> ast.Call | None:
    """The call of `GradientTape` in an item of a `with`."""
    for node in ast.walk(item.context_expr):
        if isinstance(node, ast.Call):
            name = called(node.func)
            if name == "GradientTape":
                return node
    return None


def block_at(source: Source, span: Any) -> Any:
    """The `with` of a tape at a span or around it, None if it is written in another way."""
    if not span:
        return None
    around = [w for w in tape_blocks(source) if w.lineno <= span[0] <= w.body[0].lineno]
    return around[-1] if around else None


def tape_name(source: Source, block: Any, span: Any = None) -> str:
    """The name after `as`."""
    named = [
        (item.context_expr.lineno, source.code(item.optional_vars))
        for item in block.items
        if tape_call(item) is not None and item.optional_vars is not None
    ]
    first = block.items[0].context_expr
    alone = source.code(first) if isinstance(first, ast.Name | ast.Attribute) else "tape"
    return named[-1][1] if named else alone


def watching(source: Source, block: Any, name: str) -> Iterator[str]:
    """The text with a watch at the start of a tape's block, or right after the name is bound."""
    watch = f"{tape_name(source, block)}.watch({name})"
    own = _watch_statement(source, block, name)
    edits = [source.without(own)] if own is not None else []
    first = block.body[0] if block.body[0] is not own or len(block.body) == 1 else block.body[1]
    if first.lineno > block.lineno:
        yield source.edited([*edits, source.before(first, watch)])
    root = name.split("[")[0].split(".")[0]
    for statement in block.body:
        if root in names_stored(statement):
            _, last = source.rows(statement)
            place = source.starts[last]
            line = f"{source.indent(statement)}{watch}\n"
            yield source.edited([*edits, Edit(place, place, line)])


def _watch_statement(source: Source, block: Any, name: str) -> Any:
    for node in ast.walk(block):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            is_watch = getattr(call.func, "attr", "") == "watch"
            if is_watch and call.args and source.code(call.args[0]) == name:
                return node
    return None


def names_stored(node: ast.AST) -> set[str]:
    """The names that get a value somewhere in a statement."""
    return {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def shifted(source: Source, first: int, last: int, by: int) -> str:
    """Whole lines with another indentation."""
    text = source.text_of_rows(first, last)
    text = text if text.endswith("\n") else text + "\n"
    rows = text.splitlines(keepends=True)
    if by >= 0:
        return "".join(" " * by + row if row.strip() else row for row in rows)
    return "".join(row[min(-by, len(row) - len(row.lstrip(" "))) :] for row in rows)


def moved_inside(source: Source, statement: Any, block: Any) -> Iterator[str]:
    """The text with a statement inside of a tape's block that it stands before or after."""
    first, last = source.rows(statement)
    depth = int(block.body[0].col_offset)
    start, end = source.rows(block)
    siblings = source.block(block)
    if first > end and statement in siblings:
        after = siblings[siblings.index(block) + 1 : siblings.index(statement) + 1]
        begin = source.rows(after[0])[0]
        lines = shifted(source, begin, last, depth - int(block.col_offset))
        yield source.edited([Edit(source.starts[begin - 1], source.starts[last], lines)])
    if last < start:
        yield from _moved_down(source, statement, block, depth)
    copied = shifted(source, first, last, depth - int(statement.col_offset))
    place = source.starts[source.rows(block.body[0])[0] - 1]
    yield source.edited([Edit(place, place, copied)])  # a copy, where it is made elsewhere


def _moved_down(source: Source, statement: Any, block: Any, depth: int) -> Iterator[str]:
    """The statement alone, then it and all that follows up to the block."""
    place = source.starts[source.rows(block.body[0])[0] - 1]
    siblings = source.block(statement)
    around = next((n for n in [block, *source.above(block)] if n in siblings), None)
    ends = [statement]
    if around is not None:
        between = siblings[siblings.index(statement) : siblings.index(around)]
        ends += between[-1:]
    for end in ends:
        first, last = source.rows(statement)[0], source.rows(end)[1]
        lines = shifted(source, first, last, depth - int(statement.col_offset))
        gone = Edit(source.starts[first - 1], source.starts[last], "")
        yield source.edited([gone, Edit(place, place, lines)])


def unwrapped(source: Source, block: Any) -> str:
    """The text with the body of a `with` in place of it."""
    first, last = source.rows(block)
    begin = source.rows(block.body[0])[0]
    by = int(block.col_offset) - int(block.body[0].col_offset)
    lines = shifted(source, begin, last, by)
    return source.edited([Edit(source.starts[first - 1], source.starts[last], lines)])


def with_keyword(source: Source, call: Any, name: str, value: str) -> str:
    """The text with a keyword of a call set."""
    return source.edited([keyword_edit(source, call, name, value)])


def keyword_edit(source: Source, call: Any, name: str, value: str) -> Edit:
    """The edit that sets a keyword."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return source.replaced(keyword.value, value)
    place = source.end(call) - 1
    given = bool(call.args or call.keywords)
    return Edit(place, place, f"{', ' if given else ''}{name}={value}")


def without_keyword(source: Source, call: Any, name: str) -> str | None:
    """The text with a keyword of a call taken out."""
    for keyword in call.keywords:
        if keyword.arg == name:
            start, end = source.start(keyword), source.end(keyword)
            before = source.data[:start].rstrip()
            if before.endswith(b","):
                return source.edited([Edit(len(before) - 1, end, "")])
            rest = source.data[end:].lstrip()
            extra = len(source.data) - len(rest) - end
            comma = rest.startswith(b",")
            return source.edited([Edit(start, end + (extra + 2 if comma else 0), "")])
    return None
