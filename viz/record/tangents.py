"""From a recorded tape to a trace of tangents: forward values, then what each op pushes on.

Nothing here computes a derivative. The tangents are those that `minitape.pushing` yields on a
snapshot of the records, so the tape stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.forward_mode.pushing import forward
from minitape.forward_mode.transposition import is_diagonal
from minitape.leaving import only
from minitape.record import opened, output_ids
from minitape.request import Request
from minitape.safety.silence import Silence
from minitape.tensor import eager
from minitape.tensors.composite import dense

from ..trace.arrays import Array
from ..trace.trace import Formula, Node, Step, Trace
from ..trace.wording import called, sentence
from .build import PRODUCER, code_of, notes_of
from .formulas import Formulas
from .recorded import Graph, Record, graph_of
from .steps import forward_step, local_derivative

if TYPE_CHECKING:
    from minitape.forward_mode.pushing import Push, Share


def build_tangents(
    request: Request,
    tangent: Any,
    records: list[Record],
    tape: Any,
    names: dict[int, tuple[str, Any]],
    **options: Any,
) -> tuple[Trace, Any]:
    """The trace of a tape's records and one pass of tangents, and the target's tangent or None.

    Args:
        request: one target and one source.
        tangent: the source's tangent, an array like it.
        records: a snapshot of the tape's log.
        tape: the engine's recording (for its variables and watched leaves).
        names: name and tensor by id.
        options: journal, persistent, title; `ending`, what the last step says besides.

    Raises:
        ValueError: if an end is complex.
        LookupError: if an op on the way has no gradient registered.
    """
    _check_real(request)
    graph = graph_of(request, records, tape, names, options.get("journal"))
    # The tape keeps values for the way back: the way forward would need none of them.
    graph.nodes[:] = [replace(node, kept=0, keeps="") for node in graph.nodes]
    formulas = Formulas(graph, records)
    steps = [
        forward_step(graph, formulas, records[number], graph.nodes[n], 0)
        for number, nodes in graph.op_nodes.items()
        for n in nodes
    ]
    target, source = (graph.place[end[0].id] for end in (request.targets, request.sources))
    passed, arrived = _passed(request, tangent, records, tape)
    steps += _Teller(graph, formulas, target).steps(source, tangent, passed, arrived)
    steps[-1] = replace(steps[-1], sentence=f"{steps[-1].sentence}{options.get('ending') or ''}")
    trace = Trace(
        nodes=tuple(formulas.annotated(node) for node in graph.nodes),
        steps=tuple(steps),
        targets=(target,),
        sources=(source,),
        gradients={target: None if arrived is None else graph.array(opened(dense(arrived)))},
        title=options.get("title") or "",
        persistent=bool(options.get("persistent")),
        source_text=code_of(graph.nodes),
        notes=notes_of(graph),
        carries="tangents",
        producer=PRODUCER,
    )
    return trace, arrived


def _check_real(request: Request) -> None:
    for end in (*request.sources, *request.targets):
        if end.spec.dtype.kind == "c":
            raise ValueError(
                f"a pass of tangents begins and ends at real numbers, got {end.spec.dtype.name}. "
                "A complex number moves in two directions, and the gradients of a tape are "
                "conjugated, so that one pass is no column. Take the real and the imaginary part "
                "as two sources or targets: `tf.complex(a, b)`, `tf.math.real(y)`."
            )


def _passed(
    request: Request, tangent: Any, records: list[Record], tape: Any
) -> tuple[list[Push], Any]:
    """What the engine pushes, op by op, and what arrives at the target."""
    (target,), (source,) = request.targets, request.source_ids
    with only(()), Silence():
        chosen = list(request.path(records, records, tape.watched)[0])
        tangents = {source: eager(tangent[()])}
        passed = list(forward(chosen, request.seeds(raw=True), tangents))
    return passed, tangents.get(target.id)


class _Teller:
    """Says what the engine did, in steps of the trace."""

    def __init__(self, graph: Graph, formulas: Formulas, target: int) -> None:
        self.graph, self.formulas, self.target = graph, formulas, target

    def steps(self, source: int, tangent: Any, passed: list[Push], arrived: Any) -> Iterator[Step]:
        """The seed, what each op passes on, and where nothing arrives."""
        node = self.graph.nodes[source]
        yield self._said(Step("seed", source, cotangent=Array.of(tangent), line=node.line))
        for push in passed:
            places = [self.graph.place[key] for key in output_ids(push.record)]
            # The target comes last: what it gets is the end of the pass.
            for i in sorted(range(len(places)), key=lambda i: places[i] == self.target):
                shares = [share for share in push.shares if share.output == i]
                yield from self._output(push, shares, self.graph.nodes[places[i]])
        if arrived is None:
            yield self._nothing(node, self.graph.nodes[self.target])

    def _nothing(self, source: Node, target: Node) -> Step:
        why = f"No path leads from {called(source)} to {called(target)}"
        for node in (target, source):
            if np.dtype(node.dtype or "V").kind != "f":
                why = f"{called(node)} is {node.dtype}, and only floating numbers have derivatives"
        ends = f"{why}: no tangent arrives."
        return Step("unconnected", target.id, sentence=ends, line=target.line)

    def _output(self, push: Push, shares: list[Share], node: Node) -> Iterator[Step]:
        """What each input gives to one output, and the sums."""
        for share in shares:
            yield self._share(push, share, node)
            if share.old is not None:
                old, new, total = map(self._array, (share.old, share.value, share.total))
                met = Step("accumulate", node.id, None, None, None, new, total, old, line=node.line)
                yield self._said(met)

    def _share(self, push: Push, share: Share, node: Node) -> Step:
        place = self.graph.place[share.id]
        if share.id in self.graph.versions:  # the value that this op read, of several
            place = node.inputs[share.pull.position]
        to = self.graph.nodes[place]
        formula, numbers, local = self._rule(push, share, node)
        given, passed = self._array(share.tangent), self._array(share.value)
        pushed = Step(
            "push", node.id, to=to.id, position=share.pull.position, line=node.line,
            cotangent=given, contribution=passed, total=self._array(share.total),
            operands=self.formulas.operands(node, share.pull, (share.tangent,), "tangent"),
            formula=formula, numbers=numbers, local=local,
        )  # fmt: skip
        return self._said(pushed)

    def _said(self, step: Step) -> Step:
        return replace(step, sentence=sentence(step, self.graph.nodes, "tangents"))

    def _array(self, tangent: Any) -> Array:
        return self.graph.array(opened(dense(tangent)))

    def _rule(
        self, push: Push, share: Share, node: Node
    ) -> tuple[Formula | None, str, Array | None]:
        """Formula, numbers and local derivative where the engine applied the rule itself."""
        given = {share.pull.position: share.tangent}
        if not is_diagonal(push.record, given, push.specs):
            return None, "", None
        formula, numbers = self.formulas.push(node, share.pull, share.tangent, share.value)
        like = push.specs[0]
        return formula, numbers, local_derivative(self.graph, push.record, share.pull, like)
