"""Corrections beside the ops: smaller steps of a loop that diverges, and NumPy's safe inputs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..findings.diverging import step_sizes, uphill
from ..findings.finding import Finding
from ..rewriting.source import Source
from .candidate import at, call_named

FACTORS = (0.1, 0.01, 0.001, 0.0001)


def diverges(source: Source, finding: Finding) -> Iterator[str]:
    """Downhill, then smaller steps."""
    line = finding.facts["update"]
    added: Any = uphill(source.tree, line)
    edits = []
    if added is not None:
        downhill = source.code(added.func).replace("_add", "_sub")
        edits = [source.replaced(added.func, downhill)]
        yield source.edited(edits)
    numbers: list[Any] = step_sizes(source.tree, line)
    for factor in FACTORS if numbers else ():
        smaller = [source.replaced(n, f"{n.value * factor:g}") for n in numbers]
        yield source.edited([*edits, *smaller])


def broken_data(source: Source, finding: Finding) -> Iterator[str]:
    """A divisor, a logarithm's or a root's argument that keeps away from 0, still in NumPy."""
    node = at(source, finding)
    numpy = next(iter(sorted(source.aliases("numpy"))), "np")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        divisor = source.code(node.right)
        yield source.edited([source.replaced(node.right, f"{numpy}.maximum({divisor}, 1e-7)")])
        yield source.edited([source.replaced(node.right, f"({divisor} + 1e-7)")])
    for name, least in (("log", "1e-7"), ("log10", "1e-7"), ("log2", "1e-7"), ("sqrt", "0.0")):
        call = call_named(source, node, name)
        if call is not None and call.args:
            text = f"{numpy}.maximum({source.code(call.args[0])}, {least})"
            yield source.edited([source.replaced(call.args[0], text)])
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
        divisor = source.code(node.value)
        yield source.edited([source.replaced(node.value, f"{numpy}.maximum({divisor}, 1e-7)")])
