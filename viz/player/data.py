"""What a player is given, by name and type: `payload` and `shown` write it, scripts read it.

`src/data.d.ts` is made of this for the check of the scripts' types, and a test holds what is
written against it. What is not `Required` is left out where there is none.
"""

from typing import Literal, Required, TypedDict

Place = tuple[int, int]  # a block of the source, and a line in its file


class Array(TypedDict, total=False):
    """An array: all cells of a small one, statistics and a thumbnail of a large one."""

    dtype: Required[str]
    shape: Required[list[int]]
    text: Required[str]
    cells: list[str]
    low: str
    high: str
    mean: str
    thumb: list[int | float | str]


class Formula(TypedDict, total=False):
    """A formula as text, and as checked MathML."""

    text: Required[str]
    mathml: str


class Node(TypedDict, total=False):
    """A node; numbers are positions in `arrays` and `formulas`."""

    called: Required[str]
    inputs: list[int]
    dtype: Required[str]
    shape: Required[list[int]]
    op: str
    label: str
    value: int
    formula: int
    numbers: str
    kept: int
    keeps: str
    line: Place
    attributes: dict[str, object]
    tiles: Literal["image", "kernel"]
    axes: list[str]
    pictured: int
    chapter: str


class About(TypedDict, total=False):
    """What a page has to know of an op.

    `sign` stands between its arguments, `way` says how elements of g come back; it `pools` windows,
    `mixes` elements, `meets` rows with columns, its terms `adds` up; `gate` is why g stops at it.
    """

    sign: str
    way: Literal["entropy", "sharing", "winner", "picked", "reduced", "moved"]
    pools: int
    mixes: int
    meets: int
    adds: int
    gate: str


class Term(TypedDict, total=False):
    """A piece of an equation."""

    text: str
    transposed: bool
    array: int
    operand: int


class Slopes(TypedDict):
    """The entries of a rule's own matrix that are not zero."""

    rows: list[int]
    columns: list[int]
    values: list[str]


class Scene(TypedDict, total=False):
    """What the hall shows: `said` is how much of the sentence, `look` are trees of `hall.py`.

    `more` is for a page and not for the hall, as `paths` are, by source; `words` says what those of
    the page mean.
    """

    said: int
    ask: str
    look: list[object]
    more: list[object]
    words: dict[str, str]
    paths: dict[str, object]


class Step(TypedDict, total=False):
    """A step; numbers are positions in `nodes`, `arrays` and `formulas`."""

    kind: Required[str]
    node: Required[int]
    to: int
    position: int
    formula: int
    numbers: str
    sentence: str
    held: int
    line: Place
    cotangent: int
    contribution: int
    total: int
    old: int
    local: int
    operands: list[tuple[str, int | None, int | None, str]]
    equation: list[Term]
    slopes: Slopes
    pending: dict[str, int]
    queue: list[int]
    scene: Scene


class Arrivals(TypedDict):
    """How much arrives at each chapter: what the heights mean, and chapter, node, size, height."""

    said: str
    bars: list[tuple[str, int, str, float]]


class Hall(TypedDict):
    """What stands before and behind the steps, and curves that the hall's steps share."""

    first: Scene
    last: Scene
    curves: list[object]


class Finding(TypedDict, total=False):
    """A place where nothing passes, and why."""

    mark: Required[int]
    node: Required[int]
    kind: Required[str]
    cause: Required[str]
    correction: str
    line: int
    panes: list[object]


class Order(TypedDict):
    """An order in which ops may be taken."""

    name: str
    nodes: list[int]


class Paths(TypedDict, total=False):
    """The paths from a source to the target; a way is its nodes and the product along it."""

    source: Required[int]
    target: Required[int]
    count: Required[str]
    ways: list[tuple[list[int], int | None]]
    rest: int


class Inside(TypedDict):
    """What a fused op is opened into; `at`: the first step forward, back, and how many back."""

    node: int
    op: str
    at: list[int]
    nodes: list[Node]
    last: Node
    forward: list[Step]
    backward: list[Step]
    difference: str
    svg: str
    members: list[list[int]] | list[int] | dict[str, int]


class Touch(TypedDict, total=False):
    """The tape in full precision, for the evaluator; or why no number of it can be touched.

    `numbers` holds all of them in base64: see touch.py. `held` are constants that an op made;
    `assigned` has the first node of a variable for each of its later values.
    """

    off: str
    numbers: str
    gradients: list[int]
    none: list[int]
    seeds: list[int]
    missing: list[int]
    outputs: dict[str, int]
    held: list[tuple[int, str]]
    assigned: dict[str, int]


class Block(TypedDict):
    """Lines of a source file."""

    file: str
    first: int
    lines: list[str]


class Data(TypedDict, total=False):
    """The data of one player.

    `folds` has the picture of each step, beside an overview, which is the first picture.
    """

    title: Required[str]
    at: int
    kind: Literal["graph"]
    carries: Literal["tangents"]
    sign: str
    targets: list[int]
    persistent: Required[bool]
    notes: Required[list[str]]
    nodes: Required[list[Node]]
    ops: dict[str, About]
    steps: Required[list[Step]]
    gradients: Required[dict[str, int]]
    sources: Required[list[int]]
    phases: dict[str, str]
    findings: list[Finding]
    arrivals: Arrivals
    orders: list[Order]
    paths: list[Paths]
    insides: list[Inside]
    hall: Hall
    source: Required[list[Block]]
    arrays: Required[list[Array]]
    formulas: Required[list[Formula]]
    views: list[dict[str, object]]
    folds: list[int]
    svg: str
    touch: Touch
