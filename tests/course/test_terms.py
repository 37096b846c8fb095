"""Terms are defined before they are used; a course's orders hold; decks state their points."""

from __future__ import annotations

import importlib.util
import re
import sys
from typing import Any

import pytest

from lesson_cells import FOLDER, cells

ROOT = FOLDER.parent
PAGE = (ROOT / "docs" / "LECTURERS.md").read_text("utf-8")
NAMES = {path.stem[:2]: path.stem for path in sorted(FOLDER.glob("[0-9]*.py"))}
# Lessons that keep all rules of the course; the others wait to be rewritten.
NEW = [
    n for n, name in NAMES.items() if "## The same elsewhere" in (FOLDER / f"{name}.py").read_text()
]


def loaded(name: str) -> Any:
    """A module of the tutorials' folder, which is no package's."""
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location(f"{name}_for_terms", FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(FOLDER))


plan, terms = loaded("plan"), loaded("terms")
TERMS = terms.TERMS


def test_each_order_has_what_a_lesson_needs_before_it():
    assert set(plan.ORDERS) == {"term", "core of 8", "deep learning", "methods", "afternoon"}
    for name in plan.ORDERS:
        taken = plan.order(name)
        assert len(set(taken)) == len(taken)
        for at, lesson in enumerate(taken):
            assert set(plan.NEEDS[lesson]) <= set(taken[:at]), (name, lesson)
    assert len(plan.ORDERS["core of 8"]) == 8
    assert set(plan.order("term")) == set(plan.NEEDS)


def test_the_needs_and_orders_of_the_plan_are_those_on_the_page_for_lecturers():
    assert list(plan.NEEDS) == list(NAMES.values())
    rows = re.findall(r"\| (\d+) \| \[.*?\]\(\.\./.*?\) \| \d+ \| (.*?) \|", PAGE)
    needs = {int(n): sorted(map(int, re.findall(r"\d+", text))) for n, text in rows}
    planned = {int(k[:2]): sorted(int(each[:2]) for each in v) for k, v in plan.NEEDS.items()}
    assert needs == planned
    for name, order in plan.ORDERS.items():
        (said,) = re.findall(rf"\*{name.capitalize()}\*:\s((?:\d+,\s)+\d+)", PAGE)
        assert list(map(int, re.findall(r"\d+", said))) == list(order), name


def before(lesson: str) -> set[str]:
    """The numbers of all lessons that come before one, and its own."""
    found = {lesson}
    for name in plan.NEEDS[NAMES[lesson]]:
        found |= before(name[:2])
    return found


def prose_of(lesson: str) -> str:
    """What a lesson says up to its end, without code, its goals and its list of names elsewhere."""
    return re.sub(r"\*\*Read on.*", " ", whole_prose_of(lesson), flags=re.DOTALL)


def whole_prose_of(lesson: str) -> str:
    """The same with what comes after its end: *Further*."""
    texts = [cell.text for cell in cells(lesson) if cell.kind == "markdown"]
    text = "\n".join(each for each in texts[1:] if not each.startswith("## The same elsewhere"))
    return re.sub(r"`[^`]*`", " ", text)


@pytest.mark.parametrize("lesson", NEW)
def test_a_term_is_used_only_after_it_was_defined(lesson):
    text = prose_of(lesson)
    for word, term in TERMS.items():
        if term.everyday and lesson not in term.lessons:
            continue
        used = re.search(rf"(?i)\b{word}s?\b", re.sub(r"^#.*$", "", text, flags=re.M))
        if not used:
            continue
        known = set(term.lessons) & before(lesson)
        assert known, f"{word!r}: {text[used.start() - 40 : used.end()]}"
        if known == {lesson}:
            plain = re.sub(r"^#.*$", "", text, flags=re.M)
            said = re.search(rf"(?i)\b{word}s?\b", plain)
            assert plain[said.start() - 2 : said.start()] == "**", f"{word!r} is not bold at first"


@pytest.mark.parametrize("lesson", NEW)
def test_each_term_of_a_lesson_is_printed_in_bold_there(lesson):
    bold = {each.lower() for each in re.findall(r"\*\*([^*]+)\*\*", whole_prose_of(lesson))}
    for word, term in TERMS.items():
        if lesson in term.lessons:
            assert {word.lower(), f"{word.lower()}s"} & bold, word


def test_the_glossary_is_made_from_the_terms():
    assert terms.PAGE.read_text("utf-8") == terms.page(NAMES)
    for term in TERMS.values():
        assert term.means.endswith(".") and len(term.means.split()) <= 25


@pytest.mark.parametrize("lesson", NEW)
def test_no_title_of_a_deck_comes_twice_and_at_most_a_third_is_code(lesson):
    from minitape.viz.course.slides import slides

    made = slides(FOLDER / f"{NAMES[lesson]}.ipynb")
    titles = [each.heading for each in made]
    assert sorted(titles) == sorted(set(titles))
    assert sum(each.kind == "code" for each in made) <= len(made) / 3
    assert all(len(each.heading.split()) >= 2 for each in made if each.heading != "Exercises")


@pytest.mark.parametrize("lesson", NEW)
def test_nothing_before_a_question_on_a_slide_holds_the_number_of_its_answer(lesson):
    from minitape.viz.course.slides import slides

    made = slides(FOLDER / f"{NAMES[lesson]}.ipynb")
    for question, answer in zip(made, made[1:], strict=False):
        if (question.kind, answer.kind) == ("question", "answer"):
            said = re.sub(r"<[^>]*>", "", answer.parts[-1][1])
            first = re.match(r"-?\d+\.\d+|\d{3,}", said)
            assert not first or first[0] not in question.heading
            assert "viz.predict" not in str(question.parts)


@pytest.mark.parametrize("lesson", NEW)
def test_a_check_draws_its_numbers_anew_unless_it_asks_for_a_pencil(lesson):
    for cell in cells(lesson):
        settings = cell.metadata.get("nbgrader", {})
        if settings.get("grade") and "(" in cell.text.split("score.part")[0]:
            # By a pencil, from a student's name, without numbers, or on the images of the lesson.
            own = ("by-hand", "seen", "named", "tests", "digits")
            fixed = settings["grade_id"].startswith(own)
            assert fixed or "default_rng()" in cell.text, settings["grade_id"]
