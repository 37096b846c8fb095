"""Twenty tapes of the kinds that learners record, and measures of how well one is laid out."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minitape.viz.layout import Layout
from minitape.viz.trace.trace import Trace
from viz_traces import chain, diamond, graph, nested_layers, network

Inputs = list[tuple[int, ...]]


def recurrent(steps: int) -> Trace:
    """A loop that uses the same two weights at every step."""
    inputs: Inputs = [(), (), ()]
    h = 2
    for _ in range(steps):
        x, k = len(inputs), len(inputs) + 1
        inputs += [(), (h, 0), (x, 1), (k, k + 1), (k + 2,)]
        h = len(inputs) - 1
    return graph(inputs, f"recurrent {steps}")


def residual(blocks: int) -> Trace:
    inputs: Inputs = [()]
    h = 0
    for _ in range(blocks):
        w = len(inputs)
        inputs += [(), (h, w), (w + 1,), (h, w + 2)]
        h = len(inputs) - 1
    return graph(inputs, f"residual {blocks}")


def attention() -> Trace:
    projections: Inputs = [(), (), (), (), (0, 1), (0, 2), (0, 3)]
    scores: Inputs = [(5,), (4, 7), (8,), (9,), (8, 10), (11,), (12,), (12, 13)]
    inputs = [*projections, *scores, (14, 6), (0, 15)]
    return graph(inputs, "attention")


def tree(leaves: int) -> Trace:
    inputs: Inputs = [()] * leaves
    level = list(range(leaves))
    while len(level) > 1:
        pairs = [(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        rest = level[len(pairs) * 2 :]
        level = list(range(len(inputs), len(inputs) + len(pairs))) + rest
        inputs += pairs
    return graph(inputs, f"tree {leaves}")


def ladder(rungs: int) -> Trace:
    inputs: Inputs = [()]
    for _ in range(rungs):
        top = len(inputs) - 1
        inputs += [(top,), (top,), (top + 1, top + 2)]
    return graph(inputs, f"diamonds {rungs}")


def polynomial(degree: int) -> Trace:
    """Horner's scheme: x is used at every step."""
    inputs: Inputs = [(), ()]
    for _ in range(degree):
        inputs += [(len(inputs) - 1, 0), ()]
        inputs += [(len(inputs) - 2, len(inputs) - 1)]
    return graph(inputs, f"Horner {degree}")


def scattered(count: int, seed: int, reach: int = 12) -> Trace:
    """Random ops on recent values."""
    chance = random.Random(seed)
    inputs: Inputs = [(), ()]
    for node in range(2, count):
        recent = range(max(0, node - reach), node)
        arity = chance.choice([0, 1, 1, 1, 2, 2, 2])
        inputs.append(tuple(chance.choice(recent) for _ in range(arity)))
    return graph(inputs, f"random {count}/{seed}")


TAPES: list[Callable[[], Trace]] = [
    diamond, nested_layers, lambda: network(2), lambda: network(5), lambda: chain(20), attention,
    lambda: recurrent(3), lambda: recurrent(8), lambda: residual(3), lambda: residual(8),
    lambda: tree(8), lambda: tree(13), lambda: ladder(4), lambda: polynomial(4),
    lambda: polynomial(9), lambda: scattered(12, 1), lambda: scattered(20, 2),
    lambda: scattered(30, 3), lambda: scattered(45, 4), lambda: scattered(60, 5),
]  # fmt: skip


@dataclass(frozen=True)
class Quality:
    crossings: int
    overlaps: int
    through: int
    area: float


def quality(trace: Trace, placed: Layout) -> Quality:
    """Measure the drawing itself: sampled curves and boxes, not what the engine believes."""
    lines = [_sampled(edge.points) for edge in placed.edges]
    places: set[tuple[int, int]] = set()  # Edges that share a trunk cross another one once.
    for i, first in enumerate(placed.edges):
        for j in range(i):
            second = placed.edges[j]
            if {first.source, first.target}.isdisjoint({second.source, second.target}):
                places |= _intersections(lines[i], lines[j])
    through = sum(
        _enters(line, placed.positions[node], placed.sizes[node])
        for edge, line in zip(placed.edges, lines, strict=True)
        for node in range(len(trace.nodes))
        if node not in (edge.source, edge.target)
    )
    return Quality(len(places), overlaps(placed), through, placed.width * placed.height / 1e6)


def overlaps(placed: Layout) -> int:
    """Count the pairs of boxes that touch."""
    centres, sizes = np.array(placed.positions), np.array(placed.sizes)
    far = np.abs(centres[:, None] - centres[None]) >= (sizes[:, None] + sizes[None]) / 2 - 0.2
    return int((~far.any(axis=2)).sum() - len(centres)) // 2


def _sampled(points: tuple[tuple[float, float], ...]) -> np.ndarray:
    t = np.linspace(0, 1, 9)[:, None]
    control = np.array(points)
    pieces = []
    for k in range(0, len(control) - 1, 3):
        a, b, c, d = control[k : k + 4]
        pieces.append(
            (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
        )
    return np.concatenate(pieces)


def _cross(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def _intersections(first: np.ndarray, second: np.ndarray) -> set[tuple[int, int]]:
    a, b = first[:-1, None], first[1:, None]
    c, d = second[None, :-1], second[None, 1:]
    left = _cross(b - a, c - a) * _cross(b - a, d - a) < 0
    right = _cross(d - c, a - c) * _cross(d - c, b - c) < 0
    i, j = np.nonzero(left & right)
    p, direction = first[i], first[i + 1] - first[i]
    other = second[j + 1] - second[j]
    points = p + direction * (_cross(second[j] - p, other) / _cross(direction, other))[:, None]
    return {(round(x / 4), round(y / 4)) for x, y in points}


def _enters(line: np.ndarray, centre: tuple[float, float], size: tuple[float, float]) -> bool:
    inside = np.abs(line - np.array(centre)) < np.array(size) / 2 - 1
    return bool(inside.all(axis=1).any())
