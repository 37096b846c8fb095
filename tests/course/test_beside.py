"""Pages lead to a site or a live page where one is beside them."""

from __future__ import annotations

import pytest

from minitape.viz.course.beside import has_live_page, site_from
from minitape.viz.course.course import lessons
from minitape.viz.course.demo import page_of, run
from minitape.viz.course.guide import EXAMPLES
from minitape.viz.course.pages import lesson_page

LIVE = '<!doctype html><meta name="generator" content="minitape live">'


WAYS = [("", ""), ("a", "../"), ("a/b", "../../"), ("a/b/c", None)]


@pytest.mark.parametrize(("folder", "way"), WAYS)
def test_a_site_is_found_from_the_folders_within_it(tmp_path, folder, way):
    (tmp_path / "classroom").mkdir()
    (tmp_path / "classroom/files.json").write_text("{}")
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    assert site_from(tmp_path / folder) == way


def test_a_lessons_page_within_a_site_has_a_button_that_leads_to_its_notebook():
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    (lesson,) = lessons()[:1]
    assert "Edit and run" not in lesson_page(lesson, [lesson])
    page = lesson_page(lesson, [lesson], site="../")
    assert f'href="../notebooks/index.html?path={lesson.path.name}">Edit and run this' in page


def test_the_demos_page_beside_a_live_page_has_a_button_that_leads_there(tmp_path):
    outcomes = [run(EXAMPLES[0])]
    (tmp_path / "live.html").write_text("<p>of somebody else</p>")
    assert "Edit and run" not in page_of(outcomes, tmp_path)
    (tmp_path / "live.html").write_text(LIVE)
    assert 'href="live.html">Edit and run these examples' in page_of(outcomes, tmp_path)


def test_what_is_no_page_is_no_live_page(tmp_path):
    assert not has_live_page(tmp_path)
    (tmp_path / "live.html").mkdir()
    assert not has_live_page(tmp_path)
    assert not has_live_page(tmp_path / "none")
