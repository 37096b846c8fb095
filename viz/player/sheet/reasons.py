"""Why a gradient is None: what breaks the path, the lines that do it, and what to write instead.

A correction says itself whether it was run; one that was not says that, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...export.items import Run
from ..scene.sentences import NOT_RUN
from .blocks import GREY, Block, paragraph, stacked

if TYPE_CHECKING:
    from ...trace.trace import Break


def reasons(breaks: Sequence[Break], step: Any, room: float, size: float) -> Block:
    """The breaks below each other."""
    blocks = [block for each in breaks for block in _reason(each, step, room, size)]
    return stacked("reasons", blocks, size * 0.8)


def _reason(broken: Break, step: Any, room: float, size: float) -> list[Block]:
    rows = broken.correction.splitlines()
    out, put = ([row[2:] for row in rows if row.startswith(sign)] for sign in ("- ", "+ "))
    tried = next((row for row in rows if row.startswith("Tried")), "")
    head = [Run(f"✕ {broken.note}", bold=True, colour="purple")]
    if broken.line:
        head.append(Run(f" line {broken.line.number}", colour=GREY))
    line = broken.line or step.line
    before = out or ([line.text] if line else [])
    blocks = [
        paragraph("break", head, size, room),
        paragraph("cause", _spoken(broken.cause), size, room),
        _code("before", before, "−" if out else " ", "purple", room, size),
    ]
    if put or tried:
        said = tried or NOT_RUN
        instead = Run(f"{'✓ ' if tried else ''}What to write instead", bold=True, colour="green")
        blocks += [
            paragraph("instead", [instead], size, room),
            paragraph("tried", _spoken(said), size, room),
            _code("after", put, "+", "green", room, size),
        ]
    return [block for block in blocks if block.height]


def _spoken(sentence: str) -> list[Run]:
    """A sentence with the names that stand in backticks as code; an odd one stays as it is."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return [Run(sentence)]
    return [Run(part, "mono" if i % 2 else "sans") for i, part in enumerate(parts) if part]


def _code(name: str, rows: Sequence[str], sign: str, hue: str, room: float, size: float) -> Block:
    """Lines of a program without the indentation that all of them have, each after its sign."""
    rows = [row for row in rows if row.strip()]
    common = min((len(row) - len(row.lstrip(" ")) for row in rows), default=0)
    lines = [
        paragraph("line", [Run(f"{sign} {row[common:].rstrip()}", "mono", colour=hue)], size, room)
        for row in rows
    ]
    return stacked(name, lines, 0.0)
