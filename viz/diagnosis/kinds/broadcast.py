"""Unintended broadcasting: (N, 1) with (N,) gives a table of all pairs.

Both sides have an axis of length N that came with the data, neither got its axis of length 1 from
an index or a reshape that asks for it, and the table is averaged as a whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import with_keyword
from ..corrections.jax import is_jax
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Op
from ..source_text import Source
from ..words import known, neutral


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The first op on the way to the target where they meet."""
    if ask is None:
        return
    wanted = evidence.before(ask.targets)
    for op in evidence.between(ask.began, ask.ended):
        if not op.broadcasts or op.place is None or wanted.isdisjoint(op.outputs):
            continue
        a, b = (_as_written(evidence, op, key) for key in op.inputs[:2])
        found = (
            _table(evidence, op, a, b)
            or _table(evidence, op, b, a)
            or _row(evidence, op, a, b)
            or _row(evidence, op, b, a)
        )
        if found is not None:
            yield Diagnosis(KIND, op.place, found, ask=ask.number, level=LIKELY)
            return


def _table(evidence: Evidence, op: Op, a: int, b: int) -> dict[str, Any] | None:
    s, t = evidence.values[a].shape, evidence.values[b].shape
    n = s[0] if len(s) == 2 and s[1] == 1 else 0
    if (
        n < 2
        or t != (n,)
        or _is_wanted(evidence, a, s)
        or not (op.name.endswith("_loss") or _averaged(evidence, op))
    ):
        return None
    return _facts(evidence, a, b, s, t, (n, n), "table")


def _as_written(evidence: Evidence, op: Op, key: int) -> int:
    """A side before the op's own expression gave it the other side's shape, as JAX's ops do."""
    made = evidence.maker.get(key)
    while made is not None and made.place == op.place and _reshapes(made) and made.inputs:
        key = made.inputs[0]
        made = evidence.maker.get(key)
    return key


def _row(evidence: Evidence, op: Op, a: int, b: int) -> dict[str, Any] | None:
    """A statistic of rows, without keepdim, beside the columns of a square table."""
    s, t = evidence.values[a].shape, evidence.values[b].shape
    if len(s) != 2 or s[0] != s[1] or s[0] < 2 or t != s[:1]:
        return None
    made = evidence.maker.get(b)
    for _ in range(5):
        if made is None or not made.is_elementwise or not made.inputs:
            break
        made = evidence.maker.get(made.inputs[0])
    if made is None or not _reduces(evidence, made) or made.attributes.get("dim") not in (1, -1):
        return None
    if evidence.before(made.inputs).isdisjoint(evidence.before([a])):
        return None
    return _facts(evidence, a, b, s, t, s, "row") | {"line": made.place.line if made.place else 0}


def _facts(
    evidence: Evidence, a: int, b: int, s: Any, t: Any, result: Any, how: str
) -> dict[str, Any]:
    names = [evidence.name(a), evidence.name(b)]
    return {"names": names, "shapes": [list(s), list(t)], "result": list(result), "how": how}


def _is_wanted(evidence: Evidence, key: int, shape: tuple[int, ...]) -> bool:
    """Whether the axis of length 1 was put there by a line that says so."""
    made = evidence.maker.get(key)
    while made is not None and made.inputs:
        before = evidence.values[made.inputs[0]].shape
        indexed = made.name == "getitem" and made.place is not None and "None" in made.place.code
        says = _reshapes(made) or indexed
        if says and before != shape and len(before) == 1:
            return True
        if not (made.is_elementwise or _reshapes(made) or made.name == "getitem"):
            return False
        key = next((k for k in made.inputs if evidence.values[k].shape == shape), 0)
        made = evidence.maker.get(key)
    return False


def _averaged(evidence: Evidence, op: Op) -> bool:
    """Whether the table ends in one number, along ops that change each element by itself."""
    keys = list(op.outputs)
    for _ in range(6):
        users = [o for k in keys for o in evidence.users.get(k, ())]
        if any(_reduces(evidence, o) and evidence.values[o.outputs[0]].shape == () for o in users):
            return True
        keys = [k for o in users if o.is_elementwise for k in o.outputs]
    return False


def _reshapes(op: Op) -> bool:
    return op.facts.moves in {"shape", "copies"}


def _reduces(evidence: Evidence, op: Op) -> bool:
    """Whether it makes one number of many, and neither picks one nor moves them."""
    if op.cut or op.facts.moves or op.facts.jumps or op.facts.product or not op.inputs:
        return False
    given, made = (evidence.values[k].shape for k in (op.inputs[0], op.outputs[0]))
    return len(made) < len(given)


def _shape(shape: list[int]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    (a, b), (s, t) = f["names"], map(_shape, f["shapes"])
    if f["how"] == "row":
        return (
            f"At line {d.line} {b or 'one side'} has one number for each row (line {f['line']}),"
            f" and meets the columns of {a or 'the table'}: keep its axis (`keepdim=True`)."
        )
    return (
        f"At line {d.line} {a or 'one side'} has the shape {s} and {b or 'the other'} {t}, so they"
        f" are broadcast to {_shape(f['result'])}: every example is compared with every other one,"
        " and the gradient is that of a different loss."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A table of pairs is meant where a line names it so."""
    said = d.place.text.lower()
    return (
        "the line says pairs" if any(w in said for w in ("pair", "dist", "kernel", "gram")) else ""
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The column loses its axis; or the statistic keeps it."""
    if d.facts["how"] == "row":
        yield from _kept(source, d)
        return
    node, names = source.node(d.place.span), [n.strip("`") for n in d.facts["names"]]
    sides = [n for n in ast.walk(node) if isinstance(n, ast.expr)] if node is not None else []
    column = next((n for n in sides if names[0] and source.code(n) == names[0]), None)
    row = next((n for n in sides if names[1] and source.code(n) == names[1]), None)
    if column is None and isinstance(node, ast.BinOp):
        column = node.right if row is node.left else node.left
    if column is None and isinstance(node, ast.Call) and len(node.args) > 1:
        column = node.args[1] if row is node.args[0] else node.args[0]
    if column is not None:
        code = source.code(column)
        code = (
            code
            if isinstance(column, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
            else f"({code})"
        )
        yield Correction(source.edited([source.replaced(column, f"{code}.squeeze(1)")]), False)
    if row is not None:
        way = "[:, None]" if is_jax(source) else ".unsqueeze(1)"
        yield Correction(source.edited([source.replaced(row, source.code(row) + way)]), False)


def _kept(source: Source, d: Diagnosis) -> Iterator[Correction]:
    statement = source.statement(int(d.facts["line"]))
    for call in ast.walk(statement) if statement is not None else ():
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and _is_statistic(call.func.attr)
        ):
            yield Correction(source.edited([with_keyword(source, call, "keepdim=True")]), False)


def _is_statistic(name: str) -> bool:
    ours = known(neutral(name))
    return bool(ours and ours.facts.reduces) or name in {"norm", "logsumexp", "median"}


KIND = register(
    Kind(
        "broadcast",
        40,
        "broadcast",
        find,
        sentence,
        correct=correct,
        meant=meant,
        dialects=("pytorch", "jax"),
        example="""\
import torch
torch.manual_seed(0)
x, y = torch.randn(6, 2), torch.randn(6)
w = torch.randn(2, 1, requires_grad=True)
p = x @ w
loss = ((p - y) ** 2).mean()  # <- here
loss.backward()
""",
        healthy="""\
import torch
torch.manual_seed(0)
x = torch.randn(6, requires_grad=True)
gaps = x[:, None] - x
loss = (gaps ** 2).mean()
loss.backward()
""",
    )
)
