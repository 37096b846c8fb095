"""What a run has to look at: sizes that the graph took for equal may differ.

`x + y` of two unknown sizes is written down as if they were equal. Where one of them turns out to
be 1, it is broadcast, and the gradient would need a sum that is not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minitape.graphs.sizes.shapes import fits, has_size
from minitape.graphs.sizes.size import Size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from minitape.graphs.nodes import Node
    from minitape.tensor import Spec


class SizesDiffer(BaseException):
    """Two unknown sizes that a graph took for equal are not: one of them is broadcast."""


Alike = list[tuple[int, int, int]]


def alike(specs: Mapping[int, Spec], node: Node) -> Alike:
    """Unknown sizes that an elementwise op took for equal: two inputs, and the axis from behind."""
    shapes = [specs[slot].shape for slot in node.inputs]
    if not node.op.broadcasts or len(shapes) < 2:
        return []
    found = []
    for axis in range(1, max(map(len, shapes)) + 1):
        unknown = [i for i, s in enumerate(shapes) if len(s) >= axis and isinstance(s[-axis], Size)]
        found += [(unknown[0], i, -axis) for i in unknown[1:] if node.inputs[i] != node.inputs[0]]
    return found


def check_alike(pairs: Alike, shapes: Sequence[Sequence[int]]) -> None:
    """Ends a run where sizes that were taken for equal are not: its gradient would be wrong.

    Raises:
        SizesDiffer: then.
    """
    for i, j, axis in pairs:
        if shapes[i][axis] != shapes[j][axis]:
            raise SizesDiffer


def has_open_sizes(specs: Mapping[int, Spec], node: Node) -> bool:
    """Whether a run has to look at sizes for this node."""
    if node.sizes or alike(specs, node):
        return True
    return not node.op.elementwise and any(has_size(specs[s].shape) for s in node.inputs)


def check_expected(specs: Mapping[int, Spec], node: Node, shapes: Sequence[Sequence[int]]) -> None:
    """Ends a run in which a result has another shape than was found with the samples.

    Raises:
        SizesDiffer: then.
    """
    for slot, shape in zip(node.outputs, shapes, strict=True):
        if not fits(shape, specs[slot].shape):
            raise SizesDiffer
