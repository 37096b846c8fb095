"""`viz.quiz`: the learner's own tape with its numbers hidden, asked for step by step.

A wrong answer may be corrected; the first try counts whole, the second half, the third a quarter,
then the answer is shown. Nothing that a learner types is ever evaluated.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..base.spoken import spoken
from ..export.drawn import Drawn, save_drawn
from ..export.items import Sheet
from ..export.reading import sheet_of
from ..picture.svg import svg
from ..player.drawing import with_words
from ..record.build import build
from ..record.journal import journal_in_use
from ..record.lines import calling_frame
from ..record.names import tensors_in
from ..record.tapes import recording_of
from ..trace.trace import Trace
from .hints import hint
from .numbers import AnswerError, numbers, same
from .pictures import picture_html
from .questions import Question, questions

TRIES = 3
OFFLINE = "MINITAPE_OFFLINE_PAGE"  # set where a notebook is run for a page without a kernel


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is said about an answer.

    Attributes:
        correct: whether it is right.
        hint: what is probably wrong, "" for a right answer.
        solution: the right answer and how to get there; "" while there are tries left.
    """

    correct: bool
    hint: str = ""
    solution: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, ["Right." if self.correct else self.hint, self.solution]))


class Quiz:
    """Questions about one backward pass.

    Attributes:
        questions: all of them.
        number: which one is asked now, from 0.
        points: for each finished question from 0 to 1.
    """

    def __init__(self, trace: Trace, asked: list[Question]) -> None:
        self._trace = trace
        self.questions = asked
        self.number = 0
        self.tries = 0
        self.points: list[float] = []

    @property
    def finished(self) -> bool:
        """Whether every question was answered or given up."""
        return self.number >= len(self.questions)

    @property
    def score(self) -> float:
        """The points so far as a share of all that can be had, from 0 to 1."""
        return sum(self.points) / len(self.questions)

    def ask(self) -> str:
        """The question that is to be answered now."""
        if self.finished:
            return f"That was the last question. Your score is {100 * self.score:.0f} %."
        number = f"Question {self.number + 1} of {len(self.questions)}"
        return f"{number}. {self.questions[self.number].text}"

    def answer(self, value: Any) -> Feedback:
        """Checks an answer; a right one, and the last wrong one, leads to the next question.

        Args:
            value: a number, nested lists, an array, a tensor, or text such as "[1.0, -2.5]".

        Raises:
            RuntimeError: if the quiz is finished.
            AnswerError: if the value holds no numbers; that does not count as a try.
        """
        question = self._current()
        given = numbers(value)
        if same(given, question.clues.expected):
            self._next(0.5**self.tries)
            return Feedback(True, solution=question.solution)
        self.tries += 1
        said = hint(given, question.clues)
        if self.tries < TRIES:
            return Feedback(False, said)
        self._next(0.0)
        return Feedback(False, said, question.solution)

    def give_up(self) -> Feedback:
        """Shows the answer, without points, and goes on to the next question."""
        question = self._current()
        self._next(0.0)
        return Feedback(False, solution=question.solution)

    def assert_passed(self, share: float = 0.8) -> None:
        """For the end of a notebook: raises unless all was answered with such a score.

        Raises:
            AssertionError: if questions are left, or the score is lower.
        """
        if not self.finished:
            left = len(self.questions) - self.number
            raise AssertionError(f"{left} of {len(self.questions)} questions are not answered yet")
        if self.score < share:
            raise AssertionError(f"the score is {self.score:.2f}, and {share:.2f} is needed")

    def widget(self) -> Any:
        """The quiz as a live widget: a field for the answer, and what is said about it.

        Raises:
            MissingExtraError: ipywidgets is not installed.
        """
        from .widget import quiz_widget

        return quiz_widget(self)

    @property
    def picture(self) -> str:
        """The tape as SVG with the numbers that are known already; the others are not in it."""
        return self._picture(self.number)

    def _picture(self, number: int) -> str:
        last = len(self._trace.steps) - 1
        step = self.questions[number].step if number < len(self.questions) else last
        return svg(self._trace, step=min(step, last))

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes the quiz as one offline page that asks, checks and explains, or as a picture.

        The page begins at its first question; the answers are packed, so that one does not read
        them by chance. Questions about complex numbers are left out, as a page cannot read them.
        The picture has the question that is asked now, and the tape with what is known already.

        Args:
            path: ends in .html for the page; in .svg, .png, .pdf, .tex or .pptx for the picture.
            **options: `width` ("120mm"), `theme` ("light", "dark" or "grey"), `dpi` and `fonts`, as
                for `viz.step(...).save`.

        Raises:
            ValueError: The ending, or an option, is another one, or a page has no question left.
            MissingExtraError: The format needs a package; the message says how to install it.
        """

        def sheet() -> Sheet:
            return with_words(sheet_of(self.picture), self.ask())

        quiz = Drawn("a quiz", sheet, own={".html": self._page})
        return save_drawn(quiz, path, **options)

    def _page(self) -> str:
        from .offline import quiz_page

        return quiz_page(self._trace.title, *self._for_a_page())

    def _for_a_page(self) -> tuple[list[Question], list[str], int]:
        """What `quiz_fragment` takes: questions, pictures, tries."""
        real = [i for i, q in enumerate(self.questions) if not np.iscomplexobj(q.clues.expected)]
        if not real:
            raise ValueError("all answers are complex numbers, which a page cannot read")
        pictures = [self._picture(i) for i in (*real, len(self.questions))]
        return [self.questions[i] for i in real], pictures, TRIES

    def _display_(self) -> object:
        """Shows the quiz in marimo, which runs no scripts of an output's HTML, as its own page."""
        import marimo

        return marimo.iframe(self._page(), height="700px")

    @property
    def html(self) -> str:
        """The picture, the question of now, and the list of all without what would be answers."""
        items = "".join(f"<li>{spoken(question.brief)}</li>" for question in self.questions)
        now = f"<p>{spoken(self.ask())}</p>"
        how = "<p>Answer in Python: <code>q.ask()</code>, <code>q.answer(6.0)</code>.</p>"
        state = f"<p><b>{html.escape(self._state())}</b></p>"
        return f"{picture_html(self.picture)}{state}{now}{how}<ol>{items}</ol>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The widget where it can live, with the list of questions for readers without it.

        In a notebook that is run for an offline page it is the quiz that asks by itself.
        """
        if os.environ.get(OFFLINE):
            from .offline import quiz_fragment

            return {"text/plain": repr(self), "text/html": quiz_fragment(*self._for_a_page())}
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self.html}
        try:
            live = self.widget()._repr_mimebundle_()
        except ImportError:
            return bundle
        return {**(live[0] if isinstance(live, tuple) else live or {}), **bundle}

    def _state(self) -> str:
        done = f"{min(self.number, len(self.questions))} of {len(self.questions)} answered"
        return f"{done}, score {100 * self.score:.0f} %"

    def __repr__(self) -> str:
        return f"<Quiz: {self._state()}>"

    def _current(self) -> Question:
        if self.finished:
            raise RuntimeError("the quiz is finished: look at .score, or start a new one")
        return self.questions[self.number]

    def _next(self, points: float) -> None:
        self.points.append(points)
        self.number += 1
        self.tries = 0


def quiz(tape: Any, target: Any, sources: Any, limit: int = 12) -> Quiz:
    """Makes a quiz of a tape: the learner computes the backward pass, number by number.

    The tape is not used up.

    Args:
        tape: a GradientTape that has recorded, not yet used up.
        target: what to differentiate.
        sources: with respect to what.
        limit: how many questions at most; of a longer pass, evenly chosen steps are asked.

    Raises:
        TypeError: if `tape` is not a GradientTape, or target or sources are not tensors.
        RuntimeError: if the tape has released what it recorded.
        ValueError: if there is nothing to ask, or the limit is below 1.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = tf.sin(x) * 2.0
        >>> q = viz.quiz(tape, y, x)
        >>> q.answer(2.0).correct
        True
        >>> print(q.ask()[-53:])
        t 2.0 comes in there. What does `sin` pass on to `x`?
        >>> print(q.answer("-0.99").hint[:41])
        That is the local derivative of `sin` alo
        >>> q.answer(-1.98).correct, q.answer(-1.98).correct, q.score
        (True, True, 0.8333333333333334)
    """
    from minitape.request import Request

    if not isinstance(limit, int) or limit < 1:
        raise ValueError(f"limit is {limit!r}; ask at least 1 question")
    recording = recording_of(tape)
    request = Request(target, sources)
    records = recording.records
    names = tensors_in(calling_frame(), request.targets)
    trace = build(
        request, records, recording, names, journal=journal_in_use(), persistent=tape.persistent
    ).trace
    asked = questions(trace, limit)
    if not asked:
        raise ValueError(
            "there is nothing to ask: no path leads from the target to the sources, or all arrays "
            "are larger than 9 elements. Take a small example; viz.explain says why a gradient is "
            "None."
        )
    made = Quiz(trace, asked)
    if _kept is not None:
        _kept.append(made)
    return made


_kept: list[Quiz] | None = None


@contextmanager
def kept_quizzes() -> Iterator[list[Quiz]]:
    """Keeps each quiz that is made in the block: a page is made of them."""
    global _kept
    before, _kept = _kept, []
    try:
        yield _kept
    finally:
        _kept = before


__all__ = ["AnswerError", "Feedback", "Quiz", "quiz"]
