"""A scope of a graph with programs in it, as the nested layout and the ways of edges know it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .types import Layout, Point, Scope

MARGIN = 16.0  # around what `layered_layout` gives
TITLE = 22.0  # the height of a box's label
RIM = 6.0  # between a box's border and its entries or exits
POINT = (8.0, 0.0)  # the size of an entry or exit
LANE = 16.0
STEP = 7.0  # between the ways of two rounds
CORNER = 9.0


@dataclass
class Level:
    """A scope: what is directly in it, what goes in and out, and where it stands in the end."""

    scope: Scope
    nodes: list[int] = field(default_factory=list)
    inner: list[Level] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    exits: list[int] = field(default_factory=list)
    holders: dict[int, int] = field(default_factory=dict)  # item by node, entries for outer ones
    ports: dict[int, int] = field(default_factory=dict)  # item under a box, by what leaves the box
    places: dict[int, int] = field(default_factory=dict)  # item by exit
    parts: dict[tuple[int, int, int], tuple[Point, ...]] = field(default_factory=dict)
    lanes: int = 0
    placed: Layout | None = None
    left: float = 0.0
    top: float = 0.0

    def start(self, source: int) -> int:
        """The item from which the edges of a node go out."""
        return self.ports.get(source, self.holders[source])

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the box."""
        assert self.placed is not None
        least = 9.0 * max((len(name) for name in self.scope[-1:]), default=0) + 24
        width = max(self.placed.width + LANE * self.lanes, least)
        below = -MARGIN + self.turn if self.exits or self.lanes else 0.0
        return width, self.above + self.placed.height + (below if self.scope else 0.0)

    @property
    def turn(self) -> float:
        """The room that the ways of rounds need above and below."""
        return RIM + (CORNER + STEP * self.lanes if self.lanes else 0.0)

    @property
    def above(self) -> float:
        """How much lower the inside stands: the label is beside the edges that come in."""
        if not self.scope:
            return 0.0
        return self.turn - MARGIN if self.entries or self.lanes else TITLE - RIM


def shared(a: Scope, b: Scope) -> int:
    """How many scopes two paths have in common."""
    depth = 0
    while depth < min(len(a), len(b)) and a[depth] == b[depth]:
        depth += 1
    return depth
