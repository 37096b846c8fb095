"""What the learner calls a tape, and in which words a call asks for gradients."""

from __future__ import annotations

from typing import Any

from ..record.lines import calling_frame


def tape_name(tape: Any) -> str:
    """The name of a tape in the frame that asked, `tape` where it has none."""
    frame = calling_frame()
    scopes = [] if frame is None else [frame.f_locals, frame.f_globals]
    names = [name for scope in scopes for name, value in scope.items() if value is tape]
    return names[0] if names else "tape"
