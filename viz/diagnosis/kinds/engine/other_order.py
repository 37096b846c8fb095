"""A variable is moved along the gradient of another one: two lists stand in different orders."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...corrections.candidate import asking, asking_at
from ...diagnosis import Kind, register
from ...evidence import Place
from ...finding import Finding, passed_over, written
from ...source_text import Source, called
from ...sources.case import Case
from ...sources.rounds import Round, place_of, source_of, steps_of

ROUNDING = 8.0  # units in the last place of a variable
CLOSE, EVEN = 1e-3, 0.05  # of a step: a multiple of the gradient; one with its signs alone
MOST = 64  # variables that are compared with each other
ENOUGH = 6  # signs that agree by chance once in 64 times


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """The first step of a training is that of the same gradients in another order."""
    if len(case.rounds) < 2:
        return
    all_rounds = [r for r in [case.rounds, *case.beside] if len(r) > 1 and r[0].moves]
    order = other_order([(first, second) for first, second, *_ in all_rounds])
    steps = steps_of(case.journal, case.rounds[0], case.rounds[1], case.file)
    asked = place_of(case.rounds[0].stack, case.file)
    source = source_of(asked)
    if order is None or not steps or asked is None or source is None:
        return
    names = [
        case.names.get(key, (name,))[0]
        for each in all_rounds
        for key, name in each[0].sources.items()
    ]
    size = [x.size for each in all_rounds for x in each[0].values]
    number = max((n for n, k in enumerate(order) if k != n), key=size.__getitem__)
    one, other = names[number], names[order[number]]
    line = culprit(source, asked, steps[-1].line)
    sentence = (
        f"`{one}` moves along the gradient of `{other}`: line {line} takes the gradients in another"
        " order than that in which they were asked for."
    )
    yield Finding(
        "update", "order", sentence, line, spans={"call": asked.span}, facts={"order": order}
    )


def culprit(source: Source, asked: Place, step: int) -> int:
    """The line that pairs gradients with variables: a `zip`, else the names of the result."""
    statement = source.statement(step)
    given = source.statement(source.node(asked.span)) if asked.span else None
    names = given.targets[0] if isinstance(given, ast.Assign) else None
    if isinstance(names, ast.Tuple | ast.List) and not _are_like(source, names, asked):
        return asked.line
    for each in [statement, *source.above(statement)] if statement is not None else []:
        head = each.iter if isinstance(each, ast.For) else each if each is statement else None
        if head is not None and any(_is_zip(n) for n in ast.walk(head)):
            return int(each.lineno)
    return step


def _are_like(source: Source, names: Any, asked: Place) -> bool:
    """Whether each gradient is called like its own variable: `d_slope` and `slope`."""
    call = asking_at(source, asked.span)
    sources = getattr(call.args[1], "elts", []) if call is not None and len(call.args) > 1 else []
    pairs = [(source.code(a), source.code(b)) for a, b in zip(names.elts, sources, strict=False)]
    return bool(pairs) and all(b in a for a, b in pairs)


def _is_zip(node: Any) -> bool:
    return isinstance(node, ast.Call) and called(node.func) == "zip" and len(node.args) == 2


def other_order(pairs: list[tuple[Round, Round]]) -> list[int] | None:
    """Whose gradient each variable moved along, where that is not its own; else None.

    A plain step is a multiple of the gradient, with one factor for all variables. The first step of
    Adam and its relatives has the gradient's signs, and one size.

    Args:
        pairs: the first two rounds of each line that asks.
    """
    values = [x for first, _ in pairs for x in first.values]
    moves = [
        y - x for first, second in pairs for x, y in zip(first.values, second.values, strict=True)
    ]
    gradients = [g for first, _ in pairs for g in first.gradients]
    count = len(moves)
    if not 1 < count <= MOST or len(gradients) != count or any(g is None for g in gradients):
        return None
    largest = max(range(count), key=lambda n: moves[n].size)
    for rate_of, near in ((plain_rate, CLOSE), (rate_of_signs, EVEN)):
        tried = [rate_of(moves[largest], g, values[largest]) for g in gradients]
        if not any(tried):
            continue
        rates = [[rate_of(d, g, x) for g in gradients] for d, x in zip(moves, values, strict=True)]
        for rate in filter(None, tried):
            fits = [[bool(r) and abs(r - rate) <= near * rate for r in row] for row in rates]
            if all(fits[n][n] for n in range(count)):
                return None
            order = matching(fits)
            signs = sum(moves[n].size for n in range(count) if not fits[n][n])
            if order is not None and (rate_of is plain_rate or signs >= ENOUGH):
                return order
    return None


def matching(fits: list[list[bool]]) -> list[int] | None:
    """A column for each row in which they fit, each column once; None where there is none."""
    row_of: dict[int, int] = {}

    def placed(row: int, seen: set[int]) -> bool:
        for column, fit in enumerate(fits[row]):
            if fit and column not in seen:
                seen.add(column)
                if column not in row_of or placed(row_of[column], seen):
                    row_of[column] = row
                    return True
        return False

    if not all(placed(row, set()) for row in range(len(fits))):
        return None
    return sorted(row_of, key=row_of.__getitem__)


def plain_rate(move: Any, gradient: Any, value: Any) -> float:
    """The factor of a step along a gradient, 0 where it is no multiple of it."""
    if move.shape != np.shape(gradient) or not np.any(gradient):
        return 0.0
    rate = -float(np.vdot(move, gradient) / np.vdot(gradient, gradient))
    room = ROUNDING * np.finfo(value.dtype).eps * np.abs(value) + CLOSE * np.abs(move)
    return rate if rate > 0 and np.all(np.abs(move + rate * gradient) <= room) else 0.0


def rate_of_signs(move: Any, gradient: Any, value: Any) -> float:
    """The size of a step that has a gradient's signs only, 0 where it has not."""
    if move.shape != np.shape(gradient):
        return 0.0
    sizes = np.abs(move)[gradient != 0]
    rate = float(sizes.mean()) if sizes.size else 0.0
    is_even = np.all(np.abs(sizes - rate) <= EVEN * rate)
    return rate if is_even and np.all(np.sign(move) == -np.sign(gradient)) else 0.0


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """Pairs of what belongs together: in each `zip`, in the request, or in the names it gives."""
    zips: list[Any] = [n for n in ast.walk(source.tree) if _is_zip(n)]
    given = {source.code(sources): name for name, sources in _requests(source)}
    own = [n for n in zips if source.code(n.args[1]) in given]
    yield source.edited(source.replaced(n.args[0], given[source.code(n.args[1])]) for n in own)
    for each in zips:
        for part in each.args:
            if (straight := _straight(part)) is not None:
                yield source.edited([source.replaced(part, source.code(straight))])
    call, order = asking(source, finding), finding.facts["order"]
    for each in ast.walk(source.statement(finding.line) or source.tree):
        parts = each.elts if isinstance(each, ast.List) else []
        if parts and all(isinstance(p, ast.Tuple) and len(p.elts) == 2 for p in parts):
            firsts: list[Any] = [p.elts[0] for p in parts]  # type: ignore[attr-defined]
            if len(firsts) == len(order):
                texts = [source.code(firsts[order.index(n)]) for n in range(len(order))]
                yield source.edited(map(source.replaced, firsts, texts))
    for each in zips if call is not None and len(call.args) > 1 else ():
        yield source.edited([source.replaced(each.args[1], source.code(call.args[1]))])
    for each in zips:
        text = f"{source.code(each.args[0])}[::-1]"
        yield source.edited([source.replaced(each.args[0], text)])
    if call is None or len(call.args) < 2:
        return
    for node in (call.args[1], *getattr(source.statement(call), "targets", [])):
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == len(order):
            moved = [source.code(node.elts[order.index(n)]) for n in range(len(order))]
            yield source.edited(
                source.replaced(a, b) for a, b in zip(node.elts, moved, strict=True)
            )


def _requests(source: Source) -> Iterator[tuple[str, Any]]:
    """The names that keep gradients, with the sources that they are asked for."""
    each: Any
    for each in ast.walk(source.tree):
        call = each.value if isinstance(each, ast.Assign) else None
        if isinstance(call, ast.Call) and called(call.func) == "gradient" and len(call.args) > 1:
            yield source.code(each.targets[0]), call.args[1]


def _straight(node: Any) -> Any:
    """The list of `reversed(it)` or `it[::-1]`, None for others."""
    if isinstance(node, ast.Call) and called(node.func) == "reversed" and node.args:
        return node.args[0]
    is_slice = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return node.value if is_slice and node.slice.step is not None else None


EXAMPLE = """\
import minitape as tf

a, b = tf.Variable(1.0), tf.Variable(3.0)
optimizer = tf.keras.optimizers.SGD(0.01)
for step in range(4):
    with tf.GradientTape() as tape:
        loss = (a * b - 2.0) ** 2
    gradients = tape.gradient(loss, [a, b])
    optimizer.apply_gradients(zip(gradients, [b, a]))  # <- here
"""
KIND = register(
    Kind(
        "other_order",
        560,
        "update",
        find,
        written,
        EXAMPLE,
        EXAMPLE.replace("[b, a]", "[a, b]").replace("  # <- here", ""),
        passed_over,
        correct,
        hides=("uphill", "overshoots"),
        dialects=("minitape",),
    )
)
