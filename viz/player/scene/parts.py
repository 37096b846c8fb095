"""What a scene consists of: plain data with every text already written.

A scene names roles (value, slope, gradient, sum), never colours, and holds no place but an
element's index. The page that shows it places, points and moves; it computes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ...trace.trace import Trace

Role = Literal["sign", "value", "slope", "gradient", "sum"]
Sign = Literal["=", "≈", "wraps to", "is"]
SceneKind = Literal[
    "first", "forward", "seed", "pull", "accumulate", "push", "unconnected", "ready", "count",
    "summary",
]  # fmt: skip
State = Literal["done", "now", "todo"]

PHASES = {
    "push": "tangent", "unconnected": "no gradient", "ready": "ready: taken", "count": "done",
}  # fmt: skip


def phase(kind: str, trace: Trace) -> str:
    """What a page and a picture call a kind of step.

    Example:
        >>> from minitape.viz.trace.trace import Trace
        >>> phase("unconnected", Trace(())), phase("pull", Trace(()))
        ('no gradient', 'pull')
    """
    if kind == "forward" and trace.kind == "graph":
        return "written"
    if kind == "unconnected" and trace.carries == "tangents":
        return "no tangent"
    return PHASES.get(kind, kind)


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a sentence; `math` is set for an expression or a name of the program."""

    text: str
    math: bool = False


@dataclass(frozen=True, slots=True)
class Marked(Run):
    """A piece that a page marks: a number by its role, or a word that it can define."""

    role: Role | None = None
    word: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of an equation: a number with its role and what it is, or signs between numbers."""

    text: str
    role: Role = "sign"
    under: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """An equation that is true for the digits that stand in it.

    Attributes:
        left: What is worked out.
        right: What it gives.
        sign: "≈" is within rounding; integers wrap around; what is true or false "is" so.
        note: What has to be said beside it, such as that a result is nothing but rounding.
    """

    left: tuple[Term, ...]
    right: Term
    sign: Sign = "="
    note: str = ""

    def text(self) -> str:
        """The equation on one line."""
        left = "".join(term.text for term in self.left)
        note = f" ({self.note})" if self.note else ""
        return f"{left} {self.sign} {self.right.text}{note}"


@dataclass(frozen=True, slots=True)
class Column:
    """One product of a sum: which element it is for, and its own equation."""

    label: str
    claim: Claim


@dataclass(frozen=True, slots=True)
class Meet:
    """The products that add up to one element; those that are not listed are one term of the sum.

    Attributes:
        left: What the first factors are, such as "row 0 of x".
        right: What the second factors are.
        columns: The products that count most, in the order of their places.
        more: How many others there are.
    """

    left: str
    right: str
    columns: tuple[Column, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Curve:
    """An op while one input moves: points, the recorded one, and the slope there."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    at: tuple[float, ...]
    texts: tuple[str, ...]
    slope: float | None = None
    along: str = ""
    up: str = ""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One contribution to a gradient; `counted` once it is part of the sum so far."""

    label: str
    value: float
    text: str
    state: State = "done"
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Fall:
    """What has arrived at a node, and what will."""

    of: str
    rows: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """The probabilities of one example and the truth; `left` is the first less the second."""

    label: str
    predicted: tuple[str, ...]
    truth: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """A picture of an array: a signed byte for each element, by the largest finite one.

    0 is exactly zero, so that a tiny number is 1 or -1; 128 is NaN, 129 and -129 are infinities.
    """

    caption: str
    role: Role
    shape: tuple[int, ...]
    cells: tuple[int, ...]
    pick: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """One step.

    Attributes:
        number: Its number, from 1, as a player counts steps; 0 is the first page.
        kind: What happens.
        sentence: What is said of it.
        ask: The question that it answers.
        claim: The equation.
        element: The element that the equation is about, such as "[0, 2]"; "" for a number.
        line: The line of the program, and what it says.
        meet: The products behind the equation.
        curve: The op's curve.
        fall: Contributions as they arrive.
        bars: Probabilities beside the truth.
        row: The arrays of the step, from left to right.
    """

    number: int
    kind: SceneKind
    sentence: tuple[Run, ...]
    ask: tuple[Run, ...] = ()
    claim: Claim | None = None
    element: str = ""
    line: str = ""
    meet: Meet | None = None
    curve: Curve | None = None
    fall: Fall | None = None
    bars: Bars | None = None
    row: tuple[Marks, ...] = ()


@dataclass(frozen=True, slots=True)
class Gradient:
    """What arrived at one source."""

    name: str
    shape: tuple[int, ...]
    text: str
    largest: str = ""
    zeros: int = 0
    count: int = 1


@dataclass(frozen=True, slots=True)
class Bar:
    """A number of a picture that compares: its label, its text, and its equation if it has one."""

    label: str
    value: float
    text: str
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """What explains the size of the gradients: paths, rounds of a loop, or layers.

    Attributes:
        kind: Which of them; layers are to be drawn on a logarithmic axis.
        title: What is compared.
        bars: The numbers.
        claim: Their sum, where they are parts of one number.
    """

    kind: Literal["paths", "rounds", "layers"]
    title: str
    bars: tuple[Bar, ...]
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The last page: the answer, the gradients, what explains them, and what it took.

    Attributes:
        answer: The answer, in a sentence or two.
        result: What the program computed.
        gradients: What arrived at each source; tangents, where `carries` says so.
        explained: What explains their sizes.
        facts: How much was done.
        carries: What arrived.
    """

    answer: tuple[Run, ...]
    result: str
    gradients: tuple[Gradient, ...]
    explained: tuple[Explained, ...] = ()
    facts: tuple[str, ...] = ()
    carries: Literal["gradient", "tangent"] = "gradient"
