"""Runs a program in a live page, and says what it gives: text, players, pictures, its error.

This is what runs in the page's worker, after each edit. It hands everything on as JSON, one piece
at a time, so that what a program printed before an endless loop is seen.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import linecache
import sys
import time
import traceback
import types
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from ..player.notebook import Player
from ..player.shown import shown_data, without_tooltips
from ..record.names import tensors_in_namespace
from ..script import MAX_PER_LINE, Recorder
from ..trace.trace import Trace
from ..views.of_tapes import pictures

FILE = "program.py"
SHOW = "__shown_by_the_page__"
MAX_TEXT = 100_000  # characters that a program may print
MAX_PLAYERS = 12  # more are not read, and would make each edit slow
PAUSE = 0.05  # seconds between two pieces of printed text, after the first
AT_ONCE = 300  # pieces, so that what was printed just before an endless loop is seen

Emit = Callable[[str], None]


def run(source: str, emit: Emit) -> None:
    r"""Runs a program.

    Args:
        source: its text.
        emit: is given each piece as JSON: an object with `kind` ("text", "player", "html", "image"
            or "error") and what belongs to it.

    Example:
        >>> pieces = []
        >>> run("1 + 1", pieces.append)
        >>> pieces
        ['{"kind": "text", "text": "2\\n", "stream": "out"}']
    """
    outputs = Outputs(emit)
    # Tracebacks and players show lines of the program.
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    try:
        code = compiled(source)
    except (SyntaxError, ValueError) as error:
        outputs.error(error, getattr(error, "lineno", None) or 1)
        return
    module = types.ModuleType("__main__")
    module.__dict__[SHOW] = outputs.shown
    recorder = Recorder()
    _executed(code, module, recorder, outputs)
    recorder.add_unasked(tensors_in_namespace(module.__dict__))
    outputs.recorded(recorder)
    outputs.plots()
    if outputs.failed:
        outputs.error(outputs.failed, line_of(outputs.failed))


def compiled(source: str) -> types.CodeType:
    """The program, in which every expression of the top level is shown where it can show itself."""
    tree = ast.parse(source, FILE)
    for place, statement in enumerate(tree.body):
        if isinstance(statement, ast.Expr):
            last = ast.Constant(place == len(tree.body) - 1)
            call = ast.Call(ast.Name(SHOW, ast.Load()), [statement.value, last], [])
            ast.copy_location(call, statement.value)
            statement.value = ast.fix_missing_locations(call)
    return compile(tree, FILE, "exec", dont_inherit=True)


def _executed(
    code: types.CodeType, module: types.ModuleType, recorder: Recorder, outputs: Outputs
) -> None:
    """Runs the code as the main module under a recorder; an error is kept in `outputs`."""
    main = sys.modules.get("__main__")
    sys.modules["__main__"] = module
    try:
        out, err = Printed(outputs, "out"), Printed(outputs, "err")
        with redirect_stdout(out), redirect_stderr(err), recorder:
            exec(code, module.__dict__)
    except SystemExit:
        pass
    except BaseException as error:
        outputs.failed = error
    finally:
        outputs.flush()
        if main is not None:
            sys.modules["__main__"] = main


def line_of(error: BaseException) -> int:
    """The last line of the program itself on the way to an error; 1 if it was on none."""
    frames = traceback.extract_tb(error.__traceback__)
    numbers = [frame.lineno for frame in frames if frame.filename == FILE and frame.lineno]
    return numbers[-1] if numbers else 1


class Outputs:
    """Hands on what a program gives, in the order in which it gives it.

    Attributes:
        failed: the error that ended the program, or None.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._text: list[tuple[str, str]] = []
        self._room = MAX_TEXT
        self._at_once = AT_ONCE
        self._sent = time.monotonic()
        self._has_player = False
        self.failed: BaseException | None = None

    def piece(self, kind: str, **content: Any) -> None:
        """Hands on one piece, after the text before it."""
        self.flush()
        self._emit(json.dumps({"kind": kind, **content}))

    def text(self, text: str, stream: str) -> None:
        """Takes printed text, hands it on from time to time."""
        if self._room <= 0 or not text:
            return
        self._text.append((text[: self._room], stream))
        self._room -= len(text)
        if self._room <= 0:
            self._text.append((f"\n… what follows is left out: {MAX_TEXT:,} characters …\n", "err"))
        self._at_once -= 1
        if self._at_once >= 0 or time.monotonic() - self._sent > PAUSE:
            self.flush()

    def flush(self) -> None:
        """Hands on all text so far, neighbours of one stream as one piece."""
        waiting, self._text = self._text, []
        self._sent = time.monotonic()
        joined: list[tuple[str, str]] = []
        for text, stream in waiting:
            if joined and joined[-1][1] == stream:
                joined[-1] = (joined[-1][0] + text, stream)
            else:
                joined.append((text, stream))
        for text, stream in joined:
            self._emit(json.dumps({"kind": "text", "text": text, "stream": stream}))

    def shown(self, value: Any, last: bool) -> None:
        """Shows the value of an expression: richly where it can, the last one also as text."""
        if isinstance(value, Player):
            self._has_player = True
            self.player(value.trace)
            return
        rich = None if isinstance(value, type) else html_of(value)
        if rich is not None:
            self.piece("html", html=rich)
        elif last and value is not None:
            self.text(f"{value!r}\n", "out")

    def player(self, trace: Trace) -> None:
        """Shows the step player of a trace."""
        drawn = pictures(trace)
        data = shown_data(trace, drawn)
        self.piece("player", data=data, svg=without_tooltips(drawn[0].drawing))

    def recorded(self, recorder: Recorder) -> None:
        """Shows what tapes were asked for, unless the program shows players of its own choice."""
        for film in recorder.loops.films(longer_than=MAX_PER_LINE):
            self.piece("html", html=film.html)
        if not self._has_player:
            for trace in recorder.traces[:MAX_PLAYERS]:
                self.player(trace)
            left_out = recorder.left_out + max(len(recorder.traces) - MAX_PLAYERS, 0)
            if left_out > 0:
                self.text(f"{left_out} more calls of tapes have no player.\n", "err")
                self.flush()

    def plots(self) -> None:
        """Shows the figures of matplotlib, if the program drew some, and closes them."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        for number in pyplot.get_fignums():
            drawn = io.BytesIO()
            pyplot.figure(number).savefig(drawn, format="png", bbox_inches="tight", dpi=110)
            self.piece("image", png=base64.b64encode(drawn.getvalue()).decode())
        pyplot.close("all")

    def error(self, error: BaseException, line: int) -> None:
        """Says how the program ended, and at which of its lines."""
        frames = [
            f"  line {frame.lineno}, in {frame.name}: {frame.line}"
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == FILE
        ]
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        said = f"{type(error).__name__}: {message}".removesuffix(": ")
        column = getattr(error, "offset", None) or 0
        way = "\n".join(frames) if len(frames) > 1 else ""
        self.piece("error", line=line, column=column, text=said, way=way)


class Printed(io.TextIOBase):
    """A stream whose text goes to the page."""

    def __init__(self, outputs: Outputs, stream: str) -> None:
        self._outputs, self._stream = outputs, stream

    def writable(self) -> bool:
        """True: it is there to write to."""
        return True

    def write(self, text: str) -> int:
        """Takes text."""
        self._outputs.text(text, self._stream)
        return len(text)


def html_of(value: Any) -> str | None:
    """How a value shows itself as HTML, as in a notebook; None where it does not."""
    for name in ("_repr_mimebundle_", "_repr_html_", "_repr_svg_"):
        method = getattr(value, name, None)
        made = method() if callable(method) else None
        bundle = made[0] if isinstance(made, tuple) else made
        if isinstance(bundle, dict):
            bundle = bundle.get("text/html") or bundle.get("image/svg+xml")
        if isinstance(bundle, str):
            return bundle
    return None
