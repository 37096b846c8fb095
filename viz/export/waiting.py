"""Says how far a long piece of work is, where somebody looks on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["counted"]

SECONDS = 2.0  # what is done by then needs no count

Each = TypeVar("Each")


def counted(things: Iterable[Each], total: int, what: str) -> Iterator[Each]:
    """The things one after another; after two seconds a line in the terminal counts them.

    Nothing is written where the output of errors goes to a file or a program.

    Args:
        things: what is worked on.
        total: how many there are.
        what: the word before the number, such as "frame".

    Example:
        >>> list(counted("ab", 2, "frame"))
        ['a', 'b']
    """
    begun, written = time.monotonic(), False
    try:
        for i, each in enumerate(things, 1):
            if time.monotonic() - begun > SECONDS and sys.stderr.isatty():
                print(f"\r{what} {i} of {total}", end="", file=sys.stderr, flush=True)
                written = True
            yield each
    finally:
        if written:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
