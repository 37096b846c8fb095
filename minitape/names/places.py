"""Where in the user's program something happened: the file and line that called minitape."""

from __future__ import annotations

import contextlib
import os
import sys

import numpy as np

# Frames that are no learner's: minitape's own, NumPy's (`np.mean(x)` asks x for its array there).
_NOT_THEIRS = (
    os.path.dirname(os.path.dirname(__file__)) + os.sep,
    os.path.dirname(np.__file__) + os.sep,
    contextlib.__file__,
)


def calling_place() -> tuple[str, int]:
    """File and line of the program that called minitape: evidence, so only for the cold paths."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_NOT_THEIRS):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
