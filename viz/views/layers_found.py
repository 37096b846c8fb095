"""Chapters of a program that names none: its layers, found from the weights, else its lines.

The one fact to know: a layer begins where a product takes a variable, and each layer has to follow
from the one before it; where two stand side by side, lines tell more.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from minitape.ops.elementwise.arithmetic import add
from minitape.ops.neural.pooling import avg_pool, max_pool

from ..trace.facts import facts_of, is_one_of
from ..trace.trace import Node

LAYERS = ("conv", "dense", "linear", "addmm")  # whole layers, as other programs record them
MOST = 24

Chapters = dict[int, str]


def by_layer(nodes: Sequence[Node]) -> Chapters:
    """The layers of a chain of at least two, and what comes behind them."""
    ops = [node for node in nodes if node.kind == "op"]
    starts = [op.id for op in ops if _is_weighted(op, nodes)]
    if not 2 <= len(starts) <= MOST or not _is_chain(starts, nodes):
        return {}
    end = _end_of(starts[-1], ops, nodes)
    found: Chapters = {}
    for op in ops:
        number = sum(start <= op.id for start in starts)
        if number and op.id <= end:
            found[op.id] = f"layer {number}"
        elif number:
            found[op.id] = ops[-1].name or "loss"
    return found


def _is_weighted(op: Node, nodes: Sequence[Node]) -> bool:
    is_product = facts_of(op).product or any(each in (op.op or "") for each in LAYERS)
    leaves = (nodes[i] for i in op.inputs)
    return is_product and any(i.kind == "variable" and len(i.shape) > 1 for i in leaves)


def _is_chain(starts: Sequence[int], nodes: Sequence[Node]) -> bool:
    """Whether each of the ops is made of the one before it."""
    for first, last in pairwise(starts):
        made = {first}
        for node in nodes[first + 1 : last + 1]:
            if not made.isdisjoint(node.inputs):
                made.add(node.id)
        if last not in made:
            return False
    return True


def _end_of(start: int, ops: Sequence[Node], nodes: Sequence[Node]) -> int:
    """The last op of the last layer: its shift and its activation follow at once."""
    end = start
    for op in ops:
        if op.id <= end or end not in op.inputs:
            continue
        rest = [nodes[i] for i in op.inputs if i != end]
        if not _ends_a_layer(op) or any(each.kind != "variable" for each in rest):
            break
        end = op.id
    return end


def _ends_a_layer(op: Node) -> bool:
    return facts_of(op).activation or is_one_of(op, add, max_pool, avg_pool) or op.op == "gelu"


def by_line(nodes: Sequence[Node]) -> Chapters:
    """The lines of the program, by the names of what they make; only where none comes again."""
    ops = [node for node in nodes if node.kind == "op"]
    if any(op.line is None or op.layer or op.scope for op in ops):
        return {}
    runs = [list(run) for _, run in groupby(ops, lambda op: _place(op))]
    if len({_place(run[0]) for run in runs}) < len(runs) or sum(len(run) > 1 for run in runs) < 2:
        return {}
    return {op.id: _label(run) for run in runs for op in run}


def _place(op: Node) -> tuple[object, ...]:
    return (op.line.file, op.line.number, op.line.cell) if op.line else ()


def _label(run: Sequence[Node]) -> str:
    names = [op.name for op in run if op.name]
    return ", ".join(names[-3:]) or f"line {run[0].line.number if run[0].line else ''}"
