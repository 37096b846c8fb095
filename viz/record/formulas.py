"""The formulas of a recording: each op's in terms of named tensors, and each rule's.

An unnamed result is written out where it is short (`sin(x · x)`), and has its op's name where it is
not (`matmul`); the numbers are the same formula with values for names.

In a loop a rule runs once, not once a round: it sees of its operands the dtype, the shape and how
strongly their formulas bind, never what these say. What it gives for gaps holds for all operands
that are alike (`Templates`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .formula import Expression, Operand, rule_formula

if TYPE_CHECKING:
    from minitape.plan import Pull


import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from minitape.custom.op import Call
from minitape.ops.broadcasting import sum_to
from minitape.record import arguments, opened, plan_of
from minitape.safety.silence import Silence
from minitape.tensor import Spec
from minitape.tensors.composite import dense

from ..base.numbers import DIGITS, all_close
from ..base.quoting import equation, readings
from ..trace import parts as trace
from ..trace.changed import changed
from . import notation
from .equation import Layout
from .formula import (
    ATOM,
    FUNCTION,
    SUM,
    as_written,
    forward_formula,
    number,
    written,
)
from .reading import attributes

if TYPE_CHECKING:
    from minitape.plan import Need

    from ..trace.arrays import Array
    from ..trace.parts import Formula, Node, OperandKind
    from .recorded import Graph

    Operands = tuple[trace.Operand, ...]


PLAIN = (int, float, bool, str, type(None))
GAP = re.compile("\0(\\d+)\0")


class Templates:
    """The formulas of rules by rule, kinds of operands and attributes."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], Expression] = {}

    def formula(self, pull: Pull, given: dict[str, Any], g: Any) -> Expression:
        """The same as `rule_formula`, without what an expression was made of."""
        texts: list[str] = []
        try:
            kinds = tuple(_kind(each, texts) for each in (g, *given.values()))
        except TypeError:
            return rule_formula(pull, given, g)
        key = (pull.rule, kinds)
        if key not in self.known:
            count = iter(range(len(texts)))
            gaps = {name: _gapped(each, count) for name, each in {"": g, **given}.items()}
            self.known[key] = rule_formula(pull, gaps, gaps.pop(""))
        found = self.known[key]
        return Expression(GAP.sub(lambda gap: texts[int(gap[1])], found.latex), found.level)


def _kind(value: Any, texts: list[str]) -> Any:
    """What a rule can see of an argument; the formulas of operands are put into `texts`."""
    if isinstance(value, Operand):
        texts.append(value.expression.latex)
        return value.spec, value.expression.level
    if isinstance(value, list):
        return tuple(_kind(each, texts) for each in value)
    if isinstance(value, tuple):
        return tuple(_kind(each, texts) for each in value), tuple
    if isinstance(value, PLAIN):
        return type(value), repr(value)  # 1 and 1.0 are not written alike
    raise TypeError(f"arguments of type {type(value).__name__} are not compared")


def _gapped(value: Any, count: Any) -> Any:
    if isinstance(value, Operand):
        return Operand(Expression(f"\0{next(count)}\0", value.expression.level), value.spec)
    return [_gapped(each, count) for each in value] if isinstance(value, list) else value


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
        self.numerals: dict[tuple[int, int, bool], Expression | None] = {}
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
        if node.name or (not node.op and self._number(node.id) is not None):
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
            return self._number(node.id) or Expression(self._label(node))
        own = self.own[node.id]
        return own if len(own.latex) <= SHORT else Expression(self._label(node))

    def _label(self, node: Node) -> str:
        """What the picture calls an unnamed node; the second of its kind has a 2, and so on."""
        kind = node.op or node.kind
        label = notation.name(kind)
        return label if self.unnamed[kind] == 1 else rf"{label}_{{{self.places[node.id]}}}"

    def _number(
        self, node: int, digits: int = DIGITS, conjugated: bool = False
    ) -> Expression | None:
        """The value of a node in a formula; a constant that is a whole number without its point."""
        key = (node, digits, conjugated)
        if key not in self.numerals:
            made = self._as_number(self.graph.nodes[node], digits)
            if conjugated and made and self.graph.nodes[node].dtype.startswith("complex"):
                made = Expression(rf"\overline{{{_bare(made.latex)}}}")
            self.numerals[key] = made
        return self.numerals[key]

    def _as_number(self, node: Node, digits: int) -> Expression | None:
        array = node.value
        plain = array is not None and not array.shape and not array.dtype.startswith("complex")
        if node.kind == "constant" and plain and array is not None:
            return number(array.data[0], digits)
        return numeral(array, digits)

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
        arrays = {i: self.graph.nodes[i].value for i in node.inputs}
        if numeral(node.value) is None or None in map(self._numeral, node.inputs):
            return ""
        record = self.records[node.record or 0]
        op, given = plan_of(record).op, [arrays[i] for i in node.inputs]
        shown = as_written(op)

        def work(digits: int) -> Any:
            values = [readings(self._exactly(i), digits) for i in node.inputs]
            out = _run(shown, values, self.graph.attributes_of(record))
            return out[node.output] if op.several else out

        def write(digits: int) -> Expression:
            return self._forward(node, {i: self._number(i, digits) for i in node.inputs})

        is_call = not op.latex or any(isinstance(a, Call) for a in attributes(record))
        return _equation(write, work, node.value, given, is_call)

    def rule_in_symbols(self, node: Node, pull: Any) -> str:
        """The formula of a rule as text, "" where it cannot be printed."""
        try:
            formula = written(self._rule(node, pull, Expression("g"), {}))
        except Exception:  # a rule that cannot be printed is still a rule
            return ""
        return formula.text if formula is not None else ""

    def rule(self, node: Node, pull: Any, g: Any, contribution: Any) -> tuple[Formula | None, str]:
        """The formula of a rule, and the same with numbers and its result."""
        return self._said_of_rule(node, pull, "g", g, contribution, True)

    def push(self, node: Node, pull: Any, t: Any, passed: Any) -> tuple[Formula | None, str]:
        """The formula of a rule that is applied to a tangent, and the same with numbers."""
        return self._said_of_rule(node, pull, "t", t, passed, False)

    def _said_of_rule(
        self, node: Node, pull: Any, letter: str, g: Any, passed: Any, summed: bool
    ) -> tuple[Formula | None, str]:
        try:
            conjugated = self._conjugated(node)
            whole = bool(conjugated) and summed and not isinstance(g, tuple)
            whole = whole and not self._holds_conjugated(node, pull, g, passed)
            cotangent = Expression(letter)
            if whole:  # a rule with a factor i: what is shown is the conjugate of all that it gives
                cotangent = _overline(cotangent) if _is_complex(g) else cotangent
                symbolic = _overline(self._rule(node, pull, cotangent, {}, summed))
            else:
                symbolic = self._rule(node, pull, cotangent, conjugated, summed)
            numeric = self._rule_in_numbers(node, pull, g, passed, summed, whole)
        except Exception:  # a rule that cannot be printed is still a rule
            return None, ""
        return written(symbolic), numeric

    def _conjugated(self, node: Node) -> dict[int, Expression]:
        """The symbols of complex values in a rule: what is shown is TensorFlow's convention.

        The engine's rule is `g · z` on the derivative's own cotangents; those that are shown are
        their conjugates, and for these it is `g · conj(z)`.
        """
        places = (*node.inputs, *self.graph.op_nodes[node.record or 0])
        return {
            i: Expression(self._overlined(i))
            for i in places
            if self.graph.nodes[i].dtype.startswith("complex")
        }

    def _overlined(self, node: int) -> str:
        latex = self.symbols[node].latex
        return rf"\overline{{{latex if self.graph.nodes[node].inputs else _bare(latex)}}}"

    def _holds_conjugated(self, node: Node, pull: Any, g: Any, passed: Any) -> bool:
        """Whether a rule gives what is shown of what is shown, with its values conjugated."""
        if isinstance(g, tuple):
            return True
        shown = [np.conj(opened(dense(each))) for each in (g, passed)]
        with Silence():
            out = self._applied(node, pull, shown[0], np.conj, np.shape(shown[1]))
        return all_close(out, shown[1], 1e-4, 1e-6)

    def _applied(self, node: Node, pull: Any, g: Any, change: Any, shape: Any = None) -> Any:
        """A rule, run on values that are changed; summed to a shape where it was stretched."""
        record = self.records[node.record or 0]
        given = [
            _changed(value, change) if need.what == "value" else value
            for need, value in zip(pull.needs, arguments(pull, record, raw=True), strict=True)
        ]
        out = opened(dense(pull.rule(g, *given)))
        return sum_to(out, shape) if pull.stretched and shape is not None else out

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
        conjugated = self._conjugated(node)
        for place, operand in enumerate(operands):
            letter, _, number = operand.symbol.partition("_")
            latex = f"{letter}_{{{number}}}" if number else letter
            if operand.kind != "cotangent":
                latex = self.symbols[operand.node].latex
                if operand.node in conjugated:
                    over = conjugated[operand.node].latex
                    known.setdefault(over, (place, np.conj(self.graph.held(operand.value))))
            known.setdefault(latex, (place, self.graph.held(operand.value)))
        try:
            root = self._rule(node, pull, Expression("g"), conjugated, summed=False, laid_out=True)
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
        self,
        node: Node,
        pull: Any,
        g: Any,
        contribution: Any,
        summed: bool = True,
        whole: bool = False,
    ) -> str:
        """The numbers of a rule; `whole`: the conjugate of all of it, not of its values."""
        if isinstance(g, tuple):
            return ""
        shown = self.graph.shown if summed else lambda x: self.graph.array(opened(dense(x)))
        result, incoming = shown(contribution), shown(g)
        if result is None or numeral(result) is None:
            return ""
        if incoming is None or numeral(incoming) is None:
            return ""
        held, places = self.graph.held(incoming), (*node.inputs, node.id)
        given = [incoming, *(self.graph.nodes[i].value for i in places)]
        each_conjugated = summed and bool(self._conjugated(node)) and not whole
        change = np.conj if each_conjugated else np.asarray
        around = np.conj if whole else np.asarray

        def work(digits: int) -> Any:
            def read(value: Any) -> Any:
                return change(readings(value, digits))

            def passed(g: Any) -> Any:
                shape = result.shape if summed else None
                return around(self._applied(node, pull, around(g), read, shape))

            g = readings(held, digits)
            out = passed(g)
            return out if np.all(out) else _as_it_reads(out, passed(np.ones_like(g)))

        def write(digits: int) -> Expression:
            values = {i: self._number(i, digits, conjugated=summed and not whole) for i in places}
            cotangent = numeral(incoming, digits) or Expression("g")
            if not whole:
                return self._rule(node, pull, cotangent, values, summed)
            cotangent = _overline(cotangent) if _is_complex(held) else cotangent
            return _overline(self._rule(node, pull, cotangent, values, summed))

        return _equation(write, work, result, given)

    def _exactly(self, node: int) -> Any:
        """The values of a node, as the engine had them."""
        array = self.graph.nodes[node].value
        return None if array is None else self.graph.held(array)

    def _numeral(self, node: int) -> Expression | None:
        return self._number(node)


def _run(op: Any, values: list[Any], attributes: tuple[Any, ...]) -> Any:
    return op.forward(values, *attributes) if op.variadic else op.forward(*values, *attributes)


def _as_it_reads(passed: Any, slope: Any) -> Any:
    """What a rule passes, but NaN where it says 0 of a zero times a slope that is not finite."""
    return np.where(np.isfinite(passed) & ~np.isfinite(slope), np.nan, passed)


def _overline(expression: Expression) -> Expression:
    return Expression(rf"\overline{{{expression.latex}}}")


def _is_complex(value: Any) -> bool:
    return bool(np.asarray(opened(dense(value))).dtype.kind == "c")


def _changed(value: Any, change: Any) -> Any:
    """An array, or all of several, changed."""
    if isinstance(value, (list, tuple)):
        return type(value)(change(each) for each in value)
    return change(value)


def _equation(
    write: Callable[[int], Expression],
    work: Callable[[int], Any],
    result: Any,
    given: list[Any],
    is_call: bool = False,
) -> str:
    """The left side with the digits that make it true, the sign, and the result; or that alone.

    A call by name, `halved(3.0)`, was what gave the result, also where it cannot be run again.
    """
    right = result_text(result)
    if notation.to_text(write(DIGITS).latex) == right:
        return right
    sizes = [abs(v) for each in given if each is not None for v in each.data if not _is_text(v)]
    finite = [size for size in sizes if math.isfinite(size)]
    try:
        with Silence():
            found = equation(
                work, np.reshape(result.data, result.shape), result.dtype,
                max(finite, default=0.0), len(given),
            )  # fmt: skip
    except Exception:  # what cannot be worked out again is not claimed
        return f"{notation.to_text(write(DIGITS).latex)} = {right}" if is_call else right
    left = notation.to_text(write(found.digits).latex)
    return right if found.sign == "≠" else f"{readable(left)} {found.sign} {right}"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def readable(text: str) -> str:
    """A sum without two signs in a row.

    Example:
        >>> readable("1.5 + −0.25"), readable("1.5 − −0.25")
        ('1.5 − 0.25', '1.5 − (−0.25)')
    """
    text = re.sub(r"(?<=[^\s(\[,·/]) \+ −(?=[\d(])", " − ", text)
    return re.sub(r" − −(\d[\d.]*(?:·10[⁻⁰¹²³⁴-⁹]+)?)", r" − (−\1)", text)


def result_text(array: Array) -> str:
    """The right side of an equation: a small array as it stands alone."""
    return array.text()


def _bare(latex: str) -> str:
    """Without the parentheses around it, where a line above does the same."""
    return latex.removeprefix(r"\left(").removesuffix(r"\right)")


def _names(pull: Any) -> tuple[str, ...]:
    code = pull.rule.__code__
    return tuple(code.co_varnames[1 : code.co_argcount])


def _spec(node: Node) -> Spec:
    return Spec(node.shape, np.dtype(node.dtype or "float32"))


def numeral(array: Array | None, digits: int = DIGITS) -> Expression | None:
    """A small array as it stands in a formula; None for what is unknown, too large, or a range."""
    if array is None or not 0 < array.size <= FEW:
        return None
    text = array.text()
    if "…" in text:
        return None
    text = text if digits == DIGITS else array.written(digits)
    if array.dtype.startswith("complex") and not array.shape:
        return Expression(rf"\left({text}\right)")
    return Expression(text, SUM if text.startswith(("-", "−")) else ATOM)
