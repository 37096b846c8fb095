"""Pairs of equal functions: the second is written for numbers at which the first loses its digits.

The one fact to know: both compute the same, so a value and a slope that were right stay as they
are. They come before clips, epsilons and wider types. A name stands for the one expression that it
was given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..source_text import Source
from .candidate import facts_called, wrapped

TINY = 1e-4
SHAPED = {"squeeze", "expand_dims", "boolean_mask"}  # made of ops that move elements


def of_pairs(source: Source, node: Any) -> Iterator[str]:
    """All logarithms of the function around a node at once, then each pair alone."""
    if node is None:
        return
    scope = source.scope(node)
    pairs = _Pairs(source, scope)
    logarithms, others = [], []
    for each in ast.walk(scope):
        text = pairs.of_call(each)
        if text:
            logarithms.append(source.replaced(each, text))
        text = pairs.of_difference(each)
        if text:
            others.append(source.replaced(each, text))
    if logarithms:
        yield source.edited(logarithms)
    if len(logarithms) > 1:
        yield from (source.edited([one]) for one in logarithms)
    yield from (source.edited([one]) for one in others)


class _Pairs:
    """The second functions, as text."""

    def __init__(self, source: Source, scope: Any) -> None:
        self.source, self.tf = source, source.tf
        self.given: dict[str, list[Any]] = {}
        for each in ast.walk(scope):
            for name in _assigned(each):
                value = each.value if isinstance(each, ast.Assign) else None
                is_plain = isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name)
                self.given.setdefault(name, []).append(value if is_plain else None)
        if isinstance(scope, ast.FunctionDef):
            self._learn_arguments(scope)

    def _learn_arguments(self, scope: ast.FunctionDef) -> None:
        """What the parameters are, where the script calls a function once, at its top level."""
        tree = self.source.tree
        calls = [
            each
            for each in ast.walk(tree)
            if isinstance(each, ast.Call) and getattr(each.func, "id", "") == scope.name
        ]
        if len(calls) != 1 or self.source.scope(calls[0]) is not tree:
            return
        outside = _Pairs(self.source, tree)
        for parameter, given in zip(scope.args.args, calls[0].args, strict=False):
            meant = outside.meant(given)
            if not isinstance(meant, ast.Name):
                self.given.setdefault(parameter.arg, []).append(meant)

    def of_call(self, node: Any) -> str:
        """A logarithm in other words, "" if there are none."""
        if _called(node) == "log1p" and len(node.args) == 1:
            inner = node.args[0]
            if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub):
                return self._of_rest(inner.operand)
            if _called(self.meant(inner)) == "exp":
                return f"{self.tf}.nn.softplus({self.argument(self.meant(inner))})"
        if _called(node) != "log" or len(node.args) != 1:
            return ""
        return self.logarithm(node.args[0])

    def of_difference(self, node: Any) -> str:
        """`exp(x) - 1`, `1 - cos(x)` and `log(1 + x)` without a difference of equal numbers."""
        inner = node.args[0] if _called(node) == "log" else None
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
            for one, x in _both(inner):
                if _is_number(one, 1.0):
                    return f"{self.tf}.math.log1p({self.source.code(x)})"
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
            return ""
        left, right = self.meant(node.left), self.meant(node.right)
        if _called(left) == "exp" and _is_number(right, 1.0):
            return f"{self.tf}.math.expm1({self.argument(left)})"
        if _called(right) == "cos" and _is_number(left, 1.0):
            return f"(2.0 * {self.tf}.sin(({self.argument(right)}) / 2.0) ** 2)"
        return ""

    def logarithm(self, node: Any) -> str:
        """The logarithm of an expression, "" if no pair is known."""
        node, tf = self.meant(node), self.tf
        name, facts = _called(node), facts_called(node)
        if facts.logarithm:
            rest = [self.source.code(each) for each in [*node.args[1:], *node.keywords]]
            return f"{tf}.{facts.logarithm}({', '.join([self.argument(node), *rest])})"
        if isinstance(node, ast.Call) and (facts.moves in {"picks", "shape"} or name in SHAPED):
            inner = self.logarithm(node.args[0])
            rest = [self.source.code(each) for each in [*node.args[1:], *node.keywords]]
            called = self.source.code(node.func)
            return f"{called}({', '.join([inner, *rest])})" if inner else ""
        if isinstance(node, ast.Subscript):
            inner = self.logarithm(node.value)
            return f"{inner}[{self.source.code(node.slice)}]" if inner else ""
        if name == "clip_by_value" or name == "maximum":
            return self.logarithm(node.args[0]) if _is_tiny(node.args[1]) else ""
        if isinstance(node, ast.BinOp):
            return self._of_operator(node)
        return ""

    def _of_operator(self, node: ast.BinOp) -> str:
        tf = self.tf
        if isinstance(node.op, ast.Add):
            for one, x in _both(node):
                if _is_tiny(one):
                    return self.logarithm(x)
                if _is_number(one, 1.0) and _called(self.meant(x)) == "exp":
                    return f"{tf}.nn.softplus({self.argument(self.meant(x))})"
        if isinstance(node.op, ast.Sub) and _is_number(node.left, 1.0):
            return self._of_rest(node.right)
        if isinstance(node.op, ast.Div):
            return self._of_quotient(node)
        return ""

    def _of_rest(self, node: Any) -> str:
        """The logarithm of one minus an expression."""
        node, tf = self.meant(node), self.tf
        if _called(node) == "sigmoid":
            return f"{tf}.math.log_sigmoid(-({self.argument(node)}))"
        squared = self._squared(node)
        if _called(squared) == "tanh":
            u = wrapped(self.source, squared.args[0])
            return f"(2.0 * (0.6931471805599453 - {u} - {tf}.nn.softplus(-2.0 * {u})))"
        return ""

    def _squared(self, node: Any) -> Any:
        """What an expression is the square of, None if it is none."""
        if _called(node) == "square":
            return self.meant(node.args[0])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self.meant(node.left) if _is_number(node.right, 2.0) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            same = self.source.code(node.left) == self.source.code(node.right)
            return self.meant(node.left) if same else None
        return None

    def _of_quotient(self, node: ast.BinOp) -> str:
        """The logarithm of a sigmoid or a softmax that is written out."""
        tf, top, under = self.tf, self.meant(node.left), self.meant(node.right)
        if _is_number(top, 1.0) and isinstance(under, ast.BinOp):
            for one, x in _both(under) if isinstance(under.op, ast.Add) else ():
                power = self.meant(x)
                if _is_number(one, 1.0) and _called(power) == "exp":
                    return f"{tf}.math.log_sigmoid(-({self.argument(power)}))"
        if _called(top) == "exp" and _called(under) == "reduce_sum":
            inner = self.meant(under.args[0])
            if self.source.code(inner) != self.source.code(top):
                return ""
            axis = [self.source.code(k.value) for k in under.keywords if k.arg == "axis"]
            axis += [self.source.code(each) for each in under.args[1:2]]
            rest = f", axis={axis[0]}" if axis else ""
            if axis:
                return f"{tf}.nn.log_softmax({self.argument(top)}{rest})"
            return f"({self.argument(top)} - {tf}.reduce_logsumexp({self.argument(top)}))"
        return ""

    def meant(self, node: Any, depth: int = 0) -> Any:
        """The expression that a name stands for, through several names."""
        given = self.given.get(node.id, []) if isinstance(node, ast.Name) else []
        is_known = len(given) == 1 and given[0] is not None and depth < 8
        return self.meant(given[0], depth + 1) if is_known else node

    def argument(self, call: Any) -> str:
        """The text of the first argument."""
        return self.source.code(call.args[0])


def _assigned(node: Any) -> Iterator[str]:
    """The names that a statement gives a value."""
    targets = getattr(node, "targets", None)
    if targets is None:
        is_binding = isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For)
        targets = [node.target] if is_binding else []
    for target in targets:
        for each in ast.walk(target):
            if isinstance(each, ast.Name):
                yield each.id


def _both(node: ast.BinOp) -> tuple[tuple[Any, Any], ...]:
    return (node.left, node.right), (node.right, node.left)


def _is_number(node: Any, number: float) -> bool:
    return isinstance(node, ast.Constant) and node.value == number and node.value is not True


def _is_tiny(node: Any) -> bool:
    """Whether a number only keeps a logarithm from 0."""
    value = getattr(node, "value", None)
    return isinstance(value, float) and 0.0 < value <= TINY


def _called(node: Any) -> str:
    if not isinstance(node, ast.Call) or not node.args:
        return ""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))
