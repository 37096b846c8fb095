"""`pending`: how a graph is differentiated, by pending counts, beside the order of a tape.

Counts, queue and order are those of the engine's own `Schedule`, asked to explain itself; its
records go through `backward`, the loop of every gradient. The same records are swept in two more
orders (the latest ready op first, and a tape's), and the results compared, so that "any order that
respects the counts is right" is checked and not only said.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.graphs.graph import Graph
from minitape.graphs.nodes import ASSIGN
from minitape.graphs.schedule import Schedule
from minitape.leaving import only
from minitape.safety.silence import Silence
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest

from ..record.build import code_of
from ..record.formulas import Formulas
from ..record.kept import Holdings
from ..record.steps import backward_steps, forward_step
from ..trace.trace import Order, Step, Trace
from .counted import Sweep, Values, swept, told_apart
from .graph import Graphical, graph_trace
from .queue_words import counted_steps, order_notes
from .written import Written, written

if TYPE_CHECKING:
    from minitape.request import Request

ASSIGNED = (
    "A variable is assigned on the way: its node shows the value before that, and ops after it "
    "compute with the new one."
)
LATEST, TAPE = "latest ready op first", "a tape: latest record first"


class PendingPlayer(Graphical):
    """The step player of the pending-count algorithm.

    Attributes:
        trace: what is shown.
        gradients: the gradients, in the order of the sources; None without values.
        differences: how much the gradients of the other orders differ from these, by order.
    """

    def __init__(self, trace: Trace, gradients: Any, differences: dict[str, float]) -> None:
        super().__init__(trace, gradients)
        self.differences = differences


def pending(
    program: Any, *args: Any, feed_dict: Any = None, title: str = "", **kwargs: Any
) -> PendingPlayer:
    """The pending-count algorithm on a program, step by step, as `tf.gradients` runs it.

    Every op shows how many uses of its result have not been differentiated yet; an op whose count
    is 0 is ready and joins the queue. The tape's order of the same ops stands beside it.

    Args:
        program: a function of tensors, or a `tf.Graph`.
        *args: the function's arguments (floating numbers and arrays count as tensors); it is
            differentiated with respect to those and to the variables that it reads. It runs once,
            and variables get their values back. For a graph: ys and xs, as for `tf.gradients`.
        feed_dict: for a graph, values of its placeholders; without them only counts are shown.
        title: a heading for the page.
        **kwargs: the function's arguments by name.

    Returns:
        A player: it shows itself in Jupyter, `.save` writes a page (.html) or a picture, and
        `.gradients` is the list of gradients, in the order of the sources.

    Raises:
        TypeError: if `program` is neither a function nor a graph, or a graph comes without ys, xs.
        ValueError: if the function cannot be traced, or nothing floating is there to differentiate
            by.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> player = viz.pending(lambda x: tf.sin(x) * x, tf.constant(2.0))
        >>> [order.name for order in player.trace.orders]
        ['pending counts', 'a tape: latest record first']
        >>> sum(player.differences.values())
        0.0
    """
    source = written(program, () if isinstance(program, Graph) else args, kwargs)
    ys, xs = _ends(program, source, args)
    if isinstance(program, Graph):
        fed = dict(feed_dict or {})
        source.inputs = [key.value for key in fed]
        source.tensors = [_fed(key, value) for key, value in fed.items()]
    source.names |= told_apart(source)
    values = Values(source, ys, xs)
    name = title or f"{source.title}: pending counts"
    if not values.known:
        return _symbolic(source, values, name)
    return _numeric(source, values, name)


def _ends(program: Any, source: Written, args: tuple[Any, ...]) -> tuple[list[int], list[Any]]:
    """The slots of the ys, and the xs as symbolic tensors or variables."""
    graph = source.graph
    if not isinstance(program, Graph):
        xs = [x for slot in source.inputs if (x := graph.tensor(slot)).spec.dtype.kind in "fc"]
        return source.outputs, [*xs, *_variables(source)]
    if len(args) != 2:
        raise TypeError(
            teach(
                f"viz.pending got a graph and {len(args)} more arguments.",
                "It shows how ys are differentiated with respect to xs.",
                "Write viz.pending(graph, y, x), or viz.pending(f, x) for a function.",
            )
        )
    return [graph.slot(y) for y in nest.flatten(args[0])], nest.flatten(args[1])


def _variables(source: Written) -> list[Any]:
    """The trainable variables that the function reads, each once."""
    read = {v.id: v for v in source.graph.reads.values()}
    return [v for v in read.values() if v.trainable and v.spec.dtype.kind in "fc"]


def _fed(key: Any, value: Any) -> Any:
    return convert_to_tensor(value, dtype=key.spec.dtype)


def _schedule(source: Written, values: Values) -> Schedule:
    tensor = values.tensor if values.known else None
    return Schedule(source.graph, values.ys, values.xs, set(), tensor)


def _symbolic(source: Written, values: Values, title: str) -> PendingPlayer:
    """Counts, queue and order alone: a graph whose placeholders have no values."""
    trace = graph_trace(source, title)
    places = values.places_in(trace)
    moments = list(_schedule(source, values).run(explain=True))
    counted = counted_steps(trace.nodes, places, [(m, []) for m in moments], runs=False)
    if moments:
        counted[0] = replace(counted[0], pending=_placed(moments[0].counts, places))
    own = tuple(places[m.node.name][0] for m in moments)
    orders = (Order("pending counts", own), Order(TAPE, tuple(sorted(own, reverse=True))))
    targets = tuple(dict.fromkeys(values.target_in(trace, y) for y in values.ys))
    steps = (*trace.steps, *counted)
    trace = replace(trace, steps=steps, orders=orders, targets=targets)
    return PendingPlayer(replace(trace, notes=tuple(order_notes(trace, None))), {}, {})


def _placed(counts: dict[str, int], places: dict[str, list[int]]) -> dict[int, int]:
    """Counts by node, from counts by op."""
    return {node: count for name, count in counts.items() for node in places[name]}


def _numeric(source: Written, values: Values, title: str) -> PendingPlayer:
    """The whole backward pass with its numbers."""
    records = values.records(_schedule(source, values))
    recorded = values.recorded(records)
    formulas = Formulas(recorded, records)
    request = values.request()
    sweep = swept(_schedule(source, values), request, values.leaves)
    steps = [
        forward_step(recorded, formulas, records[number], recorded.nodes[n], 0)
        for number, nodes in recorded.op_nodes.items()
        for n in nodes
    ]
    with only(()), Silence():
        steps += _backward(recorded, formulas, request, sweep, values)
    others = {
        LATEST: swept(_schedule(source, values), request, values.leaves, latest=True),
        TAPE: swept(reversed(records), request, values.leaves),
    }
    differences = {name: sweep.difference(other) for name, other in others.items()}
    trace = _trace(recorded, formulas, request, sweep, others[TAPE], tuple(steps))
    notes = order_notes(trace, max(differences.values(), default=0.0))
    if any(node.op is ASSIGN for node in source.graph.nodes):
        notes.append(ASSIGNED)
    trace = replace(trace, title=title, notes=tuple(notes))
    return PendingPlayer(trace, request.results(sweep.cotangents), differences)


def _backward(
    recorded: Any, formulas: Formulas, request: Request, sweep: Sweep, values: Values
) -> list[Step]:
    """The seeds, then per op that it is ready, its pulls, and whose counts fall."""
    places = {name: recorded.op_nodes[number] for name, number in values.numbers.items()}
    seeds = request.seeds(raw=True)
    sentences = _Sentences(recorded, formulas, request, seeds)
    pulls = [(moment, sentences.pulls(step)) for moment, step in sweep.events]
    steps = counted_steps(recorded.nodes, places, pulls)
    first, *ends = sentences.ends(sweep.cotangents)
    if sweep.events:
        moment = sweep.events[0][0]
        ready = [places[node.name][0] for node in (moment.node, *moment.queue)]
        counts = _placed(moment.counts, places)
        first[-1] = replace(first[-1], pending=counts, queue=tuple(ready))
    return [*first, *steps, *(step for each in ends for step in each)]


class _Sentences:
    """What `steps` says of the engine's steps, without the tape's memory."""

    def __init__(self, *parts: Any) -> None:
        self.recorded, self.formulas, self.request, self.seeds = parts

    def pulls(self, step: Any) -> list[Step]:
        """The pulls and sums of one op."""
        return [] if step is None else self._told([step], {})

    def ends(self, cotangents: dict[int, Any]) -> tuple[list[Step], list[Step]]:
        """The seeds, and at the end the sources that nothing reached."""
        found = self._told([], {**cotangents, **self.seeds})
        return (
            [step for step in found if step.kind == "seed"],
            [step for step in found if step.kind == "unconnected"],
        )

    def _told(self, steps: list[Any], cotangents: dict[int, Any]) -> list[Step]:
        given = (self.recorded, self.formulas, self.request, cotangents, steps)
        found = list(backward_steps(*given, Holdings(), True))
        return [s for s in found if not steps or s.kind in ("pull", "accumulate")]


def _trace(
    recorded: Any, formulas: Formulas, request: Request, sweep: Sweep, tape: Sweep, steps: Any
) -> Trace:
    sources = [recorded.place[key] for key in request.source_ids]
    orders = (("pending counts", sweep), (TAPE, tape))
    return Trace(
        tuple(formulas.annotated(node) for node in recorded.nodes),
        steps,
        tuple(dict.fromkeys(recorded.place[t.id] for t in request.targets)),
        tuple(dict.fromkeys(sources)),
        {
            n: recorded.shown(sweep.cotangents.get(k))
            for n, k in zip(sources, request.source_ids, strict=True)
        },
        source_text=code_of(recorded.nodes),
        orders=tuple(Order(name, each.order(recorded)) for name, each in orders),
    )
