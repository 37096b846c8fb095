"""Pairs of equal functions for PyTorch: the second one is finite where the first one is not.

A clip, an epsilon or a shift is another function, and is offered only where no pair fits.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any

from ..diagnosis import Correction, Diagnosis
from ..source_text import Edit, Source
from .edits import called
from .modules import nn
from .pytorch import torch_name


def identities(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """Corrections of the op at a place whose value or derivative is not finite."""
    node = source.node(d.place.span) if d.place.span else None
    if node is None:
        return
    maker = Makers(source, node, d.facts)
    for text in maker.equal():
        yield text
    for text in maker.selected():
        yield text
    for text in maker.other():
        yield text


class Makers:
    """Texts for one node."""

    def __init__(self, source: Source, node: Any, facts: dict[str, Any]) -> None:
        self.source, self.node, self.facts = source, node, facts
        self.torch = torch_name(source)
        self.functional = next(iter(sorted(source.aliases("torch.nn.functional"))), "")
        imported = source.imported_from("torch.nn")
        self.functional = (
            self.functional
            or next((k for k, v in imported.items() if v == "functional"), "")
            or f"{nn(source)}.functional"
        )
        self.scope = source.scope(node)
        self.collected: list[Edit] = []

    # Reading

    def value_of(self, node: Any) -> Any:
        """What a name stands for: the last assignment before, in the same function."""
        if not isinstance(node, ast.Name):
            return node
        found: Any = None
        each: Any
        for each in ast.walk(self.scope):
            is_it = (
                isinstance(each, ast.Assign)
                and len(each.targets) == 1
                and self.code(each.targets[0]) == node.id
            )
            if is_it and each.lineno <= self.node.lineno and self.source.scope(each) is self.scope:
                found = each.value if found is None or each.lineno > found.lineno else found
        return found if found is not None else node

    def code(self, node: Any) -> str:
        """The text of a node."""
        return self.source.code(node)

    def argument(self, node: Any, *names: str) -> Any:
        """The argument of a call of one of some functions or methods, None for others."""
        if not isinstance(node, ast.Call) or called(node.func) not in names:
            return None
        if isinstance(node.func, ast.Attribute) and not self._is_module(node.func.value):
            return node.func.value
        return node.args[0] if node.args else None

    def _is_module(self, node: Any) -> bool:
        return self.code(node) in {
            self.torch,
            self.functional,
            "F",
            "torch.special",
            "nn",
            "torch.nn.functional",
        }

    def dim(self, node: ast.Call) -> str:
        """The axis of a call as it is written."""
        for keyword in node.keywords:
            if keyword.arg in {"dim", "axis"}:
                return self.code(keyword.value)
        rest = (
            node.args
            if isinstance(node.func, ast.Attribute) and not self._is_module(node.func.value)
            else node.args[1:]
        )
        return self.code(rest[0]) if rest else ""

    def edited(self, node: Any, text: str, keeps: bool = True) -> Correction:
        """The source with another text in place of a node."""
        self.collected.append(self.source.replaced(node, text))
        return Correction(self.source.edited([self.source.replaced(node, text)]), keeps)

    # Equal functions

    def equal(self) -> Iterator[Correction]:
        """Logarithms of known functions, softmax by hand, distances."""
        around = [self.node, *(n for n in self.source.above(self.node) if isinstance(n, ast.expr))]
        inside = [n for n in ast.walk(self.node) if isinstance(n, ast.Call)]
        yield from self._all_logs()
        for node in [*around, *inside]:
            inner = self.argument(node, "log")
            if inner is not None:
                yield from self._log(node, inner)
            inner = self.argument(node, "sqrt")
            if inner is not None:
                yield from self._root(node, inner)
        yield from self._used_in_log()
        for node in around:
            yield from self._softmax(node)
        yield from self._norm()

    def _all_logs(self) -> Iterator[Correction]:
        """All logarithms of the statement at once: one of several would leave the others."""
        statement = self.source.statement(self.node)
        edits = []
        for node in ast.walk(statement) if statement is not None else ():
            inner = self.argument(node, "log")
            if inner is not None:
                self.collected = []
                for _ in self._log(node, inner):
                    break
                edits += self.collected[:1]
        if len(edits) > 1:
            yield Correction(self.source.edited(edits))

    def _log(self, node: Any, inner: Any) -> Iterator[Correction]:
        value = self.value_of(inner)
        if isinstance(value, ast.Subscript):
            soft = self.value_of(value.value)
            if self.argument(soft, "softmax") is not None:
                index = self.source.data[
                    self.source.end(value.value) : self.source.end(value)
                ].decode()
                logits = self.code(self.argument(soft, "softmax"))
                yield self.edited(
                    node, f"{self.torch}.log_softmax({logits}, dim={self.dim(soft) or -1}){index}"
                )
        if (
            isinstance(value, ast.Call)
            and called(value.func) == "gather"
            and isinstance(value.func, ast.Attribute)
        ):
            soft = self.value_of(value.func.value)
            if self.argument(soft, "softmax") is not None:
                rest = self.source.data[
                    self.source.end(value.func.value) : self.source.end(value)
                ].decode()
                logits = self.code(self.argument(soft, "softmax"))
                yield self.edited(
                    node, f"{self.torch}.log_softmax({logits}, dim={self.dim(soft) or -1}){rest}"
                )
        soft = self.argument(value, "softmax")
        if soft is not None:
            yield self.edited(
                node, f"{self.torch}.log_softmax({self.code(soft)}, dim={self.dim(value) or -1})"
            )
        sigmoid = self.argument(value, "sigmoid")
        if sigmoid is not None:
            yield self.edited(node, f"{self.functional}.logsigmoid({self.code(sigmoid)})")
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Sub)
            and self.code(value.left) in {"1", "1.0"}
        ):
            sigmoid = self.argument(self.value_of(value.right), "sigmoid")
            if sigmoid is not None:
                yield self.edited(node, f"{self.functional}.logsigmoid(-({self.code(sigmoid)}))")
            yield self.edited(node, f"{self.torch}.log1p(-({self.code(value.right)}))")
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            for one, other in ((value.left, value.right), (value.right, value.left)):
                exponent = self.argument(other, "exp")
                if self.code(one) in {"1", "1.0"} and exponent is not None:
                    yield self.edited(node, f"{self.functional}.softplus({self.code(exponent)})")
        total = self.argument(value, "sum")
        exponent = self.argument(self.value_of(total), "exp") if total is not None else None
        if exponent is not None:
            more = "".join(
                f", {k.arg}={self.code(k.value)}" for k in value.keywords if k.arg in {"keepdim"}
            )
            dim = self.dim(value)
            axis = dim or f"tuple(range({self.code(exponent)}.dim()))"
            yield self.edited(
                node, f"{self.torch}.logsumexp({self.code(exponent)}, dim={axis}{more})"
            )
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
            yield from self._log_of_softmax(node, value)
            yield self.edited(
                node,
                f"({self.torch}.log({self.code(value.left)}) -"
                f" {self.torch}.log({self.code(value.right)}))",
            )
        product = self.argument(value, "prod")
        if product is not None:
            dim = self.dim(value)
            yield self.edited(node, f"{self.torch}.log({self.code(product)}).sum({dim})")

    def _log_of_softmax(self, node: Any, value: ast.BinOp) -> Iterator[Correction]:
        found = self._by_hand(value)
        if found is not None:
            yield self.edited(node, f"{self.torch}.log_softmax({found[0]}, dim={found[1]})")

    def _by_hand(self, value: ast.BinOp) -> tuple[str, str] | None:
        """`exp(z) / exp(z).sum(d)`: the logits and the axis."""
        above = self.argument(self.value_of(value.left), "exp")
        below = self.value_of(value.right)
        total = self.argument(below, "sum")
        if above is None or total is None or self.argument(self.value_of(total), "exp") is None:
            return None
        return self.code(above), self.dim(below) or "-1"

    def _softmax(self, node: Any) -> Iterator[Correction]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            found = self._by_hand(node)
            if found is not None:
                yield self.edited(node, f"{self.torch}.softmax({found[0]}, dim={found[1]})")

    def _used_in_log(self) -> Iterator[Correction]:
        """The op is `exp` or a quotient whose name stands in a logarithm or quotient later."""
        names: set[str] = set()
        statement = self.source.statement(self.node)
        if isinstance(statement, ast.Assign):
            names = {self.code(t) for t in statement.targets}
        for each in ast.walk(self.scope):
            if getattr(each, "lineno", 0) <= self.node.lineno or not names:
                continue
            for inner in [self.argument(each, "log")]:
                if inner is not None and names & {
                    n.id for n in ast.walk(inner) if isinstance(n, ast.Name)
                }:
                    yield from self._log(each, inner)
            if isinstance(each, ast.BinOp) and names & {
                n.id for n in ast.walk(each) if isinstance(n, ast.Name)
            }:
                yield from self._softmax(each)

    def _root(self, node: Any, inner: Any) -> Iterator[Correction]:
        """The root of a sum of squares is a norm, whose derivative at 0 is taken as 0."""
        value = self.value_of(inner)
        total = self.argument(value, "sum")
        if total is None:
            return
        square = self.value_of(total)
        base = None
        if (
            isinstance(square, ast.BinOp)
            and isinstance(square.op, ast.Pow)
            and self.code(square.right) in {"2", "2.0"}
        ) or (
            isinstance(square, ast.BinOp)
            and isinstance(square.op, ast.Mult)
            and self.code(square.left) == self.code(square.right)
        ):
            base = square.left
        base = base or self.argument(square, "square")
        if base is None and isinstance(square, ast.Call) and called(square.func) == "pow":
            base = self.argument(square, "pow")
        if base is not None:
            dim = self.dim(value)
            axis = f", dim={dim}" if dim else ""
            keep = ", keepdim=True" if "keepdim=True" in self.code(value) else ""
            yield self.edited(
                node, f"{self.torch}.linalg.vector_norm({self.code(base)}{axis}{keep})"
            )

    def _norm(self) -> Iterator[Correction]:
        """`x ** 0.5` as a root."""
        node = self.node
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and self.code(node.right) in {"0.5", "1 / 2", "(1 / 2)"}
        ):
            yield from self._root(node, node.left)

    # Branches that are not chosen

    def selected(self) -> Iterator[Correction]:
        """`where` with a safe input: what is not chosen is computed of a harmless number."""
        for around in self.source.above(self.node):
            if (
                isinstance(around, ast.Call)
                and called(around.func) == "where"
                and len(around.args) == 3
            ):
                yield from self._safe(around)
            if isinstance(around, ast.stmt):
                break
        yield from self._where_later()
        yield from self._masked()

    def _safe(self, where: ast.Call, node: Any = None) -> Iterator[Correction]:
        condition, first, _ = where.args
        node = node if node is not None else self.node
        chosen = any(n is node for n in ast.walk(first))
        for inner in self._arguments(node):
            code, fill = self.code(inner), f"{self.torch}.ones_like({self.code(inner)})"
            order = f"{code}, {fill}" if chosen else f"{fill}, {code}"
            text = f"{self.torch}.where({self.code(condition)}, {order})"
            yield self.edited(inner, text)

    def _arguments(self, node: Any) -> list[Any]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return [node.right]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return [node.left]
        if isinstance(node, ast.BinOp):
            return [n for side in (node.left, node.right) for n in self._arguments(side)]
        if isinstance(node, ast.UnaryOp):
            return self._arguments(node.operand)
        if isinstance(node, ast.Call):
            inner = self.argument(node, called(node.func))
            return [inner] if inner is not None else []
        return []

    def _where_later(self) -> Iterator[Correction]:
        """The result has a name, and `where` chooses further on."""
        statement = self.source.statement(self.node)
        names = (
            {self.code(t) for t in statement.targets}
            if isinstance(statement, ast.Assign)
            else set()
        )
        each: Any
        for each in ast.walk(self.scope):
            is_where = (
                isinstance(each, ast.Call) and called(each.func) == "where" and len(each.args) == 3
            )
            if is_where and each.lineno > self.node.lineno:
                used = {n.id for n in ast.walk(each.args[1]) if isinstance(n, ast.Name)}
                condition = self.code(each.args[0])
                for inner in self._arguments(self.node) if used & names else ():
                    text = (
                        f"{self.torch}.where({condition}, {self.code(inner)},"
                        f" {self.torch}.ones_like({self.code(inner)}))"
                    )
                    yield self.edited(inner, text)

    def _masked(self) -> Iterator[Correction]:
        """A product with a mask: 0 times infinity is NaN, so the mask has to choose."""
        masks = [
            n
            for n in ast.walk(self.scope)
            if isinstance(n, ast.Name) and re.search(r"mask|valid|weight", n.id)
        ]
        for name in dict.fromkeys(n.id for n in masks):
            for inner in self._arguments(self.node):
                safe = (
                    f"{self.torch}.where({name} != 0, {self.code(inner)},"
                    f" {self.torch}.ones_like({self.code(inner)}))"
                )
                yield self.edited(inner, safe)
            product = next(
                (
                    n
                    for n in ast.walk(self.scope)
                    if isinstance(n, ast.BinOp)
                    and isinstance(n.op, ast.Mult)
                    and name in (self.code(n.left), self.code(n.right))
                ),
                None,
            )
            if product is not None:
                other = product.right if self.code(product.left) == name else product.left
                yield self.edited(
                    product, f"{name} * {self.torch}.where({name} != 0, {self.code(other)}, 0.0)"
                )

    # Other functions

    def other(self) -> Iterator[Correction]:
        """Functions that are finite there: possibilities, not corrections."""
        node = self.node
        for call in [n for n in ast.walk(node) if isinstance(n, ast.Call)]:
            name = called(call.func)
            inner = self.argument(call, name)
            if inner is None:
                continue
            code = self.code(inner)
            if name in {"log", "rsqrt", "reciprocal"}:
                yield self.edited(inner, f"{_bound(inner, code)}.clamp(min=1e-8)", False)
            elif name == "sqrt":
                yield self.edited(inner, f"{code} + 1e-12", False)
            elif name in {"acos", "asin", "arccos", "arcsin", "atanh"}:
                yield self.edited(inner, f"{_bound(inner, code)}.clamp(-1 + 1e-6, 1 - 1e-6)", False)
            elif name == "std":
                text = self.code(call)
                new = text.replace(".std(", ".var(").replace("torch.std(", "torch.var(")
                yield self.edited(call, f"{self.torch}.sqrt({new} + 1e-12)", False)
                more = ", unbiased=False" if call.args or call.keywords else "unbiased=False"
                yield self.edited(call, f"{text[:-1]}{more})", False)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            right = copy.copy(node.right)
            yield self.edited(right, f"({self.code(node.right)} + 1e-12)", False)
            yield self.edited(
                right, f"{_bound(node.right, self.code(node.right))}.clamp(min=1e-8)", False
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            yield self.edited(node.left, f"({self.code(node.left)} + 1e-12)", False)
        for constant in ast.walk(self.scope):
            if isinstance(constant, ast.Call) and self.code(constant) in {
                "float('-inf')",
                'float("-inf")',
            }:
                yield self.edited(constant, "-1e9", False)


def _bound(node: Any, code: str) -> str:
    return (
        code
        if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
        else f"({code})"
    )
