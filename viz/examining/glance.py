"""A glance at a call of a place that was looked at before: the numbers alone, and no second sweep.

The one fact to know: the tape's own sweep gives the gradients, on bare arrays; only where they are
not finite is the call looked at from all sides, on the records that were put by before the sweep.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitape.interpreter import follow
from minitape.recording import Recording
from minitape.request import Request
from minitape.silence import Silence
from minitape.tape import GradientTape
from minitape.tensor import EagerTensor
from minitape.values import nest
from minitape.values.modes import UnconnectedGradients

from ..findings.case import Outcome, few, state, target_numbers
from ..record.standpoints import Stack


class Glance(NamedTuple):
    """A call that waits for its gradients: the tape, its records, what was asked, and where."""

    tape: Any
    recording: Recording
    records: list[Any]
    request: Request
    here: Stack

    def outcome(self, gradients: list[Any], line: int) -> Outcome:
        """What the call gives, of the gradients themselves."""
        values = [getattr(each, "value", None) for each in gradients]
        with Silence():
            states = [state(value) for value in values]
        return Outcome(line, states, [few(v) for v in values], "", target_numbers(self.request))

    def again(self) -> GradientTape:
        """A tape with the records that the sweep has used up."""
        recording = Recording(self.recording.watches_variables)
        recording.mark, recording.watched = self.recording.mark, self.recording.watched
        recording.events = self.recording.events
        recording.log += self.records
        tape = GradientTape(persistent=True)
        tape._recording = recording
        return tape


def glance(kind: str, tape: Any, request: Request, here: Stack) -> Glance | None:
    """A glance at a call; None where it has to be looked at from all sides."""
    is_plain = kind == "gradient" and request.plain
    if not is_plain or request.mode is not UnconnectedGradients.NONE:
        return None
    if not all(type(each) is EagerTensor and _is_finite(each) for each in request.targets):
        return None
    recording = tape.recording
    return Glance(tape, recording, recording.records, request, here)


def gradients(asked: Glance, result: Any, journal: Any) -> list[Any] | None:
    """One gradient per source, followed from now on; None where it is not clear which."""
    found = result if type(result) is list else nest.flatten(result)
    if result is None or len(found) != len(asked.request.sources):
        return None
    for each in found:
        if type(each) is EagerTensor:
            follow(each, journal)
        elif each is not None:
            return None
    return found


def _is_finite(tensor: EagerTensor) -> bool:
    value: Any = tensor.value
    return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
