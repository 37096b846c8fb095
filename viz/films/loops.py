"""The loops of a program as films: calls of `gradient` on one line for the same variables.

The one fact to know: whether calls are a loop shows only later, so every line has a film from its
first call on; `films` gives those that became long enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitape.request import Request
from minitape.variable import ResourceVariable

from ..trace.trace import Line, Trace
from .film import Film
from .shots import Choice

Recorded = tuple[Trace, Any]  # the trace of a call, and its gradients


class Loops:
    """Films by the line that asks for gradients, and by the variables that it asks for."""

    def __init__(self) -> None:
        self._films: dict[tuple[Any, ...], Film] = {}

    def note(
        self,
        line: Line | None,
        request: Request,
        called: list[str],
        record: Callable[[], Recorded | None],
    ) -> bool:
        """Notes one call of `gradient`.

        Args:
            line: which asked.
            request: for what; only one number and variables are a training loop's.
            called: the names of the variables.
            record: gives trace and gradients, where the step is kept; None if that fails.

        Returns:
            Whether a film has it.
        """
        loss = loss_in(request)
        variables = request.sources
        if loss is None or line is None or not all(_is_float(each) for each in variables):
            return False
        key = (line.file, line.number, *(id(each) for each in variables))
        title = f"{line.file}, line {line.number}"
        film = self._films.setdefault(key, Film(called, variables, Choice(), title=title))
        recorded = record() if film.wants() else None
        if recorded is not None:
            trace, gradients = recorded
            film.keep(loss, [each.numpy() for each in variables], gradients, trace)
        film.losses.append(loss)
        return True

    def films(self, longer_than: int) -> list[Film]:
        """The films with more steps than that, in the order of their first calls."""
        return [f for f in self._films.values() if len(f.losses) > longer_than and f.shots]


def loss_in(request: Request) -> float | None:
    """The one number whose gradient is asked for; None where it is something else."""
    if len(request.targets) != 1 or not request.sources:
        return None
    target = request.targets[0]
    value = np.asarray(target.value) if hasattr(target, "value") else np.zeros(0)
    return float(value.item()) if value.size == 1 and value.dtype.kind == "f" else None


def _is_float(source: Any) -> bool:
    return isinstance(source, ResourceVariable) and np.dtype(source.spec.dtype).kind == "f"
