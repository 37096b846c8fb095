"""Everything about graphs that only saves time, and that can be left out, as `compiling` does.

The folder has what that module hands on: `runner`, which gives what a plain `Runner` gives, by a
flat list of steps; `rounds`, the same for loops; `gradient`, of branches and loops; and a finder,
by which a call finds its trace again. Read `running` first, then what it is given: `simplifying`
(what need not be done), `exact` (for sizes that come often) and `forwards` (for one node whose
shapes are known). `gradients` is built of all three.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from minitape.graphs.compiled.gradients import OfBranches, OfLoop
from minitape.graphs.compiled.running import FlatRunner, Repeated
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Callable

runner = FlatRunner


def rounds(runner: FlatRunner, changing: int) -> Callable[..., Any]:
    """The rounds of a loop on arrays; see `Repeated`."""
    return Repeated(runner, changing).rounds


def gradient(plain: Any) -> OfBranches | OfLoop:
    """The gradient of branches or of a loop on arrays."""
    return OfLoop(plain) if plain.program.repeats else OfBranches(plain)


def finder() -> Callable[..., Any]:
    """Remembers the traces of calls with plain tensors only, by their shapes and dtypes."""
    known: dict[Any, Any] = {}

    def found(find: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        key = None if kwargs else _key(args)
        trace = known.get(key)
        if trace is not None:
            return trace, list(args)
        trace, tensors = find(args, kwargs)
        takes_all = len(tensors) == len(args) and all(map(operator.is_, tensors, args))
        if key is not None and takes_all and trace is not None and trace.stays_valid:
            known[key] = trace  # with no defaults, and nothing converted
        return trace, tensors

    return found


def _key(arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Shapes and dtypes of plain tensors; None if there is something else."""
    found: list[Any] = []
    for x in arguments:
        if type(x) is not EagerTensor:
            return None
        found += (x.value.shape, x.value.dtype)
    return tuple(found)
