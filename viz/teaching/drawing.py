"""Draws a variant's numbers: whatever a program takes from a global generator follows a seed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from minitape.ops.random.randomness import set_seed


@contextmanager
def drawn_anew(seed: str) -> Iterator[None]:
    """Seeds `random`, NumPy's global generator and `tf.random` in the block.

    A generator of a program's own, such as `numpy.random.default_rng()`, is seeded by the program.
    """
    whole = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big")
    state, numpy_state = random.getstate(), np.random.get_state()
    random.seed(whole)
    np.random.seed(whole)
    set_seed(whole)
    try:
        yield
    finally:
        random.setstate(state)
        np.random.set_state(numpy_state)
        set_seed(None)
