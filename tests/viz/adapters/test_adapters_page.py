"""The page for those who write an adapter: its programs print what it says."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "ADAPTERS.md"


def test_the_programs_of_the_page_print_what_it_says():
    blocks = re.findall(r"```(python|text)\n(.*?)```", PAGE.read_text(), re.S)
    scope: dict[str, object] = {}
    printed = ""
    compared = 0
    for kind, block in blocks:
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block, "page.py", "exec"), scope)
            printed += out.getvalue()
        elif printed:
            assert printed == block
            printed, compared = "", compared + 1
    linecache.checkcache()
    assert compared == 4
