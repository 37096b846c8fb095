"""Pictures that move: a ball, a window over an image, a loop written out; one SVG each, no script.

Each runs three times and rests in a picture that says the same without motion. *Stop* and *Again*
are words in the picture, and who asked for reduced motion sees the last frame alone.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

ROUNDS = 3
# Dark and light paper both let these be read.
INKS = {"value": "#0a7cc0", "gradient": "#c75a0a", "sum": "#0a8a68"}
STYLE = (
    "<style>text { font: 14px sans-serif; fill: currentColor } "
    ".button { cursor: pointer; text-decoration: underline } "
    "@media (prefers-reduced-motion: reduce) { .moves, .button { display: none } "
    ".comes { opacity: 1 !important } }</style>"
)


class Motion:
    """A moving picture; a notebook and a page show it.

    Args:
        width: of the picture's own coordinates.
        height: of them.
        alt: what is to be seen, for who cannot see it.
    """

    def __init__(self, width: int, height: int, alt: str) -> None:
        self.alt = alt
        self._size = (width, height)
        self._parts: list[str] = []
        self._seconds = 1.0
        self._name = f"motion{abs(hash_of(alt)) % 10**6}"

    def add(self, svg: str) -> None:
        """Adds a piece of SVG."""
        self._parts.append(svg)

    def timed(self, seconds: float) -> str:
        """The attributes of an animation: how long a round is, when it begins, and what ends it."""
        self._seconds = seconds
        return (
            f'dur="{seconds:g}s" repeatCount="{ROUNDS}" fill="freeze" '
            f'begin="0s;{self._name}again.click" end="{self._name}stop.click"'
        )

    @property
    def svg(self) -> str:
        """The picture."""
        width, height = self._size
        buttons = "".join(
            f'<text id="{self._name}{key}" class="button" role="button" x="{x}" '
            f'y="{height + 18}">{word}</text>'
            for key, word, x in [("stop", "Stop", 10), ("again", "Again", 60)]
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 26}" '
            f'role="img" style="width:100%;max-width:{2 * width}px;max-height:580px">'
            f"<title>{html.escape(self.alt)}</title>{STYLE}{''.join(self._parts)}{buttons}</svg>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {
            "text/plain": self.alt,
            "text/html": f'<div class="minitape-motion">{self.svg}</div>',
        }


def hash_of(text: str) -> int:
    """A number that is the same in each process."""
    total = 7
    for letter in text:
        total = (31 * total + ord(letter)) % 1_000_003
    return total


def flying(
    throws: Sequence[Sequence[tuple[Any, Any]]],
    names: Sequence[str],
    ring: tuple[float, float],
    alt: str,
) -> Motion:
    """Balls that fly in their two seconds, one after the other; their paths stay.

    Args:
        throws: for each ball its places, (metres across, metres up).
        names: what stands where each one ends.
        ring: where the ring is.
        alt: what is to be seen.
    """
    made = Motion(640, 300, alt)

    def spot(place: tuple[Any, Any]) -> tuple[float, float]:
        return round(24 + 23 * float(place[0]), 1), round(250 - 23 * float(place[1]), 1)

    total = 2.0 * len(throws)
    made.add('<line x1="10" y1="250" x2="630" y2="250" stroke="#999"/>')
    for n, (places, name) in enumerate(zip(throws, names, strict=True)):
        path = "M" + " L".join(f"{x},{y}" for x, y in map(spot, places))
        x, y = spot(places[-1])
        made.add(f'<path d="{path}" fill="none" stroke="#999" stroke-width="1.5"/>')
        made.add(f'<text x="{x}" y="{y + 20}" text-anchor="middle">{html.escape(name)}</text>')
        times = f"0;{2 * n / total:g};{(2 * n + 2) / total:g};1"
        made.add(
            '<circle class="moves" r="6" fill="#b5a000" stroke="black">'
            f'<animateMotion path="{path}" keyTimes="{times}" keyPoints="0;0;1;1" '
            f'calcMode="linear" {made.timed(total)}/></circle>'
        )
    x, y = spot(ring)
    made.add(
        f'<circle cx="{x}" cy="{y}" r="11" fill="none" stroke="currentColor" stroke-width="2.5"/>'
    )
    return made


def sliding(image: Any, kernel: Any, out: Any, alt: str) -> Motion:
    """A window on its way over an image, and the number that it gives at each place.

    Args:
        image: a matrix of pixels.
        kernel: a smaller matrix.
        out: the feature map, a matrix.
        alt: what is to be seen.
    """
    (rows, columns), cell = out.shape, 34
    size, seconds = kernel.shape[0], float(out.size)
    left = {"image": 10, "kernel": 40 + cell * image.shape[1]}
    left["feature map"] = left["kernel"] + cell * size + 30
    height = 24 + cell * image.shape[0]
    made = Motion(left["feature map"] + cell * columns + 10, height, alt)
    times = ";".join(f"{n / out.size:.3f}" for n in range(out.size))

    def jumps(name: str, values: Sequence[Any]) -> str:
        steps = ";".join(map(str, values))
        return (
            f'<animate attributeName="{name}" values="{steps}" keyTimes="{times}" '
            f'calcMode="discrete" {made.timed(seconds)}/>'
        )

    for name, matrix in [("image", image), ("kernel", kernel), ("feature map", out)]:
        made.add(f'<text x="{left[name]}" y="14">{name}</text>')
        for i in range(matrix.shape[0]):
            for j in range(matrix.shape[1]):
                x, y, n = left[name] + j * cell, 22 + i * cell, i * columns + j
                comes = jumps("opacity", [int(n <= at) for at in range(out.size)])
                ink = "#0072b2" if matrix[i, j] and name == "image" else "none"
                made.add(
                    f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="{ink}" '
                    f'fill-opacity="0.2" stroke="#999"/><text x="{x + cell / 2}" y="{y + 22}" '
                    f'text-anchor="middle" class="comes">{float(matrix[i, j]):g}'
                    f"{comes if name == 'feature map' else ''}</text>"
                )
    places = [(i, j) for i in range(rows) for j in range(columns)]
    made.add(
        f'<rect class="moves" x="10" y="22" width="{size * cell}" height="{size * cell}" '
        f'fill="none" stroke="#b04a00" stroke-width="4">'
        f"{jumps('x', [10 + j * cell for _, j in places])}"
        f"{jumps('y', [22 + i * cell for i, _ in places])}</rect>"
    )
    return made


def unrolled(
    states: Sequence[Any], arriving: Sequence[Any], uses: Sequence[Any], alt: str
) -> Motion:
    """A loop written out: states appear from left to right, then gradients from right to left.

    What each use of the weight contributes falls into the row below; in the end the row is added.

    Args:
        states: the number before the first step, and after each one.
        arriving: the gradient that arrives at each of them.
        uses: what each use of the weight contributes to its gradient, one for each step.
        alt: what is to be seen.
    """
    steps, wide = len(uses), 90
    made = Motion(136 + wide * steps, 250, alt)
    whole = 2 * steps + 4  # states, gradients with contributions, the sum; the last one rests
    times = ";".join(f"{n / whole:.3f}" for n in range(whole))

    def from_moment(moment: int) -> str:
        shown = ";".join(str(int(n >= moment)) for n in range(whole))
        return (
            f'<animate attributeName="opacity" values="{shown}" keyTimes="{times}" '
            f'calcMode="discrete" {made.timed(0.8 * whole)}/>'
        )

    def number(x: float, y: float, value: Any, moment: int, ink: str) -> None:
        made.add(
            f'<text class="comes" x="{x}" y="{y}" text-anchor="middle" style="fill:{ink};'
            f'font-weight:bold">{float(value):g}{from_moment(moment)}</text>'
        )

    for name, y in [("state", 65), ("gradient", 115), ("to w", 205)]:
        made.add(f'<text x="6" y="{y}">{name}</text>')
    for n, (state, gradient) in enumerate(zip(states, arriving, strict=True)):
        x = 106 + wide * n
        made.add(
            f'<rect x="{x - 24}" y="42" width="48" height="84" rx="8" fill="none" stroke="#999"/>'
        )
        number(x, 65, state, n, INKS["value"])
        number(x, 115, gradient, 2 * steps + 1 - n, INKS["gradient"])
        if n < steps:
            between = x + wide / 2
            made.add(
                f'<path d="M{x + 26},60 h{wide - 58} m-6,-4 l6,4 l-6,4" fill="none" '
                f'stroke="{INKS["value"]}"/><path d="M{x + wide - 26},110 h{58 - wide} m6,-4 l-6,4 '
                f'l6,4" fill="none" stroke="{INKS["gradient"]}" stroke-dasharray="5 3"/>'
                f'<path d="M{between},116 v66 m-4,-6 l4,6 l4,-6" fill="none" '
                f'stroke="{INKS["gradient"]}" stroke-dasharray="5 3"/>'
                f'<text x="{between}" y="52" text-anchor="middle">&#183; w</text>'
            )
            number(between, 205, uses[n], 2 * steps + 1 - n, INKS["gradient"])
    total = sum(float(each) for each in uses)
    made.add(f'<path d="M106,216 h{wide * steps}" stroke="#999"/>')
    made.add(
        f'<text class="comes" x="{106 + wide * steps / 2}" y="238" text-anchor="middle" '
        f'style="fill:{INKS["sum"]};font-weight:bold">together {total:g}'
        f"{from_moment(2 * steps + 2)}</text>"
    )
    return made


def descending(
    walks: Sequence[tuple[str, Sequence[tuple[Any, Any]]]], bends: tuple[float, float], alt: str
) -> Motion:
    """Walks down a valley, one picture below the other; all of them step at the same time.

    Args:
        walks: for each its name, and its places (along the valley, across it).
        bends: the curvatures along and across, from which the lines of equal height are drawn.
        alt: what is to be seen.
    """
    high = 116
    made = Motion(480, high * len(walks), alt)
    steps = max(len(places) for _, places in walks)
    for n, (name, places) in enumerate(walks):
        middle = high * n + 66

        def spot(place: tuple[Any, Any], middle: int = middle) -> tuple[float, float]:
            return round(130 + 320 * float(place[0]), 1), round(middle - 40 * float(place[1]), 1)

        for far in (0.35, 0.7, 1.05):
            across = far * (bends[0] / bends[1]) ** 0.5
            made.add(
                f'<ellipse cx="130" cy="{middle}" rx="{320 * far:g}" ry="{40 * across:.1f}" '
                f'fill="none" stroke="#999"/>'
            )
        there = [spot(place) for place in places] + [spot(places[-1])] * (steps - len(places))
        line = "M" + " L".join(f"{x},{y}" for x, y in there[: len(places)])
        made.add(f'<path d="{line}" fill="none" stroke="{INKS["value"]}" stroke-width="1.2"/>')
        made.add(f'<circle cx="130" cy="{middle}" r="9" fill="none" stroke="currentColor"/>')
        made.add(f'<text x="10" y="{middle - 50}">{html.escape(name)}</text>')
        moves = "".join(
            f'<animate attributeName="{name}" values="{";".join(map(str, values))}" '
            f"{made.timed(8.0)}/>"
            for name, values in zip(("cx", "cy"), zip(*there, strict=True), strict=True)
        )
        made.add(
            f'<circle class="moves" r="6" fill="{INKS["gradient"]}" stroke="black">{moves}</circle>'
        )
    return made
