"""Recording a program's tapes: each `gradient` or `jacobian` that it asks for becomes a trace.

A `Recorder` is a journal (see `journal`) that the engine also tells what a tape is asked for, just
before it answers. Nothing is patched: closing the recorder ends it all.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import traceback
import types
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.interpreter import active
from minitape.recording import Recording
from minitape.request import Request
from minitape.values import nest
from minitape.variable import ResourceVariable

from .base.messages import message_of
from .base.scripts import script_text
from .diagnosis.views.reasons import with_reasons
from .films.film import Film, called_in
from .record.build import Built, build
from .record.journal import Journal
from .record.lines import calling_frame, calling_line, training_frame
from .record.names import tensors_in, tensors_in_namespace, tensors_in_training
from .record.opening import build_opened
from .record.titles import place_of, title_of
from .trace.trace import Line, Trace

if TYPE_CHECKING:
    from minitape.op import Op
    from minitape.tape import GradientTape

MAX_TRACES = 40  # a page with more players than that is not read
MAX_PER_LINE = 3  # of a training loop, the first steps
MAX_HELD = 200_000_000  # bytes of values after which what ran is forgotten


class ScriptError(Exception):
    """A script that cannot be shown; the message is one line for its author."""


class NoTapeError(ScriptError):
    """A program recorded nothing that could be shown."""


class Recorder(Journal):
    """Keeps a trace of everything that tapes are asked for while it is open.

    Attributes:
        traces: what was asked, in that order.
        stopped: where and why the script ended before its end, "" if it did not.
        left_out: how many calls have no trace: those beyond `MAX_PER_LINE` and `MAX_TRACES`.

        loops: films of the lines that asked again and again.

    Example:
        >>> import minitape as tf
        >>> x = tf.Variable(3.0)
        >>> with Recorder() as recorder:
        ...     with tf.GradientTape() as tape:
        ...         y = x * x
        ...     slope = tape.gradient(y, x)
        >>> recorder.traces[0].title
        'gradient of y with respect to x (<doctest minitape.viz.script.Recorder[2]>, line 4)'
    """

    __slots__ = (
        "asked_tapes",
        "calls",
        "held",
        "left_out",
        "loops",
        "stopped",
        "traces",
        "unasked",
    )

    def __init__(self) -> None:
        super().__init__()
        self.traces: list[Trace] = []
        self.left_out = 0
        self.stopped = ""
        self.loops = Loops()
        self.held = 0  # bytes of the values in the entries
        self.calls: Counter[tuple[str, int]] = Counter()
        self.unasked: dict[int, tuple[Recording, Line | None]] = {}
        self.asked_tapes: weakref.WeakSet[Recording] = weakref.WeakSet()

    @property
    def opens_functions(self) -> bool:
        """The training step of most scripts is a `tf.function`."""
        return True

    def observe(
        self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> None:
        """Keeps an op, as long as there is room on the page for a tape that has it."""
        if len(self.traces) >= MAX_TRACES:
            return
        for tape in active():
            is_new = isinstance(tape, Recording) and tape not in self.asked_tapes
            if is_new and len(self.unasked) < MAX_TRACES:
                self.unasked.setdefault(id(tape), (tape, calling_line()))
        super().observe(op, inputs, outputs, attributes)
        several = outputs if op.several else (outputs,)
        self.held += sum(int(getattr(each.value, "nbytes", 0)) for each in several)
        needed = bool(self.unasked) or len(self.asked_tapes) > 0
        if self.held > MAX_HELD * (5 if needed else 1):
            self.forget()

    def asked(self, kind: str, tape: GradientTape, request: Request) -> None:
        """Makes the trace of one call, before the tape answers and forgets."""
        super().asked(kind, tape, request)
        recording, line, frame = tape.recording, calling_line(), calling_frame()
        self.unasked.pop(id(recording), None)
        self.asked_tapes.add(recording)
        place = (line.file, line.number) if line else ("", 0)
        self.calls[place] += 1
        if self.calls[place] > MAX_PER_LINE or len(self.traces) >= MAX_TRACES:
            self.left_out += 1
        else:
            names = tensors_in_training(training_frame()) | tensors_in(frame, request.targets)
            title = title_of(kind, request, names) + place_of(line, self.calls[place])
            options = {"persistent": tape.persistent, "title": title}
            shown = _first_row(kind, request)
            self._keep(tape, shown, recording, names, **options)
        if kind == "gradient":
            self.loops.note(line, frame, tape, request, self)

    def forget(self) -> None:
        """Lets go of what ran: a long program must not be held in memory as a whole."""
        self.held = 0
        self.has_gaps = True
        self.events.clear()
        self.entries.clear()
        self.by_output.clear()

    def add_unasked(self, frame_names: dict[int, tuple[str, Any]]) -> None:
        """Adds the forward passes of the tapes that nobody asked for a gradient."""
        for tape, line in list(self.unasked.values()):
            if len(tape.log) > 1 and len(self.traces) < MAX_TRACES:
                title = "a tape that was asked for nothing" + place_of(line, 1)
                self._keep(None, Request([], []), tape, frame_names, title=title)
        self.unasked.clear()

    def say_where_it_stopped(self, cause: BaseException | None) -> None:
        """Puts the error below the last tape; without a tape it is raised as a ScriptError."""
        if not self.traces:
            raise ScriptError(self.stopped) from cause
        notes = (*self.traces[-1].notes, f"Here the script stopped. {self.stopped}")
        self.traces[-1] = replace(self.traces[-1], notes=notes)

    def _keep(
        self, tape: Any, request: Request, recording: Recording, names: Any, **more: Any
    ) -> None:
        """Adds a trace; what cannot be shown must not stop the program, so it is counted only."""
        try:
            built = self._built(request, recording, names, **more)
            trace = built.trace
            # What a failed sweep has no gradient for is said in it already.
            if not trace.breaks:
                trace = with_reasons(trace, tape, request, built.graph.place)
            self.traces.append(trace)
        except Exception:
            self.left_out += 1

    def _built(self, request: Request, recording: Recording, names: Any, **options: Any) -> Built:
        """The trace of a request; of the forward pass alone where the sweep raises."""
        records = recording.records
        options["journal"] = self
        try:
            return build_opened(request, records, recording, names, **options)
        except Exception as error:  # the call itself is about to raise it for the learner
            forward = build(Request([], []), records, recording, names, **options)
            reason = f"{type(error).__name__}: {one_line(error)}"
            notes = (*forward.trace.notes, f"The sweep ends with {reason}")
            return forward._replace(trace=replace(forward.trace, notes=notes))


def _first_row(kind: str, request: Request) -> Request:
    """What a picture shows of a jacobian: the sweep of its first row (of each example)."""
    if kind == "gradient":
        return request
    target = request.targets[0]
    weight = np.zeros(tuple(target.spec.shape), target.spec.dtype)
    rows = (
        weight.reshape(weight.shape[0], -1) if kind == "batch_jacobian" else weight.reshape(1, -1)
    )
    rows[:, :1] = 1
    return Request(target, request.structure, weight)


def record_script(path: str | os.PathLike[str], arguments: Sequence[str] = ()) -> Recorder:
    """Runs a script as `python` would, and records its tapes.

    Args:
        path: the script, or a notebook, whose cells run in their order.
        arguments: what it finds in `sys.argv[1:]`.

    Returns:
        A closed recorder with a trace for each gradient or jacobian that was asked for, then one
        for each tape that was asked for nothing.

    Raises:
        ScriptError: if the script cannot be read, or makes no tape before it ends or fails.
    """
    file = Path(path)
    code = compiled(file)
    file = Path(os.path.abspath(file))  # the script may go to another folder
    module = types.ModuleType("__main__")
    module.__file__ = str(file)
    recorder = Recorder()
    cause: BaseException | None = None
    with as_main(module, file, [os.fspath(path), *arguments]), recorder:
        try:
            exec(code, module.__dict__)
        except SystemExit as end:
            if end.code not in (None, 0):
                recorder.stopped = f"{file.name} ended with exit code {end.code!r}"
                cause = end
        except KeyboardInterrupt:
            raise  # whoever runs the command wants it to end
        except BaseException as error:
            recorder.stopped = f"{where(file, error)}: {reason(error)}"
            cause = error
        finally:
            names = tensors_in_namespace(module.__dict__)
    recorder.add_unasked(names)
    if recorder.stopped:
        recorder.say_where_it_stopped(cause)
    if not recorder.traces:
        raise NoTapeError(
            f"{file.name} made no tape that recorded anything: write "
            "`with tf.GradientTape() as tape:` around what is to be shown"
        )
    return recorder


def compiled(file: Path) -> types.CodeType:
    """The code of a script; a ScriptError where there is none."""
    if not file.exists():
        raise ScriptError(f"there is no file {str(file)!r}")
    place = os.path.abspath(file)
    try:
        text = script_text(file)
        if file.suffix == ".ipynb":  # its lines are in no file, and pictures quote them
            linecache.cache[place] = (len(text), None, text.splitlines(True), place)
        return compile(text, place, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError) as error:
        if getattr(error, "lineno", None):
            raise ScriptError(f"{file.name}, line {error.lineno}: {error.msg}") from error  # type: ignore[union-attr]
        raise ScriptError(f"{str(file)!r} cannot be read as Python: {one_line(error)}") from error


@contextmanager
def as_main(module: types.ModuleType, file: Path, words: list[str]) -> Iterator[None]:
    """Makes a module the main one, with its folder first on the path, and undoes it.

    The folder where one is comes back as well: the page's name is relative to that.
    """
    main, argv, path = sys.modules.get("__main__"), sys.argv, sys.path
    here = os.getcwd()
    sys.modules["__main__"] = module
    sys.argv = words
    sys.path = [str(file.resolve().parent), *path]
    try:
        yield
    finally:
        sys.argv, sys.path = argv, path
        with suppress(OSError):  # the script may have removed it
            os.chdir(here)
        if main is not None:
            sys.modules["__main__"] = main


def where(file: Path, error: BaseException) -> str:
    """`lesson.py, line 7`: the last line of the script itself on the way to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    numbers = [frame.lineno for frame in frames if frame.filename == str(file)]
    return f"{file.name}, line {numbers[-1]}" if numbers else file.name


def reason(error: BaseException) -> str:
    """An error in a line."""
    hint = ""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("tensorflow"):
        hint = "; write `import minitape as tf`, or run it with --as-tensorflow"
    return f"{type(error).__name__}: {one_line(error)}{hint}"


def one_line(error: BaseException) -> str:
    """The message of an error in one line, without the operating system's number."""
    return re.sub(r"^\[Errno \d+\] ", "", " ".join(message_of(error).split()))


# The loops of a program as films: calls of `gradient` on one line for the same variables.


MAX_OPS = 1_000  # of a step; drawing larger ones a dozen times would take longer than the loop
MAX_FILMS = 12


class Loops:
    """Films by the line that asks for gradients, and by the variables that it asks for."""

    def __init__(self) -> None:
        self._films: dict[tuple[Any, ...], Film] = {}

    def note(
        self,
        line: Line | None,
        frame: FrameType | None,
        tape: Any,
        request: Request,
        journal: Journal,
    ) -> None:
        """Notes one call of `gradient`, if it is for the gradients of one number by variables.

        Args:
            line: which asked, in which frame.
            frame: where the names are found.
            tape: the GradientTape that is asked, before it answers.
            request: for what.
            journal: the values of what ran.
        """
        loss = loss_in(request)
        variables = request.sources
        if loss is None or line is None or not all(_is_float(each) for each in variables):
            return
        key = (line.file, line.number, *(id(each) for each in variables))
        if key not in self._films:
            if len(self._films) >= MAX_FILMS or len(tape.recording.records) > MAX_OPS:
                return
            title = f"{line.file}, line {line.number}"
            self._films[key] = Film(called_in(frame, variables), variables, title=title)
        film = self._films[key]
        if film.wants():
            _keep(film, loss, frame, tape, request, journal)
        film.losses.append(loss)

    def films(self, longer_than: int) -> list[Film]:
        """The films with more steps than that, in the order of their first calls."""
        return [f for f in self._films.values() if len(f.losses) > longer_than and f.shots]


def _keep(
    film: Film, loss: float, frame: FrameType | None, tape: Any, request: Request, journal: Journal
) -> None:
    """Keeps a step; what cannot be shown must not stop the program, so the film goes without."""
    recording = tape.recording
    names = tensors_in(frame, request.targets)
    title = f"step {len(film.losses)}"
    try:
        built = build(
            request, recording.records, recording, names, journal=journal, title=title,
            persistent=tape.persistent, shows_error=True,
        )  # fmt: skip
        gradients = nest.flatten(request.results(built.cotangents))
        film.keep(loss, [each.numpy() for each in request.sources], gradients, built.trace)
    except Exception:
        return


def loss_in(request: Request) -> float | None:
    """The one number whose gradient is asked for; None where it is something else."""
    if len(request.targets) != 1 or not request.sources:
        return None
    value = np.asarray(getattr(request.targets[0], "value", np.zeros(0)))
    return float(value.item()) if value.size == 1 and value.dtype.kind == "f" else None


def _is_float(source: Any) -> bool:
    return isinstance(source, ResourceVariable) and np.dtype(source.spec.dtype).kind == "f"
