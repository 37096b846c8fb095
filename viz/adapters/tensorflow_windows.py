"""How the window of a TensorFlow convolution moves, and which of its tensors is image, kernel, map.

The one fact to know: TensorFlow says SAME or VALID; how many zeros stand before an image follows
from the shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

ROLES = {
    "Conv2D": ("image", "kernel", "map"),
    "Conv3D": ("image", "kernel", "map"),
    "DepthwiseConv2dNative": ("image", "kernel", "map"),
    "Conv2DBackpropInput": ("", "kernel", "map", "image"),  # the first input is a size
    "Conv3DBackpropInputV2": ("", "kernel", "map", "image"),
    "DepthwiseConv2dNativeBackpropInput": ("", "kernel", "map", "image"),
}


def windows(op: Any, tensors: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The roles, and for each axis stride, zeros before and dilation; nothing of other ops.

    Args:
        op: the op of a graph.
        tensors: its inputs and its result.
    """
    roles = ROLES.get(op.type)
    if roles is None or not op.get_attr("data_format").endswith(b"C"):
        return
    shapes = {role: tuple(x.shape) for role, x in zip(roles, tensors, strict=True)}
    strides, dilations = op.get_attr("strides")[1:-1], op.get_attr("dilations")[1:-1]
    axes = list(zip(strides, _before(op, shapes, strides, dilations), dilations, strict=True))
    yield "roles", roles
    yield "windows", axes


def _before(
    op: Any, shapes: dict[str, Any], strides: Sequence[int], dilations: Sequence[int]
) -> list[int]:
    """The zeros before the image, for each axis."""
    padding = op.get_attr("padding")
    if padding == b"EXPLICIT":
        return list(op.get_attr("explicit_paddings")[2:-2:2])
    if padding == b"VALID":
        return [0] * len(strides)
    image, kernel, maps = shapes["image"][1:-1], shapes["kernel"][:-2], shapes["map"][1:-1]
    sizes = zip(image, kernel, maps, strides, dilations, strict=True)
    return [max((o - 1) * s + (k - 1) * d + 1 - n, 0) // 2 for n, k, o, s, d in sizes]
