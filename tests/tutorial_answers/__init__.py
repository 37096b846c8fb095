"""Typical wrong answers to the tutorials' exercises, a module per lesson, and the hints they get.

Module `lesson_01` belongs to the tutorial whose name begins with `01`. Its `WRONG` has, by a few
words that say what the mistake is, the exercise's name, the answer cell, and a part of the hint.
"""

from __future__ import annotations

import importlib.util
from typing import NamedTuple


class Wrong(NamedTuple):
    """An answer that students give: to which exercise, the cell, and a pattern of the hint."""

    exercise: str
    answer: str
    hint: str


def wrong_answers(lesson: str) -> dict[str, Wrong]:
    """The typical wrong answers of a lesson, such as "01"; none without a module for it."""
    name = f"tutorial_answers.lesson_{lesson}"
    return importlib.import_module(name).WRONG if importlib.util.find_spec(name) else {}
