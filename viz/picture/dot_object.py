"""A trace as an object of the package `graphviz`, for its users: to style, render, combine.

Node `n3` is node 3 of the trace; labels are text, whatever they contain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.advice import getting
from ..errors import MissingExtraError
from ..layout.labels import printable
from ..trace.trace import Node, Trace
from .theme import LIGHT

if TYPE_CHECKING:
    import graphviz

LOOKS = {"source": "source", "variable": "variable", "constant": "constant"}


def digraph(trace: Trace) -> graphviz.Digraph:
    """The tape as a `graphviz.Digraph`: a box for each node, an edge for each argument.

    Raises:
        MissingExtraError: the package `graphviz` is not installed.

    Example:
        >>> x = Node(0, "source", (), "float64", (2,), name="x")
        >>> print(digraph(Trace((x,))).source.splitlines()[-2].strip().split(" [")[0])
        n0
    """
    try:
        import graphviz
    except ImportError as missing:
        raise MissingExtraError(
            "to_graphviz needs the Python package 'graphviz', which is not installed; "
            f"{getting('graphviz')}; without it, save the player or picture"
        ) from missing
    graph = graphviz.Digraph(name="tape", comment=printable(trace.title))
    graph.attr("node", shape="box", style="rounded,filled", fontname="monospace", fontsize="11")
    for node in trace.nodes:
        label = graphviz.escape(_label(node, trace))
        look = LOOKS.get(node.kind, "op")
        colours = {"fillcolor": LIGHT[look], "color": LIGHT[f"{look}-line"]}
        graph.node(f"n{node.id}", label.replace("\n", "\\n"), **colours)
        graph.edges((f"n{parent}", f"n{node.id}") for parent in node.inputs)
    return graph


def _label(node: Node, trace: Trace) -> str:
    """Name and op, shape, value and gradient, a line for each that is there."""
    names = [part for part in (node.name, node.op) if part] or [node.kind]
    lines = [printable(" ".join(dict.fromkeys(names)))]
    lines.append(f"{node.dtype} {list(node.shape)}")
    if node.value is not None:
        lines.append(printable(node.value.text()))
    if node.id in trace.gradients:
        gradient = trace.gradients[node.id]
        lines.append(f"gradient {'None' if gradient is None else printable(gradient.text())}")
    return "\n".join(lines)
