"""Corrections beside the ops: smaller steps of a loop that diverges, and NumPy's safe inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from minitape.keras import optimizers

from ..finding import Finding
from ..source_text import Source, called
from .candidate import at, call_named

FACTORS = (0.1, 0.01, 0.001, 0.0001)


def diverges(source: Source, finding: Finding) -> Iterator[str]:
    """Downhill, then smaller steps."""
    line = finding.facts["update"]
    added: Any = uphill(source.tree, line)
    edits = []
    if added is not None:
        downhill = source.code(added.func).replace("_add", "_sub")
        edits = [source.replaced(added.func, downhill)]
        yield source.edited(edits)
    numbers: list[Any] = step_sizes(source.tree, line)
    for factor in FACTORS if numbers else ():
        smaller = [source.replaced(n, f"{n.value * factor:g}") for n in numbers]
        yield source.edited([*edits, *smaller])


def broken_data(source: Source, finding: Finding) -> Iterator[str]:
    """A divisor, a logarithm's or a root's argument that keeps away from 0, still in NumPy."""
    node = at(source, finding)
    numpy = next(iter(sorted(source.aliases("numpy"))), "np")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        divisor = source.code(node.right)
        yield source.edited([source.replaced(node.right, f"{numpy}.maximum({divisor}, 1e-7)")])
        yield source.edited([source.replaced(node.right, f"({divisor} + 1e-7)")])
    for name, least in (("log", "1e-7"), ("log10", "1e-7"), ("log2", "1e-7"), ("sqrt", "0.0")):
        call = call_named(source, node, name)
        if call is not None and call.args:
            text = f"{numpy}.maximum({source.code(call.args[0])}, {least})"
            yield source.edited([source.replaced(call.args[0], text)])
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
        divisor = source.code(node.value)
        yield source.edited([source.replaced(node.value, f"{numpy}.maximum({divisor}, 1e-7)")])


UPDATES = {"assign_sub", "assign_add", "assign"}


STEPS = {"apply_gradients", "minimize", "fit", "train_on_batch"}


STEP_NAME = re.compile(r"lr|rate|step|eta|alpha|gamma", re.I)


def uphill(tree: ast.AST, line: int) -> ast.Call | None:
    """The `assign_add` of a gradient at a line, where nothing has a minus."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or 0):
            signs = [n for each in node.args for n in ast.walk(each) if isinstance(n, ast.USub)]
            if called(node.func) == "assign_add" and not signs:
                return node
    return None


def step_sizes(tree: ast.AST, line: int) -> list[ast.Constant]:
    """The numbers that say how large the steps are which a line takes, as the text has them."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    at_line = [n for n in calls if n.lineno <= line <= (n.end_lineno or 0)]
    if any(called(call.func) in STEPS for call in at_line):
        given = [value for call in calls for value in _rates(call)]
    else:
        given = [_expression(tree, line)]
        given += [c for c in calls if called(c.func) in UPDATES and c not in at_line and c.args]
    found: list[ast.Constant] = []
    for each in given:
        found += list(_numbers(tree, each))[:1]
    return list(dict.fromkeys(found))


def _expression(tree: ast.AST, line: int) -> Any:
    """The innermost statement of a line."""
    around = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or 0)
    ]
    return max(around, key=lambda n: n.lineno, default=None)


def _rates(call: ast.Call) -> Iterator[Any]:
    """The learning rate that an optimizer is made with."""
    if called(call.func) in optimizers.__all__:
        yield from (k.value for k in call.keywords if k.arg in {"learning_rate", "lr"})
        yield from call.args[:1]


def _numbers(tree: ast.AST, given: Any) -> Iterator[ast.Constant]:
    """The numbers in an expression: under a name that speaks of steps, written, under a name."""
    if given is None:
        return
    names = [called(n) for n in ast.walk(given) if isinstance(n, ast.Name | ast.Attribute)]
    for name in filter(STEP_NAME.search, names):
        yield from _values(tree, name)
    yield from (n for n in ast.walk(given) if isinstance(n, ast.Constant) and _is_number(n))
    for name in names:
        yield from _values(tree, name)


def _values(tree: ast.AST, name: str) -> Iterator[ast.Constant]:
    """The numbers that a name gets: assigned, as a keyword, as a parameter's default."""
    for node in ast.walk(tree):
        pairs: list[tuple[str, Any]] = []
        if isinstance(node, ast.Assign):
            pairs = [(called(target), node.value) for target in node.targets]
        elif isinstance(node, ast.keyword):
            pairs = [(node.arg or "", node.value)]
        elif isinstance(node, ast.arguments) and node.defaults:
            names = [each.arg for each in node.args][-len(node.defaults) :]
            pairs = list(zip(names, node.defaults, strict=True))
        yield from (value for own, value in pairs if own == name and _is_number(value))


def _is_number(node: Any) -> bool:
    value: Any = getattr(node, "value", None)
    return isinstance(node, ast.Constant) and type(value) in {int, float} and value > 0
