"""A quiz to be given away: one offline page, and codes that a lecturer checks without a server.

The page draws a learner's variant by her name. It has no right answer: an answer is put into a
bucket about one percent wide, and the page has a slow hash of the right one. The code at the end is
signed with the right answers themselves, which are in the lecturer's key, so points for a question
cannot be made up without its answer. `sealed_page.js` is the same in the page.

What this does not do: numbers can be tried out by a program, a quiz can be begun again, and nobody
knows who sat there.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..base.spoken import spoken
from ..picture.svg import svg
from ..player.offline import article
from ..player.packing import data_script
from ..player.program import script
from ..quizzes.numbers import Numbers
from ..quizzes.pictures import picture_html
from ..quizzes.questions import Question, questions
from ..quizzes.quiz import kept_quizzes
from ..trace.trace import Trace
from .drawing import drawn_anew

ROUNDS = 20_000  # of the hash: a twentieth of a second for each number that is tried
WIDTH, OFFSETS = 0.012, 8  # of a bucket, in logarithms; where it may begin
LIMIT = 12
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # none that looks like another
POINTS = re.compile(r"[0124]+")
NOTHING = "-"  # for an answer that was not right


class SealedError(Exception):
    """A quiz cannot be made, or its key not be read; the message is one line."""


class NothingToAskError(SealedError):
    """No gradient is computed that could be asked for."""


@dataclass(frozen=True)
class Asked:
    """One question of a variant.

    Attributes:
        text: what is asked, without any number that is an answer.
        expected: the right answer.
        trace: the number of the trace that it is about.
    """

    text: str
    expected: Numbers
    trace: int


@dataclass(frozen=True)
class Variant:
    """What one run of the program gives: questions, and a picture for each trace."""

    asked: tuple[Asked, ...]
    pictures: tuple[str, ...]


@dataclass(frozen=True)
class Sealed:
    """A quiz.

    Attributes:
        page: the whole page.
        key: what the lecturer keeps.
        variants: how many differ from each other.
        count: how many questions each has.
    """

    page: str
    key: dict[str, Any]
    variants: int
    count: int


def sealed(program: Path, title: str, count: int, seed: int) -> Sealed:
    """Makes a quiz of a program.

    Args:
        program: a script or notebook, run once for each variant. Its `viz.quiz` is asked, or else
            each gradient that it computes. What it draws with `random`, NumPy's global generator or
            `tf.random` differs from variant to variant.
        title: what the page is called.
        count: how many variants.
        seed: the same seed draws the same numbers.

    Raises:
        SealedError: there is nothing to ask.
        ScriptError: the program cannot be run.
    """
    variants = [variant_of(program, f"{seed}/{number}") for number in range(count)]
    text = f"{seed}\n{count}\n{title}\n{program.read_text('utf-8', errors='replace')}"
    quiz = hashlib.sha256(text.encode()).hexdigest()[:16]
    answers, shown = [], []
    for number, variant in enumerate(variants):
        offsets = [offsets_of(each.expected) for each in variant.asked]
        words = [
            in_words(each.expected, own) for each, own in zip(variant.asked, offsets, strict=True)
        ]
        answers.append(words)
        asked = [
            {
                "text": spoken(each.text), "picture": each.trace, "offsets": own,
                "shape": list(each.expected.shape), "seal": seal(said, f"{quiz}/{number}/{at}"),
            }
            for at, (each, own, said) in enumerate(zip(variant.asked, offsets, words, strict=True))
        ]  # fmt: skip
        shown.append({"questions": asked, "pictures": [*map(picture_html, variant.pictures)]})
    data = {"quiz": quiz, "rounds": ROUNDS, "variants": shown}
    form = (
        '<div class="minitape-sealed"><form class="named"><p>Three tries for each question; the '
        "first counts whole, the second half, the third a quarter. Answers count to about one "
        'percent.</p><label>Your name <input autocomplete="name"></label> <button>Begin</button>'
        '</form><div class="picture"></div><p class="question" role="status"></p>'
        '<form class="asked" hidden><label>Answer <input placeholder="a number, or [1.0, 2.5]" '
        'autocomplete="off"></label> <button>Check</button></form>'
        '<p class="said" role="status"></p><p><strong class="code"></strong></p>'
        f"{data_script(data)}</div>{script('sealed')}"
    )
    key = {"quiz": quiz, "title": title, "answers": answers}
    different = len({json.dumps(each) for each in answers})
    return Sealed(article(title, form), key, different, max(map(len, answers)))


def variant_of(program: Path, seed: str, most: int | None = None) -> Variant:
    """Runs the program with other random numbers.

    Args:
        program: a script or notebook.
        seed: draws the numbers.
        most: how many elements each value of a backward pass may have that is asked about.

    Raises:
        SealedError: there is nothing to ask.
        ScriptError: the program cannot be run.
    """
    from ..script import record_script

    with drawn_anew(seed), contextlib.redirect_stdout(io.StringIO()), kept_quizzes() as quizzes:
        recorder = record_script(program)
    if recorder.stopped:
        raise SealedError(f"{recorder.stopped}; a quiz is made of a program that runs to its end")
    if quizzes:
        made = [(each._trace, each.questions) for each in quizzes]
    else:
        fit = (each for each in recorder.traces if most is None or _largest(each) <= most)
        made = [(trace, questions(trace, LIMIT)) for trace in fit]
    made = [(trace, _real(asked)) for trace, asked in made]
    made = [(trace, asked) for trace, asked in made if asked]
    if not made:
        raise NothingToAskError(
            f"{program} has nothing to ask: no gradient of at most 9 real numbers is computed in "
            "it. Compute one with `tape.gradient(y, x)`, or end with `viz.quiz(tape, y, x)`"
        )
    return Variant(
        tuple(
            Asked(each.brief, each.clues.expected, number)
            for number, (_, asked) in enumerate(made)
            for each in asked
        ),
        tuple(_picture(trace, asked) for trace, asked in made),
    )


def _largest(trace: Trace) -> int:
    """How many elements the largest value of a trace has."""
    shapes = (each.value.shape for each in trace.nodes if each.value is not None)
    return max((math.prod(shape) for shape in shapes), default=0)


def _real(asked: Sequence[Question]) -> list[Question]:
    return [each for each in asked if not np.iscomplexobj(each.clues.expected)]


def _picture(trace: Trace, asked: Sequence[Question]) -> str:
    """The forward pass with its numbers, and nothing of what is asked."""
    first = min(each.step for each in asked)
    return svg(trace, step=min(first, next(_pulls(trace), 1) - 1, len(trace.steps) - 1))


def _pulls(trace: Trace) -> Any:
    """Where the backward pass begins to compute."""
    return (number for number, step in enumerate(trace.steps) if step.kind == "pull")


def offsets_of(expected: Numbers) -> list[int]:
    """For each number the grid in whose bucket it lies near the middle.

    Three bits of it become known by that, and nothing of its size.
    """
    found = []
    for value in np.ravel(expected).tolist():
        if value == 0 or not math.isfinite(value):
            found.append(0)
            continue
        at = math.log(abs(value)) / WIDTH
        inside = [(at + each / OFFSETS) % 1 for each in range(OFFSETS)]
        found.append(min(range(OFFSETS), key=lambda each: abs(inside[each] - 0.5)))
    return found


def in_words(array: Numbers, offsets: Sequence[int]) -> str:
    """An answer as its shape and, for each number, the bucket that it lies in.

    Example:
        >>> in_words(np.array([2.0, -0.0]), [6, 0]), in_words(np.array([2.004, 0.0]), [6, 0])
        ('2:+58,0', '2:+58,0')
    """
    flat = np.ravel(array).tolist()
    sizes = [abs(value) for value in flat if math.isfinite(value)]
    tiny = max(1e-4 * max(sizes, default=0.0), 1e-12)
    buckets = []
    for value, offset in zip(flat, offsets, strict=True):
        if math.isnan(value):
            buckets.append("nan")
        elif math.isinf(value):
            buckets.append("inf" if value > 0 else "-inf")
        elif abs(value) <= tiny:
            buckets.append("0")
        else:
            place = math.floor(math.log(abs(value)) / WIDTH + offset / OFFSETS)
            buckets.append(f"{'-' if value < 0 else '+'}{place}")
    return f"{'x'.join(map(str, array.shape))}:{','.join(buckets)}"


def seal(words: str, salt: str) -> str:
    """The slow hash that the page has of an answer."""
    made = hashlib.pbkdf2_hmac("sha256", words.encode(), salt.encode(), ROUNDS)
    return made.hex()[:32]


def plain_name(name: str) -> str:
    """A name as it counts: without the case of its letters, and one space between words."""
    return " ".join(unicodedata.normalize("NFC", name).split()).lower()


@dataclass(frozen=True)
class Checked:
    """What a code says.

    Attributes:
        name: whose it is.
        points: how many, 0 where it is not valid.
        of: out of how many.
        why: why it is not valid, "" where it is.
    """

    name: str
    points: float
    of: int
    why: str = ""


def read_key(place: Path) -> dict[str, Any]:
    """The key of a quiz.

    Raises:
        SealedError: the file is none.
        OSError: it cannot be read.
    """
    try:
        key = json.loads(place.read_text("utf-8"))
        if isinstance(key["quiz"], str) and all(isinstance(each, list) for each in key["answers"]):
            return dict(key)
    except (ValueError, KeyError, TypeError):
        pass
    raise SealedError(
        f"{str(place)!r} is not a key of a quiz; give the file that `minitape quiz make` wrote "
        "beside the page, QUIZ.key.json"
    )


def check_code(key: dict[str, Any], code: str) -> Checked:
    """What a code says, and whether it is valid."""
    name, points, given = ([*code.strip().rsplit("/", 2), "", ""])[:3]
    name = " ".join(name.split())
    answers = key["answers"]
    digest = hashlib.sha256(f"{key['quiz']}/{plain_name(name)}".encode()).digest()
    which = int.from_bytes(digest[:4], "big") % len(answers)
    count = len(answers[which])
    if not POINTS.fullmatch(points) or not given or not name:
        return Checked(name, 0.0, count, "no code: it has the form NAME/POINTS/LETTERS")
    if len(points) != count:
        return Checked(name, 0.0, count, "of another quiz: it has another number of questions")
    right = [
        words if earned != "0" else NOTHING
        for words, earned in zip(answers[which], points, strict=True)
    ]
    wanted = signature([key["quiz"], str(which), plain_name(name), points, *right])
    if _letters(given) != _letters(wanted):
        why = "the letters do not fit: mistyped, under another name, of another quiz, or made up"
        return Checked(name, 0.0, count, why)
    return Checked(name, sum(map(int, points)) / 4, count)


def signature(parts: Sequence[str]) -> str:
    """The last part of a code: 50 bits of a hash, as ten letters and digits."""
    number = int.from_bytes(hashlib.sha256("\n".join(parts).encode()).digest()[:7], "big") >> 6
    letters = "".join(LETTERS[(number >> (5 * at)) & 31] for at in reversed(range(10)))
    return f"{letters[:5]}-{letters[5:]}"


def _letters(given: str) -> str:
    """As it was meant: O is 0, I and L are 1, and hyphens are for reading."""
    plain = re.sub(r"[\s-]", "", given.upper())
    return plain.translate(str.maketrans("OIL", "011"))
