"""The loops of a program as films: calls of `gradient` on one line for the same variables.

The one fact to know: whether calls are a loop shows only later, so every line has a film from its
first call on; `films` gives those that became long enough.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from minitape.request import Request
from minitape.values import nest
from minitape.variable import ResourceVariable

from ..record.build import build
from ..record.journal import Journal
from ..record.names import tensors_in
from ..trace.trace import Line
from .film import Film, called_in

MAX_OPS = 1_000  # of a step; drawing larger ones a dozen times would take longer than the loop
MAX_FILMS = 12


class Loops:
    """Films by the line that asks for gradients, and by the variables that it asks for."""

    def __init__(self) -> None:
        self._films: dict[tuple[Any, ...], Film] = {}

    def note(
        self,
        line: Line | None,
        frame: FrameType | None,
        tape: Any,
        request: Request,
        journal: Journal,
    ) -> None:
        """Notes one call of `gradient`, if it is for the gradients of one number by variables.

        Args:
            line: which asked, in which frame.
            frame: where the names are found.
            tape: the GradientTape that is asked, before it answers.
            request: for what.
            journal: the values of what ran.
        """
        loss = loss_in(request)
        variables = request.sources
        if loss is None or line is None or not all(_is_float(each) for each in variables):
            return
        key = (line.file, line.number, *(id(each) for each in variables))
        if key not in self._films:
            if len(self._films) >= MAX_FILMS or len(tape.recording.records) > MAX_OPS:
                return
            title = f"{line.file}, line {line.number}"
            self._films[key] = Film(called_in(frame, variables), variables, title=title)
        film = self._films[key]
        if film.wants():
            _keep(film, loss, frame, tape, request, journal)
        film.losses.append(loss)

    def films(self, longer_than: int) -> list[Film]:
        """The films with more steps than that, in the order of their first calls."""
        return [f for f in self._films.values() if len(f.losses) > longer_than and f.shots]


def _keep(
    film: Film, loss: float, frame: FrameType | None, tape: Any, request: Request, journal: Journal
) -> None:
    """Keeps a step; what cannot be shown must not stop the program, so the film goes without."""
    recording = tape.recording
    names = tensors_in(frame, request.targets)
    options = {"journal": journal, "persistent": tape.persistent}
    title = f"step {len(film.losses)}"
    try:
        trace, cotangents = build(
            request, recording.records, recording, names, failed=[], title=title, **options
        )
        gradients = nest.flatten(request.results(cotangents))
        film.keep(loss, [each.numpy() for each in request.sources], gradients, trace)
    except Exception:
        return


def loss_in(request: Request) -> float | None:
    """The one number whose gradient is asked for; None where it is something else."""
    if len(request.targets) != 1 or not request.sources:
        return None
    value = np.asarray(getattr(request.targets[0], "value", np.zeros(0)))
    return float(value.item()) if value.size == 1 and value.dtype.kind == "f" else None


def _is_float(source: Any) -> bool:
    return isinstance(source, ResourceVariable) and np.dtype(source.spec.dtype).kind == "f"
