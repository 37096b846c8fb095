"""The quiz as a widget: question, field, buttons, and what is said about the answer.

It only shows what `Quiz` says; text is escaped, so it is never markup. Needs ipywidgets.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol

from ..base.advice import getting
from ..base.spoken import spoken
from ..errors import MissingExtraError
from .numbers import AnswerError
from .pictures import picture_html

try:
    import ipywidgets
except ImportError as missing:
    raise MissingExtraError(
        "a live quiz needs the package 'ipywidgets', which is not installed; "
        f"{getting('ipywidgets')}; without it use q.ask() and q.answer(...)"
    ) from missing


class Asked(Protocol):
    """What the widget needs of a quiz."""

    @property
    def picture(self) -> str:
        """The tape as SVG, as far as it is known."""

    @property
    def finished(self) -> bool:
        """Whether no question is left."""

    def ask(self) -> str:
        """The question of now."""

    def answer(self, value: Any) -> Any:
        """What is said about an answer."""

    def give_up(self) -> Any:
        """The answer."""


def quiz_widget(quiz: Asked) -> Any:
    """The widget of a quiz; several widgets of one quiz go on from where it is."""
    picture, question, said = (ipywidgets.HTML() for _ in range(3))
    field = ipywidgets.Text(placeholder="a number, or [1.0, 2.5]", description="Answer")
    check = ipywidgets.Button(description="Check", button_style="primary")
    give_up = ipywidgets.Button(description="Show the answer")

    def show(text: str) -> None:
        picture.value = picture_html(quiz.picture)
        question.value = f'<div style="font-size:110%">{spoken(quiz.ask())}</div>'
        said.value = f'<div role="status" style="min-height:3em">{spoken(text)}</div>'
        field.disabled = check.disabled = give_up.disabled = quiz.finished

    def answered(_: Any) -> None:
        if quiz.finished:
            return
        try:
            feedback = quiz.answer(field.value)
        except AnswerError as error:
            show(str(error))
            return
        field.value = "" if feedback.correct or feedback.solution else field.value
        show(("✓ " if feedback.correct else "✗ ") + str(feedback))

    def given_up(_: Any) -> None:
        if not quiz.finished:
            field.value = ""
            show(str(quiz.give_up()))

    check.on_click(answered)
    with warnings.catch_warnings():  # What replaces it also fires when the field is left.
        warnings.simplefilter("ignore", DeprecationWarning)
        field.on_submit(answered)
    give_up.on_click(given_up)
    show("")
    return ipywidgets.VBox([picture, question, ipywidgets.HBox([field, check, give_up]), said])
