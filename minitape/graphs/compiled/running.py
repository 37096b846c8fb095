"""A graph on arrays as a flat list of steps, for calls and for the rounds of loops.

`FlatRunner` is the graph as a loop over (forward, where the inputs are, where the output goes), and
gives what `graphs.running.Runner` gives. What does not change from round to round of a loop is
computed in the first one, and stays among the values (`Repeated`). So nothing is computed for a
loop of no rounds.
"""

from __future__ import annotations

from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import raise_instead
from minitape.graphs.compiled.exact import ForShapes, found_first
from minitape.graphs.compiled.forwards import prepared
from minitape.graphs.compiled.simplifying import Simplifier
from minitape.graphs.nodes import ASSIGN, live_nodes
from minitape.graphs.running import failure, forward_of, needs_feed
from minitape.graphs.sizes.checks import alike, check_alike, check_expected, has_open_sizes
from minitape.graphs.sizes.shapes import has_size, resolved
from minitape.tensor import EagerTensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node

    # What is called; where its first and second argument are, or else None, and then it takes all
    # values and puts its results among them; where the result goes; and what is dropped after it.
    Step = tuple[Callable[..., Any], Any, Any, Any, list[int] | None]
    Round = Callable[[Sequence[Any]], tuple[Any, ...]]

_LARGE = 1024  # bytes; smaller arrays are not worth the statement that frees them
_UNREAD = np.empty((), object)  # in place of the log of effects, which nothing reads


def _of_inputs(
    forward: Callable[..., Any], variadic: bool, attributes: tuple[Any, ...]
) -> Callable[..., Any]:
    """A forward as a function of the inputs alone, one by one."""
    if variadic:
        return lambda *inputs: forward(inputs, *attributes)
    return (lambda *inputs: forward(*inputs, *attributes)) if attributes else forward


class FlatRunner:
    """A graph as a flat list of steps on arrays.

    Args:
        graph: the graph.
        inputs: the slots that are given for a run.
        outputs: the slots whose values are asked for.
        effects: whether to run what only has an effect, such as an assignment.
        adapts: whether to find runners for the shapes of runs, where these are not known before.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[int],
        outputs: Sequence[int],
        effects: bool = True,
        adapts: bool = True,
    ) -> None:
        given = set(inputs)
        self.graph, self.inputs = graph, list(inputs)
        self.size = len(graph.nodes)
        live = [n for n in live_nodes(graph.nodes, outputs, effects) if given.isdisjoint(n.outputs)]
        simplifier = Simplifier(graph, given)
        self.nodes = simplifier.simplified(live, outputs)
        self.constants = simplifier.constants
        self.places: dict[int, int] = {slot: i for i, slot in enumerate(inputs)}
        self.template: list[Any] = [None] * len(inputs)
        self.variables: list[tuple[int, ResourceVariable]] = []
        wanted = [simplifier.slot(slot) for slot in outputs]
        self.used = self._used(wanted)
        self.missing = [s for s in self.used if s not in self.places and needs_feed(graph, s)]
        self._plain_steps = [self._step(node) for node in self.nodes]
        self.outputs = [self._place(slot) for slot in wanted]
        self.results = taker(self.outputs)
        self.steps = self.with_drops(())
        self.first: FlatRunner | None = None  # what a run for its shapes is given beside the inputs
        self.exact: ForShapes | None = None
        if graph.has_sizes and adapts:
            brought = found_first(graph, live)
            if brought:
                self.first = FlatRunner(graph, inputs, brought, effects=False, adapts=False)
            self.exact = self._exact(live, [*brought, *inputs], outputs, effects)

    def _exact(self, live: list[Node], inputs: Sequence[int], *asked: Any) -> ForShapes:
        """Finds a runner for the shapes of a run."""
        return ForShapes(lambda graph: FlatRunner(graph, inputs, *asked), self.graph, live, inputs)

    def _used(self, outputs: Sequence[int]) -> dict[int, None]:
        return dict.fromkeys([slot for node in self.nodes for slot in node.needs] + list(outputs))

    def _place(self, slot: int) -> int:
        """Where the value of a slot stands; a constant is put there now."""
        place = self.places.get(slot)
        if place is None:
            outside = self.graph.captured.get(slot)
            value = outside.value if isinstance(outside, EagerTensor) else self.constants.get(slot)
            place = self.places[slot] = self._new_place(value)
            if isinstance(outside, ResourceVariable):
                self.variables.append((place, outside))
        return place

    def _new_place(self, value: Any) -> int:
        self.template.append(value)
        return len(self.template) - 1

    def _step(self, node: Node) -> Any:
        """The step of a node, without what is dropped after it."""
        op, outs = node.op, [self._place(slot) for slot in node.outputs]
        if self.graph.has_sizes and has_open_sizes(self.graph.specs, node):
            return self._sized(node, outs), None, None, outs
        forward, places = self._called(node)
        if op.several or not 1 <= len(places) <= 2:
            return self._general(op.several, forward, places, outs), None, None, outs
        return forward, places[0], places[1] if len(places) == 2 else None, outs[0]

    def _called(self, node: Node) -> tuple[Callable[..., Any], list[int]]:
        """What computes a node, and where its arguments are."""
        op, specs, slots, attributes = node.op, self.graph.specs, node.inputs, node.attributes
        forward = self._forward(node)
        if op is ASSIGN:
            variable, combine = attributes
            forward, attributes = partial(variable.update, combine), ()
        elif forward is op.forward and not self.graph.has_sizes:
            known = [self._number(slot) for slot in slots]
            ready = prepared(op, [specs[slot] for slot in slots], known, attributes)
            if ready is not None:
                forward, attributes = ready, ()
                slots = tuple(s for s, x in zip(slots, known, strict=True) if x is None)
        places = [self._place(slot) for slot in slots]
        if op.variadic or len(places) + len(attributes) > 2:
            return _of_inputs(forward, op.variadic, attributes), places
        # An attribute beside one input stands among the values, as constants do.
        return forward, places + [self._new_place(each) for each in attributes]

    def _forward(self, node: Node) -> Callable[..., Any]:
        """The forward of a node, which may leave out what nothing uses of a branch or a loop."""
        used = [slot in self.used for slot in node.outputs]
        if node.op.type_name == "Run" and not all(used):
            return lambda arrays, program: _run_for(used, arrays, program)
        return forward_of(self.graph, node)

    def _number(self, slot: int) -> Any:
        """The number that a slot is in all runs; None if it is an array, or is not known."""
        value = self.constants.get(slot)
        return None if value is None or value.shape else value

    def _general(
        self, several: bool, forward: Callable[..., Any], places: list[int], outs: list[int]
    ) -> Callable[[list[Any]], None]:
        """A step of an op with any number of inputs and results."""
        take = taker(places)

        def run(values: list[Any]) -> None:
            result = forward(*take(values))
            found = result if several else (result,)
            for place, value in zip(outs, found, strict=True):
                values[place] = value

        return run

    def _sized(self, node: Node, outs: list[int]) -> Callable[[list[Any]], None]:
        """A step of an op with sizes among its attributes, or between its inputs."""
        op, pairs = node.op, alike(self.graph.specs, node)
        forward = self._forward(node)
        inputs = [self._place(slot) for slot in node.inputs]
        places = {slot: self._place(slot) for slot in node.sizes}

        def run(values: list[Any]) -> None:
            given = [values[i] for i in inputs]
            check_alike(pairs, [x.shape for x in given])
            attributes = resolved(node.attributes, lambda slot: values[places[slot]].shape)
            result = op.applied(forward, given, attributes)
            found = result if op.several else (result,)
            check_expected(self.graph.specs, node, [x.shape for x in found])
            for place, value in zip(outs, found, strict=True):
                values[place] = value

        return run

    def with_drops(self, kept: Collection[int]) -> list[Step]:
        """The steps, each with the places of large arrays that nothing needs after it.

        Args:
            kept: slots whose values are needed after the last step.
        """
        later = {*self.outputs, *(self.places[slot] for slot in kept if slot in self.places)}
        found = []
        for node, step in zip(reversed(self.nodes), reversed(self._plain_steps), strict=True):
            dead = [
                s
                for s in {*node.needs, *node.outputs}
                if s in self.places and self._is_large(s) and self.places[s] not in later
            ]
            later.update(self.places[slot] for slot in node.needs if slot in self.places)
            found.append((*step, [self.places[slot] for slot in dead] or None))
        return found[::-1]

    def _is_large(self, slot: int) -> bool:
        shape, dtype, _ = self.graph.specs[slot]
        if self.graph.has_sizes and has_size(tuple(shape)):
            return True
        size = dtype.itemsize
        for n in shape:
            size *= n
        return bool(size >= _LARGE)

    def start(self, arrays: Sequence[Any]) -> list[Any]:
        """All values of a run before its first step."""
        values = self.template.copy()
        values[: len(arrays)] = arrays
        for place, variable in self.variables:
            values[place] = variable._plain.value
        return values

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The values of the outputs for the arrays of the inputs."""
        if self.exact is not None:
            given = arrays if self.first is None else [*self.first(arrays), *arrays]
            exact = self.exact(tuple([x.shape for x in given]))
            if exact is not None:
                return exact(given)  # type: ignore[no-any-return]
        values = self.start(arrays)
        self.run(self.steps, values)
        return self.results(values)

    def run(self, steps: list[Step], values: list[Any]) -> None:
        """Runs steps, whose results are put among the values."""
        out: Any = None
        try:
            for function, a, b, out, dead in steps:  # noqa: B007
                if b is not None:
                    values[out] = function(values[a], values[b])
                elif a is not None:
                    values[out] = function(values[a])
                else:
                    function(values)
                if dead is not None:
                    for place in dead:
                        values[place] = None
        except Exception as error:
            raise_instead(self._failure(out, error), error)

    def _failure(self, out: Any, error: Exception) -> Exception:
        """`error` of the step whose results go to `out`, in words."""
        place = out[0] if isinstance(out, list) else out
        node = next(n for n in self.nodes if self.places[n.outputs[0]] == place)
        return failure(self.graph, node, error)


def _run_for(used: Sequence[bool], arrays: Sequence[Any], program: Any) -> Any:
    """The results of a program; those that are not used need not be right."""
    if program.effect and not used[-1]:
        return [*program.flat(arrays), _UNREAD]
    on_arrays = getattr(program, "on_arrays", None)  # of a gradient
    found = None if on_arrays is None else on_arrays(used, arrays)
    return program.run(arrays) if found is None else found


def taker(places: Sequence[int]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """A function that takes a tuple of values out of a list."""
    if not places:
        return lambda values: ()
    if len(places) == 1:
        (place,) = places
        return lambda values: (values[place],)
    return itemgetter(*places)


class Repeated:
    """A runner's graph for loops.

    Args:
        runner: the graph.
        changing: how many of its inputs, the first ones, are given anew in each round.
    """

    def __init__(self, runner: FlatRunner, changing: int) -> None:
        self._runner = runner
        self._first = None if runner.first is None else Repeated(runner.first, changing)
        brought = 0 if runner.first is None else len(runner.first.outputs)
        self._for_shapes = cache(lambda exact: Repeated(exact, brought + changing))
        varies = set(runner.inputs[:changing])
        for node in runner.nodes:
            if node.effect or not varies.isdisjoint(node.needs):
                varies.update(node.outputs)
        kept = {slot for node in runner.nodes for slot in node.needs} - varies
        self._all = runner.with_drops(kept)
        self._later = [
            step
            for node, step in zip(runner.nodes, self._all, strict=True)
            if not varies.isdisjoint(node.outputs)
        ]

    def rounds(self, fixed: Sequence[Any]) -> Round:
        """A function that runs one round on the inputs that change, and gives the results.

        Args:
            fixed: the arrays of the other inputs.
        """
        runner, steps = self._runner, self._all
        values = runner.start([None] * (len(runner.inputs) - len(fixed)) + list(fixed))

        def next_round(changing: Sequence[Any]) -> tuple[Any, ...]:
            nonlocal steps
            values[: len(changing)] = changing
            runner.run(steps, values)
            steps = self._later
            return runner.results(values)

        return next_round if runner.exact is None else self._by_shapes(fixed, next_round)

    def _by_shapes(self, fixed: Sequence[Any], otherwise: Round) -> Round:
        """Rounds of what was made for the shapes that they have, where there is such."""
        find: Any = self._runner.exact
        rounds = cache(lambda exact: self._for_shapes(exact).rounds(fixed))
        shapes = [x.shape for x in fixed]
        first = None if self._first is None else self._first.rounds(fixed)

        def next_round(changing: Sequence[Any]) -> tuple[Any, ...]:
            given = changing if first is None else (*first(changing), *changing)
            exact = find((*[x.shape for x in given], *shapes))
            return otherwise(changing) if exact is None else rounds(exact)(given)

        return next_round
