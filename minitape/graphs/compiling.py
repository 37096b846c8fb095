"""Where `compiled/` takes over from plain code: one hook of four functions.

Graphs are complete without that folder; with it the same is done sooner. MINITAPE_PLAIN=1 in the
environment leaves it off, and the folder may as well be missing. No other module knows it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from minitape.graphs import running
from minitape.plain import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.graph import Graph

    Arrays = Sequence[Any]
    Round = Callable[[Arrays], tuple[Any, ...]]

_FOLDER = "minitape.graphs.compiled"
# By name, and only if it is there: the folder may have been deleted.
_compiled: Any = None if PLAIN or not find_spec(_FOLDER) else import_module(_FOLDER)


def runner(
    graph: Graph, inputs: Sequence[int], outputs: Sequence[int], effects: bool = True
) -> running.Runner:
    """What runs a graph on arrays: a `running.Runner`, or what does the same."""
    make = running.Runner if _compiled is None else _compiled.runner
    return make(graph, inputs, outputs, effects)


def rounds(runner: Any, changing: int) -> Callable[[Arrays], Round]:
    """The rounds of a loop: a function of the inputs that do not change, which are the last ones.

    Args:
        runner: the graph of a round.
        changing: how many of its inputs, the first ones, are given anew in each round.
    """
    if _compiled is None:
        return lambda fixed: running.rounds(runner, fixed)
    return _compiled.rounds(runner, changing)  # type: ignore[no-any-return]


def gradient(plain: Any) -> Callable[[Sequence[bool], Arrays], Any] | None:
    """What gives the gradient of a branch or a loop on arrays, or None where its tape has to.

    Args:
        plain: the `Gradient` of a program of bodies.

    Returns:
        A function of which results are used, and of arrays; None stands for no such function.
    """
    return None if _compiled is None else _compiled.gradient(plain)


def finder() -> Callable[..., Any]:
    """What finds the trace of a call of a function: `(find, args, kwargs) -> find(args, kwargs)`.

    It may remember what `find` has given for equal calls.
    """
    return _searched if _compiled is None else _compiled.finder()


def _searched(find: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return find(args, kwargs)
