"""The demo: every example of the autodiff guide, run, compared with the guide, and shown.

The examples run as scripts under a `Recorder` (see `script`), so what the page shows is what ran.
"""

from __future__ import annotations

import linecache
import logging
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minitape

from ..player.page import page
from ..record.names import tensors_in_namespace
from ..script import Recorder, one_line
from ..trace.trace import Source, Trace
from .beside import live_button
from .guide import EXAMPLES, Example

TOLERANCE = 1e-5  # the guide prints float32 numbers
COLUMNS = (
    (42, "   "),
    (26, ""),
    (26, ""),
    (4, ""),
)  # widths of the table, and second lines' indents


class Outcome(NamedTuple):
    """What became of one example: values by name (or the error's text), and its tapes."""

    example: Example
    got: dict[str, Any]
    same: bool
    traces: tuple[Trace, ...]


def run(example: Example, number: int = 1) -> Outcome:
    """Runs one example and compares what it computed with what the guide says.

    Example:
        >>> outcome = run(EXAMPLES[0])
        >>> outcome.same, outcome.got["slope"], len(outcome.traces)
        (True, 6.0, 1)
    """
    names: dict[str, Any] = {"tf": minitape}
    file = f"guide/example_{number:02}.py"
    lines = example.code.splitlines(keepends=True)
    linecache.cache[file] = (len(example.code), None, lines, file)
    recorder = Recorder()
    with recorder:
        try:
            exec(compile(example.code, file, "exec", dont_inherit=True), names)
            got = {name: plain(names.get(name)) for name in example.says}
        except Exception as error:
            got = {"error": f"{type(error).__name__}: {one_line(error)}"}
    recorder.add_unasked(tensors_in_namespace(names))
    traces = _headed(recorder, example, number, file)
    return Outcome(example, got, agree(got, example.says), traces)


def _headed(recorder: Recorder, example: Example, number: int, file: str) -> tuple[Trace, ...]:
    """The traces under the example's title, each with the whole of its code."""
    title, code = f"{number}. {example.title}", tuple(example.code.splitlines())
    source = (Source(Path(file).name, 1, code),)
    several = len(recorder.traces) > 1
    return tuple(
        replace(trace, title=title + f" ({place})" * several, source_text=source)
        for place, trace in enumerate(recorder.traces, 1)
    )


def run_all(examples: Sequence[Example] = EXAMPLES) -> list[Outcome]:
    """Runs all examples, each in a namespace of its own."""
    with _without_warnings():
        return [run(example, number) for number, example in enumerate(examples, 1)]


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Keeps the engine's log silent: one example watches an integer on purpose."""
    log = logging.getLogger("minitape")
    log.addFilter(_nothing)
    try:
        yield
    finally:
        log.removeFilter(_nothing)


def _nothing(record: logging.LogRecord) -> bool:
    return False


def page_of(outcomes: Sequence[Outcome], folder: Path | None = None) -> str:
    """The HTML page with a player for each tape of the examples; `folder` is where it goes."""
    shown_together = [
        (trace, sentence(outcome)) for outcome in outcomes for trace in outcome.traces
    ]
    traces, texts = zip(*shown_together, strict=True) if shown_together else ((), ())
    opening = live_button(folder) if folder else ""
    return page(traces, "The autodiff guide, tape by tape", texts=texts, opening=opening)


def sentence(outcome: Outcome) -> str:
    """What the guide says and what minitape got, in one sentence."""
    says = [f"{name} = {_text(value)}" for name, value in outcome.example.says.items()]
    if outcome.same:
        return f"The guide says {' and '.join(says)}; minitape computes the same."
    return f"The guide says {' and '.join(says)}, but minitape computed {shown(outcome.got)}."


def plain(value: Any) -> Any:
    """A result as the guide prints it: numbers, lists, tuples, None and strings.

    Example:
        >>> import minitape as tf
        >>> plain([tf.constant([1.0, 2.0]), None, ("kernel", (3, 2))])
        [[1.0, 2.0], None, ('kernel', (3, 2))]
    """
    if isinstance(value, list | tuple):
        return type(value)(plain(each) for each in value)
    if value is None or isinstance(value, str | int | float):
        return value
    return np.asarray(value).tolist()


def agree(got: Any, says: Any) -> bool:
    """Whether a result is what the guide says; numbers may differ in the last digits printed.

    Example:
        >>> agree([6.0000001, None], [6.0, None]), agree(None, 0.0), agree([1.0], [1.0, 2.0])
        (True, False, False)
    """
    if isinstance(says, dict):
        return got.keys() == says.keys() and all(agree(got[name], says[name]) for name in says)
    if isinstance(says, list | tuple):
        together = isinstance(got, list | tuple) and len(got) == len(says)
        return together and all(agree(a, b) for a, b in zip(got, says, strict=True))
    if isinstance(says, float):
        return isinstance(got, float) and abs(got - says) <= TOLERANCE * max(1.0, abs(says))
    if isinstance(says, str):  # an error's first words are the guide's; what follows is advice
        return isinstance(got, str) and got.startswith(says)
    return type(got) is type(says) and bool(got == says)


def table(outcomes: Sequence[Outcome]) -> str:
    """The examples, what the guide says, what minitape got, and whether that is the same."""
    rows = [("example", "the guide says", "minitape got", "same")]
    for number, outcome in enumerate(outcomes, 1):
        says, got = shown(outcome.example.says), shown(outcome.got)
        if outcome.same and got.startswith(says):
            got = says  # without the advice that an error adds
        title = f"{number:2} {outcome.example.title}"
        rows.append((title, says, got, "yes" if outcome.same else "NO"))
    return "\n".join(_row(row) for row in rows)


def _row(row: tuple[str, ...]) -> str:
    """One row of the table, long cells broken into lines."""
    cells = [
        textwrap.wrap(text, width, subsequent_indent=indent)
        for text, (width, indent) in zip(row, COLUMNS, strict=True)
    ]
    lines = []
    for parts in zip_longest(*cells, fillvalue=""):
        padded = [part.ljust(width) for part, (width, _) in zip(parts, COLUMNS, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def shown(values: dict[str, Any]) -> str:
    """Values as a table shows them.

    Example:
        >>> shown({"a": [6.0, None], "b": -0.25}), shown({"c": 0.9999545812606812})
        ('[6.0, None] and -0.25', '0.9999546')
    """
    return " and ".join(_text(value) for value in values.values())


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' * (len(value) == 1)})"
    return str(np.float32(value)) if isinstance(value, float) else str(value)
