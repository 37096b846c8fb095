"""Logarithms of products and exponentials as sums: what overflows or underflows is not computed.

Log exp(x) is x, log of a product is a sum of logarithms, and the log of a sum of exponentials has a
stable form. A name stands for the one expression that it was given.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

from minitape.ops.elementwise.powers import exp, log, sqrt

from ..source_text import Edit, Source, called
from .candidate import call_like, is_call_of, wrapped
from .pairs import Pairs, is_tiny, of_tensorflow

MAX_DEPTH = 12
ONES = {"ones": "zeros", "ones_like": "zeros_like"}
STARTS = {"constant", "convert_to_tensor", "float32", "float64"}


def of_logarithms(source: Source, node: Any) -> Iterator[str]:
    """Each `log` of the function around a node, written as a sum where that is possible."""
    scope = source.scope(node)
    calls: list[Any] = list(ast.walk(scope))
    for call in calls:
        logarithms = Logarithms(source, scope)
        if logarithms.pairs.calls(call, log):
            text = logarithms.of(logarithms.pairs.first(call))
            if logarithms.changed:
                simple = text.isidentifier() or text.endswith(")") and text.startswith(source.tf)
                yield source.edited([source.replaced(call, text if simple else f"({text})")])


class Logarithms:
    """Writes logarithms of expressions.

    Attributes:
        changed: whether an exponential or a product was taken apart.
    """

    def __init__(self, source: Source, scope: Any) -> None:
        self.source, self.pairs = source, Pairs(source, scope, of_tensorflow(source))
        self.changed = False

    def of(self, node: Any, depth: int = 0) -> str:
        """The text of the logarithm of an expression."""
        name = self.pairs.word(node)
        if isinstance(node, ast.Name) and depth < MAX_DEPTH:
            given = self.pairs.meant(node)
            before = self.changed
            text = self.of(given, depth + 1) if given is not node else ""
            if self.changed and not before:
                return text
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return f"{math.log(node.value):.12g}" if node.value > 0 else self._plain(node)
        if self.pairs.calls(node, exp):
            self.changed = True
            return wrapped(self.source, self.pairs.first(node))
        if name == "add_n":
            return self._added(node, depth)
        if name.endswith("prod") or self.pairs.facts(node).reduces == "sum":
            return self._reduced(node, name.endswith("prod"), depth)
        if isinstance(node, ast.Subscript):
            return self._entry(node, depth)
        if self.pairs.calls(node, sqrt):
            return f"0.5 * ({self.of(self.pairs.first(node), depth + 1)})"
        if isinstance(node, ast.BinOp):
            return self._of_operator(node, depth) or self._plain(node)
        return self._plain(node)

    def _reduced(self, node: Any, is_product: bool, depth: int) -> str:
        """The sum of the logarithms of a product, or the stable logarithm of a sum."""
        before = self.changed
        inner = _bare(self.of(self.pairs.first(node), depth + 1))
        if not is_product and (before or not self.changed):
            return self._plain(node)
        self.changed = True
        tf = self.source.tf
        added = f"{tf}.cumsum" if self.pairs.facts(node).running else f"{tf}.reduce_sum"
        function = added if is_product else self.pairs.names.logsumexp
        return f"{function}({', '.join([inner, *self.pairs.rest(node)])})"

    def _added(self, node: ast.Call, depth: int) -> str:
        """The stable logarithm of the sum of a list that is written out or in a comprehension."""
        given = self.pairs.meant(node.args[0])
        if not isinstance(given, ast.List | ast.ListComp):
            return self._plain(node)
        parts = given.elts if isinstance(given, ast.List) else [given.elt]
        before = self.changed
        texts = [self.of(each, depth + 1) for each in parts]
        if before or not self.changed:
            return self._plain(node)
        rest = self.source.data[self.source.end(parts[-1]) : self.source.end(given)].decode()
        stacked = f"{self.source.tf}.stack([{', '.join(texts)}{rest})"
        return f"{self.pairs.names.logsumexp}({stacked}, 0)"

    def _entry(self, node: ast.Subscript, depth: int) -> str:
        """An entry of the logarithms, where all of them are written as sums."""
        before = self.changed
        whole = self.of(node.value, depth + 1)
        if before or not self.changed:
            return self._plain(node)
        return f"{whole}[{self.source.code(node.slice)}]"

    def _of_operator(self, node: ast.BinOp, depth: int) -> str:
        if isinstance(node.op, ast.Pow):
            inner = self.of(node.left, depth + 1)
            return f"{wrapped(self.source, node.right)} * ({inner})"
        if isinstance(node.op, ast.Add) and is_tiny(node.right):
            before = self.changed
            text = self.of(node.left, depth + 1)
            return text if self.changed and not before else ""
        sign = {ast.Mult: "+", ast.Div: "-"}.get(type(node.op))
        if sign is None:
            return ""
        left, right = self.of(node.left, depth + 1), self.of(node.right, depth + 1)
        if sign == "+" and right.startswith("-"):
            return f"{left} - {right[1:]}"
        return f"{left} {sign} {right if sign == '+' else f'({right})'}"

    def _plain(self, node: Any) -> str:
        if self.pairs.word(node) == "len":
            return f"{self.source.tf}.math.log(float({self.source.code(node)}))"
        return f"{self.source.tf}.math.log({self.source.code(node)})"


def _bare(text: str) -> str:
    """An expression without the brackets around all of it."""
    try:
        ast.parse(text[1:-1].strip(), mode="eval")
    except SyntaxError:
        return text
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def of_products(source: Source, node: Any, line: int) -> Iterator[str]:
    """The text in which a product, by `reduce_prod` or by a loop, is a sum of logarithms."""
    statement = source.statement(node if node is not None else line)
    product = call_like(source, node, lambda facts: facts.reduces == "product")
    name = ""
    if product is not None and product.args:
        logarithm = Logarithms(source, source.scope(product)).of(product)
        around = source.parents.get(product)
        is_log = is_call_of(around, log)
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
        if is_call_of(call, log) and len(call.args) == 1
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
        return called(node.func) in functions
    return isinstance(node, ast.Name | ast.Attribute) and source.code(node) in names
