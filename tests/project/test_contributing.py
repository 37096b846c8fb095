"""The recipes of CONTRIBUTING.md, followed in a copy of the project, and followed badly."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (
    (ROOT / "CONTRIBUTING.md")
    .read_text("utf-8")
    .split("\n## Recipes\n")[1]
    .split("\n## Changes")[0]
)
RECIPES = {part.partition("\n")[0]: part.partition("\n")[2] for part in PAGE.split("\n### ")[1:]}
# A place: what is done with which file, and the block of code that follows.
PLACE = re.compile(
    r"(?P<verb>Append to|Create|[Ii]n(?: the same file,)?)\s+`(?P<file>[\w/.]+)`"
    r"(?:,\s+below\s+`(?P<line>[^`]+)`)?[^`]*?:\n\n(?P<fence>`{3,})\w+\n(?P<code>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)


@pytest.fixture
def copy(tmp_path):
    """The project, without what is made."""
    left_out = shutil.ignore_patterns(
        ".git", ".venv*", "build", "node_modules", "__pycache__", ".*_cache", "site", "benchmarks"
    )
    place = tmp_path / "project"
    shutil.copytree(ROOT, place, symlinks=True, ignore=left_out)
    return place


def places(text):
    return list(PLACE.finditer(text))


def follow(place, step):
    """Does what one step of a recipe says."""
    file, code = place / step["file"], step["code"]
    if step["verb"] == "Create":
        assert not file.exists()
        file.write_text(code, "utf-8")
        return
    old = file.read_text("utf-8")
    if step["verb"] == "Append to":
        file.write_text(f"{old}\n\n{code}" if file.suffix == ".py" else old + code, "utf-8")
        return
    line = f"{step['line']}\n"
    assert line in old, f"{step['file']} has no line {step['line']!r}"
    file.write_text(old.replace(line, line + code, 1), "utf-8")


def run(place, text, block=0):
    """Runs the commands of one block of a recipe; the first that fails is returned."""
    for line in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)[block].splitlines():
        command = line.replace("python ", f"{sys.executable} ", 1)
        environment = {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, shell=True, cwd=place, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            return f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-1500:]}"
    return ""


def test_every_recipe_is_read_whole():
    counts = {name: len(places(text)) for name, text in RECIPES.items()}
    assert counts == {
        "Add an op": 2,
        "Add a cause": 1,
        "Add a cause for minitape's scripts": 1,
        "Add a field to the trace": 2,
        "Add a picture": 5,
    }


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.takes_turns
def test_who_follows_a_recipe_gets_there_in_the_style_of_the_project(name, copy):
    for step in places(RECIPES[name]):
        follow(copy, step)
    assert run(copy, RECIPES[name]) == ""
    if importlib.util.find_spec("ruff"):
        files = [step["file"] for step in places(RECIPES[name]) if step["file"].endswith(".py")]
        subprocess.check_call([sys.executable, "-m", "ruff", "check", *files], cwd=copy)


@pytest.mark.parametrize(
    ("name", "forgotten", "said"),
    [
        ("Add an op", "tests/op_samples/elementwise_functions.py", "these ops need samples"),
        ("Add a picture", "docs/reference/viz_examples.md", "test_pages.py"),
        ("Add a picture", "viz/__init__.py", "test_pages.py"),
    ],
)
def test_a_forgotten_place_fails_where_the_recipe_says(name, forgotten, said, copy):
    for step in places(RECIPES[name]):
        if step["file"] != forgotten:
            follow(copy, step)
    assert said in RECIPES[name]
    assert said in run(copy, RECIPES[name])


def test_a_forgotten_schema_fails(copy):
    text = RECIPES["Add a field to the trace"]
    for step in places(text):
        follow(copy, step)
    without = re.sub(r"python -m minitape.*\n", "", text)
    assert "test_schema" in run(copy, without)


def test_a_kind_without_its_example_fails(copy):
    (step,) = places(RECIPES["Add a cause"])
    follow(copy, step)
    file = copy / step["file"]
    text = file.read_text("utf-8").replace("find, sentence, EXAMPLE", 'find, sentence, ""')
    file.write_text(text, "utf-8")
    assert "test_every_kind_has_an_example" in run(copy, RECIPES["Add a cause"])
