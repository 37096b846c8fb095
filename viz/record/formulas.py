"""The formulas of a recording: each op's in terms of named tensors, and each rule's.

The one fact to know: an unnamed result is written out where it is short (`sin(x · x)`), and has
its op's name where it is not (`matmul`); the numbers are the same formula with values for names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.record import arguments, opened, plan_of
from minitape.tensor import Spec

from ..trace import parts as trace
from ..trace.changed import changed
from . import notation
from .equation import Layout
from .formula import (
    ATOM,
    FUNCTION,
    SUM,
    Expression,
    Operand,
    forward_formula,
    number,
    rule_formula,
    written,
)
from .reading import attributes
from .templates import Templates

if TYPE_CHECKING:
    from minitape.record import Need

    from ..trace.arrays import Array
    from ..trace.parts import Formula, Node, OperandKind
    from .recorded import Graph

    Operands = tuple[trace.Operand, ...]

SHORT = 30  # characters of LaTeX up to which an unnamed result is written out
MOST_DETAILED = 300  # records of a tape whose formulas are laid out as arrays
FEW = 4  # elements up to which an array is put into a formula as numbers


class Formulas:
    """Formulas of the nodes and rules of one recording."""

    def __init__(self, graph: Graph, records: list[Any]) -> None:
        self.graph = graph
        self.records = records
        self.detailed = len(records) <= MOST_DETAILED
        self.said: dict[int, tuple[Formula | None, str]] = {}  # formula and numbers of op nodes
        self.numerals: dict[int, Expression | None] = {}  # by node
        self.templates = Templates()
        self.unnamed: Counter[str] = Counter()
        self.places: dict[int, int] = {}  # which of the unnamed nodes of its kind a node is
        self.own: dict[int, Expression] = {}  # what each op node computes, in symbols
        self.symbols: dict[int, Expression] = {}
        for node in graph.nodes:
            self._count(node)
        for node in graph.nodes:
            self._name(node)

    def _count(self, node: Node) -> None:
        if node.name or (not node.op and self._number(node) is not None):
            return
        kind = node.op or node.kind
        self.unnamed[kind] += 1
        self.places[node.id] = self.unnamed[kind]

    def _name(self, node: Node) -> None:
        if node.op is not None and node.record is not None:
            self.own[node.id] = self._forward(node, self.symbols)
        self.symbols[node.id] = self._symbol(node)

    def _symbol(self, node: Node) -> Expression:
        if node.name:
            return Expression(notation.name(node.name))
        if node.kind != "op":
            return self._number(node) or Expression(self._label(node))
        own = self.own[node.id]
        return own if len(own.latex) <= SHORT else Expression(self._label(node))

    def _label(self, node: Node) -> str:
        """What the picture calls an unnamed node; the second of its kind has a 2, and so on."""
        kind = node.op or node.kind
        label = notation.name(kind)
        return label if self.unnamed[kind] == 1 else rf"{label}_{{{self.places[node.id]}}}"

    def _number(self, node: Node) -> Expression | None:
        """The value of a node in a formula; a constant that is a whole number without its point."""
        if node.id not in self.numerals:
            self.numerals[node.id] = self._as_number(node)
        return self.numerals[node.id]

    def _as_number(self, node: Node) -> Expression | None:
        array = node.value
        if node.kind == "constant" and array is not None and not array.shape:
            return number(array.data[0])
        return numeral(array)

    def _forward(self, node: Node, symbols: Mapping[int, Expression | None]) -> Expression:
        record = self.records[node.record or 0]
        operands = [symbols[i] or self.symbols[i] for i in node.inputs]
        return forward_formula(plan_of(record).op, operands, self.graph.attributes_of(record))

    def annotated(self, node: Node) -> Node:
        """The node with its formula, in symbols and in numbers."""
        if node.id not in self.own:
            return node
        formula, numbers = self.said_of(node)
        return changed(node, formula=formula, numbers=numbers)

    def said_of(self, node: Node) -> tuple[Formula | None, str]:
        """The formula of an op's node, in symbols and in numbers."""
        if node.id not in self.said:
            self.said[node.id] = written(self.own[node.id]), self.numbers(node)
        return self.said[node.id]

    def numbers(self, node: Node) -> str:
        """`2 · 3 = 6` for small values, else nothing."""
        values = {i: self._number(self.graph.nodes[i]) for i in node.inputs}
        result = numeral(node.value)
        if result is None or None in values.values():
            return ""
        return _equation(self._forward(node, values), result)

    def rule_in_symbols(self, node: Node, pull: Any) -> str:
        """The formula of a rule as text, "" where it cannot be printed."""
        try:
            formula = written(self._rule(node, pull, Expression("g"), {}))
        except Exception:  # a rule that cannot be printed is still a rule
            return ""
        return formula.text if formula is not None else ""

    def rule(self, node: Node, pull: Any, g: Any, contribution: Any) -> tuple[Formula | None, str]:
        """The formula of a rule, and the same with numbers and its result."""
        try:
            symbolic = self._rule(node, pull, Expression("g"), {})
            numeric = self._rule_in_numbers(node, pull, g, contribution)
        except Exception:  # a rule that cannot be printed is still a rule
            return None, ""
        return written(symbolic), numeric

    def push(self, node: Node, pull: Any, t: Any, passed: Any) -> tuple[Formula | None, str]:
        """The formula of a rule that is applied to a tangent, and the same with numbers."""
        try:
            symbolic = self._rule(node, pull, Expression("t"), {}, summed=False)
            numeric = self._rule_in_numbers(node, pull, t, passed, summed=False)
        except Exception:  # a rule that cannot be printed is still a rule
            return None, ""
        return written(symbolic), numeric

    def _rule(
        self, node: Node, pull: Any, g: Expression, numbers: Mapping[int, Expression | None],
        summed: bool = True, laid_out: bool = False,
    ) -> Expression:  # fmt: skip
        record = self.records[node.record or 0]
        needs = zip(_names(pull), pull.needs, strict=True)
        given = {name: self._given(node, record, need, numbers) for name, need in needs}
        outputs = [self.graph.nodes[i] for i in self.graph.op_nodes[node.record or 0]]
        several = len(outputs) > 1
        names = [Expression(f"{g.latex}_{{{i}}}") if several else g for i in range(len(outputs))]
        boxes = [Operand(g, _spec(out)) for g, out in zip(names, outputs, strict=True)]
        write = rule_formula if laid_out else self.templates.formula
        own = write(pull, given, boxes if plan_of(record).op.several else boxes[0])
        return Expression(rf"\sum {own:2}", FUNCTION) if pull.stretched and summed else own

    def _given(
        self,
        node: Node,
        record: Any,
        need: Need,
        numbers: Mapping[int, Expression | None],
    ) -> Any:
        """What a rule takes, as the formula is written with it."""
        if need.source == "position":
            return need.place
        if need.source == "attribute":
            return attributes(record)[need.place]
        if need.source == "inputs":
            return [self._operand(i, need.what, numbers) for i in node.inputs]
        if need.source == "input":
            return self._operand(node.inputs[need.place], need.what, numbers)
        if plan_of(record).op.several:
            outputs = self.graph.op_nodes[node.record or 0]
            return [self._operand(i, need.what, numbers) for i in outputs]
        return self._operand(node.id, need.what, numbers)

    def _operand(self, node: int, kind: str, numbers: Mapping[int, Expression | None]) -> Any:
        spec = _spec(self.graph.nodes[node])
        if kind == "shape":
            return tuple(spec.shape)
        if kind == "spec":
            return spec
        return Operand(numbers.get(node) or self.symbols[node], spec)

    def equation(self, node: Node, pull: Any, operands: Operands) -> tuple[trace.Term, ...]:
        """The rule as a row of arrays; nothing where the tape is too long for such detail."""
        if not self.detailed:
            return ()
        known: dict[str, tuple[int, Any]] = {}
        for place, operand in enumerate(operands):
            letter, _, number = operand.symbol.partition("_")
            latex = f"{letter}_{{{number}}}" if number else letter
            if operand.kind != "cotangent":
                latex = self.symbols[operand.node].latex
            known.setdefault(latex, (place, self.graph.held(operand.value)))
        try:
            root = self._rule(node, pull, Expression("g"), {}, summed=False, laid_out=True)
        except Exception:  # a rule that cannot be printed is still a rule
            return ()
        row = Layout(known, self.graph.array).row(root)
        return (trace.Term("∑"), *row) if pull.stretched and row else row

    def operands(
        self, node: Node, pull: Any, given: tuple[Any, ...], kind: OperandKind
    ) -> Operands:
        """What stands in a rule for its symbols: what came in, then the values that it takes.

        Args:
            node: the op's node (its first output).
            pull: whose rule it is.
            given: what came in at each output; of a tangent, that of the input alone.
            kind: whether that are cotangents or tangents.
        """
        outputs = self.graph.op_nodes[node.record or 0]
        places = outputs if kind == "cotangent" else [node.inputs[pull.position]]
        letter = "g" if kind == "cotangent" else "t"
        names = [letter] if len(given) == 1 else [f"{letter}_{i}" for i in range(len(given))]
        found = [
            trace.Operand(name, place, array, kind)
            for name, place, each in zip(names, places, given, strict=True)
            if (array := self.graph.shown(each)) is not None
        ]
        for place, value in self._values_taken(node, pull):
            symbol = notation.to_text(self.symbols[place].latex)
            found.append(trace.Operand(symbol, place, self.graph.array(value)))
        return tuple({(each.symbol, each.node, each.kind): each for each in found}.values())

    def _values_taken(self, node: Node, pull: Any) -> Iterator[tuple[int, Any]]:
        """The nodes whose values a rule takes, and these values."""
        record = self.records[node.record or 0]
        outputs = self.graph.op_nodes[node.record or 0]
        for need, value in zip(pull.needs, arguments(pull, record, raw=True), strict=True):
            if need.what != "value":
                continue
            if need.source == "input":
                yield node.inputs[need.place], value
            elif need.source == "inputs":
                yield from zip(node.inputs, value, strict=False)
            elif plan_of(record).op.several:
                yield from zip(outputs, value, strict=True)
            else:
                yield node.id, value

    def _rule_in_numbers(
        self, node: Node, pull: Any, g: Any, contribution: Any, summed: bool = True
    ) -> str:
        if isinstance(g, tuple):
            return ""
        result, incoming = (numeral(self.graph.array(opened(x))) for x in (contribution, g))
        if result is None or incoming is None:
            return ""
        values = {i: self._number(self.graph.nodes[i]) for i in (*node.inputs, node.id)}
        return _equation(self._rule(node, pull, incoming, values, summed), result)


def _equation(left: Expression, right: Expression) -> str:
    shown, result = notation.to_text(left.latex), notation.to_text(right.latex)
    return result if shown == result else f"{shown} = {result}"


def _names(pull: Any) -> tuple[str, ...]:
    code = pull.rule.__code__
    return tuple(code.co_varnames[1 : code.co_argcount])


def _spec(node: Node) -> Spec:
    return Spec(node.shape, np.dtype(node.dtype or "float32"))


def numeral(array: Array | None) -> Expression | None:
    """A small array as it stands in a formula; None for what is unknown, too large, or a range."""
    if array is None or not 0 < array.size <= FEW:
        return None
    text = array.text()
    if "…" in text:
        return None
    return Expression(text, SUM if text.startswith(("-", "−")) else ATOM)
