"""Logarithms of products and exponentials as sums: what overflows or underflows is not computed.

The one fact to know: log exp(x) is x, log of a product is a sum of logarithms, and the log of a sum
of exponentials has a stable form. A name stands for the one expression that it was given.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

from ..source_text import Source
from .candidate import wrapped

MAX_DEPTH = 12
TINY = 1e-5
STABLE = {"reduce_prod": "reduce_sum", "reduce_sum": "reduce_logsumexp", "cumprod": "cumsum"}


def of_logarithms(source: Source, node: Any) -> Iterator[str]:
    """Each `log` of the function around a node, written as a sum where that is possible."""
    scope = source.scope(node)
    calls: list[Any] = list(ast.walk(scope))
    for call in calls:
        if _called(call) == "log" and len(call.args) == 1:
            logarithms = Logarithms(source, scope)
            text = logarithms.of(call.args[0])
            if logarithms.changed:
                simple = text.isidentifier() or text.endswith(")") and text.startswith(source.tf)
                yield source.edited([source.replaced(call, text if simple else f"({text})")])


class Logarithms:
    """Writes logarithms of expressions.

    Attributes:
        changed: whether an exponential or a product was taken apart.
    """

    def __init__(self, source: Source, scope: Any) -> None:
        self.source, self.scope = source, scope
        self.changed = False

    def of(self, node: Any, depth: int = 0) -> str:
        """The text of the logarithm of an expression."""
        name = _called(node)
        if isinstance(node, ast.Name) and depth < MAX_DEPTH:
            given = self._given(node.id)
            before = self.changed
            text = self.of(given, depth + 1) if given is not None else ""
            if self.changed and not before:
                return text
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return f"{math.log(node.value):.12g}" if node.value > 0 else self._plain(node)
        if name == "exp":
            self.changed = True
            return wrapped(self.source, node.args[0])
        if name in {"reduce_prod", "reduce_sum", "cumprod"}:
            return self._reduced(node, name, depth)
        if name == "add_n":
            return self._added(node, depth)
        if isinstance(node, ast.Subscript):
            return self._entry(node, depth)
        if name == "sqrt":
            return f"0.5 * ({self.of(node.args[0], depth + 1)})"
        if isinstance(node, ast.BinOp):
            return self._of_operator(node, depth) or self._plain(node)
        return self._plain(node)

    def _reduced(self, node: ast.Call, name: str, depth: int) -> str:
        """The sum of the logarithms of a product, or the stable logarithm of a sum."""
        before = self.changed
        inner = self.of(node.args[0], depth + 1)
        if name == "reduce_sum" and (before or not self.changed):
            return self._plain(node)
        self.changed = True
        rest = [self.source.code(each) for each in [*node.args[1:], *node.keywords]]
        stable = STABLE[name]
        return f"{self.source.tf}.{stable}({', '.join([_bare(inner), *rest])})"

    def _added(self, node: ast.Call, depth: int) -> str:
        """The stable logarithm of the sum of a list that is written out or in a comprehension."""
        given: Any = node.args[0]
        if isinstance(given, ast.Name):
            given = self._given(given.id)
        if not isinstance(given, ast.List | ast.ListComp):
            return self._plain(node)
        parts = given.elts if isinstance(given, ast.List) else [given.elt]
        before = self.changed
        texts = [self.of(each, depth + 1) for each in parts]
        if before or not self.changed:
            return self._plain(node)
        rest = self.source.data[self.source.end(parts[-1]) : self.source.end(given)].decode()
        tf = self.source.tf
        return f"{tf}.reduce_logsumexp({tf}.stack([{', '.join(texts)}{rest}), 0)"

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
        if isinstance(node.op, ast.Add) and _is_tiny(node.right):
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
        if _called(node) == "len":
            return f"{self.source.tf}.math.log(float({self.source.code(node)}))"
        return f"{self.source.tf}.math.log({self.source.code(node)})"

    def _given(self, name: str) -> Any:
        """The one expression that a name stands for, None where there are more of them."""
        found = [
            each
            for each in ast.walk(self.scope)
            if isinstance(each, ast.Assign | ast.AugAssign | ast.For | ast.AnnAssign)
            and name in {n.id for n in _targets(each) if isinstance(n, ast.Name)}
        ]
        first: Any = found[0] if len(found) == 1 else None
        is_simple = isinstance(first, ast.Assign) and isinstance(first.targets[0], ast.Name)
        return first.value if is_simple else None


def _is_tiny(node: Any) -> bool:
    """Whether a term only keeps a logarithm from 0, which a sum does not need."""
    is_number = isinstance(node, ast.Constant) and isinstance(node.value, float)
    return is_number and 0.0 < node.value <= TINY


def _targets(statement: Any) -> Iterator[ast.AST]:
    for each in getattr(statement, "targets", None) or [statement.target]:
        yield from ast.walk(each)


def _bare(text: str) -> str:
    """An expression without the brackets around all of it."""
    try:
        ast.parse(text[1:-1].strip(), mode="eval")
    except SyntaxError:
        return text
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _called(node: Any) -> str:
    if not isinstance(node, ast.Call) or not node.args:
        return ""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))
