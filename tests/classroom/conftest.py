"""Fixtures for what needs Pyodide: skipped, with the reason, where it was not downloaded."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

import pyodide_folder
from minitape.viz.classroom.site import write_site
from minitape.viz.course.course import lessons


@pytest.fixture(scope="session")
def pyodide() -> Path:
    """A folder with Pyodide; MINITAPE_PYODIDE=required makes its absence a failure."""
    found = pyodide_folder.folder()
    if found is not None:
        return found
    reason = "no Pyodide here: `python tests/pyodide_folder.py` downloads it"
    if os.environ.get("MINITAPE_PYODIDE") == "required":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def folder(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with the first lesson, two folders below the root of a server."""
    if find_spec("jupyterlite_pyodide_kernel") is None:
        pytest.skip("no site can be made: JupyterLite is missing (extra site)")
    place = tmp_path_factory.mktemp("public") / "kurs/tapes"
    write_site(place, str(pyodide), lessons()[:1])
    return place
