"""The gradients of branches and loops on arrays, which run flat as these do themselves.

The one fact to know: what `Gradient` does op by op on a tape, these do by the graph of one branch
or one round with its gradient, made when it is first needed. Where there is none, a tape does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.control.programs import Gradient, Program
from minitape.control.tracing_gradients import traced_gradient
from minitape.graphs.boundary import program_keeps
from minitape.leaving import only
from minitape.ops.shapes.creation import zeros_like
from minitape.tensors.composite import Composite, dense

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.control.programs import Body
    from minitape.graphs.rounds import Repeated
    from minitape.graphs.running import Runner
    from minitape.tensor import Spec


class _Flat(Gradient):
    """A gradient that keeps what it has made for runs on arrays."""

    program: Any  # `Branches` or `Loop`, which stand above

    def __init__(self, program: Program, inputs: Sequence[Spec]) -> None:
        super().__init__(program, inputs)
        self.constant_in = 0 if program_keeps(program) else self.count
        self._made: dict[Any, Any] = {}

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """All results as arrays."""
        return self.run_for([True] * len(self.specs), arrays)

    def made(self, make: Callable[..., Any], *key: Any) -> Any:
        """What `make` makes of the key, which it does once."""
        if key not in self._made:
            self._made[key] = make(*key)
        return self._made[key]

    def filled(self, found: dict[int, Any], arrays: Sequence[Any]) -> list[Any]:
        """What all followed inputs get, by their places; 0 where nothing was found."""
        return [
            found[i] if i in found else np.zeros(arrays[i].shape, arrays[i].dtype)[()]
            for i in self.followed
        ]


class BranchesGradient(_Flat):
    """What the inputs of a branch get back: those of the one that was chosen."""

    def run_for(self, used: Sequence[bool], arrays: Sequence[Any]) -> list[Any]:
        """The results as arrays; 0 for those that are not used."""
        branch, given = self.program.chosen(arrays)
        body = self.program.bodies[branch].exact(self.program.captures.slots[branch], given)
        way = self.made(self._way, branch, body, tuple(used))
        if way is None:
            return super(_Flat, self).run(arrays)
        runner, places = way
        found = runner([*given, *arrays[self.count :]])
        return self.filled(dict(zip(places, found, strict=True)), arrays)

    def _way(
        self, branch: int, body: Body | None, used: tuple[bool, ...]
    ) -> tuple[Runner, list[int]] | None:
        """The graph of a branch and its gradient, and whose the results are."""
        captures = self.program.captures
        if body is None or self.program.effect:
            return None
        traced = traced_gradient(body, captures.slots[branch])
        if traced is None:
            return None
        places = [1 + place for place in captures.places[branch]]
        is_used = dict(zip(self.followed, used, strict=True))
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


class LoopGradient(_Flat):
    """What the inputs of a loop get back: its variables, and what only enters it."""

    def run_for(self, used: Sequence[bool], arrays: Sequence[Any]) -> list[Any]:
        """The results as arrays; 0 for what only enters the loop and is not used."""
        loop, count = self.program, self.program.count
        values, outside, seeds = arrays[:count], arrays[count : self.count], arrays[self.count :]
        share = loop.captures.of(1, outside)
        body = loop.bodies[1].exact(self._slots(), [*values, *share])
        rounds = self.made(self._rounds, body, tuple(used))
        if rounds is None:
            return super(_Flat, self).run(arrays)
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
        cotangents = dict(zip(self.results, seeds, strict=True))
        shared = dict(zip(rounds.places, sums or (), strict=False))
        return self.filled({**cotangents, **shared}, arrays)

    def _slots(self) -> list[int]:
        """Those of what the body takes: the loop variables, then what is from outside."""
        return [*self.program.bodies[1].inputs, *self.program.captures.slots[1]]

    def _rounds(self, body: Body | None, used: tuple[bool, ...]) -> _Rounds | None:
        """The two halves of a round.

        None also where what is outside gets a few rows from each round: a tape adds such up at the
        end, and here each summand would have all rows.
        """
        loop, count = self.program, self.program.count
        if body is None or loop.effect:
            return None
        traced = traced_gradient(body, self._slots())
        if traced is None:
            return None
        places = [*range(count), *(count + place for place in loop.captures.places[1])]
        swept, is_used = traced.swept, dict(zip(self.followed, used, strict=True))
        with only((traced.graph,)):
            variables = [
                zeros_like(traced.graph.tensor(traced.inputs[i])) if swept[i] is None else swept[i]
                for i in self.results
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
