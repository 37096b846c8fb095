"""Lines of text and blocks: measured when they are made, placed when a sheet is put together.

A block knows its size and starts at (0, 0); nothing in it leaves that size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...export.expressions import parted
from ...export.items import Group, Item, Run, Text
from ...export.metrics import line_width

SMALLEST = 9.34  # pixels: 7 points, which are still read on paper
LINE = 1.4  # height of a line, as a share of its size
BASE = 0.8  # how far down its baseline is, as a share of the size
GREY = "quiet"
BREAKS = re.compile(r" (?![^\[\]]*\])")  # a line may end here: not within [0, 2]


@dataclass(frozen=True, slots=True)
class Block:
    """What stands in a rectangle of its own; `middle` is the line on which it stands in a row."""

    name: str
    width: float
    height: float
    items: tuple[Item, ...]
    middle: float = 0.0

    def at(self, x: float, y: float) -> Group:
        """The block at a place of the sheet."""
        return Group(self.name, self.items, x, y)


def expression(run: Run) -> list[Run]:
    """An expression as runs: its names and signs, and the words among them in plain letters."""
    return [
        replace(run, text=said, math=True) if math else Run(said, colour=run.colour)
        for said, math in parted(run.text)
    ]


def text(
    x: float, top: float, runs: Sequence[Run] | Run, size: float, anchor: str = "start"
) -> Text:
    """A line whose upper edge is at `top`."""
    line = (runs,) if isinstance(runs, Run) else tuple(runs)
    return Text(x, top + BASE * size, line, size, anchor, line_width(line, size))


def width(runs: Sequence[Run] | Run, size: float) -> float:
    """How wide a line is."""
    return line_width((runs,) if isinstance(runs, Run) else runs, size)


def wrapped(runs: Iterable[Run], size: float, room: float) -> list[tuple[Run, ...]]:
    """A text as lines that fit; a word that is too long for one is cut where it ends.

    Example:
        >>> [[run.text for run in line] for line in wrapped([Run("two words")], 10.0, 40.0)]
        [['two'], ['words']]
    """
    lines: list[list[Run]] = [[]]
    used = 0.0
    for word in _words(runs, size, room):
        own = width([*word[:-1], replace(word[-1], text=word[-1].text.rstrip(" "))], size)
        if used + own > room and lines[-1]:
            lines.append([])
            used = 0.0
            word = [replace(word[0], text=word[0].text.lstrip(" ")), *word[1:]]
        lines[-1] += word
        used += width(word, size)
    return [_joined(line) for line in lines if line]


def _words(runs: Iterable[Run], size: float, room: float) -> Iterator[list[Run]]:
    """Pieces that stay together: a full stop is not the first letter of a line."""
    word: list[Run] = []
    for run in runs:
        for piece in _pieces(run, size, room):
            if word and width([*word, piece], size) > room:
                yield word
                word = []
            word.append(piece)
            if piece.text.endswith(" "):
                yield word
                word = []
    if word:
        yield word


def _pieces(run: Run, size: float, room: float) -> Iterable[Run]:
    """Words with the blank behind them; of one that is longer than a line, what fits in one."""
    words = BREAKS.split(run.text)
    for i, word in enumerate(words):
        own = word + (" " if i < len(words) - 1 else "")
        while width(replace(run, text=own.rstrip(" ")), size) > room and len(own) > 1:
            count = len(own)
            while count > 1 and width(replace(run, text=own[:count]), size) > room:
                count -= 1
            yield replace(run, text=own[:count])
            own = own[count:]
        if own:
            yield replace(run, text=own)


def _joined(line: list[Run]) -> tuple[Run, ...]:
    found: list[Run] = []
    for run in line:
        if found and replace(found[-1], text="") == replace(run, text=""):
            found[-1] = replace(run, text=found[-1].text + run.text)
        else:
            found.append(run)
    found[-1] = replace(found[-1], text=found[-1].text.rstrip(" "))
    return tuple(found)


def paragraph(
    name: str, runs: Iterable[Run], size: float, room: float, anchor: str = "start"
) -> Block:
    """Lines below each other."""
    lines = wrapped(runs, size, room)
    wide = max((width(line, size) for line in lines), default=0.0)
    across = wide / 2 if anchor == "middle" else 0.0
    items = [text(across, i * LINE * size, line, size, anchor) for i, line in enumerate(lines)]
    return Block(name, wide, LINE * size * len(lines), tuple(items))


def stacked(name: str, blocks: Sequence[Block], gap: float) -> Block:
    """Blocks below each other."""
    items: list[Item] = []
    top = 0.0
    for block in blocks:
        items.append(block.at(0.0, top))
        top += block.height + gap
    wide = max((block.width for block in blocks), default=0.0)
    return Block(name, wide, max(top - gap, 0.0), tuple(items))


def beside(name: str, blocks: Sequence[Block], gap: float) -> Block:
    """Blocks side by side, their upper edges on one line."""
    items: list[Item] = []
    left = 0.0
    for block in blocks:
        items.append(block.at(left, 0.0))
        left += block.width + gap
    high = max((block.height for block in blocks), default=0.0)
    return Block(name, max(left - gap, 0.0), high, tuple(items))
