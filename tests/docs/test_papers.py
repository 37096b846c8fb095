"""The page of recipes for papers and slides: its LaTeX compiles, its pictures are there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "papers.md"
sys.path[:0] = [str(ROOT / "tools")]

import blocks  # noqa: E402, a script of that folder

TEXT = PAGE.read_text("utf-8")
PAPERS = dict(re.findall(r'^```latex title="(.*?)"\n(.*?)^```$', TEXT, re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the page's examples have run, those whose packages are here."""
    place = tmp_path_factory.mktemp("papers")
    code = [b.code for b in blocks.blocks(TEXT) if b.kind == "python" and not b.missing]
    (place / "recipes.py").write_text("\n".join(code), "utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "recipes.py"], cwd=place, check=True, env=env)
    return place


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_each_paper_of_the_page_compiles_without_a_warning(folder, name):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not here")
    if "steps.pdf" in PAPERS[name]:
        pytest.importorskip("fpdf")
    if "beamer" in PAPERS[name] and subprocess.run(["kpsewhich", "beamer.cls"]).returncode:
        pytest.skip("this TeX has no beamer")
    (folder / name).write_text(PAPERS[name], "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / name).with_suffix(".log").read_text("latin-1")
    complaint = re.compile(r"^!|Warning:(?!.*has changed)|Missing char|full \\")
    assert not done.returncode
    assert [line for line in log.splitlines() if complaint.search(line)] == []


def test_a_recipe_has_a_picture_with_a_text_and_together_they_are_small():
    shown = dict(re.findall(r"^!\[([^\]]{25,})\]\(\.\./(\S+)\)$", TEXT, re.MULTILINE))
    files = [ROOT / "docs" / path for path in shown.values()]
    kept = [file for file in (ROOT / "docs/pictures/papers").iterdir() if file.suffix != ".py"]
    assert sorted(files) == sorted(kept)
    assert sum(file.stat().st_size for file in files) < 600_000


def test_there_are_ten_recipes():
    assert re.findall(r"^## (\d+)\.", TEXT, re.MULTILINE) == [str(i) for i in range(1, 11)]
