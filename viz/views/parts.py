"""What groups are made of while they are looked for: runs of ops, in runs of ops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

GroupKind = Literal["layer", "scope", "loop", "call", "line", "part"]


@dataclass(slots=True)
class Part:
    """A group under construction: its items are node ids and further parts, in order."""

    kind: GroupKind
    label: str
    items: list[int | Part]


Items = list["int | Part"]


def first(item: int | Part) -> int:
    """The first node of an item."""
    while isinstance(item, Part):
        item = item.items[0]
    return item


def last(item: int | Part) -> int:
    """The last node of an item."""
    while isinstance(item, Part):
        item = item.items[-1]
    return item


def nodes_in(item: int | Part) -> Iterator[int]:
    """All nodes of an item."""
    waiting = [item]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Part):
            waiting += each.items
        else:
            yield each
