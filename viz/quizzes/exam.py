"""`viz.exam`: a question of an exam whose numbers are drawn, and whose answer the tape computes.

In a notebook it shows the question with its answer. Where `minitape course exam` runs it, it writes
down what it asked and what is right; `viz.teaching` makes sheets and a key of that.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitape.errors.of_arguments import checked_number

from .quiz import OFFLINE

SEED, ANSWERS = "MINITAPE_EXAM_SEED", "MINITAPE_EXAM_ANSWERS"
TOLERANCE = 0.01  # of an answer: learners write a few digits


@dataclass
class Question:
    """One question of an exam, as it is written and drawn.

    Attributes:
        points: what it is worth.
        text: what is asked.
        answer: numbers; a scalar has the shape ().
    """

    points: float
    random: random.Random
    text: str = ""
    answer: Any = None
    tolerance: float = TOLERANCE
    drawn: list[float] = field(default_factory=list)

    def draw(self, low: float, high: float, step: float = 1.0) -> float:
        """A number from `low` to `high` in steps; whole numbers where all three are whole.

        Raises:
            ValueError: there is no such number.
        """
        count = int((high - low) / step + 1e-9) if step > 0 else -1
        if count < 0:
            raise ValueError(
                f"question.draw({low}, {high}, {step}): there is no number between them in such "
                "steps. Write question.draw(1, 9) or question.draw(0.5, 2.0, 0.25)."
            )
        found: float = low + step * self.random.randint(0, count)
        is_whole = all(float(each).is_integer() for each in (low, step))
        found = int(found) if is_whole else round(found, 10)
        self.drawn.append(found)
        return found

    def choose(self, *among: Any) -> Any:
        """One of several things."""
        return self.random.choice(among)

    def ask(self, text: str, answer: Any, tolerance: float = TOLERANCE) -> None:
        """What is asked, and what is right.

        Args:
            text: the question; `names` in backticks are shown as code, *words* emphasised.
            answer: a number, an array or a tensor, such as a gradient.
            tolerance: how far an answer may be off, of the largest element.

        Raises:
            ValueError: the answer is no finite number: None, NaN, a text.
        """
        try:
            numbers = np.asarray(answer, np.float64)
        except (TypeError, ValueError):
            numbers = np.array(np.nan)
        if answer is None or not np.isfinite(numbers).all():
            raise ValueError(
                f"question.ask({text[:40]!r}, {answer!r:.60}): an answer is a number or an array "
                "of finite numbers. Is the gradient None because a path is cut?"
            )
        self.text, self.answer, self.tolerance = text, numbers, tolerance


@contextlib.contextmanager
def exam(points: float) -> Iterator[Question]:
    """An exam question: it draws random numbers, computes with them, and asks for a result.

    In a notebook it shows the question with its answer, in the pages of a course without it;
    `minitape course exam` makes variants of it, whose numbers are drawn by a seed.

    Args:
        points: what it is worth.

    Raises:
        ValueError: it asks nothing.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> with viz.exam(points=2) as question:  # doctest: +ELLIPSIS
        ...     x = tf.Variable(float(question.draw(2, 5)))
        ...     with tf.GradientTape() as tape:
        ...         y = x * x
        ...     question.ask("What is the gradient of x · x?", tape.gradient(y, x))
        Question (2 points): What is the gradient of x · x?
        Answer: ...
    """
    checked_number("viz.exam", "points", points, "viz.exam(points=2)")
    place = os.environ.get(ANSWERS, "")
    seed = os.environ.get(SEED, "0")
    number = _count(place)
    question = Question(points, random.Random(f"{seed}/{number}"))
    yield question
    if question.answer is None:
        raise ValueError(
            "this question asks nothing: call `question.ask(text, answer)` in the block"
        )
    if place:
        with open(place, "a", encoding="utf-8") as file:
            file.write(json.dumps(_plain(question)) + "\n")
    elif os.environ.get(OFFLINE):  # a page for learners: the question alone
        print(f"Question ({points:g} points): {question.text}")
    else:
        print(f"Question ({points:g} points): {question.text}\nAnswer: {_shown(question.answer)}")


def _count(place: str) -> int:
    """How many questions were asked before."""
    if not place or not os.path.exists(place):
        return 0
    with open(place, encoding="utf-8") as file:
        return sum(1 for _ in file)


def _plain(question: Question) -> dict[str, Any]:
    return {
        "points": question.points,
        "text": question.text,
        "shape": list(question.answer.shape),
        "answer": question.answer.ravel().tolist(),
        "tolerance": question.tolerance,
    }


def _shown(answer: Any) -> str:
    return " ".join(f"{each:.6g}" for each in np.ravel(answer))
