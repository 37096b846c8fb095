"""Which value of a variable each op read: one that was assigned between two reads has two.

All reads of a variable have its id, so a tape adds their gradients up. What was read is what the
journal or the record kept. Where neither did, the variable's present value counts only for reads
after its last assignment, and one that is known from another read only where nothing was assigned
between the two. What is not known has no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from minitape.variable import ResourceVariable

    from ..trace.parts import Line
    from .journal import Journal

SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


class Read(NamedTuple):
    """An op's read of a variable.

    Attributes:
        record: the number of the op's record.
        position: which input of the op it is.
        time: an id that was given after the read and before all later ones.
        number: how many ops the journal had seen, -1 where it did not see this one.
        value: the array that was read, None where nobody kept it.
    """

    record: int
    position: int
    time: int
    number: int
    value: Any


class Version(NamedTuple):
    """A value of a variable, from one assignment to the next, and who read it."""

    value: Any
    reads: tuple[Read, ...]

    @property
    def places(self) -> set[tuple[int, int]]:
        """The records and positions of its reads."""
        return {(read.record, read.position) for read in self.reads}


def versions(reads: Iterable[Read], variable: ResourceVariable) -> list[Version]:
    """The values that were read, in the order of the reads.

    Args:
        reads: all reads of a variable, oldest first.
        variable: as it is now.
    """
    found: list[Version] = []
    for read in _completed(list(reads), variable):
        if found and _is_same(found[-1].value, read.value):
            found[-1] = Version(found[-1].value, (*found[-1].reads, read))
        else:
            found.append(Version(read.value, (read,)))
    return found


def _completed(reads: list[Read], variable: ResourceVariable) -> list[Read]:
    """The reads with the values of those that nobody kept, as far as these are certain."""
    before, last = variable.assigned
    now = [variable._plain.value]
    then = [r.value for r in reads if before < r.time < last and r.value is not None]
    whole = []
    for i, read in enumerate(reads):
        if read.value is None:
            known = now if read.time > last else then if read.time > before else []
            value = known[0] if known else _between(reads, i)
            read = read._replace(value=value)
        whole.append(read)
    return whole


def _between(reads: list[Read], at: int) -> Any:
    """The array that the nearest known reads before and after one have in common, or None."""
    earlier = next((r.value for r in reversed(reads[:at]) if r.value is not None), None)
    later = next((r.value for r in reads[at + 1 :] if r.value is not None), None)
    return earlier if earlier is later else None


def _is_same(a: Any, b: Any) -> bool:
    """Whether two arrays have the same elements: what is assigned may be what was there."""
    if a is b:
        return True
    if a is None or b is None or a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def named(name: str, version: int) -> str:
    """The name of a later value of a variable: `v₂` is the second value of `v`.

    Example:
        >>> named("v", 0), named("v", 1), named("w", 11)
        ('v', 'v₂', 'w₁₂')
    """
    digits = "".join(SUBSCRIPTS[int(digit)] for digit in str(version + 1))
    return name + digits if version and name else name


def assignment(journal: Journal | None, key: int, earlier: Version, later: Version) -> Line | None:
    """The line that assigned a value between two reads, as far as the journal saw it."""
    start, end = earlier.reads[-1].number, later.reads[0].number
    if journal is None or min(start, end) < 0:
        return None
    lines = [
        event.line
        for event in journal.events
        if event.into == key and start < event.number <= end and event.line is not None
    ]
    return lines[-1] if lines else None
