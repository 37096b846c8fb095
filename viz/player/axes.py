"""What the axes of arrays are called, where an op says so: examples and classes, rows and channels.

The one fact to know: a word is never guessed from a name or a length. Cross entropies and
convolutions say what their axes are; the ops around them carry a word on where an axis stays
itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ..trace.trace import Node

Words = tuple[str, ...]

ROW = ("example", "class")
IMAGE = ("image", "row", "column", "channel")
KERNEL = ("row", "column", "channel", "kernel")
CLASSES = re.compile(r"softmax_cross_entropy")
SAME = re.compile(  # one number after another: an axis of the result is that of the inputs
    r"(add|subtract|multiply|divide|maximum|minimum|pow|square|squared_difference|sqrt|rsqrt|exp|"
    r"log|log1p|expm1|tanh|sigmoid|relu6?|leaky_relu|elu|selu|gelu|swish|softplus|negative|abs|"
    r"softmax|log_softmax|dropout|identity|stop_gradient|cast|select)"
)


def axis_words(nodes: Sequence[Node]) -> dict[int, Words]:
    """Give the words of each node's axes, "" for one that has none; nodes without are left out.

    Example:
        >>> logits = Node(0, "source", (), "float32", (4, 3))
        >>> labels = Node(1, "constant", (), "int32", (4,))
        >>> op = "sparse_softmax_cross_entropy"
        >>> axis_words([logits, labels, Node(2, "op", (1, 0), "float32", (4,), op=op)])
        {0: ('example', 'class'), 1: ('example',), 2: ('example',)}
    """
    found: dict[int, list[str]] = {}
    for node in nodes:
        _say_own(node, nodes, found)
    if not found:
        return {}
    for node in reversed(nodes):  # first back to what led there, then on from all that
        _carry(node, nodes, found)
    for node in nodes:
        _carry(node, nodes, found)
    return {key: tuple(words) for key, words in sorted(found.items()) if any(words)}


def _say_own(node: Node, nodes: Sequence[Node], found: dict[int, list[str]]) -> None:
    """Note the words that an op itself gives to the axes of its inputs and of its result."""
    inputs = [nodes[i] for i in node.inputs]
    if CLASSES.search(node.op or "") and len(inputs) == 2:
        for each in (*inputs, node):
            _note(each, ROW[: len(each.shape)], found)
    elif node.op == "convolution" and len(inputs) == 2 and not _channels_first(node):
        for each, words in zip((*inputs, node), (IMAGE, KERNEL, IMAGE), strict=True):
            _note(each, words, found)
    elif node.op in ("max_pool", "avg_pool") and not _channels_first(node):
        for each in (*inputs, node):
            _note(each, IMAGE, found)


def _note(node: Node, words: Sequence[str], found: dict[int, list[str]]) -> None:
    """Write words down; the first that came stays."""
    if len(words) != len(node.shape) or not words:
        return
    own = found.setdefault(node.id, [""] * len(words))
    for axis, word in enumerate(words):
        own[axis] = own[axis] or word


def _carry(node: Node, nodes: Sequence[Node], found: dict[int, list[str]]) -> None:
    """Carry words between an op's inputs and its result, along the axes that stay themselves."""
    for here, there in _same_axes(node, nodes):
        word = _word(here, found) or _word(there, found)
        for each, axis in (here, there) if word else ():
            own = found.setdefault(each.id, [""] * len(each.shape))
            own[axis] = own[axis] or word


def _word(place: tuple[Node, int], found: dict[int, list[str]]) -> str:
    node, axis = place
    return found[node.id][axis] if node.id in found else ""


Pair = tuple[tuple[Node, int], tuple[Node, int]]


def _same_axes(node: Node, nodes: Sequence[Node]) -> list[Pair]:
    """Pairs of axes, each of a node, that are one and the same."""
    inputs = [nodes[i] for i in node.inputs]
    if node.op == "matmul" and [len(each.shape) for each in (*inputs, node)] == [2, 2, 2]:
        if any(each.json == "true" for each in node.attributes):
            return []  # transposed within the op
        left, right = inputs
        return [((left, 0), (node, 0)), ((right, 1), (node, 1)), ((left, 1), (right, 0))]
    if node.op == "matrix_transpose" and len(node.shape) == 2:
        return [((inputs[0], 0), (node, 1)), ((inputs[0], 1), (node, 0))]
    if not SAME.fullmatch(node.op or ""):
        return []
    return [
        ((each, len(each.shape) - back), (node, len(node.shape) - back))
        for each in inputs
        for back in range(1, min(len(each.shape), len(node.shape)) + 1)
        if each.shape[-back] == node.shape[-back]
    ]


def _channels_first(node: Node) -> bool:
    return any(
        each.name == "layout" and str(json.loads(each.json)).startswith("NC")
        for each in node.attributes
    )
