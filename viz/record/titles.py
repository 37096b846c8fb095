"""What a call of `gradient` is called on a page: of what, with respect to what, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitape.request import Request
from minitape.variable import ResourceVariable

from ..trace.trace import Line
from .names import own_name

WHAT = {
    "gradient": "gradient",
    "jacobian": "first row of the jacobian",
    "batch_jacobian": "first row of each example's jacobian",
}


def title_of(kind: str, request: Request, names: dict[int, tuple[str, Any]]) -> str:
    """`gradient of y with respect to x`."""
    targets = _called(request.targets, names, "the result")
    sources = _called(request.sources, names, "a tensor")
    return f"{WHAT[kind]} of {targets} with respect to {sources}"


def _called(ends: Sequence[Any], names: dict[int, tuple[str, Any]], unnamed: str) -> str:
    """`w, b and 3 more`: the learner's names of some tensors."""
    found = [names[each.id][0] if each.id in names else _own_name(each) for each in ends]
    shown = list(dict.fromkeys(name or unnamed for name in found))
    return ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")


def _own_name(end: Any) -> str:
    """The name that a variable was given; "" where there is none."""
    name = own_name(end) if isinstance(end, ResourceVariable) else ""
    return "" if name == "Variable" else name


def place_of(line: Line | None, call: int) -> str:
    """Which call that is: the place in the program, and the time it came by there."""
    place = f" ({line.file}, line {line.number}" if line else " ("
    return place + (f", call {call})" if call > 1 else ")")
