"""From a recorded tape to a trace: the records become nodes, the engine's own steps become steps.

The one fact to know: nothing here computes a derivative. The backward steps are those that
`minitape.backward` yields when asked to explain itself, on a snapshot, so the tape stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from minitape import __version__
from minitape.backward import backward
from minitape.leaving import only
from minitape.silence import Silence

from ..base.collecting import uncollected
from ..trace.trace import Break, Line, Node, Producer, Source, Step, Trace
from .formulas import Formulas
from .kept import Holdings
from .recorded import Graph, Record, graph_of
from .steps import backward_steps, failed_step, forward_step

if TYPE_CHECKING:
    from minitape.request import Request
    from minitape.steps import Step as EngineStep

    Met = tuple[Graph, EngineStep]


PRODUCER = Producer("minitape", __version__)


@uncollected
def build(
    request: Request,
    records: list[Record],
    tape: Any,
    names: dict[int, tuple[str, Any]],
    **options: Any,
) -> tuple[Trace, dict[int, Any]]:
    """The trace of a tape's records and one backward pass, and the sources' raw cotangents.

    Args:
        request: what is differentiated with respect to what.
        records: a snapshot of the tape's log.
        tape: the engine's recording (for its variables and watched leaves).
        names: name and tensor by id.
        options: journal, title, persistent; `failed`, a list: an op without a gradient then ends
            the steps instead of raising, and the LookupError is put there; `met`, a list: the
            engine's steps are put there, each with the graph; `before`: cotangents that there are
            already, by tensor id; `places`, a dict: the nodes by tensor id are put there.
    """
    graph = graph_of(request, records, tape, names, options.get("journal"))
    options.get("places", {}).update(graph.place)
    formulas = Formulas(graph, records)
    persistent = bool(options.get("persistent"))
    failed: list[LookupError] | None = options.get("failed")
    met: list[Met] | None = options.get("met")
    before: dict[int, Any] = options.get("before") or {}
    steps, cotangents = _steps(
        graph, formulas, request, records, tape, persistent, failed, met, before
    )
    # What ended in an error has no gradients, not even None.
    sources = [] if failed else [graph.place[key] for key in request.source_ids]
    gradients = {
        n: graph.shown(cotangents.get(k, request.unconnected(source)))
        for n, k, source in zip(sources, request.source_ids, request.sources, strict=not failed)
    }
    trace = Trace(
        nodes=tuple(formulas.annotated(node) for node in graph.nodes),
        steps=tuple(steps),
        targets=tuple(dict.fromkeys(graph.place[t.id] for t in request.targets)),
        sources=tuple(dict.fromkeys(sources)),
        gradients=gradients,
        title=options.get("title") or "",
        persistent=persistent,
        source_text=code_of(graph.nodes),
        notes=notes_of(graph),
        producer=PRODUCER,
        breaks=(Break(steps[-1].node, None, "no gradient registered"),) if failed else (),
    )
    return trace, cotangents


def _steps(
    graph: Graph,
    formulas: Formulas,
    request: Request,
    records: list[Record],
    tape: Any,
    persistent: bool,
    failed: list[LookupError] | None,
    met: list[Met] | None,
    before: dict[int, Any],
) -> tuple[list[Step], dict[int, Any]]:
    holdings = Holdings()
    steps: list[Step] = []
    for number, nodes in graph.op_nodes.items():
        holdings.add(records[number])
        held = holdings.held
        steps.extend(
            forward_step(graph, formulas, records[number], graph.nodes[n], held) for n in nodes
        )
    with only(()), Silence():
        cotangents = request.seeds(raw=True) | before
        taken: list[Record] = []  # the record that the sweep is at
        chosen, wanted = request.path(reversed(records), records, tape.watched)
        noted = _noted(chosen, taken)
        engine = backward(noted, cotangents, wanted, raw=True, explain=True)
        engine = engine if met is None else _met(engine, graph, met)
        try:
            for step in backward_steps(
                graph, formulas, request, cotangents, engine, holdings, persistent
            ):
                steps.append(step)
        except LookupError as error:
            if failed is None:
                raise
            failed.append(error)
            steps.append(failed_step(graph, taken[0], steps, error))
    return steps, cotangents


def _noted(records: Iterable[Record], taken: list[Record]) -> Iterator[Record]:
    """The same records; `taken` holds the latest one."""
    for record in records:
        taken[:] = [record]
        yield record


def _met(engine: Iterable[EngineStep], graph: Graph, met: list[Met]) -> Iterator[EngineStep]:
    """The same steps; `met` holds those so far."""
    for step in engine:
        met.append((graph, step))
        yield step


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
