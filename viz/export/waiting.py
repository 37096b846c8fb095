"""Says how far a long piece of work is, where somebody looks on: in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["counted"]

SECONDS = 2.0  # what is done by then needs no count

Each = TypeVar("Each")


def counted(things: Iterable[Each], total: int, what: str) -> Iterator[Each]:
    """The things one after another; after two seconds a line counts them.

    It stands in the terminal or below the notebook's cell, and goes when the work is done. Nothing
    is written where the output of errors goes to a file or a program.

    Args:
        things: what is worked on.
        total: how many there are.
        what: the word before the number, such as "frame".

    Example:
        >>> list(counted("ab", 2, "frame"))
        ['a', 'b']
    """
    begun = time.monotonic()
    say: Callable[[str], object] | None = None
    try:
        for i, each in enumerate(things, 1):
            if say is None and time.monotonic() - begun > SECONDS:
                say = _line()
            if say is not None:
                say(f"{what} {i} of {total}")
            yield each
    finally:
        if say is not None:
            say("")


def _line() -> Callable[[str], object]:
    """A line that is written anew each time."""
    if sys.stderr.isatty():
        return lambda text: print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    if getattr(shell, "kernel", None) is None:
        return lambda text: None
    from IPython.display import display

    shown = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    return lambda text: shown.update({"text/plain": text}, raw=True)
