"""Small edits of a script that several kinds need: blocks, calls, statements that move."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..source_text import Edit, Source, called


def statement_of(source: Source, place: Any) -> Any:
    """The innermost statement at a place, None if there is none."""
    if place is None:
        return None
    node = source.node(place.span) if place.span else None
    found = source.statement(node) if node is not None else None
    return found if found is not None else source.statement(place.line)


def negated(source: Source, place: Any) -> Iterator[str]:
    """What a line assigns or returns, with a minus."""
    statement = statement_of(source, place)
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Assign | ast.Return) and value is not None:
        code = source.code(value)
        text = f"-({code})" if isinstance(value, ast.BinOp) else f"-{code}"
        yield source.edited([source.replaced(value, text)])


def without_gradients(source: Source, statement: Any, code: str = "") -> Edit:
    """A statement in a block of its own in which no gradients are recorded."""
    inner = code or source.code(statement)
    if any(
        isinstance(n, ast.With) and "no_grad" in source.code(n.items[0].context_expr)
        for n in source.above(statement)
    ):
        return source.replaced(statement, inner)
    torch = next(iter(sorted(source.aliases("torch"))), "torch")
    pad = source.indent(statement)
    return source.replaced(statement, f"with {torch}.no_grad():\n{pad}    {inner}")


def after(source: Source, statement: Any, code: str) -> Edit:
    """Lines after a statement, indented as it is."""
    place = source.starts[source.rows(statement)[1]]
    data = source.data[:place]
    start = "" if not data or data.endswith(b"\n") else "\n"
    pad = source.indent(statement)
    return Edit(place, place, start + "".join(f"{pad}{line}\n" for line in code.split("\n")))


def moved_before(source: Source, statement: Any, other: Any) -> list[Edit]:
    """A statement goes before another one."""
    return [source.without(statement), source.before(other, source.code(statement))]


def calls(source: Source, *names: str) -> Iterator[Any]:
    """The calls of functions or methods of some names, in order."""
    found = [
        n for n in ast.walk(source.tree) if isinstance(n, ast.Call) and called(n.func) in names
    ]
    yield from sorted(found, key=lambda n: (n.lineno, n.col_offset))


def with_keyword(source: Source, call: Any, keyword: str) -> Edit:
    """A call with one more keyword argument."""
    end = source.end(call) - 1
    head = source.data[source.start(call) : end].decode().rstrip()
    comma = "" if head.endswith("(") else " " if head.endswith(",") else ", "
    return Edit(end, end, comma + keyword)


def optimizers(source: Source) -> list[str]:
    """The names of which `step` is called as a statement without a result, in order."""
    found = []
    for call in calls(source, "step"):
        if isinstance(call.func, ast.Attribute) and isinstance(source.parents.get(call), ast.Expr):
            name = source.code(call.func.value)
            if "sched" not in name.lower():
                found.append(name)
    return list(dict.fromkeys(found))


def loops_around(source: Source, statement: Any) -> list[Any]:
    """The loops that a statement stands in, innermost first."""
    return [n for n in source.above(statement) if isinstance(n, ast.For | ast.While)]
