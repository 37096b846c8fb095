"""What `minitape explain` writes: sentences, JSON, the corrected script, a page.

Everything is found and tried before the first file is written.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from ...base.files import write_whole
from ...base.terminal import say
from ..trial.report import Report, report
from .page import page

HEALTHY, SUSPICIOUS = 0, 1
Look: TypeAlias = Callable[[Path, Sequence[str], float], Report]


def explain_script(options: argparse.Namespace, look: Look = report) -> int:
    """Runs the script of a command line, writes what was asked for, and gives the exit code.

    Args:
        options: of the command line.
        look: what runs the script and tries corrections.

    Raises:
        NotRunError: if the script cannot be looked at.
        OSError: if a file cannot be written.
    """
    found = look(options.file, options.arguments, options.limit)
    if options.json is not None:
        data = [one.as_json() for one in found.diagnoses]
        write_whole(options.json, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    if options.out is not None:
        write_whole(options.out, page(found))
    if options.fix is not None and found.fixed:
        write_whole(options.fix, found.fixed)
    say(in_words(found))
    if found.refused:
        say(f"{found.refused}. It went on without.")
    if options.fix is not None:
        say(_about_fix(options, found))
    if options.out is not None:
        say(f"{options.out}: the page; open it in any browser.")
    return SUSPICIOUS if found.diagnoses else HEALTHY


def in_words(found: Report) -> str:
    """The findings as text for a terminal."""
    if not found.diagnoses and not found.calls:
        return f"{found.name}: it asks for no gradient, so there is nothing to look at."
    parts = []
    if not found.diagnoses:
        parts.append(f"{found.name}: nothing is suspicious about its gradients.")
    for one in found.diagnoses:
        finding = one.finding
        fix = "".join(f"\n    {line}" for line in one.fix.split("\n")) if one.fix else ""
        parts.append(
            f"{found.name}:{finding.line}: {finding.kind}. {finding.sentence}{fix}\n  {one.tried}"
        )
    if found.note:
        parts.append(found.note)
    parts += found.cuts
    return "\n\n".join(parts)


def _about_fix(options: argparse.Namespace, found: Report) -> str:
    fixed = sum(one.is_tried for one in found.diagnoses)
    if not found.diagnoses:
        return f"{options.fix}: not written, there is nothing to correct."
    if not fixed:
        return f"{options.fix}: not written, no correction works that was tried."
    return f"{options.fix}: the script with {fixed} of {len(found.diagnoses)} findings corrected."
