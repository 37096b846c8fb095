"""How much memory a block needs, and what is left of earlier tests."""

import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager


def collect_all() -> None:
    """Collects what earlier tests left; what goes in one round may free more for the next."""
    while gc.collect():
        pass


@contextmanager
def at_most(limit: float) -> Iterator[None]:
    """Checks that the block holds less than `limit` bytes at its highest point, beside the rest."""
    gc.collect()
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < limit
