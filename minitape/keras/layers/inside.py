"""What the layers inside of a call see: whether a model is trained, and which layers are running.

The one fact to know: both are said once, at the outermost call; of the layers that run around it a
variable has its path.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from minitape.errors.of_flags import checked_flag

training: ContextVar[bool | None] = ContextVar("minitape_keras_training", default=None)
running: ContextVar[tuple[Any, ...]] = ContextVar("minitape_keras_running", default=())


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


@contextmanager
def running_in(layer: Any) -> Iterator[None]:
    """Paths of variables that are made in the block begin with the name of `layer`."""
    token = running.set((*running.get(), layer))
    try:
        yield
    finally:
        running.reset(token)


def build_inside(outer: Any, layer: Any, input_shape: Any) -> None:
    """Makes the variables of a layer that `outer` holds, if it is a layer."""
    if getattr(layer, "built", True):
        return
    with running_in(outer):
        layer.build(input_shape)
        layer.built = True
