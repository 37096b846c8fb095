"""A quiz as one offline page: it asks, checks and explains without a kernel.

Nothing is computed in the page. For each question the usual mistakes are made here, once, and
`viz.quizzes.hints` says what it says about each; the page looks an answer up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from minitape.safety.silence import Silence

from ..base.spoken import spoken
from ..player.offline import article
from ..player.packing import data_script
from ..player.program import script
from .hints import MAX_PATHS, Clues, hint
from .numbers import ABSOLUTE, RELATIVE, Numbers, same
from .pictures import picture_html
from .questions import Question

FACTORS = (-1.0, 0.5, 2.0)


def quiz_page(
    title: str, questions: Sequence[Question], pictures: Sequence[str], tries: int
) -> str:
    """Give the page: `title` above `quiz_fragment`."""
    return article(title or "A quiz", quiz_fragment(questions, pictures, tries))


def quiz_fragment(questions: Sequence[Question], pictures: Sequence[str], tries: int) -> str:
    """Give the quiz as a part of a page.

    Args:
        questions: What is asked.
        pictures: For each question the tape as far as it is known, then the whole of it; SVG.
        tries: After how many wrong answers the right one is shown.
    """
    data: dict[str, Any] = {
        "tries": tries,
        "relative": RELATIVE,
        "absolute": ABSOLUTE,
        "pictures": [picture_html(picture) for picture in pictures],
        "questions": [_plain(question) for question in questions],
    }
    items = "".join(f"<li>{spoken(question.brief)}</li>" for question in questions)
    form = (
        '<div class="minitape-quiz"><div class="picture"></div>'
        '<p class="question" role="status"></p>'
        '<form><label>Answer <input placeholder="a number, or [1.0, 2.5]" autocomplete="off">'
        "</label> "
        '<button class="check">Check</button> <button type="button" class="give">Show the answer'
        '</button></form><p class="said" role="status"></p>'
        f"<details><summary>All questions</summary><ol>{items}</ol></details>"
    )
    return f"{form}{data_script(data)}</div>{script('quiz')}"


def _plain(question: Question) -> dict[str, Any]:
    clues = question.clues
    mistakes = [(each, hint(each, clues)) for each in _mistakes(clues)]
    shape = clues.expected.shape
    other_shape = np.zeros((*shape, 7, 7))
    far_off = np.linspace(1e30, 3.3e30, max(clues.expected.size, 1)).reshape(shape)
    return {
        "text": spoken(question.text),
        "solution": spoken(question.solution),
        "expected": _numbers(clues.expected),
        "mistakes": [{"is": _numbers(each), "say": spoken(said)} for each, said in mistakes],
        "one": spoken(hint(np.array(np.nan), clues)) if shape else "",
        "shape": spoken(hint(other_shape, clues).rpartition("; ")[2]),
        "else": spoken(hint(far_off, clues)),
    }


def _mistakes(clues: Clues) -> Iterator[Numbers]:
    """The answers of those who forgot something, each of which has a hint of its own."""
    seen: list[Numbers] = [clues.expected]
    with Silence():
        for each in _candidates(clues):
            answer = np.asarray(each)
            if not any(same(answer, other) for other in seen):
                seen.append(answer)
                yield answer


def _candidates(clues: Clues) -> Iterator[Any]:
    expected, g, local = clues.expected, clues.incoming, clues.local
    yield from (each for each in (g, local, clues.value) if each is not None)
    if g is not None and local is not None:
        yield from (np.broadcast_to(each, expected.shape) for each in _fitting(local, g, expected))
    yield from (other for _, other in clues.others)
    yield from (expected * factor for factor in FACTORS)
    if clues.count > 1:
        yield from (expected * clues.count, expected / clues.count)
    if expected.ndim == 2:
        yield expected.T
    paths = [path for _, path in clues.paths][:MAX_PATHS]
    for count in range(1, len(paths)):
        yield from (sum(some) for some in combinations(paths, count))
    if len(paths) > 1:
        yield from (paths[0] - paths[1], np.prod(paths, axis=0), sum(paths) / len(paths))
    yield np.zeros(expected.shape)


def _fitting(local: Numbers, g: Numbers, expected: Numbers) -> Iterator[Numbers]:
    for each in (local, local + g):
        if each.ndim <= expected.ndim and np.broadcast_shapes(each.shape, expected.shape) == (
            expected.shape
        ):
            yield each


def _numbers(array: Numbers) -> dict[str, Any]:
    """Shape and numbers; what JSON has no number for is a text."""
    flat = [_number(value) for value in np.ravel(array).tolist()]
    return {"shape": list(array.shape), "numbers": flat}


def _number(value: Any) -> Any:
    if np.isfinite(value):
        return value
    return {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
