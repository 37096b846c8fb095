"""Whether a model is trained: said once, at the outermost call, and seen by the layers inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from minitape.errors.of_flags import checked_flag

training: ContextVar[bool | None] = ContextVar("minitape_keras_training", default=None)


def phase_of(value: bool | None) -> bool | None:
    """What a call's `training` says, or without it the call around that one."""
    if value is None:
        return training.get()
    return checked_flag("The call", "training", value)


@contextmanager
def training_set(value: bool | None) -> Iterator[None]:
    """Says it to the layers that are called in the block; None leaves it as it is."""
    token = training.set(phase_of(value))
    try:
        yield
    finally:
        training.reset(token)
