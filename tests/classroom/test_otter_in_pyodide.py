"""Lessons as assignments for Otter-Grader, graded by Otter where a student's browser runs it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pyodide_folder

pytest.importorskip("nbformat", reason="needs nbformat (extra notebook)")
pytest.importorskip("nbclient", reason="needs nbclient (extra test)")

HERE = Path(__file__).parent
TUTORIALS = HERE.parents[1] / "tutorials"
# Otter and what it needs besides Pyodide's own packages, all in Python; its dependency for
# Docker and PDF are imported and not used. (jsonschema from 4.18 on is compiled.)
OTTER = ["otter-grader", "dill", "fica", "ipylab", "ipywidgets", "comm", "jinja2", "markupsafe",
         "nbformat", "jupyter_core", "jsonschema==4.17.3", "pyrsistent", "attrs", "fastjsonschema",
         "jupytext", "markdown-it-py", "mdurl", "mdit-py-plugins", "python-frontmatter",
         "python-on-whales", "pyyaml", "wrapt", "platformdirs"]  # fmt: skip

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def otter(tmp_path_factory) -> Path:
    """A folder with Otter, from the package index; skipped where that is out of reach."""
    place = tmp_path_factory.mktemp("otter")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(place)]
    done = subprocess.run([*command, *OTTER], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"otter-grader cannot be downloaded here: {done.stderr[-200:]}")
    return place


@pytest.fixture(scope="module")
def otter_tests():
    """The script that makes assignments, and the one that it imports."""
    sys.path.insert(0, str(TUTORIALS))
    spec = importlib.util.spec_from_file_location("otter_tests", TUTORIALS / "otter_tests.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(TUTORIALS))


def graded(otter_tests: Any, otter: Path, place: Path, solutions: bool) -> dict[str, float]:
    """The points that Otter gives all lessons in Pyodide."""
    runtime = pyodide_folder.folder()
    if runtime is None or not shutil.which("node"):
        pytest.skip("needs Node and what `python tests/pyodide_folder.py` makes")
    for source in otter_tests.sources():
        otter_tests.write(source, place / source.stem, solutions)
        shutil.copytree(TUTORIALS / "data", place / source.stem / "data")
    command = ["node", str(HERE / "otter_in_pyodide.mjs"), str(runtime), str(otter), str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("solutions", [True, False], ids=["answers", "empty"])
@pytest.mark.takes_turns
def test_otter_gives_all_points_to_the_answers_and_none_to_empty_notebooks_in_pyodide(
    otter_tests, otter, tmp_path, solutions
):
    found = graded(otter_tests, otter, tmp_path, solutions)
    most = {
        source.stem: sum(
            cell.metadata["nbgrader"].get("points", 0)
            for cell in otter_tests.cells(source.read_text("utf-8"))
            if cell.is_exercise
        )
        for source in otter_tests.sources()
    }
    assert found == {name: points if solutions else 0.0 for name, points in most.items()}
