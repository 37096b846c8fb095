"""A picture of a tape, and the part of a tape that one shows, before it is drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ..layout.labels import Label, roomy_labels, uniform_labels
from ..trace.trace import Node, Step, Trace
from .chapters import cotangents
from .groups import Group
from .views import View, as_leaf, view_of


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
        folds: Of an overview the number of the picture that shows each step.
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
    folds: tuple[int, ...] = ()


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


class Scissors:
    """Cuts parts out of one tape."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.arrived = cotangents(trace)
        self.ends = set(trace.targets), set(trace.sources)

    def part(
        self, name: str, within: tuple[int, ...], closed: Sequence[Group], open_alone: bool = False
    ) -> PartOfTape:
        """Cut some nodes out, with those that feed them.

        Args:
            name: What the part is.
            within: The nodes.
            closed: The groups among them that are drawn as one box each.
            open_alone: Whether what feeds closed groups alone stays out.
        """
        hidden = {node for group in closed for node in group.nodes} if open_alone else set()
        shown = self._with_feeding(within, hidden)
        targets, sources = (tuple(n.id for n in shown if n.id in each) for each in self.ends)
        title = " · ".join(filter(None, [self.trace.title, name]))
        whole = self.trace.part(
            steps=(), targets=targets, sources=sources, gradients={}, breaks=(), source_text=(),
            title=title,
        )  # fmt: skip
        owners = {node: place for place, group in enumerate(closed) for node in group.nodes}
        view = self._with_cotangents(view_of(whole, shown, owners, closed))
        # The first picture is also what stands there without a script: it has its texts.
        labels = uniform_labels(view.trace) if name else roomy_labels(view.trace)
        opens = {
            box: closed[place].id + 1 for box, place in enumerate(view.group) if place is not None
        }
        return PartOfTape(name, view, labels, view.members, opens, within)

    def _with_feeding(self, within: tuple[int, ...], hidden: Collection[int]) -> list[Node]:
        nodes, inside = self.trace.nodes, set(within)
        fed = (nodes[node].inputs for node in within if node not in hidden)
        chosen = sorted(inside.union(*fed))
        return [nodes[i] if i in inside else _named_leaf(nodes[i]) for i in chosen]

    def _with_cotangents(self, view: View) -> View:
        """The view with a step for what each box has in the end."""
        last = [(box, self.arrived.get(members[-1])) for box, members in enumerate(view.members)]
        steps = tuple(
            Step("accumulate", box, total=found[0], old=found[0] if found[1] else None)
            for box, found in last
            if found is not None
        )
        return replace(view, trace=view.trace.part(steps=steps))


def _named_leaf(node: Node) -> Node:
    return as_leaf(node, name=node.name or node.op or "")
