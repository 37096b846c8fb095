"""Bars of what a tape holds after each step: our own SVG, no matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..picture.svg_text import escape, number
from ..picture.theme import DARK, FONT, LIGHT

MAX_BARS = 120
MAX_NAMED = 28
WIDTH, HEIGHT = 640.0, 180.0
LEFT, TOP, BOTTOM = 70.0, 46.0, 96.0


class Bar(NamedTuple):
    """What is held after one step, where records are dropped as the sweep goes, and where not."""

    op: str
    is_forward: bool
    dropped: int
    persistent: int


def picture(bars: Sequence[Bar], persistent: bool) -> str:
    """Draw the bars, forward steps first; outlines are the persistent tape, fills the other."""
    return "".join(_parts(thinned(bars), persistent))


def thinned(bars: Sequence[Bar]) -> list[Bar]:
    """At most `MAX_BARS` bars: of those that fall together the highest stays."""
    stride = -(-len(bars) // MAX_BARS) if bars else 1
    forward = sum(bar.is_forward for bar in bars)
    parts = (bars[:forward], bars[forward:])
    return [
        max(part[i : i + stride], key=lambda bar: bar.dropped)
        for part in parts
        for i in range(0, len(part), stride)
    ]


def _parts(bars: list[Bar], persistent: bool) -> Iterator[str]:
    width, height = number(LEFT + WIDTH + 20), number(TOP + HEIGHT + BOTTOM)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img"><title>Memory that the tape holds after each step</title>'
        f"<style>{_style()}</style>"
    )
    yield from _legend(persistent)
    most = max((bar.persistent for bar in bars), default=0)
    yield from _axis(most)
    step = WIDTH / max(len(bars), 1)
    wide = step if len(bars) > MAX_NAMED else min(step * 0.82, 44.0)
    for i, bar in enumerate(bars):
        yield _bar("held", LEFT + i * step, wide, bar.dropped, most)
    if len(bars) > MAX_NAMED:
        yield _outline(bars, step, most)
    else:
        for i, bar in enumerate(bars):
            yield _bar("kept", LEFT + i * step, wide, bar.persistent, most)
            yield _name(bar, LEFT + i * step + wide / 2 + 3)
    forward = sum(bar.is_forward for bar in bars)
    yield from _phases(forward, len(bars), step)
    yield "</svg>"


def _style() -> str:
    names = ("paper", "ink", "muted", "edge", "source-line", "now-line")
    light = {name: LIGHT[name] for name in names}
    dark = {name: DARK[name] for name in names}
    return _rules(light) + f"@media(prefers-color-scheme:dark){{{_rules(dark)}}}"


def _rules(colour: dict[str, str]) -> str:
    return (
        f"text{{font:12px {FONT};fill:{colour['muted']}}}"
        f".title{{fill:{colour['ink']};font-weight:700}}"
        f".line{{stroke:{colour['edge']};stroke-width:1}}"
        f".kept{{fill:none;stroke:{colour['now-line']};stroke-width:1.5;stroke-dasharray:4 2}}"
        f".held{{fill:{colour['source-line']}}}"
    )


def _legend(persistent: bool) -> Iterator[str]:
    """Say what fills and outlines are, and which of them this tape is."""
    texts = ["persistent=False", "persistent=True"]
    texts[persistent] += " (this tape)"
    yield f'<rect class="held" x="{number(LEFT)}" y="10" width="14" height="14"/>'
    yield f'<text class="title" x="{number(LEFT + 20)}" y="21">{texts[0]}</text>'
    x = LEFT + 270
    yield f'<rect class="kept" x="{number(x)}" y="10" width="14" height="14"/>'
    yield f'<text class="title" x="{number(x + 20)}" y="21">{texts[1]}</text>'


def _axis(most: int) -> Iterator[str]:
    for share in (0.0, 0.5, 1.0):
        y = number(TOP + HEIGHT * (1 - share))
        yield f'<path class="line" d="M{number(LEFT - 4)} {y}H{number(LEFT + WIDTH)}"/>'
        if share == 0 or most > 1:
            text = f'<text x="{number(LEFT - 8)}" y="{y}" dy="4" text-anchor="end">'
            yield f"{text}{_size(round(most * share))}</text>"


def _size(count: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def _bar(name: str, x: float, width: float, held: int, most: int) -> str:
    height = HEIGHT * held / max(most, 1)
    return (
        f'<rect class="{name}" x="{number(x)}" y="{number(TOP + HEIGHT - height)}" '
        f'width="{number(width)}" height="{number(height)}"/>'
    )


def _outline(bars: list[Bar], step: float, most: int) -> str:
    """One line over all bars: many small outlines would be grey."""
    tops = [number(TOP + HEIGHT * (1 - bar.persistent / max(most, 1))) for bar in bars]
    stairs = "".join(f"V{y}H{number(LEFT + (i + 1) * step)}" for i, y in enumerate(tops))
    return f'<path class="kept" d="M{number(LEFT)} {number(TOP + HEIGHT)}{stairs}"/>'


def _name(bar: Bar, at: float) -> str:
    x, y = number(at), number(TOP + HEIGHT + 14)
    place = f'x="{x}" y="{y}" text-anchor="end" transform="rotate(-40 {x} {y})"'
    return f"<text {place}>{escape(bar.op[:18])}</text>"


def _phases(forward: int, count: int, step: float) -> Iterator[str]:
    y = number(TOP + HEIGHT + BOTTOM - 8)
    for name, first, last in (("forward", 0, forward), ("backward", forward, count)):
        if last > first:
            x = number(LEFT + (first + last) / 2 * step)
            yield f'<text class="title" x="{x}" y="{y}" text-anchor="middle">{name}</text>'
    middle = number(LEFT + forward * step - step * 0.09)
    yield f'<path class="line" d="M{middle} {number(TOP)}V{number(TOP + HEIGHT)}"/>'
