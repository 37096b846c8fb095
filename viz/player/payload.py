"""A trace as the player reads it: small, with every number already written as text.

The player never rounds. `viz.base.numbers.short` writes each number here, once, so page, picture
and sentences agree. Arrays and formulas that occur several times are stored once and referred to by
position; an absent field means "none".
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from ..base.adorned import adorned
from ..base.mathml import check_fragment
from ..base.numbers import short
from ..errors import TraceError
from ..layout.labels import MARKS, MAX_VALUE, is_pictured, printable
from ..trace.arrays import Array
from ..trace.picks import picked
from ..trace.pictured import tiles
from ..trace.trace import Formula, Line, Node, Order, Paths, Step, Term, Trace
from ..trace.wording import sentence
from ..views.chapters import arrivals, chapters, with_the_rest
from ..views.opened import Opened
from .axes import axis_words
from .findings import findings_data
from .hall import Hall
from .scene.parts import phase
from .scene.steps import page_scenes, page_text
from .ways import ways

MAX_CELL = 40
MAX_NAME = 60
LOG_AXIS = 100  # how many times as large the largest of the sizes is that need such an axis
LEVELS = 45  # a mark's side, not its area, is rounded to one of them: at most half a pixel
ZERO = 80  # the character of an exact zero; 45 on either side are printable
NOTHING = "~"  # a block without a finite number

Plain = dict[str, Any]
Item = TypeVar("Item")


class Pool(Generic[Item]):
    """Distinct items in order of first use; a trace repeats most of its arrays."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._places: dict[Item, int] = {}

    def place(self, item: Item | None) -> int | None:
        """Give the position of an item, adding it when it is new; None stays None."""
        if item is None:
            return None
        place = self._places.setdefault(item, len(self.items))
        if place == len(self.items):
            self.items.append(item)
        return place


def payload(trace: Trace, openings: Sequence[Opened] = ()) -> Plain:
    """Give the data of one player.

    Args:
        trace: What was recorded.
        openings: It with each of its fused ops opened.

    Returns:
        JSON values: `nodes`, `ops`, `steps`, `arrays`, `formulas`, `source`, `gradients`,
        `sources`, `title`, `persistent`, `notes`; where fused ops are opened, `insides`; where it
        has tangents, `carries`, their `sign`, `targets`.

    Example:
        >>> from minitape.viz.trace.trace import Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> data = payload(Trace((x,), title="one"))
        >>> data["nodes"][0]["called"], data["arrays"][0]["cells"]
        ('x', ['3.0'])
    """
    packer = _Packer(trace)
    symbolic = {"kind": "graph"} if trace.kind == "graph" else {}
    findings = adorned("findings", lambda: findings_data(trace), None)
    arriving = adorned("what arrives", lambda: _arrivals(trace, packer.chapters), {})
    gradients = {str(node): packer.arrays.place(array) for node, array in trace.gradients.items()}
    return {
        "title": trace.title,
        **symbolic,
        **_carried(trace),
        **_present({"phases": _phases(trace)}),
        "persistent": trace.persistent,
        "notes": list(trace.notes),
        "nodes": [packer.node(node) for node in trace.nodes],
        **_present({"ops": adorned("what ops are like", lambda: _ways(trace, openings), {})}),
        "steps": [packer.step(step) for step in trace.steps],
        "gradients": _present(gradients),
        "sources": list(trace.sources),
        **_present({"findings": findings}),
        **_present({"arrivals": arriving}),
        **_present({"orders": [_order(order) for order in trace.orders]}),
        **_present({"paths": [packer.paths(paths) for paths in trace.paths]}),
        **_present({"insides": [packer.inside(opened) for opened in openings]}),
        **_present({"hall": packer.last()}),
        "source": [
            {"file": block.file, "first": block.first, "lines": list(block.lines)}
            for block in trace.source_text
        ],
        # Last: the pools are full only now.
        "arrays": [_array(array) for array in packer.arrays.items],
        "formulas": [_formula(formula) for formula in packer.formulas.items],
    }


def _ways(trace: Trace, openings: Sequence[Opened]) -> Plain:
    inner = [node for opened in openings for node in opened.trace.nodes]
    return ways([*trace.nodes, *inner])


def called(node: Node) -> str:
    """Say what a node is called: the learner's name, else its op and what that took, else its kind.

    Example:
        >>> called(Node(0, "constant", (), "float32", ()))
        'constant'
    """
    name = printable(node.name or f"{node.op or node.kind}{picked(node)}")
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"


class _Packer:
    """Writes nodes and steps, filling the pools on the way."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.symbolic = trace.kind == "graph"
        self.tiles = adorned("small pictures", lambda: tiles(trace), {})
        self.axes = adorned("names of axes", lambda: axis_words(trace.nodes), {})
        self.chapters = adorned("chapters", lambda: chapters(trace.nodes), {})
        self.called_chapters = adorned(
            "chapters", lambda: with_the_rest(self.chapters, trace.nodes), {}
        )
        self.arrays: Pool[Array] = Pool()
        made = adorned("sentences", lambda: page_scenes(trace), None)
        self.hall = None if made is None else Hall(made[0], self.arrays.place, called)
        self.scenes = {} if made is None else {id(trace.steps[i]): s for i, s in made[1].items()}
        self.formulas: Pool[Formula] = Pool()
        self.places = {
            (block.file, block.first + i): [which, block.first + i]
            for which, block in enumerate(trace.source_text)
            for i in range(len(block.lines))
        }

    def node(self, node: Node) -> Plain:
        fields = {
            "called": called(node),
            "op": node.op,
            "inputs": list(node.inputs),
            "dtype": node.dtype,
            "label": node.value.text(MAX_VALUE) if node.value else self.unknown(node),
            "value": self.arrays.place(node.value),
            "formula": self.formulas.place(node.formula),
            "numbers": node.numbers,
            "kept": node.kept or None,
            "keeps": node.keeps,
            "line": self.line(node.line),
        }
        attributes = {each.name: json.loads(each.json) for each in node.attributes}
        more = {
            "attributes": attributes,
            "tiles": self.tiles.get(node.id),
            "axes": list(self.axes.get(node.id, ())),
            "pictured": 1 if is_pictured(node) else None,
            "chapter": printable(self.called_chapters.get(node.id, ""))[:MAX_NAME],
        }
        return _present(fields) | _present(more) | {"shape": list(node.shape)}

    def unknown(self, node: Node) -> str:
        """What stands for a value that is not there: a graph's nodes have a dtype only."""
        return node.dtype if self.symbolic else ""

    def step(self, step: Step) -> Plain:
        page = self.scenes.get(id(step))
        said = page_text(page.scene) if page else ""
        fields: Plain = {
            "kind": step.kind,
            "node": step.node,
            "to": step.to,
            "position": step.position,
            "formula": self.formulas.place(step.formula),
            "numbers": step.numbers,
            "sentence": said or sentence(step, self.trace.nodes, self.trace.carries),
            "held": step.held or None,
            "line": self.line(step.line),
        }
        for name in ("cotangent", "contribution", "total", "old", "local"):
            fields[name] = self.arrays.place(getattr(step, name))
        fields["operands"] = [
            [each.symbol, each.node, self.arrays.place(each.value), each.kind]
            for each in step.operands
        ]
        fields["equation"] = [self.term(term) for term in step.equation]
        if step.slopes is not None:
            fields["slopes"] = {
                "rows": list(step.slopes.rows),
                "columns": list(step.slopes.columns),
                "values": [short(value) for value in step.slopes.values],
            }
        hall = self.hall
        if hall and page:
            fields["scene"] = adorned("a scene", lambda: hall.step(step, page), None)
        pending = {str(node): count for node, count in (step.pending or {}).items()}
        # An empty queue is not an absent one.
        queue: Plain = {} if step.queue is None else {"queue": list(step.queue)}
        return _present({**fields, "pending": pending}) | queue

    def last(self) -> Plain:
        """Write what the hall shows before the first step and behind the last one."""
        hall = self.hall
        return adorned("the first and last page of the hall", hall.ends, {}) if hall else {}

    def paths(self, paths: Paths) -> Plain:
        """Write the paths of a source; how many there are may be more than a browser counts."""
        fields = {
            "source": paths.source,
            "target": paths.target,
            "count": f"{paths.count:,}",
            "ways": [[list(way.nodes), self.arrays.place(way.value)] for way in paths.ways],
        }
        return _present(fields | {"rest": self.arrays.place(paths.rest)})

    def inside(self, opened: Opened) -> Plain:
        """Write what an op is opened into; its nodes are numbered on from those of the trace."""
        first, start, _ = opened.at
        steps = opened.trace.steps
        back = start + opened.forward - 1
        *inner, last = (self.renumbered(opened.trace.nodes[node], opened) for node in opened.inner)
        return {
            "node": opened.members[opened.inner[-1]],
            "op": opened.op,
            "at": list(opened.at),
            "nodes": inner,
            "last": last,
            "forward": [self.moved(s, opened) for s in steps[first : first + opened.forward]],
            "backward": [self.moved(s, opened) for s in steps[back : back + opened.backward]],
            "difference": short(opened.difference),
        }

    def renumbered(self, node: Node, opened: Opened) -> Plain:
        return self.node(node) | {"inputs": [opened.members[i] for i in node.inputs]}

    def moved(self, step: Step, opened: Opened) -> Plain:
        """Write a step of an opened op, with the numbers that nodes have in the player."""
        plain = self.step(step)
        for name in {"node", "to"} & plain.keys():
            plain[name] = opened.members[plain[name]]
        for operand in plain.get("operands", ()):
            operand[1] = opened.members[operand[1]]
        return plain

    def term(self, term: Term) -> Plain:
        """Write one piece of an equation; an operand's number may be 0."""
        place = self.arrays.place(term.value)
        fields = {"text": term.text, "transposed": term.transposed or None, "array": place}
        return _present(fields) | ({} if term.operand is None else {"operand": term.operand})

    def line(self, line: Line | None) -> list[int] | None:
        return self.places.get((line.file, line.number)) if line else None


def _phases(trace: Trace) -> dict[str, str]:
    """What kinds of steps are called, where that is not their own word."""
    kinds = dict.fromkeys(step.kind for step in trace.steps)
    return {kind: word for kind in kinds if (word := phase(kind, trace)) != kind}


def _carried(trace: Trace) -> Plain:
    """Say what the steps carry, and where it arrives, where that is not the usual."""
    if trace.carries == "cotangents":
        return {}
    sign = MARKS[trace.carries].strip()
    return {"carries": trace.carries, "targets": list(trace.targets), "sign": sign}


def _arrivals(trace: Trace, named: dict[int, str]) -> Plain:
    """Write how much arrives: of each chapter node, size and height, and what the heights mean."""
    found = arrivals(trace, named)
    if not found:
        return {}
    sizes = [each.size for each in found if each.size and math.isfinite(each.size)]
    said, height = "How much arrives at each part: its largest element of ∂, in size", _share
    if sizes and max(sizes) > LOG_AXIS * min(sizes):
        said += f", on a log axis from {short(10.0 ** _below(min(sizes)))}"
        height = _log_share
    bars = [
        [
            printable(each.chapter)[:MAX_NAME],
            each.node,
            short(each.size),
            round(height(each.size, sizes), 4) if each.size in sizes else 0,
        ]
        for each in found
    ]
    return {"said": said, "bars": bars}


def _share(size: float, sizes: Sequence[float]) -> float:
    return size / max(sizes)


def _log_share(size: float, sizes: Sequence[float]) -> float:
    low = _below(min(sizes))
    return (math.log10(size) - low) / (math.log10(max(sizes)) - low)


def _below(size: float) -> int:
    """The exponent of the next power of ten that is smaller."""
    return math.ceil(math.log10(size)) - 1


def _order(order: Order) -> Plain:
    return {"name": order.name, "nodes": list(order.nodes)}


def _present(fields: Plain) -> Plain:
    return {name: value for name, value in fields.items() if value or value == 0}


def _array(array: Array) -> Plain:
    """Write an array: all cells of a small one, statistics and thumbnail of a large one."""
    plain: Plain = {
        "dtype": array.dtype,
        "shape": list(array.shape),
        "text": array.text(MAX_VALUE - 2),
    }
    if array.is_whole:
        plain["cells"] = [_cell(value) for value in array.data]
        return plain
    for name, value in (("low", array.min), ("high", array.max), ("mean", array.mean)):
        if value is not None:
            plain[name] = short(value)
    if array.thumb is not None:
        rows, columns, peaks, tiles = array.thumb
        plain["thumb"] = [rows, columns, *peaks_text(peaks), *(tiles if tiles != (1, 1) else ())]
    return plain


def _cell(value: object) -> str:
    text = short(value)
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…"


def _formula(formula: Formula) -> Plain:
    """Write a formula; MathML that is more than presentation is left out, its text remains."""
    try:
        check_fragment(formula.mathml)
    except TraceError:
        return {"text": formula.text}
    return _present({"text": formula.text, "mathml": formula.mathml})


def peaks_text(peaks: Sequence[float]) -> tuple[float, str]:
    """Write the peaks of a thumbnail: the largest size, and a character for sign and size of each.

    `marks.js` reads them.

    Example:
        >>> peaks_text([0.0, 2.0, -2.0, 0.08])
        (2.0, 'P}#Y')
    """
    finite = [abs(peak) for peak in peaks if math.isfinite(peak)]
    largest = max(finite, default=0.0)
    return largest, "".join(_character(peak, largest) for peak in peaks)


def _character(peak: float, largest: float) -> str:
    if not math.isfinite(peak):
        return NOTHING
    # What is not zero never becomes zero: a dot is drawn for that alone.
    level = 0 if peak == 0 else max(1, round(LEVELS * math.sqrt(abs(peak) / largest)))
    return chr(ZERO + int(math.copysign(level, peak)))
