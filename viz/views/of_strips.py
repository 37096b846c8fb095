"""The pictures of a strip: none of its slots open, and each of them.

The boxes of the strip come first in each picture, so that they have the same numbers in all of
them; those of the open slot are numbered on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..layout.labels import FONT_SIZE, Label, head_width
from ..layout.strip import Strip, strip_layout
from ..layout.types import Graph, Layout
from ..picture.svg import svg
from ..trace.trace import Step, Trace
from .pictured import PartOfTape, Picture
from .strips import opens_at_once, slot_labels, strip_name, weights_of

ENLARGED = 1.2  # room for a name that still has 11 pixels where the player shrinks a strip
WIDEST = 1_480.0  # of a strip with an open slot: it fits a window of 1400 pixels


def with_strip(
    trace: Trace,
    strip: Strip,
    whole: PartOfTape,
    parts: Sequence[PartOfTape],
    drawn: Sequence[Picture],
) -> list[Picture]:
    """Put strips in place of the whole's picture and of those of its slots."""
    inner = {i: _without(strip, whole, parts[whole.opens[i] - 1]) for i in strip.slots}
    weights = weights_of(trace, {i: whole.members[i] for i in strip.slots})
    sheets = [_sheet(strip, whole, weights, slot, part) for slot, part in inner.items()]
    # All of one size, so that nothing jumps from slot to slot.
    width, height = (max(getattr(s.placed, side) for s in sheets) for side in ("width", "height"))
    found = list(drawn)
    found[0] = _picture(strip, whole, _sheet(strip, whole, weights), weights)
    for sheet in sheets:
        placed = replace(sheet.placed, width=width, height=height)
        found[whole.opens[sheet.slot]] = _picture(
            strip, whole, replace(sheet, placed=placed), weights
        )
    few = all(opens_at_once(whole.view, part.view) for part in inner.values())
    if few and width <= WIDEST:
        found[0] = replace(found[0], start=whole.opens[strip.slots[0]])
    return found


def _without(strip: Strip, whole: PartOfTape, part: PartOfTape) -> PartOfTape:
    """The inside of a slot without what stands above the strip; what comes in says from where."""
    above = {whole.members[i] for i in strip.above}
    kept = [box for box, members in enumerate(part.members) if members not in above]
    place = {box: i for i, box in enumerate(kept)}
    own = [part.view.trace.nodes[box] for box in kept]
    nodes = [
        replace(node, id=i, inputs=tuple(place[each] for each in node.inputs if each in place))
        for i, node in enumerate(own)
    ]
    trace = part.view.trace.part(nodes=tuple(nodes), steps=(), targets=(), sources=())
    members = tuple(part.members[box] for box in kept)
    within = set(part.within)
    froms = {
        node: whole.labels[i].title for i in strip.slots for node in whole.members[i]
        if node not in within
    }  # fmt: skip
    labels = [_coming(part.labels[box], froms.get(part.members[box][-1])) for box in kept]
    opens = {place[box]: number for box, number in part.opens.items()}
    return replace(
        part, view=replace(part.view, trace=trace), labels=tuple(labels), members=members,
        opens=opens,
    )  # fmt: skip


def _coming(label: Label, slot: str | None) -> Label:
    """The label of what comes into a slot from another one: from where instead of its shape."""
    if slot is None:
        return label
    width = max(label.width, ENLARGED * head_width(label.title, slot, ""))
    return replace(label, note=slot, shape="", width=width)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A strip with the inside of one slot below it, laid out; without one, `slot` is -1."""

    slot: int
    part: PartOfTape | None
    trace: Trace
    labels: list[Label]
    placed: Layout


def _sheet(
    strip: Strip,
    whole: PartOfTape,
    weights: dict[int, int],
    slot: int = -1,
    part: PartOfTape | None = None,
) -> _Sheet:
    titles = [whole.labels[i].title for i in strip.slots]
    labels = slot_labels(whole.labels, strip, bool(weights))
    trace, outer, inner = whole.view.trace, _graph(whole.view.trace, labels), None
    if part is not None:
        trace = _together(trace, part.view.trace)
        inner = _graph(part.view.trace, part.labels)
        labels += part.labels
    name = part.name if part else ""
    placed = strip_layout(outer, strip, strip_name(titles), inner, name)
    return _Sheet(slot, part, trace, labels, placed)


def _picture(strip: Strip, whole: PartOfTape, sheet: _Sheet, weights: dict[int, int]) -> Picture:
    """Draw a sheet."""
    drawing = svg(sheet.trace, sheet.placed, miniatures=False, texts=sheet.labels)
    titles = tuple(label.title for label in sheet.labels)
    part, shift = sheet.part, len(whole.labels)
    if part is None:
        drawing = drawing.replace("</style>", f"{_still(sheet.placed.width)}</style>", 1)
        return Picture(
            "", drawing, whole.members, whole.opens, titles, slots=strip.slots, weights=weights
        )
    return Picture(
        part.name, drawing, (*whole.members, *part.members),
        {box + shift: number for box, number in part.opens.items()}, titles, slots=strip.slots,
        slot=sheet.slot, weights=weights,
    )  # fmt: skip


def _still(width: float) -> str:
    """Rules for what stands there without a script, shrunk to a column of text of 800 pixels.

    Names have 10 of them, without notes and shapes; a sign whose miniature the player draws waits.
    """
    size = max(FONT_SIZE, width / 80)
    hidden = '#minitape :is(.n > text:not([class]), .c:not([x="12"]))'
    return f"#minitape .t{{font-size:{size:.4g}px}}{hidden}{{display:none}}"


def _graph(trace: Trace, labels: Sequence[Label]) -> Graph:
    count = len(trace.nodes)
    sizes = tuple((label.width, label.height) for label in labels[:count])
    return Graph(tuple(node.inputs for node in trace.nodes), sizes)


def _together(first: Trace, second: Trace) -> Trace:
    """Two traces as one, the nodes of the second numbered on."""
    shift = len(first.nodes)
    nodes = [
        replace(node, id=node.id + shift, inputs=tuple(i + shift for i in node.inputs))
        for node in second.nodes
    ]
    steps = [Step("accumulate", s.node + shift, total=s.total, old=s.old) for s in second.steps]
    return first.part(
        nodes=(*first.nodes, *nodes), steps=(*first.steps, *steps),
        targets=(*first.targets, *(i + shift for i in second.targets)),
        sources=(*first.sources, *(i + shift for i in second.sources)),
    )  # fmt: skip
