"""Puts a step on a sheet: its sentence, the graph, and how the numbers come about.

Texts are as large as the sheet has room for, from 12 points down to 9 on paper; nothing is cut. A
sheet whose height cannot hold its texts is made as high as they need.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...base.adorned import adorned
from ...export.items import Item, Look, Rect, Run, Sheet
from ...export.waiting import counted
from ...trace.pictured import tiles
from ..scene.parts import Claim, Scene, phase
from ..scene.sentences import breaks_of, text_of
from ..scene.steps import Scenes
from .blocks import GREY, LINE, SMALLEST, Block, beside, expression, paragraph, stacked, text, width
from .equations import equation, products
from .graph import MARGIN, Graphs
from .matrices import Drawings, Part, parts_of, row
from .pictures import bars, curve, fall
from .reasons import reasons

SHOWS = ("sentence", "graph", "proof")
SIZES = (24.0, 22.0, 20.0, 18.0, 17.0, 16.0, 15.0, 14.0, 13.0, 12.0)
ON_PAPER = (14.0, 13.0, 12.0)
LARGEST_WORDS = 20.0  # of a reason
HUES = {
    "forward": "blue", "seed": "orange", "pull": "orange", "push": "orange", "accumulate": "green",
    "unconnected": "purple",
}  # fmt: skip
GRAPH_SHARE, GRAPH_MOST = 0.36, 0.44  # of a sheet's width
STRIP_SHARE = 0.4  # of its height, for the rounds of a loop in a row
NARROW = 760.0  # a sheet without a height that is narrower has its graph above the proof
WORDS = {" + ": " plus ", " − ": " minus ", "·": " times ", "/": " divided by "}
SIGNS = {"=": "is", "≈": "is about", "wraps to": "wraps to", "is": "is"}


@dataclass(frozen=True, slots=True)
class Way:
    """How a step is laid out.

    Attributes:
        least: how small the digits of its arrays may be.
        folds: whether the row of arrays may have two lines.
        pictured: whether the curve is drawn.
    """

    least: float
    folds: bool = False
    pictured: bool = True


SMALL = 11.0  # pixels: digits that are smaller are for paper
LAST_WAYS = (Way(SMALLEST), Way(SMALLEST, pictured=False))
PAPER_WAYS = LAST_WAYS
SLIDE_WAYS = (
    Way(SMALL), Way(SMALL, folds=True), Way(SMALL, pictured=False),
    Way(SMALL, folds=True, pictured=False), *LAST_WAYS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """How large a sheet is, and what is on it; without a height it is as high as it needs."""

    width: float
    height: float | None
    shows: tuple[str, ...] = SHOWS

    @property
    def margin(self) -> float:
        """Around everything; a picture in a paper has that of the paper."""
        return max(8.0, self.width / 54) if self.height else 2.0

    @property
    def sentence(self) -> float:
        """The size of the sentence."""
        return min(22.0, max(12.0, self.width / 58))


class Sheets:
    """The sheets of one trace.

    Args:
        scenes: the steps.
        size: of each sheet.
    """

    def __init__(self, scenes: Scenes, size: Size) -> None:
        self.scenes = scenes
        self.size = size
        self.forms = adorned("small pictures", lambda: tiles(scenes.trace), {})
        self.graphs = Graphs(scenes.trace, self.forms)

    def of(self, steps: Sequence[int], element: int | None = None) -> list[Sheet]:
        """The sheets of some steps, laid out together: their graphs begin at one height."""
        scenes = [self.scenes.scene(number, element) for number in steps]
        room = self.size.width - 2 * self.size.margin
        heads = [self._head(scene, room) for scene in scenes]
        highest = max(head.height for head in heads) if self.size.height else 0.0
        return [
            self._sheet(scene, head, max(head.height, highest))
            for scene, head in counted(list(zip(scenes, heads, strict=True)), len(scenes), "step")
        ]

    def _head(self, scene: Scene, room: float) -> Block:
        """The kind of the step, its sentence, and the line of the program."""
        if "sentence" not in self.size.shows:
            return Block("head", 0.0, 0.0, ())
        size = self.size.sentence
        hue = HUES.get(scene.kind, "ink")
        word = Run(phase(scene.kind, self.scenes.trace), bold=True, colour=hue)
        small = max(0.68 * size, 9.4)
        wide, high = width(word, small) + 1.6 * small, 1.75 * small
        down = (LINE * size - high) / 2
        middle = down + (high - 1.25 * small) / 2
        pill: list[Item] = [
            Rect(0.75, down, wide, high, Look("paper", hue, 1.5), high / 2),
            text(wide / 2 + 0.75, middle, word, small, "middle"),
        ]
        left = wide + 0.6 * size
        runs = [
            run
            for each in scene.sentence
            for run in (expression(Run(each.text, "mono", True)) if each.math else [Run(each.text)])
        ]
        said = paragraph("sentence", runs, size, room - left)
        items: list[Item] = [
            Block("kind", wide, high, tuple(pill)).at(0.0, 0.0),
            said.at(left, 0.0),
        ]
        bottom = max(said.height, LINE * size)
        line = Run(scene.line, "mono", colour=GREY)
        if scene.line and width(line, small) <= room - left:
            items.append(text(left, bottom + 2, line, small))
            bottom += LINE * small + 2
        return Block("head", room, bottom, tuple(items))

    def _sheet(self, scene: Scene, head: Block, head_high: float) -> Sheet:
        size, margin = self.size, self.size.margin
        gap = max(10.0, margin * 0.6)
        top = margin + (head_high + gap if head.items else 0.0)
        room = size.width - 2 * margin
        below = None if size.height is None else size.height - margin - top
        items: list[Item] = [head.at(margin, margin)] if head.items else []
        left, bottom = margin, top if head.items else margin
        graph_end = bottom
        has_proof = "proof" in size.shows
        narrow = below is None and size.width < NARROW
        step = self.scenes.steps[scene.number - 1]
        has_graph = "graph" in size.shows
        if has_graph and not narrow:
            row_of_rounds = self.graphs.strip(step, room, (below or size.width) * STRIP_SHARE)
            if row_of_rounds is not None:
                items.append(row_of_rounds.at(margin + (room - row_of_rounds.width) / 2, top))
                top += row_of_rounds.height + gap
                graph_end = top - gap
                below = None if below is None else below - row_of_rounds.height - gap
                has_graph = self.graphs.is_grouped(step)
        if has_graph:
            alone = not has_proof or narrow
            wide = room if alone else room * GRAPH_SHARE
            high = below if below is not None else size.width * (1.1 if alone else 0.6)
            most = room if alone else room * GRAPH_MOST
            graph = self.graphs.block(step, wide, most, high - 2 * MARGIN)
            if graph is not None:
                pane_wide = room if alone else graph.width + 2 * MARGIN
                pane_high = below if below is not None else graph.height + 2 * MARGIN
                items.append(Rect(left, top, pane_wide, pane_high, Look("", "rule", 1.0), 6.0))
                x = left + (pane_wide - graph.width) / 2
                items.append(graph.at(x, top + (pane_high - graph.height) / 2))
                graph_end = top + pane_high
                if alone:
                    top = graph_end + gap
                else:
                    left += pane_wide + 1.5 * gap
        if has_proof:
            proof = self._proof(scene, size.width - margin - left, below)
            items.append(proof.at(left, top))
            bottom = top + proof.height if proof.items else top - gap * narrow
        bottom = max(bottom, graph_end)
        height = bottom + margin
        if size.height is not None:
            height = max(size.height, height)
        return Sheet(
            size.width, math.ceil(height), tuple(items), text_of(scene.sentence), notes(scene),
            seconds(scene),
        )  # fmt: skip

    def _proof(self, scene: Scene, room: float, high: float | None) -> Block:
        if scene.kind == "unconnected":
            return self._reasons(scene, room, math.inf if high is None else high)
        parts = parts_of(self.scenes, scene, self.forms)
        largest = max(12.0, room / (38 if parts else 30))
        sizes = ON_PAPER if high is None else [size for size in SIZES if size <= largest]
        limit = math.inf if high is None else high
        spare: Block | None = None
        drawings: Drawings = {}
        for way in PAPER_WAYS if high is None else SLIDE_WAYS:
            for size in sizes:
                for stacking in (True, False):
                    block, whole = _laid_out(
                        scene, parts, room, size, limit, way, stacking, drawings
                    )
                    fits = block.height <= limit and block.width <= room + 0.01
                    if fits and whole:
                        return block
                    if fits and spare is None and way in LAST_WAYS:
                        spare = block
            if spare is not None:
                return spare
        return _laid_out(scene, parts, room, sizes[-1], math.inf, LAST_WAYS[-1], True, drawings)[0]

    def _reasons(self, scene: Scene, room: float, high: float) -> Block:
        """Why a gradient is None, in the largest letters that fit."""
        step = self.scenes.steps[scene.number - 1]
        found = adorned("reasons", lambda: breaks_of(self.scenes.trace, step), [])
        sizes = ON_PAPER if high == math.inf else [each for each in SIZES if each <= LARGEST_WORDS]
        drawn = (reasons(found, step, room, size) for size in sizes)
        return next((each for each in drawn if each.height <= high), None) or reasons(
            found, step, room, sizes[-1]
        )


def _laid_out(
    scene: Scene, parts: Sequence[Part], room: float, size: float, high: float, way: Way,
    stacking: bool, drawings: Drawings,
) -> tuple[Block, bool]:  # fmt: skip
    """Everything that a step has besides its sentence, in letters of a size."""
    gap = size * 0.9
    known: set[str] = set()
    blocks: list[Block] = []
    if scene.meet is not None and scene.meet.columns:
        blocks.append(products(scene.meet, room, size))
        known = {column.label for column in scene.meet.columns}
    if scene.claim is not None:
        larger = size * (1.0 if parts else 1.25)
        blocks.append(equation(scene.claim, scene.element, room, larger, known))
    drawn = _pictures(scene, room, size, way.pictured, stacking)
    across = sum(each.width for each in drawn) + 2 * gap * (len(drawn) - 1)
    if drawn and not stacking and across <= room:
        drawn = [beside("pictures", drawn, 2 * gap)]
    elif len(drawn) == 1 and scene.curve is not None and way.pictured and not parts:
        spare = high - sum(each.height + gap for each in blocks)  # a number leaves room
        drawn = [curve(scene.curve, room, size, spare) or drawn[0]]
    blocks += drawn
    whole = True
    if parts:
        used = sum(each.height + gap for each in blocks)
        arrays, whole = row(parts, room, size, high - used, way.least, way.folds, drawings)
        blocks.insert(0, arrays)
    return stacked("proof", blocks, gap), whole


def _pictures(
    scene: Scene, room: float, size: float, pictured: bool, stacking: bool
) -> list[Block]:
    """The curve last, which says least that is not said elsewhere."""
    drawn = curve(scene.curve, room, size) if pictured and scene.curve is not None else None
    found = [] if drawn is None else [drawn]
    left = room if stacking or drawn is None else room - drawn.width - 1.8 * size
    if scene.bars is not None:
        found.insert(0, bars(scene.bars, room, size))
    if scene.fall is not None:
        found.insert(0, fall(scene.fall, max(left, 12 * size), size))
    return found


# What is said besides, and how long one reads it.


def in_words(claim: Claim) -> str:
    """An equation as it is read aloud.

    Example:
        >>> from minitape.viz.player.scene.parts import Term
        >>> in_words(Claim((Term("2.0"), Term("·"), Term("1.5")), Term("3.0")))
        '2.0 times 1.5 is 3.0'
    """
    left = "".join(WORDS.get(term.text, term.text) for term in claim.left)
    note = f" ({claim.note})" if claim.note else ""
    return f"{left} {SIGNS[claim.sign]} {claim.right.text}{note}"


def notes(scene: Scene) -> str:
    """The sentence, and its sum in words."""
    lines = [text_of(scene.sentence)]
    if scene.meet is not None:
        lines += [in_words(column.claim) + "." for column in scene.meet.columns]
    if scene.claim is not None:
        where = f"Element {scene.element}: " if scene.element else ""
        lines.append(f"{where}{in_words(scene.claim)}.")
    return "\n".join(lines)


def seconds(scene: Scene) -> float:
    """How long one reads a step: its words and its numbers."""
    words = len(text_of(scene.sentence).split())
    numbers = 0 if scene.claim is None else 1 + sum(t.role != "sign" for t in scene.claim.left)
    return round(min(12.0, 1.5 + 0.28 * words + 0.35 * numbers), 1)
