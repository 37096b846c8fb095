"""Which arrays are images and which are kernels: the page draws them as tiles, channel by channel.

An array does not say what it is; the ops that use it do.
"""

from __future__ import annotations

from ..trace.pictured import IMAGING
from ..trace.trace import Node, Trace


def tiles(trace: Trace) -> dict[int, str]:
    """Say which arrays of four axes are images, and which kernels, where there are any."""
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
