"""Corrections for the breaks of a script's traces: only those that were run and gave a gradient.

They are those of `minitape explain`, which runs the script again in processes of their own; a
script that takes long is not run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...trace.trace import Break, Trace
from ..trial.report import NotRunError, Remedy, report

LONGEST = 3.0  # seconds that a script may have taken to be run again


def with_corrections(
    traces: Sequence[Trace], file: Path, arguments: Sequence[str], took: float
) -> list[Trace]:
    """The same traces, whose breaks have the corrections that work.

    Args:
        traces: of the script.
        file: the script.
        arguments: what it found in `sys.argv[1:]`.
        took: seconds that it ran for.
    """
    is_lost = any(each.cause for trace in traces for each in trace.breaks)
    if not is_lost or took > LONGEST:
        return list(traces)
    try:
        found = report(file, arguments, 2 * LONGEST).diagnoses
    except (NotRunError, OSError):
        return list(traces)
    tried = [each for each in found if each.is_tried and each.finding.kind == "none"]
    return [_corrected(trace, file.name, tried) for trace in traces]


def _corrected(trace: Trace, name: str, tried: Sequence[Remedy]) -> Trace:
    return replace(trace, breaks=tuple(_fixed(each, name, tried) for each in trace.breaks))


def _fixed(broken: Break, name: str, tried: Sequence[Remedy]) -> Break:
    """A break with the correction of its line, and what that one's run has recorded."""
    if not broken.cause or broken.line is None or broken.line.file != name:
        return broken
    for one in tried:
        if one.finding.line == broken.line.number:
            correction = f"{one.fix}\n{one.tried}"
            return replace(broken, correction=correction, corrected=one.picture)
    return broken
