"""Running a graph op by op on tensors, so that tapes, batches and outer graphs see every op.

Each node becomes the call that a user's program would make; which call that is, and which tensors
nothing needs any more after it, is found once, when the `Replay` is made.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from minitape.call import call
from minitape.graphs.effects import performed
from minitape.graphs.nodes import ASSIGN, READ, dead_after
from minitape.graphs.sizes.checks import alike, check_alike, check_expected, has_open_sizes
from minitape.graphs.sizes.shapes import resolved
from minitape.interpreter import active, tell_journals
from minitape.tensor import EagerTensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node


_UNARY, _BINARY, _GENERAL, _SEVERAL, _SIZED = range(5)


class Replay:
    """A graph as a list of calls on tensors.

    Args:
        graph: the graph, for what it captured.
        nodes: its live nodes, in order.
        inputs: the slots that are given.
        outputs: the slots whose tensors are asked for.
    """

    def __init__(
        self, graph: Graph, nodes: Sequence[Node], inputs: Sequence[int], outputs: Sequence[int]
    ) -> None:
        self.graph, self.inputs = graph, list(inputs)
        needed = [slot for node in nodes for slot in node.needs]
        made = [slot for node in nodes for slot in node.outputs]
        # Where the tensor of a slot stands, while it runs: first the inputs.
        self._places = {slot: i for i, slot in enumerate(dict.fromkeys([*inputs, *made, *needed]))}
        for slot in outputs:
            self._places.setdefault(slot, len(self._places))
        self._outputs = self._places_of(outputs)
        own = {*inputs, *made}
        self._captured = [(slot, i) for slot, i in self._places.items() if slot not in own]
        self._lines = [node.line for node in nodes]
        self._steps = [
            (*self._step(node), self._places_of(dead))
            for node, dead in zip(nodes, dead_after(nodes, outputs), strict=True)
        ]

    def _places_of(self, slots: Sequence[int]) -> list[int]:
        return [self._places[slot] for slot in slots]

    def _step(self, node: Node) -> tuple[Any, ...]:
        """How a node is called, what is called, and where its inputs and results stand."""
        inputs, outputs = self._places_of(node.inputs), self._places_of(node.outputs)
        if self.graph.has_sizes and has_open_sizes(self.graph.specs, node):
            sized = partial(_with_sizes, self.graph, node, self._places)
            return _SIZED, sized, inputs, node.op.several, outputs
        function = _function(node)
        if node.op.several:
            return _SEVERAL, function, inputs, True, outputs
        if len(inputs) == 1:
            return _UNARY, function, inputs[0], 0, outputs[0]
        if len(inputs) == 2:
            return _BINARY, function, *inputs, outputs[0]
        return _GENERAL, function, inputs, 0, outputs[0]

    def __call__(self, tensors: Sequence[Any]) -> list[Any]:
        """The tensors of the outputs for those of the inputs; journals hear each node's line."""
        values: list[Any] = [*tensors, *[None] * (len(self._places) - len(tensors))]
        captured = self.graph.captured
        for slot, place in self._captured:
            values[place] = _from_outside(captured[slot])
        is_seen = any(each.sees_all for each in active())
        try:
            for at, (kind, function, a, b, out, dead) in enumerate(self._steps):
                if is_seen:
                    tell_journals("replayed", self.graph, self._lines[at])
                if kind == _BINARY:
                    values[out] = function(values[a], values[b])
                elif kind == _UNARY:
                    values[out] = function(values[a])
                elif kind == _GENERAL:
                    values[out] = function(*[values[i] for i in a])
                else:
                    given = [values[i] for i in a]
                    found = function(values, *given) if kind == _SIZED else function(*given)
                    for place, x in zip(out, found if b else (found,), strict=True):
                        values[place] = x
                for place in dead:
                    values[place] = None
        finally:
            if is_seen:
                tell_journals("replayed", self.graph, "")
        return [values[place] for place in self._outputs]


def _from_outside(x: Any) -> Any:
    return x.as_operand() if isinstance(x, ResourceVariable) else x


def _function(node: Node) -> Callable[..., Any]:
    """What runs a node."""
    function = _call(node)
    if node.effect and node.op.type_name != "Run":  # a program's effects are those of its own ops
        return lambda *inputs: performed(lambda: function(*inputs))
    return function


def _call(node: Node) -> Callable[..., Any]:
    """The call of an op that users' code would make."""
    op, attributes = node.op, node.attributes
    if op is READ:
        read: Callable[..., Any] = attributes[0].as_operand
        return read
    if op is ASSIGN:
        return partial(_assigned, *attributes)
    if op.type_name == "Run":
        return partial(_replayed, node)
    # An op whose gradient is replaced has the call of the one that it replaces.
    if op.call is None or op.call.op is not op or op.several or op.variadic:
        return lambda *inputs: call(op, inputs, attributes)
    known: Callable[..., Any] = op.call.public  # for tensors, which asks nothing else
    if not attributes:
        return known
    if len(op.inputs) == 1:
        return lambda x: known(x, *attributes)
    return lambda *inputs: call(op, inputs, attributes)


def _assigned(variable: ResourceVariable, combine: Any, new: Any) -> Any:
    variable._set(new, "assign", combine)
    return variable.as_operand()


def _replayed(node: Node, *inputs: Any) -> Any:
    """A branch or loop: op by op, but in a graph one node again."""
    boxes = [x.interpreter for x in inputs if type(x) is not EagerTensor]
    if any(getattr(each, "symbolic", False) for each in boxes):
        return call(node.op, inputs, node.attributes)
    return node.attributes[0].replay(inputs)


def _with_sizes(
    graph: Graph, node: Node, places: dict[int, int], values: Sequence[Any], *inputs: Any
) -> Any:
    """Runs a node with the sizes of this run, from the tensors so far."""
    check_alike(alike(graph.specs, node), [x.spec.shape for x in inputs])
    attributes = resolved(node.attributes, lambda slot: values[places[slot]].spec.shape)
    now = node._replace(attributes=attributes)
    out = performed(lambda: _call(now)(*inputs)) if node.effect else _call(now)(*inputs)
    check_expected(graph.specs, node, [x.spec.shape for x in (out if node.op.several else (out,))])
    return out
