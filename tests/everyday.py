"""What takes long is tried by thirds: each day one, so that three days try all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import date
from typing import TypeVar

T = TypeVar("T")

MANY = 6  # parameters of one test
ALL = os.environ.get("MINITAPE_LESSONS") == "all"


def of_today(every: Sequence[T], day: date | None = None) -> Sequence[T]:
    """A third of them, by the date; with MINITAPE_LESSONS=all in the environment all of them."""
    return every if ALL else every[(day or date.today()).toordinal() % 3 :: 3]


def split(items: Sequence[T], name: Callable[[T], str]) -> tuple[list[T], list[T]]:
    """Which items are tried today, and which are not: of many of one name a third.

    Items that take turns have the name of their turns, whatever their tests are called.
    """
    groups: dict[str, list[T]] = {}
    for each in items:
        groups.setdefault(name(each), []).append(each)
    kept = {
        id(each)
        for group in groups.values()
        for each in (group if len(group) < MANY else of_today(group))
    }
    return [x for x in items if id(x) in kept], [x for x in items if id(x) not in kept]
