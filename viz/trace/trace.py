"""The trace: plain, versioned data that every picture is a pure function of.

Ids are positions, and a node's inputs have smaller ids, so a trace is acyclic by construction and
one pass over `nodes` visits inputs first.

JSON has the same names. Fields at their default (null, "", [], false, 0) are left out, so a reader
in another language treats an absent field as null / empty; `inputs`, `shape` and an array's `data`
and `finite` are always there. Beyond the plain arrays, `Array.sampled` marks statistics that were
computed on evenly spaced elements of a huge array.

Order of steps: every `forward` in recording order; one `seed` per target; then per visited op one
`pull` for each watched input, a `pull` that is the second or later contribution to its `to` being
followed at once by an `accumulate`; after the op's pulls a `release` (unless persistent); at the
end one `unconnected` per source without a gradient. Where ops go by pending counts, a `ready` comes
before each op's pulls and a `count` after them, which say what `pending` counts and `queue` become.

A step can be computed again from its `operands` alone: for each symbol of its formula the node and
the array. Sentences that a producer leaves empty are made by `viz.trace.wording`.

A trace that carries tangents has them in place of cotangents: one `seed` per source; then for each
output of each op on the way to a target one `push` for each input that has a tangent, each but the
first followed at once by an `accumulate`; an `unconnected` per target that no tangent reaches.

Version 2 added everything that version 1 lacks as optional fields, so both are read.

The annotation of a field is its whole specification, as in `plain`: what does not fit is refused
when a trace is made, as a saved file would be too late.
"""

from __future__ import annotations

import functools
import json
import os
import stat
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from reprlib import repr as short
from typing import Any

from ..base.files import write_whole
from ..errors import TraceError
from .arrays import Array
from .checks import (
    MAX_BYTES,
    check_break,
    check_direction,
    check_ids,
    check_inside,
    check_node,
    check_step,
    parse,
    refuse_large,
)
from .extras import Break, Inside, Order, Paths, Producer, Source, Way
from .parts import (
    Attribute,
    Carried,
    Convention,
    Formula,
    Line,
    Node,
    NodeKind,
    Operand,
    Slopes,
    Step,
    StepKind,
    Term,
    TraceKind,
)
from .plain import as_object, describe, encodable_texts, reader, to_plain

_WORDS = {int: "integers", str: "texts"}
_MADE = "viz.step(tape, y, x).trace makes one, and viz.Trace.load('trace.json') reads one."


def check_fields(made: Any) -> None:
    """Raises unless each field of a dataclass holds what its annotation says.

    Raises:
        TypeError: one does not; the message names it and says what makes a trace.
    """
    cls: Any = type(made)
    for name, kind in _kinds(cls).items():
        value = getattr(made, name)
        if not _fits(value, kind):
            raise TypeError(
                f"{cls.__name__}: {name} must be {_word(kind)}; got {short(value)} of type "
                f"{type(value).__name__}. {_MADE}"
            )


@functools.cache
def _kinds(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _fits(value: object, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return any(_fits(value, each) for each in inner)
    if origin is typing.Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        return isinstance(value, (tuple, list)) and _all_fit(value, inner[0])
    if origin is dict:
        return (
            isinstance(value, dict)
            and all(map(_fits, value, [int] * len(value)))
            and (_all_fit(list(value.values()), inner[1]))
        )
    return isinstance(value, kind)


def _all_fit(values: tuple[object, ...] | list[object], kind: Any) -> bool:
    """Whether all do; a trace has many nodes, and a plain class is asked quickest."""
    if isinstance(kind, type):
        return all(isinstance(each, kind) for each in values)
    return all(_fits(each, kind) for each in values)


def _word(kind: Any) -> str:
    """An annotation in words."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return f"a tuple of {_plural(inner[0])}"
    if origin is dict:
        return "a dict of arrays (or None) by the ids of nodes"
    if origin is types.UnionType:
        return f"a {inner[0].__name__} or None"
    if origin is typing.Literal:
        return " or ".join(map(repr, inner))
    return {str: "a string", bool: "True or False"}[kind]


def _plural(kind: Any) -> str:
    if typing.get_origin(kind) is tuple:
        return "pairs of integers"
    return _WORDS.get(kind) or f"{kind.__name__} objects"


__all__ = [
    "Array", "Attribute", "Break", "Carried", "Formula", "Inside", "Line", "Node", "NodeKind",
    "Operand", "Order", "Paths", "Producer", "Slopes", "Source", "Step", "StepKind", "Term",
    "Trace", "TraceError", "TraceKind", "Way", "renumbered",
]  # fmt: skip

FORMAT = "minitape-trace"
VERSION = 2
READ = (1, 2)  # versions that are read
TEXTS = (
    "nodes",
    "steps",
    "title",
    "source_text",
    "notes",
    "breaks",
    "orders",
    "producer",
    "insides",
)


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded program and one pass through it: backward, or of tangents forward.

    A trace of kind "graph" has nodes that were written down and have no values; their scopes are
    programs in programs (branches, loop bodies), drawn as nested boxes. `rounds` are pairs of
    nodes: what a loop's body gives, and the loop variable that takes it in the next round.

    `carries` says what its steps pass on after the forward ones: cotangents back from the targets,
    or tangents on from the sources. `gradients` are what has arrived at the end: the cotangents of
    the sources, or the tangents of the targets.

    `producer` is the program that recorded it. `convention` says what its cotangents of complex
    numbers are: the conjugate of the derivative (TensorFlow, PyTorch) or the derivative itself
    (JAX). `insides` are fused ops opened into elementary ones, `paths` the ways
    from sources to the target with what each brings.

    Raises:
        TypeError: a field holds something else than it should.

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
    producer: Producer | None = None
    convention: Convention = "conjugate"
    insides: tuple[Inside, ...] = ()
    paths: tuple[Paths, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        for name in TEXTS:
            object.__setattr__(self, name, encodable_texts(getattr(self, name)))

    def part(self, **changes: Any) -> Trace:
        """The trace with other nodes and steps that are made of its own.

        Their texts were looked at when this one was made, which for a large tape with many groups
        is not done again for each of them.
        """
        made = object.__new__(Trace)
        for each in fields(self):
            value = changes[each.name] if each.name in changes else getattr(self, each.name)
            object.__setattr__(made, each.name, value)
        return made

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
        document = parse(text, FORMAT, READ, max_bytes)
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
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise TraceError("this is no ordinary file, and may have no end; save the trace in one")
        refuse_large(found.st_size, max_bytes)
        with open(path, "rb") as file:
            return cls.from_json(file.read(max_bytes + 1), max_bytes)  # it may have grown


def check(trace: Trace) -> None:
    """Check the references of a trace (ids, order, steps); types are right already.

    Raises:
        TraceError: An id is out of range, an input does not come first, a step contradicts a node.
    """
    for position, node in enumerate(trace.nodes):
        check_node(node, position, f"nodes[{position}]")
    count = len(trace.nodes)
    for name in ("targets", "sources"):
        ids: tuple[int, ...] = getattr(trace, name)
        check_ids(ids, count, name)
        if len(set(ids)) != len(ids):
            raise TraceError(f"{name}: an id appears twice in {describe(list(ids))}")
    check_ids(trace.gradients, count, "gradients")
    for number, broken in enumerate(trace.breaks):
        check_break(broken, trace.nodes, f"breaks[{number}]")
    for number, step in enumerate(trace.steps):
        check_step(step, trace.nodes, f"steps[{number}]")
        check_direction(step, trace.carries, f"steps[{number}]")
    for number, order in enumerate(trace.orders):
        check_ids(order.nodes, count, f"orders[{number}]")
    for number, inside in enumerate(trace.insides):
        check_inside(inside, count, f"insides[{number}]")
    for number, found in enumerate(trace.paths):
        on_them = [node for way in found.ways for node in way.nodes]
        check_ids([found.source, found.target, *on_them], count, f"paths[{number}]")
    for number, pair in enumerate(trace.rounds):
        check_ids(pair, count, f"rounds[{number}]")
        if len(pair) != 2:
            raise TraceError(f"rounds[{number}]: {len(pair)} nodes; a round goes from one to one")


def renumbered(trace: Trace, nodes: Sequence[Node], place: Sequence[int]) -> Trace:
    """Give a trace other nodes, and its references the numbers that they have among them.

    Args:
        trace: The trace; its ids are positions in `place`.
        nodes: The nodes in their new order. Their own ids and inputs are still the old ones;
            nodes that the trace did not have yet are numbered on from its own.
        place: For each old id the new one.
    """
    return replace(
        trace,
        nodes=tuple(_node(node, place) for node in nodes),
        steps=tuple(_step(step, place) for step in trace.steps),
        targets=tuple(place[node] for node in trace.targets),
        sources=tuple(place[node] for node in trace.sources),
        gradients={place[node]: array for node, array in trace.gradients.items()},
        breaks=tuple(replace(each, node=place[each.node]) for each in trace.breaks),
        rounds=tuple(tuple(place[node] for node in pair) for pair in trace.rounds),
        orders=tuple(
            replace(each, nodes=tuple(place[node] for node in each.nodes)) for each in trace.orders
        ),
        insides=tuple(
            replace(each, node=place[each.node], outer={n: place[o] for n, o in each.outer.items()})
            for each in trace.insides
        ),
        paths=tuple(_paths(each, place) for each in trace.paths),
    )


def _node(node: Node, place: Sequence[int]) -> Node:
    alias = None if node.alias_of is None else place[node.alias_of]
    inputs = tuple(place[i] for i in node.inputs)
    return replace(node, id=place[node.id], inputs=inputs, alias_of=alias)


def _paths(found: Paths, place: Sequence[int]) -> Paths:
    ways = tuple(replace(way, nodes=tuple(place[n] for n in way.nodes)) for way in found.ways)
    return replace(found, source=place[found.source], target=place[found.target], ways=ways)


def _step(step: Step, place: Sequence[int]) -> Step:
    pending = step.pending and {place[node]: count for node, count in step.pending.items()}
    queue = step.queue and tuple(place[node] for node in step.queue)
    operands = tuple(replace(each, node=place[each.node]) for each in step.operands)
    to = None if step.to is None else place[step.to]
    return replace(
        step, node=place[step.node], to=to, operands=operands, pending=pending, queue=queue
    )
