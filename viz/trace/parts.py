"""What a trace is made of: nodes, steps and what belongs to them, every field documented.

Only what a picture cannot do without is required. Whatever else a producer knows (names, formulas,
sentences, devices) is optional; an absent field has the default below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from minitape.facts import Facts

from .arrays import Array

NodeKind = Literal["source", "variable", "constant", "op"]
TraceKind = Literal["tape", "graph"]
StepKind = Literal[
    "forward", "seed", "pull", "accumulate", "release", "unconnected", "ready", "count", "push"
]
Carried = Literal["cotangents", "tangents"]
Convention = Literal["conjugate", "derivative"]
OperandKind = Literal["value", "cotangent", "tangent"]


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula in three notations; `mathml` is a fragment made by the toolkit, "" if none."""

    text: str
    latex: str = ""
    mathml: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the learner's program.

    Attributes:
        file: Its file.
        number: Its number, from 1.
        text: What it says.
        cell: The number of the notebook cell, if it is in one.
        function: The name of the function it is in, "" for none.
    """

    file: str
    number: int
    text: str = ""
    cell: int | None = None
    function: str = ""


@dataclass(frozen=True, slots=True)
class Attribute:
    """What an op was called with besides tensors, such as an axis; `json` is its value as JSON."""

    name: str
    json: str


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
        dtype: Name of the dtype, which NumPy need not have ("bfloat16").
        shape: The shape.
        line: The line that made it.
        formula: The forward formula in symbols.
        numbers: The formula with numbers put in, for small values.
        scope: Names of the groups it belongs to (layers, modules), outermost first.
        layer: 0 for the outermost tape, 1 for the one inside it, ...
        watched: Whether the tape follows it.
        kept: Bytes that the tape holds for this op's rules.
        keeps: Which values those are, such as "x, out".
        attributes: What the op was called with besides its inputs.
        calls: Composite calls that made it (`cross_entropy` of several ops), outermost first; a
            scope says where a node is in the model, a call what the learner wrote.
        stack: The lines that led to `line`, outermost first, each with its function.
        alias_of: The node whose memory it shares (a view, or the same tensor after a write).
        version: How often that memory had been written to in place when it was made.
        device: Where it is, such as "cuda:0"; "" if there is only one place.
        facts: What an op of the learner's own says of itself; None for one that comes with minitape
            or another framework, which is known by its name.
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
    attributes: tuple[Attribute, ...] = ()
    calls: tuple[str, ...] = ()
    stack: tuple[Line, ...] = ()
    alias_of: int | None = None
    version: int = 0
    device: str = ""
    facts: Facts | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """What stands in a step's formula for one symbol.

    Attributes:
        symbol: The symbol as `Formula.text` has it; "g" is the cotangent that came in, "t" the
            tangent. Several outputs have "g_0", "g_1", ...
        node: The node that it belongs to.
        value: The array.
        kind: Whether the array is the node's value, its cotangent or its tangent.
    """

    symbol: str
    node: int
    value: Array
    kind: OperandKind = "value"


@dataclass(frozen=True, slots=True)
class Term:
    """One piece of a step's formula, as it is laid out from left to right.

    Attributes:
        text: A sign or bracket; of an array what it is called, such as "softmax(logits)".
        operand: Which of the step's operands stands here, None for anything else.
        value: The array of a part that is itself computed, or of an operand in another shape.
        transposed: Whether the array stands here transposed.
    """

    text: str
    operand: int | None = None
    value: Array | None = None
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Slopes:
    """A rule at its operands, as the sparse matrix that it is (a rule is linear in g).

    Element `rows[k]` of the contribution gets `values[k]` times element `columns[k]` of the
    cotangent (row-major; the cotangents of several outputs one after the other), for every k.
    Entries that are not listed are zero. For complex numbers `values` is empty: the entries say
    which elements count, as no one number says how much.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened; see `viz.trace.trace` for the order of steps.

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
        sentence: One plain sentence; "" for the one that viz makes of the rest.
        held: Bytes that the tape holds after the step.
        line: The line of the learner's program.
        pending: Pending counts that this step sets, by node: how many uses of an op's result have
            not been differentiated yet. The others stay as they were.
        queue: The ops that are ready from this step on, the next one first; a `ready` step's own
            op is not among them. None: as before.
        operands: pull, push: for each symbol of the rule its node and its array, so that the step
            can be computed again from these alone. The cotangents come first.
        cotangents: pull, of an op with several outputs: what came in at each, in order; None where
            nothing came. `cotangent` is then absent.
        equation: pull: the formula as a row of arrays and the signs between them.
        slopes: pull: the rule as a matrix, where a picture needs it and it is small.
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
    operands: tuple[Operand, ...] = ()
    cotangents: tuple[Array | None, ...] = ()
    equation: tuple[Term, ...] = ()
    slopes: Slopes | None = None
