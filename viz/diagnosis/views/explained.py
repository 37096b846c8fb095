"""The answer of `explain` as an object that shows itself: sentences, correction, graph.

A correction says whether it was tried. One that was, by `try_fix`, takes the place of the advice
that was not.
"""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as File
from reprlib import repr as short
from typing import Any

from ...base.files import check_ending, write_whole
from ...base.spoken import spoken
from ...export.drawn import save_drawn
from ...player.drawing import drawn
from ...player.notebook import Player
from ...player.offline import article
from ...player.page import fragment, image
from ...player.still import Picture
from ...record.lines import path_of
from ...trace.trace import Break, Line, Trace
from ..corrections.lines import bare, names_made
from ..sources.question import Cause, Question
from ..trial.attempts import NO_LINE, NotFixed, in_no_cell
from .asked import Asked
from .cells import asking_code, try_fix
from .page import Shown
from .paths import Path

INSTEAD = "What to write instead"


class Explanation(Asked):
    """Why a gradient is what it is. Shows itself in notebooks: sentences and the graph.

    Attributes:
        cause: "connected", "zero" (connected, and why it is 0), or why it is None: "not_watched",
            "watched_too_late", "variable_replaced", "variables_not_watched", "not_trainable",
            "numpy", "dtype", "state", "recording_stopped", "reset", "outside", "stop_gradient",
            "not_differentiable", "custom_gradient_none", "no_rule", "no_path", "swapped",
            "released"; or "unknown", where a recording would tell more.
        causes: all of them: several where each has to be fixed, or where the evidence leaves
            more than one open.
        is_certain: whether the evidence proves it.
        text: plain sentences.
        line: the learner's line where it broke, None if unknown.
        fix: the corrected code.
        gradient: the gradient as a tensor, None if there is none.
        paths: where connected, the paths and what each contributes (at most 12).
        trace: the graph with the breaks drawn on it.
        places: its nodes by tensor id, where there is no gradient.
        reasons: the causes with their sentences and lines.
    """

    def __init__(
        self,
        question: Question,
        trace: Trace,
        text: str,
        causes: Sequence[Cause] = (),
        *,
        cause: str = "",
        gradient: Any = None,
        paths: tuple[Path, ...] = (),
        places: dict[int, int] | None = None,
    ) -> None:
        if not isinstance(question, Question) or not isinstance(trace, Trace):
            wrong = trace if isinstance(question, Question) else question
            raise TypeError(
                f"an Explanation has a question and its viz.Trace; got {short(wrong)} of type "
                f"{type(wrong).__name__}. Write viz.explain(tape, y, x), which makes both."
            )
        self.trace = trace
        self.places = places or {}
        # Without the edges, whose acts hold the values of the program.
        self.reasons = tuple(replace(each, edge=None) for each in causes)
        self.text = text
        self.causes = tuple(dict.fromkeys(each.name for each in causes)) or (cause,)
        self.cause = self.causes[0]
        self.is_certain = all(each.is_certain for each in causes)
        lines = [each.line for each in causes if each.line is not None]
        self.line: Line | None = lines[0] if lines else None
        self.fix = "\n".join(dict.fromkeys(each.fix for each in causes))
        self.gradient = gradient
        self.paths = paths
        self.source = question.x
        self.question = f"{question.tape_name}.gradient({question.y}, {question.x})"
        super().__init__()
        self.place = path_of(self.line) if self.line is not None else ""
        self.asks = _asking_cell(question, self.place)
        self.tried: Shown | NotFixed | None = None  # what `try_fix` gave

    def try_fix(self, seconds: float = 10.0, ask: str = "") -> Shown | NotFixed:
        """Looks for a correction of the cell with the mistake, and runs it on copies of the values.

        Args:
            seconds: the limit of one run.
            ask: what asks for the gradient, such as "tape.gradient(y, x)"; otherwise the cell that
                has asked.

        Returns:
            The changed lines and the gradient that they give (`.fix`, `.tried`, `.after`); where
            no correction works, what was tried and why none is shown, which counts as false.
        """
        self.tried = found = self._tried(seconds, ask)
        if isinstance(found, Shown):
            self.fix = found.fix
            self.trace = replace(self.trace, breaks=self._fixed(found))
        elif found.attempts:
            self.fix = ""
        return found

    def _tried(self, seconds: float, ask: str) -> Shown | NotFixed:
        if self.line is None or not self.place:
            return NotFixed(f"No correction is shown: {NO_LINE}")
        if self.line.cell is None:
            return NotFixed(f"No correction is shown: {in_no_cell(self.place, self.line.number)}")
        own = {self.source, ""}
        asks = compile(ask, "the question", "exec") if ask else asking_code(self.asks)
        return try_fix(self.place, self.namespace, lambda f: f.source in own, seconds, asks)

    @property
    def mend(self) -> str:
        """The old name of `fix`."""
        return self.fix

    try_mend = try_fix  # the old name

    @property
    def breaks(self) -> tuple[Break, ...]:
        """The breaks of the graph with the sentences and lines of their causes."""
        causes = {each.note: each for each in self.reasons}
        known = [(each, causes.get(each.note)) for each in self.trace.breaks]
        return tuple(each if cause is None else _said(each, cause) for each, cause in known)

    def _fixed(self, found: Shown) -> tuple[Break, ...]:
        """The breaks, the one that was corrected with the changed lines and the graph they give."""
        breaks = list(self.breaks)
        at_line = [b for b in breaks if b.line is not None and b.line.number == found.finding.line]
        first = (at_line or breaks)[:1]
        correction = f"{found.fix}\n{found.tried}"
        return tuple(
            replace(each, correction=correction, corrected=found.picture) if each in first else each
            for each in breaks
        )

    @property
    def player(self) -> Player:
        """The step player of the graph; after `try_fix` with the graph of the corrected run."""
        return Player(replace(self.trace, breaks=self.breaks))

    @property
    def picture(self) -> Picture:
        """The still picture; `.save("why.svg")` keeps it."""
        return Picture(self.trace)

    @property
    def advice(self) -> str:
        """What stands above the corrected code: whether it was tried."""
        if isinstance(self.tried, Shown):
            return f"{INSTEAD}. {self.tried.tried}"
        if self.tried is not None and self.tried.attempts:
            return str(self.tried)
        return f"{INSTEAD} (not tried):" if self.fix else ""

    def __str__(self) -> str:
        advice = self.advice + (f"\n{_indented(self.fix)}" if self.fix else "")
        return "\n\n".join(filter(None, [self.text, advice]))

    def __repr__(self) -> str:
        return f"<Explanation: {self.cause}. {self.text}>"

    def save(self, path: str | os.PathLike[str], **options: Any) -> File:
        """Writes sentences and graph: as one offline page with a player, or as a picture.

        Args:
            path: ends in .html for the page; in .svg, .png, .pdf, .tex or .pptx for a picture, in
                .gif or .mp4 for one of all steps. Its folder must exist.
            **options: `width`, `theme`, `dpi`, `fonts` and `seconds`, as for
                `viz.step(...).save`.

        Raises:
            ValueError: The ending is another one.
            MissingExtraError: The format needs a package; the message says how to install it.
        """
        trace = replace(self.trace, breaks=self.breaks)
        found = drawn(trace, "an explanation", self.text, page=lambda: _page([self]))
        return save_drawn(found, path, **options)

    def _html(self, graph: str) -> str:
        said = "".join(f"<p>{spoken(part)}</p>" for part in self.text.split("\n"))
        advice = f"<p>{html.escape(self.advice)}</p>" if self.advice else ""
        code = f"<pre><code>{html.escape(self.fix)}</code></pre>" if self.fix else ""
        return said + advice + code + graph

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Sentences and picture as plain HTML: an untrusted notebook shows all of it.

        After a correction worked it is the player, which has both graphs.
        """
        graph = fragment(self.player.trace) if self.tried else image(self.trace)
        return {"text/plain": str(self), "text/html": self._html(graph)}


class Explanations(tuple[Explanation, ...]):
    """Explanations of several gradients, shown one after the other."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def save(self, path: str | os.PathLike[str]) -> File:
        """Writes all of them as one offline page, .html."""
        return _saved(path, self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """All of them as plain HTML."""
        parts = [each._repr_mimebundle_()["text/html"] for each in self]
        return {"text/plain": str(self), "text/html": "<hr>".join(parts)}


def _saved(path: str | os.PathLike[str], explanations: Sequence[Explanation]) -> File:
    check_ending(path, [".html"], "One of them, such as explanations[0], is also a picture")
    return write_whole(path, _page(explanations))


def _page(explanations: Sequence[Explanation]) -> str:
    shown = [each._html(fragment(each.trace)) for each in explanations]
    title = explanations[0].trace.title or "Why a gradient is what it is"
    return article(title, "<hr>".join(shown))


def _asking_cell(q: Question, place: str) -> str:
    """The path of the cell that asked the tape, "" where it is the one of the mistake."""
    journal = q.flow.journal
    sweeps = journal.sweeps if journal is not None else []
    asked = [each.line for each in sweeps if each.tape is q.flow.mark]
    line = next((each for each in asked if each is not None and each.cell is not None), None)
    path = path_of(line) if line is not None else ""
    return "" if path == place else path


def _said(broken: Break, cause: Cause) -> Break:
    """A break with the sentence and line of its cause."""
    note = broken.note if cause.is_certain else f"{broken.note}?"
    sentence = cause.sentence[:1].upper() + cause.sentence[1:]
    correction = broken.correction or suggested(cause)
    return replace(broken, note=note, cause=sentence, line=cause.line, correction=correction)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def suggested(cause: Cause) -> str:
    """Give "- " and "+ " rows: what one line has to be, or what has to be added; "" if unknown.

    Example:
        >>> from minitape.viz.trace.trace import Line
        >>> line = Line("a.py", 3, "    y = np.square(x)")
        >>> print(suggested(Cause("numpy", "", line, "y = tf.square(x)", "left: numpy")))
        -     y = np.square(x)
        +     y = tf.square(x)
    """
    line, fix = cause.line, cause.fix
    if line is None or not cause.is_certain or not _is_code(cause):
        return ""
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    added = [f"+ {indent}{row}" for row in fix.split("\n")]
    made = names_made(line)
    replaces = len(added) == 1 and made and made == names_made(replace(line, text=fix))
    return "\n".join([f"- {line.text}", *added] if replaces else added)


def _is_code(cause: Cause) -> bool:
    """Whether a correction is more than words, or than the line with words behind it."""
    code = cause.fix.partition("  #")[0]
    return (
        bool(code) and not code.startswith("#") and "..." not in code and code != bare(cause.line)
    )
