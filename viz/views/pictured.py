"""A picture of a tape, and the part of a tape that one shows, before it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..layout.labels import Label, roomy_labels, uniform_labels
from ..trace.changed import changed
from ..trace.trace import Node, Step, Trace
from .chapters import Cotangents
from .groups import Group
from .views import View, collapsed_view


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of a trace.

    Attributes:
        name: What it shows, "" for the whole.
        drawing: The SVG; its `data-node` numbers are positions in `members`.
        members: For each box the nodes of the whole trace that it stands for, the last one speaking
            for all; empty when every box is the node of its number.
        opens: For each closed group's box the number of the picture of its inside.
        titles: Where one drawing serves several pictures, the titles of this one's boxes.
        depth: Of a graph's picture how many depths of programs are open, else None.
        deeper: The number of its picture with one more depth open.
        slots: Of a strip the boxes that are its slots.
        slot: Of a strip the slot that is open below, None where none is.
        weights: Of a strip the weight, as a node of the whole trace, that is drawn in a slot.
        start: Of the whole as a strip, the number of the picture to begin with.
    """

    name: str
    drawing: str
    members: tuple[tuple[int, ...], ...] = ()
    opens: dict[int, int] | None = None
    titles: tuple[str, ...] = ()
    depth: int | None = None
    deeper: int | None = None
    slots: tuple[int, ...] = ()
    slot: int | None = None
    weights: dict[int, int] | None = None
    start: int | None = None


@dataclass(frozen=True, slots=True)
class PartOfTape:
    """Some nodes of a tape, those that feed them as leaves, the groups among them closed.

    Attributes:
        name: What it is, "" for the whole.
        view: It as a trace of its own.
        labels: The texts of its boxes.
        members: For each box its nodes in the whole trace.
        opens: For each closed group's box the number of the picture of its inside.
        within: The nodes that it is about, without those that feed them.
    """

    name: str
    view: View
    labels: tuple[Label, ...]
    members: tuple[tuple[int, ...], ...]
    opens: dict[int, int]
    within: tuple[int, ...]


def part_of(
    trace: Trace, name: str, within: tuple[int, ...], closed: Sequence[Group], texts: Cotangents
) -> PartOfTape:
    """Cut some nodes out of a tape, with those that feed them."""
    inside = set(within)
    chosen = sorted(inside.union(*(trace.nodes[node].inputs for node in within)))
    number = {node: i for i, node in enumerate(chosen)}
    nodes = tuple(_renumbered(trace.nodes[node], number, node in inside) for node in chosen)
    arrived = [(number[node], *texts[node]) for node in chosen if node in texts]
    steps = [
        Step("accumulate", node, total=array, old=array if met else None)
        for node, array, met in arrived
    ]
    part = trace.part(
        nodes=nodes, steps=tuple(steps), targets=_kept(trace.targets, number),
        sources=_kept(trace.sources, number), gradients={}, breaks=(), insides=(), paths=(),
        source_text=(), title=" · ".join(filter(None, [trace.title, name])),
    )  # fmt: skip
    renumbered = [
        Group(i, group.kind, group.label, None, tuple(number[node] for node in group.nodes))
        for i, group in enumerate(closed)
    ]
    view = collapsed_view(part, (), renumbered)
    # The first picture is also what stands there without a script: it has its texts.
    labels = uniform_labels(view.trace) if name else roomy_labels(view.trace)
    members = tuple(tuple(chosen[member] for member in members) for members in view.members)
    opens = {box: closed[group].id + 1 for box, group in enumerate(view.group) if group is not None}
    return PartOfTape(name, view, labels, members, opens, within)


def _renumbered(node: Node, number: dict[int, int], is_inside: bool) -> Node:
    if is_inside:
        return changed(node, id=number[node.id], inputs=tuple(number[i] for i in node.inputs))
    kind = "source" if node.kind == "op" else node.kind
    return changed(node, id=number[node.id], inputs=(), kind=kind, name=node.name or node.op or "")


def _kept(nodes: tuple[int, ...], number: dict[int, int]) -> tuple[int, ...]:
    return tuple(number[node] for node in nodes if node in number)
