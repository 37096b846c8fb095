"""Writes a trace node by node and step by step; what every adapter has in common.

A cotangent is added up here as the steps come, so `total` and `accumulate` follow from the
contributions alone. Who has totals of his own (a learner's engine) gives them. A formula of
minitape's stands only beside numbers that it gives too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..record.build import code_of
from ..trace.arrays import Array
from ..trace.pictured import Pictures
from ..trace.trace import Node, NodeKind, Operand, Producer, Step, Trace
from .formulas import forward_formula, rule_formula
from .namesakes import Call, Namesake, namesake

Read = tuple[str, int, Any]  # a value that a rule reads: its symbol, node and array


class Writer:
    """A trace in the making.

    Attributes:
        nodes: the nodes so far.
        steps: the steps so far.
        values: the arrays of the nodes, None where unknown.
        cotangents: what has arrived at each node so far.
    """

    def __init__(self, pictures: Pictures | None = None) -> None:
        self.pictures = pictures or Pictures()  # where images and kernels have rows and columns
        self.nodes: list[Node] = []
        self.steps: list[Step] = []
        self.values: list[Any] = []
        self.cotangents: dict[int, Any] = {}
        self._kept: dict[int, tuple[Any, Array]] = {}  # by identity, so the array is held, too

    def leaf(self, value: Any, kind: NodeKind = "source", **fields: Any) -> int:
        """Add a node that no op made; `fields` are those of `Node`."""
        return self._add(value, Node(len(self.nodes), kind, (), **self._described(value, fields)))

    def op(self, op: str, inputs: Iterable[int], value: Any, **fields: Any) -> int:
        """Add an op's result with its forward step; `fields` are those of `Node`."""
        described = self._described(value, fields)
        node = Node(len(self.nodes), "op", tuple(inputs), op=op, **described)
        forward = Step(
            "forward", node.id, formula=node.formula, numbers=node.numbers, line=node.line
        )
        self.steps.append(forward)
        return self._add(value, node)

    def _add(self, value: Any, node: Node) -> int:
        self.nodes.append(node)
        self.values.append(None if value is None else plain(value))
        return node.id

    def label(self, number: int) -> str:
        """What a formula calls a node: its name, else its op's with its number."""
        node = self.nodes[number]
        return node.name or (f"{node.op}_{number}" if node.op else "")

    def symbols(self, inputs: Iterable[int]) -> list[str]:
        """What short formulas call the inputs: a constant without a name is c with its number."""
        return [self.label(n) or f"c_{n}" for n in inputs]

    def formula(
        self, op: str, call: Call | None, inputs: Sequence[int], value: Any
    ) -> dict[str, Any]:
        """The fields `formula` and `numbers` of an op's result: its namesake's, or a short one."""
        found = self._namesake(call, inputs, value)
        if found is None or found.formula is None:
            return {"formula": forward_formula(op, self.symbols(inputs))}
        return {"formula": found.formula, "numbers": found.numbers}

    def _namesake(
        self, call: Call | None, inputs: Sequence[int], value: Any, g: Any = None
    ) -> Namesake | None:
        """Minitape's op of the same meaning at the inputs' values, where it gives `value` too."""
        values = [self.values[i] for i in inputs]
        if value is None or any(each is None for each in values):
            return None
        found = namesake(call, values, [self.label(i) for i in inputs], "", g)
        if found is None or np.shape(found.value) != np.shape(value):
            return None
        return found if np.allclose(found.value, value, rtol=1e-4, atol=1e-6) else None

    def seed(self, node: int, g: Any) -> None:
        """The sweep starts at a node."""
        g = plain(g)
        self._arrive(node, g)
        self.steps.append(Step("seed", node, cotangent=self._array(g), line=self.nodes[node].line))

    def pulls(
        self, outputs: Sequence[int], came: Sequence[Any], shares: Mapping[int, Any],
        call: Call | None, saved: Callable[[], Iterable[Read]], op: str = "",
    ) -> None:  # fmt: skip
        """The rules of one op ran.

        Args:
            outputs: the op's results.
            came: what came in at each.
            shares: what goes to the inputs, by their positions.
            call: minitape's op of the same meaning, if there is one.
            saved: gives what a rule reads that is not minitape's.
            op: the op in the table of short formulas, where that is not the node's.
        """
        node = outputs[0]
        inputs = self.nodes[node].inputs
        found = self._namesake(call, inputs, self.values[node], came[0]) if len(came) == 1 else None
        for position, share in shares.items():
            rule = found.rules.get(position) if found else None
            if rule is not None and not np.allclose(rule.share, share, rtol=1e-3, atol=1e-5):
                rule = None
            read = list(saved() if rule is None else self.read(rule.places(node, inputs)))
            if rule is None or rule.said["formula"] is None:
                name, results = op or self.nodes[node].op or "", len(came)
                said: dict[str, Any] = {
                    "formula": rule_formula(name, self.symbols(inputs), position, results)
                }
            else:
                said = rule.said
            operands = tuple(operands_of(came, outputs, read, self.recorded))
            if any((term.operand or 0) >= len(operands) for term in said.get("equation", ())):
                said = said | {"equation": ()}
            self.pull(node, position, came, share, operands, **said)

    def recorded(self, value: Any) -> Array:
        """What the trace keeps of an array; one that comes again is not looked at again."""
        if id(value) not in self._kept:
            self._kept[id(value)] = value, self._array(plain(value))
        return self._kept[id(value)][1]

    def read(self, places: Iterable[tuple[str, int]]) -> list[Read]:
        """The values of nodes, each with its symbol."""
        return [(symbol, place, self.values[place]) for symbol, place in places]

    def read_inputs(self, node: int) -> list[Read]:
        """All inputs of a node, by the names that formulas call them."""
        inputs = tuple(dict.fromkeys(self.nodes[node].inputs))
        return self.read(zip(self.symbols(inputs), inputs, strict=True))

    def pull(
        self, node: int, position: int, came: Sequence[Any], share: Any,
        operands: Iterable[Operand] = (), **fields: Any,
    ) -> None:  # fmt: skip
        """One rule ran: `came` is what came in at the op's results, `share` goes to the input."""
        to, share = self.nodes[node].inputs[position], plain(share)
        old = self.cotangents.get(to)
        total = self._arrive(to, share)
        given = tuple(None if g is None else self.recorded(g) for g in came)
        several = len(given) > 1
        passed: dict[str, Any] = {
            "contribution": self.recorded(share), "total": self.recorded(total)
        }  # fmt: skip
        self.steps.append(
            Step(
                "pull", node, to, position, None if several else given[0],
                cotangents=given if several else (), operands=tuple(operands),
                line=self.nodes[node].line, **passed, **fields,
            )
        )  # fmt: skip
        if old is not None:
            line = self.nodes[to].line
            self.steps.append(Step("accumulate", to, old=self.recorded(old), line=line, **passed))

    def _arrive(self, node: int, share: Any) -> Any:
        old = self.cotangents.get(node)
        self.cotangents[node] = share if old is None else old + share
        return self.cotangents[node]

    def trace(
        self, targets: Iterable[int], sources: Iterable[int], producer: Producer, **fields: Any
    ) -> Trace:
        """The trace; sources that nothing reached get an `unconnected` step each."""
        sources = tuple(dict.fromkeys(sources))
        gradients = fields.pop("gradients", self.cotangents)
        found = {s: None if gradients.get(s) is None else gradients[s] for s in sources}
        lost = [Step("unconnected", s) for s in sources if found[s] is None]
        return Trace(
            tuple(self.nodes), (*self.steps, *lost), tuple(dict.fromkeys(targets)), sources,
            {s: None if g is None else self._whole(plain(g)) for s, g in found.items()},
            source_text=code_of(self.nodes), producer=producer, **fields,
        )  # fmt: skip

    def _whole(self, array: Any) -> Array:
        """The record of a gradient, which holds all of it."""
        return self._array(array).holding(np.array(array))

    def _array(self, array: Any, dtype: str = "") -> Array:
        return Array.of(array, dtype=dtype, picture=self.pictures.axes(np.shape(array)))

    def _described(self, value: Any, fields: dict[str, Any]) -> dict[str, Any]:
        """Value, dtype and shape of a node, where they are not given."""
        if value is None:
            return {"dtype": "", "shape": ()} | fields
        array = plain(value)
        dtype = fields.get("dtype") or array.dtype.name
        kept = self._array(array, dtype if dtype != array.dtype.name else "")
        return {"value": kept, "dtype": dtype, "shape": array.shape} | fields


def operands_of(
    came: Sequence[Any], outputs: Sequence[int], read: Iterable[Read],
    recorded: Callable[[Any], Array] = lambda value: Array.of(plain(value)),
) -> Iterable[Operand]:  # fmt: skip
    """The operands of a step: the cotangents first, then symbol, node and array of each value."""
    letters = ["g"] if len(came) == 1 else [f"g_{i}" for i in range(len(came))]
    for letter, node, g in zip(letters, outputs, came, strict=True):
        if g is not None:
            yield Operand(letter, node, recorded(g), "cotangent")
    for symbol, node, value in read:
        if value is not None:
            yield Operand(symbol, node, recorded(value))


def plain(value: Any) -> Any:
    """A NumPy array in a dtype that NumPy has: bfloat16 and the like as float32."""
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind == "V" else array
