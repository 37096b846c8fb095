"""The repository as a whole: its versions, its files, what it ships and what its examples say."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TOP_LEVEL = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "README.md",
    "docs",
    "minitape",
    "pyproject.toml",
    "tests",
    "tutorials",
    "viz",
}
# Folders of one machine, and the hosts that packages come from.
PRIVATE = re.compile(r"(?<!\w)/(work|tmp|root|home)/|pypi\.org|pythonhosted\.org|npmjs\.(org|com)")


def tracked() -> list[str]:
    """The files that the repository holds."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    if not shutil.which("git"):
        pytest.skip("needs git")
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if git.returncode:  # as in a checkout of another user
        pytest.skip(git.stderr)
    return [name for name in git.stdout.split("\0") if (ROOT / name).is_file()]


def modules(package: str) -> list[str]:
    """The importable names of a package's files; a `__main__` is run, not imported."""
    files = (file.relative_to(ROOT).with_suffix("") for file in (ROOT / package).rglob("*.py"))
    names = (".".join(file.parts).removesuffix(".__init__") for file in files)
    return sorted(name for name in names if not name.endswith("__main__"))


def test_the_package_and_the_citation_have_the_version_of_the_project():
    import minitape

    citation = (ROOT / "CITATION.cff").read_text()
    assert minitape.__version__ == f"2.21.0+minitape.{PROJECT['version']}"
    assert f"\nversion: {PROJECT['version']}\n" in citation


def test_the_changelog_has_a_section_for_what_is_unreleased():
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text()


def test_the_top_level_holds_nothing_unexpected():
    top = {name.split("/")[0] for name in tracked()}
    assert top <= TOP_LEVEL | {name for name in top if name.startswith(".git")}


def test_no_file_names_a_machine_s_folder_or_a_package_host():
    found = [
        f"{name}: {match[0]}"
        for name in tracked()
        for match in PRIVATE.finditer((ROOT / name).read_text(errors="ignore"))
    ]
    assert not found


def test_importing_the_engine_imports_nothing_of_the_viewer():
    code = "import sys, minitape; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split())
    assert not loaded & {"viz", "matplotlib", "graphviz", "ipywidgets", "anywidget", "IPython"}


def test_importing_the_package_loads_no_op_and_no_tape():
    code = "import sys, minitape; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split())
    assert not {name for name in loaded if name.startswith("minitape.ops")}
    assert not loaded & {"minitape.tape", "minitape.op", "minitape.record"}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="asks a process of its own for each module")
def test_any_module_of_the_engine_can_be_the_first_that_is_imported():
    code = f"""
import os, numpy
for name in {modules("minitape")}:
    child = os.fork()
    if not child:
        try:
            __import__(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
    assert not subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)


@pytest.mark.parametrize("name", modules("minitape") + modules("viz"))
def test_the_examples_in_docstrings_are_true(name):
    if name.startswith("viz.adapters."):
        for framework in ("torch", "jax", "tensorflow"):
            if name.startswith(f"viz.adapters.{framework}"):
                pytest.importorskip(framework, reason=f"{framework} is not installed here")
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> set[str]:
    """The names of the files in the wheel of this checkout."""
    pytest.importorskip("hatchling", reason="building a wheel needs hatchling (extra test)")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.check_call(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT
    )
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_every_file_of_both_packages(wheel):
    assert {name for name in tracked() if name.startswith(("minitape/", "viz/"))} <= wheel


def test_the_wheel_holds_the_tutorials_inside_the_package(wheel):
    tutorials = {f"minitape/{name}" for name in tracked() if name.startswith("tutorials/")}
    assert tutorials <= wheel
    assert tutorials


def test_the_wheel_holds_no_tests(wheel):
    assert {name.split("/")[0] for name in wheel} == {
        "minitape",
        "viz",
        f"minitape-{PROJECT['version']}.dist-info",
    }


def test_no_function_of_ci_has_the_name_of_a_program_that_it_looks_for():
    script = (ROOT / ".ci" / "run").read_text()
    functions = set(re.findall(r"^(\w+)\(\)", script, re.MULTILINE))
    assert {"step", "clone"} <= functions
    assert functions.isdisjoint(re.findall(r"command -v ([\w-]+)", script))
