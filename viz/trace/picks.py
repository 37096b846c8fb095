"""What an op that takes a part of an array took: `[0]`, `[1:3]`, `[:, 1]`."""

from __future__ import annotations

import json
from typing import Any

from .parts import Node


def picked(node: Node) -> str:
    """The index of an op that takes an element or a part; nothing for any other op.

    Example:
        >>> from minitape.viz.trace.parts import Attribute
        >>> key = Attribute("key", '[{"slice": [1, 3, null]}, 0]')
        >>> picked(Node(1, "op", (0,), "float32", (2,), op="getitem", attributes=(key,)))
        '[1:3, 0]'
    """
    name = {"take": "index", "getitem": "key"}.get(node.op or "")
    given = next((each.json for each in node.attributes if each.name == name), None)
    if given is None:
        return ""
    key = json.loads(given)
    return f"[{', '.join(map(_written, key if isinstance(key, list) else [key]))}]"


def _written(part: Any) -> str:
    """One axis of an index as Python writes it."""
    if isinstance(part, dict):
        start, stop, step = ("" if each is None else str(each) for each in part["slice"])
        return f"{start}:{stop}" + (f":{step}" if step not in ("", "1") else "")
    return "newaxis" if part is None else str(part)
