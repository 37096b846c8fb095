"""Running a graph again and again: the condition or the body of a loop.

The one fact to know: what does not change from round to round is computed in the first one, and
stays among the values. So nothing is computed for a loop of no rounds.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.running import Runner

    Round = Callable[[Sequence[Any]], tuple[Any, ...]]


class Repeated:
    """A runner's graph for loops.

    Args:
        runner: the graph.
        changing: how many of its inputs, the first ones, are given anew in each round.
    """

    def __init__(self, runner: Runner, changing: int) -> None:
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
