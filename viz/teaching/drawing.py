"""Draws a variant's numbers: what a program takes from a generator follows a seed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

import minitape
from minitape.ops.random.randomness import set_seed


@contextmanager
def drawn_anew(seed: str) -> Iterator[None]:
    """Draws other numbers in the block, the same for the same seed.

    That holds for `random`, NumPy's global generator, `tf.random` and what
    `numpy.random.default_rng` makes. A seed that the program sets itself, as most notebooks do in
    their first cell, tells two of its generators apart; the numbers follow both seeds.
    """
    whole = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big")
    state, numpy_state = random.getstate(), np.random.get_state()
    random.seed(whole)
    np.random.seed(whole)
    set_seed(whole)
    try:
        with ExitStack() as block:
            for owner, name, seeded in _seeding(whole):
                block.enter_context(patch.object(owner, name, seeded))
            yield
    finally:
        random.setstate(state)
        np.random.set_state(numpy_state)
        set_seed(None)


def _seeding(whole: int) -> Iterator[tuple[Any, str, Any]]:
    """What a program seeds generators with, each in a form that adds a seed to the program's."""
    plain_seed, numpy_seed, make = random.seed, np.random.seed, np.random.default_rng

    def seed(a: Any = None, version: int = 2) -> None:
        plain_seed(f"{whole}/{a!r}", version)

    def seed_numpy(seed: Any = None) -> None:
        numpy_seed([whole, *np.ravel(0 if seed is None else seed).tolist()])

    def default_rng(seed: Any = None) -> np.random.Generator:
        if seed is None:
            return make(np.random.randint(2**32, dtype=np.uint64))
        is_seed = isinstance(seed, int | np.integer | list | tuple)
        return make([whole, *np.ravel(seed).tolist()] if is_seed else seed)

    def seed_tape(seed: int | None) -> None:
        set_seed(None if seed is None else (whole + seed) % 2**32)

    yield random, "seed", seed
    yield np.random, "seed", seed_numpy
    yield np.random, "default_rng", default_rng
    yield minitape.random, "set_seed", seed_tape
