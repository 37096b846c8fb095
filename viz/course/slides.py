"""What of a lesson is a slide: a plan of sections, one idea each, made of its notebook's cells.

Nothing is written twice. A cell's first line in the source may say what stands on the slide
(`slide`); the text of the cell becomes the speaker's notes. `deck` makes pages.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..quizzes.prediction import ANSWER, SHOWN
from .running import with_outputs

CODE_LINES = 15  # of one slide, in a type that the last row can read
TIGHT_ROWS = 21.5  # of a class that would be cut: its lines stand closer, empty ones are low
EMPTY_ROW = 0.35
WITH_OUTPUT = 17  # so many lines are code and what it prints, on a slide without words
BESIDE_LINES = 8  # so much code and output stand on one slide
ASKED_ROWS = 18  # so many rows of code stand on a slide with a question; a line of words is two
COLUMNS = 96  # then a line of code is wrapped
WORDS = 45
FURTHER = "## Further:"
SEVERAL = " | "  # between the titles of a cell's slides: its code, then what it shows


class Slide(NamedTuple):
    """One slide.

    Attributes:
        kind: "title", "text", "question", "code", "output", "player", "picture" or "answer".
        heading: its heading as Markdown.
        parts: what stands below, as pairs of a form ("markdown", "code", "text", "html", "png") and
            a text.
        notes: the speaker's notes as Markdown.
    """

    kind: str
    heading: str
    parts: tuple[tuple[str, str], ...]
    notes: str = ""


def slides(notebook: Path) -> list[Slide]:
    """The slides of a lesson, in order; what is on no slide is notes of the one before."""
    found: list[Slide] = []
    heading, exercises = "", False
    for cell in json.loads(with_outputs(notebook))["cells"]:
        text, own = "".join(cell["source"]), cell["metadata"]
        if text.startswith(FURTHER):
            break  # what is for those who want more stands behind all else, and on no slide
        exercises = (exercises or text.startswith("## Exercises")) and not text.startswith(
            "## What"
        )
        if "nbgrader" in own or (cell["cell_type"] == "code" and _hidden(own, exercises)):
            continue
        if cell["cell_type"] == "markdown":
            heading = _heading(text) or heading
        made = list(
            _of_text(text, own) if cell["cell_type"] == "markdown" else _of_code(cell, heading)
        )
        if made and found and _fits_below(found[-1], made[0]):
            joined = found.pop()._replace(kind="code")
            made[0] = joined._replace(parts=joined.parts + made[0].parts)
        elif made and found and _asks_of(found[-1], made[0]):
            made[0] = _asked_below(found.pop(), made[0])
        if made:
            found += made[:1] if exercises and not text.startswith("#") else made
        _note(found, own.get("notes", ""))
        if cell["cell_type"] == "markdown":
            _note(found, text)
    return found


def _fits_below(slide: Slide, code: Slide) -> bool:
    """Whether a few lines of code can stand below the words that lead to them."""
    if (slide.kind, code.kind) != ("text", "code") or len(slide.parts) != 1:
        return False
    words = slide.parts[0][1]
    listed = re.search(r"^[-|*>$] ?|\$\$|^\d+\. ", words, re.MULTILINE)
    rows = sum(_rows(text) for _, text in code.parts) + 2 * -(-len(words) // COLUMNS)
    return not listed and rows <= BESIDE_LINES + 4


def _asks_of(slide: Slide, question: Slide) -> bool:
    """Whether a question can stand below the program that it is about."""
    if (slide.kind, question.kind) != ("code", "question") or slide.heading != question.heading:
        return False
    parts = slide.parts + question.parts
    words = {"markdown": 60, "html": 50}  # letters of a line
    large = sum(-(-len(text) // words[form]) for form, text in parts if form in words)
    code = sum(1 + _rows(text) for form, text in parts if form == "code")
    return all(form != "text" for form, _ in parts) and code + 2 * large <= ASKED_ROWS


def _asked_below(slide: Slide, question: Slide) -> Slide:
    """One slide of a program and the question about it."""
    code = "\n\n".join(t for form, t in slide.parts + question.parts if form == "code")
    said = tuple(part for part in slide.parts if part[0] == "markdown")
    asked = tuple(part for part in question.parts if part[0] == "html")
    return question._replace(parts=(*said, ("code", code), *asked), notes=slide.notes)


def _hidden(own: dict[str, Any], exercises: bool) -> bool:
    return exercises or own.get("slide") == "" or "setup" in own.get("tags", [])


def _too_long_to_show(text: str, own: dict[str, Any]) -> bool:
    """Whether this is a helper that takes more than a slide: it is in the notebook alone."""
    return "given" in own.get("tags", []) and len(list(_pages(text))) > 1


def _note(found: list[Slide], text: str) -> None:
    """Adds to the notes of the last slide."""
    if found and text:
        last = found[-1]
        found[-1] = last._replace(notes="\n\n".join(filter(None, [last.notes, text])))


def _heading(text: str) -> str:
    """The heading that a text brings for the code below it, without its marks."""
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return str(found[-1]) if found else ""


def _of_text(text: str, own: dict[str, Any]) -> Iterator[Slide]:
    """The slide of a text: what `slide` says, or a heading with its first sentence or its list."""
    if own.get("slide") == "":
        return
    heading = _heading(text)
    kind = "title" if text.startswith("# ") else "text"
    thought = text.startswith("**To think about") and len(text.split()) <= 2 * WORDS
    if "slide" in own:
        body = re.sub(r"^#+ .*\n*", "", own["slide"])
        heading = _heading(own["slide"]) or heading
    elif re.match("#+ ", text) or text.startswith("**To think about"):
        body = text if thought else _gist(re.sub(r"\A(?:#+ .*\n*)+", "", text).strip())
    else:
        return
    question = kind == "text" and text.startswith("**To think")
    heading = "To think about" if question else heading
    yield Slide("question" if question else kind, heading, (("markdown", body),))


def _gist(text: str) -> str:
    """A list or table that the text begins with, a short one further down, or a sentence."""
    blocks = text.split("\n\n")
    listed = [block for block in blocks if re.match(r"[-|*] |\| ", block)]
    if listed and (listed == blocks[:1] or len(listed[0].split()) <= WORDS):
        return listed[0]
    return _sentence(blocks[0])


def _sentence(text: str) -> str:
    """The first sentence; one that leads to code ends in a colon."""
    flat = " ".join(text.split())
    sentence = re.match(r".*?(?:[.?!](?=\s|\**$)|:$)\**", flat)
    return sentence[0] if sentence else flat


def _of_code(cell: dict[str, Any], heading: str) -> Iterator[Slide]:
    """The slides of a cell of code, each under its own title where `slide` gives several."""
    titles = cell["metadata"].get("slide", heading).split(SEVERAL)
    for at, slide in enumerate(_untitled(cell, titles[0])):
        yield slide._replace(heading=titles[min(at, len(titles) - 1)])


def _untitled(cell: dict[str, Any], heading: str) -> Iterator[Slide]:
    """The code of a cell, then each output on a slide of its own."""
    own, text = cell["metadata"], "".join(cell["source"])
    asked = [_data(each) for each in cell["outputs"]]
    asked = [each for each in asked if "minitape-predict" in each.get("text/html", "")]
    if asked:
        yield from _of_prediction(asked[0]["text/html"], heading)
        return
    outputs = [_output(each) for each in cell["outputs"]]
    drawn = any(form != "text" for form, _ in outputs) and text.count("\n") < 2
    if drawn or "picture" in own.get("tags", []) or _too_long_to_show(text, own):
        text = ""  # what only draws
    texts = "\n".join(shown for form, shown in outputs if form == "text").strip("\n")
    pages = [("code", part) for part in _pages(_close(text))]
    printed = [("text", part) for part in _pages(texts, code=False)]
    last = pages[-1:] + printed
    if pages and len(last) == 2 and sum(_rows(part) for _, part in last) <= WITH_OUTPUT:
        yield from (Slide("code", heading, (part,)) for part in pages[:-1])
        yield Slide("code", heading, tuple(last))
    else:
        yield from (Slide("code", heading, (part,)) for part in pages)
        yield from (Slide("output", heading, (part,)) for part in printed)
    alt = own.get("alt", "")
    yield from (_figure(form, shown, heading, alt) for form, shown in outputs if form != "text")


def _of_prediction(made: str, heading: str) -> Iterator[Slide]:
    """Question, answer, and what else is shown; its code, which tells, is in the notebook alone."""
    question, _, fold = made.partition("<details>")
    asked = re.sub(r"<p><strong>Predict.</strong> (.*?)</p>.*", r"\1", question.split(">", 1)[1])
    shown, _, answer = fold.partition(ANSWER)
    answer = answer.partition("</p>")[0]
    yield Slide("question", heading, (("html", f'<p class="asked">{asked}</p>'),))
    parts = [each.rpartition("</div>")[0] for each in shown.split(SHOWN)[1:]]
    texts = [part for part in parts if part.startswith("<pre>")]
    written = html.unescape("\n".join(re.sub("</?pre>", "", part) for part in texts))
    pages = [] if _rows(written) <= BESIDE_LINES else list(_pages(written, code=False))
    yield from (Slide("output", heading, (("text", part),)) for part in pages)
    shown_text = [("text", written)] if written and not pages else []
    yield Slide("answer", heading, (*shown_text, ("html", f'<p class="said">{answer}</p>')))
    yield from (_figure("html", part, heading, "") for part in parts if part not in texts)


def _figure(form: str, shown: str, heading: str, alt: str) -> Slide:
    """A slide that holds a player, a movable plot or a picture, and nothing else."""
    kind = "player" if 'class="minitape-player' in shown else "picture"
    return Slide(kind, heading, ((form, shown),), alt)


def _close(code: str) -> str:
    """Short code with one empty line where a module has two."""
    close = re.sub(r"\n{3,}", "\n\n", code)
    return close if _rows(close) <= WITH_OUTPUT else code


def _pages(text: str, code: bool = True) -> Iterator[str]:
    """A text in pieces that fit on a slide, cut at an empty line where there is one."""
    lines = text.strip("\n").splitlines() if text.strip() else []
    while lines:
        room, taken = CODE_LINES, 0
        while taken < len(lines) and (room := room - _rows(lines[taken])) >= 0:
            taken += 1
        taken = max(taken, 1)
        if taken < len(lines):
            taken = _cut(lines, taken, code)
        yield "\n".join(lines[:taken]).strip("\n")
        lines = lines[taken:]
        while lines and not lines[0].strip():
            lines.pop(0)


def _cut(lines: list[str], taken: int, code: bool) -> int:
    """How many of the lines are one piece: no class or function is cut that fits in tight lines."""
    starts = [i for i in range(2, len(lines)) if not lines[i - 1].strip() and lines[i].strip()]
    begins = [i for i in starts if not lines[i].startswith(" ")]
    before = [i for i in begins if taken // 2 <= i - 1 <= taken]
    if code and not before:
        before = [i for i in begins if i - 1 < taken]
        whole = next((i for i in begins if i > taken), len(lines))
        if tight_rows("\n".join(lines[:whole])) <= TIGHT_ROWS:
            return whole
    if before and code:
        return before[-1]
    empty = [i - 1 for i in starts if taken // 2 <= i - 1 < taken]
    return empty[-1] if empty else taken


def tight_rows(text: str) -> float:
    """How high code is in tight lines, where empty lines are low and two of them are one."""
    pieces = [piece for piece in re.split(r"\n(?:[ ]*\n)+", text.strip("\n")) if piece]
    return sum(map(_rows, pieces)) + EMPTY_ROW * (len(pieces) - 1)


def _rows(text: str) -> int:
    """How many lines a text takes on a slide, where long ones are wrapped."""
    return sum(1 + max(0, len(line) - 1) // COLUMNS for line in text.split("\n"))


def _data(output: dict[str, Any]) -> dict[str, str]:
    return {kind: "".join(value) for kind, value in output.get("data", {}).items()}


def _output(output: dict[str, Any]) -> tuple[str, str]:
    """An output of a cell as a pair of form and text."""
    if output["output_type"] == "stream":
        return "text", "".join(output["text"])
    data = _data(output)
    if "text/html" in data:
        return "html", data["text/html"]
    if "image/svg+xml" in data:
        return "svg", data["image/svg+xml"]
    if "image/png" in data:
        return "png", data["image/png"].replace("\n", "")
    return "text", data.get("text/plain", "")
