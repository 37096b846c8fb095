"""What a run of a graph need not do: what is known, computed already, or just assigned.

Values are the same as without it, bit by bit, since an op is left out only where another one, of
the same inputs and attributes, has given its result. Two ops that share most of their work become
one step (`joined`), with the bits that they have apart. Only runs on arrays are simplified; an
interpreter that watches the ops sees each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.graphs.nodes import ASSIGN, READ
from minitape.ops.broadcasting import sum_to
from minitape.ops.elementwise.comparison import tie
from minitape.ops.passing import identity, stop_gradient
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node
    from minitape.op import Op


class Simplifier:
    """Goes through the nodes of a graph in order, and tells which of them are to run.

    Args:
        graph: the graph.
        given: the slots whose values a run is given, whatever the graph says of them.

    Attributes:
        constants: slot -> its value, which is the same in all runs.
    """

    def __init__(self, graph: Graph, given: Collection[int]) -> None:
        self._graph, self._given = graph, given
        self.constants: dict[int, Any] = {}
        self._same: dict[int, int] = {}  # slot -> an earlier one with the same value
        self._numbers: dict[Any, int] = {}  # dtype and bytes of a constant -> its slot
        self._computed: dict[Any, tuple[int, ...]] = {}  # op, inputs, attributes -> the results
        self._held: dict[int, tuple[int, ...]] = {}  # variable's id -> the slot of its value

    def simplified(self, nodes: Sequence[Node], outputs: Sequence[int]) -> list[Node]:
        """The nodes that are to run for `outputs`, on the slots that have values then.

        Nodes with sizes that are not known are left as they are: their shapes name the slots.
        """
        if any(node.sizes for node in nodes):
            return list(nodes)
        found = [node for node in map(self._left, nodes) if node is not None]
        used = {slot for node in found for slot in node.needs} | set(map(self.slot, outputs))
        return joined([node for node in found if node.op is not READ or node.outputs[0] in used])

    def slot(self, slot: int) -> int:
        """The slot that has the value of `slot`."""
        slot = self._same.get(slot, slot)
        outside = self._graph.captured.get(slot)
        if slot in self._given or slot in self.constants or not isinstance(outside, EagerTensor):
            return slot
        return self._number(slot, outside.value)

    def _number(self, slot: int, value: Any) -> int:
        """The first constant that is the same number as this one."""
        if value.dtype.kind in "biufc" and not value.shape:
            first = self._numbers.setdefault((value.dtype, value.tobytes()), slot)
            if first != slot:
                self._same[slot] = first
                return first
        self.constants[slot] = value
        return slot

    def _left(self, node: Node) -> Node | None:
        """The node on the slots that have values; None if its results are there without it."""
        inputs = tuple(map(self.slot, node.inputs))
        if inputs != node.inputs:
            node = node._replace(inputs=inputs)
        if node.effect:
            return self._done(node)
        if self._follows_from_constants(node):
            self.constants.update((slot, self._graph.known[slot]) for slot in node.outputs)
            return None
        if self._passes_on(node):
            self._same[node.outputs[0]] = node.inputs[0]
            return None
        if not _is_plain(node.attributes):
            return node
        return self._first(self._computed, (node.op, node.inputs, repr(node.attributes)), node)

    def _follows_from_constants(self, node: Node) -> bool:
        known = self._graph.known
        return (
            bool(node.inputs)
            and all(slot in known for slot in node.outputs)
            and all(slot in self.constants for slot in node.inputs)
        )

    def _passes_on(self, node: Node) -> bool:
        """Whether the result is the first input itself."""
        specs = self._graph.specs
        return node.op in _PASSING and specs[node.inputs[0]] == specs[node.outputs[0]]

    def _done(self, node: Node) -> Node | None:
        """A node with an effect: a read is left out if what the variable holds is known here."""
        if node.op is READ:
            return self._first(self._held, node.attributes[0].id, node)
        if node.op is ASSIGN:
            self._held[node.attributes[0].id] = node.outputs
        elif not node.op.draws:  # programs and Python may assign what they like
            self._held.clear()
        return node

    def _first(self, table: dict[Any, tuple[int, ...]], key: Any, node: Node) -> Node | None:
        """The node if it is the first under its key; else None, and its results are the first's."""
        first = table.setdefault(key, node.outputs)
        if first is node.outputs:
            return node
        self._same.update(zip(node.outputs, first, strict=True))
        return None


# They give their first input where the result has its shape.
_PASSING = {each.op for each in (identity, stop_gradient, tie, sum_to)}
_PLAIN = {bool, int, float, complex, str, bytes, type(None)}


def _is_plain(value: Any) -> bool:
    """Whether equal `repr`s of two attributes mean that they are the same."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if isinstance(value, slice):
        return all(map(_is_plain, (value.start, value.stop, value.step)))
    return type(value) in _PLAIN or isinstance(value, np.dtype | np.generic)


def joined(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, in which the first of two that share their work gives the results of both.

    Which ops these are stands in their declarations (`joint`): a cross entropy and its slope, for
    instance, take one softmax.
    """
    found: list[Node] = []
    # The partner's op and inputs -> the place of the node that waits for it, and the op of both.
    waiting: dict[Any, tuple[int, Op]] = {}
    for node in nodes:
        partner = waiting.pop((node.op, node.inputs), None)
        if partner is not None:
            place, both = partner
            found[place] = _joint(both, found[place], node)
            continue
        if node.op.joint is not None:
            other, both = node.op.joint
            waiting[other, _inputs_of(other, node)] = len(found), both
        found.append(node)
    return found


def _inputs_of(other: Op, node: Node) -> tuple[int, ...]:
    """The inputs by which another op would share the work of a node: those of the same names."""
    named = dict(zip(node.op.inputs, node.inputs, strict=True))
    return tuple(named[name] for name in other.inputs)


def _joint(both: Op, first: Node, second: Node) -> Node:
    """The node in place of two."""
    return first._replace(
        op=both,
        attributes=first.attributes + second.attributes,
        outputs=first.outputs + second.outputs,
    )
