"""Runs blocks with other interpreters on the stack, and leaves them whatever interrupts that."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from minitape.interpreter import present, push, remove, stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.interpreter import Interpreter


@contextmanager
def only(interpreters: tuple[Any, ...]) -> Iterator[None]:
    """Runs its body with exactly `interpreters` active."""
    before = stack.get()
    dropped = restored = False
    try:
        try:
            stack.set(interpreters)
            yield
        except GeneratorExit:
            dropped = True
            raise
        finally:
            if not dropped:
                stack.set(present(before))
                restored = True
            # Dropped with the exception of an interrupt: what is around it may have been left.
            elif stack.get() == interpreters:  # equal, not the same: what was pushed in is gone
                stack.set(tuple(each for each in before if each.entered))
    finally:
        if not (dropped or restored):  # an interrupt came before the stack was set
            stack.set(present(before))


@contextmanager
def pushed(interpreter: Interpreter) -> Iterator[None]:
    """Runs its body with `interpreter` as the innermost one."""
    try:
        try:
            push(interpreter)
            yield
        finally:
            remove(interpreter)
    finally:
        if interpreter.entered:  # an interrupt came before `remove` was through
            remove(interpreter)
