"""`minitape site`: what it refuses, what stands in the folder, and the start page."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec

import pytest
from folders import pyodide_like

from minitape.__main__ import main
from minitape.viz.classroom import start
from minitape.viz.classroom.notebooks import clean, written
from minitape.viz.classroom.runtime import locked, opened
from minitape.viz.classroom.site import check_out, config, needed_files, wheels_of, write_site
from minitape.viz.course.course import lessons
from minitape.viz.errors import ClassroomError

needs_jupyterlite = pytest.mark.skipif(
    find_spec("jupyterlite_pyodide_kernel") is None, reason="needs the extra `site`"
)


@pytest.fixture
def pyodide(tmp_path):
    return pyodide_like(tmp_path / "Pyodide (neu)")


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(tmp_path, pyodide):
    mine = tmp_path / "thesis"
    mine.mkdir()
    (mine / "chapter.tex").write_text("Once")
    with pytest.raises(ClassroomError, match="not empty, and no site"):
        check_out(mine, pyodide)
    assert (mine / "chapter.tex").read_text() == "Once"


def test_a_file_in_the_folders_place_is_refused(tmp_path, pyodide):
    (tmp_path / "site").write_text("a file")
    with pytest.raises(ClassroomError, match="a file is in its place"):
        check_out(tmp_path / "site", pyodide)


@pytest.mark.parametrize("place", [".", ".."])
def test_the_site_never_replaces_the_pyodide_that_it_is_made_of(pyodide, place):
    with pytest.raises(ClassroomError, match="holds the Pyodide"):
        check_out(pyodide / place, pyodide)


def test_an_empty_folder_and_an_older_site_may_be_replaced(tmp_path, pyodide):
    site = tmp_path / "site"
    site.mkdir()
    check_out(site, pyodide)
    (site / "classroom").mkdir()
    (site / start.FILES).write_text("{}")
    check_out(site, pyodide)


def test_a_lesson_loses_its_outputs_and_keeps_its_exercises(tmp_path):
    (lesson, *_) = lessons()
    before = json.loads(lesson.path.read_text("utf-8"))
    after = json.loads(clean(lesson.path.read_text("utf-8")))
    assert [cell["source"] for cell in after["cells"]] == [c["source"] for c in before["cells"]]
    assert not [cell for cell in after["cells"] if cell.get("outputs")]
    graded = [cell for cell in after["cells"] if "nbgrader" in cell["metadata"]]
    assert len(graded) >= lesson.exercises > 0


def test_the_data_that_lessons_read_comes_along(tmp_path):
    written(lessons(), tmp_path)
    assert (tmp_path / "data/digits.npz").stat().st_size > 10_000


def test_the_start_page_leads_to_each_lesson_and_says_where_work_is_kept():
    course = lessons()
    page = start.page(course, 30, "classroom/trial.js?a=1&b=2")
    links = re.findall(r'href="notebooks/index\.html\?path=([^"]+)"', page)
    assert links == [each.path.name for each in course]
    assert "kept in this browser" in page and "download" in page
    assert 'data-worker="classroom/trial.js?a=1&amp;b=2"' in page and "[[" not in page


def test_the_start_page_asks_for_nothing_outside_and_for_nothing_from_the_root():
    page = start.page(lessons(), 30, "classroom/trial.js")
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert addresses and not [each for each in addresses if each.startswith(("/", "http"))]


def test_the_start_page_has_the_settings_that_jupyterlite_reads_from_each_page_above():
    page = start.page(lessons(), 30, "classroom/trial.js")
    (settings,) = re.findall(r'<script id="jupyter-config-data"[^>]*>([^<]*)</script>', page)
    assert json.loads(settings) == {}


def test_a_title_with_signs_of_markup_stays_text():
    odd = lessons()[0]._replace(title="<script>alert(1)</script> & more")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in start.page([odd], 1, "w")


@needs_jupyterlite
def test_the_lock_file_has_what_the_kernel_starts_with_and_nothing_that_is_not_there(pyodide):
    runtime = opened(pyodide)
    wheels = wheels_of(runtime)
    packages = locked(runtime, wheels)["packages"]
    assert packages["minitape"]["imports"] == ["minitape"]
    files = {wheel.file_name for wheel in wheels}
    assert {each["file_name"] for each in packages.values()} == files
    needed = {each for entry in packages.values() for each in entry["depends"]}
    assert {each.lower().replace("_", "-") for each in needed} <= set(packages)
    (settings,) = config(runtime, wheels)["litePluginSettings"].values()
    assert set(settings["loadPyodideOptions"]["packages"]) <= set(packages)


@needs_jupyterlite
def test_with_cdn_only_the_sites_own_wheels_are_looked_for():
    wheels = wheels_of(None)
    assert "numpy" not in {wheel.entry["name"] for wheel in wheels}
    assert all(path.startswith("static/wheels/") for path, _ in needed_files(None, wheels))


@needs_jupyterlite
@pytest.mark.slow
def test_a_whole_site_has_the_lessons_and_the_check_in_every_page(tmp_path, pyodide):
    out = tmp_path / "Köln 2026/site"
    made = write_site(out, str(pyodide))
    assert made.lessons == len(lessons()) == len(list((out / "files").glob("*.ipynb")))
    assert not list(out.rglob("*.map"))
    for page in ("index.html", "lab/index.html", "notebooks/index.html"):
        assert "classroom/check.js" in (out / page).read_text("utf-8")
    listed = json.loads((out / start.FILES).read_text("utf-8"))["files"]
    for each in listed:
        assert (out / "classroom" / each["path"]).stat().st_size == each["size"]
    assert str(tmp_path) not in (out / "jupyter-lite.json").read_text("utf-8")
    write_site(out, str(pyodide))  # an update takes the place of the older one
    assert [path.name for path in out.parent.iterdir()] == ["site"]


@needs_jupyterlite
@pytest.mark.slow
def test_a_site_with_cdn_holds_the_wheels_that_its_pages_name(tmp_path):
    out = tmp_path / "site"
    write_site(out, "cdn", lessons()[:1])
    listed = json.loads((out / start.FILES).read_text("utf-8"))["files"]
    assert any("minitape-" in each["path"] for each in listed)
    for each in listed:
        assert (out / "classroom" / each["path"]).stat().st_size == each["size"]
    (settings,) = config(None, wheels_of(None))["litePluginSettings"].values()
    named = [each for each in settings["loadPyodideOptions"]["packages"] if "/" in each]
    worker = out / "extensions/@jupyterlite/pyodide-kernel-extension/static"
    assert named and all((worker / each).is_file() for each in named)


def test_the_command_says_in_one_line_that_the_folder_is_missing(tmp_path, capsys):
    assert main(["site", str(tmp_path / "site"), "--pyodide", str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("minitape: ") and said.count("\n") == 1
    assert not (tmp_path / "site").exists()
