"""Nones that a program means: nothing is said of them, unless it fails because of one.

It takes more than a None that might be meant. The program writes the cut down and has a gradient of
the same source from another call, asks for zeros in its place, or says that it expects None:
`assert g is None`, or the docstring or the name of the function that asks.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from minitape.variable import ResourceVariable

from ...finding import Finding
from ...sources.case import Case
from ...sources.question import Cause, Question
from .beside import parsed

WRITTEN = {
    "stop_gradient", "not_trainable", "recording_stopped", "reset", "variables_not_watched",
    "custom_gradient_none",
}  # fmt: skip
EXPECTED = re.compile(r"(?<!returns )(?<!returns: )(?<!or )\bnone\b|\bno gradient\b", re.I)


class Answers:
    """What the calls so far gave: tape and target by source, and the pairs for which zeros do."""

    def __init__(self) -> None:
        self.given: dict[int, set[tuple[Any, int]]] = {}
        self.filled: set[tuple[int, int]] = set()
        self.tapes: dict[int, Any] = {}  # the mark of each call's tape

    def note(self, mark: Any, request: Any, states: list[str], call: int) -> None:
        """Keeps what one call gives; `mark` is that of its tape."""
        self.tapes[call] = mark
        targets = [target.id for target in request.targets]
        for key, state in zip(request.source_ids, states, strict=False):
            if state != "none":
                self.given.setdefault(key, set()).update((mark, target) for target in targets)
            elif request.mode.value == "zero":
                self.filled |= {(target, key) for target in targets}

    def explain(self, finding: Finding) -> bool:
        """Whether another call shows that a None is meant."""
        if finding.kind != "none" or "ends" not in finding.facts:
            return False
        key, targets = finding.facts["ends"]
        if all((target, key) in self.filled for target in targets):
            return True
        given = self.given.get(key, set())
        if finding.cause == "not_trainable" and given:
            return True  # another tape watches it
        if finding.cause in WRITTEN and self.tapes.get(finding.call) in {tape for tape, _ in given}:
            return True
        return set(targets) <= {target for _, target in given}


def is_meant(case: Case, q: Question, cause: Cause, alone: bool) -> bool:
    """Whether the program itself says that it expects this None."""
    if cause.name == "no_rule":
        return True  # the call raises, and gives no None: told if the script fails of it
    if cause.name == "no_path" and case.kind == "batch_jacobian":
        return True  # it gives zeros, as it is defined
    if not alone and (cause.name in WRITTEN - {"variables_not_watched"} or _is_label(q, cause)):
        return True
    return not alone and _is_chosen(case, cause) or is_expected(case)


def _is_label(q: Question, cause: Cause) -> bool:
    """Integers among the sources that are data: no variable, and not watched."""
    is_source = cause.name == "dtype" and cause.key == q.s
    watched = any(event.tensor == q.s for event in q.has("watched_discrete"))
    return is_source and not watched and not isinstance(q.source, ResourceVariable)


def _is_chosen(case: Case, cause: Cause) -> bool:
    """Whether a tape that watches nothing by itself was told to watch another of the sources."""
    if cause.name != "variables_not_watched":
        return False
    return any(case.flow.follows(key) for key in case.request.source_ids)


def is_expected(case: Case) -> bool:
    """Whether the text says None: of a function that asks, or in an assertion."""
    tree = parsed(case)
    if tree is None:
        return False
    for place in case.in_file(case.here):
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef) or node.name != place.code.co_name:
                continue
            inside = node.lineno <= place.line <= (node.end_lineno or 0)
            said = f"{node.name.replace('_', ' ')}. {ast.get_docstring(node) or ''}"
            if inside and EXPECTED.search(said) and "?" not in said:
                return True
    return _is_asserted(tree, case.line(case.here))


def _is_asserted(tree: ast.AST, line: int) -> bool:
    """Whether `assert ... is None` is about what the call at a line gives."""
    tested: list[Any] = [
        test.left
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and isinstance(test := node.test, ast.Compare)
        if isinstance(test.ops[0], ast.Is) and ast.unparse(test.comparators[0]) == "None"
    ]
    names = {ast.unparse(left) for left in tested}
    kept = {
        ast.unparse(node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and node.lineno <= line <= (node.end_lineno or 0)
    }
    return bool(kept & names) or any(n.lineno <= line <= n.end_lineno for n in tested)
