"""What a class would stumble over in a course, found before it does.

Each question is a function from a notebook, before and after it was run, to the faults that it
finds. Nothing is changed; what needs a browser is asked only where there is one, and that is said.

The minutes of a notebook are counted from its words, explained code, predictions and pictures, with
the speeds of a class that follows; what a class really takes depends on its questions.
"""

from __future__ import annotations

import ast
import copy
import html
import json
import posixpath
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..base.terminal import say
from ..course.course import CourseError
from ..course.exercises import BEGINS, ENDS, SOLUTION
from ..course.running import execute
from ..quizzes.prediction import ANSWER, SHOWN
from . import edges
from .folder import OwnCourse, OwnLesson, section_key
from .making import copied
from .running import (
    TIMEOUT,
    environment,
    error_of,
    is_check,
    is_exercise,
    run,
    without_outputs,
)  # fmt: skip

WORDS, LINES = 110.0, 12.0  # spoken, and explained, in a minute
PREDICTION, PICTURE, FORMULA = 2.0, 0.5, 0.5  # minutes for each
IN_CLASS = 1.6  # so many times what is counted
_FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_HOME = re.compile(r"^## (Exercises|Further|At home)", re.MULTILINE)
_DRAWS = re.compile(r"\bplt\.|\bviz\.(step|film|graph|curve|surface|jacobian|explore|memory)\b")


def minutes(book: Any) -> float:
    """The minutes that a notebook takes in class, as far as its exercises.

    Example:
        >>> from types import SimpleNamespace as Thing
        >>> words = Thing(cell_type="markdown", source="word " * 110, metadata={})
        >>> minutes(Thing(cells=[words, words]))
        3.2
    """
    total = 0.0
    for cell in book.cells:
        if cell.cell_type == "markdown":
            if _HOME.search(cell.source):
                break
            total += len(_FORMULA.sub("", cell.source).split()) / WORDS
            total += FORMULA * len(_FORMULA.findall(cell.source))
        elif cell.cell_type == "code":
            total += _of_code(cell.source, cell.metadata.get("tags", []))
        total += float(cell.metadata.get("minutes", 0.0))
    return round(IN_CLASS * total, 1)


def _of_code(source: str, tags: list[str]) -> float:
    if {"setup", "check", "folded"} & set(tags):
        return 0.0
    if "viz.predict(" in source:
        return PREDICTION
    if "picture" in tags:
        return PICTURE
    lines = sum(bool(line.strip()) for line in source.split("\n"))
    return lines / LINES + (PICTURE if _DRAWS.search(source) else 0.0)


LINK = re.compile(
    r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|(?:href|src)=\"([^\"]+)\""
    r"|^\[[^\]^]+\]:\s*<?([^\s>]+)",
    re.MULTILINE,
)
BLIND = re.compile(r"!\[\s*\]\(([^)]+)\)|<img (?![^>]*alt=\"[^\"]+\")[^>]*>")
SLACK = 1.15  # a notebook may take so much more than it says
COMMON = ("None", "True", "False")  # a program prints them again and again
SHORT = 12  # letters of an output that could stand anywhere
DIGITS = 4  # of a number that stands in a text by no chance
NAMED = re.compile(r"(?:\d+[.)] *)?(?:(?:model|sample|the) +)?solutions?\b", re.IGNORECASE)
UNMARKED = re.compile(r"^ *#+ *(?:the +)?solution *:?(?: *$| *:)", re.IGNORECASE | re.MULTILINE)
SAID = re.compile(
    r"\b(?:time|duration|length|takes)\b\W{0,5}(?:about |ca\.? )?(\d+) ?min", re.IGNORECASE
)
TO_DO = re.compile(r"^[\s>*-]*(?:TODO|FIXME|XXX)\b.*", re.MULTILINE)
MATHEMATICS = re.compile(r"\$\$.+?\$\$|(?<![\\$\w])\$(?=\S)[^$\n]+?(?<=[^\s\\])\$(?!\d)", re.DOTALL)
# A sentence that says what comes out, as "which makes 12" and "is then 12" do.
STATES = r"\b(?:is|are|be|makes?|gives?|gets?|becomes?|equals?|yields?|returns?|results? in)\b|="
FILLERS = re.compile(
    r"what|which|where|when|with|does|then|that|this|they|them|there|these|from|into|have|will|your"
    r"|here|much|many|large|print|printed|shows?|values?|numbers?"
)
WRONG = -98765.4321  # an answer that is none
PROBE = "minitape-probe"


@dataclass(frozen=True)
class Fault:
    """One thing that a class would stumble over.

    Attributes:
        lesson: the file.
        cell: which cell, counted from 1; 0 for all of it.
        kind: in a word or two.
        sentence: what is wrong, and what to do.
    """

    lesson: Path
    cell: int
    kind: str
    sentence: str

    def __str__(self) -> str:
        place = f"{self.lesson}, cell {self.cell}" if self.cell else str(self.lesson)
        return f"{place}: {self.sentence} ({self.kind})"


@dataclass(frozen=True)
class Looked:
    """A notebook that is looked at.

    Attributes:
        course: of which it is one.
        lesson: as it is in the folder.
        shown: as learners see it, run; None where a cell raises.
    """

    course: OwnCourse
    lesson: OwnLesson
    shown: Any | None


def check(course: OwnCourse) -> list[Fault]:
    """All faults of a course, lesson by lesson."""
    found: list[Fault] = []
    seen = edges.browser()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "copy"
        copied(course.folder, folder, Path(name))
        for number, lesson in enumerate(course.lessons, 1):
            say(f"{number}/{len(course.lessons)}  {lesson.name}")
            try:
                shown = run(course, lesson, folder, to_the_end=True)
            except CourseError as error:
                found.append(_given_up(lesson, str(error)))
                shown = None
            looked = Looked(course, lesson, shown)
            for question in QUESTIONS:
                found += question(looked)
            if shown is not None:
                found += _solved(lesson, folder / lesson.place)
                found += _edges(looked, seen)
    if seen is None:
        say(
            "No Chromium, Chrome or Edge was found, so no page was opened: of what is wider than a "
            "page only widths and words that stand in a text were seen."
        )
    return found


def _given_up(lesson: OwnLesson, error: str) -> Fault:
    match = re.match(r".*?, cell (\d+): (.*)", error, re.DOTALL)
    number, said = (int(match[1]), match[2]) if match else (0, error)
    return Fault(lesson.source, number, "raises", f"the cell ends in {said}")


def _raising(looked: Looked) -> Iterator[Fault]:
    """Cells that raise; not those which only miss a name that such a cell would have made."""
    missing: set[str] = set()
    for number, cell in _cells(looked.shown, "code") if looked.shown else []:
        error = error_of(cell)
        if error is None:
            continue
        unknown = re.match(r"name '(\w+)' is not defined", error.evalue)
        follows = error.ename == "NameError" and unknown is not None and unknown[1] in missing
        missing |= _made_by(cell.source)
        if follows:
            continue
        said = f"the cell ends in {error.ename}: {error.evalue}"
        kind = "raises"
        if error.ename in ("FileNotFoundError", "ModuleNotFoundError"):
            is_file = error.ename == "FileNotFoundError"
            kind = "missing file" if is_file else "missing package"
            said += (
                "; put the file into the course's folder" if is_file
                else "; say in the course's page what is needed, or do without it"
            )  # fmt: skip
        yield Fault(looked.lesson.source, number, kind, said)


def _made_by(source: str) -> set[str]:
    """The names that a cell makes."""
    plain = re.sub(r"^\s*[%!].*$", "", source, flags=re.MULTILINE)
    try:
        tree = ast.parse(plain)
    except SyntaxError:
        return set(re.findall(r"\w+", plain))  # any of them
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {each.asname or each.name.partition(".")[0] for each in node.names}
    return found


def _links(looked: Looked) -> Iterator[Fault]:
    """Links and pictures that lead nowhere: files, notebooks, sections."""
    for number, cell in _cells(looked.lesson.book, "markdown"):
        for match in LINK.finditer(cell.source):
            target = match[1] or match[2] or match[3]
            is_picture = match[0].startswith(("!", "src"))
            if re.match(r"[a-z][a-z0-9+.-]*:|//", target):
                if is_picture and not target.startswith(("data:", "attachment:")):
                    said = f"offline pages do not show `{target}`: put the file beside the notebook"
                    yield Fault(looked.lesson.source, number, "far picture", said)
                continue  # on the web: not asked for
            path, _, section = unquote(target).partition("#")
            place = looked.lesson.source.parent / path
            other = looked.course.lesson_at(posixpath.join(looked.lesson.place, path))
            if path and not place.exists() and not other:
                thing = "picture" if is_picture else "link to"
                said = f"the {thing} `{target}` leads nowhere: there is no such file"
                kind = "missing picture" if is_picture else "dead link"
                yield Fault(looked.lesson.source, number, kind, said)
                continue
            book = other.book if other else None if path else looked.lesson.book
            if section and book is not None and section_key(section) not in _sections(book):
                said = f"the link to `{target}` leads nowhere: no heading has that name"
                yield Fault(looked.lesson.source, number, "dead link", said)


def _sections(book: Any) -> set[str]:
    """What a link may lead to: headings, and elements that have an `id`."""
    texts = [cell.source for _, cell in _cells(book, "markdown")]
    lines = (line for text in texts for line in text.split("\n") if re.match(r"#+ ", line))
    ids = (section_key(each) for text in texts for each in re.findall(r"\bid=\"([^\"]+)\"", text))
    return {*map(_key, lines), *ids}


def _key(heading: str) -> str:
    return section_key(heading.lstrip("#"))


def _answers_above(looked: Looked) -> Iterator[Fault]:
    """What a prediction or an exercise asks for stands above it already."""
    if looked.shown is None:
        return
    seen: list[tuple[int, str]] = []
    texts: list[tuple[int, str]] = []
    for number, cell in enumerate(looked.shown.cells, 1):
        for text in _folded(cell):
            if text in COMMON:
                continue
            above = next((n for n, t in seen if text == t or _stands_in(text, t)), 0)
            if above:
                said = (
                    f"what the prediction folds, `{text[:40]}`, is printed by cell {above} "
                    "already: put the question first"
                )
                yield Fault(looked.lesson.source, number, "answer above", said)
            elif words := next((n for n, t in texts if _stands_in(text, t)), 0):
                said = (
                    f"what the prediction folds, `{text[:40]}`, stands in the text of cell {words} "
                    "already: put the question first"
                )
                yield Fault(looked.lesson.source, number, "answer above", said)
        if sentence := _said_before(looked.shown, number):
            said = (
                f"the text above this prediction says its answer, `{sentence[:60]}`: put the "
                "question first"
            )
            yield Fault(looked.lesson.source, number, "answer above", said)
        if cell.cell_type == "markdown":
            texts.append((number, cell.source))
        seen += [(number, text) for text in _printed(cell)]


def _said_before(book: Any, number: int) -> str:
    """A sentence between the cell before a prediction and it that states the answer, "" if none.

    Short numbers stand everywhere; so the sentence has to say what comes out, and to speak of what
    the question asks: of its numbers, or of two of its words.
    """
    cell = book.cells[number - 1]
    asked = re.search(r"<strong>Predict\.</strong>(.*?)</p>", _html_of(cell), re.DOTALL)
    if asked is None:
        return ""
    question = html.unescape(re.sub(r"<[^>]+>", "", asked[1]))
    told = re.findall(rf"{re.escape(ANSWER)}\s*({NUMBER})(?![\w.])", _html_of(cell))
    answers = {_plain(each) for each in (*_folded(cell), *told) if re.fullmatch(NUMBER, each)}
    answers -= {_plain(each) for each in re.findall(NUMBER, question)}
    for above in reversed(book.cells[: number - 1]):
        if above.cell_type != "markdown":
            return ""
        for sentence in re.split(r"(?<=[.!?:])\s+|\n\s*\n|\n#+", above.source):
            if not sentence.rstrip().endswith("?") and _states(sentence, answers, question):
                return " ".join(sentence.split())
    return ""


NUMBER = r"[-\u2212]?\d+(?:\.\d+)?"


def _states(sentence: str, answers: set[str], question: str) -> bool:
    said = re.search(STATES, sentence)
    if said is None:
        return False
    after = {_plain(each) for each in re.findall(NUMBER, sentence[said.end() :])}
    numbers = {_plain(each) for each in re.findall(NUMBER, question)}
    shared = numbers & {_plain(each) for each in re.findall(NUMBER, sentence)}
    return bool(after & answers) and (bool(shared) or len(_words(sentence) & _words(question)) >= 2)


def _plain(number: str) -> str:
    """A number without what does not change it: 12.0 is 12."""
    number = number.replace("\u2212", "-")
    return number.rstrip("0").rstrip(".") if "." in number else number


def _words(text: str) -> set[str]:
    return {each for each in re.findall(r"[a-z]{4,}", text.lower()) if not FILLERS.fullmatch(each)}


def _html_of(cell: Any) -> str:
    parts = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])]
    return "".join(part for part in parts if "minitape-predict" in part)


def _quizzes_answered(looked: Looked) -> Iterator[Fault]:
    """A quiz asks for a gradient of a tape that is printed above it."""
    printed: dict[tuple[str, str], int] = {}
    for number, cell in _cells(looked.lesson.book, "code"):
        tree = _parsed(cell.source)
        if tree is None:
            continue
        tapes = {
            item.optional_vars.id for node in ast.walk(tree) if isinstance(node, ast.With)
            for item in node.items if isinstance(item.optional_vars, ast.Name)
        }  # fmt: skip
        printed = {key: n for key, n in printed.items() if key[0] not in tapes}  # a new recording
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if ast.unparse(call.func).rpartition(".")[2] == "quiz" and len(call.args) >= 2:
                above = printed.get(_unparsed(call.args), 0)
                if above:
                    said = (
                        f"the gradient that this quiz asks for is printed by cell {above} already: "
                        "put the quiz first"
                    )
                    yield Fault(looked.lesson.source, number, "answer above", said)
        if not re.search(r"\bpredict\(", cell.source):
            printed |= dict.fromkeys(_gradients_shown(tree), number)


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.MULTILINE))
    except SyntaxError:
        return None


def _unparsed(arguments: Sequence[ast.expr]) -> tuple[str, str]:
    return ast.unparse(arguments[0]), ast.unparse(arguments[1])


def _gradients_shown(tree: ast.Module) -> set[tuple[str, str]]:
    """The tapes and targets whose gradients a cell prints, or shows as its last line."""
    held: dict[str, tuple[str, str]] = {}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            inside = _gradients_in(node.value)
            names = [each.id for t in node.targets for each in ast.walk(t)
                     if isinstance(each, ast.Name)]  # fmt: skip
            held |= {name: key for name in names for key in inside}
    shown: list[ast.AST] = [
        argument for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "display")
        for argument in node.args
    ]  # fmt: skip
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1].value
        shown += [] if isinstance(last, ast.Call) and _is_silent(last) else [last]
    for part in shown:
        found |= _gradients_in(part)
        found |= {held[each.id] for each in ast.walk(part)
                  if isinstance(each, ast.Name) and each.id in held}  # fmt: skip
    return found


def _is_silent(call: ast.Call) -> bool:
    """Whether a last line shows another thing than a gradient: a call that is not one."""
    return not (isinstance(call.func, ast.Attribute) and call.func.attr in ("gradient", "numpy"))


def _gradients_in(part: ast.AST) -> set[tuple[str, str]]:
    return {
        (ast.unparse(node.func.value), ast.unparse(node.args[0]))
        for node in ast.walk(part)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "gradient"
        and node.args
    }


def _stands_in(answer: str, text: str) -> bool:
    """Whether an answer is a number of some digits that stands in a text, or a long line of it."""
    if re.fullmatch(r"-?\d+\.?\d*", answer):
        plain = answer.removesuffix("0").removesuffix(".") if answer.endswith(".0") else answer
        digits = len(re.sub(r"\D", "", plain))
        return digits >= DIGITS and bool(re.search(rf"(?<![\w.]){re.escape(plain)}(?!\.?\d)", text))
    return len(answer) >= SHORT and answer in text


def _solutions_shown(looked: Looked) -> Iterator[Fault]:
    """A solution that learners see: in another cell, in a text, or not marked as one."""
    book = looked.lesson.book
    visible = [(n, SOLUTION.sub("", cell.source)) for n, cell in enumerate(book.cells, 1)]
    for number, cell in _cells(book, "code"):
        for solution in SOLUTION.finditer(cell.source):
            lines = [line.strip() for line in solution[0].rstrip("\n").split("\n")[1:-1]]
            if place := _given_above(book, number, lines):
                said = f"the text of cell {place} gives the answer of this exercise, `{lines[0]}`"
                yield Fault(looked.lesson.source, number, "answer above", said)
            lines = [line for line in lines if len(line) >= SHORT and not line.startswith("#")]
            place = next(
                (n for n, text in visible if lines and all(line in text for line in lines)), 0
            )
            if place:
                where = "above it" if place < number else "and learners see that one"
                said = f"the solution of this exercise stands in cell {place}, {where}"
                kind = "answer above" if place < number else "solution shown"
                yield Fault(looked.lesson.source, number, kind, said)
    under = False
    for number, text in visible:
        cell = book.cells[number - 1]
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            under = bool(headings and NAMED.match(headings[-1])) if headings else under
            shown = BEGINS.search(text) is not None
        else:
            marked = SOLUTION.search(cell.source) is not None
            tagged = {"solution", "answer"} & set(cell.metadata.get("tags", []))
            called = UNMARKED.search(text)
            shown = bool(not marked and text.strip() and (under or tagged or called))
        if shown:
            said = (
                "learners see this solution: put it into a cell of code between `### BEGIN "
                "SOLUTION` and `### END SOLUTION`"
            )
            yield Fault(looked.lesson.source, number, "solution shown", said)


def _given_above(book: Any, number: int, solution: list[str]) -> int:
    """The text right above an exercise that has its one line as code, 0 if none has."""
    if len(solution) != 1:
        return 0
    expression = re.sub(r"^(?:return\b|\w+ *=(?!=)) *", "", solution[0])
    if not re.search(r"\w *[-+*/@(]+ *\w", expression):
        return 0
    texts = [(n, cell) for n, cell in _cells(book, "markdown") if n < number][-1:]
    return next((n for n, cell in texts if f"`{expression}`" in cell.source), 0)


def _folded(cell: Any) -> Iterator[str]:
    """The texts that a prediction folds."""
    for output in cell.get("outputs", []):
        made = output.get("data", {}).get("text/html", "")
        if "minitape-predict" in made:
            for part in made.split(SHOWN)[1:]:
                text = re.match(r"<pre>(.*?)</pre>", part, re.DOTALL)
                if text:
                    yield text[1].strip()


def _printed(cell: Any) -> Iterator[str]:
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield from (line.strip() for line in "".join(output.text).split("\n") if line.strip())
        elif "minitape-predict" not in output.get("data", {}).get("text/html", ""):
            text = "".join(output.get("data", {}).get("text/plain", ""))
            yield from (line.strip() for line in text.split("\n") if line.strip())


def _minutes(looked: Looked) -> Iterator[Fault]:
    """More minutes than `course.toml` says, or the notebook itself."""
    asked, counted = looked.lesson.minutes, minutes(looked.lesson.book)
    where = "course.toml"
    first = next((cell.source for _, cell in _cells(looked.lesson.book, "markdown")), "")
    allowed = SLACK
    if asked is None and (match := SAID.search(first)):
        # Words in a text are a lecturer's own guess: of use where not even its reading fits in.
        asked, where, allowed = float(match[1]), "its first cell", IN_CLASS
    if asked is not None and counted > allowed * asked:
        said = (
            f"it takes about {counted:.0f} minutes in class, and {where} says {asked:g}: move "
            "something behind `## Exercises` or `## Further`"
        )
        yield Fault(looked.lesson.source, 0, "too long", said)


def _titles(looked: Looked) -> Iterator[Fault]:
    first = next((cell for cell in looked.lesson.book.cells), None)
    if first is None:
        yield Fault(looked.lesson.source, 0, "empty", "the notebook has no cells")
    elif first.cell_type != "markdown" or not re.search(r"^# ", first.source, re.MULTILINE):
        said = "begin with a title, `# ...`: pages and slides take theirs from it"
        yield Fault(looked.lesson.source, 1, "no title", said)


def _marks(looked: Looked) -> Iterator[Fault]:
    """Solutions that do not end, and checks without an exercise before them."""
    asked = False
    for number, cell in _cells(looked.lesson.book, "code"):
        begins, ends = (len(each.findall(cell.source)) for each in (BEGINS, ENDS))
        if begins != ends:
            said = (
                f"`### BEGIN SOLUTION` stands {begins} times and `### END SOLUTION` {ends} times: "
                "the solution would be shown"
            )
            yield Fault(looked.lesson.source, number, "solution open", said)
        if is_check(cell) and not asked:
            said = "this check has no exercise before it (a cell with `### BEGIN SOLUTION`)"
            yield Fault(looked.lesson.source, number, "no exercise", said)
        has_solution = cell.metadata.get("nbgrader", {}).get("solution")
        asked = asked or begins > 0 or bool(has_solution)


def _pictures(looked: Looked) -> Iterator[Fault]:
    """Pictures that say nothing to who cannot see them."""
    for number, cell in _cells(looked.lesson.book, "markdown"):
        for match in BLIND.finditer(cell.source):
            said = f"the picture {match[1] or ''} has no words: write ![what is to be seen](...)"
            yield Fault(looked.lesson.source, number, "no words", " ".join(said.split()))


def _outside(looked: Looked) -> Iterator[Fault]:
    """Paths of one machine, and what asks the network."""
    path = re.compile(r"[\"'](/(?:home|Users|mnt|tmp)/[^\"']*|[A-Z]:\\\\[^\"']*)[\"']")
    for number, cell in _cells(looked.lesson.book, "code"):
        for match in path.finditer(cell.source):
            said = f"`{match[1]}` is a place on one machine: put the file beside the notebook"
            yield Fault(looked.lesson.source, number, "own path", said)
        if re.search(r"^\s*[!%]\s*(?:pip|conda)\b", cell.source, re.MULTILINE):
            said = "a class of 300 installs at once: say in the course's page what is needed"
            yield Fault(looked.lesson.source, number, "installs", said)


def _texts(looked: Looked) -> Iterator[Fault]:
    """What an author left to be done, and mathematics that no browser can set."""
    for number, cell in _cells(looked.lesson.book, "markdown"):
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", cell.source, flags=re.DOTALL | re.MULTILINE)
        for match in TO_DO.finditer(text):
            said = f"`{match[0].strip()[:60]}` is left to be done"
            yield Fault(looked.lesson.source, number, "to do", said)
        for match in MATHEMATICS.finditer(text):
            if why := _unbalanced(match[0]):
                said = f"the formula `{match[0][:60]}` is not shown as one: {why}"
                yield Fault(looked.lesson.source, number, "formula", said)


def _unbalanced(formula: str) -> str:
    """What opens in a formula and does not close."""
    plain = re.sub(r"\\[\\{}]", "", formula)
    pairs = [(plain.count("{"), plain.count("}"), "{", "}")]
    for left, right in ((r"\left", r"\right"), (r"\begin", r"\end")):
        counts = (len(re.findall(re.escape(each) + r"(?![a-z])", plain)) for each in (left, right))
        pairs.append((*counts, left, right))  # type: ignore[arg-type]
    wrong = next((each for each in pairs if each[0] != each[1]), None)
    return (
        ""
        if wrong is None
        else f"`{wrong[2]}` stands {wrong[0]} times and `{wrong[3]}` {wrong[1]} times"
    )


def _headings(looked: Looked) -> Iterator[Fault]:
    """Two sections, or two elements, of one name: a link leads to the first of them alone."""
    seen: dict[str, int] = {}
    for number, cell in _cells(looked.lesson.book, "markdown"):
        text = re.sub(r"^```.*?^```", "", cell.source, flags=re.DOTALL | re.MULTILINE)
        keys = [_key(line) for line in text.split("\n") if re.match(r"#+ ", line)]
        keys += re.findall(r"<[^>]*\bid=\"([^\"]+)\"", text)
        for key in keys:
            if first := seen.get(key):
                said = (
                    f"`{key}` is the name of something in cell {first}, too: a link leads to that "
                    "one alone"
                )
                yield Fault(looked.lesson.source, number, "same name", said)
            seen.setdefault(key, number)
    others = looked.course.lessons
    twin = next((each for each in others if each.title == looked.lesson.title), looked.lesson)
    if twin is not looked.lesson:
        said = f"{twin.source.name} has the same title, `{twin.title}`"
        yield Fault(looked.lesson.source, 1, "same name", said)


def _edges(looked: Looked, browser: str | None) -> Iterator[Fault]:
    """What a page or a slide cuts off, in a browser where there is one."""
    found = (
        edges.measured(browser, looked.course, looked.lesson, looked.shown)
        if browser else edges.guessed(looked.lesson)
    )  # fmt: skip
    for number, sentence in found:
        yield Fault(looked.lesson.source, number, "over the edge", sentence)


def _solved(lesson: OwnLesson, folder: Path) -> Iterator[Fault]:
    """Whether checks take the solutions, raise nothing without them, and do not tell them.

    A notebook whose solutions are elsewhere (one that nbgrader has released) has none to take.
    """
    if not any(is_check(cell) for cell in lesson.book.cells):
        return
    answers: dict[str, Any] = {}
    if any(SOLUTION.search(cell.source) for cell in lesson.book.cells):
        solved = _probed(lesson)
        _execute(solved, folder)
        has_solution = False
        for number, cell in _numbered(solved):
            has_solution = has_solution or bool(SOLUTION.search(cell.source))
            if number and has_solution and is_check(cell):
                yield from _of_check(lesson, number, cell, True)
            elif not number:
                answers |= _answers(cell)
    undone = _undone(lesson, answers)
    _execute(undone, folder)
    before = 0
    for number, cell in _numbered(undone):
        if number and is_check(cell):
            yield from _of_check(lesson, number, cell, False)
        elif not number and is_check(cell):
            yield from _telling(lesson, before, cell, answers)
        before = number or before


def _execute(book: Any, folder: Path) -> None:
    execute(book, folder, environment(), TIMEOUT, to_the_end=True)


def _numbered(book: Any) -> Iterator[tuple[int, Any]]:
    """The cells of code; those that were put between them have the number 0."""
    number = 0
    for cell in book.cells:
        own = PROBE not in cell.metadata
        number += own
        if cell.cell_type == "code":
            yield (number if own else 0), cell


def _probe(source: str, like: Any = None) -> Any:
    import nbformat

    cell = nbformat.v4.new_code_cell(source)  # type: ignore[no-untyped-call]
    cell.metadata = copy.deepcopy(like.metadata) if like is not None else cell.metadata
    cell.metadata[PROBE] = True
    return cell


def _probed(lesson: OwnLesson) -> Any:
    """The notebook with its solutions, and after each a cell that says what they made."""
    book = without_outputs(lesson)
    cells = []
    for cell in book.cells:
        cells.append(cell)
        names = _assigned(cell)
        if names:
            cells.append(_probe(ASKING.format(names=sorted(names))))
    book.cells = cells
    return book


# Numbers, texts and arrays, as a check might print them.
ASKING = """
def _minitape_said(name):
    import numpy
    value = globals().get(name)
    if isinstance(value, str):
        return ["text", [value]]
    try:
        array = numpy.asarray(value, float)
    except (TypeError, ValueError):
        return None
    if not 0 < array.size <= 9:
        return None
    flat = array.ravel().tolist()
    return [list(array.shape), [[repr(x), f"{{x:g}}", f"{{x:.2f}}", f"{{x:.3f}}"] for x in flat]]
import json
print(json.dumps({{name: _minitape_said(name) for name in {names}}}))
"""


def _assigned(cell: Any) -> set[str]:
    """The names that the solution in a cell assigns."""
    if cell.cell_type != "code":
        return set()
    found: set[str] = set()
    for match in SOLUTION.finditer(cell.source):
        lines = match[0].split("\n")[1:]
        found |= set(re.findall(r"^\s*([A-Za-z]\w*) *=[^=]", "\n".join(lines), re.MULTILINE))
    return found


def _answers(probe: Any) -> dict[str, Any]:
    """What a probe has said: for each name a shape, and how its numbers may be written."""
    printed = "".join("".join(each.text) for each in probe.outputs if each.output_type == "stream")
    try:
        said = json.loads(printed.strip().split("\n")[-1])
    except ValueError:
        return {}
    return {name: value for name, value in said.items() if value is not None}


def _undone(lesson: OwnLesson, answers: dict[str, Any]) -> Any:
    """The notebook as a learner opens it; each check is run again with answers that are wrong."""
    book = without_outputs(lesson)
    cells = []
    wrong: list[str] = []
    for cell in book.cells:
        names = sorted(_assigned(cell) & answers.keys())
        wrong += [_wrong(name, answers[name][0]) for name in names]
        if cell.cell_type == "code" and is_exercise(cell):
            cell.source = SOLUTION.sub(r"\1...\n", cell.source)
        cells.append(cell)
        if wrong and is_check(cell):
            cells.append(_probe("\n".join(["import numpy as _numpy", *wrong])))
            cells.append(_probe(cell.source, cell))
    book.cells = cells
    return book


def _wrong(name: str, shape: Any) -> str:
    if shape == "text":
        return f"{name} = 'none of these'"
    return f"{name} = {WRONG}" if not shape else f"{name} = _numpy.full({shape}, {WRONG})"


def _telling(lesson: OwnLesson, number: int, cell: Any, answers: dict[str, Any]) -> Iterator[Fault]:
    """A check that answers a wrong answer with the right one."""
    lines = [line for line in _spoken(cell) if not re.search(r"[\d.]+ of [\d.]+ points", line)]
    printed = "\n".join(lines)
    source = "\n".join(each.source for each in lesson.book.cells if each.cell_type == "markdown")
    for name, (shape, said) in answers.items():
        if shape == "text":
            found = len(said[0]) > 2 and said[0] in printed
        else:
            found = all(any(_token(each, printed, source) for each in forms) for forms in said)
        if found:
            words = (
                f"answered wrongly, the check prints the right value of `{name}`: give a hint "
                "instead"
            )
            yield Fault(lesson.source, number, "check tells", words)
            return


def _token(number: str, printed: str, known: str) -> bool:
    """Whether a number of at least two digits is printed that no text gives anyway."""
    if len(re.sub(r"\D", "", number)) < 2:
        return False
    token = re.compile(rf"(?<![\w.]){re.escape(number)}(?!\.?\d)")
    return bool(token.search(printed)) and not token.search(known)


def _spoken(cell: Any) -> Iterator[str]:
    """What a cell prints, and what it raises."""
    yield from _printed(cell)
    for output in cell.outputs:
        if output.output_type == "error":
            yield output.evalue


def _of_check(lesson: OwnLesson, number: int, cell: Any, solved: bool) -> Iterator[Fault]:
    errors = [each for each in cell.outputs if each.output_type == "error"]
    if errors and solved:
        said = f"the check refuses its own solution: {errors[0].ename}: {errors[0].evalue}"
        yield Fault(lesson.source, number, "check fails", said)
    elif errors:
        said = (
            f"with the exercise not done the check ends in {errors[0].ename}, and its traceback "
            "shows its lines: write `with viz.Score(points) as score:` around it"
        )
        yield Fault(lesson.source, number, "check raises", said)
    elif solved:
        printed = " ".join(_printed(cell))
        points = re.search(r"([\d.]+) of ([\d.]+) points", printed)
        if points and float(points[1]) < float(points[2]):
            said = f"the check gives its own solution {points[0]}"
            yield Fault(lesson.source, number, "check fails", said)
    elif _asserts(cell) and _is_answered(lesson, number):
        said = "the check takes an exercise that is not done: let it compare with a known value"
        yield Fault(lesson.source, number, "check passes", said)


def _asserts(cell: Any) -> bool:
    """Whether a check says nothing of points, and raises where an answer is wrong."""
    return bool(re.search(r"^\s*assert\b", cell.source, re.MULTILINE)) and not any(_printed(cell))


def _is_answered(lesson: OwnLesson, number: int) -> bool:
    """Whether the last exercise before a check has its answer, which learners do not get."""
    exercises = [
        c for n, c in _cells(lesson.book, "code") if n < number and BEGINS.search(c.source)
    ]
    return bool(exercises) and bool(SOLUTION.search(exercises[-1].source))


def _cells(book: Any, kind: str) -> list[tuple[int, Any]]:
    return [(n, cell) for n, cell in enumerate(book.cells, 1) if cell.cell_type == kind]


QUESTIONS: Sequence[Callable[[Looked], Iterator[Fault]]] = (
    _titles, _raising, _links, _answers_above, _quizzes_answered, _solutions_shown, _marks,
    _headings, _pictures, _outside, _minutes, _texts,
)  # fmt: skip
