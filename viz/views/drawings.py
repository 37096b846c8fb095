"""Drawings of a large tape's groups: groups of one structure share one drawing.

The one fact to know: a drawing depends on sizes, edges and kinds of boxes alone; titles and numbers
are written by the player. The rounds of a loop and the layers of a network are then drawn once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..layout.framed import framed_layout
from ..layout.labels import Label
from ..picture.svg import svg
from .views import View


class Drawings:
    """The drawings of one trace, by structure."""

    def __init__(self) -> None:
        self.known: dict[Hashable, str] = {}

    def of(self, view: View, labels: Sequence[Label], framed: Sequence[int], name: str) -> str:
        """Give the drawing of a view, with a frame of that name around some of its boxes."""
        key = (_structure(view, labels), tuple(framed), name)
        if key not in self.known:
            placed = framed_layout(view.trace, framed, name, labels)
            self.known[key] = svg(view.trace, placed, miniatures=False, texts=labels)
        return self.known[key]


def _structure(view: View, labels: Sequence[Label]) -> Hashable:
    """What a drawing of a view is made of, besides titles and numbers."""
    trace = view.trace
    met = {step.node for step in trace.steps if step.old is not None}
    ends = set(trace.targets), set(trace.sources)
    return tuple(
        (
            label.note, label.shape, label.width, label.height, label.pictured, label.cotangent,
            node.kind, node.inputs, node.watched, node.layer, node.scope if node.layer else (),
            node.id in met, node.id in ends[0], node.id in ends[1],
        )
        for node, label in zip(trace.nodes, labels, strict=True)
    )  # fmt: skip
