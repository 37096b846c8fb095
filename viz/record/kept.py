"""What the rules of a record keep for the way back: arrays, the learner's names, and bytes.

The one fact to know: an array that a record keeps twice (x in `x * x`) is counted once.
"""

from __future__ import annotations

from typing import Any

from minitape.plan import VALUE
from minitape.records import kept_of, opened, output_ids, plan_of

from ..trace.parts import Node

Record = tuple[Any, ...]


def kept_values(record: Record, inputs: list[str], result: str) -> list[tuple[str, Any]]:
    """The arrays that the rules of a record keep, each with its name."""
    names = [*inputs, *[""] * (len(plan_of(record).keep) - len(inputs))]  # these are not drawn
    names += [result] * len(output_ids(record))
    kept = zip(names, kept_of(record), strict=True)
    found = [(name, opened(value)) for name, (_, keep, value) in kept if name and keep >= VALUE]
    return [(name, array) for name, array in found if hasattr(array, "nbytes")]


def kept_bytes(record: Record, inputs: list[str]) -> tuple[int, str]:
    """How many bytes the rules of a record keep, and of what, in the learner's names."""
    kept = kept_values(record, inputs, "the result")
    once = {id(array): int(array.nbytes) for _, array in kept}
    return sum(once.values()), " and ".join(dict.fromkeys(name for name, _ in kept))


def short_name(node: Node) -> str:
    """What a node is called in a list: its name, a small constant's value, or what it came from."""
    if node.name or node.kind == "op":
        return node.name or f"the result of {node.op}"
    return node.value.text() if node.value is not None else f"a {node.kind}"
