"""docs/DIFFERENCES.md: its examples run and print what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "DIFFERENCES.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_print_what_the_page_says():
    """In one process, as a reader would type them: a traced function prints once."""
    program = "\n".join(text for language, text in BLOCKS if language == "python")
    expected = "".join(text for language, text in BLOCKS if language == "text")
    command = [sys.executable, "-X", "utf8", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == ""
    assert done.stdout == expected


def test_the_readme_leads_to_the_page():
    assert "](docs/DIFFERENCES.md)" in (ROOT / "README.md").read_text("utf-8")
