"""The values of a graph's slots, and sweeps over it in different orders.

The graph runs once; the values get the slots as their ids, so that the engine's `Schedule` gives
records of numbers, and `recorded` makes nodes of them as of a tape's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.backward import backward
from minitape.control.programs import RUN
from minitape.errors import teach
from minitape.graphs.nodes import ASSIGN, PLACEHOLDER, READ
from minitape.graphs.running import Runner
from minitape.graphs.schedule import Moment, Schedule
from minitape.leaving import only
from minitape.record import opened, output_ids
from minitape.request import Request
from minitape.safety.silence import Silence
from minitape.steps import Contribution, Step
from minitape.tensor import EagerTensor, eager
from minitape.tensors.composite import dense
from minitape.variable import ResourceVariable

from ..record.journal import Entry
from ..record.recorded import Graph as Recorded, graph_of
from ..trace.trace import Trace
from .unfolding import line_at, op_of
from .written import Written

if TYPE_CHECKING:
    from minitape.graphs.nodes import Node as GraphNode


class Values:
    """A graph with its ends, and the value of each slot where the inputs are known.

    Attributes:
        ys: slots of the targets.
        xs: ids of the sources.
        known: whether there are values.
        numbers: the number of each op's record by its name.
    """

    def __init__(self, source: Written, ys: list[int], sources: list[Any]) -> None:
        self.source, self.graph, self.ys, self.sources = source, source.graph, ys, sources
        self.xs = {x.id for x in sources}
        if not sources:
            raise ValueError(
                teach(
                    "There is nothing to differentiate by: no argument is a floating tensor, and "
                    "no trainable variable is read.",
                    "Only floating and complex numbers have derivatives.",
                    "Pass tensors such as tf.constant(2.0).",
                )
            )
        schedule = Schedule(self.graph, ys, self.xs, set())
        self.nodes = [n for n in self.graph.nodes if self._is_reached(n, schedule.connected)]
        self.numbers = {node.name: i for i, node in enumerate(self.nodes)}
        self.of: dict[int, EagerTensor] = {}
        self.known = self._run()

    @staticmethod
    def _is_reached(node: GraphNode, connected: set[int]) -> bool:
        return node.op not in (PLACEHOLDER, READ) and not connected.isdisjoint(node.outputs)

    def _run(self) -> bool:
        """Computes all values by one run of the graph, if its inputs are known."""
        used = [slot for node in self.nodes for slot in (*node.inputs, *node.outputs)]
        ends = [x.value for x in self.sources if not isinstance(x, ResourceVariable)]
        wanted = list(dict.fromkeys([*used, *self.ys, *ends]))
        runner = Runner(self.graph, self.source.inputs, wanted)
        hidden = any(node.op is RUN and node.effect for node in self.nodes)
        if runner.missing or hidden:
            return False
        with only(()), Silence(), _unchanged(self.graph):
            arrays = runner([x.value for x in self.source.tensors])
        for slot, array in zip(wanted, arrays, strict=True):
            self.of[slot] = eager(array)
            self.of[slot].id = self.graph.tensor(slot).id
        return True

    def tensor(self, slot: int) -> EagerTensor:
        """The value of a slot, with the slot (or its variable) as its id."""
        return self.of[slot]

    @property
    def leaves(self) -> set[int]:
        """The sources that no op made."""
        return self.xs - {slot for node in self.nodes for slot in node.outputs}

    def request(self) -> Request:
        """What is asked for: ys by xs."""
        sources = [x if isinstance(x, ResourceVariable) else self.of[x.value] for x in self.sources]
        return Request([self.of[slot] for slot in self.ys], sources)

    def records(self, schedule: Schedule) -> list[Any]:
        """What a tape would have recorded, in the order in which the ops were written down."""
        return [schedule.record(node) for node in self.nodes]

    def recorded(self, records: list[Any]) -> Recorded:
        """The nodes of the records."""
        names = {
            tensor.id: (self.source.names[tensor.id], tensor)
            for tensor in self.of.values()
            if tensor.id in self.source.names
        }
        variables = {v.id: v for v in self.graph.reads.values()}
        tape = SimpleNamespace(mark=(None,), variables=variables, watched=self.leaves)
        graph = graph_of(self.request(), records, tape, names, self._journal())
        for name, number in self.numbers.items():
            op = op_of(self.nodes[self.numbers[name]])
            for place in graph.op_nodes[number]:
                graph.nodes[place] = replace(graph.nodes[place], op=op, kept=0, keeps="")
        return graph

    def _journal(self) -> Any:
        """What a journal would know of the ops, had it seen them."""
        found = {}
        for number, node in enumerate(self.nodes):
            inputs = tuple(self.of[slot] for slot in node.inputs)
            outputs = tuple(self.of[slot] for slot in node.outputs)
            line = line_at(node.line)
            entry = Entry(node.op, inputs, outputs, node.attributes, line, (), 0, number, "")
            found.update({slot: entry for slot in node.outputs})
        return SimpleNamespace(
            by_output=found, entries=[], sweeps=[], names={}, variables={}, events=[]
        )

    def places_in(self, trace: Trace) -> dict[str, list[int]]:
        """The nodes of each op in the trace of the graph itself."""
        found: dict[str, list[int]] = {}
        names = {node.outputs[0]: node.name for node in self.graph.nodes}
        for each in trace.nodes:
            if each.record in names:
                found.setdefault(names[each.record], []).append(each.id)
        return found

    def target_in(self, trace: Trace, slot: int) -> int:
        """The node of a target there."""
        producer = self.graph.producers[slot]
        return next(
            (n.id for n in trace.nodes if n.record == producer.outputs[0]), len(trace.nodes) - 1
        )


def told_apart(source: Written) -> dict[int, str]:
    """The graph's own names for the ops that have none and are not the only such of their kind."""
    nodes = [n for n in source.graph.nodes if n.op not in (PLACEHOLDER, READ)]
    unnamed = [n for n in nodes if not any(slot in source.names for slot in n.outputs)]
    alike = Counter(op_of(node) for node in unnamed)
    several = [node for node in unnamed if alike[op_of(node)] > 1]
    return {node.outputs[0]: node.name.replace("Run", op_of(node)) for node in several}


@contextmanager
def _unchanged(graph: Any) -> Iterator[None]:
    """Gives variables their values back: looking at a program must not change what it works on."""
    assigned = {n.attributes[0].id: n.attributes[0] for n in graph.nodes if n.op is ASSIGN}
    before = [(variable, variable._plain) for variable in assigned.values()]
    try:
        yield
    finally:
        for variable, value in before:
            variable.put_back(value)


@dataclass
class Sweep:
    """One backward pass: what happened, in order, and the cotangents at its end."""

    events: list[tuple[Moment, Any]]
    steps: list[Any]
    cotangents: dict[int, Any]
    ids: list[int]

    def order(self, recorded: Recorded) -> tuple[int, ...]:
        """The ops in the order in which their rules ran."""
        return tuple(recorded.place[output_ids(step.record)[0]] for step in self.steps)

    def difference(self, other: Sweep) -> float:
        """The largest relative difference between the gradients of two sweeps."""
        pairs = [(self.cotangents.get(key), other.cotangents.get(key)) for key in self.ids]
        return max((_apart(a, b) for a, b in pairs), default=0.0)


def _apart(a: Any, b: Any) -> float:
    if a is None or b is None:
        return 0.0 if a is b else float("inf")
    one, two = np.asarray(opened(dense(a))), np.asarray(opened(dense(b)))
    if np.array_equal(one, two, equal_nan=True) or not one.size:
        return 0.0
    with Silence():
        return float(np.nanmax(np.abs(one - two)) / max(float(np.nanmax(np.abs(one))), 1e-300))


def swept(
    records: Iterable[Any] | Schedule, request: Request, leaves: set[int], latest: bool = False
) -> Sweep:
    """Runs the chain rule over records, or over a schedule that explains itself."""
    moments: list[Moment] = []
    found = Sweep([], [], {}, request.source_ids)

    def explained(schedule: Schedule) -> Iterable[Any]:
        for moment in schedule.run(explain=True, latest=latest):
            moments.append(moment)
            yield moment.record

    given = explained(records) if isinstance(records, Schedule) else records
    happened = {}
    with only(()), Silence():
        found.cotangents = request.seeds(raw=False)
        wanted = set(request.source_ids) - leaves
        for step in backward(given, found.cotangents, wanted, explain=True):
            found.steps.append(step)
            happened[len(moments)] = _on_arrays(step)
    found.events = [(moment, happened.get(i + 1)) for i, moment in enumerate(moments)]
    return found


def _on_arrays(step: Any) -> Any:
    """A step with arrays for tensors, as the viewer's sentences take it."""
    shown = Step(step.record, _array(step.cotangent))
    shown.contributions = [
        Contribution(c.position, c.id, _array(c.value), _array(c.old), _array(c.total))
        for c in step.contributions
    ]
    return shown


def _array(g: Any) -> Any:
    return None if g is None else opened(g if type(g) is tuple else dense(g))
