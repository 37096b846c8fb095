"""What an op with an effect gave: once when it ran, and again where its program is differentiated.

The gradient of a branch or a loop replays it under a tape. Random numbers must then be the same
ones, and assignments must not happen again; so a program with effects hands out a log of their
results, which its gradient reads instead of having the effects.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.tensor import EagerTensor, Spec, eager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOG = Spec((), np.dtype(object))


class _State(NamedTuple):
    """Where results come from (None: from the effect itself), and the logs that want them."""

    source: Iterator[Any] | None = None
    logs: tuple[list[Any], ...] = ()


_state: ContextVar[_State] = ContextVar("minitape_effects", default=_State())  # noqa: B039  # immutable


def performed(effect: Callable[[], Any]) -> Any:
    """What `effect` gives, or gave when the program ran."""
    source, logs = _state.get()
    out = effect() if source is None else next(source)
    for log in logs:
        log.append(out)
    return out


@contextmanager
def collected() -> Iterator[list[Any]]:
    """Lists the results of the effects of its block."""
    source, logs = _state.get()
    log: list[Any] = []
    token = _state.set(_State(source, (*logs, log)))
    try:
        yield log
    finally:
        _state.reset(token)


@contextmanager
def repeated(log: list[Any]) -> Iterator[None]:
    """Has no effects in its block: their results come from `log`."""
    token = _state.set(_State(iter(log)))
    try:
        yield
    finally:
        _state.reset(token)


def boxed_log(log: list[Any]) -> EagerTensor:
    """A log as a tensor that ops hand on."""
    box = np.empty((), object)
    box[()] = log
    return eager(box)
