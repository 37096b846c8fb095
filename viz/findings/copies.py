"""A copy of the variables that the target was computed with: another variable, with equal numbers.

The one fact to know: equal numbers prove nothing (all biases start as zeros). The program's text
has to say that one name was made as a copy of the other.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from typing import Any

from minitape.variable import ResourceVariable

from ..why.cause import Question
from ..why.dataflow import Act
from .beside import parsed
from .case import Case, span_of
from .finding import Finding
from .places import Place

COPIES = re.compile(r"\b(deepcopy|copy|Variable|clone_model|clone)\b")


def special(case: Case, q: Question) -> Finding | None:
    """The copy that was used in place of the source; None where there is none."""
    inside = [e for e in q.flow.users.get(q.s, ()) if q.flow.mark in (e.act.tapes or ())]
    if not isinstance(q.source, ResourceVariable) or inside:
        return None
    wanted = q.flow.ancestors(q.t)
    variables = case.journal.variables if case.journal is not None else {}
    for act in case.flow.acts:
        for key in act.inputs:
            other = variables.get(key, case.flow.tensors.get(key))  # a copy may live no longer
            if key == q.s or key not in wanted or not isinstance(other, ResourceVariable):
                continue
            source = _root(q.x)
            named = [(_root(q.flow.name(key)), case.beside_tape(case.stack_of(act)))]
            named += [(name, inner) for inner, name in _read(case, act)]
            copies = [(name, at) for name, at in named if at and _is_copy(case, name, source)]
            if not copies:
                continue
            copied, place = copies[0]
            sentence = (
                f"`{q.y}` is computed with `{copied}`, which is a copy of `{source}`: other "
                f"variables, with the same numbers. `{q.x}` itself has no part in it."
            )
            finding = Finding("none", "copied", sentence, place.line, span=span_of(place))
            finding.facts = {"copy": copied, "original": source}
            finding.mend = f"# use {source} instead of {copied}"
            return finding
    return None


def _read(case: Case, act: Act) -> Iterator[tuple[Place, str]]:
    """The names that an op's own line reads, which may be those of a function's inside."""
    for inner in case.in_file(case.stack_of(act))[:1]:
        row = linecache.getline(inner.code.co_filename, inner.line)
        yield from ((inner, name) for name in re.findall(r"[A-Za-z_]\w*", row))


def _root(name: str) -> str:
    """`params` of `params['w']` and of `params.w`."""
    found = re.match(r"\w+", name.strip("`"))
    return found[0] if found else ""


def _is_copy(case: Case, copied: str, source: str) -> bool:
    """Whether an assignment makes one name as a copy of the other."""
    if copied == source:
        return False
    tree = parsed(case)
    made: list[Any] = [n for n in ast.walk(tree) if isinstance(n, ast.Assign)] if tree else []
    return any(
        ast.unparse(node.targets[0]) == copied
        and not any(isinstance(n, ast.BinOp) for n in ast.walk(node.value))  # a new value
        and COPIES.search(ast.unparse(node.value))
        and source in {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        for node in made
    )
