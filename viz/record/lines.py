"""Which line of the learner's program is running, and its text.

The learner's line is the innermost frame outside of minitape; the text of a notebook cell is in
`linecache`, where IPython puts it.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import sys
from functools import lru_cache
from types import CodeType, FrameType

import numpy as np

import minitape

from ..trace.trace import Line, Source

# With a separator at the end: `minitape_lesson.py` beside the package is a learner's. The viewer
# is in the engine's folder, or beside it where the link to it is not kept.
_OURS = tuple(
    os.path.abspath(folder) + os.sep
    for folder in (os.path.dirname(minitape.__file__), os.path.join(__file__, "..", ".."))
)
# `np.mean(x)` asks x for its array in NumPy's code; `with tape.stop_recording()` goes through this.
_BETWEEN = (os.path.dirname(np.__file__) + os.sep, contextlib.__file__)
_CELL = re.compile(r"ipykernel_\d+|<ipython-input-(\d+)-")


MAX_FUNCTIONS = 40  # around one op

_paths: dict[tuple[str, int | None], str] = {}  # the file behind what a line calls it


def calling_frame() -> FrameType | None:
    """The innermost frame that is not the toolkit's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def training_frame() -> FrameType | None:
    """The frame of Keras' own `train_step`, if that is what asks and not the learner's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        if frame.f_code.co_name == "train_step":
            return frame
        frame = frame.f_back
    return None


def calling_line() -> Line | None:
    """The learner's line that is running."""
    frame = calling_frame()
    return None if frame is None else line_of(frame.f_code.co_filename, frame.f_lineno)


def calling_functions(base: CodeType | None) -> tuple[str, ...]:
    """The functions around the op that is running, outermost first.

    They are the learner's own, up to the script or cell or to the code that the journal was opened
    in (`base`), and the function of the toolkit that the learner called, such as `moments`.
    """
    found: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    composite = ""
    while frame is not None and is_ours(frame.f_code.co_filename):
        composite = frame.f_code.co_qualname  # with a dot in it no function of a module
        frame = frame.f_back
    for _ in range(MAX_FUNCTIONS):
        name = "<module>" if frame is None or frame.f_code is base else frame.f_code.co_name
        if frame is None or name == "<module>":
            break
        if name[0] not in "<_":
            found.append(name)
        frame = frame.f_back
    else:
        found = []  # how far it is to the learner's program is not known
    return (*reversed(found), *([composite] if composite in _public_names() else []))


@lru_cache(maxsize=1)
def _public_names() -> frozenset[str]:
    """The functions that learners call by their names."""
    return frozenset(
        name for part in ("", ".nn", ".math", ".linalg", ".image")
        for name in dir(sys.modules.get(f"minitape{part}")) if name[0] != "_"
    )  # fmt: skip


@lru_cache(maxsize=4096)
def is_ours(filename: str) -> bool:
    """Whether code belongs to the toolkit (or to NumPy, which it calls), not to the learner."""
    if filename.startswith(_BETWEEN):
        return True
    return filename.startswith(_OURS) and "tutorials" not in filename


def line_of(filename: str, number: int) -> Line:
    """A line of a file or notebook cell, with its text; the file's name without its folder."""
    text = linecache.getline(filename, number).rstrip("\n")
    cell = cell_number(filename)
    shown = os.path.basename(filename) if cell is None else f"cell {cell}"  # Path takes 50 us
    _paths[shown, cell] = filename
    return Line(shown, number, text, cell)


def path_of(line: Line) -> str:
    """The file behind what a line calls it; that of a cell is known to `linecache` alone."""
    return _paths.get((line.file, line.cell), "")


def cell_number(filename: str) -> int | None:
    """The number of a notebook cell, None for a file."""
    if not _CELL.search(filename) and "ipython-input" not in filename:
        return None
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell is not None else None
    if instance is None:
        return 0
    for count, name in _cells(instance):
        if name == filename:
            return count
    return int(instance.execution_count)


def _cells(shell: object) -> list[tuple[int, str]]:
    """The numbers and file names of the cells that ran, where IPython knows them."""
    compiler = getattr(shell, "compile", None)
    names = getattr(compiler, "_filename_map", {}) or {}
    return [(count, name) for name, count in names.items() if isinstance(count, int)]


def source_around(lines: list[Line], margin: int = 2) -> tuple[Source, ...]:
    """The code around some lines, from the first to the last of them, per file or cell."""
    found: list[Source] = []
    for key in dict.fromkeys((line.file, line.cell) for line in lines):
        own = [line for line in lines if (line.file, line.cell) == key]
        path = _paths.get(key, "")
        first = max(1, min(line.number for line in own) - margin)
        last = max(line.number for line in own) + margin
        texts = [linecache.getline(path, n).rstrip("\n") for n in range(first, last + 1)]
        while texts and not texts[-1].strip():
            texts.pop()
        while texts and not texts[0].strip():
            texts.pop(0)
            first += 1
        found.append(Source(key[0], first, tuple(texts)))
    return tuple(found)
