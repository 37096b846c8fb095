"""Running a graph op by op on tensors, so that tapes, batches and outer graphs see every op.

The one fact to know: each node becomes the call that a user's program would make; which call that
is, and which tensors nothing needs any more after it, is found once, when the `Replay` is made.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from minitape.call import call
from minitape.graphs.effects import performed
from minitape.graphs.nodes import ASSIGN, READ
from minitape.graphs.sizes.checks import alike, check_alike, check_expected, has_open_sizes
from minitape.graphs.sizes.shapes import resolved
from minitape.interpreter import active, tell_journals
from minitape.primitive import registry
from minitape.tensor import EagerTensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node

    Values = dict[int, Any]  # the tensors by slot


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
        self.graph, self.inputs, self.outputs = graph, list(inputs), list(outputs)
        made = {slot for node in nodes for slot in node.outputs} | set(inputs)
        needed = [slot for node in nodes for slot in node.needs] + self.outputs
        self._captured = [slot for slot in dict.fromkeys(needed) if slot not in made]
        self._lines = [node.line for node in nodes]
        self._steps = [
            (*_function(graph, node), node.inputs, node.outputs, node.op.several, dead)
            for node, dead in zip(nodes, _dead_after(nodes, outputs), strict=True)
        ]

    def __call__(self, tensors: Sequence[Any]) -> list[Any]:
        """The tensors of the outputs for those of the inputs; journals hear each node's line."""
        captured = self.graph.captured
        values: Values = dict(zip(self.inputs, tensors, strict=True))
        for slot in self._captured:
            values[slot] = _from_outside(captured[slot])
        is_seen = any(each.sees_all for each in active())
        try:
            for at, (function, needs_shapes, inputs, outputs, several, dead) in enumerate(
                self._steps
            ):
                if is_seen:
                    tell_journals("replayed", self.graph, self._lines[at])
                given = [values[slot] for slot in inputs]
                out = function(values, *given) if needs_shapes else function(*given)
                if several:
                    values.update(zip(outputs, out, strict=True))
                else:
                    values[outputs[0]] = out
                for slot in dead:
                    del values[slot]
        finally:
            if is_seen:
                tell_journals("replayed", self.graph, "")
        return [values[slot] for slot in self.outputs]


def _dead_after(nodes: Sequence[Node], outputs: Sequence[int]) -> list[list[int]]:
    """For each node the slots that nothing needs after it."""
    kept = set(outputs)
    found = []
    for node in reversed(nodes):
        dead = [slot for slot in dict.fromkeys((*node.needs, *node.outputs)) if slot not in kept]
        kept.update(dead)
        found.append(dead)
    return found[::-1]


def _from_outside(x: Any) -> Any:
    return x.as_operand() if isinstance(x, ResourceVariable) else x


def _function(graph: Graph, node: Node) -> tuple[Callable[..., Any], bool]:
    """What runs a node, and whether it takes the tensors so far, for their shapes, before all."""
    if graph.has_sizes and has_open_sizes(graph.specs, node):
        return partial(_with_sizes, graph, node), True
    function = _call(node)
    if node.effect and node.op.type_name != "Run":  # a program's effects are those of its own ops
        return lambda *inputs: performed(lambda: function(*inputs)), False
    return function, False


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
    known: Callable[..., Any] | None = registry.get(op.name)
    if known is None or getattr(known, "op", None) is not op or op.several or op.variadic:
        return lambda *inputs: call(op, inputs, attributes)
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


def _with_sizes(graph: Graph, node: Node, values: Values, *inputs: Any) -> Any:
    """Runs a node with the sizes of this run."""
    check_alike(alike(graph.specs, node), [x.spec.shape for x in inputs])
    attributes = resolved(node.attributes, lambda slot: values[slot].spec.shape)
    now = node._replace(attributes=attributes)
    out = performed(lambda: _call(now)(*inputs)) if node.effect else _call(now)(*inputs)
    check_expected(graph.specs, node, [x.spec.shape for x in (out if node.op.several else (out,))])
    return out
