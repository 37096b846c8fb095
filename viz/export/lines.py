"""Where lines end: the triangle of an arrowhead, the same in every format."""

from __future__ import annotations

import math

from .items import Path

__all__ = ["ends"]

LENGTH, HALF, BEYOND = 8.0, 4.0, 1.0  # pixels, of a line of 1.6 pixels and less
_THICK = 1.6

Point = tuple[float, float]


def ends(path: Path) -> list[tuple[Point, Point, Point]]:
    """The corners of the arrowheads of a path, the tip first.

    Example:
        >>> from minitape.viz.export.items import Look
        >>> line = Path(((0.0, 0.0), (10.0, 0.0)), Look(stroke="line"), head=True)
        >>> ends(line)
        [((11.0, 0.0), (2.0, 4.0), (2.0, -4.0))]
    """
    joints = [(point[i], point[i + 1]) for point in path.points for i in range(0, len(point), 2)]
    scale = max(1.0, path.look.line / _THICK)
    found = []
    if path.head:
        found.append(_triangle(joints[::-1], scale))
    if path.tail:
        found.append(_triangle(joints, scale))
    return found


def _triangle(joints: list[Point], scale: float) -> tuple[Point, Point, Point]:
    """A tip at the first joint, away from the next that is somewhere else."""
    tip = joints[0]
    before = next((each for each in joints[1:] if math.dist(each, tip) > 1e-6), None)
    angle = math.atan2(tip[1] - before[1], tip[0] - before[0]) if before else 0.0
    along, across = math.cos(angle), math.sin(angle)

    def turned(forward: float, aside: float) -> Point:
        return (
            tip[0] + scale * (forward * along - aside * across),
            tip[1] + scale * (forward * across + aside * along),
        )

    return turned(BEYOND, 0.0), turned(-LENGTH, HALF), turned(-LENGTH, -HALF)
