"""A training whose variables never change: what is computed is dropped, or never applied."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...corrections.candidate import asking
from ...corrections.edits import after, loops_around
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Source, called
from ...sources.case import Case
from ...sources.rounds import assigned, place_of, source_of, steps_of
from .other_order import plain_rate, rate_of_signs

ROUNDS = 3
APPLIES = {"apply_gradients", "minimize", "apply"}


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Three rounds of one line with the same values, and a line that should have changed them."""
    rounds = case.rounds
    if len(rounds) == 2 and _stand_still(rounds):
        yield from _copies(case)
    if len(rounds) < ROUNDS or not _stand_still(rounds):
        return
    asked = place_of(rounds[0].stack, case.file)
    source = source_of(asked)
    if asked is None or source is None:
        return
    own = [each.line for each in case.in_file(rounds[0].stack)]
    steps = steps_of(case.journal, rounds[0], rounds[1], case.file)
    largest = max(np.abs(g).max(initial=0.0) for g in rounds[0].gradients if g is not None)
    facts: dict[str, Any] = {}
    still = f"so what line {asked.line} differentiates by keeps its values"
    if statement := next(iter(dropped(source, own)), None):
        line, name = statement.lineno, source.code(_changed(statement))
        kept = "keeps nothing" if isinstance(statement, ast.Expr) else f"changes `{name}` alone"
        sentence = f"Line {line} {kept}, and no variable, {still}. `assign_sub` changes a variable."
    elif unread := next(iter(unread_results(source, own)), None):
        line, facts = unread.lineno, {"unread": unread.id}
        sentence = f"What line {line} keeps as `{unread.id}` is never read, {still}."
    elif steps and any(name in steps[-1].text for name in APPLIES):
        line = steps[-1].line
        sentence = (
            f"Line {line} applies the gradients of line {asked.line}, and no variable changes. The"
            " learning rate may be 0, or the step so small that rounding loses it: the largest"
            f" entry of the gradients is {largest:.2g}."
        )
    elif optimizer := idle_optimizer(source):
        line, facts = asked.line, {"optimizer": optimizer}
        sentence = f"`{optimizer}` never applies what line {line} computes: no variable changes."
    else:
        return
    yield Finding("update", "unmoved", sentence, line, spans={"call": asked.span}, facts=facts)


def _copies(case: Case) -> Iterator[Finding]:
    """Other variables have made the step that these should have: they began as copies of them."""
    first, journal = case.rounds[0], case.journal
    asked = place_of(first.stack, case.file)
    moved = assigned(journal, first, case.rounds[1], case.file)
    keys = dict.fromkeys(key for key, _ in moved if key not in first.keys)
    known = getattr(journal, "written", {})
    values = [known[key]._plain.value for key in keys if key in known]
    if asked is None or not values:
        return
    for rate_of in (plain_rate, rate_of_signs):
        steps = zip(first.values, first.gradients, strict=True)
        if all(
            g is not None and any(y.shape == x.shape and rate_of(y - x, g, x) for y in values)
            for x, g in steps
        ):
            line = moved[-1][1].line
            sentence = (
                f"Line {line} changes copies: they had the values of the variables that line"
                f" {asked.line} differentiates by, and these stay as they are."
            )
            spans, facts = {"call": asked.span}, {"copies": True}
            yield Finding("update", "unmoved", sentence, line, spans=spans, facts=facts)
            return


def _stand_still(rounds: list[Any]) -> bool:
    """Whether the values are the same in all rounds, and a gradient would have moved them."""
    first = rounds[0]
    same = all(
        each.keys == first.keys
        and all(np.array_equal(a, b) for a, b in zip(first.values, each.values, strict=True))
        for each in rounds[1:]
    )
    moves = [g for g in first.gradients if g is not None and np.any(g) and np.isfinite(g).all()]
    return same and bool(moves)


def dropped(source: Source, asking: list[int]) -> Iterator[Any]:
    """Statements that compute a new value of something from a gradient, and keep it nowhere.

    An expression alone; or a loop's own name, which then means another tensor than the one in the
    list that the loop goes through.

    Args:
        source: the text.
        asking: the lines from which the gradient is asked for, in whose loops they stand.
    """
    copies = _array_copies(source)
    given = _gradients(source, asking[:1])
    loops = {each for line in asking for each in loops_around(source, source.statement(line))}
    node: Any
    for node in ast.walk(source.tree):
        value = getattr(node, "value", None)
        is_step = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub | ast.Add)
        above = [*source.above(node)] if isinstance(node, ast.stmt) else []
        entry = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(entry, ast.Subscript) and source.code(entry.value) in copies:
            yield node
        if loops.isdisjoint(above) or given.isdisjoint(_read(node)):
            continue
        if isinstance(node, ast.Expr) and is_step:
            yield node
        if isinstance(node, ast.AugAssign) or is_step and isinstance(node, ast.Assign):
            name = source.code(_changed(node))
            is_same = isinstance(node, ast.AugAssign) or source.code(node.targets[0]) == name
            if is_same and any(name in _names(each) for each in above):
                yield node


def _gradients(source: Source, asking: list[int]) -> set[str]:
    """The names of what a request gave, and of what loops through these."""
    nodes: list[Any] = [n for line in asking for n in ast.walk(source.statement(line))]
    given = {each.id for each in nodes if _is_stored(each)}
    for loop in ast.walk(source.tree):
        if isinstance(loop, ast.For) and not given.isdisjoint(_read(loop.iter)):
            given |= _names(loop)
    return given


def _is_stored(node: Any) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _read(node: Any) -> set[str]:
    """The names that an expression or statement reads."""
    found = (n for n in ast.walk(node) if isinstance(n, ast.Name) and not _is_stored(n))
    return {each.id for each in found}


def _array_copies(source: Source) -> set[str]:
    """The names of weights that were copied out, in a text that sets none."""
    calls: list[Any] = [n for n in ast.walk(source.tree) if isinstance(n, ast.Assign | ast.Call)]
    if any(isinstance(n, ast.Call) and called(n.func) == "set_weights" for n in calls):
        return set()
    return {
        source.code(node.targets[0])
        for node in calls
        if isinstance(node, ast.Assign)
        if isinstance(node.value, ast.Call) and called(node.value.func) == "get_weights"
    }


def _changed(statement: Any) -> Any:
    """What a dropped statement computes a new value of."""
    return statement.target if isinstance(statement, ast.AugAssign) else statement.value.left


def _names(loop: Any) -> set[str]:
    """The names that a loop gives values to."""
    target = loop.target if isinstance(loop, ast.For) else None
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)} if target else set()


def unread_results(source: Source, asking: list[int]) -> Iterator[ast.Name]:
    """Names that nothing reads, of what the function that asks has returned with a difference."""
    returned = [n for n in source.above(source.statement(asking[0])) if hasattr(n, "returns")]
    steps = (n for each in returned for n in ast.walk(each) if isinstance(n, ast.Return))
    if not any(isinstance(n, ast.Sub) for each in steps for n in ast.walk(each)):
        return
    read = _read(source.tree)
    for line in asking[1:]:
        statement = source.statement(line)
        node: Any
        for node in ast.walk(statement) if isinstance(statement, ast.Assign) else ():
            if _is_stored(node) and node.id not in read and not node.id.startswith("_"):
                yield node


def idle_optimizer(source: Source) -> str:
    """The name of an optimizer that a text makes and never uses; "" if there is none."""
    calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
    if any(called(c.func) in APPLIES for c in calls):
        return ""
    each: Any
    for each in ast.walk(source.tree):
        is_made = isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
        if is_made and "optimizers." in source.code(each.value.func):
            return source.code(each.targets[0])
    return ""


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """`assign_sub`, the name that is read, or the optimizer's `apply_gradients`."""
    statement = source.statement(finding.line)
    if finding.facts.get("copies"):
        call = asking(source, finding)
        for each in ast.walk(statement) if call is not None and len(call.args) > 1 else ():
            if isinstance(each, ast.Call) and called(each.func) == "zip" and len(each.args) == 2:
                yield source.edited([source.replaced(each.args[1], source.code(call.args[1]))])
        return
    if optimizer := finding.facts.get("optimizer"):
        yield from _applied(source, asking(source, finding), optimizer)
    elif unread := finding.facts.get("unread"):
        target: Any = next(n for n in ast.walk(statement) if getattr(n, "id", "") == unread)
        for each in ast.walk(statement.value):
            if isinstance(each, ast.Name) and each is not getattr(statement.value, "func", None):
                yield source.edited([source.replaced(target, each.id)])
    else:
        block = source.block(statement)
        if isinstance(getattr(statement, "target", None), ast.Subscript):
            yield from _set_back(source, statement)
            return
        edits = [
            source.replaced(each, _assigned(source, each))
            for each in dropped(source, [*finding.spans.get("call", ())[:1], finding.line])
            if each in block
        ]
        yield source.edited(edits) if edits else ""


def _applied(source: Source, call: Any, optimizer: str) -> Iterator[str]:
    """The optimizer applies what a request gives, as pairs."""
    statement = source.statement(call) if call is not None else None
    if isinstance(statement, ast.Assign) and len(call.args) > 1:
        given, wanted = source.code(statement.targets[0]), source.code(call.args[1])
        for pairs in (f"zip({given}, {wanted})", f"[({given}, {wanted})]"):
            yield source.edited([after(source, statement, f"{optimizer}.apply_gradients({pairs})")])


def _set_back(source: Source, statement: Any) -> Iterator[str]:
    """The weights that were copied out are set again, after the loop that changes the copies."""
    name = source.code(statement.target.value)
    loop = next(iter(loops_around(source, statement)), statement)
    each: Any
    for each in ast.walk(source.tree):
        value: Any = each.value if isinstance(each, ast.Assign) else None
        is_copy = isinstance(value, ast.Call) and called(value.func) == "get_weights"
        if is_copy and source.code(each.targets[0]) == name:
            owner = source.code(value.func.value)
            yield source.edited([after(source, loop, f"{owner}.set_weights({name})")])


def _assigned(source: Source, statement: Any) -> str:
    """The assignment that a dropped step was meant to be."""
    step: Any = statement if isinstance(statement, ast.AugAssign) else statement.value
    change = source.code(step.value if step is statement else step.right)
    how = "assign_sub" if isinstance(step.op, ast.Sub) else "assign_add"
    return f"{source.code(_changed(statement))}.{how}({change})"


EXAMPLE = """\
import minitape as tf

w = tf.Variable([1.0, -2.0])
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    g = tape.gradient(loss, w)
    w - 0.1 * g  # <- here
"""
KIND = register(
    Kind(
        "unmoved",
        562,
        "update",
        find,
        written,
        EXAMPLE,
        EXAMPLE.replace("w - 0.1 * g  # <- here", "print(w - 0.1 * g)"),
        passed_over,
        correct,
        dialects=("minitape",),
    )
)
