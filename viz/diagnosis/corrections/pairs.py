"""Pairs of equal functions: the second is written for numbers at which the first loses its digits.

Both compute the same, so a value and a slope that were right stay as they are. They come before
clips, epsilons and wider types. A name stands for the one expression that it was given. The pairs
are those of all frameworks; `Names` says how one of them writes the second.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.facts import NOTHING, Facts
from minitape.ops.elementwise.powers import exp, log, log1p, square
from minitape.ops.elementwise.sigmoids import sigmoid
from minitape.ops.elementwise.trigonometry import cos, tanh

from ..source_text import Source, called
from ..words import known, neutral
from .candidate import wrapped

if TYPE_CHECKING:
    from minitape.op import Op, Primitive

TINY = 1e-4


class Names(NamedTuple):
    """What stable functions are called in a script, and its word for an axis."""

    log_softmax: str
    log_sigmoid: str
    softmax: str
    sigmoid: str
    softplus: str
    logsumexp: str
    numbers: str  # the module of log1p and sin
    axis: str = "axis"
    all_axes: str = ""  # of {}, where a sum over all of them has to say so


def of_tensorflow(source: Source) -> Names:
    """Those of minitape, which has TensorFlow's."""
    tf = source.tf
    nn = f"{tf}.nn"
    return Names(
        f"{nn}.log_softmax", f"{tf}.math.log_sigmoid", f"{nn}.softmax", f"{tf}.sigmoid",
        f"{nn}.softplus", f"{tf}.reduce_logsumexp", f"{tf}.math",
    )  # fmt: skip


def of_pairs(source: Source, node: Any, names: Names | None = None) -> Iterator[str]:
    """All logarithms of the function around a node at once, then each pair alone."""
    if node is None:
        return
    scope = source.scope(node)
    pairs = Pairs(source, scope, names or of_tensorflow(source))
    logarithms, others = [], []
    for each in ast.walk(scope):
        text = pairs.of_call(each)
        if text:
            logarithms.append(source.replaced(each, text))
        text = pairs.of_quotient(each) or pairs.of_difference(each)
        if text:
            others.append(source.replaced(each, text))
    if logarithms:
        yield source.edited(logarithms)
    if len(logarithms) > 1:
        yield from (source.edited([one]) for one in logarithms)
    yield from (source.edited([one]) for one in others)


class Pairs:
    """The second functions, as text."""

    def __init__(self, source: Source, scope: Any, names: Names) -> None:
        self.source, self.names = source, names
        self.modules = set(source.modules) | {source.tf} | set(_imported(source.tree))
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
        outside = Pairs(self.source, tree, self.names)
        for parameter, given in zip(scope.args.args, calls[0].args, strict=False):
            meant = outside.meant(given)
            if not isinstance(meant, ast.Name):
                self.given.setdefault(parameter.arg, []).append(meant)

    def of_call(self, node: Any) -> str:
        """A logarithm in other words, "" if there are none."""
        if self.calls(node, log):
            return self.logarithm(self.first(node))
        if not self.calls(node, log1p):
            return ""
        inner = self.first(node)
        if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub):
            return self._of_rest(inner.operand)
        if self.calls(self.meant(inner), exp):
            return f"{self.names.softplus}({self.argument(self.meant(inner))})"
        return ""

    def of_quotient(self, node: Any) -> str:
        """A softmax or a sigmoid that is written out, by its name."""
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            return ""
        z, axis = self._softmax(node)
        if z:
            return f"{self.names.softmax}({z}, {self.names.axis}={axis or -1})"
        z = self._sigmoid(node)
        return f"{self.names.sigmoid}({z})" if z else ""

    def of_difference(self, node: Any) -> str:
        """`exp(x) - 1`, `1 - cos(x)` and `log(1 + x)` without a difference of equal numbers."""
        numbers = self.names.numbers
        inner = self.first(node) if self.calls(node, log) else None
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
            for one, x in _both(inner):
                if _is_number(one, 1.0):
                    return f"{numbers}.log1p({self.source.code(x)})"
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
            return ""
        left, right = self.meant(node.left), self.meant(node.right)
        if self.calls(left, exp) and _is_number(right, 1.0):
            return f"{numbers}.expm1({self.argument(left)})"
        if self.calls(right, cos) and _is_number(left, 1.0):
            return f"(2.0 * {numbers}.sin(({self.argument(right)}) / 2.0) ** 2)"
        return ""

    def logarithm(self, node: Any) -> str:
        """The logarithm of an expression, "" if no pair is known."""
        node = self.meant(node)
        facts, names = self.facts(node), self.names
        if facts.logarithm:
            stable, rest = names.log_sigmoid, self.rest(node)
            if facts.shares:
                stable = names.log_softmax
                rest = rest or [f"{names.axis}=-1"] * bool(names.all_axes)
            return f"{stable}({', '.join([self.argument(node), *rest])})"
        if facts.moves in {"picks", "shape"} or self.word(node) == "boolean_mask":
            inner = self.logarithm(self.first(node))
            return self._again(node, inner) if inner else ""
        if facts.reduces == "sum" and self.calls(self.meant(self.first(node)), exp):
            return self._of_sum(self.argument(self.meant(self.first(node))), self.rest(node))
        if isinstance(node, ast.Subscript):
            inner = self.logarithm(node.value)
            return f"{inner}[{self.source.code(node.slice)}]" if inner else ""
        if isinstance(node, ast.Call) and facts.fault in {"clipped", "constant_won"}:
            bounds = [*node.args, *(k.value for k in node.keywords if k.arg == "min")]
            return self.logarithm(self.first(node)) if any(map(is_tiny, bounds)) else ""
        if isinstance(node, ast.BinOp):
            return self._of_operator(node)
        return ""

    def _of_operator(self, node: ast.BinOp) -> str:
        if isinstance(node.op, ast.Add):
            for one, x in _both(node):
                if is_tiny(one):
                    return self.logarithm(x)
                if _is_number(one, 1.0) and self.calls(self.meant(x), exp):
                    return f"{self.names.softplus}({self.argument(self.meant(x))})"
        if isinstance(node.op, ast.Sub) and _is_number(node.left, 1.0):
            return self._of_rest(node.right)
        if not isinstance(node.op, ast.Div):
            return ""
        z = self._sigmoid(node)
        if z:
            return f"{self.names.log_sigmoid}({z})"
        z, axis = self._softmax(node)
        if axis:
            return f"{self.names.log_softmax}({z}, {self.names.axis}={axis})"
        return f"({z} - {self._of_sum(z, [])})" if z else ""

    def _of_sum(self, z: str, rest: list[str]) -> str:
        """The logarithm of a sum of exponentials, of all of them where nothing else is said."""
        if self.names.all_axes and not rest:
            rest = [f"{self.names.axis}={self.names.all_axes.format(z)}"]
        return f"{self.names.logsumexp}({', '.join([z, *rest])})"

    def _of_rest(self, node: Any) -> str:
        """The logarithm of one minus an expression."""
        node = self.meant(node)
        if self.calls(node, sigmoid):
            return f"{self.names.log_sigmoid}(-({self.argument(node)}))"
        squared = self._squared(node)
        if self.calls(squared, tanh):
            u = wrapped(self.source, self.first(squared))
            return f"(2.0 * (0.6931471805599453 - {u} - {self.names.softplus}(-2.0 * {u})))"
        return ""

    def _squared(self, node: Any) -> Any:
        """What an expression is the square of, None if it is none."""
        if self.calls(node, square):
            return self.meant(self.first(node))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self.meant(node.left) if _is_number(node.right, 2.0) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            same = self.source.code(node.left) == self.source.code(node.right)
            return self.meant(node.left) if same else None
        return None

    def _sigmoid(self, node: ast.BinOp) -> str:
        """`z` of `1 / (1 + exp(-z))`, "" for others."""
        under = self.meant(node.right)
        is_sum = isinstance(under, ast.BinOp) and isinstance(under.op, ast.Add)
        if not is_sum or not _is_number(self.meant(node.left), 1.0):
            return ""
        for one, x in _both(under):
            power = self.meant(x)
            if _is_number(one, 1.0) and self.calls(power, exp):
                z = self.first(power)
                if isinstance(z, ast.UnaryOp) and isinstance(z.op, ast.USub):
                    return self.source.code(z.operand)
                return f"-({self.source.code(z)})"
        return ""

    def _softmax(self, node: ast.BinOp) -> tuple[str, str]:
        """The logits and the axis of `exp(z) / sum(exp(z))`, both "" for others."""
        top, under = self.meant(node.left), self.meant(node.right)
        if not self.calls(top, exp) or self.facts(under).reduces != "sum":
            return "", ""
        if self.source.code(self.meant(self.first(under))) != self.source.code(top):
            return "", ""
        return self.argument(top), self.axis(under)

    def meant(self, node: Any, depth: int = 0) -> Any:
        """The expression that a name stands for, through several names."""
        given = self.given.get(node.id, []) if isinstance(node, ast.Name) else []
        is_known = len(given) == 1 and given[0] is not None and depth < 8
        return self.meant(given[0], depth + 1) if is_known else node

    def word(self, node: Any) -> str:
        """The op that a call is, "" for what is none."""
        if not isinstance(node, ast.Call) or self.first(node) is None:
            return ""
        return neutral(called(node.func))

    def calls(self, node: Any, op: Primitive) -> bool:
        """Whether a call is that of an op, whatever its framework calls it."""
        return self._op(node) is op.op

    def facts(self, node: Any) -> Facts:
        """What is said of the op that a call is."""
        ours = self._op(node)
        return NOTHING if ours is None else ours.facts

    def _op(self, node: Any) -> Op | None:
        word = self.word(node)
        return known(word) if word else None

    def first(self, call: Any) -> Any:
        """What a function is given first, or what has the method; None if there is none."""
        if self._is_method(call):
            return call.func.value
        return call.args[0] if call.args else None

    def argument(self, call: Any) -> str:
        """The text of that."""
        return self.source.code(self.first(call))

    def axis(self, call: Any) -> str:
        """The text of the axis that a call names, "" if it names none."""
        named = [k.value for k in call.keywords if k.arg in {"axis", "dim"}]
        return next(map(self.source.code, [*named, *self._more(call)]), "")

    def _more(self, call: Any) -> list[Any]:
        return list(call.args if self._is_method(call) else call.args[1:])

    def rest(self, call: Any) -> list[str]:
        """The texts of all further arguments."""
        return [self.source.code(each) for each in [*self._more(call), *call.keywords]]

    def _again(self, call: Any, inner: str) -> str:
        """The same call of something else."""
        if not self._is_method(call):
            return f"{self.source.code(call.func)}({', '.join([inner, *self.rest(call)])})"
        return f"{inner}.{call.func.attr}({', '.join(self.rest(call))})"

    def _is_method(self, call: Any) -> bool:
        """Whether a value has what is called, and not a module."""
        owner: Any = getattr(call.func, "value", None)
        while isinstance(owner, ast.Attribute):
            owner = owner.value
        return owner is not None and getattr(owner, "id", "") not in self.modules


def _imported(tree: ast.AST) -> Iterator[str]:
    for each in ast.walk(tree):
        if isinstance(each, ast.Import | ast.ImportFrom):
            yield from ((name.asname or name.name).partition(".")[0] for name in each.names)


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


def _both(node: Any) -> tuple[tuple[Any, Any], ...]:
    return (node.left, node.right), (node.right, node.left)


def _is_number(node: Any, number: float) -> bool:
    return isinstance(node, ast.Constant) and node.value == number and node.value is not True


def is_tiny(node: Any) -> bool:
    """Whether a number only keeps a logarithm from 0."""
    value = getattr(node, "value", None)
    return isinstance(value, float) and 0.0 < value <= TINY
