"""What the rules of records keep for the way back: arrays, the learner's names, and bytes.

An array that is kept twice (x in `x * x`, or by two records) is counted once.
"""

from __future__ import annotations

from typing import Any

from minitape.plan import VALUE
from minitape.record import opened, output_ids, plan_of

from ..trace.parts import Node
from .reading import kept_of

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


class Holdings:
    """The arrays that the records so far hold.

    Attributes:
        held: their bytes.

    Example:
        >>> import minitape as tf
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x + tf.sin(x)
        >>> holdings = Holdings()
        >>> [holdings.add(record) for record in tape.recording.records]  # x, and x again
        [4, 0, 0]
    """

    def __init__(self) -> None:
        self.held = 0
        self._holders: dict[int, int] = {}  # how many records hold an array

    def add(self, record: Any) -> int:
        """Counts a record in; returns by how many bytes the tape grows."""
        before = self.held
        for array in arrays_of(record):
            key = id(array)
            self._holders[key] = self._holders.get(key, 0) + 1
            self.held += int(array.nbytes) if self._holders[key] == 1 else 0
        return self.held - before

    def release(self, record: Any) -> int:
        """Counts a record out; returns how many bytes are free then."""
        before = self.held
        for array in arrays_of(record):
            key = id(array)
            self._holders[key] -= 1
            self.held -= 0 if self._holders[key] else int(array.nbytes)
        return before - self.held


def arrays_of(record: Any) -> list[Any]:
    """The arrays that a record keeps, each once."""
    kept = [opened(kept) for _, keep, kept in kept_of(record) if keep >= VALUE]
    return list({id(array): array for array in kept if hasattr(array, "nbytes")}.values())
