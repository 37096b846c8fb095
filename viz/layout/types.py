"""The result of every layout engine, and the small graph that they work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["TB", "LR"]
Point = tuple[float, float]
Size = tuple[float, float]
Scope = tuple[str, ...]


class LayoutError(RuntimeError):
    """A layout engine could not do its work; the next one is tried, or the message is shown."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One argument of an op: from node `source` into argument `position` of node `target`.

    `points` are the control points of cubic Bézier curves: 3k + 1 of them, the first on the border
    of the source's box, the last (the arrow's tip) on the border of the target's.
    """

    source: int
    target: int
    position: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The box around a scope of a graph: its left, top, width and height."""

    scope: Scope
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is: centres and sizes of the nodes' boxes by id, and the edges.

    The y axis points down, as in SVG; everything lies within (0, 0) and (width, height).
    `crossings` is known for the built-in engine only; `frames` (outer ones first) and `rounds`, the
    ways back from a loop's body to its variables, are those of a graph.
    """

    positions: tuple[Point, ...]
    sizes: tuple[Size, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float
    direction: Direction
    engine: str
    crossings: int | None = None
    frames: tuple[Frame, ...] = ()
    rounds: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """What an engine is given: the inputs of each node (smaller ids) and the box sizes."""

    inputs: tuple[tuple[int, ...], ...]
    sizes: tuple[Size, ...]
