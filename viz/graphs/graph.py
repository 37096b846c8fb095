"""`graph`: what `tf.function` or a `tf.Graph` wrote down, shown as a tape is shown.

Nodes of a graph have shapes and dtypes but no values; its steps are the ops in the order in which
they were written down, and nothing is run or differentiated here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..picture.svg import svg
from ..player.drawing import save
from ..player.notebook import Player
from ..record.build import code_of
from ..trace.trace import Node, Step, Trace
from ..trace.wording import together
from .unfolding import Unfolding
from .written import Written, written


class Graphical(Player):
    """A player that is also a picture: it saves itself in every format.

    Attributes:
        trace: what is shown.
    """

    @property
    def svg(self) -> str:
        """The still picture as SVG text."""
        return svg(self.trace)

    def save(self, path: str | os.PathLike[str], *args: Any, **options: Any) -> Path:
        """Writes the whole picture in the format of the ending, a page with the player (.html).

        Args:
            path: where.
            *args: a step and an element of it, as for `viz.step(...).save`: then that step.
            **options: the other arguments of that.

        Raises:
            ValueError: The ending is none that a picture or a player can have.
        """
        own = {"width", "theme", "dpi", "fonts", "seconds"}
        ending = str(path).lower()
        if ending.endswith((".html", ".htm")) or args or not own.issuperset(options):
            return super().save(path, *args, **options)
        return save(self.trace, path, "a graph", **options)


class GraphView(Graphical):
    """The nodes of a graph: shows itself in notebooks, saves itself as page, SVG, PNG, ...

    Attributes:
        trace: what is shown; its kind is "graph".
    """

    def __repr__(self) -> str:
        programs = {node.scope[:k] for node in self.trace.nodes for k in range(1, 9, 2)}
        inner = sum(1 for scope in programs if len(scope) % 2)
        shown = f", {inner} branch{'es'[: 2 * (inner != 1)]} or loop{'s'[: inner != 1]}"
        count = len(self.trace.nodes)
        return f"<GraphView: {count} node{'s'[: count != 1]}{shown if inner else ''}>"


def graph(program: Any, *args: Any, title: str = "", **kwargs: Any) -> GraphView:
    """The nodes of a traced function or a graph, with branches and loop bodies as nested boxes.

    The function is traced once more for the picture; its own traces stay as they are.

    Args:
        program: a function of tensors, a `tf.function`, one of its concrete functions, or a
            `tf.Graph`.
        *args: the function's arguments; floating numbers and arrays count as tensors.
        title: a heading for the page.
        **kwargs: the function's arguments by name.

    Returns:
        An object that shows itself in Jupyter; `.save("x.html")` writes a page, `.save("x.svg")`
        (or .png, .pdf, .dot, .mmd, .json) a picture.

    Raises:
        TypeError: if `program` is neither a function nor a graph.
        ValueError: if the function cannot be traced, because its Python needs a value.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> def f(x):
        ...     return tf.cond(x > 0.0, lambda: x * x, lambda: -x)
        >>> viz.graph(f, tf.constant(3.0))
        <GraphView: 6 nodes, 1 branch or loop>
    """
    source = written(program, args, kwargs)
    return GraphView(graph_trace(source, title or source.title))


def graph_trace(source: Written, title: str) -> Trace:
    """The trace of a graph: its nodes, and a step for each op that was written down."""
    found = Unfolding(source)
    found.unfold()
    nodes = tuple(found.nodes)
    return Trace(
        nodes,
        tuple(_step(node, nodes) for node in nodes if node.kind == "op"),
        targets=tuple(dict.fromkeys(found.target(slot) for slot in source.outputs)),
        title=title,
        source_text=code_of(found.nodes),
        kind="graph",
        rounds=tuple(dict.fromkeys(found.rounds)),
    )


def _step(node: Node, nodes: tuple[Node, ...]) -> Step:
    where = f"{_place(node)}: " if node.scope else ""
    sentence = where + _sentence(node, together([nodes[i] for i in node.inputs]))
    return Step("forward", node.id, formula=node.formula, sentence=sentence, line=node.line)


def _place(node: Node) -> str:
    """The innermost program part around a node, such as "In the loop body of `while_loop`"."""
    *outer, last = node.scope
    return f"In the {last} of `{outer[-1]}`" if len(node.scope) % 2 == 0 else f"In `{last}`"


def _sentence(node: Node, inputs: str) -> str:
    name = f"`{node.name}`" if node.name else "a result"
    kind = f"{node.dtype}{f' of shape {list(node.shape)}' if node.shape else ''}"
    if node.op == "loop variable":
        return f"the loop variable {name} starts as {inputs}; each round gives the next."
    if node.op == "return":
        return f"this branch gives {inputs} as it is."
    if node.op == "cond" or node.op == "switch_case":
        return f"`{node.op}` takes {name} ({kind}) from one branch; which one is known at run time."
    if node.op == "while_loop":
        return f"`while_loop` gives {name} ({kind}) when the condition no longer holds."
    given = f" of {inputs}" if inputs else ""
    return f"`{node.op}`{given} is written down as {name}: {kind}, with no value before it runs."
