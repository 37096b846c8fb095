"""The graph as text for other programs: DOT and Mermaid; imports `labels` and `trace`."""

from __future__ import annotations

import re

from .labels import Label, labels, printable
from .layout import Direction
from .trace import Node, Trace

_DOT_STYLE = {
    "op": 'style="rounded"',
    "source": 'style="rounded,bold" color="#0072b2"',
    "variable": 'style="rounded" peripheries=2 color="#009e73"',
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
    targets = set(trace.targets)
    for node, label in zip(trace.nodes, labels(trace), strict=True):
        text = "\\n".join(_dot_text(row)[1:-1] for row in _rows(label))
        style = ' style="rounded,bold" color="#d55e00"' if node.id in targets else ""
        style = style or f" {_DOT_STYLE[node.kind]}"
        lines.append(f'  n{node.id} [label="{text}"{style}];')
    for node in trace.nodes:
        for parent in node.inputs:
            dashed = "" if trace.nodes[parent].watched else " [style=dashed]"
            lines.append(f"  n{parent} -> n{node.id}{dashed};")
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
    for node, label in zip(trace.nodes, labels(trace), strict=True):
        before, after = _MERMAID_FORM[node.kind]
        text = "<br/>".join(_mermaid_text(row) for row in _rows(label))
        lines.append(f"  n{node.id}{before}{text}{after}")
    for node in trace.nodes:
        lines += [f"  {_mermaid_edge(trace.nodes[parent], node)}" for parent in node.inputs]
    if trace.targets:
        lines.append("  classDef target stroke:#d55e00,stroke-width:3px")
        lines.append(f"  class {','.join(f'n{node}' for node in trace.targets)} target")
    return "\n".join([*lines, ""])


def _mermaid_edge(parent: Node, node: Node) -> str:
    return f"n{parent.id} {'-->' if parent.watched else '-.->'} n{node.id}"


def _mermaid_text(text: str) -> str:
    """Write every character with a meaning in Mermaid, HTML or Markdown as its number."""
    return re.sub(r"[^\w .,:+\-=…∂·²()]|_", lambda m: f"#{ord(m.group())};", printable(text))


def _rows(label: Label) -> list[str]:
    head = " ".join(part for part in (label.title, label.note, label.shape) if part)
    return [row for row in (head, label.value, label.cotangent) if row]
