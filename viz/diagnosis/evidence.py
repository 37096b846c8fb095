"""Holds what ran in words that no framework owns: the only thing that kinds look at.

There is one graph of all flows of values. An op that the framework differentiates, one that it does
not, `.numpy()`, `float`, NumPy's own functions, the way back into a tensor and a change in place
are all edges of it, and on each edge stands whether a gradient passes (`Op.cut`). A value that is
changed in place has a key for each of its states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minitape.facts import NOTHING, Facts

from .words import known

STEP = "step"  # the cut of an update: a variable begins anew there, and no walk goes further


class Place(NamedTuple):
    """An expression of the learner's that was running.

    Attributes:
        line: in the file, from 1.
        text: that line, without its indentation.
        span: line, end line, column, end column of the expression, as `ast` counts; () if unknown.
        code: the text of the expression.
    """

    file: str
    line: int
    text: str = ""
    span: tuple[int, ...] = ()
    code: str = ""


class Op(NamedTuple):
    """One step of the program on numbers.

    Attributes:
        number: its place in `Evidence.ops`.
        name: minitape's own word if it has the op, else a neutral one: "log", "to_numpy".
        called: the learner's own word: "torch.log", "np.tanh".
        inputs, outputs: keys of values.
        place: where, None for what no line of the learner's did.
        cut: "" where a gradient passes, else why not: "detach", "no_grad", "to_numpy", ...
        attributes: plain data, such as {"dim": 1}.
    """

    number: int
    name: str
    called: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    place: Place | None
    cut: str = ""
    attributes: dict[str, Any] = {}  # noqa: RUF012

    @property
    def facts(self) -> Facts:
        """What minitape's op of that name says of itself; nothing where there is none."""
        ours = known(self.name, len(self.inputs))
        return NOTHING if ours is None else ours.facts

    @property
    def is_elementwise(self) -> bool:
        """Whether it is known to compute each element by itself."""
        ours = known(self.name, len(self.inputs))
        return ours is not None and (ours.elementwise or ours.facts.moves == "same")

    @property
    def broadcasts(self) -> bool:
        """Whether it takes two arrays element by element, and repeats one to fit the other."""
        ours = known(self.name, len(self.inputs))
        is_known = ours is not None and ours.broadcasts and ours.differentiable
        return len(self.inputs) > 1 and (is_known or self.name.endswith("_loss"))

    @property
    def jumps(self) -> bool:
        """Whether its result moves in jumps, between which its derivative is 0."""
        return self.facts.jumps == "steps" or self.name in {"trunc", "fix", "heaviside"}


@dataclass(slots=True)
class Value:
    """A tensor, array or number at one moment.

    Attributes:
        role: "variable" (wants a gradient), "constant", "result", "outside" (NumPy, Python) or
            "unknown" (nobody saw how it was made).
        read: gives its numbers as an array, None where they are gone.
        place: where it was made.
        name: what the learner calls it, "" if unknown.
    """

    key: int
    role: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    name: str = ""
    read: Callable[[], Any] | None = None
    place: Place | None = None

    @property
    def numbers(self) -> Any:
        """Its numbers as an array, None if they are gone."""
        return self.read() if self.read is not None else None


class Factor(NamedTuple):
    """What the backward pass did at one op: gradients that came in, and those that went on."""

    op: Op
    incoming: list[Any]
    outgoing: list[Any]


@dataclass(slots=True)
class Ask:
    """A request for gradients.

    Attributes:
        number: in the order of the run.
        place: the line that asked.
        targets, sources: keys.
        began, ended: numbers of ops: where the window before the request begins and ends.
        looked: whether all ops of its window were seen.
        gradients: by source; None where there is none.
        error: what the framework said when it refused.
        sweep: the backward pass from the target on, where it was observed.
        facts: what only some frameworks know.
    """

    number: int
    place: Place | None
    targets: tuple[int, ...]
    sources: tuple[int, ...] = ()
    began: int = 0
    ended: int = 0
    looked: bool = True
    gradients: dict[int, Any] = field(default_factory=dict)
    error: str = ""
    sweep: list[Factor] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


class Event(NamedTuple):
    """Something that is no op: "step", "zero_grad", "optimizer", "reads grad", "warning"."""

    kind: str
    number: int  # of the next op
    asks: int  # how many requests there were before
    place: Place | None
    keys: tuple[int, ...] = ()
    facts: dict[str, Any] = {}  # noqa: RUF012


class Evidence:
    """The ops, values, requests and events of a run; the graph grows as they come.

    Attributes:
        maker: the op that made a value.
        users: the ops that used it.
        root: for a state of a changed value, its first state.
        error: how the run ended, "" if it ended well: the type and the words.
        error_place: the learner's line of that error.
        error_stack: all of the learner's lines on the way to it, innermost first.
    """

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.values: dict[int, Value] = {}
        self.events: list[Event] = []
        self.asks: list[Ask] = []
        self.maker: dict[int, Op] = {}
        self.users: dict[int, list[Op]] = {}
        self.root: dict[int, int] = {}
        self.error = ""
        self.error_place: Place | None = None
        self.error_stack: list[Place] = []
        self.facts: dict[str, Any] = {}

    def add(
        self,
        name: str,
        called: str,
        inputs: Iterable[int],
        outputs: Iterable[int],
        place: Place | None,
        cut: str = "",
        attributes: dict[str, Any] | None = None,
    ) -> Op:
        """One more op."""
        op = Op(
            len(self.ops), name, called, tuple(inputs), tuple(outputs), place, cut, attributes or {}
        )
        self.ops.append(op)
        for key in op.outputs:
            self.maker[key] = op
        for key in dict.fromkeys(op.inputs):
            self.users.setdefault(key, []).append(op)
        return op

    def before(self, keys: Iterable[int], passes: bool = False) -> set[int]:
        """What some values were computed from; `passes`: along edges that a gradient passes."""
        found: set[int] = set()
        todo = list(keys)
        while todo:
            key = todo.pop()
            if key in found:
                continue
            found.add(key)
            op = self.maker.get(key)
            if op is not None and op.cut != STEP and not (passes and op.cut):
                todo += op.inputs
        return found

    def after(self, keys: Iterable[int], until: int, passes: bool = False) -> set[int]:
        """What was computed from some values before an op; `passes` as for `before`."""
        found: set[int] = set()
        todo = list(keys)
        while todo:
            key = todo.pop()
            if key in found:
                continue
            found.add(key)
            for op in self.users.get(key, ()):
                if op.number < until and op.cut != STEP and not (passes and op.cut):
                    todo += op.outputs
        return found

    def cuts(self, targets: Iterable[int], sources: Iterable[int], until: int) -> Iterator[Op]:
        """The edges where a value flows on to the targets and its gradient does not, in order.

        A cut leads from what the gradient of the sources could still reach to something that the
        targets were computed from. Both walks are linear.
        """
        wanted = self.before(targets)
        live = self.after(sources, until, passes=True)
        for number in sorted({op.number for key in live for op in self.users.get(key, ())}):
            op = self.ops[number]
            if op.cut and op.cut != STEP and number < until and not wanted.isdisjoint(op.outputs):
                yield op

    def between(self, first: int, last: int) -> list[Op]:
        """The ops of a piece of the run."""
        return self.ops[max(first, 0) : max(last, 0)]

    def first(self, key: int) -> int:
        """The first state of a value that was changed in place."""
        return self.root.get(key, key)

    def name(self, key: int) -> str:
        """What a sentence calls a value; "" if the learner has no name for it."""
        value = self.values.get(key)
        return f"`{value.name}`" if value is not None and value.name else ""

    def said(self, key: int) -> str:
        """The name of a value, else what it is."""
        op = self.maker.get(key)
        return self.name(key) or (f"the result of `{op.called}`" if op else "a tensor")
