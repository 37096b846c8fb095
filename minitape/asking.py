"""What a tape does around every sweep: viewers are informed, and records are taken.

The one fact to know: a tape that is not persistent gives its records away with the first question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import of_tapes as refusals
from minitape.errors.notices import mention
from minitape.interpreter import active
from minitape.leaving import module_lock
from minitape.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from minitape.interpreter import Interpreter
    from minitape.recording import Recording
    from minitape.records import Record
    from minitape.request import Request

_taking = module_lock()


class Asking(Recorder):
    """A tape of which something is asked."""

    __slots__ = ()

    def _begin(self, kind: str, request: Request) -> tuple[Interpreter, ...]:
        """Informs viewers; a call inside the tape's context ends or joins the recording.

        Returns the interpreters that see what happens in the sweep.
        """
        for interpreter in active():
            interpreter.asked(kind, self, request)
        if self.entered and not self._persistent:
            self._stop()
        elif self.entered and not self._warned:
            # Once for each tape: it is slow, not wrong.
            self._warned = True
            mention(
                "Calling GradientTape.gradient on a persistent tape inside its context is "
                "significantly less efficient than calling it outside the context: the gradient "
                "ops are recorded too. Do it only for higher-order derivatives."
            )
        return active()

    def _end(self, result: Any = None) -> None:
        """Informs viewers that the sweep is over, and what it gave; None after an error."""
        for interpreter in active():
            interpreter.answered(self, result)

    def _taken(
        self, recording: Recording, request: Request
    ) -> tuple[Iterable[Record], set[int] | None]:
        """The records for a request, latest first; a non-persistent tape gives its own away.

        Popping a record off the log frees what it held once the sweep is past it; whatever a sweep
        that failed leaves goes with the tape, which is not held any more.
        """
        if self._persistent:
            # A copy: the sweep of a tape inside its own context appends to the log.
            snapshot = recording.records
            return request.path(reversed(snapshot), snapshot, recording.watched)
        with _taking:
            if self._recording is not recording:  # another thread has asked meanwhile
                raise refusals.used_up()
            # What explains a None stays. Nothing is appended any more: the tape was left before.
            self.past, self._recording = recording, None
        if recording.late:
            recording.complete(recording.late)
        log, recording.log, recording.append = recording.log, [()], None
        return request.path(iter(log.pop, ()), log, recording.watched)
