"""Reads a program from a script, or from the code cells of a notebook."""

from __future__ import annotations

import json
import re
import tokenize
from pathlib import Path

MOST = 50_000_000  # bytes: a notebook keeps its pictures
# What only a notebook runs: %magic, !command, ?help; and help? at the end of a line.
_ONLY_IN_NOTEBOOKS = re.compile(r"^(\s*)((?:[%!?]|\w+ *= *[%!]).*|[\w.]+\?\??)$", re.MULTILINE)
# Cells of Python that a magic wraps; a cell of any other magic is no Python.
_PYTHON = re.compile(r"%%(tape|time|timeit|capture|prun)\b.*")


def script_text(file: Path) -> str:
    """The Python text of a script or notebook.

    Cells follow each other in their order, each below a comment with its number. Lines that only a
    notebook can run become `pass`, so that their block keeps a line.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: its encoding is unknown.
        ValueError: it is not text, not a notebook, no regular file, or larger than a program is.
    """
    if file.exists() and not file.is_file():  # a device or a pipe may have no end
        raise ValueError("it is no regular file; write the program to a file")
    if file.exists() and file.stat().st_size > MOST:
        raise ValueError(f"it has more than {MOST // 10**6} MB, which no program has")
    if file.suffix != ".ipynb":
        with tokenize.open(file) as opened:
            return opened.read()
    try:
        cells = json.loads(file.read_text("utf-8"))["cells"]
        codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (KeyError, TypeError) as error:
        raise ValueError("it is not a notebook of format 4") from error
    return "\n\n".join(
        f"# %% cell {number}\n{_plain(code)}" for number, code in enumerate(codes, 1)
    )


def _plain(code: str) -> str:
    """A cell as Python; a comment in place of a cell that is not."""
    first, _, rest = code.lstrip().partition("\n")
    if first.startswith("%%"):
        code = f"# {first}\n{rest}" if _PYTHON.fullmatch(first) else f"# {first}: not Python"
    try:
        compile(code, "cell", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):  # only then: `%` also begins a line of a long remainder
        return _ONLY_IN_NOTEBOOKS.sub(r"\1pass  # \2", code)
    return code
