"""What the runs of scripts have in common, whatever framework they are written for."""

from __future__ import annotations

import json
import linecache
import os
import threading
import tokenize
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minitape.viz.base.messages import message_of
from minitape.viz.diagnosis.diagnosis import Diagnosis, diagnose
from minitape.viz.diagnosis.evidence import Ask
from minitape.viz.diagnosis.trial.guard import Guard

MAX_OUTCOMES = 200
MAX_NUMBERS = 24


def answer(place: str, made: Callable[[str, str, dict[str, Any]], ScriptRun]) -> None:
    """Runs the script of a request, and writes the answer.

    Args:
        place: the request, a file of JSON: the script, a text to run in place of its own, its
            arguments, where the answer goes and where files may be written.
        made: a run of a framework's scripts.
    """
    asked = json.loads(Path(place).read_text(encoding="utf-8"))
    file, source = asked["file"], asked["source"]
    if source is None:
        with tokenize.open(file) as opened:
            source = opened.read()
    show_lines(file, source)
    run = made(file, source, asked)
    guard = Guard(file, Path(asked["scratch"]))
    run.write(guard)
    limit(asked["processor_seconds"])
    run.prepare(Path(asked["scratch"]))
    guard.start()
    run.whole()
    run.write(guard)
    os._exit(0)


class ScriptRun:
    """One run of a script, and what is known of it."""

    collector: Any

    def __init__(self, file: str, source: str, asked: dict[str, Any]) -> None:
        self.file, self.source, self.asked = file, source, asked
        self.found: dict[Any, Diagnosis] = {}
        self.outcomes: list[dict[str, Any]] = []
        self.ended, self.error = "killed", ""
        self.problems: list[str] = []

    def prepare(self, scratch: Path) -> None:
        """What has to be done before the script may run: seeds, and a folder for its files."""

    def whole(self) -> None:
        """Runs the script as the main module."""
        raise NotImplementedError

    def look(self, ask: Ask) -> None:
        """Asks all kinds about one request."""
        self._diagnose(ask)
        if len(self.outcomes) < MAX_OUTCOMES:
            self.outcomes.append(self._outcome(ask))

    def _diagnose(self, ask: Ask | None) -> None:
        try:
            for each in diagnose(self.collector.evidence, ask):
                self.found.setdefault(each.key, each)
        except Exception as error:  # what goes wrong in here never reaches the script
            self.problems.append(f"{type(error).__name__}: {error}")
            if os.environ.get("MINITAPE_RAISE"):
                import traceback

                self.problems.append(traceback.format_exc())

    def _outcome(self, ask: Ask) -> dict[str, Any]:
        values = [self.collector.evidence.values[key] for key in ask.targets]
        numbers = [_few(value.numbers) for value in values]
        gradients = {}
        for key, g in list(ask.gradients.items())[:40]:
            name = self.collector.evidence.values[key].name or f"#{key}"
            gradients[name] = None if g is None else _few(g)
        return {
            "ask": ask.number,
            "line": ask.place.line if ask.place else 0,
            "error": ask.error,
            "target": [n for each in numbers for n in each][:MAX_NUMBERS],
            "gradients": gradients,
        }

    def ran(self, code: Any, names: dict[str, Any]) -> None:
        """Runs compiled code, and remembers how it ended."""
        self.ended, self.error, error = executed(code, names, self.file)
        if error is not None:
            self._failed(error)

    def last_look(self) -> None:
        """Asks all kinds about the whole run."""
        before = set(self.found)
        self._diagnose(None)
        hidden = {name for key in set(self.found) - before for name in self.found[key].kind.hides}
        self.found = {
            k: d for k, d in self.found.items() if d.kind.name not in hidden or k not in before
        }

    def _failed(self, error: BaseException) -> None:
        evidence, places = self.collector.evidence, self.collector.places
        evidence.error = f"{type(error).__name__}: {error}"
        at = error.__traceback__
        while at is not None:
            code = at.tb_frame.f_code
            if code.co_filename == self.file:
                evidence.error_stack.insert(0, places.at(code, at.tb_lasti, at.tb_lineno))
                for name, x in list(at.tb_frame.f_locals.items()):
                    self.collector.depth += 1
                    self.collector.name(name, x)
                    self.collector.depth -= 1
            at = at.tb_next
        evidence.error_place = next(iter(evidence.error_stack), None)

    def write(self, guard: Guard) -> None:
        """Writes the answer, whole or not at all."""
        losses = {str(p.line): each[:60] for p, each in self.collector.losses.items() if p}
        data = {
            "ended": self.ended,
            "error": self.error,
            "refused": guard.refused,
            "refused_line": guard.line,
            "asked": self.collector.asked,
            "missed": self.collector.missed,
            "losses": losses,
            "problems": self.problems[:5],
            "found": [each.as_data() for each in self.found.values()],
            "outcomes": self.outcomes,
        }
        place = Path(self.asked["answer"])
        with guard.passing():
            new = place.with_suffix(".new")
            new.write_text(json.dumps(data, default=_plain), encoding="utf-8")
            new.replace(place)


def executed(code: Any, names: dict[str, Any], file: str) -> tuple[str, str, BaseException | None]:
    """Runs compiled code: how it ended ("ok" or "failed"), that in words, and its error."""
    try:
        exec(code, names)
    except SystemExit as end:
        if end.code not in (None, 0):
            return "failed", f"it ends with exit code {end.code!r}", None
    except BaseException as error:
        return "failed", in_words(file, error), error
    return "ok", "", None


def _few(numbers: Any) -> list[float]:
    if numbers is None or numbers.dtype.kind not in "fiub":
        return []
    return [float(n) for n in np.asarray(numbers).reshape(-1)[:MAX_NUMBERS]]


def _plain(value: Any) -> Any:
    return (
        value.item()
        if isinstance(value, np.generic)
        else value.tolist()
        if isinstance(value, np.ndarray)
        else str(value)
    )


def show_lines(file: str, source: str) -> None:
    """Lets sentences quote the text that runs, which is not that of the file when it is tried."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)


def end_with_parent() -> None:
    """Ends this process when the one that asked is gone, even if that was killed.

    Standard input is a pipe into which nothing is written: it ends when nobody holds its other end.
    The script gets an empty input in its place.
    """
    line = os.dup(0)  # not inherited
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def wait() -> None:
        os.read(line, 1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def limit(seconds: int) -> None:
    """A script may not use up the machine's memory, nor compute when nobody waits any more."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    except (ImportError, ValueError, OSError):
        return


def in_words(file: str, error: BaseException) -> str:
    """An error in a line, with the line of the script where it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    numbers = [frame.lineno for frame in frames if frame.filename == file]
    where = f"line {numbers[-1]}: " if numbers else ""
    hint = ""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("tensorflow"):
        hint = "; write `import minitape as tf`"
    said = " ".join(message_of(error).split())[:300]
    return f"{where}{type(error).__name__}{': ' * bool(said)}{said}{hint}"


MAX_MEMORY = 8_000_000_000
