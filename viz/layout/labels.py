"""The texts on a node, and the size of the box that holds them.

Sizes come from our own monospace metrics and from every text that a node will show at any step, so
no layout engine measures anything and nothing overflows or moves later.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from ..trace.picks import picked
from ..trace.trace import Array, Carried, Node, Trace

FONT_SIZE = 13.0
SMALL_SIZE = 12.0
CHARACTER = 0.602  # Width of a character in DejaVu Sans Mono and Menlo, the widest usual ones.
PADDING_X = 12.0
PADDING_Y = 9.0
ROW = 18.0
MIN_WIDTH = 72.0
WIDTH_STEP = 12.0

SHORT_WIDTH, LONG_WIDTH = 120.0, 216.0  # of a number, and of the longest text of several
PICTURED_WIDTH, PICTURE, PICTURE_DOWN, SIGN = 152.0, 36.0, 25.0, 14.0  # of miniatures

BADGE, BADGE_IN, BADGE_DOWN = 10.0, 3.0, 1.0  # Radius of a node's badge, and where it is.

FITTING = 17  # characters in the room of a miniature
MAX_TITLE = 20
MAX_NOTE = 16
MAX_VALUE = 26
MAX_TOOLTIP = 20_000
MARKS: dict[Carried, str] = {"cotangents": "∂ ", "tangents": "→ "}
BROKEN_MARK = "✕ "
# In a graph a constant with a name was made outside of it.
_ROLES = {"source": "input", "variable": "variable", "constant": "captured", "op": ""}

_BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


@dataclass(frozen=True, slots=True)
class Label:
    """The texts of one node; `width` and `height` fit all of them.

    `cotangent` is the last one; in a trace that carries tangents, the tangent. A `pictured` node
    shows its arrays as miniatures, in the room that `picture_room` gives.
    """

    title: str
    note: str
    shape: str
    value: str
    cotangent: str
    width: float
    height: float
    pictured: bool = False


def is_pictured(node: Node) -> bool:
    """Whether a node shows its arrays as miniatures: those that are no text to be read.

    Example:
        >>> value = Array.of([1.0, 2.0, 3.0, 4.0])
        >>> is_pictured(Node(0, "source", (), "float64", (4,), value=value))
        True
    """
    array = node.value
    if array is None or not array.dtype.startswith(("float", "bfloat")) or array.size < 3:
        return False
    return array.is_whole or array.thumb is not None


def picture_room(label: Label) -> tuple[float, float, float]:
    """The width of each of the two pictures, and where the second begins; then their height."""
    half = (label.width - 2 * PADDING_X - SIGN) / 2
    return (
        (half, PADDING_X + half + SIGN, PICTURE)
        if label.cotangent
        else (label.width - 2 * PADDING_X, 0.0, PICTURE)
    )


def labels(trace: Trace) -> tuple[Label, ...]:
    """Make the texts and sizes of all nodes.

    Example:
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> labels(Trace((x,)))[0].value
        '3.0'
    """
    cotangents = _all_cotangents(trace)
    symbolic = trace.kind == "graph"
    return tuple(_label(node, cotangents.get(node.id, []), symbolic) for node in trace.nodes)


def uniform_labels(trace: Trace) -> tuple[Label, ...]:
    """Make labels whose sizes do not depend on numbers: pictures of one structure are then alike.

    Their texts are written by a player; each box has room for those that its dtype and shape have.
    """
    receiving = {
        step.to if step.kind == "pull" else step.node
        for step in trace.steps
        if step.kind in ("seed", "pull", "push", "accumulate", "unconnected")
    }
    sign = MARKS[trace.carries]
    return tuple(_uniform(node, sign if node.id in receiving else "") for node in trace.nodes)


def roomy_labels(trace: Trace) -> tuple[Label, ...]:
    """Labels with their texts, in boxes with room for those of every step."""
    pairs = zip(labels(trace), uniform_labels(trace), strict=True)
    return tuple(replace(own, width=max(own.width, other.width)) for own, other in pairs)


def _uniform(node: Node, cotangent: str) -> Label:
    title = shorten(node.name or node.op or node.kind, MAX_TITLE)
    note = shorten((node.op or "") if node.name else picked(node), MAX_NOTE)
    shape = shape_text(node.shape)
    is_short = not node.shape and node.dtype.startswith(("float", "bfloat", "int", "bool"))
    texts = SHORT_WIDTH if is_short else LONG_WIDTH
    pictured = is_pictured(node)
    width = max(head_width(title, note, shape), PICTURED_WIDTH if pictured else texts)
    width = math.ceil(width / WIDTH_STEP) * WIDTH_STEP
    rows = 3 if cotangent or pictured else 2
    height = rows * ROW + 2 * PADDING_Y - 6
    return Label(title, note, shape, "", cotangent, width, height, pictured)


def head_width(title: str, note: str, shape: str) -> float:
    """The width that the first row of a box needs."""
    head = FONT_SIZE * columns(title)
    for text in (note, shape):
        head += SMALL_SIZE * (columns(text) + 1.5) if text else 0
    return head * CHARACTER + 2 * PADDING_X


def _all_cotangents(trace: Trace) -> dict[int, list[str]]:
    """Collect every cotangent or tangent text that a node shows at some step."""
    texts: dict[int, list[str]] = {}
    for step in trace.steps:
        if step.kind == "seed":
            node, array = step.node, step.total or step.cotangent
        elif step.kind == "pull" and step.to is not None:
            node, array = step.to, step.total or step.contribution
        elif step.kind == "push":
            node, array = step.node, step.total or step.contribution
        elif step.kind in ("accumulate", "unconnected"):
            node, array = step.node, step.total
        else:
            continue
        texts.setdefault(node, []).append(
            cotangent_text(array, step.kind == "unconnected", trace.carries)
        )
    return texts


def _label(node: Node, cotangents: list[str], symbolic: bool) -> Label:
    title = shorten(node.name or node.op or node.kind, MAX_TITLE)
    note = shorten(node.op or (_ROLES[node.kind] if symbolic else ""), MAX_NOTE)
    note = note if node.name else shorten(picked(node), MAX_NOTE)
    shape = shape_text(node.shape)
    value = node.value.text(MAX_VALUE) if node.value is not None else "not kept"
    if symbolic and node.value is None:
        value = node.dtype
    head = head_width(title, note, shape)
    longest = max([columns(value), *map(columns, cotangents)])
    width = max(head, SMALL_SIZE * longest * CHARACTER + 2 * PADDING_X)
    pictured = is_pictured(node) and not symbolic
    if pictured:
        width = max(head, PICTURED_WIDTH)
        value = shorten(value, FITTING)  # for drawings that have no miniatures
    rows = 3 if cotangents or pictured else 2
    height = rows * ROW + 2 * PADDING_Y - 6
    last = cotangents[-1] if cotangents else ""
    last = shorten(last, FITTING) if pictured else last
    # Whole steps: boxes that differ by a digit get the same width, and columns look even.
    width = max(MIN_WIDTH, math.ceil(width / WIDTH_STEP) * WIDTH_STEP)
    return Label(title, note, shape, value, last, width, height, pictured)


def cotangent_text(
    array: Array | None, is_broken: bool = False, carries: Carried = "cotangents"
) -> str:
    """Write the line of a node that shows its cotangent or tangent, or where the way ends."""
    mark = BROKEN_MARK if is_broken else MARKS[carries]
    return mark + ("None" if array is None else array.text(MAX_VALUE - 2))


@lru_cache(1024)
def shape_text(shape: tuple[int, ...]) -> str:
    """Write a shape; nothing for a scalar.

    Example:
        >>> shape_text((2, 3)), shape_text((4,)), shape_text(())
        ('[2, 3]', '[4]', '')
    """
    return shorten(str(list(shape)), 14) if shape else ""


@lru_cache(4096)
def shorten(text: str, limit: int) -> str:
    """Make a text printable and at most `limit` columns wide, with "…" where it was cut.

    Example:
        >>> shorten("a_very_long_variable_name", 12)
        'a_very_long…'
    """
    clean = printable(text[: 4 * limit + 4])
    if columns(clean) <= limit and len(text) <= 4 * limit + 4:
        return clean
    kept, used = [], 0
    for character in clean:
        used += columns(character)
        if used > limit - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def printable(text: str) -> str:
    """Replace what could break a line, a file or the order of its neighbours by a visible sign."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in "\n\r":
        return "⏎"
    if character == "\t":
        return " "
    if character in _BIDI_CONTROLS or unicodedata.category(character) in ("Cc", "Cs", "Cn", "Co"):
        return "\ufffd"
    return character


def columns(text: str) -> int:
    """Count the columns of a text in a monospaced font (wide characters take two, marks none)."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)
