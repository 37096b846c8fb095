"""What a test left on the stack of interpreters."""

from __future__ import annotations

from typing import Any

from minitape.interpreter import active, remove


def leave_all_but(before: tuple[Any, ...]) -> list[Any]:
    """Takes what is not in `before` off the stack, and tells which of it nothing has left yet."""
    added = [each for each in active() if each not in before]
    entered = [each for each in added if each.entered]
    for each in added:
        remove(each)
    return entered
