"""The steps of a trace: what each record did, and what the engine's sweep did with it.

The one fact to know: contributions, sums and cotangents are the engine's own; this module only
finds the nodes they belong to and says in one sentence what happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.records import arguments, opened, output_ids
from minitape.tensors.composite import dense
from minitape.values.modes import UnconnectedGradients

from ..layout.labels import printable
from ..trace.arrays import Array
from ..trace.trace import Node, Step

if TYPE_CHECKING:
    from minitape.backward import Contribution
    from minitape.backward import Step as EngineStep
    from minitape.request import Request

    from .formulas import Formulas
    from .holdings import Holdings
    from .recorded import Graph


MAX_NAME = 60  # of scopes in a sentence


def shown(g: Any) -> Array | None:
    """A cotangent as the learner sees it: TensorFlow's convention conjugates complex ones."""
    if g is None or isinstance(g, tuple):
        return None
    g = opened(dense(g))
    return Array.of(np.conj(g) if np.iscomplexobj(g) else g)


def called(node: Node) -> str:
    """What a sentence calls a node."""
    if node.name:
        return f"`{node.name}`"
    if node.kind == "op":
        return f"the result of `{node.op}`"
    shown = f"the constant {node.value.text()}" if node.value is not None else f"the {node.kind}"
    return f"{shown} ({node.numbers})" if node.numbers else shown


def both(names: list[str]) -> str:
    """`x` and `y`; `x` and itself."""
    if len(names) == 2 and names[0] == names[1]:
        names = [names[0], "itself"]
    return " and ".join(dict.fromkeys(names))


def forward_step(graph: Graph, formulas: Formulas, record: Any, node: Node, held: int) -> Step:
    """An op was recorded."""
    own = formulas.annotated(node)
    result = f" = {node.value.text()}" if node.value is not None else ""
    kept = node.keeps and _spoken(node.keeps, {graph.nodes[i].name for i in node.inputs})
    keeps = f" The tape keeps {kept} for the way back." if kept else ""
    label = f"`{node.name}`" if node.name else "a result"
    inputs = both([called(graph.nodes[i]) for i in node.inputs])
    where = _where(node.scope)
    sentence = f"{where}`{node.op}` of {inputs} gives {label}{result}.{keeps}"
    return Step(
        "forward",
        node.id,
        formula=own.formula,
        numbers=own.numbers,
        sentence=sentence,
        held=held,
        line=node.line,
    )


def _where(scope: tuple[str, ...]) -> str:
    """The groups of an op as the start of a sentence: those of tapes in words, names as code."""
    told = [each for each in scope if each.startswith(("forward of ", "backward of "))]
    named = printable("/".join(each for each in scope if each not in told)).replace("`", "'")
    where = "".join(f"{each[:1].upper()}{each[1:]}: " for each in told)
    return where + (f"In `{named[-MAX_NAME:]}`, " if named else "")


def _spoken(keeps: str, names: set[str]) -> str:
    """What is kept, with the learner's names set as code."""
    parts = [f"`{part}`" if part in names else part for part in keeps.split(" and ")]
    return " and ".join(parts)


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
            freed = f" {free} bytes are free again." if free else ""
            sentence = f"`{node.op}` is done; the tape drops its record.{freed}"
            held = holdings.held
            yield Step("release", node.id, sentence=sentence, held=held, line=node.line)
    for key in dict.fromkeys(request.source_ids):
        if cotangents.get(key) is None:
            source = graph.nodes[graph.place[key]]
            sentence = f"No path leads from the target to {called(source)}: {_instead(request)}."
            yield Step("unconnected", source.id, sentence=sentence, held=holdings.held)


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
    node, seed = graph.nodes[graph.place[target]], shown(g)
    text = "" if seed is None else seed.text()
    sentence = f"The sweep starts at the target: the cotangent of {called(node)} is {text}."
    if seed is None:
        sentence = (
            f"The sweep has nowhere to start: {called(node)} is {node.dtype}, and only floating "
            "and complex numbers have derivatives."
        )
    return Step("seed", node.id, cotangent=seed, sentence=sentence, held=held, line=node.line)


def _pulled(
    graph: Graph, formulas: Formulas, node: Node, step: EngineStep, each: Contribution, held: int
) -> Iterator[Step]:
    """The pull of one input, and the sum where the input had a cotangent already."""
    to = graph.nodes[graph.place[each.id]]
    pull = next(p for p in step.plan.pulls if p.position == each.position)
    formula, numbers = formulas.rule(node, pull, step.cotangent, each.value)
    g = step.cotangent
    given = shown(g[0] if isinstance(g, tuple) and len(g) == 1 else g)
    passed, total = shown(each.value), shown(each.total)
    incoming = "" if given is None else f" is {given.text()}"
    what = numbers or (passed.text() if passed is not None else "its share")
    sentence = (
        f"The cotangent of {called(node)}{incoming}; `{node.op}` passes {what} to {called(to)}."
    )
    yield Step(
        "pull", node.id, to=to.id, position=each.position,
        cotangent=given, contribution=passed, total=total,
        formula=formula, numbers=numbers, local=_local(step, pull),
        sentence=sentence, held=held, line=node.line,
    )  # fmt: skip
    if each.old is not None:
        old = shown(each.old)
        terms = (
            ""
            if old is None or passed is None or total is None
            else f": {old.text()} + {passed.text()} = {total.text()}"
        )
        sentence = f"Paths meet at {called(to)}, so its cotangents add up{terms}."
        yield Step(
            "accumulate",
            to.id,
            contribution=passed,
            total=total,
            old=old,
            sentence=sentence,
            held=held,
            line=to.line,
        )


def _local(step: EngineStep, pull: Any) -> Array | None:
    """The local derivative of an elementwise op, where it is all there is to its contribution.

    Where the input was stretched a sum follows: the product alone is not the contribution.
    """
    op, g = step.plan.op, opened(dense(step.cotangent))
    if pull.stretched or not op.elementwise or isinstance(g, tuple) or np.iscomplexobj(g):
        return None
    return local_derivative(step.record, pull, g)


def local_derivative(record: Any, pull: Any, like: Any) -> Array | None:
    """The derivative of each element of an elementwise op: its rule applied to ones."""
    with np.errstate(all="ignore"):
        ones = np.ones(tuple(like.shape), like.dtype)[()]
        return shown(pull.rule(ones, *arguments(pull.finds, record, True, ())))
