"""The trace: plain, versioned data that every picture is a pure function of.

The one fact to know: ids are positions, and a node's inputs have smaller ids, so a trace is acyclic
by construction and one pass over `nodes` visits inputs first.

JSON has the same names. Fields at their default (null, "", [], false, 0) are left out, so a reader
in another language treats an absent field as null / empty; `inputs`, `shape` and an array's `data`
and `finite` are always there. Beyond the plain arrays, `Array.sampled` marks statistics that were
computed on evenly spaced elements of a huge array.

Order of steps: every `forward` in recording order; one `seed` per target; then per visited op one
`pull` for each watched input, a `pull` that is the second or later contribution to its `to` being
followed at once by an `accumulate`; after the op's pulls a `release` (unless persistent); at the
end one `unconnected` per source without a gradient. Where ops go by pending counts, a `ready` comes
before each op's pulls and a `count` after them, which say what `pending` counts and `queue` become.

A trace that carries tangents has them in place of cotangents: one `seed` per source; then for each
output of each op on the way to a target one `push` for each input that has a tangent, each but the
first followed at once by an `accumulate`; an `unconnected` per target that no tangent reaches.
May import `arrays`, `errors`, `plain`, `files`, `trace_checks`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..base.files import write_whole
from ..errors import TraceError
from .arrays import Array
from .checks import MAX_BYTES, check, parse, refuse_large
from .plain import as_object, encodable_texts, reader, to_plain

__all__ = [
    "Array", "Break", "Formula", "Line", "Node", "Order", "Source", "Step", "Trace", "TraceError"
]  # fmt: skip

FORMAT = "minitape-trace"
VERSION = 1

NodeKind = Literal["source", "variable", "constant", "op"]
TraceKind = Literal["tape", "graph"]
StepKind = Literal[
    "forward", "seed", "pull", "accumulate", "release", "unconnected", "ready", "count", "push"
]
Carried = Literal["cotangents", "tangents"]


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula in three notations; `mathml` is a fragment made by the toolkit, "" if none."""

    text: str
    latex: str = ""
    mathml: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the learner's program: file, number from 1, text, and the notebook cell if any."""

    file: str
    number: int
    text: str = ""
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One tensor of the program: what it is, where it came from, what the tape keeps for it.

    Attributes:
        id: Position in `Trace.nodes`.
        kind: What it is.
        inputs: Ids of the arguments, in order; all smaller than `id`.
        op: Name of the op, None for a node that no op made.
        name: The learner's own name, "" if there is none.
        output: Which output of its op this is (several nodes may share `record`).
        record: Which record of the tape made it.
        value: Its value, None if it was not kept.
        dtype: Name of the dtype.
        shape: The shape.
        line: The line that made it.
        formula: The forward formula in symbols.
        numbers: The formula with numbers put in, for small values.
        scope: Names of the groups it belongs to, outermost first.
        layer: 0 for the outermost tape, 1 for the one inside it, ...
        watched: Whether the tape follows it.
        kept: Bytes that the tape holds for this op's rules.
        keeps: Which values those are, such as "x, out".
    """

    id: int
    kind: NodeKind
    inputs: tuple[int, ...]
    dtype: str
    shape: tuple[int, ...]
    op: str | None = None
    name: str = ""
    output: int = 0
    record: int | None = None
    value: Array | None = None
    line: Line | None = None
    formula: Formula | None = None
    numbers: str = ""
    scope: tuple[str, ...] = ()
    layer: int = 0
    watched: bool = False
    kept: int = 0
    keeps: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened; see the module's docstring for the order of steps.

    Attributes:
        kind: What happened.
        node: forward, seed, release: that node; pull: the op's node whose rule ran; accumulate,
            unconnected: the node that receives; push: the op's output that receives; ready, count:
            the op that is taken, or done.
        to: pull: the input node that receives the contribution; push: the other end of the same
            edge, the input whose tangent is passed on.
        position: pull, push: which argument of the op that is.
        cotangent: pull: what came in at `node`; seed: the seed; push: the tangent of `to`.
        contribution: pull: what goes to `to`; push: what goes to `node`; accumulate: the new term.
        total: pull, push: what the receiver has after it; accumulate: old + contribution.
        old: accumulate: what the receiver had before it.
        formula: The derivative rule in symbols.
        numbers: The rule with numbers, such as "g · y = 1.0 · 3.0 = 3.0".
        local: The local derivative, where the op is elementwise.
        sentence: One plain sentence.
        held: Bytes that the tape holds after the step.
        line: The line of the learner's program.
        pending: Pending counts that this step sets, by node: how many uses of an op's result have
            not been differentiated yet. The others stay as they were.
        queue: The ops that are ready from this step on, the next one first; a `ready` step's own
            op is not among them. None: as before.
    """

    kind: StepKind
    node: int
    to: int | None = None
    position: int | None = None
    cotangent: Array | None = None
    contribution: Array | None = None
    total: Array | None = None
    old: Array | None = None
    formula: Formula | None = None
    numbers: str = ""
    local: Array | None = None
    sentence: str = ""
    held: int = 0
    line: Line | None = None
    pending: dict[int, int] | None = None
    queue: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of the learner's program for the code pane; `first` is its first line's number."""

    file: str
    first: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a gradient cannot pass: an edge (with the argument's position), or a node."""

    node: int
    position: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """An order in which ops can be differentiated, with its name; shown beside the graph."""

    name: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded program and one pass through it: backward, or of tangents forward.

    A trace of kind "graph" has nodes that were written down and have no values; their scopes are
    programs in programs (branches, loop bodies), drawn as nested boxes. `rounds` are pairs of
    nodes: what a loop's body gives, and the loop variable that takes it in the next round.

    `carries` says what its steps pass on after the forward ones: cotangents back from the targets,
    or tangents on from the sources. `gradients` are what has arrived at the end: the cotangents of
    the sources, or the tangents of the targets.

    Example:
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0), watched=True)
        >>> y = Node(1, "op", (0, 0), "float64", (), op="multiply", name="y", value=Array.of(9.0))
        >>> trace = Trace((x, y), targets=(1,), sources=(0,), gradients={0: Array.of(6.0)})
        >>> Trace.from_json(trace.to_json()) == trace
        True
    """

    nodes: tuple[Node, ...]
    steps: tuple[Step, ...] = ()
    targets: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    gradients: dict[int, Array | None] = field(default_factory=dict)
    title: str = ""
    persistent: bool = False
    source_text: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    breaks: tuple[Break, ...] = ()
    kind: TraceKind = "tape"
    rounds: tuple[tuple[int, ...], ...] = ()
    orders: tuple[Order, ...] = ()
    carries: Carried = "cotangents"

    def __post_init__(self) -> None:
        for name in ("nodes", "steps", "title", "source_text", "notes", "breaks", "orders"):
            object.__setattr__(self, name, encodable_texts(getattr(self, name)))

    def to_json(self) -> str:
        """Write the trace as one line of JSON (ASCII only, so any editor and page can hold it)."""
        document = {"format": FORMAT, "version": VERSION, **as_object(to_plain(self), "trace")}
        return json.dumps(document, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes, max_bytes: int = MAX_BYTES) -> Trace:
        """Read a trace, checking everything and executing nothing.

        Args:
            text: What `to_json` wrote (by this program or another one).
            max_bytes: Refuse longer texts.

        Raises:
            TraceError: The text is not a valid trace; the message says where and why.
        """
        document = parse(text, FORMAT, VERSION, max_bytes)
        trace: Trace = reader(cls)(document, "trace")
        check(trace)
        return trace

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the JSON to a file, whole or not at all (see `viz.base.files.write_whole`)."""
        return write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> Trace:
        """Read a file that `save` wrote; the size is looked at before the file is read.

        Raises:
            TraceError: The file is too large or not a valid trace.
            FileNotFoundError: There is no such file.
        """
        refuse_large(os.stat(path).st_size, max_bytes)
        return cls.from_json(Path(path).read_bytes(), max_bytes)
