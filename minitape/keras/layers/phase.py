"""Whether a model is trained: said once, at the outermost call, and seen by the layers inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

training: ContextVar[bool | None] = ContextVar("minitape_keras_training", default=None)


@contextmanager
def training_set(value: bool | None) -> Iterator[None]:
    """Says it to the layers that are called in the block; None leaves it as it is."""
    token = training.set(training.get() if value is None else bool(value))
    try:
        yield
    finally:
        training.reset(token)
