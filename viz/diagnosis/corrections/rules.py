"""Corrections of a custom gradient: the missing upstream, a factor, or no gradient of one's own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..finding import Finding
from ..source_text import Source
from .candidate import at
from .names import by_position, own_gradient_dropped
from .numbers import kept_digits


def right_rules(source: Source, finding: Finding) -> Iterator[str]:
    """The texts to try."""
    if finding.cause == "keywords":
        yield from by_position(source, finding)
        return
    if finding.cause == "digits":
        yield from kept_digits(source, at(source, finding))
        return
    function = _function(source, finding)
    inner = _gradient_of(source, function)
    if inner is not None:
        for statement in ast.walk(inner):
            if isinstance(statement, ast.Return) and statement.value is not None:
                yield from _returned(source, finding, inner, statement.value)
    yield from own_gradient_dropped(source, finding)


def line_of(source: Source, finding: Finding) -> int:
    """The line where the wrong part is computed, else that of the gradient function's `return`."""
    inner = _gradient_of(source, _function(source, finding))
    part = _computed(inner, finding.facts.get("argument", 0))
    if part is not None:
        return part
    returns = [n for n in ast.walk(inner) if isinstance(n, ast.Return)] if inner is not None else []
    last = inner.body[-1] if isinstance(inner, ast.FunctionDef) else inner
    return returns[-1].lineno if returns else getattr(last, "lineno", finding.line)


def _computed(inner: Any, index: int) -> int | None:
    """The line that computes what is returned under a name; None if it stands in the `return`."""
    body = getattr(inner, "body", None)
    last = body[-1] if isinstance(body, list) else None
    if not isinstance(last, ast.Return):
        return None
    value = last.value
    parts = list(value.elts) if isinstance(value, ast.Tuple | ast.List) else [value]
    part = parts[index] if index < len(parts) else None
    made = [
        n for n in ast.walk(inner)
        if isinstance(n, ast.Assign) and isinstance(part, ast.Name)
        and part.id in {t.id for t in n.targets if isinstance(t, ast.Name)}
    ]  # fmt: skip
    return made[-1].lineno if made else None


def _function(source: Source, finding: Finding) -> Any:
    name = finding.facts.get("function")
    found = [n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[0] if found else None


def _gradient_of(source: Source, function: Any) -> Any:
    """The inner function or lambda that a function with its own gradient returns."""
    if function is None:
        return None
    returned = [
        n.value.elts[1] for n in ast.walk(function)
        if isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple) and len(n.value.elts) == 2
        and source.scope(n) is function
    ]  # fmt: skip
    name = source.code(returned[-1]) if returned else ""
    if returned and isinstance(returned[-1], ast.Lambda):
        return returned[-1]
    inner = [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef) and n is not function]
    return next((n for n in inner if n.name == name), inner[0] if inner else None)


def _returned(source: Source, finding: Finding, inner: Any, value: Any) -> Iterator[str]:
    parts = list(value.elts) if isinstance(value, ast.Tuple) else [value]
    index = min(finding.facts.get("argument", 0), len(parts) - 1)
    part = parts[index]
    code = source.code(part)
    if finding.cause == "upstream" and inner.args.args:
        upstream = inner.args.args[0].arg
        edits = [source.replaced(p, f"{upstream} * ({source.code(p)})") for p in parts]
        yield source.edited(edits)
        yield source.edited([source.replaced(part, f"{upstream} * ({code})")])
    factor = finding.facts.get("factor")
    if factor is not None:
        yield source.edited([source.replaced(part, f"{factor:g} * ({code})".replace("-1 * ", "-"))])
    if len(parts) == 2:
        edits = [
            source.replaced(parts[0], source.code(parts[1])),
            source.replaced(parts[1], source.code(parts[0])),
        ]
        yield source.edited(edits)
