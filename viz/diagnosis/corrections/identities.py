"""Corrections of the op at a place whose value or slope is not finite, for PyTorch and JAX.

Equal functions come first (`pairs`), then safe inputs of what is not chosen. A clip, an epsilon or
a shift is another function, and is offered only where no equal one fits.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any

from minitape.ops.elementwise.powers import sqrt

from ..diagnosis import Correction, Diagnosis
from ..source_text import Source, called
from .candidate import wrapped
from .jax import is_jax, jnp_name
from .modules import nn
from .pairs import Names, Pairs, of_pairs
from .pytorch import torch_name


def identities(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """Corrections of the op at a place whose value or derivative is not finite."""
    node = source.node(d.place.span) if d.place.span else None
    if node is not None:
        maker = (_JaxMakers if is_jax(source) else Makers)(source, node)
        for ways in (maker.equal, maker.selected, maker.other):
            yield from ways()


def _of_torch(source: Source) -> Names:
    torch = torch_name(source)
    imported = source.imported_from("torch.nn")
    functional = (
        next(iter(sorted(source.aliases("torch.nn.functional"))), "")
        or next((k for k, v in imported.items() if v == "functional"), "")
        or f"{nn(source)}.functional"
    )
    return Names(
        f"{torch}.log_softmax", f"{functional}.logsigmoid", f"{torch}.softmax", f"{torch}.sigmoid",
        f"{functional}.softplus", f"{torch}.logsumexp", torch, "dim", "tuple(range({}.dim()))",
    )  # fmt: skip


def _of_jax(source: Source) -> Names:
    return Names(
        "jax.nn.log_softmax", "jax.nn.log_sigmoid", "jax.nn.softmax", "jax.nn.sigmoid",
        "jax.nn.softplus", "jax.nn.logsumexp", jnp_name(source),
    )  # fmt: skip


class Makers:
    """Texts for one node, in the names of PyTorch."""

    def __init__(self, source: Source, node: Any) -> None:
        self.source, self.node = source, node
        self.scope = source.scope(node)
        self.torch, self.names = torch_name(source), _of_torch(source)
        self.pairs = Pairs(source, self.scope, self.names)

    def code(self, node: Any) -> str:
        """The text of a node."""
        return self.source.code(node)

    def argument(self, node: Any, *names: str) -> Any:
        """The argument of a call of one of some functions or methods, None for others."""
        is_it = isinstance(node, ast.Call) and called(node.func) in names
        return self.pairs.first(node) if is_it else None

    def edited(self, node: Any, text: str, keeps: bool = True) -> Correction:
        """The source with another text in place of a node."""
        return Correction(self.source.edited([self.source.replaced(node, text)]), keeps)

    # Equal functions

    def equal(self) -> Iterator[Correction]:
        """Pairs of equal functions, logarithms as sums, distances."""
        yield from map(Correction, of_pairs(self.source, self.node, self.names))
        above = [n for n in self.source.above(self.node) if isinstance(n, ast.expr)]
        for node in [*ast.walk(self.node), *above]:
            yield from self._log(node)
            yield from self._root(node)

    def _log(self, node: Any) -> Iterator[Correction]:
        """The logarithm of a quotient or of a product as a difference or a sum."""
        inner = self.argument(node, "log")
        value = self.pairs.meant(inner) if inner is not None else None
        log = f"{self.names.numbers}.log"
        if isinstance(value, ast.BinOp):
            left, right = self.code(value.left), self.code(value.right)
            if isinstance(value.op, ast.Sub) and left in {"1", "1.0"}:
                yield self.edited(node, f"{log}1p(-({right}))")
            if isinstance(value.op, ast.Div):
                yield self.edited(node, f"({log}({left}) - {log}({right}))")
        product = self.argument(value, "prod")
        if product is not None:
            rest = ", ".join(self.pairs.rest(value))
            yield self.edited(node, f"{log}({self.code(product)}).sum({rest})")

    def _root(self, node: Any) -> Iterator[Correction]:
        """The root of a sum of squares is a norm, whose derivative at 0 is taken as 0."""
        inner = self.argument(node, "sqrt")
        is_power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
        if is_power and self.code(node.right) in {"0.5", "1 / 2", "(1 / 2)"}:
            inner = node.left
        value = self.pairs.meant(inner) if inner is not None else None
        total = self.argument(value, "sum")
        base = self._squared(self.pairs.meant(total)) if total is not None else None
        if base is not None:
            axis, names = self.pairs.axis(value), self.names
            axis = f", {names.axis}={axis}" if axis else ""
            keep = ", keepdim=True" if "keepdim" in self.code(value) else ""
            norm = f"{self.torch}.linalg.vector_norm"
            yield self.edited(node, f"{norm}({self.code(base)}{axis}{keep})")

    def _squared(self, node: Any) -> Any:
        """What an expression is the square of, None if it is none."""
        if isinstance(node, ast.BinOp):
            left, right = self.code(node.left), self.code(node.right)
            is_square = isinstance(node.op, ast.Pow) and right in {"2", "2.0"}
            is_product = isinstance(node.op, ast.Mult) and left == right
            return node.left if is_square or is_product else None
        return self.argument(node, "square", "pow")

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
            inner, facts = self.pairs.first(call), self.pairs.facts(call)
            if inner is None:
                continue
            code = self.code(inner)
            if self.pairs.calls(call, sqrt):
                yield self.edited(inner, f"{code} + 1e-12", False)
            elif facts.steep:
                yield self.edited(inner, f"{wrapped(self.source, inner)}.clamp(min=1e-8)", False)
            elif facts.pole:
                yield self.edited(
                    inner, f"{wrapped(self.source, inner)}.clamp(-1 + 1e-6, 1 - 1e-6)", False
                )
            elif facts.reduces == "deviation":
                text = self.code(call)
                new = text.replace(".std(", ".var(").replace("torch.std(", "torch.var(")
                yield self.edited(call, f"{self.torch}.sqrt({new} + 1e-12)", False)
                more = ", unbiased=False" if call.args or call.keywords else "unbiased=False"
                yield self.edited(call, f"{text[:-1]}{more})", False)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            right = copy.copy(node.right)
            yield self.edited(right, f"({self.code(node.right)} + 1e-12)", False)
            yield self.edited(right, f"{wrapped(self.source, node.right)}.clamp(min=1e-8)", False)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            yield self.edited(node.left, f"({self.code(node.left)} + 1e-12)", False)
        for constant in ast.walk(self.scope):
            if isinstance(constant, ast.Call) and self.code(constant) in {
                "float('-inf')",
                'float("-inf")',
            }:
                yield self.edited(constant, "-1e9", False)


class _JaxMakers(Makers):
    """The same texts with JAX's names."""

    def __init__(self, source: Source, node: Any) -> None:
        super().__init__(source, node)
        self.torch, self.names = jnp_name(source), _of_jax(source)
        self.pairs = Pairs(source, self.scope, self.names)

    def edited(self, node: Any, text: str, keeps: bool = True) -> Correction:
        """The source with another text in place of a node."""
        text = re.sub(r"\bdim=", "axis=", text).replace("keepdim=", "keepdims=")
        return super().edited(node, text, keeps)
