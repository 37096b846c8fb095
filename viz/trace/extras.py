"""What a trace may have besides nodes and steps: opened ops, paths, breaks, orders, a producer.

All of it is optional; a picture without it has a pane less and is right.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .arrays import Array
from .parts import Line, Node, Step


@dataclass(frozen=True, slots=True)
class Inside:
    """A fused op opened: elementary ops that compute the same, and one pass through them.

    Attributes:
        node: The fused op.
        nodes: Its elementary nodes; ids are positions here.
        steps: The pass through them; nodes are those here.
        outer: The node of the trace that a node here is: the op's inputs and its result.
        difference: The largest difference between the gradients of both forms.
    """

    node: int
    nodes: tuple[Node, ...]
    steps: tuple[Step, ...] = ()
    outer: dict[int, int] = field(default_factory=dict)
    difference: float = 0.0


@dataclass(frozen=True, slots=True)
class Way:
    """One path from a source to a target.

    Attributes:
        nodes: The nodes on it, source and target included.
        value: What comes to the source along it alone.
    """

    nodes: tuple[int, ...]
    value: Array


@dataclass(frozen=True, slots=True)
class Paths:
    """All paths from a source to a target: what they bring adds up to the gradient.

    Attributes:
        source: The source.
        target: The target.
        count: How many there are.
        ways: Those that bring most, the largest first.
        rest: What the others bring together, None if there are none.
    """

    source: int
    target: int
    count: int
    ways: tuple[Way, ...]
    rest: Array | None = None


@dataclass(frozen=True, slots=True)
class Producer:
    """The program that recorded a trace: its name, such as "minitape" or "torch", and version."""

    name: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of the learner's program for the code pane; `first` is its first line's number."""

    file: str
    first: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a gradient cannot pass: an edge (with the argument's position), or a node.

    Attributes:
        node: The node, or the end of the edge.
        position: Which of the node's arguments the edge is.
        note: A few words beside the cross.
        cause: Why nothing passes, in a sentence or two.
        correction: What to write instead, if that was tried and gave a gradient.
        line: The line to change.
        corrected: The trace that the correction gave, as JSON.
    """

    node: int
    position: int | None = None
    note: str = ""
    cause: str = ""
    correction: str = ""
    line: Line | None = None
    corrected: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """An order in which ops can be differentiated, with its name; shown beside the graph."""

    name: str
    nodes: tuple[int, ...]
