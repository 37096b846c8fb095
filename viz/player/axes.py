"""What the axes of arrays are called, where an op says so: examples and classes, rows and channels.

A word is never guessed from a name or a length. Cross entropies and convolutions say what their
axes are; the ops around them carry a word on where an axis stays itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from minitape.ops.linalg.matrix import matmul, matrix_transpose

from ..trace.facts import facts_of, is_one_of, op_of
from ..trace.trace import Node

Words = tuple[str, ...]


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
    op, around = op_of(node), [*(nodes[i] for i in node.inputs), node]
    if op is None or op.name != node.op or _channels_first(node):
        return  # another program's op of the same meaning may order its axes in another way
    if len(op.facts.axes) == len(around):
        for each, words in zip(around, op.facts.axes, strict=True):
            _note(each, words, found)


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
    if is_one_of(node, matmul) and [len(each.shape) for each in (*inputs, node)] == [2, 2, 2]:
        if any(each.json == "true" for each in node.attributes):
            return []  # transposed within the op
        left, right = inputs
        return [((left, 0), (node, 0)), ((right, 1), (node, 1)), ((left, 1), (right, 0))]
    if is_one_of(node, matrix_transpose) and len(node.shape) == 2:
        return [((inputs[0], 0), (node, 1)), ((inputs[0], 1), (node, 0))]
    if not _keeps_axes(node):
        return []
    return [
        ((each, len(each.shape) - back), (node, len(node.shape) - back))
        for each in inputs
        for back in range(1, min(len(each.shape), len(node.shape)) + 1)
        if each.shape[-back] == node.shape[-back]
    ]


def _keeps_axes(node: Node) -> bool:
    """Whether it is one number after another, so that an axis of the result is that of inputs."""
    op, facts = op_of(node), facts_of(node)
    return facts.keeps_axes or facts.moves == "same" or (op is not None and op.elementwise)


def _channels_first(node: Node) -> bool:
    return any(
        each.name == "layout" and str(json.loads(each.json)).startswith("NC")
        for each in node.attributes
    )
