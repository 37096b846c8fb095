"""A loop whose loss grows from step to step until no number is large enough.

The one fact to know: the op that overflows is not the mistake then, but the step: its size stands
in the text, beside the update, under a name, or in the optimizer's call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from minitape.keras import optimizers

from .beside import parsed
from .case import Case, span_of
from .finding import Finding
from .places import Place, Stack

FEWEST = 2  # calls before
GROWTH = 100.0  # from the first to the last of them
UPDATES = {"assign_sub", "assign_add", "assign"}
STEPS = {"apply_gradients", "minimize", "fit", "train_on_batch"}
STEP_NAME = re.compile(r"lr|rate|step|eta|alpha|gamma", re.I)


def finding(case: Case, symptom: str) -> Finding | None:
    """That the steps are too large; None where the losses before did not grow."""
    sizes = _sizes(case)
    update = _update(case)
    if update is None or not _grow(sizes):
        return None
    tree = parsed(case)
    numbers = step_sizes(tree, update.line) if tree is not None else []
    line, why = min((each.lineno for each in numbers), default=update.line), "are too large"
    if tree is not None and uphill(tree, update.line) is not None:
        line, why = update.line, "go uphill: a gradient is added, where a loss falls against it"
    shown = ", ".join(f"{each:.3g}" for each in [*sizes[:2], sizes[-1]])
    sentence = (
        f"The loop diverges: its target grows from step to step ({shown}, ...) until no number is "
        f"large enough. The steps at line {line} {why}."
    )
    kind = "overflow" if symptom == "inf" else symptom
    found = Finding(kind, "diverges", sentence, line, span=span_of(update))
    found.facts = {"update": update.line, "target": ""}
    found.mend = "# a smaller learning rate, or inputs that are scaled to about 1"
    return found


def _sizes(case: Case) -> list[float]:
    """The finite targets of the calls at this place so far."""
    outcomes = getattr(case.journal, "outcomes", [])
    here = case.line(case.here)
    ends = [o.target for o in outcomes if o.line == here and o.target]
    return [max(map(abs, each)) for each in ends if np.isfinite(each).all()]


def _grow(sizes: list[float]) -> bool:
    """Whether the last ones are each larger than the one before, and much larger than the first."""
    last = sizes[-3:]
    rising = all(a < b for a, b in zip(last, last[1:], strict=False))
    return len(sizes) >= FEWEST and rising and sizes[-1] > GROWTH * max(sizes[0], 1e-30)


def _update(case: Case) -> Place | None:
    """Where a source got its present value: an assignment, or the op that made it."""
    sources = set(case.request.source_ids)
    events = case.journal.events if case.journal is not None else []
    stack: Stack = ()
    for event in reversed(events):
        if event.kind in UPDATES and event.into in sources:
            stack = case.stack_of_event(event)
            break
    else:
        made = [case.flow.maker[key] for key in sources if key in case.flow.maker]
        stack = case.stack_of(made[0]) if made else ()
    return next(iter(case.in_file(stack)), None)


def uphill(tree: ast.AST, line: int) -> ast.Call | None:
    """The `assign_add` of a gradient at a line, where nothing has a minus."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or 0):
            signs = [n for each in node.args for n in ast.walk(each) if isinstance(n, ast.USub)]
            if _name(node) == "assign_add" and not signs:
                return node
    return None


def step_sizes(tree: ast.AST, line: int) -> list[ast.Constant]:
    """The numbers that say how large the steps are which a line takes, as the text has them."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    at_line = [n for n in calls if n.lineno <= line <= (n.end_lineno or 0)]
    if any(_name(call) in STEPS for call in at_line):
        given = [value for call in calls for value in _rates(call)]
    else:
        given = [_expression(tree, line)]
        given += [c for c in calls if _name(c) in UPDATES and c not in at_line and c.args]
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
    if _name(call) in optimizers.__all__:
        yield from (k.value for k in call.keywords if k.arg in {"learning_rate", "lr"})
        yield from call.args[:1]


def _numbers(tree: ast.AST, given: Any) -> Iterator[ast.Constant]:
    """The numbers in an expression: under a name that speaks of steps, written, under a name."""
    if given is None:
        return
    names = [_last(n) for n in ast.walk(given) if isinstance(n, ast.Name | ast.Attribute)]
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
            pairs = [(_last(target), node.value) for target in node.targets]
        elif isinstance(node, ast.keyword):
            pairs = [(node.arg or "", node.value)]
        elif isinstance(node, ast.arguments) and node.defaults:
            names = [each.arg for each in node.args][-len(node.defaults) :]
            pairs = list(zip(names, node.defaults, strict=True))
        yield from (value for own, value in pairs if own == name and _is_number(value))


def _is_number(node: Any) -> bool:
    value: Any = getattr(node, "value", None)
    return isinstance(node, ast.Constant) and type(value) in {int, float} and value > 0


def _last(node: Any) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _name(call: ast.Call) -> str:
    return _last(call.func)
