"""What was asked in a program, and may be kept longer than it."""

from __future__ import annotations

from typing import Any

from ...record.lines import calling_frame


class Asked:
    """Knows the names of the program that asked, in which a correction can be tried.

    Attributes:
        namespace: the program's global names and values; empty in a copy and in what was read from
            a pickle, for a program cannot be kept.
    """

    def __init__(self) -> None:
        frame = calling_frame()
        self.namespace: dict[str, Any] = {} if frame is None else frame.f_globals

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "namespace": {}}
