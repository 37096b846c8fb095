"""The steps of a trace: what each record did, and what the engine's sweep did with it.

Contributions, sums and cotangents are the engine's own; this module only finds the nodes they
belong to and says in one sentence what happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.record import arguments, opened, output_ids
from minitape.safety.silence import Silence
from minitape.tensors.composite import dense
from minitape.values.modes import UnconnectedGradients

from ..trace.arrays import Array
from ..trace.changed import completed
from ..trace.parts import Node, Step
from ..trace.wording import called, freed, sentence
from .slopes import slopes

if TYPE_CHECKING:
    from minitape.request import Request
    from minitape.steps import Contribution, Step as EngineStep

    from .formulas import Formulas
    from .kept import Holdings
    from .recorded import Graph


def forward_step(graph: Graph, formulas: Formulas, record: Any, node: Node, held: int) -> Step:
    """An op was recorded."""
    formula, numbers = formulas.said_of(node)
    step = Step("forward", node.id, formula=formula, numbers=numbers, held=held, line=node.line)
    return said(step, graph)


def said(step: Step, graph: Graph) -> Step:
    """The step with its sentence."""
    return completed(step, sentence=sentence(step, graph.nodes))


def backward_steps(
    graph: Graph,
    formulas: Formulas,
    request: Request,
    cotangents: dict[int, Any],
    engine: Iterable[EngineStep],
    holdings: Holdings,
    persistent: bool,
) -> Iterator[Step]:
    """Seeds, then what the engine yields, then the sources that nothing reached."""
    for target in dict.fromkeys(t.id for t in request.targets):
        yield _seed(graph, target, cotangents.get(target), holdings.held)
    for step in engine:
        numbers = graph.op_nodes[_number(graph, step)]
        g = step.cotangent
        graph.learn_from_cotangents(numbers, g if isinstance(g, tuple) else (g,))
        node = graph.nodes[numbers[0]]
        for each in step.contributions:
            yield from _pulled(graph, formulas, node, step, each, holdings.held)
        if not persistent:
            free = holdings.release(step.record)
            dropped = Step("release", node.id, held=holdings.held, line=node.line)
            text = sentence(dropped, graph.nodes) + freed(free)
            yield completed(dropped, sentence=text)
    for key in dict.fromkeys(request.source_ids):
        if cotangents.get(key) is None:
            source = graph.nodes[graph.place[key]]
            ends = f"No path leads from the target to {called(source)}: {_instead(request)}."
            yield Step("unconnected", source.id, sentence=ends, held=holdings.held)


def failed_step(graph: Graph, record: Any, steps: list[Step], error: LookupError) -> Step:
    """The end of a sweep at an op without a gradient: what came in there goes no further."""
    node = graph.nodes[graph.place[output_ids(record)[0]]]
    arrived = [s for s in steps if node.id == (s.to if s.kind == "pull" else s.node)]
    total = next((s.total or s.cotangent for s in reversed(arrived) if s.kind != "forward"), None)
    notes = [note.removeprefix("minitape: ") for note in getattr(error, "__notes__", ())]
    advice = "".join(f" {note[:1].upper()}{note[1:]}" for note in notes)
    return Step(
        "unconnected",
        node.id,
        total=total,
        sentence=f"The sweep ends here with LookupError: {error}.{advice}",
        held=steps[-1].held,
        line=node.line,
    )


def _instead(request: Request) -> str:
    if request.mode is UnconnectedGradients.ZERO:
        return "its gradient is given as zeros, as asked for"
    return "its gradient is None"


def _number(graph: Graph, step: EngineStep) -> int:
    return graph.nodes[graph.place[output_ids(step.record)[0]]].record or 0


def _seed(graph: Graph, target: int, g: Any, held: int) -> Step:
    node = graph.nodes[graph.place[target]]
    step = Step("seed", node.id, cotangent=graph.shown(g), held=held, line=node.line)
    return said(step, graph)


def _pulled(
    graph: Graph, formulas: Formulas, node: Node, step: EngineStep, each: Contribution, held: int
) -> Iterator[Step]:
    """The pull of one input, and the sum where the input had a cotangent already."""
    place = graph.place[each.id]
    if each.id in graph.versions:  # the value that this op read, of several
        place = node.inputs[each.position]
    to = graph.nodes[place]
    pull = next(p for p in step.plan.pulls if p.position == each.position)
    formula, numbers = formulas.rule(node, pull, step.cotangent, each.value)
    came = step.cotangent if isinstance(step.cotangent, tuple) else (step.cotangent,)
    given = graph.shown(came[0]) if len(came) == 1 else None
    passed, total = graph.shown(each.value), graph.shown(each.total)
    operands = formulas.operands(node, pull, came, "cotangent")
    detail = formulas.detailed
    pulled = Step(
        "pull", node.id, to=to.id, position=each.position,
        cotangent=given, contribution=passed, total=total,
        formula=formula, numbers=numbers, local=_local(graph, step, pull),
        operands=operands, equation=formulas.equation(node, pull, operands),
        slopes=slopes(step.record, pull, step.plan.op, came, each.value) if detail else None,
        cotangents=tuple(map(graph.shown, came)) if len(came) > 1 else (),
        held=held, line=node.line,
    )  # fmt: skip
    yield said(pulled, graph)
    if each.old is not None:
        old = graph.shown(each.old)
        met = Step(
            "accumulate", to.id, contribution=passed, total=total, old=old, held=held, line=to.line
        )
        yield said(met, graph)


def _local(graph: Graph, step: EngineStep, pull: Any) -> Array | None:
    """The local derivative of an elementwise op, where it is all there is to its contribution.

    Where the input was stretched a sum follows: the product alone is not the contribution.
    """
    op, g = step.plan.op, opened(dense(step.cotangent))
    if pull.stretched or not op.elementwise or isinstance(g, tuple) or g.dtype.kind == "c":
        return None
    return local_derivative(graph, step.record, pull, g)


def local_derivative(graph: Graph, record: Any, pull: Any, like: Any) -> Array | None:
    """The derivative of each element of an elementwise op: its rule applied to ones."""
    with Silence():
        ones = np.ones(tuple(like.shape), like.dtype)[()]
        return graph.shown(pull.rule(ones, *arguments(pull, record, raw=True)))
