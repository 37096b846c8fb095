"""Typical wrong answers to the tutorials' exercises, a module per lesson, and the hints they get.

Module `lesson_01` belongs to the tutorial whose name begins with `01`. Its `WRONG` has, by a few
words that say what the mistake is, the exercise's name, the answer cell, and a part of the hint.
Its `IN_ANOTHER_STYLE`, if it has one, has right answers in a style that is not the lesson's own.
"""

from __future__ import annotations

import importlib.util
from typing import NamedTuple


class Wrong(NamedTuple):
    """An answer that students give: to which exercise, the cell, and a pattern of the hint."""

    exercise: str
    answer: str
    hint: str


class Right(NamedTuple):
    """A right answer in a style of its own: to which exercise, and the cell."""

    exercise: str
    answer: str


def right_answers(lesson: str) -> dict[str, Right]:
    """Right answers of a lesson beside its own; none without a module for it."""
    name = f"tutorial_answers.lesson_{lesson}"
    found = importlib.util.find_spec(name) and importlib.import_module(name)
    return getattr(found, "IN_ANOTHER_STYLE", {}) if found else {}


def wrong_answers(lesson: str) -> dict[str, Wrong]:
    """The typical wrong answers of a lesson, such as "01"; none without a module for it."""
    name = f"tutorial_answers.lesson_{lesson}"
    return importlib.import_module(name).WRONG if importlib.util.find_spec(name) else {}
