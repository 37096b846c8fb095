"""What a page has to know of each op to draw and word it, so that scripts know no op by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from minitape.facts import Facts
from minitape.op import Op
from minitape.ops.broadcasting import sum_to
from minitape.ops.linalg.diagonal import trace
from minitape.ops.linalg.matrix import matmul
from minitape.ops.moving.sorting import sort, top_k
from minitape.ops.neural.convolution import convolution
from minitape.ops.neural.pooling import avg_pool, max_pool
from minitape.ops.reductions.cumulative import cumsum
from minitape.ops.reductions.segment import segment_rows, unsorted_segment_sum

from ..trace.facts import facts_of, op_of
from ..trace.trace import Node

POOLS = {each.op for each in (max_pool, avg_pool)}
SORTS = {each.op for each in (sort, top_k)}
SEGMENTS = {each.op for each in (segment_rows, unsorted_segment_sum)}
SUMS = {each.op for each in (sum_to, trace, cumsum, avg_pool, unsorted_segment_sum)}
# Ops of other programs whose results have the shape of their input, and mix its elements.
MIXED = re.compile("softmax|norm|cum|sort|inverse|cholesky|reverse|roll|band|tie|shift|matrix")


def ways(nodes: Iterable[Node]) -> dict[str, dict[str, Any]]:
    """By the op's name what a page asks of it; see `data.About`.

    Example:
        >>> nodes = [Node(2, "op", (0, 1), "float32", (2,), op=op) for op in ("mul", "matmul")]
        >>> ways(nodes)["mul"], ways(nodes)["matmul"]
        ({'sign': '·'}, {'sign': '·', 'mixes': 1, 'meets': 1})
    """
    found: dict[str, dict[str, Any]] = {}
    for node in nodes:
        name = node.op or ""
        if name and name not in found:
            about = _about(node)
            found[name] = {key: 1 if said is True else said for key, said in about.items() if said}
    return {name: about for name, about in found.items() if about}


def _about(node: Node) -> dict[str, Any]:
    op, facts = op_of(node), facts_of(node)
    if op is None:
        guessed = node.facts is None and MIXED.search(node.op or "") is not None
        return {"sign": facts.sign, "way": _way(facts), "mixes": guessed}
    return {
        "sign": _sign(op),
        "way": _way(facts, op),
        "pools": op in POOLS,
        "mixes": not op.elementwise,
        "meets": _meets(op),
        "adds": facts.reduces in {"sum", "mean"} or _picks(op) or op in SUMS,
        "gate": _gate(op),
    }


def sign_of(node: Node) -> str:
    """What stands between the arguments of a node's op; "" where nothing does."""
    op = op_of(node)
    return "" if op is None else _sign(op)


def meets(node: Node) -> bool:
    """Whether the elements of a node's result are those of a row times those of a column."""
    op = op_of(node)
    return op is not None and _meets(op)


def _meets(op: Op) -> bool:
    return op is matmul.op


def _sign(op: Op) -> str:
    """What stands between the arguments of an op where it is written as a row."""
    if op is convolution.op:
        return "∗"
    is_row = op is matmul.op or (op.elementwise and op.exported and len(op.inputs) > 1)
    return op.facts.sign if is_row else ""


def _way(facts: Facts, op: Op | None = None) -> str:
    """How elements of g come back: which sentence says why they count."""
    if facts.axes[-1:] == (("example",),):
        return "entropy"
    if facts.shares:
        return "sharing"
    if facts.extreme or op in SORTS:
        return "winner"
    several, variadic = (op.several, op.variadic) if op is not None else (False, False)
    if (facts.moves in {"picks", "part"} and not several) or op in SEGMENTS:
        return "picked"
    if facts.reduces in {"sum", "mean"} and not variadic:
        return "reduced"
    return "moved" if facts.moves and facts.moves != "copies" else ""


def _picks(op: Op) -> bool:
    return op.facts.moves in {"picks", "part"} and not op.several


def _gate(op: Op) -> str:
    """Why g stops behind a convolution, where only some of it goes on."""
    if op is max_pool.op:
        return "only a winner gets it"
    is_gate = op.elementwise and len(op.inputs) == 1 and op.facts.kinks == (0.0,)
    return "only an open gate lets it through" if is_gate and op.facts.gate else ""
