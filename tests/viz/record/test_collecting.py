"""Long tapes are made without Python's collector of cycles, which has nothing to find there."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from minitape.viz.base.collecting import uncollected


@uncollected
def many() -> list[list[int]]:
    return [[i] for i in range(10_000)]


@pytest.fixture
def thawed() -> Iterator[None]:
    """Nothing frozen, as in a program of a learner's; the tests freeze what all of them share."""
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    yield
    if frozen:
        gc.freeze()


@pytest.mark.usefixtures("thawed")
def test_what_was_made_counts_as_old_so_that_the_next_collection_of_the_young_skips_it() -> None:
    made = many()
    old = {id(each) for each in gc.get_objects(generation=2)}
    assert {id(each) for each in made} <= old


def test_the_collector_runs_again_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        uncollected(lambda: 1 / 0)()
    assert gc.isenabled()


def test_a_program_that_froze_its_objects_keeps_them_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        many()
        assert gc.get_freeze_count() >= frozen - 100  # those that were let go meanwhile
    finally:
        gc.unfreeze()


def test_a_program_without_a_collector_keeps_it_off() -> None:
    gc.disable()
    try:
        many()
        assert not gc.isenabled()
    finally:
        gc.enable()
