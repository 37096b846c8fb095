"""How many bytes a tape holds while records come and go, arrays that several keep counted once."""

from __future__ import annotations

from typing import Any

from minitape.plan import VALUE
from minitape.records import kept_of, opened


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
