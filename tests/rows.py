"""Checks over a table: each row is tried, and those that fail are named, in one test.

A row is collected in no time, where a test of its own costs milliseconds before it does anything.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from left_entered import leave_all_but
from minitape.interpreter import active


class Failures(dict[str, str]):
    """What fails, by the names of the rows; pytest shows it as `lines`."""

    def lines(self) -> list[str]:
        """All names in the first line, as pytest cuts long explanations; then how each fails."""
        return [f"{len(self)} fail: {', '.join(self)}", *(f"{k}: {v}" for k, v in self.items())]


def failing(check: Callable[..., None], rows: Mapping[str, tuple[Any, ...]]) -> Failures:
    """The names of the rows at which a check fails, each with how; to be compared with {}."""
    found = Failures()
    for name, row in rows.items():
        before = active()
        try:
            check(*row)
        except pytest.skip.Exception:
            continue
        except (Exception, pytest.fail.Exception) as error:
            words = " ".join(str(error).split())[:400]
            found[name] = f"{place_of(error)}: {type(error).__name__}: {words}"
        if entered := leave_all_but(before):
            names = ", ".join(type(each).__name__ for each in entered)
            found.setdefault(name, f"it left what it entered on the stack: {names}")
    return found


def place_of(error: BaseException) -> str:
    """The last line of a test that the error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    tests = [each for each in frames if "tests" in Path(each.filename).parts] or list(frames)
    return f"{Path(tests[-1].filename).name}:{tests[-1].lineno}"
