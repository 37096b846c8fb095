"""Everything about graphs that only saves time, and that can be left out, as `compiling` does.

The folder has what that module hands on: `runner`, which gives what a plain `Runner` gives, by a
flat list of steps; `rounds`, the same for loops; `gradient`, of branches and loops; and `key`, by
which a call finds its trace. Read `running` first, then what it is given: `simplifying` (what need
not be done), `exact` (for sizes that come often) and `forwards` (for one
node whose shapes are known). `gradients` is built of all three.
"""

from __future__ import annotations

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


def key(arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Shapes and dtypes of a call with plain tensors only, else None."""
    found: list[Any] = []
    for x in arguments:
        if type(x) is not EagerTensor:
            return None
        found += (x.value.shape, x.value.dtype)
    return tuple(found)
