"""The notebook's `%%tape` (record a cell and show its players) and `%tape on` / `%tape off`.

A cell is run by IPython itself, as if the magic were not there, under the `Recorder` that `minitape
step` uses for scripts. Needs IPython, which is there in a notebook.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import minitape as tf
from minitape.interpreter import identity
from minitape.record import input_id, output_ids, plan_of
from minitape.request import Request

from ..diagnosis.examiner import Examiner, examining
from ..diagnosis.finding import Finding
from ..diagnosis.views.check import Findings
from ..player.notebook import Player
from ..record import journal as journals
from ..record.journal import Journal
from ..record.names import tensors_in_namespace
from ..record.opening import build_opened
from ..script import MAX_TRACES, Recorder

USAGE = (
    "write %%tape alone, for the gradients that the cell asks for, or %%tape target source ... "
    "with names that the cell defines, such as %%tape loss w b; %tape on and %tape off record "
    "all cells, %tape explain on also says what is suspicious after each of them"
)


RECORDING = "Recording: viz.step shows values and lines of every cell from the next one on."
LOOKING = (
    "Looking at every gradient from the next cell on: what is suspicious is said below its cell. "
    "viz.step shows values and lines, too."
)


def usage_error(message: str) -> Exception:
    """The error for a magic that was written wrongly: IPython shows it in one line."""
    from IPython.core.error import UsageError

    return UsageError(f"{message}: {USAGE}")


class Tapes:
    """The magics of one shell.

    Attributes:
        session: the journal of `%tape on`, None while it is off.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.session: Journal | None = None
        self.is_open = False
        self.shown: dict[int, Any] = {}  # findings that were shown

    def line(self, line: str) -> None:
        """`%tape on` records every cell from the next one on, `%tape off` ends that.

        `%tape explain on` also looks at every gradient and says after a cell what is suspicious.
        """
        word = " ".join(line.split())
        if word not in ("on", "off", "explain on", "explain off"):
            raise usage_error(f"%tape got {word!r}")
        self.close()
        if word.endswith("on"):
            self.session = examining() if "explain" in word else journals.recording()
            self.shell.events.register("pre_run_cell", self.begin)
            self.shell.events.register("post_run_cell", self.end)
            print(LOOKING if "explain" in word else RECORDING)
        else:
            print("No longer recording.")

    def close(self) -> None:
        """Ends a session."""
        if self.session is None:
            return
        self.end()
        self.session = None
        self.shell.events.unregister("pre_run_cell", self.begin)
        self.shell.events.unregister("post_run_cell", self.end)

    def begin(self, *_: Any) -> None:
        """Goes on with the session's journal, as a cell begins."""
        if self.session is not None and not self.is_open:
            self.session.__enter__()
            self.is_open = True

    def end(self, *_: Any) -> None:
        """Puts the session's journal away, as a cell ends."""
        if self.session is not None and self.is_open:
            self.session.__exit__(None, None, None)
            self.is_open = False
            self.report()

    def report(self) -> None:
        """Shows what was found in the cell that ends."""
        if not isinstance(self.session, Examiner):
            return
        new = [f for f in self.session.findings.values() if id(f) not in self.shown]
        self.shown.update({id(f): f for f in new})
        if new:
            _display(Findings(new))
            self._hint(new)

    def _hint(self, findings: list[Finding]) -> None:
        """How a correction is tried, where the notebook has a name for all that it takes."""
        for each in findings:
            names = [str(each.facts.get(end, "")) for end in ("tape", "target")] + [each.source]
            if each.kind == "none" and all(name in self.shell.user_ns for name in names):
                print(f"viz.explain({', '.join(names)}).try_fix() tries a correction on copies.")
                return

    def cell(self, line: str, cell: str) -> None:
        """`%%tape`: runs the cell and shows a player for each gradient that it asked for.

        With names (`%%tape target source ...`) the cell needs no tape: one runs around it.
        """
        words = line.replace(",", " ").split()  # as in a list of names
        _check(words)
        players = self._of_names(words, cell) if words else self._of_calls(cell)
        for player in players:
            _display(player)

    def _of_calls(self, cell: str) -> list[Player]:
        recorder = Recorder()
        with recorder:
            succeeded = self._run(cell)
        recorder.add_unasked(tensors_in_namespace(self.shell.user_ns))
        if not recorder.traces and succeeded:
            print(
                "The cell made no tape that recorded anything: write `with tf.GradientTape() as "
                "tape:` in it, or name what is to be differentiated: %%tape target source"
            )
        if recorder.left_out:
            print(f"{recorder.left_out} further calls are not shown (at most {MAX_TRACES} are).")
        return [Player(trace) for trace in recorder.traces]

    def _of_names(self, words: list[str], cell: str) -> list[Player]:
        journal = journals.recording()
        with journal, tf.GradientTape(persistent=True) as tape:
            for name in words[1:]:
                known = self.shell.user_ns.get(name)
                if isinstance(known, tf.Tensor | tf.Variable):
                    tape.watch(known)
            if not self._run(cell):
                return []
        target, *sources = (self._named(name) for name in words)
        request = Request(target, sources)
        wanted = _leading_to(tape.recording.records, {identity(end) for end in request.targets})
        names = tensors_in_namespace(self.shell.user_ns)
        title = f"gradient of {words[0]} with respect to {', '.join(words[1:])}"
        built = build_opened(request, wanted, tape.recording, names, journal=journal, title=title)
        if built.error is not None:
            return [Player(built.trace, error=built.error)]
        for name, source in zip(words[1:], sources, strict=True):
            if built.cotangents.get(identity(source)) is None:
                print(_no_gradient(name, words[0], source))
        return [Player(built.trace, request.results(built.cotangents))]

    def _named(self, name: str) -> Any:
        value = self.shell.user_ns.get(name)
        if not isinstance(value, tf.Tensor | tf.Variable):
            raise usage_error(
                f"%%tape names {name!r}, and the cell leaves no tensor or variable of that name "
                f"(it is {repr(value)[:80]})"
            )
        return value

    def _run(self, cell: str) -> bool:
        """Lets IPython run a cell, which also shows its result and its errors."""
        # A line in place of the magic's own: so all lines have the numbers that the notebook shows.
        first = "" if cell.lstrip().startswith("%%") else "# %%tape\n"
        with _number_of_the_running_cell(self.shell):
            return bool(self.shell.run_cell(first + cell, store_history=False).success)


@contextmanager
def _number_of_the_running_cell(shell: Any) -> Iterator[None]:
    """IPython counts on before a cell runs; what runs inside belongs to the same number."""
    count = shell.execution_count
    cells = list((getattr(shell.compile, "_filename_map", None) or {}).values())
    shell.execution_count = cells[-1] if cells else count
    try:
        yield
    finally:
        shell.execution_count = count


def _check(words: list[str]) -> None:
    wrong = [word for word in words if not word.isidentifier()]
    if wrong or len(words) == 1:
        raise usage_error(f"%%tape got {' '.join(words)!r}")


def _no_gradient(name: str, target: str, source: Any) -> str:
    if isinstance(source, tf.Variable):
        return f"The gradient for {name} is None: {target} does not depend on it."
    return (
        f"The gradient for {name} is None. A tape follows variables by themselves, tensors only if "
        f"they exist before it starts: make {name} a tf.Variable, or define it in a cell before."
    )


def _leading_to(records: list[Any], ids: set[int]) -> list[Any]:
    """The records that the targets depend on: a gradient inside the cell leaves others."""
    wanted: list[Any] = []
    for record in reversed(records):
        if ids.intersection(output_ids(record)):
            wanted.append(record)
            ids.update(input_id(record, pull) for pull in plan_of(record).pulls)
    return wanted[::-1]


def _display(player: Any) -> None:
    from IPython.display import display

    display(player)  # type: ignore[no-untyped-call]


def register(shell: Any) -> None:
    """Adds the magics to a shell; loading the extension again changes nothing."""
    if isinstance(getattr(shell, "_minitape_tapes", None), Tapes):
        return
    if not hasattr(shell, "register_magic_function"):
        raise TypeError(
            f"load_ipython_extension: expected IPython's shell, got {shell!r:.80}. In a notebook "
            "write `%load_ext minitape.viz`."
        )
    tapes = Tapes(shell)
    shell._minitape_tapes = tapes

    def tape(line: str, cell: str | None = None) -> None:
        """Records cells, and shows the step player of their gradients.

        %%tape                 a cell that asks for gradients itself: a player for each
        %%tape loss w b        a cell without a tape: the gradients of `loss` with respect to w, b
        %tape on               record every cell from the next one on, for viz.step
        %tape explain on       also say after each cell what is suspicious about its gradients
        %tape off              stop

        In the cell, write a tape as always, or just the computation:

            %%tape loss w
            loss = (w * x - y) ** 2

        Variables are watched automatically; a tensor only if it exists before the cell.
        """
        if cell is None:
            tapes.line(line)
        else:
            tapes.cell(line, cell)

    shell.register_magic_function(tape, "line_cell", "tape")


def unregister(shell: Any) -> None:
    """Ends a session and forgets the magics."""
    tapes = getattr(shell, "_minitape_tapes", None)
    if isinstance(tapes, Tapes):
        tapes.close()
        shell._minitape_tapes = None
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop("tape", None)
