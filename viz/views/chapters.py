"""Chapters: what a timeline calls the parts of a program, and how much comes back to each.

A chapter is the outermost scope that tells ops apart; where no scope does, it is one round of what
repeats, else a function, a layer or a line of the program. `arrivals` compares what cotangents are
like at the chapters' ends.

A layer begins where a product takes a variable, and each layer has to follow from the one before
it; where two stand side by side, lines tell more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from minitape.ops.elementwise.arithmetic import add
from minitape.ops.neural.pooling import avg_pool, max_pool

from ..trace.facts import facts_of, is_one_of
from ..trace.trace import Array, Node, Trace
from .named import MOST, paths, runs
from .parts import Items, Part, nodes_in
from .rounds import by_loop

LAYERS = ("conv", "dense", "linear", "addmm")  # whole layers, as other programs record them
MOST_LAYERS = 24

Chapters = dict[int, str]


def by_layer(nodes: Sequence[Node]) -> Chapters:
    """The layers of a chain of at least two, and what comes behind them."""
    ops = [node for node in nodes if node.kind == "op"]
    starts = [op.id for op in ops if _is_weighted(op, nodes)]
    if not 2 <= len(starts) <= MOST_LAYERS or not _is_chain(starts, nodes):
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


MOST_ROUNDS = 24  # more have no room on a timeline
FEWEST_ARRIVALS = 3
SWEEPS = ("forward of ", "backward of ")

Cotangents = dict[int, tuple[Array | None, bool]]  # the last of a node; whether it is a sum


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came back to the end of a chapter: the largest element of the cotangent, in size."""

    chapter: str
    node: int
    size: float


def chapters(nodes: Sequence[Node]) -> dict[int, str]:
    """Name the chapters of ops; an op that is in none has no entry.

    Example:
        >>> names = ["sin", "exp"] * 3
        >>> ops = [Node(i, "op", (i - 1,), "float64", (), op=name) for i, name in enumerate(names)]
        >>> chapters(ops)
        {0: 'round 1', 1: 'round 1', 2: 'round 2', 3: 'round 2', 4: 'round 3', 5: 'round 3'}
    """
    ops = [node for node in nodes if node.kind == "op"]
    named = _by_scope(ops)
    tell_apart = len(set(named.values())) > 1
    free: Items = [node.id for node in ops if not (tell_apart and node.id in named)]
    named |= dict(_by_round(by_loop(free, nodes), nodes))
    if not named:
        functions = _by_function(ops, nodes)
        most = len(functions) * 2 >= len(ops) or len(set(functions.values())) > 1
        named = (functions if most else {}) or by_layer(nodes) or by_line(nodes)
    return dict(sorted(named.items()))


def with_the_rest(named: dict[int, str], nodes: Sequence[Node]) -> dict[int, str]:
    """The chapters, and what comes behind the last of them as one more, if it has a name."""
    last = max(named, default=len(nodes))
    rest = [node for node in nodes[last + 1 :] if node.kind == "op"]
    return named | {node.id: rest[-1].name for node in rest if rest[-1].name}


def _by_function(ops: Sequence[Node], nodes: Sequence[Node]) -> dict[int, str]:
    """The learner's functions, and what is known by its form, where there are two or more."""
    found = runs(ops, paths(nodes), 1)
    named = [(name, run) for name, run in found if name and len(run) > 1]
    if len(named) < 2 or len(found) > MOST_ROUNDS:
        return {}
    return {op: name for name, run in named for op in run}


def cotangents(trace: Trace) -> Cotangents:
    """The last cotangent or tangent of each node, and whether paths met there."""
    known: Cotangents = {}
    for step in trace.steps:
        if step.kind in ("pull", "push"):
            node = step.node if step.kind == "push" or step.to is None else step.to
            known[node] = step.total or step.contribution, node in known and known[node][1]
        elif step.kind in ("seed", "accumulate", "unconnected"):
            known[step.node] = step.total or step.cotangent, step.old is not None
    return known


def arrivals(trace: Trace, named: dict[int, str]) -> list[Arrival]:
    """How large the cotangent is at the last op of each chapter, in the order of the program.

    Nothing where fewer than three chapters have one: two numbers need no picture.
    """
    if trace.carries != "cotangents":
        return []
    known = cotangents(trace)
    found = []
    for chapter, run in groupby(named, named.__getitem__):
        end = next((node for node in reversed(list(run)) if known.get(node, (None,))[0]), None)
        if end is not None and (array := known[end][0]) is not None:
            found.append(Arrival(chapter, end, largest(array)))
    return found if len(found) >= FEWEST_ARRIVALS else []


def largest(array: Array) -> float:
    """The size of the largest element; nan or inf if one of them is that.

    Example:
        >>> largest(Array.of([1.0, -3.0]))
        3.0
    """
    if not array.finite:
        return float("nan")
    if array.is_whole:
        return max(
            (float(abs(value)) for value in array.data if not isinstance(value, str)), default=0.0
        )
    return max(abs(array.min or 0.0), abs(array.max or 0.0))


def _by_scope(ops: Sequence[Node]) -> dict[int, str]:
    """The scope of each op that has one; a scope around most of them is looked through."""
    paths = {op.id: tuple(each for each in op.scope if not each.startswith(SWEEPS)) for op in ops}
    paths = {op: path for op, path in paths.items() if path}
    while paths:
        outer, _ = Counter(path[0] for path in paths.values()).most_common(1)[0]
        inner = {op: path[1:] for op, path in paths.items() if path[0] == outer and len(path) > 1}
        if len(inner) < MOST * len(paths):
            break
        paths |= inner
    return {op: path[0] for op, path in paths.items()}


def _by_round(items: Items, nodes: Sequence[Node]) -> Iterator[tuple[int, str]]:
    """The round of each op that is in one."""
    for loop in items:
        if not isinstance(loop, Part):
            continue
        rounds = [each for each in loop.items if isinstance(each, Part)]
        if len(rounds) <= MOST_ROUNDS and _hands_on(rounds, nodes):
            yield from ((node, each.label) for each in rounds for node in nodes_in(each))


def _hands_on(rounds: Sequence[Part], nodes: Sequence[Node]) -> bool:
    """Whether each round uses what the one before it made; `a * b + c * d` has no rounds."""
    made = [set(nodes_in(each)) for each in rounds]
    return all(
        any(not before.isdisjoint(nodes[node].inputs) for node in after)
        for before, after in pairwise(made)
    )
