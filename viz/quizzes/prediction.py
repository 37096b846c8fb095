"""`viz.predict`: a question, the learner's answer, and the output folded until it is asked for.

It is an ordinary output of a cell, HTML that needs no script. So a running notebook, one that is
not trusted, an export and a page show the same, and the fold is the browser's own: Tab leads to it,
Enter opens it, and a screen reader says whether it is open.
"""

from __future__ import annotations

import base64
import html
import sys
from types import TracebackType
from typing import Any

from ..base.spoken import written

# What slides take apart: each output, and the answer.
SHOWN = '<div class="minitape-shown">'
ANSWER = '<p class="minitape-answer">'


class Prediction:
    """A question about a piece of code; its output stays folded until it is asked for.

    Args:
        question: what to predict; `names` in backticks are shown as code, *words* emphasised.
        answer: what to say about the output, below it; may be empty.
        alt: the alternative text of the pictures that are drawn.

    Attributes:
        question: the question.
        answer: the answer in words.
    """

    def __init__(self, question: str, answer: object = "", alt: str = "") -> None:
        self.question, self.answer = str(question), str(answer)
        self._alt = alt
        self._shown: list[dict[str, Any]] = []  # outputs by their types, in order
        self._capture: Any = None

    def __enter__(self) -> Prediction:
        if _in_notebook():
            from IPython.utils.capture import capture_output

            self._capture = capture_output()
            self._caught = self._capture.__enter__()
        else:
            print(f"Predict: {self.question}")
        return self

    def show(self, thing: Any) -> None:
        """Shows an object among the output, as the last line of a cell would."""
        if self._capture is None:
            print(repr(thing))
            return
        _display(thing)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._capture is None:
            print(self.answer or "")
            return
        self._capture.__exit__(kind, error, traceback)
        self._capture = None
        caught = self._caught
        written = [{"text/plain": text} for text in (caught.stdout, caught.stderr) if text]
        self._shown = [*written, *(dict(output.data) for output in caught.outputs)]
        _display(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The fold as HTML, and everything as lines of text where no page is shown."""
        return {"text/plain": repr(self), "text/html": self.html}

    def __repr__(self) -> str:
        plain = [each.get("text/plain", "").rstrip() for each in self._shown]
        return "\n".join(filter(None, [f"Predict: {self.question}", *plain, self.answer]))

    @property
    def html(self) -> str:
        """Question, field and fold."""
        shown = [_element(each, self._alt) for each in self._shown]
        outputs = "".join(f"{SHOWN}{element}</div>" for element in shown)
        answer = f"{ANSWER}{written(self.answer)}</p>" if self.answer else ""
        return (
            '<div class="minitape-predict" role="group" aria-label="Predict before you see" '
            'data-lm-suppress-shortcuts="true">'
            f"<p><strong>Predict.</strong> {written(self.question)}</p>"
            '<p><label>Your answer: <input type="text" size="40"></label></p>'
            f"<details><summary>Show what happens</summary>{outputs}{answer}</details></div>"
        )


def predict(question: str, answer: object = "", alt: str = "") -> Prediction:
    """Asks for a prediction before an output is seen.

    As a `with` block it folds what the block prints, draws and shows; as the last line of a cell it
    folds the answer alone. Outside of a notebook nothing is folded: question, output and answer are
    printed in this order.

    Args:
        question: what to predict; `names` in backticks are shown as code, *words* emphasised.
        answer: what to say about the output, below it: words, or a number; may be empty in a `with`
            block.
        alt: the alternative text of the pictures that the block draws.

    Returns:
        The question; in a `with` block its `show(thing)` shows an object such as a player.

    Example:
        >>> with predict("What is twice 3?", "6: it was added to itself."):
        ...     print(3 + 3)
        Predict: What is twice 3?
        6
        6: it was added to itself.
    """
    return Prediction(question, answer, alt)


def _in_notebook() -> bool:
    """Whether outputs go to a notebook: a kernel or a test's shell runs in this process."""
    module = sys.modules.get("IPython")
    return module is not None and module.get_ipython() is not None


def _display(thing: Any) -> None:
    from IPython.display import display

    display(thing)  # type: ignore[no-untyped-call]


def _element(output: dict[str, Any], alt: str) -> str:
    """One output as HTML; what is no HTML by itself is text or a picture."""
    if "text/html" in output:
        return str(output["text/html"])
    if "image/svg+xml" in output:
        return drawn(output["image/svg+xml"], alt)
    if "image/png" in output:
        data = output["image/png"]
        coded = data if isinstance(data, str) else base64.b64encode(data).decode()
        return _picture("png", coded.strip(), alt)
    return f"<pre>{html.escape(output.get('text/plain', '').rstrip())}</pre>"


def drawn(svg: str, alt: str) -> str:
    """A drawing as HTML: a picture, so that names inside it meet none of another drawing."""
    return _picture("svg+xml", base64.b64encode("".join(svg).encode()).decode(), alt)


def _picture(kind: str, coded: str, alt: str) -> str:
    said = html.escape(alt or "The plot that the code above draws.", quote=True)
    return f'<p class="drawing"><img src="data:image/{kind};base64,{coded}" alt="{said}"></p>'
