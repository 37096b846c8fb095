"""Pictures that move: a ball, a window over an image, a loop written out; one SVG each, no script.

Each runs three times and rests in a picture that says the same without motion. *Stop* and *Again*
are words in the picture, and who asked for reduced motion sees the last frame alone.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

ROUNDS = 3
# Dark and light paper both let these be read.
INKS = {"value": "#0a7cc0", "gradient": "#c75a0a", "sum": "#0a8a68"}
STYLE = (
    "<style>text { font: 14px sans-serif; fill: currentColor } "
    ".button { cursor: pointer; text-decoration: underline } "
    "@media print, (prefers-reduced-motion: reduce) { .moves, .button { display: none } "
    ".comes { opacity: 1 !important } .rests { fill-opacity: var(--rest) !important } }</style>"
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
        self.name = f"motion{abs(hash_of(alt)) % 10**6}"  # for ids: a page may have several

    def add(self, svg: str) -> None:
        """Adds a piece of SVG."""
        self._parts.append(svg)

    def timed(self, seconds: float) -> str:
        """The attributes of an animation: how long a round is, when it begins, and what ends it."""
        self._seconds = seconds
        return (
            f'dur="{seconds:g}s" repeatCount="{ROUNDS}" fill="freeze" '
            f'begin="0s;{self.name}again.click" end="{self.name}stop.click"'
        )

    def appearing(self, moment: int, whole: int, seconds: float) -> str:
        """The animation of what is seen from a moment on, of `whole` moments of so many seconds."""
        shown = ";".join(str(int(n >= moment)) for n in range(whole))
        times = ";".join(f"{n / whole:.3f}" for n in range(whole))
        return (
            f'<animate attributeName="opacity" values="{shown}" keyTimes="{times}" '
            f'calcMode="discrete" {self.timed(seconds * whole)}/>'
        )

    @property
    def svg(self) -> str:
        """The picture."""
        width, height = self._size
        buttons = "".join(
            f'<text id="{self.name}{key}" class="button" role="button" x="{x}" '
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


def with_subscripts(words: str) -> str:
    """SVG's text of words such as `f_p dp`, the letter after a `_` lowered."""
    return re.sub(
        r"_(\w)([^_]*)",
        r'<tspan dy="4" font-size="11">\1</tspan><tspan dy="-4">\2</tspan>',
        html.escape(words),
    )


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
        names: what stands where each one ends; of those that end at the ring, in a list beside it.
        ring: where the ring is.
        alt: what is to be seen.
    """
    made = Motion(640, 300, alt)

    def spot(place: tuple[Any, Any]) -> tuple[float, float]:
        return round(24 + 23 * float(place[0]), 1), round(250 - 23 * float(place[1]), 1)

    total, listed = 2.0 * len(throws), 0
    made.add('<line x1="10" y1="250" x2="630" y2="250" stroke="#999"/>')
    for n, (places, name) in enumerate(zip(throws, names, strict=True)):
        path = "M" + " L".join(f"{x},{y}" for x, y in map(spot, places))
        x, y = spot(places[-1])
        made.add(f'<path d="{path}" fill="none" stroke="#999" stroke-width="1.5"/>')
        anchor, y = "middle", y + 20 if y < 226 else max(y, 248) + 20  # not on the ground
        x = min(x, 630 - 3.5 * len(name))
        if math.dist(map(float, places[-1]), ring) < 1:
            anchor, x, y = "start", spot(ring)[0] + 20, spot(ring)[1] + 17 * listed
            listed += 1
        made.add(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{html.escape(name)}</text>')
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


def there_and_back(
    layers: Sequence[Sequence[tuple[str, str]]],
    weights: Sequence[Sequence[Sequence[tuple[str, str]]]],
    alt: str,
    heads: Sequence[str] = (),
) -> Motion:
    """A network: its values come from left to right, then its gradients from right to left.

    Args:
        layers: for each layer its units, each with its value and what arrives there on the way
            back; a picture whose second words are all empty is one of the forward pass alone.
        weights: between two layers, for each unit on the left and each on the right, the weight
            and its gradient, which may be empty; a pair of empty words is a line without a number.
        alt: what is to be seen.
        heads: what stands above each layer, if anything.
    """
    wide, tall, half = 250, 112, 50  # from unit to unit, and half a unit
    rows, top = max(map(len, layers)), 30 if heads else 0
    made = Motion(wide * (len(layers) - 1) + 2 * half + 20, tall * rows - 34 + top, alt)
    returns = any(arrives for units in layers for _, arrives in units)
    last = len(layers) - 1
    whole = (2 * last + 5) if returns else last + 4  # the last ones rest

    def place(layer: int, unit: int) -> tuple[float, float]:
        return half + 10 + wide * layer, (
            40 + top + tall * ((unit + 0.5) * rows / len(layers[layer]) - 0.5)
        )

    from_moment = partial(made.appearing, whole=whole, seconds=1.0)

    def number(x: float, y: float, words: str, moment: int, ink: str) -> None:
        made.add(
            f'<text class="comes" x="{x:.0f}" y="{y:.0f}" text-anchor="middle" style="fill:'
            f'{INKS[ink]};font-weight:bold">{html.escape(words)}{from_moment(moment)}</text>'
        )

    for n, (left, matrix) in enumerate(zip(layers, weights, strict=False)):
        for i, row in enumerate(matrix):
            (x1, y1), part = place(n, i), 0.5 if len(left) >= len(row) else 0.3
            for j, (weight, gradient) in enumerate(row):
                x2, y2 = place(n + 1, j)
                from_x, to_x = x1 + half, x2 - half
                bend = (y2 - y1) / (to_x - from_x)
                middle = from_x + part * (to_x - from_x)
                y = y1 + bend * (middle - from_x)
                above = returns and not gradient  # the weight stands over a line without a gap
                room = 0 if above or not weight else 36 if gradient else 20
                gap = min(room, 13 / max(abs(bend), 0.01))
                line = " ".join(
                    f"M{a:.0f},{y1 + bend * (a - from_x):.0f} "
                    f"L{b:.0f},{y1 + bend * (b - from_x):.0f}"
                    for a, b in [(from_x, middle - gap), (middle + gap, to_x)]
                )
                made.add(f'<path d="{line}" fill="none" stroke="#999"/>')
                turned = math.degrees(math.atan2(y2 - y1, to_x - from_x))
                for x, at, way, moment, ink in [
                    (to_x, y2, turned, n + 1, "value"),
                    (from_x, y1, turned + 180, 2 * last - n + 1, "gradient"),
                ]:
                    if ink == "value" or returns:
                        made.add(
                            f'<path class="comes" d="M0,0 l-9,-4 v8 z" fill="{INKS[ink]}" '
                            f'transform="translate({x:.0f},{at:.0f}) rotate({way:.0f})">'
                            f"{from_moment(moment)}</path>"
                        )
                beside = 15 if gradient and returns else 0
                number(middle - beside, y - 7 if above else y + 5, weight, 0, "value")
                if gradient and returns:
                    number(middle + 17, y + 5, gradient, 2 * last - n + 1, "gradient")
    for n, units in enumerate(layers):
        for i, (value, arrives) in enumerate(units):
            x, y = place(n, i)
            made.add(
                f'<rect x="{x - half}" y="{y - 25}" width="{2 * half}" height="50" rx="14" '
                f'fill="none" stroke="currentColor"/>'
            )
            number(x, y - 5 if returns else y + 5, value, n, "value")
            if returns:
                number(x, y + 16, arrives, 2 * last - n + 1, "gradient")
    for n, head in enumerate(heads):
        made.add(
            f'<text x="{half + 10 + wide * n}" y="18" text-anchor="middle" '
            f'style="font-style:italic">{html.escape(head)}</text>'
        )
    return made


def volleys(
    rounds: Sequence[tuple[str, Sequence[Sequence[tuple[Any, Any]]]]],
    rings: Sequence[tuple[Any, Any]],
    alt: str,
) -> Motion:
    """Balls thrown together, each at a ring of its own, round after round.

    What stays are the paths of the last round, and a cross where each ball of the first one ended,
    with a dotted line to its ring.

    Args:
        rounds: for each its name, such as "before training", and for each ball its places,
            (metres across, metres up).
        rings: where the rings are, in the order of the balls.
        alt: what is to be seen.
    """
    drawn = [*rings, *(place for _, balls in rounds for places in balls for place in places)]
    low = min(float(y) for _, y in drawn)
    high, right = max(float(y) for _, y in drawn), max(float(x) for x, _ in drawn)
    scale = 600 / max(right, 1.0)
    made = Motion(640, round(scale * (high - low)) + 50, alt)
    seconds = 2.0 * len(rounds) + 2  # the last ones rest

    def spot(place: tuple[Any, Any]) -> tuple[int, int]:
        x, y = 20 + scale * float(place[0]), 34 + scale * (high - float(place[1]))
        return round(x), round(y)

    ground = spot((0.0, 0.0))[1]
    made.add(f'<line x1="0" y1="{ground}" x2="640" y2="{ground}" stroke="#999"/>')
    for x, y in map(spot, rings):
        made.add(
            f'<circle cx="{x}" cy="{y}" r="{0.3 * scale:.1f}" fill="none" stroke="currentColor" '
            f'stroke-width="2"/>'
        )
    before, flights = rounds[0]
    for ring, places in zip(rings, flights, strict=True):
        (x, y), (ring_x, ring_y) = spot(places[-1]), spot(ring)
        made.add(
            f'<path d="M{x},{y} m-4,-4 l8,8 m-8,0 l8,-8" stroke="{INKS["gradient"]}"/>'
            f'<path d="M{x},{y} L{ring_x},{ring_y}" stroke="{INKS["gradient"]}" '
            f'stroke-dasharray="1 4"/>'
        )
    made.add(
        f'<text x="630" y="18" text-anchor="end" style="fill:{INKS["gradient"]}">'
        f"&#215; where it ended {html.escape(before)}</text>"
    )
    for n, (name, balls) in enumerate(rounds):
        ends = n + 1 == len(rounds)
        stays = "comes" if ends else "moves"
        shown = ";".join(str(int(k == n or (ends and k > n))) for k in range(len(rounds) + 1))
        times = ";".join(f"{2 * k / seconds:.3f}" for k in range(len(rounds) + 1))
        blink = (
            f'<animate attributeName="opacity" values="{shown}" keyTimes="{times}" '
            f'calcMode="discrete" {made.timed(seconds)}/>'
        )
        made.add(f'<text class="{stays}" x="10" y="18">{html.escape(name)}{blink}</text>')
        for places in balls:
            path = "M" + " L".join(f"{x},{y}" for x, y in map(spot, places))
            keys = f"0;{2 * n / seconds:.3f};{(2 * n + 2) / seconds:.3f};1"
            made.add(
                f'<path class="{stays}" d="{path}" fill="none" stroke="{INKS["value"]}" '
                f'stroke-opacity="0.5">{blink}</path>'
                f'<circle class="moves" r="5" fill="#b5a000" stroke="black">{blink}'
                f'<animateMotion path="{path}" keyTimes="{keys}" keyPoints="0;0;1;1" '
                f'calcMode="linear" {made.timed(seconds)}/></circle>'
            )
    return made


def strolling(
    panels: Sequence[tuple[str, Sequence[Any], Sequence[tuple[Any, Any]]]],
    curve: Sequence[tuple[Any, Any]],
    level: float,
    alt: str,
    words: tuple[str, str, str] = ("", "", ""),
) -> Motion:
    """Walks along curves, each in a panel of its own, two panels in a row; all step together.

    Args:
        panels: for each its title, the pieces of its curve, each a list of places, and the walk.
            What follows a colon in the title comes when the walk has ended.
        curve: dashed in every panel, what the other curves are about.
        level: a height that is marked, the aim of the walks.
        alt: what is to be seen.
        words: of the level, in every panel; of what goes across, in the last; of what goes up, in
            the first. With them the last panel also says where its walk starts.
    """
    wide, tall = 320, 260
    made = Motion(2 * wide, tall * -(-len(panels) // 2), alt)
    (left, low), (right, high) = (
        [pick(float(each[k]) for each in curve) for k in (0, 1)] for pick in (min, max)
    )
    room = 0.83 * (high - low)  # for what is above and below the dashed curve
    summit = max(curve, key=lambda place: float(place[1]))[0]
    of_level, across, upward = map(html.escape, words)

    def path(places: Any, at: Any) -> str:
        return "M" + " L".join("{},{}".format(*at(place)) for place in places)

    for n, (title, pieces, walk) in enumerate(panels):
        from_x, from_y = wide * (n % 2), tall * (n // 2)

        def at(place: Any, from_x: int = from_x, from_y: int = from_y) -> tuple[float, float]:
            x = from_x + 30 + (wide - 50) * (float(place[0]) - left) / (right - left)
            y = (
                from_y
                + 30
                + (tall - 60) * (high + room - float(place[1])) / (high - low + 2 * room)
            )
            return round(x, 1), round(y, 1)

        ended = (
            f'<animate attributeName="fill-opacity" values="0;1" keyTimes="0;0.98" '
            f'calcMode="discrete" {made.timed(8.0)}/>'
        )
        name, colon, ending = map(html.escape, title.partition(":"))
        made.add(
            f'<text x="{from_x + 14}" y="{from_y + 16}">{name}'
            f'<tspan class="rests" style="--rest:1">{colon}{ending}{ended}</tspan></text>'
        )
        made.add(
            f'<path d="{path([(left, level), (right, level)], at)}" stroke="{INKS["sum"]}" '
            f'stroke-dasharray="2 3"/><path d="{path(curve, at)}" fill="none" '
            f'stroke="currentColor" stroke-dasharray="6 4"/>'
        )
        inside = f"{made.name}panel{n}"
        made.add(
            f'<clipPath id="{inside}"><rect x="{from_x + 30}" y="{from_y + 30}" '
            f'width="{wide - 50}" height="{tall - 60}"/></clipPath>'
            f'<path d="M{from_x + 30},{from_y + 30} v{tall - 60} h{wide - 50}" fill="none" '
            f'stroke="gray"/>'
        )
        x, y = at((summit, level))
        made.add(f'<text x="{x}" y="{y + 16}" text-anchor="middle">{of_level}</text>')
        if n == 0:
            x, y = from_x + 20, from_y + tall / 2
            made.add(
                f'<text x="{x}" y="{y}" text-anchor="middle" '
                f'transform="rotate(-90 {x} {y})">{upward}</text>'
            )
        if n == len(panels) - 1:
            made.add(
                f'<text x="{from_x + wide - 20}" y="{from_y + tall - 12}" '
                f'text-anchor="end">{across}</text>'
            )
        lines = " ".join(path(piece, at) for piece in pieces)
        made.add(
            f'<path d="{lines}" fill="none" stroke="{INKS["value"]}" stroke-width="1.8" '
            f'clip-path="url(#{inside})"/>'
        )
        (x, y), places = at(walk[0]), [at(place) for place in walk]
        made.add(f'<circle cx="{x}" cy="{y}" r="5" fill="none" stroke="{INKS["gradient"]}"/>')
        if across and n == len(panels) - 1:
            made.add(f'<text x="{x + 8}" y="{y + 16}">start</text>')
        steps = "".join(
            f'<animate attributeName="{name}" values="{";".join(map(str, values))}" '
            f'calcMode="discrete" {made.timed(8.0)}/>'
            for name, values in zip(("cx", "cy"), zip(*places, strict=True), strict=True)
        )
        x, y = places[-1]
        look = f'cx="{x}" cy="{y}" r="6" fill="{INKS["gradient"]}" stroke="black"'
        made.add(
            f'<circle class="moves" {look}>{steps}</circle><circle class="comes" {look}>'
            f'<animate attributeName="opacity" values="0;1" keyTimes="0;0.98" '
            f'calcMode="discrete" {made.timed(8.0)}/></circle>'
        )
    return made


def meeting(
    boxes: Mapping[str, tuple[float, float]],
    turns: Sequence[Sequence[tuple[str, str, str, float]]],
    ledger: tuple[str, Sequence[Sequence[tuple[str, bool]]]],
    alt: str,
) -> Motion:
    """Numbers that walk back through a graph, turn by turn, and what is written down of them.

    Args:
        boxes: for each value its words, and where its box is.
        turns: for each what moves in it: from which box, to which one, the number, and how far its
            path bends to the side. Without a number it is cut: what moves stops at a cross.
        ledger: a title, and for each turn the words that stand there after it; a word may be lost,
            and is struck out then.
        alt: what is to be seen.
    """
    right = max(x for x, _ in boxes.values()) + 80
    height = max(max(y for _, y in boxes.values()) + 30, 56 + 34 * len(turns))
    made = Motion(round(right) + 210, round(height), alt)
    whole = len(turns) + 2  # the last ones rest

    from_moment = partial(made.appearing, whole=whole, seconds=1.6)

    for n, moves in enumerate(turns):
        for start, end, number, bend in moves:
            (x1, y1), (x2, y2) = boxes[start], boxes[end]
            x1, x2, y1, y2 = x1 + bend / 2, x2 + bend / 2, y1 - 18, y2 + 18
            side = (x1 + x2) / 2 + 2 * bend, (y1 + y2) / 2
            path = f"M{x1:.0f},{y1:.0f} Q{side[0]:.0f},{side[1]:.0f} {x2:.0f},{y2:.0f}"
            turned = math.degrees(math.atan2(y2 - side[1], x2 - side[0]))
            keys = f"0;{n / whole:.3f};{(n + 0.8) / whole:.3f};1"
            arrives = 1 if number else 0.45
            beside = 10 + 4 * len(number)  # where the path leans away from
            label = (x1 + x2) / 2 + bend + (-beside if bend < 0 or x2 > x1 else beside)
            above = 5 if bend or x1 == x2 else 0
            ink = INKS["gradient"]
            mark = (  # an arrow's head, or a cross in the middle
                f'd="M0,0 l-10,-5 v10 z" fill="{ink}" transform="translate({x2:.0f},{y2:.0f}) '
                f'rotate({turned:.0f})"'
                if number
                else f'd="M-8,-8 l16,16 m-16,0 l16,-16" stroke="{ink}" stroke-width="4" transform='
                f'"translate({(x1 + x2) / 2:.0f},{(y1 + y2) / 2:.0f})"'
            )
            made.add(
                f'<path d="{path}" fill="none" stroke="#999" '
                f'stroke-dasharray="{"none" if number else "6 4"}"/>'
                f'<path class="comes" {mark}>{from_moment(n)}</path>'
                f'<text class="comes" x="{label:.0f}" y="{side[1] + above:.0f}" style="fill:{ink};'
                f'font-weight:bold" text-anchor="middle">{html.escape(number)}'
                f"{from_moment(n)}</text>"
                f'<circle class="moves" r="5" fill="{ink}"><animateMotion path="{path}" '
                f'keyTimes="{keys}" keyPoints="0;0;{arrives};{arrives}" calcMode="linear" '
                f"{made.timed(1.6 * whole)}/></circle>"
            )
    for words, (x, y) in boxes.items():
        wide = 18 + 8 * len(words)
        made.add(
            f'<rect x="{x - wide / 2}" y="{y - 16}" width="{wide}" height="32" rx="9" fill="none" '
            f'stroke="currentColor"/><text x="{x}" y="{y + 5}" text-anchor="middle">'
            f"{html.escape(words)}</text>"
        )
    title, lines = ledger
    made.add(f'<text x="{right}" y="24" style="font-weight:bold">{html.escape(title)}</text>')
    for n, line in enumerate(lines):
        pieces = "".join(
            f'<tspan fill="{INKS["gradient"] if lost else INKS["sum"]}" '
            f'text-decoration="{"line-through" if lost else "none"}" dx="{8 if k else 0}">'
            f"{html.escape(word)}</tspan>"
            for k, (word, lost) in enumerate(line)
        )
        made.add(
            f'<text class="comes" x="{right}" y="{58 + 34 * n}" style="font-size:20px;'
            f'font-weight:bold">{pieces}{from_moment(n)}</text>'
        )
    return made


def circling(
    rings: Sequence[tuple[str, Sequence[tuple[Any, Any]]]],
    places: Sequence[tuple[Any, Any]],
    heights: Sequence[Any],
    marked: Mapping[int, str],
    alt: str,
) -> Motion:
    """A dot that goes round a circle, and beside it the height of the ground where it is.

    Args:
        rings: lines of equal height around the middle, each with its name.
        places: of the dot, once round.
        heights: at these places.
        marked: words for some of the places, by their number.
        alt: what is to be seen.
    """
    made = Motion(640, 290, alt)
    far = max(abs(float(each)) for _, line in rings for place in line for each in place)
    low, high = float(min(heights)), float(max(heights))
    floor = low - 0.25 * (high - low)

    def spot(place: tuple[Any, Any]) -> tuple[float, float]:
        x, y = (float(each) * 118 / far for each in place)
        return round(140 + x, 1), round(145 - y, 1)

    def above(n: int) -> tuple[float, float]:
        part = (float(heights[n]) - floor) / (high - floor)
        return round(390 + 235 * n / (len(places) - 1), 1), round(235 - 180 * part, 1)

    def path(points: Sequence[tuple[float, float]]) -> str:
        return "M" + " L".join(f"{x},{y}" for x, y in points)

    for name, line in rings:
        points = [spot(place) for place in line]
        x, y = max(points, key=lambda point: point[1])  # its lowest place
        made.add(f'<path d="{path(points)}" fill="none" stroke="#999"/>')
        made.add(
            f'<text x="{x}" y="{y + 13}" text-anchor="middle" style="font-size:11px">'
            f"{html.escape(name)}</text>"
        )
    walks = [spot(place) for place in places], [above(n) for n in range(len(places))]
    made.add('<line x1="390" y1="235" x2="625" y2="235" stroke="#999"/>')
    made.add('<text x="507" y="256" text-anchor="middle">once round the circle</text>')
    for points in walks:
        made.add(
            f'<path d="{path(points)}" fill="none" stroke="{INKS["value"]}" stroke-width="2"/>'
        )
    for n, words in marked.items():
        (x1, y1), (x2, y2) = walks[0][n], walks[1][n]
        before, after = (float(heights[k]) - float(heights[n]) for k in (n - 1, n + 1))
        level = before * after > 0 and n > 0  # the curve has a top or a bottom here
        at = f'x="{x2}" y="{y2 + (22 if before > 0 else -10)}" text-anchor="middle"'
        at = at if level else f'x="{x2 - 10}" y="{y2 + 5}" text-anchor="end"'
        made.add(
            f'<line x1="140" y1="145" x2="{x1}" y2="{y1}" stroke="{INKS["sum"]}" '
            f'stroke-dasharray="5 3"/><circle cx="{x2}" cy="{y2}" r="4" fill="{INKS["sum"]}"/>'
            f"<text {at}>{html.escape(words)}</text>"
        )
    for points in walks:
        moves = "".join(
            f'<animate attributeName="{name}" values="{";".join(map(str, values))}" '
            f"{made.timed(8.0)}/>"
            for name, values in zip(("cx", "cy"), zip(*points, strict=True), strict=True)
        )
        made.add(
            f'<circle class="moves" r="7" fill="{INKS["gradient"]}" stroke="black">{moves}</circle>'
        )
    return made


def sliding(
    image: Any,
    kernel: Any,
    out: Any,
    alt: str,
    names: tuple[str, str, str] = ("image", "kernel", "feature map"),
) -> Motion:
    """A window on its way over an image, and the number that it gives at each place.

    Args:
        image: a matrix of pixels.
        kernel: a smaller matrix.
        out: the feature map, a matrix.
        alt: what is to be seen.
        names: what stands above the three.
    """
    image_name, kernel_name, out_name = names
    (rows, columns), cell = out.shape, 34
    size, seconds = kernel.shape[0], float(out.size)
    left = {image_name: 10, kernel_name: 40 + cell * image.shape[1]}
    left[out_name] = left[kernel_name] + cell * size + 30
    height = 24 + cell * image.shape[0]
    made = Motion(left[out_name] + max(cell * columns, 8 * len(out_name)) + 10, height, alt)
    times = ";".join(f"{n / out.size:.3f}" for n in range(out.size))

    def jumps(name: str, values: Sequence[Any]) -> str:
        steps = ";".join(map(str, values))
        return (
            f'<animate attributeName="{name}" values="{steps}" keyTimes="{times}" '
            f'calcMode="discrete" {made.timed(seconds)}/>'
        )

    for name, matrix in zip(names, [image, kernel, out], strict=True):
        made.add(f'<text x="{left[name]}" y="14">{html.escape(name)}</text>')
        for i in range(matrix.shape[0]):
            for j in range(matrix.shape[1]):
                x, y, n = left[name] + j * cell, 22 + i * cell, i * columns + j
                comes = jumps("opacity", [int(n <= at) for at in range(out.size)])
                ink = "#0072b2" if matrix[i, j] and name == image_name else "none"
                made.add(
                    f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="{ink}" '
                    f'fill-opacity="0.2" stroke="#999"/><text x="{x + cell / 2}" y="{y + 22}" '
                    f'text-anchor="middle" class="comes">{float(matrix[i, j]):g}'
                    f"{comes if name == out_name else ''}</text>"
                )
    places = [(i, j) for i in range(rows) for j in range(columns)]
    made.add(
        f'<rect class="moves" x="10" y="22" width="{size * cell}" height="{size * cell}" '
        f'fill="none" stroke="#b04a00" stroke-width="4">'
        f"{jumps('x', [10 + j * cell for _, j in places])}"
        f"{jumps('y', [22 + i * cell for i, _ in places])}</rect>"
    )
    return made


def stamping(g: Any, kernel: Any, alt: str) -> Motion:
    """A kernel that is stamped onto an image, once for each number of g that is not 0.

    Args:
        g: the gradient of the feature map, a matrix.
        kernel: a matrix.
        alt: what is to be seen.
    """
    (size, _), cell = kernel.shape, 34
    rows, columns = (length + size - 1 for length in g.shape)
    stamps = [(i, j) for i, row in enumerate(g) for j, ink in enumerate(row) if ink]
    left = {"g": 10, "kernel": 40 + cell * g.shape[1]}
    left["gradient of the image"] = left["kernel"] + cell * size + 30
    made = Motion(left["gradient of the image"] + cell * columns + 10, 24 + cell * rows, alt)
    whole = len(stamps) + 3  # before the first one, and the last one rests
    times = ";".join(f"{n / whole:.3f}" for n in range(whole))

    def within(first: int, end: int) -> str:
        shown = ";".join(str(int(first <= n < end)) for n in range(whole))
        return (
            f'<animate attributeName="opacity" values="{shown}" keyTimes="{times}" '
            f'calcMode="discrete" {made.timed(1.5 * whole)}/>'
        )

    def frame(name: str, i: int, j: int, wide: int, look: str, moves: str = "") -> None:
        made.add(
            f'<rect x="{left[name] + cell * j}" y="{22 + cell * i}" width="{cell * wide}" '
            f'height="{cell * wide}" {look}>{moves}</rect>'
        )

    def number(name: str, i: int, j: int, value: Any, look: str = "", moves: str = "") -> None:
        made.add(
            f'<text {look} x="{left[name] + cell * (j + 0.5)}" y="{44 + cell * i}" '
            f'text-anchor="middle">{float(value):g}{moves}</text>'
        )

    for name, matrix in [("g", g), ("kernel", kernel)]:
        for i, row in enumerate(matrix):
            for j, value in enumerate(row):
                frame(name, i, j, 1, 'fill="none" stroke="#999"')
                number(name, i, j, value)
    name = "gradient of the image"
    for i in range(rows):
        for j in range(columns):
            frame(name, i, j, 1, 'fill="none" stroke="#999"')
            brought = [  # by each stamp, after nothing
                0.0,
                *(
                    float(g[a, b] * kernel[i - a, j - b])
                    if 0 <= i - a < size and 0 <= j - b < size
                    else 0.0
                    for a, b in stamps
                ),
            ]
            sums = [sum(brought[: n + 1]) for n in range(len(brought))]
            changes = [n for n in range(len(sums)) if n == 0 or sums[n] != sums[n - 1]]
            for n, end in zip(changes, [*changes[1:], whole], strict=True):
                look = (
                    f'class="{"comes" if end == whole else "moves"}" opacity="{int(end == whole)}"'
                )
                number(name, i, j, sums[n], look, within(n, end))
    for n, (i, j) in enumerate(stamps, 1):
        look = f'class="moves" opacity="0" fill="none" stroke="{INKS["gradient"]}" stroke-width="4"'
        frame("g", i, j, 1, look, within(n, n + 1))
        frame(name, i, j, size, look, within(n, n + 1))
    for name, x in left.items():
        made.add(f'<text x="{x}" y="14">{name}</text>')
    return made


def travelling(
    steps: Sequence[tuple[str, tuple[int, int], tuple[Any, Any]]],
    edges: Sequence[tuple[int, int, str]],
    alt: str,
) -> Motion:
    """Numbers that travel forward through a graph, each with its slope.

    Args:
        steps: in the order in which they appear, what each number is called, its place (column,
            row), and its pair of value and slope.
        edges: from which step to which, and what the slope is multiplied by on the way.
        alt: what is to be seen.
    """
    wide, high, box = 200, 92, (104, 58)
    columns, rows = (1 + max(place[k] for _, place, _ in steps) for k in (0, 1))
    made = Motion(wide * (columns - 1) + box[0] + 20, high * (rows - 1) + box[1] + 26, alt)
    whole = len(steps) + 3  # the last one rests

    from_moment = partial(made.appearing, whole=whole, seconds=1.2)

    corners = [(10 + wide * column, 22 + high * row) for _, (column, row), _ in steps]
    for start, end, factor in edges:
        left, right = corners[start][0] + box[0], corners[end][0] - 4
        from_y, to_y = (corners[which][1] + box[1] / 2 for which in (start, end))
        turned = math.degrees(math.atan2(to_y - from_y, right - left))
        tilt = (to_y > from_y) - (to_y < from_y)  # words are above the line, on its free side
        made.add(
            f'<path d="M{left},{from_y} L{right},{to_y}" stroke="#999" fill="none"/>'
            f'<path d="M0,0 l-10,-5 v10 z" fill="#999" '
            f'transform="translate({right},{to_y}) rotate({turned:.0f})"/>'
            f'<text class="comes" x="{(left + right) / 2 + 8 * tilt}" '
            f'y="{(from_y + to_y) / 2 - (0 if tilt else 6)}" '
            f'text-anchor="{("middle", "start", "end")[tilt]}" '
            f'style="fill:{INKS["gradient"]}">{html.escape(factor)}{from_moment(end)}</text>'
        )
    for n, ((name, _, pair), (x, y)) in enumerate(zip(steps, corners, strict=True)):
        middle = x + box[0] / 2
        made.add(
            f'<text x="{middle}" y="{y - 6}" text-anchor="middle">{html.escape(name)}</text>'
            f'<rect x="{x}" y="{y}" width="{box[0]}" height="{box[1]}" rx="8" fill="none" '
            'stroke="#999"/>'
        )
        for row, (word, ink) in enumerate([("value", "value"), ("slope", "gradient")]):
            made.add(
                f'<text class="comes" x="{middle}" y="{y + 23 + 24 * row}" text-anchor="middle" '
                f'style="fill:{INKS[ink]}">{word} <tspan font-weight="bold">'
                f"{float(pair[row]):g}</tspan>{from_moment(n)}</text>"
            )
    return made


def drifting(
    path: Sequence[tuple[Any, Any]],
    tangents: Sequence[tuple[str, Sequence[tuple[Any, Any]]]],
    real: Sequence[tuple[Any, Any]],
    ring: tuple[float, float],
    alt: str,
) -> Motion:
    """A ball that flies with its tangents: where it would be now if it had been thrown otherwise.

    Args:
        path: the places of the ball, (metres across, metres up); every tenth one gets arrows.
        tangents: two of them, each with its name and an arrow for each place.
        real: a path that really was thrown otherwise; it is dashed, and comes at the end.
        ring: where the ring is.
        alt: what is to be seen.
    """
    shown = range(9, len(path), 10)
    tips = [(path[n][0] + arrows[n][0], path[n][1] + arrows[n][1])
            for _, arrows in tangents for n in shown]  # fmt: skip
    drawn = [*path, *tips, *real, ring]
    high, low = (pick(float(place[1]) for place in drawn) for pick in (max, min))
    scale = 520 / max(float(place[0]) for place in drawn)
    made = Motion(640, round(scale * (high - low)) + 50, alt)
    whole = len(shown) + 4  # the dashed path; the last one rests

    from_moment = partial(made.appearing, whole=whole, seconds=0.7)

    def spot(place: tuple[Any, Any]) -> tuple[float, float]:
        return round(14 + scale * float(place[0]), 1), round(
            30 + scale * (high - float(place[1])), 1
        )

    def line(places: Sequence[tuple[Any, Any]]) -> str:
        return "M" + " L".join(f"{x},{y}" for x, y in map(spot, places))

    made.add(f'<path d="{line(path)}" fill="none" stroke="#999"/>')
    x, y = spot(ring)
    made.add(
        f'<circle cx="{x}" cy="{y}" r="11" fill="none" stroke="currentColor" stroke-width="2.5"/>'
    )
    made.add(
        f'<path class="comes" d="{line(real)}" fill="none" stroke="{INKS["value"]}" '
        f'stroke-dasharray="5 4">{from_moment(len(shown) + 1)}</path>'
    )
    for moment, n in enumerate(shown):
        x, y = spot(path[n])
        made.add(f'<g class="comes"><circle cx="{x}" cy="{y}" r="4" fill="currentColor"/>')
        for (_, arrows), ink in zip(tangents, ("value", "gradient"), strict=True):
            right, up = scale * float(arrows[n][0]), -scale * float(arrows[n][1])
            long, turned = math.hypot(right, up), math.degrees(math.atan2(up, right))
            made.add(
                f'<path d="M0,0 h{long:.1f} m-6,-4 l6,4 l-6,4" fill="none" stroke="{INKS[ink]}" '
                f'stroke-width="2" transform="translate({x},{y}) rotate({turned:.0f})"/>'
            )
        made.add(f"{from_moment(moment)}</g>")
    for (name, arrows), ink in zip(tangents, ("value", "gradient"), strict=True):
        n = shown[-1] if ink == "value" else shown[len(shown) // 2]
        x, y = spot((path[n][0] + arrows[n][0], path[n][1] + arrows[n][1]))
        made.add(
            f'<text class="comes" x="{x + 8}" y="{y - 6}" style="fill:{INKS[ink]}">'
            f"{html.escape(name)}{from_moment(len(shown) - 1)}</text>"
        )
    return made


def gathering(
    frames: Sequence[tuple[str, Sequence[tuple[Any, Any]], Sequence[Any], tuple[Any, Any]]],
    ring: tuple[float, float],
    alt: str,
) -> Motion:
    """A cloud of throws that walks into a ring; those that hit are large.

    Args:
        frames: for each moment its name, where the balls are (metres across, metres up), which of
            them hit, and where the aim is.
        ring: where the ring is; it has a radius of 1 m. The picture reaches 5 m to all sides of it.
        alt: what is to be seen.
    """
    scale = 32
    made = Motion(620, 360, alt)
    whole = len(frames) + 3  # the last one rests
    times = ";".join(f"{n / whole:.3f}" for n in range(whole))

    def spot(place: tuple[Any, Any]) -> str:
        x, y = (each * scale * (float(place[k]) - ring[k]) for k, each in enumerate((1, -1)))
        x, y = 310 + x, 195 + y
        return f"{x:.0f},{y:.0f}"

    for n, (name, places, hits, aim) in enumerate(frames):
        shown = [int(n == min(moment, len(frames) - 1)) for moment in range(whole)]
        last = n + 1 == len(frames)
        made.add(
            f'<g class="{"comes" if last else "moves"}" opacity="{int(last)}" '
            f'stroke-linecap="round"><text x="150" y="18">{html.escape(name)}</text>'
        )
        for ink, width, kind in [("#999", 4, False), (INKS["value"], 9, True)]:
            dots = [
                place
                for place, hit in zip(places, hits, strict=True)
                if bool(hit) is kind and max(abs(float(place[k]) - ring[k]) for k in (0, 1)) <= 5
            ]
            path = " ".join(f"M{spot(place)} h.1" for place in dots)
            made.add(f'<path d="{path}" stroke="{ink}" stroke-width="{width}"/>' if dots else "")
        made.add(
            f'<path d="M{spot(aim)} m-7,0 h14 m-7,-7 v14" stroke="currentColor" stroke-width="4"/>'
            f'<animate attributeName="opacity" values="{";".join(map(str, shown))}" '
            f'keyTimes="{times}" calcMode="discrete" {made.timed(0.9 * whole)}/></g>'
        )
    x, y = spot(ring).split(",")
    made.add(
        f'<circle cx="{x}" cy="{y}" r="{scale}" fill="none" stroke="{INKS["gradient"]}" '
        'stroke-width="3"/>'
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

    from_moment = partial(made.appearing, whole=whole, seconds=0.8)

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
                # Where a use contributes, the state before it and the gradient after it meet.
                f'<path d="M{x + 10},128 L{between - 10},168 m-7,-2 l7,2 l-1,-7" fill="none" '
                f'stroke="{INKS["value"]}"/><path d="M{x + wide - 10},128 L{between + 10},168 '
                f'm7,-2 l-7,2 l1,-7" fill="none" stroke="{INKS["gradient"]}" '
                f'stroke-dasharray="5 3"/>'
                f'<text x="{between}" y="52" text-anchor="middle">&#183; w</text>'
                f'<text x="{between}" y="102" text-anchor="middle">&#183; w</text>'
            )
            product = (
                f'<tspan fill="{INKS["value"]}">{float(state):g}</tspan> &#183; '
                f'<tspan fill="{INKS["gradient"]}">{float(arriving[n + 1]):g}</tspan>'
            )
            made.add(
                f'<text class="comes" x="{between}" y="184" text-anchor="middle">{product}'
                f"{from_moment(2 * steps + 1 - n)}</text>"
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
            return round(240 + 210 * float(place[0]), 1), round(middle - 40 * float(place[1]), 1)

        along, across = places[0]
        level = math.sqrt(bends[0] * float(along) ** 2 + bends[1] * float(across) ** 2)
        for part in (0.1, 0.4, 0.7, 1.0):  # the last one goes through the start
            rx, ry = (part * level / math.sqrt(bend) for bend in bends)
            made.add(
                f'<ellipse cx="240" cy="{middle}" rx="{210 * rx:.1f}" ry="{40 * ry:.1f}" '
                f'fill="none" stroke="#999"/>'
            )
        there = [spot(place) for place in places] + [spot(places[-1])] * (steps - len(places))
        line = "M" + " L".join(f"{x},{y}" for x, y in there[: len(places)])
        made.add(f'<path d="{line}" fill="none" stroke="{INKS["value"]}" stroke-width="1.2"/>')
        made.add(f'<circle cx="240" cy="{middle}" r="9" fill="none" stroke="currentColor"/>')
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


def stepping(walks: Sequence[tuple[str, Sequence[float]]], alt: str) -> Motion:
    """Walks in a bowl of one unknown, each in a bowl of its own; all step at the same time.

    Args:
        walks: for each its name and its places, as many for each.
        alt: what is to be seen.
    """
    wide, high = 250, 170
    made = Motion(2 * wide, high * math.ceil(len(walks) / 2), alt)
    far = max(abs(float(x)) for _, places in walks for x in places)

    def spot(n: int, x: float) -> tuple[float, float]:
        left, base = wide * (n % 2) + wide / 2, high * (n // 2) + high - 16
        up = (x / far) ** 2 * (high - 56)  # the height of a bowl goes with the square
        return round(left + 100 * x / far, 1), round(base - up, 1)

    for n, (name, places) in enumerate(walks):
        bowl = "M" + " L".join("{},{}".format(*spot(n, far * k / 20)) for k in range(-20, 21))
        there = [spot(n, float(x)) for x in places]
        line, begin = "M" + " L".join(f"{x},{y}" for x, y in there), there[0]
        made.add(
            f'<path d="{bowl}" fill="none" stroke="#999" stroke-width="1.5"/>'
            f'<path d="{line}" fill="none" stroke="{INKS["value"]}" stroke-width="1.2"/>'
            f'<circle cx="{begin[0]}" cy="{begin[1]}" r="4" fill="none" stroke="currentColor"/>'
            f'<text x="{wide * (n % 2) + wide / 2}" y="{high * (n // 2) + 16}" '
            f'text-anchor="middle">{html.escape(name)}</text>'
        )
        moves = "".join(
            f'<animate attributeName="{key}" values="{";".join(map(str, values))}" '
            f'calcMode="discrete" {made.timed(0.9 * len(places))}/>'
            for key, values in zip(("cx", "cy"), zip(*there, strict=True), strict=True)
        )
        rests = (
            f'<animate attributeName="opacity" values="{"0;" * (len(places) - 1)}1" '
            f'calcMode="discrete" {made.timed(0.9 * len(places))}/>'
        )
        x, y = there[-1]
        for kind, changes in [("moves", moves), ("comes", rests)]:
            made.add(
                f'<circle class="{kind}" cx="{x}" cy="{y}" r="7" fill="{INKS["gradient"]}" '
                f'stroke="black">{changes}</circle>'
            )
    return made


def bending(
    frames: Sequence[tuple[str, Sequence[Any]]],
    kinds: Sequence[Sequence[tuple[Any, Any]]],
    alt: str,
) -> Motion:
    """A boundary that bends while a network learns, between points of two kinds.

    Args:
        frames: for each moment its name, and the lines of the boundary, each a list of places.
        kinds: the places of the points of either kind.
        alt: what is to be seen.
    """
    drawn = [*kinds, *(line for _, lines in frames for line in lines)]
    places = [place for points in drawn for place in points]
    (left, low), (right, high) = (
        [pick(each[k] for each in places) for k in (0, 1)] for pick in (min, max)
    )
    scale = 400 / float(right - left)
    made = Motion(680, round(scale * float(high - low)) + 50, alt)  # it stands in the middle
    whole = len(frames) + 5  # the last one rests
    times = ";".join(f"{n / whole:.3f}" for n in range(whole))

    def spot(place: Any) -> str:
        x, y = 140 + scale * float(place[0] - left), 30 + scale * float(high - place[1])
        return f"{x:.0f},{y:.0f}"

    for points, ink, mark in zip(
        kinds,
        (INKS["value"], INKS["gradient"]),
        ("m-3,0 h6 m-3,-3 v6", "m-2,0 a2,2 0 1,0 4,0 a2,2 0 1,0 -4,0"),
        strict=True,
    ):
        path = " ".join(f"M{spot(each)} {mark}" for each in points)
        made.add(
            f'<path d="{path}" fill="{ink if "a" in mark else "none"}" stroke="{ink}" '
            'stroke-width="1.5"/>'
        )
    for n, (name, lines) in enumerate(frames):
        path = " ".join("M" + " L".join(map(spot, line)) for line in lines)
        shown = [int(n == min(moment, len(frames) - 1)) for moment in range(whole)]
        stays = "comes" if n + 1 == len(frames) else "moves"
        made.add(
            f'<g class="{stays}"><path d="{path}" fill="none" stroke="currentColor" '
            f'stroke-width="2.5"/><text x="140" y="18">{html.escape(name)}</text>'
            f'<animate attributeName="opacity" values="{";".join(map(str, shown))}" '
            f'keyTimes="{times}" calcMode="discrete" {made.timed(0.5 * whole)}/></g>'
        )
    return made


def arriving(ways: Mapping[str, Sequence[float]], alt: str) -> Motion:
    """Gradients on their way back through layers, last layer first, on a scale of powers of ten.

    Args:
        ways: for each network its name, and the length of its gradient at the layers 1, 2, ...
        alt: what is to be seen.
    """
    layers = len(next(iter(ways.values())))
    powers = [math.log10(each) for lengths in ways.values() for each in lengths]
    top, bottom = math.ceil(max(powers)), math.floor(min(powers))
    left, right, high, wide = 120, 70, 36, 36  # room for names, a power of ten, a layer
    made = Motion(left + wide * (layers - 1) + right, 44 + high * (top - bottom), alt)
    whole = layers + 4  # the last ones rest

    def spot(layer: int, length: float) -> tuple[float, float]:
        return left + wide * layer, round(12 + high * (top - math.log10(length)), 1)

    from_moment = partial(made.appearing, whole=whole, seconds=0.5)

    last = spot(layers - 1, 1.0)[0]
    for power in range(bottom, top + 1):
        y = spot(0, 10.0**power)[1]
        made.add(
            f'<line x1="{left}" y1="{y}" x2="{last}" y2="{y}" stroke="#999" stroke-width="0.6"/>'
            f'<text x="{last + 12}" y="{y + 5}">{10.0**power:g}</text>'
        )
    base = 12 + high * (top - bottom) + 22
    for layer in range(layers):
        made.add(
            f'<text x="{spot(layer, 1.0)[0]}" y="{base}" text-anchor="middle">{layer + 1}</text>'
        )
    made.add(f'<text x="6" y="{base}">layer</text>')
    for lengths, ink, dashes in zip(
        ways.values(), [*INKS.values(), "#8a5ab0"], ["", "7 3", "2 3", "9 3 2 3"], strict=False
    ):
        places = [spot(layer, length) for layer, length in enumerate(lengths)]
        for layer in reversed(range(layers)):
            x, y = places[layer]
            to = places[layer + 1] if layer + 1 < layers else places[layer]
            made.add(
                f'<g class="comes" stroke="{ink}"><path d="M{x},{y} L{to[0]},{to[1]}" '
                f'stroke-width="2" stroke-dasharray="{dashes}"/><circle cx="{x}" cy="{y}" r="4" '
                f'fill="{ink}"/>{from_moment(layers - 1 - layer)}</g>'
            )
    for name, lengths in ways.items():
        y = spot(0, lengths[0])[1] + 5
        made.add(
            f'<text class="comes" x="{left - 14}" y="{y}" text-anchor="end">{html.escape(name)}: '
            f"{float(f'{lengths[0]:.1g}'):g}{from_moment(layers)}</text>"
        )
    return made


def writing(text: str, looks: Mapping[str, Any], alt: str, mark: int | None = None) -> Motion:
    """A text that is written letter by letter, and where each head looks before the next letter.

    Args:
        text: its first letter is there from the start.
        looks: for each head its name and a matrix: in row t, how much it looks at each letter
            before it writes letter t + 1.
        alt: what is to be seen.
        mark: the place of a letter that gets a frame at the end.
    """
    wide, high, left, moments = 17, 52, 70, len(text) - 1
    made = Motion(left + wide * len(text) + 10, 40 + (high + 8) * len(looks), alt)
    whole = moments + 12  # the last ones rest

    def changing(name: str, values: Sequence[Any]) -> str:
        kept = [n for n, value in enumerate(values) if n == 0 or value != values[n - 1]]
        times = ";".join(f"{n / whole:.3g}" for n in kept)
        return (
            f'<animate attributeName="{name}" values="{";".join(str(values[n]) for n in kept)}" '
            f'keyTimes="{times}" calcMode="discrete" {made.timed(0.4 * whole)}/>'
        )

    for n, letter in enumerate(text):
        x = left + wide * n
        shown = changing("opacity", [int(n <= moment + 1) for moment in range(moments)])
        sign = "\u00b7" if letter == " " else html.escape(letter)
        made.add(
            f'<text class="comes" x="{x + wide / 2}" y="24" text-anchor="middle">'
            f"{sign}{shown}</text>"
        )
    if mark is not None:
        framed = changing("opacity", [int(moment == moments - 1) for moment in range(moments)])
        made.add(
            f'<rect class="comes" x="{left + wide * mark}" y="8" width="{wide}" height="24" '
            f'fill="none" stroke="{INKS["gradient"]}" stroke-width="2">'
            f"{framed}</rect>"
        )
    for row, (name, matrix) in enumerate(looks.items()):
        y = 38 + (high + 8) * row
        made.add(f'<text x="6" y="{y + high / 2 + 5:g}">{html.escape(name)}</text>')
        for n in range(moments):
            dark = [f"{float(matrix[m][n]):.1f}".removesuffix(".0") for m in range(moments)]
            if set(dark) == {"0"}:
                dark = dark[:1]
            made.add(
                f'<rect class="rests" style="--rest:{dark[-1]}" x="{left + wide * n}" y="{y}" '
                f'width="{wide}" height="{high}" stroke="#999" stroke-width="0.5" '
                f'fill="{INKS["value"]}" fill-opacity="{dark[-1]}">'
                f"{changing('fill-opacity', dark)}</rect>"
            )
    return made


def compiling(
    lines: Sequence[str], more: Sequence[str], known: Sequence[str], loop: Sequence[str], alt: str
) -> Motion:
    """A trace that grows, is continued by its derivative, is folded, and becomes one loop.

    Args:
        lines: those of the trace, such as "d = add(v, c)".
        more: those of its derivative.
        known: the names of the lines that are folded away.
        loop: the lines of the program that is left.
        alt: what is to be seen.
    """
    high, whole = 21, len(lines) + len(more) + 8  # moments; the last ones rest
    made = Motion(620, 30 + high * max(len(lines) + len(more), len(loop)), alt)

    def written(text: str, x: int, row: int, ink: str, moment: int) -> None:
        made.add(
            f'<text class="comes" x="{x}" y="{40 + high * row}" xml:space="preserve" '
            f'style="fill:{ink};font-family:monospace">{html.escape(text)}{shown_from(moment)}'
            "</text>"
        )

    shown_from = partial(made.appearing, whole=whole, seconds=0.7)

    end = len(lines) + len(more)
    made.add('<text x="14" y="16">the trace</text>')
    for n, (text, ink) in enumerate(
        [(text, INKS["value"]) for text in lines] + [(text, INKS["gradient"]) for text in more]
    ):
        written(text, 14, n, ink, n)
        if text.split(" = ")[0] in known:
            y = 35 + high * n
            made.add(
                f'<path class="comes" d="M10,{y} h{20 + 8 * len(text)}" stroke="currentColor" '
                f'stroke-width="2">{shown_from(end + 1)}</path>'
                f'<text class="comes" x="206" y="{y + 5}">known{shown_from(end + 1)}</text>'
            )
    for moment, row, word in [
        (0, len(lines) - 2, "the step"),
        (len(lines), len(lines) + len(more) // 2, "its derivative"),
    ]:
        y = 40 + high * row
        made.add(f'<text class="comes" x="206" y="{y}">{word}{shown_from(moment)}</text>')
    made.add(f'<text class="comes" x="316" y="16">one loop{shown_from(end + 3)}</text>')
    for n, text in enumerate(loop):
        written(text, 316, n, INKS["sum"], end + 3)
    return made


def sharpening(
    points: Sequence[tuple[Any, Any]],
    curves: Mapping[str, Sequence[tuple[Any, Any]]],
    kept: Sequence[str],
    axes: tuple[str, str],
    alt: str,
    truth: tuple[str, Sequence[tuple[Any, Any]]] = ("", ()),
    ticks: tuple[Sequence[Any], Sequence[Any]] = ((), ()),
) -> Motion:
    """A curve that changes from one form to the next; some of the forms stay as thin lines.

    Args:
        points: dots that the curve is made for, (across, up).
        curves: for each form its name and its places, as many for each.
        kept: the names of the forms that stay.
        axes: what is across, and what is up.
        alt: what is to be seen.
        truth: the name and the places of the curve that the others should follow.
        ticks: numbers on the axes, across and up.
    """
    room = 24 if any(ticks) else 0  # for the numbers, left and below
    made = Motion(600 + room, 290 + room, alt)
    made.add(
        f'<text x="{300 + room}" y="{288 + room}" text-anchor="middle">'
        f"{html.escape(axes[0])}</text>"
        f'<text transform="rotate(-90)" x="-140" y="12" text-anchor="middle">'
        f"{html.escape(axes[1])}</text>"
    )
    drawn = [*curves.values(), truth[1]]
    across, up = zip(*points, *(place for curve in drawn for place in curve), strict=True)
    left, low = float(min(across)), float(min(up))
    wide, high = 560 / (float(max(across)) - left), 250 / (float(max(up)) - low)

    def spot(place: tuple[Any, Any]) -> str:
        x, y = 25 + room + wide * (float(place[0]) - left), 265 - high * (float(place[1]) - low)
        return f"{x:.0f},{y:.0f}"

    if room:
        end = 585 + room
        made.add(f'<path d="M{25 + room},15 V272 H{end}" fill="none" stroke="currentColor"/>')
        for number, x in [(each, spot((each, low)).split(",")[0]) for each in ticks[0]]:
            made.add(
                f'<path d="M{x},272 v5" stroke="currentColor"/>'
                f'<text x="{x}" y="290" text-anchor="middle">{number:g}</text>'
            )
        for number, y in [(each, spot((left, each)).split(",")[1]) for each in ticks[1]]:
            made.add(
                f'<path d="M{25 + room},{y} h-5" stroke="currentColor"/>'
                f'<text x="{17 + room}" y="{int(y) + 5}" text-anchor="end">{number:g}</text>'
            )
    if truth[1]:
        beside, below = map(int, spot(truth[1][len(truth[1]) // 3]).split(","))
        made.add(
            f'<path d="M{" L".join(map(spot, truth[1]))}" fill="none" stroke="{INKS["sum"]}" '
            f'stroke-width="2.5"/><text x="{beside + 18}" y="{below + 26}" '
            f'style="fill:{INKS["sum"]}">{html.escape(truth[0])}</text>'
        )

    lines = {name: "M" + " L".join(map(spot, places)) for name, places in curves.items()}
    for n, (name, dashes) in enumerate(zip(kept, ["2 4", "", "8 4"], strict=False)):
        look = f'fill="none" stroke="currentColor" stroke-dasharray="{dashes}"'
        line = 24 + 22 * n
        made.add(f'<path d="{lines[name]}" {look}/><path d="M{32 + room},{line} h44" {look}/>')
        made.add(f'<text x="{86 + room}" y="{line + 5}">{html.escape(name)}</text>')
    for x, y in (spot(place).split(",") for place in points):
        made.add(f'<circle cx="{x}" cy="{y}" r="4" fill="{INKS["gradient"]}"/>')
    count, seconds = len(lines), 2.0 * len(lines)
    begins = [n / count for n in range(count)]
    ends = [(n + 0.6) / count for n in range(count - 1)] + [1.0]  # then it changes
    times = ";".join(f"{each:.3f}" for pair in zip(begins, ends, strict=True) for each in pair)
    made.add(
        f'<path class="moves" d="{lines[kept[-1]]}" fill="none" stroke="{INKS["value"]}" '
        f'stroke-width="4" stroke-opacity="0.7"><animate attributeName="d" keyTimes="{times}" '
        f'values="{";".join(f"{line};{line}" for line in lines.values())}" '
        f"{made.timed(seconds)}/></path>"
    )
    for n, name in enumerate(lines):
        shown = [(0.0, 0)] * (n > 0) + [(begins[n], 1)] + [(ends[n], 0)] * (n < count - 1)
        made.add(
            f'<text class="moves" x="585" y="258" text-anchor="end" '
            f'style="fill:{INKS["value"]};font-weight:bold" opacity="{int(n == count - 1)}">'
            f'{html.escape(name)}<animate attributeName="opacity" '
            f'values="{";".join(str(value) for _, value in shown)}" '
            f'keyTimes="{";".join(f"{moment:.3f}" for moment, _ in shown)}" '
            f'calcMode="discrete" {made.timed(seconds)}/></text>'
        )
    return made


def carrying(sizes: Sequence[int], names: Sequence[str], alt: str) -> Motion:
    """What a product of Jacobians carries along, from the inputs and from the output, to scale.

    Args:
        sizes: how many numbers the program holds before its first step, and after each one.
        names: how those values are called.
        alt: what is to be seen.
    """
    wide, scale, last = 150, 62 / max(sizes), len(sizes) - 1
    made = Motion(wide * len(sizes) + 30, 296, alt)
    whole = 2 * last + 4  # a matrix each moment; the last one rests

    from_moment = partial(made.appearing, whole=whole, seconds=0.9)

    for n, (size, name) in enumerate(zip(sizes, names, strict=True)):
        x = 70 + wide * n
        made.add(f'<text x="{x}" y="20" text-anchor="middle">{html.escape(name)}: {size}</text>')
        if n < last:
            made.add(
                f'<path d="M{x + 42},15 h{wide - 84} m-6,-4 l6,4 l-6,4" fill="none" '
                f'stroke="currentColor"/><text x="{x + wide / 2}" y="36" text-anchor="middle">'
                f"J{n + 1}</text>"
            )
    # From the inputs: size by inputs. From the output: outputs by size.
    forward = [(n, sizes[n], sizes[0], sizes[n] * sizes[n - 1]) for n in range(1, last + 1)]
    backward = [(n, sizes[-1], sizes[n], sizes[n] * sizes[n + 1]) for n in reversed(range(last))]
    lanes = [("from the inputs: one column for each input", forward, 66, INKS["value"], last)]
    lanes += [("from the outputs: one row for each output", backward, 192, INKS["gradient"], 0)]
    moment = 0
    for title, steps, top, ink, end in lanes:
        made.add(f'<text x="16" y="{top}">{html.escape(title)}</text>')
        total = 0
        for first, (at, rows, columns, entries) in enumerate(steps):
            moment += 1
            work = 0 if first == 0 else entries * (columns if end else rows)
            total += work
            said = f"+ {work:,}" if work else "given"
            x, high, broad = 70 + wide * at, max(rows * scale, 2.5), max(columns * scale, 2.5)
            made.add(
                f'<g class="comes"><rect x="{x - broad / 2:g}" y="{top + 43 - high / 2:g}" '
                f'width="{broad:g}" height="{high:g}" style="fill:{ink}"/>'
                f'<text x="{x + broad / 2 + 6:g}" y="{top + 47}">{rows} &#215; {columns}</text>'
                f'<text x="{x}" y="{top + 92}" text-anchor="middle">{said}</text>'
                f"{from_moment(moment)}</g>"
            )
        made.add(
            f'<text class="comes" x="{wide * len(sizes) + 14}" y="{top}" text-anchor="end" '
            f'style="fill:{ink};font-weight:bold">together {total:,} multiplications'
            f"{from_moment(moment)}</text>"
        )
    return made


def following(
    curves: Mapping[str, Sequence[tuple[Any, Any]]],
    roots: Sequence[Any],
    names: tuple[str, str, str],
    alt: str,
) -> Motion:
    """A curve that is moved, and its root, which follows along the ground.

    Args:
        curves: for each position of the curve its name and its places, as many for each; seconds
            are across.
        roots: when each of them is 0, in seconds.
        names: the line at 0, and the two arrows: how far the curve moves, and how far its root.
        alt: what is to be seen.
    """
    made = Motion(600, 300, alt)
    places = [place for curve in curves.values() for place in curve]
    (left, low), (right, high) = (
        [float(pick(place[k] for place in places)) for k in (0, 1)] for pick in (min, max)
    )

    def spot(x: Any, y: Any) -> tuple[float, float]:
        across = 20 + 560 * (float(x) - left) / (right - left)
        return round(across, 1), round(270 - 240 * (float(y) - low) / (high - low), 1)

    lines = [
        "M" + " L".join("{},{}".format(*spot(*each)) for each in curve) for curve in curves.values()
    ]
    ground = spot(left, 0.0)[1]
    ends = [spot(root, 0.0)[0] for root in (roots[0], roots[-1])]
    last = list(curves.values())[-1]
    lifted = min(last, key=lambda place: abs(float(place[0]) - float(roots[0])))
    top = spot(*lifted)[1]
    made.add(f'<line x1="20" y1="{ground}" x2="580" y2="{ground}" stroke="#999"/>')
    made.add(f'<text x="580" y="{ground - 8}" text-anchor="end">{html.escape(names[0])}</text>')
    for root, x in zip((roots[0], roots[-1]), ends, strict=True):
        made.add(
            f'<path d="M{x},{ground - 4} v8" stroke="currentColor"/>'
            f'<text x="{x}" y="{ground + 22}" text-anchor="middle">{float(root):.2f} s</text>'
        )
    for line, name, dashes in zip(
        (lines[0], lines[-1]), (list(curves)[0], list(curves)[-1]), ("", "7 4"), strict=True
    ):
        made.add(
            f'<path d="{line}" fill="none" stroke="#999" stroke-width="1.5" '
            f'stroke-dasharray="{dashes}"/>'
        )
        x, y = map(float, line[1:].split(" ")[0].split(","))
        made.add(f'<text x="{x + 6}" y="{y - 8}">{html.escape(name)}</text>')
    whole = len(curves) + 5  # the last one rests
    times = ";".join(f"{n / (whole - 1):.3f}" for n in range(whole))

    def through(name: str, values: Sequence[Any]) -> str:
        held = [*values, *[values[-1]] * 5]
        return (
            f'<animate attributeName="{name}" values="{";".join(map(str, held))}" '
            f'keyTimes="{times}" {made.timed(0.45 * whole)}/>'
        )

    made.add(
        f'<path class="moves" d="{lines[-1]}" fill="none" stroke="{INKS["value"]}" '
        f'stroke-width="3">{through("d", lines)}</path>'
        f'<circle class="moves" cx="{ends[1]}" cy="{ground}" r="7" fill="{INKS["gradient"]}">'
        f"{through('cx', [spot(root, 0.0)[0] for root in roots])}</circle>"
    )
    up = f"M{ends[0]},{ground} V{top} m-5,8 l5,-8 l5,8"
    along = f"M{ends[0]},{ground} H{ends[1]} m-8,-5 l8,5 l-8,5"
    for arrow, x, y, ink, words, anchor in [
        (up, ends[0] + 12, top - 16, "sum", names[1], "start"),
        (along, ends[0] - 32, ground + 22, "gradient", names[2], "end"),
    ]:
        made.add(
            f'<g class="comes" style="color:{INKS[ink]}"><path d="{arrow}" fill="none" '
            f'stroke="currentColor" stroke-width="2.5"/><text x="{x}" y="{y}" font-weight="bold" '
            f'text-anchor="{anchor}">{with_subscripts(words)}</text>'
            f"{through('opacity', [0] * (len(curves) - 1) + [1])}</g>"
        )
    return made


def promising(
    rates: Sequence[Any], losses: Sequence[Any], slope: float, marks: Mapping[float, str], alt: str
) -> Motion:
    """A step against the gradient, longer and longer: what it promises, and where the loss goes.

    Args:
        rates: the first one is 0.
        losses: the loss after a step of each of them.
        slope: how much the gradient promises for a rate of 1.
        marks: what stands at some of the rates, below the curve.
        alt: what is to be seen.
    """
    made = Motion(600, 320, alt)
    top, far = 1.15 * max(map(float, losses)), float(rates[-1])

    def spot(rate: Any, loss: Any) -> tuple[float, float]:
        return round(40 + 520 * float(rate) / far, 1), round(280 - 260 * float(loss) / top, 1)

    curve = [spot(*each) for each in zip(rates, losses, strict=True)]
    start, zero = float(losses[0]), float(losses[0]) / slope
    # The bar goes as far as the promise is in the picture.
    line = [spot(rate, start - slope * float(rate)) for rate in rates if float(rate) <= zero]
    ground = spot(0, 0)[1]
    made.add(
        f'<path d="M40,10 V{ground} H572" fill="none" stroke="currentColor"/>'
        '<text transform="rotate(-90)" x="-145" y="24" text-anchor="middle">loss</text>'
        f'<text x="560" y="{ground + 34}" text-anchor="end">rate</text>'
    )
    for tick in range(int(far) + 1):
        made.add(
            f'<text x="{spot(tick, 0)[0]}" y="{ground + 18}" text-anchor="middle">{tick}</text>'
        )
    begin, end = spot(0, start), spot(zero, 0)
    made.add(
        f'<path d="M{begin[0]},{begin[1]} L{end[0]},{end[1]}" fill="none" stroke-dasharray="7 4" '
        f'stroke="{INKS["value"]}" stroke-width="2.5"/>'
        f'<text x="{end[0] + 6}" y="{ground - 10}" style="fill:{INKS["value"]};font-weight:bold">'
        "promised: below 0 soon</text>"
        f'<path d="M{" L".join(f"{x},{y}" for x, y in curve)}" fill="none" '
        f'stroke="{INKS["gradient"]}" stroke-width="2.5"/>'
        f'<text x="{curve[-1][0] - 24}" y="{curve[-1][1] + 4}" text-anchor="end" '
        f'style="fill:{INKS["gradient"]};font-weight:bold">real</text>'
    )
    for rate, name in marks.items():
        at = min(range(len(curve)), key=lambda n: abs(float(rates[n]) - rate))
        x, y = curve[at]
        falls = at + 1 < len(curve) and curve[at + 1][1] > y  # then there is room above
        made.add(
            f'<circle cx="{x}" cy="{y}" r="4.5" fill="{INKS["gradient"]}"/>'
            f'<text x="{x + 8}" y="{y - 10 if falls else y + 22}">{html.escape(name)}</text>'
        )
    above = curve[: len(line)]
    whole = len(line) + 6  # the last one rests
    times = ";".join(f"{n / (whole - 1):.3f}" for n in range(whole))

    def through(name: str, values: Sequence[float]) -> str:
        held = ";".join(map(str, [*values, *[values[-1]] * 6]))
        return (
            f'<animate attributeName="{name}" values="{held}" keyTimes="{times}" '
            f"{made.timed(0.4 * whole)}/>"
        )

    across = through("x1", [x for x, _ in line]) + through("x2", [x for x, _ in line])
    heights = through("y1", [y for _, y in above]) + through("y2", [y for _, y in line])
    made.add(
        f'<line class="moves" stroke="{INKS["sum"]}" stroke-width="4" x1="{line[-1][0]}" '
        f'x2="{line[-1][0]}" y1="{above[-1][1]}" y2="{line[-1][1]}">{across}{heights}</line>'
    )
    return made
