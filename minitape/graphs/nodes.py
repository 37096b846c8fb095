"""What a graph is made of: nodes, and the three ops that only graphs have.

A node is an op with slots for its inputs and outputs. Reading and assigning a variable are ops too,
with the variable as an attribute: they happen when the graph runs, in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.op import Op

if TYPE_CHECKING:
    from collections.abc import Sequence


class Node(NamedTuple):
    """One op of a graph: plain data."""

    op: Op
    inputs: tuple[int, ...]
    attributes: tuple[Any, ...]
    outputs: tuple[int, ...]
    effect: bool
    name: str
    line: str
    sizes: tuple[int, ...] = ()  # slots whose shapes decide sizes among the attributes

    @property
    def needs(self) -> tuple[int, ...]:
        """The slots that must have a value before this op runs."""
        return self.inputs + self.sizes if self.sizes else self.inputs


def _read_variable(variable: Any) -> Any:
    return variable._plain.value


def _assign_variable(new: Any, variable: Any, combine: Any) -> Any:
    return variable.update(combine, new)


_assign_variable.__annotations__["new"] = "Array"
READ = Op(_read_variable, (), effect=True, differentiable=False, type_name="ReadVariableOp")
ASSIGN = Op(_assign_variable, (), effect=True, differentiable=False, type_name="AssignVariableOp")
PLACEHOLDER = Op(lambda: None, (), differentiable=False, type_name="Placeholder")


def has_effect(op: Op, attributes: tuple[Any, ...]) -> bool:
    """Whether an op does something, such as an assignment, itself or in a program that it runs."""
    return op.effect or any(getattr(each, "effect", False) for each in attributes)


def live_nodes(nodes: Sequence[Node], outputs: Sequence[int], effects: bool = True) -> list[Node]:
    """Those that `outputs` depend on, and with `effects` those that do something, in order."""
    needed = set(outputs)
    found = []
    for node in reversed(nodes):
        if node.op is not PLACEHOLDER and (
            (effects and node.effect) or not needed.isdisjoint(node.outputs)
        ):
            found.append(node)
            needed.update(node.needs)
    return found[::-1]


def dead_after(nodes: Sequence[Node], outputs: Sequence[int]) -> list[list[int]]:
    """For each node the slots that nothing needs after it."""
    kept = set(outputs)
    found = []
    for node in reversed(nodes):
        dead = [slot for slot in dict.fromkeys((*node.needs, *node.outputs)) if slot not in kept]
        kept.update(dead)
        found.append(dead)
    return found[::-1]
