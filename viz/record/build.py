"""From a recorded tape to a trace: the records become nodes, the engine's own steps become steps.

Nothing here computes a derivative. The backward steps are those that `minitape.backward` yields
when asked to explain itself, on a snapshot, so the tape stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import TYPE_CHECKING, Any, NamedTuple

from minitape import __version__
from minitape.backward import backward
from minitape.leaving import only
from minitape.safety.silence import Silence

from ..base.collecting import uncollected
from ..trace.trace import Break, Line, Node, Producer, Source, Step, Trace
from .formulas import Formulas
from .kept import Holdings
from .recorded import Graph, Record, graph_of
from .steps import backward_steps, failed_step, forward_step

if TYPE_CHECKING:
    from minitape.request import Request
    from minitape.steps import Step as EngineStep

    from .journal import Journal


PRODUCER = Producer("minitape", __version__)


class Built(NamedTuple):
    """What a tape's records and one backward pass give.

    Attributes:
        trace: nodes and steps.
        cotangents: raw ones, by tensor id.
        graph: with the nodes by tensor id (`place`).
        error: what ended the sweep, None where it reached its end.
        met: the engine's steps, where they were asked for.
    """

    trace: Trace
    cotangents: dict[int, Any]
    graph: Graph
    error: LookupError | None
    met: tuple[EngineStep, ...]


@uncollected
def build(
    request: Request,
    records: list[Record],
    tape: Any,
    names: dict[int, tuple[str, Any]],
    *,
    journal: Journal | None = None,
    title: str = "",
    persistent: bool = False,
    before: dict[int, Any] | None = None,
    shows_error: bool = False,
    keeps_met: bool = False,
) -> Built:
    """The trace of a tape's records and one backward pass.

    Args:
        request: what is differentiated with respect to what.
        records: a snapshot of the tape's log.
        tape: the engine's recording (for its variables and watched leaves).
        names: name and tensor by id.
        journal: what ran while it was open.
        title: of the trace.
        persistent: whether the tape keeps its records.
        before: cotangents that there are already, by tensor id.
        shows_error: whether an op without a gradient ends the steps instead of raising.
        keeps_met: whether the engine's steps are given, too.
    """
    graph = graph_of(request, records, tape, names, journal)
    formulas = Formulas(graph, records)
    sweep = _sweep(graph, formulas, request, records, tape, persistent, before or {}, keeps_met)
    steps, cotangents, error, met = sweep
    if error is not None and not shows_error:
        raise error
    # What ended in an error has no gradients, not even None.
    sources = [] if error else [graph.place[key] for key in request.source_ids]
    gradients = {
        n: graph.shown(cotangents.get(k, request.unconnected(source)))
        for n, k, source in zip(sources, request.source_ids, request.sources, strict=not error)
    }
    trace = Trace(
        nodes=tuple(formulas.annotated(node) for node in graph.nodes),
        steps=tuple(steps),
        targets=tuple(dict.fromkeys(graph.place[t.id] for t in request.targets)),
        sources=tuple(dict.fromkeys(sources)),
        gradients=gradients,
        title=title,
        persistent=persistent,
        source_text=code_of(graph.nodes),
        notes=notes_of(graph),
        producer=PRODUCER,
        breaks=(Break(steps[-1].node, None, "no gradient registered"),) if error else (),
    )
    return Built(trace, cotangents, graph, error, met)


class _Sweep(NamedTuple):
    steps: list[Step]
    cotangents: dict[int, Any]
    error: LookupError | None
    met: tuple[EngineStep, ...]


class _Way:
    """The records on the way back; `at` is the one that the sweep is at."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = records
        self.at: Any = None

    def __iter__(self) -> Iterator[Record]:
        for record in self.records:
            self.at = record
            yield record


def _sweep(
    graph: Graph,
    formulas: Formulas,
    request: Request,
    records: list[Record],
    tape: Any,
    persistent: bool,
    before: dict[int, Any],
    keeps_met: bool,
) -> _Sweep:
    holdings, error = Holdings(), None
    steps: list[Step] = []
    for number, nodes in graph.op_nodes.items():
        holdings.add(records[number])
        held = holdings.held
        steps.extend(
            forward_step(graph, formulas, records[number], graph.nodes[n], held) for n in nodes
        )
    with only(()), Silence():
        cotangents = request.seeds(raw=True) | before
        chosen, wanted = request.path(reversed(records), records, tape.watched)
        way = _Way(chosen)
        engine = backward(iter(way), cotangents, wanted, raw=True, explain=True)
        engine, again = tee(engine) if keeps_met else (engine, iter(()))
        swept = backward_steps(graph, formulas, request, cotangents, engine, holdings, persistent)
        try:
            for step in swept:
                steps.append(step)
        except LookupError as raised:
            error = raised
            steps.append(failed_step(graph, way.at, steps, raised))
    return _Sweep(steps, cotangents, error, tuple(again))


def code_of(nodes: list[Node]) -> tuple[Source, ...]:
    """The learner's code around the lines that made the nodes, for the code pane."""
    from .lines import source_around

    lines: list[Line] = [node.line for node in nodes if node.line is not None]
    return source_around(lines)


def notes_of(graph: Graph) -> tuple[str, ...]:
    """What a reader has to know: where values are missing, and which were assigned in between."""
    later = [
        f"`{node.name}` is `{graph.nodes[node.alias_of].name}` after an assignment"
        f"{f' (line {node.line.number})' if node.line else ''}: an op shows the value that it read."
        for node in graph.nodes
        if node.kind != "op" and node.alias_of is not None and node.name
    ]
    if all(node.value is not None for node in graph.nodes):
        return tuple(later)
    missing = (
        "Some values were not kept by the tape. "
        "Record inside `with viz.recording():` to see all of them."
    )
    return (missing, *later)
