"""Formulas: the forward's as its op declares it, the derivative's by running the real rule.

`Formula` is one more interpreter. Its tensors carry LaTeX instead of values, so that calling an
op's own VJP rule on them prints the rule; no derivative is written down twice.
"""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.custom.op import Call, Operation
from minitape.graphs.inference import infer
from minitape.interpreter import Interpreter
from minitape.leaving import only
from minitape.op import registry
from minitape.tensor import Spec, Tensor
from minitape.tensors.boxed import Boxed

from ..base.numbers import DIGITS, short
from ..base.quoting import read
from ..trace import trace
from . import notation

if TYPE_CHECKING:
    from minitape.op import Op
    from minitape.plan import Pull

SUM, PRODUCT, FUNCTION, POWER, ATOM = 1, 2, 3, 4, 5
MAX_LENGTH = 250  # characters of what is read, without the markup of LaTeX
# A name in a template, and one in braces that LaTeX needs.
NAMED, BARE = re.compile(r"\{(\w+)(?::(\d))?\}"), re.compile(r"(?:\\[A-Za-z]+|[_^])\{\w+(?::\d)?\}")
# Names without a level whose place asks for parentheses around a sum.
BASE = re.compile(r"\{(\w+)\}(?=\}?\^)")
FACTOR = re.compile(
    r"\{(\w+)\}(?= *\\(?:cdot|odot|times|,))"
    r"|(?:(?<=\\cdot )|(?<=\\odot )|(?<=\\times )|(?<=\\, )|(?<=- ))\{(\w+)\}"
)
NEARLY, CERTAIN = 1e-6, 7  # how near a share is to 1/n, digits of other constants of rules


class Expression:
    """LaTeX with the level at which it binds; formats itself with parentheses where needed.

    `made` is the op that made it, with its operands and attributes; `value` that of a constant.
    """

    __slots__ = ("latex", "level", "made", "value")

    def __init__(self, latex: str, level: int = ATOM) -> None:
        self.latex = latex
        self.level = level
        self.made: tuple[Op, list[Expression], tuple[Any, ...]] | None = None
        self.value: Any = None

    def __format__(self, needed: str) -> str:
        return self.latex if self.level >= int(needed or 0) else rf"\left({self.latex}\right)"


class Symbol(Boxed):
    """A tensor that stands for a formula."""

    __slots__ = ("_spec",)
    advice = "A rule must not look at values: write it with ops, `tf.where` for a choice."

    def __init__(self, expression: Expression, spec: Spec, interpreter: Formula) -> None:
        super().__init__(expression, interpreter)
        self._spec = spec

    @property
    def spec(self) -> Spec:
        """Shape and dtype of what it stands for."""
        return self._spec

    def __repr__(self) -> str:
        return f"<formula {self.value.latex}>"


class Formula(Interpreter):
    """Builds the formula of what is computed from its symbols."""

    __slots__ = ()

    def symbol(self, latex: str, spec: Spec, level: int = ATOM) -> Symbol:
        """A tensor of `spec` that prints as `latex`."""
        return Symbol(Expression(latex, level), spec, self)

    def interpret(self, op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """The formula of one op, by the template that it declares."""
        specs = infer(op, [x.spec for x in inputs], attributes)
        operands = [_expression(x) for x in inputs]
        shown = [_aligned(each) for each in operands] if op.elementwise else operands
        expression = _applied(op, shown, attributes)
        expression.made = op, operands, attributes
        if not op.several:
            return Symbol(expression, specs, self)
        parts = [Expression(rf"{expression:5}_{{{i}}}") for i in range(len(specs))]
        return tuple(Symbol(part, s, self) for part, s in zip(parts, specs, strict=True))


def as_written(op: Op) -> Op:
    """The op that a formula is of: a gated product is written like a product."""
    plain = registry.get(op.facts.plain)
    return op if plain is None else plain.op


def _expression(x: Any) -> Expression:
    """The formula of a symbol; a plain tensor that a rule made is a number or the word `const`."""
    value = x.value
    if isinstance(value, Expression):
        return value
    same = value.size and bool(np.all(value == value.flat[0]))
    found = _constant(value.flat[0].item()) if same else Expression(r"\mathrm{const}")
    found.value = value
    return found


def _constant(value: Any) -> Expression:
    """A number that a rule has in itself: a share as a fraction, others with digits enough."""
    if isinstance(value, float) and value and math.isfinite(value):
        plain = read(value)  # of the value itself, or of the float32 nearest to it
        if value in (plain, float(np.float32(plain))) or value.is_integer():
            return number(value)
        whole = round(1 / value) if abs(value) > 1e-9 else 0
        if abs(whole) > 1 and abs(whole * value - 1) < NEARLY:
            return Expression(rf"\frac{{{np.sign(whole)}}}{{{abs(whole)}}}", PRODUCT)
        return number(value, CERTAIN)
    return number(value)


def number(value: Any, digits: int = DIGITS) -> Expression:
    """A constant of a formula; a whole one without its point: `x^2`, not `x^{2.0}`."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1000
    text = short(int(value) if whole else value, digits)
    return Expression(text, SUM if text.startswith(("-", "−")) else ATOM)


def _aligned(operand: Expression) -> Expression:
    """An operand without the reshape that only lines its axes up with those of the other one."""
    if operand.made is not None and operand.made[0].name in ("reshape", "expand_dims"):
        return operand.made[1][0]
    return operand


def _applied(op: Op, operands: list[Expression], attributes: tuple[Any, ...]) -> Expression:
    """The op's template with its operands put in."""
    names = dict(zip(op.attributes, attributes, strict=True))
    if isinstance(op, Operation):  # its last inputs are its results
        operands = operands[: op.count]
    if op.variadic:
        joined = Expression(", ".join(each.latex for each in operands), 0)
        operands = [joined]
    if op.latex:
        given = dict(zip(op.inputs, operands, strict=True)) | {
            k: _attribute(v) for k, v in names.items()
        }
        if filled := _filled(op.latex, given):
            return Expression(filled, level_of(op.latex))
    shown = ", ".join(each.latex for each in operands)
    return Expression(rf"\mathrm{{{op.name.replace('_', ' ')}}}\left({shown}\right)", FUNCTION)


def _filled(template: str, given: dict[str, Any]) -> str:
    r"""A template with what is given put in; "" if it names nothing of it.

    Braces that are not doubled are those of LaTeX, as in `\sqrt{x}`: they stay around the operand.
    """
    for place, level in ((BASE, 5), (FACTOR, 2)):
        template = place.sub(partial(_with_level, level, given), template)
    if not BARE.search(template):
        try:
            return template.format(**given)
        except (ValueError, LookupError):
            pass

    def put(named: re.Match[str]) -> str:
        if named[1] not in given:
            return named[0]
        return "{" + format(given[named[1]], named[2] or "") + "}"

    filled = NAMED.sub(put, template)
    return filled if filled != template else ""


def _with_level(level: int, given: dict[str, Any], found: re.Match[str]) -> str:
    """A name with the level that its place asks for; other words in braces stay as they are."""
    name = found[1] or found[found.re.groups]
    return f"{{{name}:{level}}}" if isinstance(given.get(name), Expression) else found[0]


def _attribute(value: Any) -> str:
    if isinstance(value, Call):
        return value.name.replace("_", " ")
    return str(value) if isinstance(value, int | float | tuple | bool) else ""


def level_of(latex: str) -> int:
    """How strongly a template binds: by its outermost operator."""
    bare = _outside_braces(latex)
    if "+" in bare or " - " in bare or bare.startswith("-"):
        return SUM
    if r"\cdot" in bare or r"\odot" in bare or r"\," in bare or r"\times" in bare:
        return PRODUCT
    if r"\sum" in bare or r"\prod" in bare or r"\sin" in bare or " " in bare.strip():
        return FUNCTION
    return POWER if "^" in bare else ATOM


def _outside_braces(latex: str) -> str:
    """The characters that stand outside of all braces and parentheses."""
    out, depth = [], 0
    for character in latex.replace(r"\left", "").replace(r"\right", ""):
        depth += character in "{(["
        if not depth:
            out.append(character)
        depth -= character in "})]"
    return "".join(out)


def written(expression: Expression | str) -> trace.Formula | None:
    """A formula in the three notations of a trace; one too long to read is left out."""
    latex = expression if isinstance(expression, str) else expression.latex
    text = notation.to_text(latex)
    if len(text) > MAX_LENGTH:
        return None
    return trace.Formula(text, latex, notation.to_mathml(latex))


def forward_formula(op: Op, operands: list[Expression], attributes: tuple[Any, ...]) -> Expression:
    """The op's own formula on operands that are formulas themselves."""
    return _applied(op, operands, attributes)


def rule_formula(pull: Pull, given: dict[str, Any], g: Any) -> Expression:
    """The formula of one VJP rule, by running it.

    Args:
        pull: which rule.
        given: by name what the rule takes: an `Operand`, a list of them, a spec or an attribute.
        g: the operand that stands for the cotangent; a list of them for several outputs.
    """
    formula = Formula()
    box = _boxer(formula)
    names = pull.rule.__code__.co_varnames[1 : pull.rule.__code__.co_argcount]
    with only((formula,)):
        out = pull.rule(box(g), *[box(given[name]) for name in names])
    if isinstance(out, Tensor):
        return _expression(out)
    values, indices = (_aligned(_expression(x)).latex for x in (out.values, out.indices))
    return Expression(
        rf"\mathrm{{zeros}}\left(\left[{indices}\right] \addto {values}\right)", FUNCTION
    )


def _boxer(formula: Formula) -> Any:
    def box(value: Any) -> Any:
        if isinstance(value, Operand):
            return formula.symbol(value.expression.latex, value.spec, value.expression.level)
        return [box(each) for each in value] if isinstance(value, list) else value

    return box


class Operand(NamedTuple):
    """What a rule takes as a tensor: its formula and its spec."""

    expression: Expression
    spec: Spec
