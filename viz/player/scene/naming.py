"""What nodes are called: by the learner's names, and else by their expressions: `h·h`, `x + shift`.

An expression is the formula that the op declares, with the names of what it took. A long one is cut
from the inside (`tanh(…)`), and nodes that would have one name are counted. An unnamed result whose
line assigns it (`h = tf.tanh(…)`) has that name, if the line's outermost call or operator is the op
that made it.
"""

from __future__ import annotations

import ast
import functools
import json
import operator
import re
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from minitape.op import registry
from minitape.tensor import Operators

from ...record import notation
from ...record.formula import ATOM, FUNCTION, Expression, level_of, number
from ...trace.facts import declared

if TYPE_CHECKING:
    from minitape.op import Op

    from ...trace.trace import Node, Trace

LONGEST = 26  # characters of an expression
CUT = Expression(r"\ldots")
# What Python's syntax calls, which tensors answer by a method of that name.
CALLED: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.MatMult: operator.matmul, ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.USub: operator.neg, ast.Invert: operator.invert,
}  # fmt: skip


class Names:
    """The name of each node of a trace.

    Example:
        >>> from minitape.viz.trace.trace import Node, Trace
        >>> h = Node(0, "source", (), "float32", (), name="h")
        >>> made = [Node(1, "op", (0, 0), "float32", (), op="multiply")]
        >>> made.append(Node(2, "op", (1, 0), "float32", (), op="add"))
        >>> names = Names(Trace((h, *made)))
        >>> names[1], names[2]
        ('h·h', 'h·h + h')
    """

    def __init__(self, trace: Trace) -> None:
        self._expressions: list[Expression] = []
        self._texts: list[str] = []
        assigned = _assigned(trace)
        self.given = {node.id for node in trace.nodes if node.name or node.id in assigned}
        self._layers = _layers(trace)
        for node in trace.nodes:
            name = node.name or assigned.get(node.id, "")
            made = Expression(notation.name(name)) if name else self._made(node, trace)
            self._expressions.append(made)
            self._texts.append(tidy(notation.to_text(made.latex)))
        self._count(trace)

    def __getitem__(self, node: int) -> str:
        return self._texts[node]

    def expression(self, node: int) -> Expression:
        """The name as a part of a formula."""
        return self._expressions[node]

    def _made(self, node: Node, trace: Trace) -> Expression:
        if node.kind != "op":
            return _leaf(node)
        operands = [self._expressions[i] for i in node.inputs]
        whole = _applied(node, operands)
        for place in _longest_first(operands):
            if len(notation.to_text(whole.latex)) <= LONGEST:
                return whole
            if node.id in self._layers:
                return _called(self._layers[node.id], [CUT])
            operands[place] = CUT
            whole = _applied(node, operands)
        if len(notation.to_text(whole.latex)) <= LONGEST:
            return whole
        if node.id in self._layers:
            return _called(self._layers[node.id], [CUT])
        return _called(node.op or "", [CUT])

    def formula(self, node: Node) -> str:
        """What an op computes, also where its result has a name."""
        return tidy(notation.to_text(self.computed(node).latex))

    def computed(self, node: Node) -> Expression:
        """What an op computes, as a part of a formula."""
        return _applied(node, [self._expressions[i] for i in node.inputs])

    def _count(self, trace: Trace) -> None:
        """Nodes that have one name are told apart by their place among them."""
        alike = Counter(self._texts)
        seen: Counter[str] = Counter()
        for node in trace.nodes:
            text = self._texts[node.id]
            if alike[text] > 1 and (node.kind == "op" or node.name):
                seen[text] += 1
                self._texts[node.id] = f"{text} ({ordinal(seen[text])})"


def _longest_first(operands: list[Expression]) -> list[int]:
    sizes = [len(notation.to_text(each.latex)) for each in operands]
    return sorted(range(len(operands)), key=lambda place: -sizes[place])


_SIGN = "cdot|times|sum|prod|odot|land|lor|oplus|bmod"
_OF = re.compile(rf"(\\(?:mathrm\{{\{{[a-z ]+\}}\}}|(?!{_SIGN})[a-z]+)) ?(?:\\cdot )?\{{(\w+):3\}}")


def template_of(op: Op) -> str:
    r"""The formula that an op declares, with parentheses around what a function is of.

    Example:
        >>> from minitape.op import registry
        >>> print(template_of(registry["tanh"].op))
        \tanh\left({x}\right)
    """
    return _OF.sub(r"\1\\left({\2}\\right)", op.latex.replace(r"\,", r"\cdot "))


def attributes_of(node: Node, op: Op) -> tuple[Any, ...]:
    """What an op was called with besides tensors, as it was.

    Raises:
        LookupError: the trace does not have all of it.
    """
    given = {each.name: json.loads(each.json) for each in node.attributes}
    found = []
    for name in op.attributes:
        if name not in given and name not in op.defaults:
            raise LookupError(name)
        found.append(_python(given[name]) if name in given else op.defaults[name])
    return tuple(found)


def _python(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_python(each) for each in value)
    if isinstance(value, dict) and "slice" in value:
        return slice(*value["slice"])
    return Ellipsis if value == "..." else value


def tidy(text: str) -> str:
    """A formula as a name: `a·2 + c`, `x[1:3]`.

    Example:
        >>> tidy("a · 2 + c"), tidy("x_([1:3])"), tidy("(a + b)^⊤")
        ('a·2 + c', 'x[1:3]', '(a + b)ᵀ')
    """
    text = text.replace(" · ", "·").replace("^⊤", "ᵀ").replace("( ", "(").replace(" )", ")")
    text = re.sub(r"_\(\[\[([^\[\]]*)\]\]\)", r"[\1]", text)
    return re.sub(r"_\((\[[^()]*\])\)", r"\1", text)


def ordinal(count: int) -> str:
    """1st, 2nd, 3rd, 4th.

    Example:
        >>> [ordinal(i) for i in (1, 2, 3, 11, 22)]
        ['1st', '2nd', '3rd', '11th', '22nd']
    """
    ending = "th" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10)
    return f"{count}{ending or 'th'}"


def _leaf(node: Node) -> Expression:
    array = node.value
    if array is not None and not array.shape and array.data and not isinstance(array.data[0], str):
        if isinstance(array.data[0], complex):
            return Expression(rf"\left(\text{{{array.text()}}}\right)")
        return number(array.data[0])
    if array is not None and array.is_whole and array.size <= 4:
        return Expression(rf"\text{{{array.text()}}}")
    return Expression(r"\text{" + ("const" if node.kind == "constant" else node.kind) + "}")


def _applied(node: Node, operands: list[Expression]) -> Expression:
    op = declared(node)
    if op is None or not op.latex:
        return _output(node, _called(node.op or "", operands))
    try:
        words = dict(zip(op.attributes, map(_words, attributes_of(node, op)), strict=True))
        if op.variadic:
            operands = [Expression(", ".join(each.latex for each in operands), 0)]
        given = dict(zip(op.inputs, operands, strict=False)) | words
        template = template_of(op)
        made = Expression(template.format(**given), level_of(template))
    except (LookupError, ValueError):
        made = _called(node.op or "", operands)
    return _output(node, made)


def _output(node: Node, made: Expression) -> Expression:
    return Expression(rf"{made:5}_{{{node.output}}}") if node.output else made


def _called(op: str, operands: list[Expression]) -> Expression:
    within = ", ".join(each.latex for each in operands)
    name = op.replace("_", r"\_")
    return Expression(rf"\mathrm{{{name}}}\left({within}\right)", FUNCTION if op else ATOM)


def _words(value: Any) -> str:
    """An attribute in a formula: `1:3` for a slice."""
    if isinstance(value, tuple):
        return ", ".join(map(_words, value))
    if isinstance(value, slice):
        ends = ["" if each is None else str(each) for each in (value.start, value.stop)]
        return ":".join(ends if value.step is None else [*ends, str(value.step)])
    if value is Ellipsis:
        return r"\ldots"
    return str(value) if isinstance(value, int | float) else ""


def _layers(trace: Trace) -> dict[int, str]:
    """Results of layers: the last op of a group, where no other one of it is used outside of it."""
    ops = [node for node in trace.nodes if node.kind == "op"]
    users: dict[int, list[int]] = {}
    for node in ops:
        for i in node.inputs:
            users.setdefault(i, []).append(node.id)
    found = {}
    for scope, group in groupby(ops, lambda node: node.scope):
        run = [node.id for node in group]
        within = set(run)
        leaving = [i for i in run if any(user not in within for user in users.get(i, ()))]
        if scope and leaving in ([run[-1]], []) and run[-1] not in trace.targets:
            found[run[-1]] = scope[-1]
    return found


def _assigned(trace: Trace) -> dict[int, str]:
    """Names of results that have none any more: that of the line which assigned each."""
    last: dict[tuple[Any, ...], Node] = {}
    found = {}
    ops = [node for node in trace.nodes if node.kind == "op" and node.line is not None]
    for node, after in zip(ops, [*ops[1:], None], strict=False):
        assert node.line is not None
        place = (node.line.file, node.line.number, node.line.cell)
        next_line = after.line if after is not None else None
        if next_line and (next_line.file, next_line.number, next_line.cell) == place:
            starts_again = after is not None and place in last and after.op == last[place].op
            if not starts_again:
                continue
        if not node.name and (name := _assigns(node.line.text, node.op or "")):
            found[node.id] = name
            last[place] = node
    return found


@functools.lru_cache(1024)
def _assigns(line: str, op: str) -> str:
    """The name that a line assigns the result of an op to, "" where that is not certain."""
    try:
        (statement,) = ast.parse(line.strip()).body
    except (SyntaxError, ValueError):
        return ""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    else:
        return ""
    made = registry.get(op)
    if not isinstance(target, ast.Name) or made is None:
        return ""
    if isinstance(value, ast.BinOp | ast.UnaryOp):
        called = CALLED.get(type(value.op))
        public = None if called is None else getattr(Operators, f"__{called.__name__}__", None)
        return target.id if getattr(public, "op", None) is made.op else ""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        _, _, path = ast.unparse(value.func).partition(".")
        return target.id if path in made.op.exported else ""
    return ""
