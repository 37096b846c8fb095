"""A rule's formula as a row of arrays: `hidden^⊤ · g`, `(softmax(logits) − truth) · g`.

The row follows the expression that running the real rule gave. Products and differences of arrays
are laid out, whatever else is computed in it is one array, computed by the engine's own ops from
the operands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops.broadcasting import reshape
from minitape.ops.linalg.matrix import matrix_transpose
from minitape.ops.neural.softmax import softmax, softmax_less_one_hot
from minitape.ops.shapes.shaping import transpose
from minitape.safety.silence import Silence

from ..trace.arrays import Array
from ..trace.parts import Term
from . import notation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from minitape.op import Op

    from .formula import Expression

MOST_TERMS = 11
SUMS = {"+", "−"}  # signs that need brackets


class Layout:
    """Lays out one expression whose operands are known by their LaTeX."""

    def __init__(self, known: dict[str, tuple[int, Any]], array: Callable[[Any], Array]) -> None:
        self.known = known
        self.array = array

    def row(self, root: Expression) -> tuple[Term, ...]:
        """The terms of an expression; nothing where it would be too long or cannot be computed."""
        try:
            with Silence():
                terms = tuple(self._terms(root))
        except Exception:  # an equation that cannot be laid out is still a formula
            return ()
        arrays = [term for term in terms if term.value is not None or term.operand is not None]
        if len(arrays) == 1 and arrays[0].operand is None:
            return ()  # the result itself: what it was made of says more
        return terms if arrays and len(terms) <= MOST_TERMS else ()

    def _terms(self, e: Expression) -> Iterator[Term]:
        if e.latex in self.known:
            place, value = self.known[e.latex]
            changed = self.array(value) if e.latex.startswith(r"\overline") else None
            yield Term(self._text(e), place, changed)
            return
        if e.made is None:
            yield Term(self._text(e))
            return
        op, operands, _ = e.made
        sign = op.facts.sign
        if self._turns(op, e) and operands[0].latex in self.known:
            inner = operands[0]
            yield Term(f"{self._text(inner)}ᵀ", self.known[inner.latex][0], transposed=True)
        elif sign and len(operands) == 1 and self._carries(e):
            yield from (Term(sign), *self._terms(operands[0]))
        elif sign in SUMS and len(operands) > 1 and self._differs(operands):
            yield from (Term("("), *self._joined(operands, sign), Term(")"))
        elif sign and sign not in SUMS and self._carries(e):
            yield from self._joined(operands, sign)
        elif op is reshape.op and operands[0].latex in self.known:
            place = self.known[operands[0].latex][0]
            yield Term(self._text(operands[0]), place, self.array(self._value(e)))
        elif op is softmax_less_one_hot.op:
            yield from self._probability_less_truth(operands)
        else:
            yield Term(self._text(e), None, self.array(self._value(e)))

    def _probability_less_truth(self, operands: list[Expression]) -> Iterator[Term]:
        labels, logits = operands
        classes = np.shape(self._value(logits))[-1]
        truth = np.eye(classes, dtype="int32")[self._value(labels)]
        chances = softmax.op.forward(self._value(logits), -1)
        yield from (
            Term("("),
            Term(f"softmax({self._text(logits)})", None, self.array(chances)),
        )
        yield from (Term("−"), Term("truth", None, self.array(truth)), Term(")"))

    def _joined(self, operands: list[Expression], sign: str) -> Iterator[Term]:
        for i, each in enumerate(operands):
            if i:
                yield Term(sign)
            yield from self._terms(each)

    def _differs(self, operands: list[Expression]) -> bool:
        """Whether a sum is one of arrays: `1 − x^2` is a slope, `p − truth` two arrays."""
        return all(each.made is not None or each.latex in self.known for each in operands)

    def _carries(self, e: Expression) -> bool:
        """Whether something on the way to an expression is a cotangent."""
        waiting = [e]
        while waiting:
            each = waiting.pop()
            if each.latex in self.known:
                if self.known[each.latex][0] == 0:
                    return True
            elif each.made is not None:
                waiting += each.made[1]
        return False

    def _turns(self, op: Op, e: Expression) -> bool:
        """Whether an op turns matrices: one, or each of a batch."""
        of_one = op is transpose.op and np.ndim(self._value(e)) == 2
        return op is matrix_transpose.op or of_one

    def _value(self, e: Expression) -> Any:
        """What an expression is, computed from the operands."""
        if e.latex in self.known:
            return self.known[e.latex][1]
        if e.made is None:
            return e.value
        op, operands, attributes = e.made
        values = [self._value(each) for each in operands]
        out = op.forward(values, *attributes) if op.variadic else op.forward(*values, *attributes)
        return out[0] if op.several else out

    def _text(self, e: Expression) -> str:
        return notation.to_text(e.latex).replace("^⊤", "ᵀ")
