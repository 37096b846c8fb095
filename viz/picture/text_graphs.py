"""The graph as text for other programs: DOT and Mermaid."""

from __future__ import annotations

import re

from ..layout import Direction
from ..layout.labels import Label, labels, printable
from ..trace.trace import Node, Trace
from .theme import LIGHT

_DOT_STYLE = {
    "op": 'style="rounded"',
    "source": f'style="rounded,bold" color="{LIGHT["source-line"]}"',
    "variable": f'style="rounded" peripheries=2 color="{LIGHT["variable-line"]}"',
    "constant": 'style="dashed"',
}
_MERMAID_FORM = {
    "op": ('("', '")'),
    "source": ('(["', '"])'),
    "variable": ('[["', '"]]'),
    "constant": ('["', '"]'),
}


def dot(trace: Trace, direction: Direction = "TB") -> str:
    r"""Write the graph in Graphviz's DOT language, with values and gradients.

    Example:
        >>> print(dot(Trace((Node(0, "source", (), "float64", (), name='a"b'),))).splitlines()[3])
          n0 [label="a\"b\nnot kept" style="rounded,bold" color="#0072b2"];
    """
    lines = [
        f"digraph {_dot_text(trace.title or 'tape')} {{",
        f"  rankdir={direction};",
        '  node [shape=box fontname="DejaVu Sans Mono"];',
    ]
    targets, notes, purple = set(trace.targets), _node_breaks(trace), LIGHT["purple"]
    for node, label in zip(trace.nodes, labels(trace), strict=True):
        text = "\\n".join(_dot_text(row)[1:-1] for row in _rows(label) + notes.get(node.id, []))
        style = f' style="rounded,bold" color="{LIGHT["orange"]}"' if node.id in targets else ""
        style = style or f" {_DOT_STYLE[node.kind]}"
        lines.append(f'  n{node.id} [label="{text}"{style}];')
    broken = _breaks(trace)
    for node in trace.nodes:
        for position, parent in enumerate(node.inputs):
            style = "" if trace.nodes[parent].watched else " [style=dashed]"
            if (node.id, position) in broken:
                said = _dot_text(f"✕ {broken[node.id, position]}".strip())
                style = f' [style=dotted color="{purple}" fontcolor="{purple}" label={said}]'
            lines.append(f"  n{parent} -> n{node.id}{style};")
    return "\n".join([*lines, "}", ""])


def _dot_text(text: str) -> str:
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def mermaid(trace: Trace, direction: Direction = "TB") -> str:
    """Write the graph as a Mermaid flowchart, for Markdown pages that render it.

    Example:
        >>> print(mermaid(Trace((Node(0, "constant", (), "float64", (), name="x"),))).strip())
        flowchart TB
          n0["x<br/>not kept"]
    """
    lines = [f"flowchart {direction}"]
    notes = _node_breaks(trace)
    for node, label in zip(trace.nodes, labels(trace), strict=True):
        before, after = _MERMAID_FORM[node.kind]
        text = "<br/>".join(_mermaid_text(row) for row in _rows(label) + notes.get(node.id, []))
        lines.append(f"  n{node.id}{before}{text}{after}")
    broken = _breaks(trace)
    for node in trace.nodes:
        for position, parent in enumerate(node.inputs):
            note = broken.get((node.id, position))
            lines.append(f"  {_mermaid_edge(trace.nodes[parent], node, note)}")
    if trace.targets:
        lines.append(f"  classDef target stroke:{LIGHT['orange']},stroke-width:3px")
        lines.append(f"  class {','.join(f'n{node}' for node in trace.targets)} target")
    return "\n".join([*lines, ""])


def _breaks(trace: Trace) -> dict[tuple[int, int | None], str]:
    """The notes of broken edges, by node and position."""
    return {(each.node, each.position): each.note for each in trace.breaks}


def _node_breaks(trace: Trace) -> dict[int, list[str]]:
    """A row with the note of each broken node."""
    return {b.node: [f"✕ {b.note}"] for b in trace.breaks if b.position is None}


def _mermaid_edge(parent: Node, node: Node, note: str | None) -> str:
    if note is not None:
        return f'n{parent.id} -. "{_mermaid_text(f"✕ {note}".strip())}" .-> n{node.id}'
    return f"n{parent.id} {'-->' if parent.watched else '-.->'} n{node.id}"


def _mermaid_text(text: str) -> str:
    """Write every character with a meaning in Mermaid, HTML or Markdown as its number."""
    return re.sub(r"[^\w .,:+\-=…∂→·²✕()]|_", lambda m: f"#{ord(m.group())};", printable(text))


def _rows(label: Label) -> list[str]:
    head = " ".join(part for part in (label.title, label.note, label.shape) if part)
    return [row for row in (head, label.value, label.cotangent) if row]
