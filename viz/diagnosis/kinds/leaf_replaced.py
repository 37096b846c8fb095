"""`w = w - rate * w.grad`: the name now stands for a result, not for the variable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..corrections.edits import statement_of, without_gradients
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Op, Place
from ..source_text import Edit, Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """A line gave a variable's name to an update of it, which is lost or has no gradient."""
    if ask is not None or not evidence.asks:
        return
    reads = [
        e
        for e in evidence.events
        if e.kind in {"reads no grad", "reads grad of constant"} and e.facts["none"]
    ]
    for op in evidence.ops:
        name = _name(op.place)
        if not name or op.place is None or op.cut == "step" or "grad" not in op.place.text:
            continue
        if not any(evidence.values[k].role == "variable" for k in op.inputs):
            continue
        last = _last_of_line(evidence, op)
        lost = not any(evidence.users.get(k) for k in last.outputs)
        later = [e for e in reads if e.number >= last.number]
        refused = [a for a in evidence.asks if a.error and a.ended > op.number]
        missing = "NoneType" in evidence.error or later or refused
        if not missing and not (lost and _never_moves(evidence, op)):
            continue
        facts = {
            "name": name,
            "text": op.place.text,
            "lost": lost and not missing,
            "off": op.cut == "no_grad",
        }
        yield Diagnosis(
            KIND,
            op.place,
            facts,
            "error" if evidence.error else "none" if missing else "update",
            ask=0,
        )
        return


def _name(place: Place | None) -> str:
    """The name that a line gives anew, if its right side has it too."""
    if place is None:
        return ""
    left, sign, right = place.text.partition("=")
    name = left.strip()
    is_plain = sign and re.fullmatch(r"[\w.\[\]]+", name) and not right.startswith("=")
    return name if is_plain and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", right) else ""


def _last_of_line(evidence: Evidence, op: Op) -> Op:
    """The op whose result the line assigns."""
    for _ in range(8):
        users = [
            o
            for k in op.outputs
            for o in evidence.users.get(k, ())
            if o.place and op.place and o.place.line == op.place.line
        ]
        if not users:
            break
        op = users[0]
    return op


def _never_moves(evidence: Evidence, op: Op) -> bool:
    """Whether the variables of the line are never changed."""
    roots = {evidence.first(k) for k in op.inputs if evidence.values[k].role == "variable"}
    moved = {evidence.first(k) for e in evidence.events if e.kind == "step" for k in e.keys}
    return roots.isdisjoint(moved)


def sentence(d: Diagnosis) -> str:
    """In words."""
    name = f"`{d.facts['name']}`"
    if d.facts["lost"]:
        return (
            f"Line {d.line}, `{d.facts['text']}`, gives the name {name} to a new tensor, and the"
            " variable stays as it was: no step is ever made."
        )
    now = (
        "a new tensor that requires no gradient"
        if d.facts["off"]
        else "a result, which is not a leaf"
    )
    return (
        f"{name} is a variable until line {d.line}, `{d.facts['text']}`, gives its name to {now}:"
        f" from there on `{d.facts['name']}.grad` is None."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """New tensors as updates are meant where gradients are asked for by `autograd.grad`."""
    asks = [a for a in evidence.asks if not a.error]
    is_functional = asks and all(a.facts.get("called") == "grad" for a in asks)
    return "the updates are functions" if is_functional and not evidence.error else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The variable is changed in place, and no gradient is recorded."""
    statement = statement_of(source, d.place)
    if not isinstance(statement, ast.Assign):
        return
    alike = [s for s in source.block(statement) if _updates(source, s)]
    for zeroed in (True, False):  # the new tensor had no gradient yet, so that is the same
        yield Correction(source.edited(_edit(source, s, zeroed) for s in alike))


def _updates(source: Source, statement: ast.stmt) -> bool:
    """Whether a statement gives a name to an update of what it stood for."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    name, code = source.code(statement.targets[0]), source.code(statement.value)
    return (
        f"{name}.grad" in code
        or "grad" in code
        and re.match(rf"{re.escape(name)}\s*[-+]", code) is not None
    )


def _edit(source: Source, statement: ast.Assign, zeroed: bool) -> Edit:
    """The update in place, without gradients."""
    name, value = source.code(statement.targets[0]), statement.value
    code = f"{name}.copy_({source.code(value)})"
    if (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Sub | ast.Add)
        and source.code(value.left) == name
    ):
        sign = "-" if isinstance(value.op, ast.Sub) else "+"
        code = f"{name} {sign}= {source.code(value.right)}"
    if zeroed and not re.search(rf"{re.escape(name)}\.grad(\.data)?(\.zero_|\s*=)", source.text):
        inside = any(
            isinstance(n, ast.With) and "no_grad" in source.code(n.items[0].context_expr)
            for n in source.above(statement)
        )
        code += f"\n{source.indent(statement)}{'' if inside else '    '}{name}.grad = None"
    return without_gradients(source, statement, code)


KIND = register(
    Kind(
        "leaf_replaced",
        9,
        "none",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("broken_path", "non_leaf", "not_requiring", "never_stepped"),
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
for step in range(3):
    (w * w).sum().backward()
    w = w - 0.1 * w.grad  # <- here
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
for step in range(3):
    (g,) = torch.autograd.grad((w * w).sum(), w)
    w = (w - 0.1 * g).detach().requires_grad_()
""",
    )
)
