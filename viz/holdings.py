"""How many bytes a tape holds while records come and go, arrays that several keep counted once.

Imports the engine's plans only.
"""

from __future__ import annotations

from typing import Any

from minitape.plan import VALUE, opened


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
        >>> [holdings.add(record) for record in tape.recording.log[1:]]  # x, and x again
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
    keep = record[0].keep
    entries = [record[2 + i] for i, kind in enumerate(keep) if kind == VALUE]
    if record[0].keep_out == VALUE:
        entries.append(record[2 + len(keep)])
    found = [array for entry in entries for array in arrays_in(opened(entry))]
    return list({id(array): array for array in found}.values())


def arrays_in(value: Any) -> list[Any]:
    """The arrays of a kept entry: one, or one for each output."""
    several = value if isinstance(value, tuple) else (value,)
    return [each for each in several if hasattr(each, "nbytes")]
