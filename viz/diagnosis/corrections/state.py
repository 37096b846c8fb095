"""Corrections where a variable was replaced by a tensor, or a tensor put into a variable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..finding import Finding
from ..source_text import Edit, Source
from .candidate import at, call_named
from .scores import metric_as_loss

ASSIGNS = {ast.Add: "assign_add", ast.Sub: "assign_sub"}


def variable_replaced(source: Source, finding: Finding) -> Iterator[str]:
    """`x.assign_sub(e)` for `x = x - e`, also in comprehensions over several."""
    node = at(source, finding)
    statement = source.statement(node if node is not None else finding.line)
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.ListComp):
        yield from _loop(source, statement)
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.DictComp):
        made = statement.value
        name = f"{source.code(statement.targets[0])}[{source.code(made.key)}]"
        loop = made.generators[0]
        head = f"for {source.code(loop.target)} in {source.code(loop.iter)}:"
        body = f"{name}.assign({source.code(made.value)})"
        text = f"{head}\n{source.indent(statement)}    {body}"
        yield source.edited([source.replaced(statement, text)])
    edits = assignments(source, statement)
    yield from _in_place(source, statement)
    if edits:
        yield source.edited(edits)
    steps = [each for each in source.block(statement) if _is_step(source, each)]
    yield source.edited([edit for each in steps for edit in assignments(source, each)])


def _is_step(source: Source, statement: Any) -> bool:
    """Whether a statement gives a name its own value with a change: `w = w - 0.1 * g`."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(value, ast.BinOp) or isinstance(value.right, ast.Constant):
        return False
    return source.code(value.left) == source.code(statement.targets[0])


def _in_place(source: Source, statement: Any) -> Iterator[str]:
    """`w.assign_sub(e)` before the statement, and `w` in it for `w - e`: of a tuple, a return."""
    parts = _parts(getattr(statement, "value", None))
    updates = [
        p for p in parts
        if isinstance(p, ast.BinOp) and type(p.op) in ASSIGNS
        and isinstance(p.left, ast.Name | ast.Attribute | ast.Subscript)
        and not isinstance(p.right, ast.Constant)  # a counter: `step + 1`
    ]  # fmt: skip
    if not updates or not isinstance(statement, ast.Return | ast.Assign):
        return
    lines = [
        f"{source.code(p.left)}.{ASSIGNS[type(p.op)]}({source.code(p.right)})" for p in updates
    ]
    rest = _without_own(source, statement, {p: source.code(p.left) for p in updates})
    if rest is not None:
        text = f"\n{source.indent(statement)}".join([*lines, *rest])
        yield source.edited([source.replaced(statement, text)])
        return
    edits = [source.replaced(p, source.code(p.left)) for p in updates]
    yield source.edited([source.before(statement, "\n".join(lines)), *edits])


def _without_own(source: Source, statement: Any, left: dict[Any, str]) -> list[str] | None:
    """What is left of an assignment without `w = w`; None where no name would be given itself."""
    targets = getattr(statement, "targets", [])
    if len(targets) != 1:
        return None
    are_several = isinstance(targets[0], ast.Tuple) and isinstance(statement.value, ast.Tuple)
    names = targets[0].elts if are_several else [targets[0]]
    values = statement.value.elts if are_several else [statement.value]
    if len(names) != len(values) or any(isinstance(each, ast.Starred) for each in names + values):
        return None
    pairs = [
        (source.code(n), left.get(v, source.code(v))) for n, v in zip(names, values, strict=True)
    ]
    kept = [(name, value) for name, value in pairs if name != value]
    if len(kept) == len(pairs):
        return None
    one, other = (", ".join(column) for column in zip(*kept, strict=True)) if kept else ("", "")
    return [f"{one} = {other}"] if kept else []


def _parts(value: Any) -> list[Any]:
    """The values that are put together: of a tuple, a list, a dictionary, `replace(p, w=...)`."""
    if isinstance(value, ast.Tuple | ast.List):
        return list(value.elts)
    if isinstance(value, ast.Dict):
        return list(value.values)
    if isinstance(value, ast.Call):
        return [*value.args, *(keyword.value for keyword in value.keywords)]
    return [value]


def in_the_loop(source: Source, finding: Finding) -> Iterator[str]:
    """The function of a dataset's `map` applied in the loop over it."""
    call = source.node(finding.span, ast.Call)
    if call is None or not call.args or not isinstance(call.func, ast.Attribute):
        return
    function, name = source.code(call.args[0]), ""
    statement = source.statement(call)
    if isinstance(statement, ast.Assign):
        name = source.code(statement.targets[0])
    for loop in ast.walk(source.tree):
        if isinstance(loop, ast.For) and name and name in source.code(loop.iter):
            element = source.code(loop.target)
            called = function if function.isidentifier() else f"({function})"
            line = f"{element} = {called}({element.strip('()')})"
            without = source.replaced(call, source.code(call.func.value))
            yield source.edited([without, source.before(loop.body[0], line)])


def assignments(source: Source, statement: Any) -> list[Edit]:
    """The edits that make a statement change the variables it replaces."""
    if isinstance(statement, ast.AugAssign) and type(statement.op) in ASSIGNS:
        name = source.code(statement.target)
        text = f"{name}.{ASSIGNS[type(statement.op)]}({source.code(statement.value)})"
        return [source.replaced(statement, text)]
    if isinstance(statement, ast.AugAssign):
        name, given = source.code(statement.target), source.code(statement.value)
        sign = {ast.Mult: "*", ast.Div: "/"}.get(type(statement.op), "*")
        return [source.replaced(statement, f"{name}.assign({name} {sign} ({given}))")]
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        lines = [_assign(source, t, v) for t, v in pairs]
        pad = "\n" + source.indent(statement)
        return [source.replaced(statement, pad.join(lines))]
    return [source.replaced(statement, _assign(source, target, value))]


def _assign(source: Source, target: Any, value: Any) -> str:
    name = source.code(target)
    if (
        isinstance(value, ast.BinOp)
        and source.code(value.left) == name
        and type(value.op) in ASSIGNS
    ):
        return f"{name}.{ASSIGNS[type(value.op)]}({source.code(value.right)})"
    inner: Any = value
    if isinstance(value, ast.Call) and value.args:
        name_of = getattr(value.func, "attr", "")
        inner = value.args[0] if name_of in {"Variable", "constant"} else value
    return f"{name}.assign({source.code(inner)})"


def _loop(source: Source, statement: ast.Assign) -> Iterator[str]:
    """`for p, g in zip(...): p.assign_sub(...)` for a list comprehension of new values."""
    made: Any = statement.value
    value, comprehension = made.elt, made.generators[0]
    names = (
        comprehension.target.elts
        if isinstance(comprehension.target, ast.Tuple)
        else [comprehension.target]
    )
    head = f"for {source.code(comprehension.target)} in {source.code(comprehension.iter)}:"
    for name in names:
        if re.search(rf"\b{source.code(name)}\b", source.code(value)):
            body = _assign(source, name, value)
            text = f"{head}\n{source.indent(statement)}    {body}"
            yield source.edited([source.replaced(statement, text)])


def state(source: Source, finding: Finding) -> Iterator[str]:
    """A tensor in place of a variable's new value."""
    node = at(source, finding)
    yield from metric_as_loss(source, node)
    call = call_named(source, node, "assign", "assign_add", "assign_sub", "Variable")
    if call is None or not call.args:
        return
    given = source.code(call.args[0])
    method = getattr(call.func, "attr", "")
    if method == "Variable":
        simple = isinstance(call.args[0], ast.Name | ast.Call | ast.Attribute)
        yield source.edited([source.replaced(call, given if simple else f"({given})")])
        return
    name = source.code(call.func.value)
    sign = {"assign_add": f"{name} + ", "assign_sub": f"{name} - "}.get(method, "")
    statement = source.statement(call)
    text = f"{name} = {sign}{given if not sign else _bracketed(call.args[0], given)}"
    if isinstance(statement, ast.Expr):
        yield source.edited([source.replaced(statement, text)])
        yield from _renamed(source, statement, name, sign, given)
    elif isinstance(statement, ast.Assign):
        yield source.edited([source.replaced(call, sign + given)])


def _bracketed(node: Any, text: str) -> str:
    return f"({text})" if isinstance(node, ast.BinOp) else text


def _renamed(source: Source, statement: Any, name: str, sign: str, given: str) -> Iterator[str]:
    """The same under a new name, which the rest of the block uses."""
    new = re.sub(r"\W+", "_", name).strip("_") + "_new"
    edits = [source.replaced(statement, f"{new} = {sign}{given}")]
    block = source.block(statement)
    for later in block[block.index(statement) + 1 :]:
        for node in ast.walk(later):
            if isinstance(node, ast.expr) and source.code(node) == name:
                edits.append(source.replaced(node, new))
    yield source.edited(dict.fromkeys(edits))
