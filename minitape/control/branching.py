"""Branches and loops on tensors, whoever made them: the meaning of `tf.cond` and `tf.while_loop`.

In a graph `choose` and `repeat` trace the Python, which becomes one `run` node. Elsewhere they run
it; in a batch every example has its own truth, so all branches run and each example takes its own.
Replaying a node calls them again, so it works in all these places too.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.control.programs import Body, Program, node, traced, traced_together
from minitape.graphs.functions.zeros import tied_to_each
from minitape.interpreter import active, symbolic_interpreter
from minitape.ops.broadcasting import reshape
from minitape.ops.elementwise.comparison import equal, select
from minitape.tensor import EagerTensor, Tensor, eager
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.graph import Graph


def choose(index: Any, branches: Sequence[Callable[[], list[Any]]]) -> list[Any]:
    """The tensors of the branch that `index` (a bool, or a number) names."""
    graph = symbolic_interpreter()
    if graph is not None:
        return _branches_node(graph, index, branches)
    if isinstance(index, EagerTensor):
        return branches[chosen(index.value, len(branches))]()
    return _chosen_per_example(index, branches)


def chosen(index: Any, count: int) -> int:
    """Which branch a value names; True the first of two, a number out of range the last."""
    if index.dtype.kind == "b":
        return 0 if index else 1
    number = int(index)
    return number if 0 <= number < count else count - 1


def _chosen_per_example(index: Any, branches: Sequence[Callable[[], list[Any]]]) -> list[Any]:
    """Runs all branches on all examples, and takes for each example what its index names."""
    results = [branch() for branch in branches]
    kept = results[-1]
    for i in range(len(branches) - 2, -1, -1):
        here = index if index.dtype.is_bool else equal(index, eager(index.spec.dtype.type(i)))
        kept = [_select(here, x, y) for x, y in zip(results[i], kept, strict=True)]
    return kept


def _select(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the examples' condition holds, else `y`."""
    x, y = (each if hasattr(each, "spec") else operand(each, None) for each in (x, y))
    rank = len(x.spec.shape)
    shaped = reshape(condition, (1,) * rank) if rank else condition
    return select(shaped, x, y)


def _branches_node(
    outer: Graph, index: Any, branches: Sequence[Callable[[], list[Any]]]
) -> list[Any]:
    bodies = traced_together(
        outer, lambda stateful: [traced(branch, (), outer, stateful) for branch in branches]
    )
    captures = Captures(bodies)
    results = node(Branches(bodies, captures), [index, *captures.inputs()])
    return results[: len(bodies[0].specs)]


def repeat(
    condition: Callable[[Any], Any], body: Callable[[Any], list[Any]], values: list[Any]
) -> list[Any]:
    """The values after the loop: `while condition(values): values = body(values)`."""
    graph = symbolic_interpreter()
    if graph is not None:
        return _loop_node(graph, condition, body, values)
    while True:
        goes_on = condition(values)
        if type(goes_on) is EagerTensor:
            if not goes_on.value:
                return values
            values = body(values)
        else:  # in a batch the loop ends with the last example; the others keep their values
            if not np.any(_stack(goes_on)):
                return values
            new = body(values)
            values = [_select(goes_on, x, old) for x, old in zip(new, values, strict=True)]


def _stack(x: Any) -> Any:
    """The array inside of a batched tensor, or of a batch of batches."""
    while isinstance(x, Tensor):
        x = x.value
    return x


def _loop_node(outer: Graph, condition: Any, body: Any, values: list[Any]) -> list[Any]:
    specs = [x.spec for x in values]

    def make(stateful: bool) -> list[Body]:
        return [
            traced(lambda *v: [condition(v)], specs, outer, stateful),
            traced(lambda *v: body(v), specs, outer, stateful),
        ]

    bodies = traced_together(outer, make)
    captures = Captures(bodies)
    results = node(Loop(bodies, captures), [*values, *captures.inputs()])
    return results[: len(values)]


class Captures:
    """The values from outside that several bodies need: one list of inputs for them all."""

    def __init__(self, bodies: Sequence[Body]) -> None:
        self.slots = [body.free for body in bodies]
        self.outside = {
            slot: body.captured[slot]
            for body, free in zip(bodies, self.slots, strict=True)
            for slot in free
        }
        order = {slot: place for place, slot in enumerate(self.outside)}
        self.places = [[order[slot] for slot in free] for free in self.slots]

    def inputs(self) -> list[Any]:
        """The tensors to give to the node, as whoever is active now sees them."""
        return [x.as_operand() if hasattr(x, "as_operand") else x for x in self.outside.values()]

    def of(self, body: int, values: Sequence[Any]) -> list[Any]:
        """The share of one body."""
        return [values[place] for place in self.places[body]]


class Branches(Program):
    """One of several branches, by an index that is the first input (a bool counts as 1 - index)."""

    def __init__(self, bodies: list[Body], captures: Captures) -> None:
        super().__init__(bodies[0].specs, any(body.effect for body in bodies))
        self.bodies, self.captures = bodies, captures

    def replayed(self, tensors: Sequence[Any]) -> list[Any]:
        """Chooses by the first tensor; in a batch every example takes its own."""
        index, *values = tensors
        calls = [
            lambda i=i: self.bodies[i].replay(self.captures.of(i, values), self.captures.slots[i])
            for i in range(len(self.bodies))
        ]
        results = choose(index, calls)
        if type(index) is not EagerTensor:
            return results
        used = self.captures.places[chosen(index.value, len(self.bodies))]
        return tied_to_each(results, [x for i, x in enumerate(values) if i not in used])

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """Runs the chosen branch: flat, where no log of effects is kept."""
        return super().run(arrays) if self.effect else self.flat(arrays)

    def flat(self, arrays: Sequence[Any]) -> list[Any]:
        """Runs the chosen branch on arrays."""
        i, given = self.chosen(arrays)
        return list(self.bodies[i].runner(self.captures.slots[i])(given))

    def chosen(self, arrays: Sequence[Any]) -> tuple[int, list[Any]]:
        """Which branch runs, and what it takes of the inputs."""
        i = chosen(arrays[0], len(self.bodies))
        return i, self.captures.of(i, arrays[1:])


class Loop(Program):
    """A while loop: the first inputs are the loop variables, the rest is captured."""

    repeats = True

    def __init__(self, bodies: list[Body], captures: Captures) -> None:
        condition, body = bodies
        super().__init__(body.specs, condition.effect or body.effect)
        self.bodies, self.captures = bodies, captures
        self.count = len(body.inputs)

    def replayed(self, tensors: Sequence[Any]) -> list[Any]:
        """Runs the loop op by op: as long as it runs, without recursion."""
        values, outside = list(tensors[: self.count]), tensors[self.count :]
        shares = [self.captures.of(i, outside) for i in (0, 1)]
        slots = [self.bodies[i].inputs + self.captures.slots[i] for i in (0, 1)]

        def replayed(i: int, v: Sequence[Any]) -> list[Any]:
            return self.bodies[i].replay([*v, *shares[i]], slots[i])

        # No derivative goes through a truth value, so that tapes need not see its ops.
        is_seen = self.bodies[0].effect or any(each.sees_all for each in active())
        is_plain = not is_seen and {EagerTensor}.issuperset(map(type, shares[0]))
        condition = self.rounds(0, [x.value for x in outside]) if is_plain else None

        def goes_on(v: Sequence[Any]) -> Any:
            if condition is None or not {EagerTensor}.issuperset(map(type, v)):
                return replayed(0, v)[0]
            return eager(condition([x.value for x in v])[0])

        results = repeat(goes_on, partial(replayed, 1), values)
        return tied_to_each(values, outside) if results is values else results

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """Runs condition and body: flat, where no log of effects is kept."""
        return super().run(arrays) if self.effect else self.flat(arrays)

    def flat(self, arrays: Sequence[Any]) -> list[Any]:
        """Runs condition and body on arrays."""
        values, outside = arrays[: self.count], arrays[self.count :]
        goes_on, body = (self.rounds(i, outside) for i in (0, 1))
        while goes_on(values)[0]:
            values = body(values)
        return list(values)

    def rounds(self, i: int, outside: Sequence[Any]) -> Any:
        """A function that runs the condition (0) or the body (1) once more on loop variables."""
        slots = self.bodies[i].inputs + self.captures.slots[i]
        return self.bodies[i].rounds(slots, self.captures.of(i, outside))
