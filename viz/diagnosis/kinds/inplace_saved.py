"""A tensor that the graph saved for the backward pass was changed in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..corrections.edits import after, statement_of
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source, called

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The saved tensor whose version moved on, and what moved it."""
    for stale in ask.facts.get("stale", ())[:1] if ask is not None else ():
        op, change = evidence.ops[stale["op"]], evidence.ops[stale["change"]]
        if change.place is None:
            continue
        own = stale["what"] in {"result", "output"}
        facts = {
            "kept": evidence.name(stale["key"]),
            "op": op.called,
            "own": own,
            "line": op.place.line if op.place else 0,
            "change": change.called,
            "name": change.name,
        }
        also = {"kept": op.place} if op.place else {}
        yield Diagnosis(
            KIND, change.place, facts, "error", ask=ask.number if ask else -1, also=also
        )


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    kept = "its own result" if f["own"] else f["kept"] or "its input"
    return (
        f"Line {d.line} changes a tensor in place: `{d.place.text}`. `{f['op']}` at line"
        f" {f['line']} saved {kept} for the backward pass, because its derivative is computed from"
        " that value, which is gone now."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """A new tensor in place of a change."""
    statement = statement_of(source, d.place)
    if d.facts["name"] == "step":
        yield from _step_later(source, d)
        return
    if isinstance(statement, ast.AugAssign) and isinstance(
        statement.target, ast.Name | ast.Attribute
    ):
        sign = OPERATORS.get(type(statement.op))
        if sign:
            name, value = source.code(statement.target), source.code(statement.value)
            is_plain = isinstance(
                statement.value, ast.Name | ast.Constant | ast.Call | ast.Attribute
            )
            value = value if is_plain else f"({value})"
            yield Correction(
                source.edited([source.replaced(statement, f"{name} = {name} {sign} {value}")])
            )
    yield from _not_in_place(source, statement)
    target = (
        statement.targets[0]
        if isinstance(statement, ast.Assign)
        else getattr(statement, "target", None)
    )
    if isinstance(target, ast.Subscript):
        name = source.code(target.value)
        yield Correction(source.edited([source.before(statement, f"{name} = {name}.clone()")]))
    yield from _no_flags(source)


def _not_in_place(source: Source, statement: ast.AST) -> Iterator[Correction]:
    """`h.add_(1)` and `torch.relu_(h)` as `h = h.add(1)` and `torch.relu(h)`."""
    for call in [n for n in ast.walk(statement) if isinstance(n, ast.Call)]:
        name = called(call.func)
        if not re.fullmatch(r"[a-z]\w*[a-z0-9]_", name) or not isinstance(call.func, ast.Attribute):
            continue
        text = source.code(call)
        owner = source.code(call.func.value)
        head = f"{owner}.{name}"
        new = text.replace(head, f"{owner}.{name[:-1]}", 1)
        is_alone = isinstance(source.parents.get(call), ast.Expr)
        is_function = owner in source.aliases("torch", "torch.nn.functional") or owner in {
            "F",
            "torch",
        }
        if is_alone:
            changed = source.code(call.args[0]) if is_function and call.args else owner
            new = f"{changed} = {new}"
        yield Correction(source.edited([source.replaced(call, new)]))


def _no_flags(source: Source) -> Iterator[Correction]:
    """`inplace=True` goes, everywhere."""
    edits = [
        source.replaced(k.value, "False")
        for call in (n for n in ast.walk(source.tree) if isinstance(n, ast.Call))
        for k in call.keywords
        if k.arg == "inplace" and isinstance(k.value, ast.Constant) and k.value.value is True
    ]
    if edits:
        yield Correction(source.edited(edits))


def _step_later(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The optimizer steps after all backward passes of its block."""
    step = statement_of(source, d.place)
    block = source.block(step)
    if step not in block:
        return
    kept = statement_of(source, d.also.get("kept"))
    if kept in block and block.index(kept) < block.index(step):
        again: list[ast.Assign] = []
        names: set[str] = set()
        for each in block[block.index(kept) : block.index(step)]:
            used = {
                n.id
                for n in ast.walk(each)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            }
            if isinstance(each, ast.Assign) and (each is kept or used & names):
                again.append(each)
                names |= {
                    n.id for t in each.targets for n in ast.walk(t) if isinstance(n, ast.Name)
                }
        lines = "\n".join(source.code(each) for each in again)
        yield Correction(
            source.edited([*(source.without(s) for s in again), after(source, step, lines)])
        )
    rest = block[block.index(step) + 1 :]
    backward = [
        s
        for s in rest
        if any(called(c.func) == "backward" for c in ast.walk(s) if isinstance(c, ast.Call))
    ]
    if backward:
        edits = [source.without(step), after(source, backward[-1], source.code(step))]
        yield Correction(source.edited(edits))


KIND = register(
    Kind(
        "inplace_saved",
        6,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
h = torch.sigmoid(w)
h += 1.0  # <- here
h.sum().backward()
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
h = w + 1.0
h += 1.0
h.sum().backward()
""",
    )
)
