"""The gradients of branches and loops on arrays, which run flat as these do themselves.

What a `Gradient` does op by op on a tape, these do by the graph of one branch or one round with its
gradient, which is what a tape would record and sweep, traced once for all runs (`traced_gradient`).
Of a loop it is cut in two: a round forward hands on what the round backward takes of it. Where
there is no such graph, the tape does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.graphs.compiled.exact import ForShapes
from minitape.graphs.compiled.running import FlatRunner, Repeated
from minitape.graphs.graph import Graph
from minitape.graphs.nodes import live_nodes
from minitape.graphs.symbolic import NoNumpyError, OperatorNotAllowedInGraphError
from minitape.leaving import only
from minitape.ops.shapes.creation import zeros_like
from minitape.tensors.composite import Composite, dense

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class _Flat:
    """The gradient of a program, with what was made for runs on arrays.

    Args:
        plain: the `Gradient`, by a tape.
    """

    def __init__(self, plain: Any) -> None:
        self.plain, self.program, self.count = plain, plain.program, plain.count
        self._made: dict[Any, Any] = {}
        self._for_shapes: dict[int, ForShapes] = {}

    def made(self, make: Callable[..., Any], *key: Any) -> Any:
        """What `make` makes of the key, which it does once."""
        if key not in self._made:
            self._made[key] = make(*key)
        return self._made[key]

    def body(self, place: int, slots: Sequence[int], arrays: Sequence[Any]) -> Any:
        """A body for the shapes of these arrays; None where sizes are open, or came seldom."""
        body = self.program.bodies[place]
        if not body.graph.has_sizes:
            return body
        if place not in self._for_shapes:
            self._for_shapes[place] = ForShapes(
                lambda graph: type(body)(graph, body.inputs, body.outputs),
                body.graph,
                body.nodes,
                slots,
            )
        return self._for_shapes[place](tuple([x.shape for x in arrays]))

    def traced(self, body: Any, slots: list[int]) -> Traced | None:
        """A body and its gradient as one graph."""
        if body is None or self.program.effect:
            return None
        return traced_gradient(body, slots, type(self.plain))

    def filled(self, found: dict[int, Any], arrays: Sequence[Any]) -> list[Any]:
        """What all followed inputs get, by their places; 0 where nothing was found."""
        return [
            found[i] if i in found else np.zeros(arrays[i].shape, arrays[i].dtype)[()]
            for i in self.plain.followed
        ]


class OfBranches(_Flat):
    """What the inputs of a branch get back: those of the one that was chosen."""

    def __call__(self, used: Sequence[bool], arrays: Sequence[Any]) -> list[Any] | None:
        """The results as arrays, 0 for those that are not used; None where a tape has to run."""
        branch, given = self.program.chosen(arrays)
        body = self.body(branch, self.program.captures.slots[branch], given)
        way = self.made(self._way, branch, body, tuple(used))
        if way is None:
            return None
        runner, places = way
        found = runner([*given, *arrays[self.count :]])
        return self.filled(dict(zip(places, found, strict=True)), arrays)

    def _way(
        self, branch: int, body: Any, used: tuple[bool, ...]
    ) -> tuple[FlatRunner, list[int]] | None:
        """The graph of a branch and its gradient, and whose the results are."""
        captures = self.program.captures
        traced = self.traced(body, captures.slots[branch])
        if traced is None:
            return None
        places = [1 + place for place in captures.places[branch]]
        is_used = dict(zip(self.plain.followed, used, strict=True))
        with only((traced.graph,)):
            found = {
                places[i]: dense(g)
                for i, g in traced.swept.items()
                if g is not None and is_used[places[i]]
            }
        return traced.whole(list(found.values())), list(found)


class _Rounds(NamedTuple):
    """A round forward and backward (see `Traced.halves`), and whose the shares are."""

    forward: Repeated
    backward: Repeated
    places: list[int]


class OfLoop(_Flat):
    """What the inputs of a loop get back: its variables, and what only enters it."""

    def __call__(self, used: Sequence[bool], arrays: Sequence[Any]) -> list[Any] | None:
        """The results as arrays, 0 for what only enters the loop and is not used; or None."""
        loop, count = self.program, self.program.count
        values, outside, seeds = arrays[:count], arrays[count : self.count], arrays[self.count :]
        share = loop.captures.of(1, outside)
        body = self.body(1, self._slots(), [*values, *share])
        rounds = self.made(self._rounds, body, tuple(used))
        if rounds is None:
            return None
        goes_on, forward = loop.rounds(0, outside), rounds.forward.rounds(share)
        kept = []
        while goes_on(values)[0]:
            found = forward(values)
            values = found[:count]
            kept.append(found[count:])
        backward, sums = rounds.backward.rounds(share), None
        while kept:
            found = backward([*kept.pop(), *seeds])
            seeds, shares = found[: len(seeds)], found[len(seeds) :]
            sums = shares if sums is None else [x + g for x, g in zip(sums, shares, strict=True)]
        cotangents = dict(zip(self.plain.results, seeds, strict=True))
        shared = dict(zip(rounds.places, sums or (), strict=False))
        return self.filled({**cotangents, **shared}, arrays)

    def _slots(self) -> list[int]:
        """Those of what the body takes: the loop variables, then what is from outside."""
        return [*self.program.bodies[1].inputs, *self.program.captures.slots[1]]

    def _rounds(self, body: Any, used: tuple[bool, ...]) -> _Rounds | None:
        """The two halves of a round.

        None also where what is outside gets a few rows from each round: a tape adds such up at the
        end, and here each summand would have all rows.
        """
        loop, count = self.program, self.program.count
        traced = self.traced(body, self._slots())
        if traced is None:
            return None
        places = [*range(count), *(count + place for place in loop.captures.places[1])]
        swept, is_used = traced.swept, dict(zip(self.plain.followed, used, strict=True))
        with only((traced.graph,)):
            variables = [
                zeros_like(traced.graph.tensor(traced.inputs[i])) if swept[i] is None else swept[i]
                for i in self.plain.results
            ]
        shares = {
            places[i]: g
            for i, g in swept.items()
            if i >= count and g is not None and is_used[places[i]]
        }
        found = [*variables, *shares.values()]
        if any(isinstance(each, Composite) for each in found):
            return None
        return _Rounds(*traced.halves(found), list(shares))


class Traced(NamedTuple):
    """A body and its gradient.

    Attributes:
        graph: both.
        length: how many nodes are the body's.
        after: the slots of its results.
        inputs: the slots of what it takes.
        seeds: the slots of the cotangents of its floating results.
        swept: for each floating input, by its place, the tensor that it gets; None for nothing.
    """

    graph: Graph
    length: int
    after: list[int]
    inputs: list[int]
    seeds: list[int]
    swept: dict[int, Any]

    def whole(self, found: Sequence[Any]) -> FlatRunner:
        """From the inputs and the seeds to `found`."""
        slots = [*map(self.graph.slot, found)]
        return FlatRunner(self.graph, [*self.inputs, *self.seeds], slots)

    def halves(self, found: Sequence[Any]) -> tuple[Repeated, Repeated]:
        """The rounds of a loop forward, and backward to `found`.

        Forward takes the loop variables and what is from outside; it gives new variables, and what
        the other half takes. Backward takes that, the seeds, and what is from outside.
        """
        slots, nodes, count = [*map(self.graph.slot, found)], self.graph.nodes, len(self.after)
        values, outside = self.inputs[:count], self.inputs[count:]
        self.graph.nodes = nodes[self.length :]
        live = live_nodes(self.graph.nodes, slots)
        needed = {*slots, *(slot for node in live for slot in node.needs)}
        needed.difference_update(outside, self.seeds)
        made = (slot for node in nodes[: self.length] for slot in node.outputs)
        kept = [slot for slot in made if slot in needed]
        backward = FlatRunner(self.graph, [*kept, *self.seeds, *outside], slots)
        self.graph.nodes = nodes[: self.length]
        forward = FlatRunner(self.graph, [*values, *outside], [*self.after, *kept])
        return Repeated(forward, count), Repeated(backward, len(kept) + len(self.seeds))


class _Marked:
    """A body on symbolic tensors as a program, which notes where its nodes end.

    Attributes:
        specs: of the results.
        after: the slots of its results.
        length: how many nodes are the body's.
    """

    bodies, effect, constant_in = (), False, 0

    def __init__(self, body: Any, slots: list[int], graph: Graph) -> None:
        self._body, self._slots, self._graph = body, slots, graph
        self.specs = list(body.specs)
        self.after: list[int] = []
        self.length = 0

    def replayed(self, tensors: Sequence[Any]) -> list[Any]:
        """The results of the body."""
        found: list[Any] = self._body.replay(tensors, self._slots)
        self.after, self.length = [*map(self._graph.slot, found)], len(self._graph.nodes)
        return found


def traced_gradient(body: Any, slots: list[int], gradient_of: Callable[..., Any]) -> Traced | None:
    """A body that takes `slots`, with its gradient; None where it has effects, or needs values."""
    if body.effect:
        return None
    graph, specs = Graph(), [body.graph.specs[slot] for slot in slots]
    marked = _Marked(body, slots, graph)
    gradient = gradient_of(marked, specs)
    with only((graph,)):
        inputs = [graph.input(spec) for spec in specs]
        seeds = [graph.input(body.specs[i]) for i in gradient.results]
        try:
            swept = gradient.swept([*inputs, *seeds])
        except (OperatorNotAllowedInGraphError, NoNumpyError, NotImplementedError):
            return None
    given, taken = [*map(graph.slot, inputs)], [*map(graph.slot, seeds)]
    found = dict(zip(gradient.followed, swept, strict=True))
    return Traced(graph, marked.length, marked.after, given, taken, found)
