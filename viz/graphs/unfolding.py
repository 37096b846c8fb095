"""The nodes of a graph, with the programs in its branches and loops unfolded into nested scopes.

A branch or a loop is one node of the engine's graph, whose attribute is a program with graphs of
its own. Here their nodes stand in the same list, under a scope path such as ("while_loop", "loop
body"); a loop's variables are nodes that take their first values from outside, and what the body
gives them for the next round is noted apart, so the list stays acyclic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from minitape.control.branching import Branches, Loop
from minitape.control.programs import RUN, Body, Gradient, Vectorized
from minitape.custom.op import Operation
from minitape.graphs.nodes import ASSIGN, PLACEHOLDER, READ, Node as GraphNode
from minitape.graphs.symbolic import Symbolic
from minitape.tensor import Spec, Tensor

from ..record import notation
from ..record.formula import Expression, forward_formula, written
from ..record.lines import line_of
from ..record.names import own_name
from ..trace.arrays import Array
from ..trace.trace import Formula, Line, Node, NodeKind
from .written import Written

Scope = tuple[str, ...]
SHORT = 30  # characters of LaTeX up to which an unnamed result is written out


class Unfolding:
    """Collects the nodes of a graph and of the programs in it.

    Attributes:
        nodes: the trace's nodes.
        rounds: for each loop variable what the body gives and the node of the variable.
        place: node by slot.
        graph_nodes: the engine's node by the trace's.
    """

    def __init__(self, source: Written) -> None:
        self.source = source
        self.nodes: list[Node] = []
        self.rounds: list[tuple[int, int]] = []
        self.place: dict[int, int] = {}
        self.graph_nodes: dict[int, GraphNode] = {}
        self.constants: dict[tuple[int, Scope], int] = {}
        self.variables: dict[int, int] = {}  # the node that has a variable's value by now
        self.symbols: list[Expression] = []
        self.labels: dict[str, int] = {}

    def unfold(self) -> None:
        """Collects everything: inputs first, then the ops in the order in which they were made."""
        source = self.source
        for slot in source.inputs:
            self.leaf(slot, "source", source.graph.specs[slot], ())
        self._body(source.graph, source.graph.nodes, source.outputs, ())
        self._watch()

    def _watch(self) -> None:
        """Marks what depends on an input or a variable: a derivative comes back from there."""
        givers = {node.id: set(node.inputs) for node in self.nodes}
        for given, variable in self.rounds:
            givers[variable].add(given)  # from the second round on
        found, before = {node.id for node in self.nodes if node.watched}, -1
        while len(found) > before:  # rounds lead back to nodes that were gone through
            before = len(found)
            for node in self.nodes:
                if givers[node.id] & found and _is_smooth(node.dtype):
                    found.add(node.id)
        self.nodes = [replace(node, watched=node.id in found) for node in self.nodes]

    def target(self, slot: int) -> int:
        """The node of a result."""
        return self._at(self.source.graph, slot, ())

    def leaf(
        self, slot: int, kind: NodeKind, spec: Spec, scope: Scope, value: Any = None, name: str = ""
    ) -> int:
        """A node that no op made."""
        number = self._append(
            Node(
                len(self.nodes), kind, (), spec.dtype.name, tuple(spec.shape), scope=scope,
                name=name or self.source.names.get(slot, ""),
                watched=kind != "constant" and _is_smooth(spec.dtype.name),
                value=None if value is None else Array.of(value),
            )
        )  # fmt: skip
        self.place[slot] = number
        return number

    def _append(self, node: Node) -> int:
        self.nodes.append(node)
        self.symbols.append(self._symbol(node))
        return node.id

    def _symbol(self, node: Node) -> Expression:
        """How formulas write a node: its name, a small number, or what it computes, if short."""
        if node.name:
            return Expression(notation.name(node.name))
        if node.value is not None and node.value.size == 1:
            return Expression(node.value.text())
        if node.formula is not None and len(node.formula.latex) <= SHORT:
            return Expression(rf"\left({node.formula.latex}\right)")
        return Expression(rf"{notation.name(node.op or node.kind)}_{{{node.id}}}")

    # Where a slot's value comes from.

    def _at(self, graph: Any, slot: int, scope: Scope) -> int:
        """The node of a slot; one that is captured comes from outside."""
        x = graph.captured.get(slot)
        if x is None or slot in self.place:
            return self.place[slot]
        if isinstance(x, Symbolic):
            return self._at(x.interpreter, x.value, scope)
        if not isinstance(x, Tensor):
            return self._variable(x)
        named = slot in self.source.names
        key = (slot, () if named else scope)
        if key not in self.constants:
            value = getattr(x, "value", None)
            self.constants[key] = self.leaf(slot, "constant", x.spec, key[1], value)
            del self.place[slot]
        return self.constants[key]

    def _variable(self, variable: Any) -> int:
        if variable.id not in self.variables:
            name = self.source.names.get(variable.id) or own_name(variable)
            number = self.leaf(variable.id, "variable", variable.spec, (), name=name)
            self.variables[variable.id] = number
            del self.place[variable.id]
        return self.variables[variable.id]

    # The nodes of one graph.

    def _body(
        self, graph: Any, nodes: Sequence[GraphNode], outputs: Sequence[int], scope: Scope
    ) -> None:
        used = {slot for node in nodes for slot in node.inputs} | set(outputs)
        for node in nodes:
            if node.op is PLACEHOLDER:
                if node.outputs[0] not in self.place:
                    spec = graph.specs[node.outputs[0]]
                    name = self.source.names.get(node.outputs[0]) or node.name
                    self.leaf(node.outputs[0], "source", spec, scope, name=name)
            elif node.op is READ:
                self.place[node.outputs[0]] = self._variable(node.attributes[0])
            elif node.op is ASSIGN:
                self._assign(graph, node, scope)
            elif node.op is RUN and isinstance(node.attributes[0], Branches):
                self._branches(graph, node, used, scope)
            elif node.op is RUN and isinstance(node.attributes[0], Loop):
                self._loop(graph, node, used, scope)
            else:
                self._op(graph, node, used, scope)

    def _assign(self, graph: Any, node: GraphNode, scope: Scope) -> None:
        variable = node.attributes[0]
        inputs = (self._variable(variable), self._at(graph, node.inputs[0], scope))
        name = self.nodes[inputs[0]].name
        number = self._made(graph, node, node.outputs[0], inputs, "assign", scope, name)
        self.variables[variable.id] = number

    def _op(self, graph: Any, node: GraphNode, used: set[int], scope: Scope) -> None:
        inputs = tuple(self._at(graph, slot, scope) for slot in node.inputs)
        name = op_of(node)
        for slot in _shown(graph, node, used):
            number = self._made(graph, node, slot, inputs, name, scope)
            self.graph_nodes[number] = node

    def _made(
        self, graph: Any, node: GraphNode, slot: int, inputs: tuple[int, ...], op: str,
        scope: Scope, name: str = "",
    ) -> int:  # fmt: skip
        spec = graph.specs[slot]
        line = line_at(node.line)
        made = Node(
            len(self.nodes), "op", inputs, spec.dtype.name, tuple(spec.shape), op=op, scope=scope,
            name=name or self.source.names.get(slot, ""), output=node.outputs.index(slot),
            record=node.outputs[0], line=line,
        )  # fmt: skip
        if node.op is not ASSIGN and node.op is not RUN:
            made = replace(made, formula=self._formula(node, inputs))
        self.place[slot] = self._append(made)
        return made.id

    def _formula(self, node: GraphNode, inputs: tuple[int, ...]) -> Formula | None:
        try:
            operands = [self.symbols[i] for i in inputs]
            return written(forward_formula(node.op, operands, node.attributes))
        except Exception:  # an op that cannot be printed is still an op
            return None

    # Programs in programs.

    def _scope(self, scope: Scope, name: str) -> Scope:
        """The scope of a program; names are unique, as the engine makes those of nodes."""
        count = self.labels.get(name, 0)
        self.labels[name] = count + 1
        return (*scope, f"{name}_{count}" if count else name)

    def _branches(self, graph: Any, node: GraphNode, used: set[int], scope: Scope) -> None:
        program = node.attributes[0]
        index = self._at(graph, node.inputs[0], scope)
        is_bool = self.nodes[index].dtype == "bool"
        name = "cond" if is_bool else "switch_case"
        inner = self._scope(scope, name)
        outputs = []
        for i, body in enumerate(program.bodies):
            label = ("true branch", "false branch")[i] if is_bool else f"branch {i}"
            outputs.append(self._inside(body, (*inner, label), node))
        for slot in _shown(graph, node, used):
            k = node.outputs.index(slot)
            inputs = (index, *(found[k] for found in outputs))
            self._made(graph, node, slot, inputs, name, inner)

    def _inside(self, body: Body, scope: Scope, node: GraphNode) -> list[int]:
        """Unfolds a body; gives the nodes of its results, each in the scope that it is made in."""
        self._body(body.graph, body.nodes, body.outputs, scope)
        found = [self._at(body.graph, slot, scope) for slot in body.outputs]
        return [n if self._is_in(n, scope) else self._passed(n, scope, node) for n in found]

    def _is_in(self, number: int, scope: Scope) -> bool:
        return self.nodes[number].scope[: len(scope)] == scope

    def _passed(self, number: int, scope: Scope, node: GraphNode) -> int:
        """A branch that gives what it got has a node that says so."""
        x = self.nodes[number]
        made = Node(
            len(self.nodes), "op", (number,), x.dtype, x.shape, op="return", scope=scope,
            line=line_at(node.line),
        )  # fmt: skip
        return self._append(made)

    def _loop(self, graph: Any, node: GraphNode, used: set[int], scope: Scope) -> None:
        program = node.attributes[0]
        condition, body = program.bodies
        inner = self._scope(scope, "while_loop")
        variables = [
            self._loop_variable(self._at(graph, slot, scope), body, condition, k, inner, node)
            for k, slot in enumerate(node.inputs[: program.count])
        ]
        (goes_on,) = self._inside(condition, (*inner, "loop condition"), node)
        self._body(body.graph, body.nodes, body.outputs, (*inner, "loop body"))
        found = [self._at(body.graph, slot, (*inner, "loop body")) for slot in body.outputs]
        self.rounds += [(n, v) for n, v in zip(found, variables, strict=True) if n != v]
        for slot in _shown(graph, node, used):
            inputs = (goes_on, found[node.outputs.index(slot)])
            self._made(graph, node, slot, inputs, "while_loop", inner)

    def _loop_variable(
        self, start: int, body: Body, condition: Body, k: int, scope: Scope, node: GraphNode
    ) -> int:
        """The node of a loop variable, for condition and body alike."""
        x = self.nodes[start]
        slots = (body.inputs[k], condition.inputs[k])
        name = next(filter(None, map(self.source.names.get, slots)), "")
        made = Node(
            len(self.nodes), "op", (start,), x.dtype, x.shape, op="loop variable", scope=scope,
            name=name, line=line_at(node.line),
        )  # fmt: skip
        self.place.update(dict.fromkeys(slots, made.id))
        return self._append(made)


def _is_smooth(dtype: str) -> bool:
    """Whether tensors of a dtype have derivatives: floating and complex ones."""
    return dtype.startswith(("float", "complex"))


def _shown(graph: Any, node: GraphNode, used: set[int]) -> list[int]:
    """The results that are used, or the first; never the log of a program's effects."""
    real = [slot for slot in node.outputs if graph.specs[slot].dtype.kind != "O"]
    return [slot for slot in real if slot in used] or real[:1] or list(node.outputs[:1])


def op_of(node: GraphNode) -> str:
    """What an op is called; programs made from programs by what was made of what."""
    if node.op is RUN:
        return _program_name(node.attributes[0])
    return str(node.attributes[0].name if isinstance(node.op, Operation) else node.op.name)


def _program_name(program: Any) -> str:
    if isinstance(program, Gradient):
        return f"gradient of {_program_name(program.program)}"
    if isinstance(program, Vectorized):
        return f"batch of {_program_name(program.program)}"
    if isinstance(program, Branches):
        return "cond" if len(program.bodies) == 2 else "switch_case"
    return "while_loop" if isinstance(program, Loop) else "program"


def line_at(place: str) -> Line | None:
    """The line that the engine noted as "file:number"."""
    file, _, number = place.rpartition(":")
    return line_of(file, int(number)) if file and number.isdigit() else None
