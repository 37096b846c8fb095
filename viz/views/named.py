"""Where each op belongs, by name: tape, scopes, the learner's functions, what is known by its form.

Functions around all ops say nothing and are left out, and so are names that would stand for one op.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..base.adorned import adorned
from ..trace.trace import Node
from .patterns import patterns

MAX_NAMES = 8
MOST = 0.7  # of the ops: a scope of so many, a model beside its loss, is shown as what is in it

Path = tuple[str, ...]


def paths(nodes: Sequence[Node]) -> list[Path]:
    """The names around each node, outermost first; of a leaf those of its tape alone.

    Example:
        >>> ops = [Node(i, "op", (), "float64", (), op="exp", calls=("f", "g")) for i in (0, 1)]
        >>> paths([*ops, Node(2, "op", (1,), "float64", (), op="sin", calls=("f",))])
        [('tape 0', 'g'), ('tape 0', 'g'), ('tape 0',)]
    """
    outside = len(common([node.calls for node in nodes if node.kind == "op"]))
    found = [
        (f"tape {node.layer}", *node.scope, *node.calls[outside:])[:MAX_NAMES] for node in nodes
    ]
    none: list[tuple[str, range]] = []
    for name, run in adorned("recognised functions", lambda: list(patterns(nodes)), none):
        within = [i for i in run if nodes[i].kind == "op"]
        around = len(common([found[i] for i in within]))
        for i in within:
            found[i] = (*found[i][:around], name, *found[i][around:])
    return found


def common(paths: Sequence[Path]) -> Path:
    """What all paths begin with."""
    if not paths:
        return ()
    low, high = min(paths), max(paths)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), None)
    return low if same is None else low[:same]


def runs(ops: Sequence[Node], found: Sequence[Path], depth: int) -> list[tuple[str, list[int]]]:
    """Consecutive ops with one name at a depth, "" for those without."""

    def name(op: Node) -> str:
        path = found[op.id]
        return path[depth] if len(path) > depth else ""

    return [(each, [op.id for op in run]) for each, run in groupby(ops, name)]
