"""A recording: the interpreter behind `GradientTape`, which `append`s records to its list.

It holds records only, never something that leads back to it, so that nothing
here is a reference cycle. Beside the records it notes, on cold paths alone, what explains a None
later: a followed tensor left for NumPy or into a variable, the recording was stopped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from minitape.interpreter import HasId, HasMark, Interpreter, follow, is_followed, tell_journals
from minitape.names.places import calling_place
from minitape.other_pulls import with_watched
from minitape.variable import ResourceVariable


class Event(NamedTuple):
    """Evidence for "why is it None?": what happened to which tensor, into which variable, where."""

    kind: str
    tensor: int
    into: int
    place: tuple[str, int]


class Recording(Interpreter):
    """One recording: the records, what was watched, and what the explanations need to know."""

    once = True
    __slots__ = ("events", "late", "log", "unasked", "watches_variables")

    def __init__(self, watches_variables: bool) -> None:
        Interpreter.__init__(self)
        # The first ends `iter(log.pop, ())`, which frees records as it goes.
        self.log: list[Any] = [()]
        self.append = self.log.append
        self.unasked = [True]  # popped by who asks a tape that answers once: of two threads, one
        self.watches_variables = watches_variables
        self.events: list[Event] = []
        self.late: set[int] | None = None  # ids that were watched when there were records already

    def watch(self, tensor: Any) -> None:
        """Follows a tensor or variable; what was recorded for other inputs counts for it, too.

        A tensor that is followed already as the result of a recorded op stays one: as a leaf its
        cotangent would be used up by that record.
        """
        if isinstance(tensor, ResourceVariable):
            self.watched[tensor.id] = tensor
        elif not is_followed(tensor, self):
            follow(tensor, self)  # which makes it watched
            if len(self.log) > 1:
                self.late = self.late or set()
                self.late.add(tensor.id)
        tell_journals("watch", self, tensor)

    def follows_variable(self, variable: ResourceVariable) -> bool:
        """Whether a read of `variable` is recorded; the first of a trainable one watches it."""
        if variable.id not in self.watched:
            if not (self.watches_variables and variable.trainable):
                return False
            self.watched[variable.id] = variable
        # The others are watched in name alone, as in TensorFlow.
        return variable.is_differentiable

    @property
    def records(self) -> list[Any]:
        """What was recorded and not yet used up, oldest first."""
        if self.late:
            self.complete(self.late)
        return self.log[1:]

    def complete(self, late: set[int]) -> None:
        """Makes records count for tensors that were watched after they were made."""
        self.log[1:] = [with_watched(record, late) for record in self.log[1:]]
        self.late = None

    @property
    def variables(self) -> dict[int, ResourceVariable]:
        """The variables that are watched, by id."""
        return {key: leaf for key, leaf in self.watched.items() if leaf is not None}

    def evidence(self, kind: str, tensor: HasMark | None = None, into: HasId | None = None) -> None:
        """Notes what explains a None later: a followed tensor left, the recording was stopped."""
        # Ids, not tensors: evidence must not keep values alive.
        ids = (getattr(tensor, "id", 0), getattr(into, "id", 0))
        self.events.append(Event(kind, *ids, calling_place()))
