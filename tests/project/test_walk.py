"""The walk through the engine: its excerpts and names are the code's, its order the only one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WALK = (ROOT / "docs" / "WALK.md").read_text("utf-8")
SECTIONS = re.split(r"^## ", WALK, flags=re.MULTILINE)[1:]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"\]\(\.\./((?:minitape|viz)/[\w/]+\.py)\)")


def excerpts():
    """Each excerpt, and the modules that its section links to."""
    for section in SECTIONS:
        for block in BLOCK.findall(section):
            yield pytest.param(block, FILE.findall(section), id=section.split(":")[0])


@pytest.mark.parametrize(("excerpt", "files"), list(excerpts()))
def test_the_lines_of_an_excerpt_stand_in_a_module_that_its_section_names(excerpt, files):
    pieces = [piece.strip("\n") for piece in re.split(r"^ *\.\.\.\n", excerpt, flags=re.MULTILINE)]
    texts = [(ROOT / file).read_text("utf-8") for file in files]
    assert any(all(piece in text for piece in pieces) for text in texts)


def test_the_example_prints_what_the_page_says():
    code, output = BLOCK.search(WALK)[1], re.search(r"^```text\n(.*?)^```", WALK, re.S | re.M)[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == (output, "")


def test_every_link_leads_to_a_file():
    links = re.findall(r"\]\(([^)#]+)\)", WALK)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def test_every_name_in_code_type_that_is_called_a_module_s_own_is_in_the_code():
    viewer = [
        *(ROOT / "viz" / "diagnosis" / "kinds" / "engine").glob("*.py"),
        ROOT / "viz" / "picture" / "theme.py",
    ]
    files = [*(ROOT / "minitape").glob("*.py"), *viewer]
    engine = "".join(file.read_text("utf-8") for file in files)
    named = set(re.findall(r"`([A-Za-z_]+)`", WALK)) - {"x", "y", "g", "watch"}
    assert [name for name in named if not re.search(rf"\b{name}\b", engine)] == []


def modules(text):
    """The engine's flat modules in the order in which a text names them first."""
    names = re.findall(r"(?:minitape/|`)(\w+)\.py", text)
    flat = [name for name in names if (ROOT / "minitape" / f"{name}.py").exists()]
    return list(dict.fromkeys(flat))


def test_the_developers_page_the_package_and_the_architecture_give_the_order_of_the_walk():
    headings = "\n".join(re.findall(r"^## \d.*$", WALK, re.MULTILINE))
    order = modules(headings)
    developers = ROOT / "docs" / "developers" / "index.md"
    reading = developers.read_text("utf-8").split("## Reading the source")[1]
    architecture = (
        (ROOT / "docs" / "ARCHITECTURE.md").read_text("utf-8").split("## Reading order")[1]
    )
    package = (ROOT / "minitape" / "__init__.py").read_text("utf-8").split('"""')[1]
    assert modules(reading.split("\n\n## ")[0]) == order
    assert modules(architecture.split("\n\n## ")[0]) == order
    assert [name for name in re.findall(r"`(\w+)`", package) if name in order] == order
