"""What the hall shows of each step: its scene as a tree of elements, with every text written.

A tree is a text, or a list of its element's name and class, attributes if it has any, and trees.
Three are made by the page: a `number` with what it is, a `curve`, which stands among those that
steps share, and `marks`, of an array that the page has. See `hall.js`, `hall.css`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.adorned import adorned
from ..base.numbers import short
from ..base.spoken import Tree
from ..record.notation import to_mathml, to_text
from ..views.chapters import largest
from .paths import paths
from .scene.claims import Number, equal, exact
from .scene.front import front
from .scene.naming import tidy
from .scene.parts import Marked
from .scene.pictures import POINTS, Shown
from .scene.sentences import ticked
from .scene.summary import Summaries, few, lengths

if TYPE_CHECKING:
    from ..trace.arrays import Array
    from ..trace.trace import Node, Step
    from .scene import working
    from .scene.front import Front
    from .scene.parts import Claim, Curve, Explained, Fall, Gradient, Meet, Summary, Term
    from .scene.sentences import Runs
    from .scene.steps import PageStep, Scenes

HIGH = 300  # parts of the height of a curve's box
MIDDLE = POINTS // 2  # its width is counted in points
FAR = 3 * HIGH  # a curve that leaves its box is followed so far
NEAR = 0.9  # parts that a curve's points may lie from the line that is drawn
MOST_BARS = 9  # that explain the sizes of gradients
MOST_FACTORS = 30  # letters of a product beside a bar
MOST_FALLS = 8  # contributions of which each is drawn
MOST_SOURCES = 4  # gradients on the last page
MOST_NAMED = 3  # elements of one array in an equation, each with its name
MOST_WITH_CURVE = 2  # arrays beside a curve
HIGH_AND_NARROW = 3  # times as high as wide: it is turned
MOST_LINES = 8  # of a program on a page, where more have a pane of their own
COUNTED = re.compile(r"(?:at most )?([\d.,]+(?: [kMG]?B)?) (?!paths?$)(.*)")

NEXT = "Press the right arrow key, or press here"
KEYS = "← goes back · Space plays · Home and End jump · dotted words say what they mean"

Plain = dict[str, Any]
Place = Callable[["Array | None"], "int | None"]


class Hall:
    """Writes the scenes of one trace for a page.

    Args:
        scenes: of the trace.
        place: gives the position of an array among those of the page.
        called: says what a node is called there.
    """

    def __init__(self, scenes: Scenes, place: Place, called: Callable[[Node], str]) -> None:
        self.scenes = scenes
        self.called = called
        self.place = place
        self.curves: list[Tree] = []
        self._places: dict[tuple[Any, ...], int] = {}
        self._pulls: dict[int, int] = {}
        for step in scenes.steps:
            if step.kind == "pull" and step.to is not None:
                self._pulls[step.to] = self._pulls.get(step.to, 0) + 1

    def step(self, step: Step, page: PageStep) -> Plain:
        """The scene of a step; `said` is how many characters of its sentence are said."""
        scene, _ = page
        fields = {
            "said": len(ticked(scene.sentence)) if scene.claim is not None else 0,
            "ask": ticked(scene.ask),
            "look": self._look(step, page),
        }
        return {name: value for name, value in fields.items() if value}

    def _look(self, step: Step, page: PageStep) -> list[Tree]:
        scene, worked = page
        shown: list[Tree] = []
        if scene.claim is not None:
            meet = scene.meet
            shown.append(_equation(scene.claim) if meet is None else _meeting(meet, scene.claim))
        arrays = self.scenes.pictures.arrays(step)
        figures: list[Tree] = []
        if bars := self._bars(step, worked):
            figures.append(bars)
        elif len(arrays) <= MOST_WITH_CURVE and scene.meet is None:
            figures += filter(None, [self._curve(step, worked)])
        if fall := self._fall(step, scene.number):
            figures.append(fall)
        elif not bars and (row := self._row(arrays[-1:] if scene.meet else arrays, worked)):
            figures.append(row)
        return [*shown, ["div.figures", *figures]] if figures else shown

    def ends(self) -> Plain:
        """What stands before the first step and behind the last one, and the curves."""
        summaries = Summaries(self.scenes)
        summary = summaries.made()
        last = {
            "ask": ticked(summary.answer),
            "look": self._last(summary),
            "more": [["div.cost", *_cost(summary.facts)]],
            "paths": adorned("paths", lambda: paths(summaries, self.called), {}),
        }
        return {
            "first": _first(front(self.scenes)),
            "last": {name: value for name, value in last.items() if value},
            "curves": self.curves,
        }

    def _last(self, summary: Summary) -> list[Tree]:
        """The result, what arrived, and the one picture that explains its sizes.

        Gradients that are numbers stand in one line with the result, others beside the picture.
        """
        trace = self.scenes.trace
        ends = trace.targets if trace.carries == "tangents" else trace.sources
        arrived = list(zip(ends, summary.gradients, strict=True))
        shown = sorted(sorted(arrived, key=self._first)[:MOST_SOURCES], key=arrived.index)
        explained = _explained(summary.explained)
        more = f" · {len(shown)} of {len(ends)} {summary.carries}s are shown"
        result = ["p", ["code", summary.result], *([more] if len(ends) > len(shown) else [])]
        names = {source: f"{summary.carries} of {each.name}" for source, each in shown}
        if explained and not any(each.shape for _, each in shown):
            numbers = [["number.sum", each.text, names[source]] for source, each in shown]
            line = ["div.last", result, ["div.equation fits", *numbers]]
            return [line, ["div.figures", explained]]
        figures: list[Tree] = []
        for source, each in shown:
            array = trace.gradients.get(source)
            if each.shape and array is not None and array.size:
                figures += self._row([Shown(names[source], "sum", array, "", source)])[1:]
            else:
                name = ["figcaption", ["code", names[source]]]
                look = "b.large" if array is None else "b.large sum"
                figures.append(["figure", name, [look, each.text]])
        if explained:
            figures = [["div.ends", *figures], explained]
        return [result, ["div.figures", *figures]]

    def _first(self, arrived: tuple[int, Gradient]) -> float:
        """What is None or not finite comes first, and then the largest."""
        array = self.scenes.trace.gradients.get(arrived[0])
        return -largest(array) if array is not None and array.finite else -math.inf

    def _row(self, arrays: Sequence[Shown], worked: working.Worked | None = None) -> Tree:
        """Arrays as marks; high and narrow ones are turned, all together."""
        shown = [each for each in arrays if each.array is not None and each.array.size]
        if not shown:
            return None
        shapes = [each.array.shape for each in shown if each.array is not None]
        flat = all(len(s) < 3 for s in shapes) and all(e.array and e.array.is_whole for e in shown)
        turns = flat and any(len(s) > 1 and s[0] > HIGH_AND_NARROW * s[1] for s in shapes)
        row: list[Tree] = ["div.arrays"]
        for each, shape in zip(shown, shapes, strict=True):
            turned = turns and len(shape) > 1
            answer = ".answer" if worked and each is arrays[-1] and len(shown) > 1 else ""
            marks = [f"marks{answer}", each.caption, self.place(each.array), each.node, each.role]
            if worked and each is arrays[-1] and worked.shape == shape:
                at = worked.element
                marks.append(at % shape[1] * shape[0] + at // shape[1] if turned else at)
            row.append(
                [*marks, *([-1] if turned and len(marks) < 6 else []), *([1] if turned else [])]
            )
        return row

    def _bars(self, step: Step, worked: working.Worked) -> Tree:
        """Probabilities and the truth; on the way back each less the truth, as a true equation."""
        found = self.scenes.pictures.example(step, worked)
        if found is None:
            return None
        label, shares, wanted, left = found
        rows: list[Tree] = []
        for at in range(len(shares)):
            share, truth = exact(shares, (at,)), exact(wanted, (at,))
            texts: list[Tree] = [["b.value", short(share)]]
            if step.kind == "pull":
                less = equal(
                    [Number(share, "value"), " − ", Number(truth, "value")],
                    Number(exact(left, (at,)), "slope"), shares.dtype.name, lambda x, y: x - y,
                )  # fmt: skip
                texts += [["b"], ["b"]]
                if less is not None:
                    (first, _, second), result = less.left, less.right
                    texts = [
                        ["b.value", first.text], ["b", f"− {second.text} {less.sign}"],
                        ["b.slope answer", result.text],
                    ]  # fmt: skip
            bars = [_bar("value", 0.0, share, 0.0, 1.0), _bar("frame", 0.0, truth, 0.0, 1.0)]
            rows += [["span", f"class {at}"], ["div", *bars[: 1 + bool(truth)]], *texts]
        caption = ["figcaption", f"{label}: probabilities; framed: the truth"]
        return ["figure", caption, _compared(rows, len(shares), len(texts))]

    def _fall(self, step: Step, number: int) -> Tree:
        """What has arrived at a number, and what will."""
        to = step.to if step.kind == "pull" else step.node
        if self._pulls.get(to if to is not None else -1, 0) not in range(2, MOST_FALLS + 1):
            return None
        fall = self.scenes.pictures.fall(step, number - 1, self.scenes.steps)
        if fall is None or not math.isfinite(sum(abs(row.value) for row in fall.rows)):
            return None
        return _fallen(fall)

    def _curve(self, step: Step, worked: working.Worked) -> Tree:
        """A curve, the place on it, and of a step back the slope there."""
        curve = self.scenes.pictures.curve(step, worked)
        if curve is None or len(curve.x) < 2:
            return None
        key = (curve.x, curve.y, curve.at)
        box = _Box(curve)
        if key not in self._places:
            self._places[key] = len(self.curves)
            names = [curve.up, curve.texts[1], curve.along, curve.texts[0]]
            self.curves.append([*names, *_drawn(curve, box)])
        slope: list[Tree] = []
        if curve.slope is not None and np.isfinite(curve.slope):
            y, half = box.up(curve.at[1]), MIDDLE * curve.slope * box.width * HIGH / box.high
            slope = [
                short(curve.slope),
                *(round(v) for v in np.clip([y + half, y - half], -1e6, 1e6)),
            ]
        return ["curve", self._places[key], *slope]


def _first(page: Front) -> Plain:
    """The first page; `more` is for readers who are alone with it."""
    look = "pre.long" if len(page.lines) > MOST_LINES else "pre"
    program = [[look, "\n".join(page.lines)]] if page.lines else []
    said = [["p", *_said(each)] for each in (*page.nudges, page.says) if each]
    made = [(to_mathml(each), tidy(to_text(each))) for each in page.formulas]
    formulas = [["div.formulas", *(["p", ["formula", *each]] for each in made)]] if made else []
    colours = [
        [f"div.{each.role}", ["b", f"{each.colour}: {each.name}"], ["p", *_said(each.says)]]
        for each in page.colours
    ]
    key = ["button.next", {"data-do": "forward"}, ["kbd", "→"], ["b", NEXT], ["small", KEYS]]
    return {
        "ask": ticked(page.ask),
        "look": [["div.fits", *program, *said]],
        "more": [*formulas, ["div.colours", *colours], key],
        "words": page.words,
    }


def _cost(facts: Sequence[str]) -> list[Tree]:
    """What it took: numbers in large type, each with what it counts; paths stand above."""
    found = [COUNTED.match(fact) for fact in facts]
    return [["p", ["b", each[1]], ["span", each[2]]] for each in found if each]


def _said(runs: Runs) -> list[Tree]:
    """A sentence as trees: names, numbers with their roles, and words that can be pressed."""
    found: list[Tree] = []
    for run in runs:
        tree: Tree = ["code", run.text] if run.math else run.text
        if isinstance(run, Marked) and run.word:
            tree = ["button.word", {"data-do": "define", "data-word": run.word}, run.text]
        elif isinstance(run, Marked):
            tree = [f"b.{run.role}", run.text]
        found.append(tree)
    return found


def _equation(claim: Claim) -> Tree:
    """An equation in large type: numbers, what each of them is, signs."""
    terms = [["i", each.text] if each.role == "sign" else _number(each) for each in claim.left]
    named = [term for term in terms if len(term) > 2 and term[2].endswith("]")]
    if len(named) > MOST_NAMED and len({_split(term[2])[0] for term in named}) == 1:
        for term in named[1:]:
            term[2] = _split(term[2])[1]  # elements of one array: it is named once
    note = [["small", claim.note]] if claim.note else []
    return [
        "div.equation fits",
        *terms,
        ["i", claim.sign],
        ["span.answer", _number(claim.right), *note],
    ]


def _split(label: str) -> tuple[str, str]:
    """The name of an array, and which element: `x` and `[0, 2]`."""
    at = label.rfind("[") if label.endswith("]") else 0
    return label[:at], label[at:]


def _number(term: Term) -> Tree:
    return [f"number.{term.role}", term.text, *([term.under] if term.under else [])]


def _meeting(meet: Meet, claim: Claim) -> Tree:
    """What meets in an element: factors above each other, their products below, and the sum."""
    rest = [["td"], ["td", "…"]] if meet.more else []
    rows: list[list[Tree]] = [
        ["tr", ["th"]], ["tr", ["th", meet.left]], ["tr", ["th", meet.right]],
        ["tr", ["th", "products, added"]],
    ]  # fmt: skip
    for column in meet.columns:
        first, times, second = column.claim.left
        rows[0] += [["td"], ["th", _split(column.label)[1]]]
        rows[1] += [["td"], [f"td.{first.role}", first.text]]
        rows[2] += [["td", times.text], [f"td.{second.role}", second.text]]
    if meet.more:
        rows[0] += [["td"], ["th", f"{meet.more} more"]]
    rows[1] += rest
    rows[2] += rest
    sums = [term for term in claim.left if term.role != "sign"]
    for i, term in enumerate(sums):
        rows[3] += [["td", "+" if i else ""], ["td", term.text]]
    rows[3] += [["td", claim.sign], [f"td.answer {claim.right.role}", claim.right.text]]
    return ["table.meeting fits", *rows]


def _fallen(fall: Fall) -> Tree:
    ends = np.cumsum([0.0, *(row.value for row in fall.rows if row.state != "todo")])
    low, high = min(0.0, float(ends.min())), max(0.0, float(ends.max()))
    rows: list[Tree] = []
    for at, row in enumerate(fall.rows):
        if row.state == "todo":
            rows += [["span", row.label], _track(low, high), ["b.todo", "not yet"]]
            continue
        look = "gradient" + " pending" * (not row.counted) + " answer" * (row.state == "now")
        bar = _bar(look, float(ends[at]), float(ends[at + 1]), low, high)
        answer = " answer" * (row.state == "now")
        rows += [["span", row.label], _track(low, high, bar), [f"b.gradient{answer}", row.text]]
    counted = sum(row.counted for row in fall.rows)
    whole = counted == len(fall.rows)
    total = _bar("sum" if whole else "gradient", 0.0, float(ends[counted]), low, high)
    rows += [["span", "complete" if whole else "so far"], _track(low, high, total), ["b"]]
    caption = ["figcaption", "arrives at ", ["code", fall.of]]
    return ["figure", caption, _compared(rows, len(fall.rows) + 1, 1)]


def _explained(found: Sequence[Explained]) -> Tree:
    """Paths, rounds or layers as bars; where several sources have them, the most of them."""
    explained = max(found, key=lambda each: len(each.bars), default=None)
    if explained is None or not math.isfinite(sum(abs(bar.value) for bar in explained.bars)):
        return None
    bars, claim, sizes = explained.bars, explained.claim, lengths(explained)
    if len(bars) == 1 and bars[0].claim is None:
        return None  # one bar compares nothing
    # Parts of a sum begin where the one before ends; others begin at zero.
    ends = np.cumsum([0.0, *(bar.value for bar in bars)]).tolist() if claim else []
    spans = list(pairwise(ends))
    if not spans:
        spans = [(0.0, math.copysign(n, bar.value)) for n, bar in zip(sizes, bars, strict=True)]
    low, high = min(0.0, *map(min, spans)), max(0.0, *map(max, spans))
    rows: list[Tree] = []
    last = -1
    for at in few(bars, MOST_BARS):
        if at > last + 1 and claim:
            gap = _bar("gradient pending", ends[last + 1], ends[at], low, high)
            rows += [
                ["span", f"{at - last - 1} more"], _track(low, high, gap),
                ["b"], ["b.gradient", short(ends[at] - ends[last + 1])],
            ]  # fmt: skip
        elif at > last + 1:
            rows += [["span", "…"], ["div"], ["b"], ["b"]]
        last = at
        bar, own = bars[at], bars[at].claim
        factors = "".join(term.text for term in own.left) + f" {own.sign}" if own else ""
        result = own.right.text if own else bar.text
        rows += [
            ["span", bar.label], _track(low, high, _bar("gradient", *spans[at], low, high)),
            ["b", factors if len(factors) <= MOST_FACTORS else ""], ["b.gradient", result],
        ]  # fmt: skip
    if claim:
        whole = _track(low, high, _bar("sum", 0.0, ends[-1], low, high))
        rows += [["span", "together"], whole, ["b"], ["b.sum", claim.right.text]]
    axis = " (bars: logarithmic)" if explained.kind == "layers" else ""
    caption = ["figcaption", f"{explained.title}{axis}"]
    return ["figure", caption, _compared(rows, len(rows) // 4, 2)]


def _compared(rows: list[Tree], count: int, columns: int) -> Tree:
    return ["div.compared", {"style": f"--columns:{columns};--rows:{count}"}, *rows]


def _track(low: float, high: float, *bars: Tree) -> Tree:
    """The room of a bar, with the line of zero."""
    return ["div", {"style": f"--zero:{-low / ((high - low) or 1):.2%}"}, *bars]


def _bar(look: str, start: float, end: float, low: float, high: float) -> Tree:
    span = (high - low) or 1.0
    left, width = (min(start, end) - low) / span, abs(end - start) / span
    look += " minus" if end < start else ""
    return [f"i.{look}", {"style": f"left:{left:.1%};width:{width:.1%}"}]


class _Box:
    """Where a curve is drawn: the recorded place in the middle, and zero between top and bottom."""

    def __init__(self, curve: Curve) -> None:
        ys = np.array(curve.y)
        low, high = float(ys.min()), float(ys.max())
        inner_low, inner_high = np.quantile(ys, [0.1, 0.9])
        if high - low > 4 * (inner_high - inner_low) > 0:  # it has a pole
            spread = inner_high - inner_low
            low, high = max(low, inner_low - spread), min(high, inner_high + spread)
        low, high = min(low, curve.at[1], 0.0), max(high, curve.at[1], 0.0)
        pad = 0.08 * (high - low) or 1.0
        self.middle = curve.at[0]
        self.width = float(np.min(np.diff(curve.x)))  # of a part
        self.top, self.high = high + pad, high - low + 2 * pad

    def across(self, x: Any) -> Any:
        """A place in x, in parts from the left."""
        return (np.asarray(x) - self.middle) / self.width + MIDDLE

    def up(self, y: Any) -> Any:
        """A value, in parts from above."""
        share = (self.top - np.asarray(y)) / self.high
        return np.rint(np.clip(share * HIGH, -FAR, FAR)).astype(int)


def _drawn(curve: Curve, box: _Box) -> list[Tree]:
    """Both axes, the curve, and how high the recorded place is."""
    xs, ys = np.rint(box.across(curve.x)).astype(int), box.up(curve.y)
    # A gap in x, or a leap from below the box to above it, is no line.
    gaps = (np.diff(xs) > 1) | (np.abs(np.diff(ys)) > 1.5 * HIGH)
    pieces = np.split(np.arange(len(xs)), np.flatnonzero(gaps) + 1)
    lines = "".join(_line(xs[piece], ys[piece]) for piece in pieces if len(piece) > 1)
    axes = f"M0 {box.up(0.0)}H{2 * MIDDLE}M{box.across(0.0):.3g} 0V{HIGH}"
    return [axes, lines, int(box.up(curve.at[1]))]


def _line(xs: Any, ys: Any) -> str:
    """The points of a line that are needed to draw it, each by its distance from the last one."""
    kept = _needed(xs, ys)
    moves = np.stack([np.diff(xs[kept]), np.diff(ys[kept])], axis=1)
    return f"M{xs[0]} {ys[0]}l{' '.join(f'{x} {y}' for x, y in moves)}"


def _needed(xs: Any, ys: Any) -> list[int]:
    """The others lie on the line between these."""
    kept, open_ = {0, len(xs) - 1}, [(0, len(xs) - 1)]
    while open_:
        first, last = open_.pop()
        if last - first < 2:
            continue
        inner = slice(first + 1, last)
        straight = np.interp(xs[inner], [xs[first], xs[last]], [ys[first], ys[last]])
        away = np.abs(ys[inner] - straight)
        if away.max() > NEAR:
            far = first + 1 + int(away.argmax())
            kept.add(far)
            open_ += [(first, far), (far, last)]
    return sorted(kept)
