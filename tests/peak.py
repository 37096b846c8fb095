"""How much memory a call needs."""

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any


def peak_memory(call: Callable[[], Any]) -> int:
    """Bytes that `call` holds at its highest point, beyond what was there when it began."""
    call()  # plans and caches, which stay
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
