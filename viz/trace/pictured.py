"""Which arrays are images and which are kernels, and which of their axes are rows and columns.

An array does not say what it is; the ops that use it do. With channels last, images have their rows
and columns in the middle, and kernels in front.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .thumbs import LAST_AXES, Axes
from .trace import Node, Trace

IMAGING = re.compile("conv(?!ert)|pool|image|resize", re.IGNORECASE)

Shape = tuple[int, ...]


class Pictures:
    """What the ops of a recording say of its arrays of four axes."""

    def __init__(self) -> None:
        self.has_images = False
        self.kernels: set[Shape] = set()

    def learn(self, op: str, shapes: Sequence[Shape]) -> None:
        """Note an op and the shapes of its inputs."""
        if IMAGING.search(op):
            self.has_images = True
            self.kernels.update(shapes[1:2] if "conv" in op.lower() else ())

    def axes(self, shape: Shape) -> Axes:
        """The axes of rows and columns of an array of a shape.

        Example:
            >>> pictures = Pictures()
            >>> pictures.learn("convolution", [(8, 28, 28, 3), (5, 5, 3, 16)])
            >>> pictures.axes((8, 24, 24, 16)), pictures.axes((5, 5, 3, 16))
            ((1, 2), (0, 1))
        """
        if len(shape) != 4 or not self.has_images:
            return LAST_AXES
        return (0, 1) if shape in self.kernels else (1, 2)


def tiles(trace: Trace) -> dict[int, str]:
    """Say which arrays of four axes a page draws as tiles: images and kernels, if there are any."""
    imaging = [node for node in trace.nodes if IMAGING.search(node.op or "")]
    if not imaging or any(_channels_first(node) for node in imaging):
        return {}  # with channels before rows the last two axes are the picture, as of any array
    found = {node.id: "image" for node in trace.nodes if len(node.shape) == 4}
    for node in imaging:
        for each in node.inputs[1:2]:
            if "conv" in (node.op or "").lower() and len(trace.nodes[each].shape) == 4:
                found[each] = "kernel"
    return found


def _channels_first(node: Node) -> bool:
    return any((each.name, each.json) == ("layout", '"NCHW"') for each in node.attributes)
