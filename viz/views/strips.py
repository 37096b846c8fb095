"""Which pictures are strips: rounds or layers of a large tape side by side, one of them open.

A strip is the first picture of a tape together with the inside of one group, as two drawings on one
sheet; a node may so have two boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..layout.labels import Label, is_pictured
from ..layout.strip import Strip
from ..trace.trace import Trace
from .groups import FEW, Group
from .views import View

FEWEST_SLOTS, MOST_SLOTS = 3, 13
MOST_ABOVE, MOST_BESIDE = 6, 6  # boxes
PICTURED, PLAIN = 76.0, 92.0  # width of a slot
ROOM = 116.0  # height: title, value, cotangent, a bar of how much arrives
WEIGHT = 46.0  # more height for a weight of the slot's own, beside its cotangent


def strip_of(view: View, grouping: Sequence[Group]) -> Strip | None:
    """Find the slots of a tape's first picture, and where its other boxes stand."""
    slots = _chain(view, grouping)
    if not FEWEST_SLOTS <= len(slots) <= MOST_SLOTS:
        return None
    nodes = view.trace.nodes
    chosen = set(slots)
    users: dict[int, set[int]] = {}
    for node in nodes:
        for each in node.inputs:
            users.setdefault(each, set()).add(node.id)
    others = [node.id for node in nodes if node.id not in chosen]
    above = [i for i in others if not nodes[i].inputs and len(users.get(i, set()) & chosen) > 1]
    left = [i for i in others if i < slots[0] and i not in above and _feeds(i, users, slots[0])]
    right = [i for i in others if i not in above and i not in left]
    if len(above) > MOST_ABOVE or max(len(left), len(right)) > MOST_BESIDE:
        return None
    return Strip(tuple(slots), tuple(above), tuple(left), tuple(right))


def _chain(view: View, grouping: Sequence[Group]) -> list[int]:
    """The longest run of groups of which each uses the one before."""
    best: list[int] = []
    run: list[int] = []
    for node in view.trace.nodes:
        number = view.group[node.id]
        is_slot = number is not None and node.inputs and grouping[number].kind != "line"
        if is_slot and run and run[-1] == node.id - 1 and run[-1] in node.inputs:
            run.append(node.id)
        else:
            run = [node.id] if number is not None and node.kind == "op" else []
        best = run[:] if len(run) > len(best) else best
    return best


def _feeds(node: int, users: dict[int, set[int]], slot: int) -> bool:
    """Whether a box leads to a slot."""
    waiting, seen = [node], {node}
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user == slot:
                return True
            if user not in seen and user < slot:
                seen.add(user)
                waiting.append(user)
    return any(user > slot for user in users.get(node, ()))


def strip_name(labels: Sequence[str]) -> str:
    """What stands on the frame: "× 10 rounds".

    Example:
        >>> strip_name(["round 1", "round 2 … 9", "round 10"]), strip_name(["first", "last"])
        ('× 10 rounds', '× 2 parts')
    """
    words = {label.partition(" ")[0] for label in labels}
    last = labels[-1].rpartition(" ")[2]
    is_counted = len(words) == 1 and last.isdigit() and labels[0].endswith(" 1")
    return f"× {last} {words.pop()}s" if is_counted else f"× {len(labels)} parts"


def weights_of(trace: Trace, slots: dict[int, Sequence[int]]) -> dict[int, int]:
    """The weight that is drawn in each slot: the only matrix in it whose gradient is asked for."""
    found, sources = {}, set(trace.sources)
    for slot, members in slots.items():
        asked = [trace.nodes[node] for node in members if node in sources]
        matrices = [node.id for node in asked if len(node.shape) > 1 and is_pictured(node)]
        if len(matrices) == 1:
            found[slot] = matrices[0]
    return found


def slot_labels(labels: Sequence[Label], strip: Strip, weights: bool) -> list[Label]:
    """The labels of a strip's boxes: a slot is narrow, its value stands above its cotangent."""
    slots = set(strip.slots)
    titles = [labels[i].title for i in strip.slots]
    counted = strip_name(titles).rpartition(" ")[2] != "parts"
    found = []
    for i, label in enumerate(labels):
        if i in slots:
            title = label.title.partition(" ")[2] if counted else label.title
            width = PICTURED if label.pictured else PLAIN
            high = ROOM + WEIGHT * weights if label.pictured else label.height
            label = replace(
                label, title=_short(title, width), note="", shape="", width=width, height=high
            )
        found.append(label)
    return found


def _short(title: str, width: float) -> str:
    room = int((width - 16) / 8)
    return title if len(title) <= room else title[: room - 1] + "…"


def opens_at_once(outer: View, inner: View) -> bool:
    """Whether the strip and one open slot can be read together."""
    return len(outer.trace.nodes) + len(inner.trace.nodes) <= FEW
