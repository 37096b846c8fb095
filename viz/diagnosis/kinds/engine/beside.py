"""Mistakes that only the text of the program shows.

A parameter of the same name, work in the function of a dataset, a frozen layer, a variable that was
forgotten.

The program's text is parsed, never run, and a place is named only where the text and what ran
agree.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from minitape.ops.casting import cast_to_discrete
from minitape.ops.moving.slicing import getitem, take
from minitape.variable import ResourceVariable

from ...corrections.names import NUMBERED, numbered
from ...finding import Finding
from ...sources.case import Case, span_of
from ...sources.dataflow import Act
from ...sources.question import Cause, Question
from ...sources.written import Place

INDEXED = {each.op for each in (getitem, take)}


def special(case: Case, q: Question) -> Finding | None:
    """A mistake beside the tape; None where there is none."""
    if q.t in case.flow.descendants(q.s) or not case.flow.follows(q.s) and not _is_variable(q):
        return None
    return _parameter_of_the_name(case, q) or _in_a_dataset(case, q) or _as_an_index(case, q)


def _as_an_index(case: Case, q: Question) -> Finding | None:
    """A whole number made of the source that is an index, as `k` in `table[k]`."""
    own = q.flow.descendants(q.s)
    casts = [
        a for a in case.flow.acts if a.op is cast_to_discrete.op and not own.isdisjoint(a.outputs)
    ]
    if not casts:
        return None
    kept = {case.flow.names.get(key, "") for key in own} - {""}
    wanted = q.flow.ancestors(q.t)
    for act in case.flow.acts:
        if act.op not in INDEXED or wanted.isdisjoint(act.outputs):
            continue
        named = kept & _indices(case, case.line_of(act))
        if named:
            line = case.line_of(casts[0])
            sentence = (
                f"At line {line} the value is cast to whole numbers, and `{min(named)}` is an index"
                f" at line {case.line_of(act)}: an index moves in jumps and has no derivative."
            )
            span = case.span(case.stack_of(casts[0]))
            return Finding("none", "dtype", sentence, line, span=span)
    return None


def _indices(case: Case, line: int) -> set[str]:
    """The names between the brackets of a line."""
    tree = parsed(case)
    found: list[Any] = [n for n in ast.walk(tree) if isinstance(n, ast.Subscript)] if tree else []
    inside = [n.slice for n in found if n.lineno <= line <= (n.end_lineno or 0)]
    return {n.id for each in inside for n in ast.walk(each) if isinstance(n, ast.Name)}


def is_forgotten(case: Case, q: Question, cause: Cause) -> bool:
    """Whether a variable among several sources should have had a part in the target.

    A persistent tape may be asked for another target next, and who looks for None knows of it; a
    branch that was not taken may use it another time.
    """
    if cause.name != "no_path" or case.tape.persistent or not _is_variable(q):
        return False
    if any("is None" in row or "is not None" in row for row in _rows(case)):
        return False
    return not _is_in_a_branch(case, q.x)


def _is_in_a_branch(case: Case, name: str) -> bool:
    tree = parsed(case)
    branches = [n for n in ast.walk(tree) if isinstance(n, ast.If | ast.IfExp)] if tree else []
    return any(_reads(branch, name) for branch in branches)


def is_in_branch(case: Case, line: int) -> bool:
    """Whether a line runs on a condition."""
    tree = parsed(case)
    branches = [n for n in ast.walk(tree) if isinstance(n, ast.If)] if tree else []
    return any(n.lineno <= line <= (n.end_lineno or 0) for n in branches)


def unused(case: Case, q: Question, cause: Cause) -> Cause:
    """The same cause, in other words where a variable has no part in anything."""
    if cause.name != "no_path" or not is_unused(case, q):
        return cause
    sentence = (
        f"`{q.x}` is not used: no op on the way to `{q.y}` reads it. Use it in the computation, or "
        "take it out of the sources."
    )
    return replace(cause, sentence=sentence)


def is_unused(case: Case, q: Question) -> bool:
    """Whether the source is a variable that no op reads."""
    return _is_variable(q) and not case.flow.users.get(q.s)


def _is_variable(q: Question) -> bool:
    return isinstance(q.source, ResourceVariable)


def _parameter_of_the_name(case: Case, q: Question) -> Finding | None:
    """A function's parameter is called like the source, and another value was given for it."""
    name = q.x
    for act in case.flow.acts:
        if case.flow.ancestors(q.t).isdisjoint(act.outputs):
            continue
        frames = case.in_file(case.stack_of(act))
        for inner, outer in zip(frames, frames[1:], strict=False):
            code = inner.code
            if name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
                return _argument(name, q, inner, outer)
    return None


def _argument(name: str, q: Question, inner: Place, outer: Place) -> Finding | None:
    text = linecache.getline(outer.code.co_filename, outer.line).strip()
    function = inner.code.co_name
    given = text.partition(f"{function}(")[2]
    if not given or re.search(rf"\b{re.escape(name)}\b", given):
        return None
    sentence = (
        f"In `{function}` the name `{name}` is its parameter, and line {outer.line} gives another "
        f"tensor for it: `{text}`. The variable `{name}` outside has no part in `{q.y}`."
    )
    found = Finding("none", "argument", sentence, outer.line, span=span_of(outer))
    found.facts = {"function": function, "name": name, "parameters": list(_parameters(inner))}
    found.fix = f"{function}({name})"
    return found


def _parameters(place: Place) -> tuple[str, ...]:
    return place.code.co_varnames[: place.code.co_argcount]


def _in_a_dataset(case: Case, q: Question) -> Finding | None:
    """A variable that the function of `dataset.map` uses: a pipeline is not differentiated."""
    tree = parsed(case)
    if tree is None:
        return None
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") != "map":
            continue
        given: Any = call.args[0] if call.args else None
        body = functions.get(given.id) if isinstance(given, ast.Name) else given
        if body is None or not _reads(body, q.x):
            continue
        sentence = (
            f"`{q.x}` is used in the function of `map` at line {call.lineno}: a dataset computes "
            "its elements beside the tape, so what is learned belongs into the loop."
        )
        span = (call.lineno, call.end_lineno or 0, call.col_offset, call.end_col_offset or 0)
        found = Finding("none", "dataset", sentence, call.lineno, span=span)
        found.fix = "# apply the function in the loop over the dataset, inside of the tape"
        return found
    return None


def _reads(node: Any, name: str) -> bool:
    return any(ast.unparse(n) == name for n in ast.walk(node) if isinstance(n, ast.expr))


def frozen_at(case: Case, q: Question) -> Any:
    """The text that froze a variable: `layer.trainable = False`, or a call with that keyword."""
    tree = parsed(case)
    freezes = [
        node for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Name)
        and _freezes(node)
    ]  # fmt: skip
    span = case.span(case.here)
    rows = _rows(case)[span[0] - 1 : span[1]] if span else []
    ranked = [(_kinship(node, q, " ".join(rows)), node.lineno, node) for node in freezes]
    near = [each for each in ranked if each[0] < FAR or isinstance(each[2].value, ast.Constant)]
    return min(near, key=lambda each: each[:2])[2] if near else None


FAR = 2


def _freezes(node: ast.Assign) -> bool:
    target: Any = node.targets[0]
    if getattr(node.value, "value", None) is False:
        return getattr(target, "attr", "") == "trainable"
    keywords = node.value.keywords if isinstance(node.value, ast.Call) else []
    return any(k.arg == "trainable" and getattr(k.value, "value", 1) is False for k in keywords)


def _kinship(node: ast.Assign, q: Question, asked: str) -> int:
    """0 where a statement speaks of the source by name, 1 of one of its owners, else `FAR`."""
    target: Any = node.targets[0]
    if isinstance(node.value, ast.Constant):
        return 0 if q.x.startswith(ast.unparse(target.value)) else FAR
    own = getattr(target, "attr", getattr(target, "id", ""))
    owners = re.findall(r"\w+", q.x)
    if owners[-1:] == [own] or f"name='{q.x.split('/')[-1]}'" in ast.unparse(node.value):
        return 0
    return 1 if own in {*owners, *re.findall(r"\w+", asked)} else FAR


def layer_line(case: Case, line: int, activation: str, units: int | None = 1) -> int:
    """The line that makes the layer whose activation runs at a line; 0 if unknown.

    Args:
        case: the call.
        line: where the layer runs.
        activation: its name.
        units: how many the layer has, None for any number.
    """
    tree = parsed(case)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)] if tree is not None else []
    made = [
        call.lineno
        for call in calls
        for keyword in call.keywords
        if keyword.arg == "activation" and activation in ast.unparse(keyword.value)
        if units is None or call.args and getattr(call.args[0], "value", None) == units
    ]
    return made[0] if made and activation not in _rows(case)[line - 1] else 0


def parsed(case: Case) -> ast.AST | None:
    """The program that asks, None where it cannot be read."""
    try:
        return ast.parse("".join(_rows(case)))
    except (SyntaxError, ValueError):
        return None


def _rows(case: Case) -> list[str]:
    own = case.in_file(case.here)
    return linecache.getlines(own[0].code.co_filename) if own else []


COPIES = re.compile(r"\b(deepcopy|copy|Variable|clone_model|clone)\b")


def copied(case: Case, q: Question) -> Finding | None:
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
            finding.fix = f"# use {source} instead of {copied}"
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


def place_forgotten(case: Case, q: Question, finding: Finding) -> None:
    """Puts a finding about an unused variable at the line in which it is missing."""
    own = NUMBERED.search(q.x)
    tree = parsed(case)
    if own is None or tree is None:
        return
    reads = list(numbered(tree))
    if any((each.stem, each.number) == own.groups() for each in reads):
        return
    beside = [each.node for each in reads if each.number == own[2]]
    if len({node.lineno for node in beside}) != 1:
        return
    finding.line, name = beside[0].lineno, ast.unparse(beside[0])
    finding.span = None
    finding.facts |= {"stem": own[1], "number": own[2]}
    finding.sentence += f" Line {finding.line} reads `{name}` without it."
