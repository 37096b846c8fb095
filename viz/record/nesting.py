"""Which ops of a tape belong together: to a tape inside of it, or to the learner's name scopes.

The one fact to know: an outer tape records what an inner tape's `gradient` computes like any other
op. The journal notes when a sweep begins and ends, so what is between belongs to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .journal import Entry, Journal, Sweep

BY_DEPTH = {1: "the inner tape", 2: "the innermost tape"}


class Place(NamedTuple):
    """Where an op stands: how deep, and in which groups, outermost first."""

    layer: int
    scope: tuple[str, ...]


NOWHERE = Place(0, ())


class Nesting:
    """Finds the place of a tape's ops among the tapes inside of it."""

    def __init__(self, tape: Any, journal: Journal | None) -> None:
        self.mark = tape.mark[0]
        self.sweeps = journal.sweeps if journal is not None else []
        self.depths: dict[Any, int] = {}
        self.labels: dict[int, str] = {}
        self.names = journal.names if journal is not None else {}
        for entry in journal.entries if journal is not None and self.sweeps else ():
            inner = self._inner(entry.tapes)
            self.depths.update({mark: depth for depth, mark in enumerate(inner, 1)})
        self.swept = {each.tape for each in self.sweeps if self.mark in each.tapes}

    def place(self, entry: Entry | None) -> Place:
        """Where an op of the tape stands; outside of all inner tapes if nothing is known."""
        if entry is None:
            return NOWHERE
        named = tuple(name for name in entry.scope.split("/") if name)
        if not self.swept:
            return Place(0, named)
        if entry.sweep:
            sweep = self.sweeps[entry.sweep - 1]
            return Place(self._depth(sweep.tape), (self._label(entry.sweep, sweep),))
        inner = [mark for mark in self._inner(entry.tapes) if mark in self.swept]
        if not inner:
            return Place(0, named)
        depth = self._depth(inner[-1])
        return Place(depth, (f"forward of {self._tape(depth)}", *named))

    def _inner(self, tapes: tuple[Any, ...]) -> tuple[Any, ...]:
        """The tapes inside this one, outermost first."""
        return tapes[tapes.index(self.mark) + 1 :] if self.mark in tapes else ()

    def _depth(self, mark: Any) -> int:
        return self.depths.get(mark, 1)

    def _tape(self, depth: int) -> str:
        deepest = max(self.depths.values(), default=1)
        return BY_DEPTH.get(depth, f"inner tape {depth}") if deepest < 3 else f"inner tape {depth}"

    def _label(self, number: int, sweep: Sweep) -> str:
        """`backward of the inner tape (gradient of y)`; numbered where there are several such."""
        if number not in self.labels:
            names = [self.names[key] for key in sweep.targets if key in self.names]
            of = f" (gradient of {', '.join(names[:3])})" if names else ""
            label = f"backward of {self._tape(self._depth(sweep.tape))}{of}"
            alike = sum(each.startswith(label) for each in self.labels.values())
            self.labels[number] = f"{label}, {alike + 1}" if alike else label
        return self.labels[number]
