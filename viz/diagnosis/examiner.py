"""The examiner: a journal that looks at every `gradient` and `jacobian` before a tape answers.

It is the viewer's journal with the learner's frames beside each op. Closed, it is on no stack and
costs nothing. What goes wrong in here never reaches the program. While it is open every
`tf.function` runs its Python: each op has its line, and tapes in there are seen.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.interpreter import follow
from minitape.recording import Recording
from minitape.request import Request
from minitape.safety.silence import Silence
from minitape.tape import GradientTape
from minitape.tensor import EagerTensor
from minitape.values import nest
from minitape.values.modes import UnconnectedGradients
from minitape.variable import ResourceVariable

from ..record.journal import Journal, remembered
from ..record.lines import calling_frame
from ..record.names import tensors_in
from ..record.standpoints import Stack
from .finding import NUMERIC, Finding
from .kinds.engine.broken_data import Broken
from .kinds.engine.examine import examine
from .kinds.engine.lost_part import cut, cuts
from .kinds.engine.meant import Answers
from .pictures import picture
from .sources import written as places
from .sources.case import Case, Outcome, few, state, target_numbers
from .sources.rounds import Round, gradients_of, round_of

if TYPE_CHECKING:
    from minitape.op import Op

MAX_HELD = 200_000_000  # bytes of values after which what ran is forgotten
MAX_OPS = 20_000
MAX_CALLS = 100_000
WHOLE = 3  # calls of one place that are looked at from all sides; later ones for NaN and zeros
FEW = 9  # variables that a line may ask for one after the other
SECONDS = 10.0  # of computing while looking, at least; a long training goes on without


def examining() -> Examiner:
    """An examiner for a session, whose journal is that of the viewer."""
    examiner = Examiner()
    remembered(examiner)
    return examiner


class Examiner(Journal):
    """Keeps what is suspicious about what tapes are asked for while it is open.

    Args:
        file: the file whose lines are meant, "" for any of the learner's.
        noted: called after each call that was looked at.
        picture_of: the call whose trace is kept in `picture`, as JSON.
        functions: whether every `tf.function` runs its Python while it is open.

    Attributes:
        findings: what was found, each once.
        outcomes: what each call gives, in order.
        stacks: the learner's frames by the number of the op.
        event_stacks: the same for `events`.
    """

    __slots__ = (
        "answers", "bad", "broken", "cuts", "event_stacks", "file", "findings", "functions",
        "glances",
        "hears_checks", "held", "made", "noted", "outcomes", "picture", "picture_of", "quiet",
        "rounds", "running_rounds", "seconds",
        "sees_sweeps", "sites", "spent", "stacks", "suspected", "sweep_stacks", "tapes",
        "truth", "written",
    )  # fmt: skip

    def __init__(
        self,
        file: str = "",
        noted: Callable[[Examiner], None] | None = None,
        picture_of: int = -1,
        functions: bool = True,
    ) -> None:
        super().__init__()
        self.functions = functions
        self.picture_of = picture_of
        self.picture = ""
        self.file = file
        self.noted = noted
        self.findings: dict[Any, Finding] = {}
        self.outcomes: list[Outcome] = []
        self.answers = Answers()
        self.cuts: dict[int, str] = {}  # where a part of the way left a tape, which may be meant
        self.broken = Broken(file)
        self.stacks: dict[int, places.Stack] = {}
        self.event_stacks: list[places.Stack] = []
        self.made: dict[int, places.Stack] = {}  # where variables and constants were made
        self.sweep_stacks: dict[int, places.Stack] = {}
        self.tapes: list[tuple[Any, Finding]] = []  # the tapes' weak references
        self.quiet: list[Finding] = []  # told only if the script fails because of a None
        self.suspected: dict[Any, Finding] = {}  # told only if a trial shows them
        self.bad: set[Any] = set()  # places whose numbers are not finite: told of once
        self.sites: Counter[Any] = Counter()
        self.glances: list[Glance | None] = []  # of the sweeps that are running
        # The first rounds of trainings, by their place and sources.
        self.rounds: dict[Any, list[Round]] = {}
        self.running_rounds: list[Round | None] = []
        self.written: dict[int, ResourceVariable] = {}  # variables that something was assigned to
        self.sees_sweeps = True
        self.hears_checks = False  # whether `viz.check` is a call of a tape as well
        self.truth: Callable[[Case], Any] | None = None  # what corrections are compared with
        self.held = 0
        self.seconds = 0.0  # of looking, where a script was given more
        self.spent = 0.0

    def __enter__(self) -> Examiner:
        """Opens it; each time, as for a cell of a notebook, there are its seconds anew."""
        self.spent = 0.0
        super().__enter__()
        return self

    @property
    def opens_functions(self) -> bool:
        """So that each op has its line, unless a correction is to be seen in graphs too."""
        return self.functions

    def observe(
        self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> None:
        """Keeps one op and where it ran, as long as calls are looked at."""
        if self.is_done:
            return
        super().observe(op, inputs, outputs, attributes)
        self.stacks[self.number - 1] = self.here.stack  # type: ignore[union-attr] # just set
        for each in outputs if op.several else (outputs,):
            self.held += getattr(each.value, "nbytes", 0)
        if self.held > MAX_HELD or len(self.entries) > MAX_OPS:
            self.forget()

    @property
    def is_done(self) -> bool:
        """Whether it has looked for long enough: what follows is neither kept nor looked at."""
        return self.spent > (self.seconds or SECONDS) or len(self.outcomes) > MAX_CALLS

    def forget(self) -> None:
        """Lets go of what ran: a long program must not be held in memory as a whole."""
        self.held = 0
        self.has_gaps = True
        for kept in (self.events, self.event_stacks, self.entries, self.by_output, self.stacks):
            kept.clear()
        self.written.clear()
        self.rounds.clear()  # their events are gone

    def evidence(self, kind: str, tensor: Any, into: Any) -> None:
        """Keeps where a value left."""
        if not self.is_done:
            super().evidence(kind, tensor, into)
            self._placed()
            if isinstance(into, ResourceVariable):
                self.written[into.id] = into

    def happened(self, kind: str, subject: Any, detail: Any) -> None:
        """Keeps what tapes do, and where constants were made."""
        if self.is_done:
            return
        super().happened(kind, subject, detail)
        self._placed()
        if kind == "constant":
            self.made.setdefault(subject.id, self.event_stacks[-1])

    def _placed(self) -> None:
        here = self.here.stack if self.here is not None else ()
        self.event_stacks += [here] * (len(self.events) - len(self.event_stacks))

    def learn_names(self) -> None:
        """The names at one place change little: they are looked up ever more rarely."""
        here = self.standpoints.now()
        here.visits += 1
        if here.visits <= WHOLE or here.visits & (here.visits - 1) == 0:
            super().learn_names()

    def asked(self, kind: str, tape: Any, request: Any) -> None:
        """Looks at what a tape is asked for, before it answers and forgets."""
        began = time.process_time()
        super().asked(kind, tape, request)
        here = self.standpoints.now().stack
        site, sources = _site(here), tuple(request.source_ids)
        seen_before = not (
            self.is_done or self._is_new(site) or self._is_second_round(site, sources)
        )
        is_shown = len(self.outcomes) == self.picture_of
        asked = glance(kind, tape, request, here) if seen_before and not is_shown else None
        self.sees_sweeps = asked is None and not self.is_done
        self.glances.append(asked)
        self.running_rounds.append(None if seen_before else self._begin_round(kind, request, here))
        self.spent += time.process_time() - began
        if asked is None:
            self.look(kind, tape, request)

    def answered(self, tape: Any, result: Any = None) -> None:
        """Looks at the gradients of a call that needs no more than that."""
        super().answered(tape, result)
        asked = self.glances.pop() if self.glances else None
        round_ = self.running_rounds.pop() if self.running_rounds else None
        if round_ is not None and result is not None:
            round_.gradients[:] = gradients_of(result, len(round_.keys))
        if asked is None:
            return
        began = time.process_time()
        found = gradients(asked, result, self)
        outcome = asked.outcome(found, self._line(asked.here)) if found is not None else None
        if outcome is None or {"nan", "inf"} & {*outcome.states}:
            self.look("gradient", asked.again(), asked.request, places.tape_name(tape))
            return
        site = _site(asked.here)
        self.sites[site] += 1
        self._keep(outcome, asked.recording.mark[0], asked.request, site)
        self._looked(began)

    def _is_new(self, site: Any) -> bool:
        return self.sites[site] < WHOLE

    def _is_second_round(self, site: Any, sources: tuple[int, ...]) -> bool:
        """Whether a line asks for one variable after another, and for this one for the second time.

        The steps of such a training can only be compared with each other in its second round.
        """
        known = sum(key[0] == site for key in self.rounds)
        count = len(self.rounds.get((site, sources), ()))
        return 0 < known <= FEW and (count == 1 or count == 0 and self.sites[site] < FEW)

    def _begin_round(self, kind: str, request: Any, here: Stack) -> Round | None:
        """A round of a training, if a request for its gradients is one."""
        round_ = None
        if not self.is_done and kind == "gradient":
            with suppress(Exception):  # the program goes on as if nobody had looked
                round_ = round_of(request, here, len(self.events))
        if round_ is not None:
            self.rounds.setdefault((_site(here), round_.keys), []).append(round_)
        return round_

    def _line(self, here: places.Stack) -> int:
        """The innermost line of the file that is meant."""
        own = (each.line for each in here if not self.file or each.code.co_filename == self.file)
        return next(own, 0)

    def explained(self, tape: Any, target: Any, source: Any) -> None:
        """Looks at a gradient that `viz.explain` is asked about, if the tape still has it."""
        if tape.usable:
            self.look("gradient", tape, Request(target, source))

    def look(self, kind: str, tape: Any, request: Any, called: str = "") -> None:
        """Keeps what a call gives and what is suspicious about it.

        Args:
            kind: gradient, jacobian or batch_jacobian.
            tape: with its records.
            request: what it is asked for.
            called: what the learner calls the tape, where it is not this one.
        """
        began = time.process_time()
        if self.is_done:
            return
        here = self.standpoints.now().stack
        self.sweep_stacks[len(self.sweeps) - 1] = here
        site = _site(here)
        is_new = self._is_new(site)
        self.sites[site] += 1
        try:
            names = tensors_in(calling_frame(), [*request.targets, *request.sources])
            case = Case(self, kind, tape, request, names, here)
            case.tape_name = called or case.tape_name
            own = site, tuple(request.source_ids)
            case.rounds = self.rounds.get(own, [])
            case.beside = [rounds for key, rounds in self.rounds.items() if key != own]
            self._examine(case, site, is_new)
        except Exception as error:  # the program goes on as if nobody had looked
            self.outcomes.append(Outcome(here[0].line if here else 0, [], [], repr(error)))
        self._looked(began)

    def _looked(self, began: float) -> None:
        self.spent += time.process_time() - began
        if self.is_done:
            self.forget()
        if self.noted is not None:
            self.noted(self)

    def _keep(self, outcome: Outcome, mark: Any, request: Any, site: Any) -> None:
        """Keeps what one call gives, and takes back what it shows to be meant."""
        self.outcomes.append(outcome)
        self.answers.note(mark, request, outcome.states, len(self.outcomes) - 1)
        self._withdraw()
        for number, word in enumerate(outcome.states):
            if word != "zero":  # what is zero once only is no finding
                self.findings.pop(("zero at", site, number), None)

    def _examine(self, case: Case, site: Any, is_new: bool) -> None:
        outcome = case.outcome()
        self._keep(outcome, case.tape.recording.mark[0], case.request, site)
        if len(self.outcomes) - 1 == self.picture_of:
            self.picture = picture(case)
        bad = not np.isfinite(outcome.target).all() or bool({"nan", "inf"} & {*outcome.states})
        is_second = not is_new and not bad and 1 < len(case.rounds) <= 2
        if not is_new and not is_second and (not bad or site in self.bad):
            return
        if bad:
            self.bad.add(site)
        found = examine(case, ("other_order",) if is_second else ())
        if self.file:
            self.cuts |= {line.number: cut(line.number, line.text) for line in cuts(case)}
        if self.truth is not None and any(each.kind in NUMERIC for each in found):
            self.outcomes[-1] = outcome._replace(truth=self.truth(case))
        if bad:  # which says where a training that diverges has led
            climbs = {"overshoots", "uphill"}
            for key in [k for k, each in self.findings.items() if each.found_by in climbs]:
                del self.findings[key]
        for finding in found:
            finding.call = len(self.outcomes) - 1
            finding.trace = finding.trace or picture(case, finding)
            if finding.is_quiet or self.answers.explain(finding):
                self.quiet.append(finding)
                continue
            if finding.is_suspected:
                self.suspected.setdefault(finding.key, finding)
                continue
            index = finding.facts.get("index")
            key = ("zero at", site, index) if finding.kind == "zero" else finding.key
            if self.sites[site] == 1 or finding.kind != "zero":
                self.findings.setdefault(key, finding)
                self.tapes.append((case.flow.mark, finding))

    def _withdraw(self) -> None:
        """Takes back what the last call shows to be meant."""
        for key, finding in list(self.findings.items()):
            if self.answers.explain(finding):
                self.quiet.append(self.findings.pop(key))
                self.tapes = [pair for pair in self.tapes if pair[1] is not finding]


def _site(here: places.Stack) -> Any:
    """The innermost instruction of the learner's."""
    return here[0][:2] if here else None


class Glance(NamedTuple):
    """A call that waits for its gradients: the tape, its records, what was asked, and where."""

    tape: Any
    recording: Recording
    records: list[Any]
    request: Request
    here: Stack

    def outcome(self, gradients: list[Any], line: int) -> Outcome:
        """What the call gives, of the gradients themselves."""
        values = [getattr(each, "value", None) for each in gradients]
        with Silence():
            states = [state(value) for value in values]
        return Outcome(line, states, [few(v) for v in values], "", target_numbers(self.request))

    def again(self) -> GradientTape:
        """A tape with the records that the sweep has used up."""
        recording = Recording(self.recording.watches_variables)
        recording.mark, recording.watched = self.recording.mark, self.recording.watched
        recording.events = self.recording.events
        recording.log += self.records
        tape = GradientTape(persistent=True)
        tape._recording = recording
        return tape


def glance(kind: str, tape: Any, request: Request, here: Stack) -> Glance | None:
    """A glance at a call; None where it has to be looked at from all sides."""
    is_plain = kind == "gradient" and request.plain
    if not is_plain or request.mode is not UnconnectedGradients.NONE:
        return None
    if not all(type(each) is EagerTensor and _is_finite(each) for each in request.targets):
        return None
    recording = tape.recording
    return Glance(tape, recording, recording.records, request, here)


def gradients(asked: Glance, result: Any, journal: Any) -> list[Any] | None:
    """One gradient per source, followed from now on; None where it is not clear which."""
    found = result if type(result) is list else nest.flatten(result)
    if result is None or len(found) != len(asked.request.sources):
        return None
    for each in found:
        if type(each) is EagerTensor:
            follow(each, journal)
        elif each is not None:
            return None
    return found


def _is_finite(tensor: EagerTensor) -> bool:
    value: Any = tensor.value
    return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
