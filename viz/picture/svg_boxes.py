"""One node of the still picture: its box, its badge, its texts, and what the pointer is told.

The one fact to know: only the value and the cotangent depend on the step; they are given as text.
"""

from __future__ import annotations

from ..layout.labels import (
    BADGE,
    BADGE_DOWN,
    BADGE_IN,
    CHARACTER,
    FONT_SIZE,
    MAX_TOOLTIP,
    PADDING_X,
    PADDING_Y,
    ROW,
    SMALL_SIZE,
    Label,
    columns,
    printable,
)
from ..trace.trace import Node
from .svg_text import escape, number


def box(node: Node, label: Label) -> str:
    """Draw the box: ops rounded, sources like a pill, variables double, constants cornered."""
    radius = {"op": 7.0, "constant": 0.0}.get(node.kind, min(label.height / 2, 20.0))
    box = _rectangle("b", 0, label.width, label.height, radius)
    if node.kind == "variable":
        box += _rectangle("i", 3.5, label.width, label.height, radius)
    return box


def badge(label: Label) -> str:
    """Draw the sign of a node where paths meet, on its corner; shown from the step that adds."""
    x, y = number(label.width - BADGE_IN), number(BADGE_DOWN)
    circle = f'<circle cx="{x}" cy="{y}" r="{number(BADGE)}"/>'
    baseline = number(BADGE_DOWN + 4)
    return (
        f'<g class="badge">{circle}<text x="{x}" y="{baseline}" text-anchor="middle">Σ</text></g>'
    )


def _rectangle(name: str, inset: float, width: float, height: float, radius: float) -> str:
    place = f'x="{number(inset)}" y="{number(inset)}" ' if inset else ""
    corner = f' rx="{number(radius - inset)}"' if radius else ""
    return (
        f'<rect class="{name}" {place}width="{number(width - 2 * inset)}" '
        f'height="{number(height - 2 * inset)}"{corner}/>'
    )


def texts_of(
    node: Node, label: Label, value: str, cotangent: str, across: float = PADDING_X
) -> str:
    """Write title, note and shape on the first row, value on the second, cotangent on the third."""
    rows = [PADDING_Y + 10 + ROW * i for i in range(3)]
    left, right = number(PADDING_X), number(label.width - PADDING_X)
    text = f'<text class="t" x="{left}" y="{number(rows[0])}">{escape(label.title)}</text>'
    if label.note:
        beside = number(PADDING_X + (columns(label.title) * FONT_SIZE + SMALL_SIZE) * CHARACTER)
        text += f'<text x="{beside}" y="{number(rows[0])}">{escape(label.note)}</text>'
    if label.shape:
        end = f'y="{number(rows[0])}" text-anchor="end"'
        text += f'<text x="{right}" {end}>{escape(label.shape)}</text>'
    text += f'<text class="v" x="{left}" y="{number(rows[1])}">{escape(value)}</text>'
    if label.cotangent:
        x, y = number(across), number(rows[2] - (3 if label.pictured else 0))
        text += f'<text class="c" x="{x}" y="{y}">{escape(cotangent)}</text>'
    return text


def tooltip(node: Node) -> str:
    """Say everything about a node in a few lines, its name whole."""
    first = f"{node.name[:MAX_TOOLTIP]} = {node.op}" if node.name and node.op else ""
    lines = [printable(first or node.name[:MAX_TOOLTIP] or node.op or node.kind)]
    if node.formula is not None:
        lines.append(" = ".join(part for part in (node.formula.text, node.numbers) if part))
    elif node.numbers:
        lines.append(node.numbers)
    lines.append(f"{node.kind}, {node.dtype}, shape {list(node.shape)}")
    if node.value is not None:
        lines.append(f"value {node.value.text(400)}")
    if node.scope:
        lines.append("in " + " / ".join(node.scope))
    if node.line is not None:
        lines.append(f"{node.line.file}:{node.line.number}: {node.line.text.strip()}")
    return "\n".join(lines)
