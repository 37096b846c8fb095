"""A product of many small numbers as a sum of their logarithms, through loops and functions.

The one fact to know: what holds the product holds its logarithm afterwards, so each `log` of it is
taken out: of the name, of another name for it, of the function that returns it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..source_text import Edit, Source
from .candidate import call_named
from .logarithms import Logarithms

ONES = {"ones": "zeros", "ones_like": "zeros_like"}
STARTS = {"constant", "convert_to_tensor", "float32", "float64"}


def of_products(source: Source, node: Any, line: int) -> Iterator[str]:
    """The text in which a product, by `reduce_prod` or by a loop, is a sum of logarithms."""
    statement = source.statement(node if node is not None else line)
    product = call_named(source, node, "reduce_prod", "prod")
    name = ""
    if product is not None and product.args:
        logarithm = Logarithms(source, source.scope(product)).of(product)
        around = source.parents.get(product)
        is_log = isinstance(around, ast.Call) and _called(around) == "log"
        edits = [source.replaced(around if is_log else product, logarithm)]
    else:
        name, factor = _multiplied(source, statement)
        if factor is None or not _is_only_a_product(source, statement, name):
            return
        scope = source.scope(statement)
        logarithm = Logarithms(source, scope).of(factor)
        edits = [source.replaced(statement, f"{name} += {logarithm}")]
        edits += _started(source, scope, name)
    yield source.edited([*edits, *_without_logs(source, name, product)])


def _multiplied(source: Source, statement: Any) -> tuple[str, Any]:
    """The name and the factor of `p *= q`, `p = p * q`, `p = q * p`."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Mult):
        return source.code(statement.target), statement.value
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Assign) and isinstance(value, ast.BinOp):
        name = source.code(statement.targets[0])
        for one, other in ((value.left, value.right), (value.right, value.left)):
            if isinstance(value.op, ast.Mult) and source.code(one) == name:
                return name, other
    return "", None


def _is_only_a_product(source: Source, statement: Any, name: str) -> bool:
    """Whether the name is not used as a factor elsewhere, where its logarithm would be wrong."""
    return not any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult | ast.Div | ast.Pow)
        and name in {source.code(node.left), source.code(node.right)}
        and source.statement(node) is not statement
        for node in ast.walk(source.scope(statement))
    )


def _started(source: Source, scope: Any, name: str) -> list[Edit]:
    """The product's first value 1 as the sum's first value 0."""
    edits = []
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and source.code(node.targets[0]) == name:
            edits += _as_zero(source, node.value)
    return edits


def _as_zero(source: Source, value: Any) -> list[Edit]:
    if isinstance(value, ast.Constant) and value.value == 1:
        return [source.replaced(value, "0.0")]
    called = getattr(getattr(value, "func", None), "attr", "")
    if called in ONES:
        function = source.code(value.func)
        return [source.replaced(value.func, function.replace(called, ONES[called]))]
    if called in STARTS and value.args:
        return _as_zero(source, value.args[0])
    return []


def _without_logs(source: Source, name: str, product: Any) -> list[Edit]:
    """The edits that take out each logarithm of what is one by now."""
    names, functions = _spread(source, name, product)
    return [
        source.replaced(call, source.code(call.args[0]))
        for call in ast.walk(source.tree)
        if isinstance(call, ast.Call) and _called(call) == "log" and len(call.args) == 1
        if _holds(source, call.args[0], names, functions)
    ]


def _spread(source: Source, name: str, product: Any) -> tuple[set[str], set[str]]:
    """The names that hold the sum of logarithms, and the functions that return it."""
    names, functions = {name} - {""}, set[str]()
    while True:
        before = len(names) + len(functions)
        for node in ast.walk(source.tree):
            value = getattr(node, "value", None)
            if value is None or not (value is product or _holds(source, value, names, functions)):
                continue
            if isinstance(node, ast.Assign):
                names.add(source.code(node.targets[0]))
            function = source.scope(node)
            if isinstance(node, ast.Return) and isinstance(function, ast.FunctionDef):
                functions.add(function.name)
        if len(names) + len(functions) == before:
            return names, functions


def _holds(source: Source, node: Any, names: set[str], functions: set[str]) -> bool:
    if isinstance(node, ast.Call):
        return _called(node) in functions
    return isinstance(node, ast.Name | ast.Attribute) and source.code(node) in names


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))
