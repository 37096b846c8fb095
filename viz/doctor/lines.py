"""Which of the learner's lines computes a share: those that ran in one sweep and in no other."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

Ran = dict[CodeType, list[int]]

_GIVES = re.compile(r"grad|[+-]=|return|lambda|\bd[a-zA-Z_]+ *=")


@dataclass(frozen=True)
class Line:
    """One line of the learner's file."""

    file: str
    number: int
    text: str


def ran_in(folder: str, run: Callable[[], Any]) -> Ran:
    """The functions of a folder that ran, each with the lines of it that did, in order."""
    found: Ran = {}

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(folder):
            return None
        lines = found.setdefault(frame.f_code, [])
        if event == "line" and frame.f_lineno not in lines:
            lines.append(frame.f_lineno)
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        run()
    except Exception:
        pass  # an expression that fails has no line
    finally:
        sys.settrace(before)
    return found


def line_of(ran: Ran, others: Ran, position: int, count: int) -> Line | None:
    """The line that gives the share of one input, as far as it is known.

    Args:
        ran: what ran in the sweep of an expression with the op.
        others: what ran in one without it.
        position: which input.
        count: how many it has.
    """
    own = {code: lines for code, lines in ran.items() if code not in others and lines}
    if not own:
        return None
    if len(own) == count and all(code.co_name == "<lambda>" for code in own):
        own = dict([sorted(own.items(), key=lambda each: _place(each[0]))[position]])
    else:  # the rule is what began; what it calls may be right
        own = dict([next(iter(own.items()))])
    found = [
        Line(code.co_filename, number, linecache.getline(code.co_filename, number).strip())
        for code, lines in own.items()
        for number in sorted(lines)
    ]
    giving = [each for each in found if _GIVES.search(each.text)] or found
    shares = [each for each in giving if re.search(r"[+-]=|grad\w* *=", each.text)]
    if len(shares) == count:
        return shares[position]
    if len(shares) == 1 or len(giving) == 1:
        return (shares or giving)[0]
    return giving[-1]


def _place(code: CodeType) -> tuple[int, Any]:
    return code.co_firstlineno, next(iter(code.co_positions()), None)
