"""A lecturer's folder is read as a course, and what is wrong in it is said with its file."""

from __future__ import annotations

import json
import sys

import pytest
from courses import code, course, lesson

from minitape.viz.course.course import CourseError
from minitape.viz.teaching.folder import opened

jupytext = pytest.importorskip("jupytext")


def test_notebooks_of_three_forms_are_lessons_in_the_order_of_their_numbers(tmp_path):
    course(tmp_path, l10_last=lesson(title="Last"), l2_second=lesson(title="Second"))
    (tmp_path / "l1_first.py").write_text("# %% [markdown]\n# # First\n\n# %%\nx = 1\n")
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Third"]}]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "l3_third.ipynb").write_text(json.dumps(book))
    found = opened(tmp_path)
    assert [each.title for each in found.lessons] == ["First", "Second", "Third", "Last"]
    assert [each.name for each in found.lessons][-1] == "l10_last"


def test_programs_and_pages_beside_notebooks_are_no_lessons(tmp_path):
    course(tmp_path, only=lesson())
    (tmp_path / "README.md").write_text("# Read me\n\n```python\nx = 1\n```\n")
    (tmp_path / "notes.md").write_text("# Notes\n\nno code\n")
    (tmp_path / "helper.py").write_text("def f():\n    return 1\n")
    assert [each.name for each in opened(tmp_path).lessons] == ["only"]


def test_settings_give_title_order_homework_language_theme_and_minutes(tmp_path):
    course(
        tmp_path,
        'title = "Steigungen"\nlanguage = "de"\ntheme = "dark"\norder = ["b.md", "a"]\n'
        'homework = ["a"]\n[minutes]\nb = 20\n',
        a=lesson(), b=lesson(), c=lesson(),
    )  # fmt: skip
    found = opened(tmp_path)
    assert (found.title, found.language, found.theme) == ("Steigungen", "de", "dark")
    assert [(each.name, each.is_homework, each.minutes) for each in found.lessons] == [
        ("b", False, 20), ("a", True, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("title = 3", r"course.toml: 'title' must be a text, not 3"),
        ("titel = 'x'", r"course.toml: 'titel' is not known; there are title, order"),
        ("order = ['z']", r"'order' names 'z', and the notebooks are a"),
        ("order = ['a', 'a']", r"'order' names a notebook twice"),
        ("homework = ['q']", r"'homework' names 'q', and the notebooks are a"),
        ("language = 'x y\"><script>'", r"is no language"),
        ("theme = 'pink'", r"the theme is one of auto, light, dark"),
        ("title = ", r"course.toml: "),
        ("[minutes]\na = 'long'", r"'minutes' must have a number"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, settings, words):
    course(tmp_path, settings, a=lesson())
    with pytest.raises(CourseError, match=words):
        opened(tmp_path)


def test_a_folder_that_is_none_or_has_no_notebook_is_said(tmp_path):
    with pytest.raises(CourseError, match="there is no folder"):
        opened(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CourseError, match=r"has no notebooks: put \.ipynb files there"):
        opened(tmp_path / "empty")


def test_a_notebook_where_its_folder_belongs_is_answered_with_what_to_do(tmp_path):
    (tmp_path / "week1.ipynb").write_text("{}")
    with pytest.raises(CourseError, match=r"week1\.ipynb' is a file, .* name the folder"):
        opened(tmp_path / "week1.ipynb")


@pytest.mark.parametrize(("package", "name"), [("nbformat", "a.ipynb"), ("jupytext", "b.py")])
def test_a_missing_package_of_jupyter_is_answered_with_what_to_install(
    tmp_path, monkeypatch, package, name
):
    book = tmp_path / name
    book.write_text("# %%\n1\n")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(CourseError, match=rf"read with {package}, .*'minitape\[notebook\]'"):
        opened(tmp_path)


def test_a_file_that_is_no_notebook_is_named(tmp_path):
    course(tmp_path, good=lesson(code("x = 1")))
    (tmp_path / "bad.ipynb").write_text("{")
    with pytest.raises(CourseError, match=r"bad\.ipynb is no notebook"):
        opened(tmp_path)
