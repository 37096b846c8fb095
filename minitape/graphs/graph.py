"""`Graph`: the interpreter that writes ops down instead of computing them.

The one fact to know: a symbolic tensor is a slot of its graph, and an op on it becomes a `Node`,
plain data whose inputs and outputs are slots. Shapes and dtypes are found by running the forward on
ones. What comes from outside (a constant, an eager tensor, an outer graph's tensor) is *captured*:
it gets a slot too, and keeps its identity, so that a tape outside can follow it. Slots are tensor
ids; only a variable's reads differ, since each has a slot of its own under the variable's one id.

Eager tensors that the graph follows (see `function`) compute at once as ever, and are written down
beside that: their values are known while tracing, which is also how constants work in here.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.call import check_dtypes, check_promotion
from minitape.errors import raise_instead, teach
from minitape.errors.of_arguments import not_fitting
from minitape.errors.of_ops import forward_failed
from minitape.graphs.inference import computed, settled
from minitape.graphs.nodes import ASSIGN, PLACEHOLDER, READ, Node, has_effect, usual_name
from minitape.graphs.registration import overridden, overriding
from minitape.graphs.sizes import (
    at_slot,
    has_size,
    merged,
    needs_size,
    sampled,
    samples_for,
    slots_of,
)
from minitape.graphs.symbolic import (
    AssignsVariable,
    InaccessibleTensorError,
    NeedsValue,
    Operation,
    OperatorNotAllowedInGraphError,
    Symbolic,
    at_user_line,
    user_line,
)
from minitape.interpreter import Interpreter, active, fresh_ids, pushed, symbolic_interpreter
from minitape.names.scopes import current_scope
from minitape.op import Op
from minitape.request import identity
from minitape.tensor import EagerTensor, Spec, Tensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Iterator

# Ops that make lengths of lengths: what they do to arrays of sizes they do to sizes.
_OF_LENGTHS = {
    "add", "cast", "concat", "floordiv", "floormod", "getitem", "identity", "multiply",
    "reduce_prod", "reshape", "split", "stack", "subtract", "take", "unstack",
}  # fmt: skip
_SMALL = 4096  # elements; up to here the results of constants are computed while tracing


class Graph(Interpreter):
    """Ops written down as nodes: what `tf.function` traces, and what a `Session` runs.

    Example:
        >>> import minitape as tf
        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     y = tf.constant(2.0) * 3.0
        >>> y.op.type
        'Mul'
    """

    __slots__ = (  # fmt: skip
        "captured", "constants", "samples", "known", "lengths", "makes_variables", "names",
        "nodes", "outer", "overrides", "producers", "reads", "root", "runs_on_demand", "specs",
        "stateful", "traced_again", "traces_python"
    )  # fmt: skip
    symbolic = True

    def __init__(self, outer: Graph | None = None) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self.specs: dict[int, Spec] = {}
        self.known: dict[int, Any] = {}  # the values that follow from constants
        self.captured: dict[int, Any] = {}  # slot -> the tensor or variable outside
        self.constants: dict[int, str] = {}  # the names of those made while it was built
        self.producers: dict[int, Node] = {}
        self.names: dict[str, int] = {}
        self.reads: dict[int, Any] = {}  # slot -> the variable that it is a value of
        if not isinstance(outer, Graph | None):
            raise not_fitting("Graph", "outer", outer, "a graph or None", "tf.Graph()")
        self.outer = outer  # of a branch or a loop body
        self.overrides: dict[str, str] = {}  # gradients by other names, of types of ops
        self.root: Graph = self if outer is None else outer.root
        self.lengths: dict[int, Any] = {}  # slot -> unknown sizes, where a tensor consists of such
        self.samples: tuple[int, int] | None = None  # of the root: for sizes that are not known
        self.traced_again = False  # of the root: whether `function` traces anew where one is needed
        self.traces_python = False  # whether `function` may run the Python where a value is needed
        self.makes_variables = False  # whether one was made while it was built
        self.runs_on_demand = False  # whether a session runs what it fetches, effects included
        self.stateful = outer is None  # whether variables are read when the graph runs

    gradient_override_map = overriding

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Writes the ops of its block down in this graph."""
        self.runs_on_demand = True
        with pushed(self):
            yield self

    def get_operations(self) -> list[Operation]:
        """Name and type of every op, in the order in which they were made."""
        return [Operation(node.name, node.op.type_name) for node in self.nodes]

    # What ops, constants and variables call.

    def interpret(self, op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Writes `op` down; gives symbolic tensors."""
        try:
            check_dtypes(op, inputs)
        except Exception as error:
            raise_instead(at_user_line(error), error)
        if self.root.overrides:
            op = overridden(op, self.root.overrides)
        slots = tuple(self.slot(x) for x in inputs)
        specs, values = self._results(op, slots, inputs, attributes)
        outputs = self.append_node(op, slots, attributes, specs, has_effect(op, attributes))
        if self.has_sizes:
            self._note_lengths(op, slots, attributes, outputs)
        for slot, value in zip(outputs, values, strict=False):
            self.known[slot] = value
        tensors = tuple(map(self.tensor, outputs))
        return tensors if op.several else tensors[0]

    def observe(
        self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> Any:
        """Writes down an op that was computed on eager tensors which this graph follows."""
        inner = symbolic_interpreter()
        if inner is not self and inner is not None:
            return inner.observe(
                op, inputs, outputs, attributes
            )  # it happens in a branch or loop body
        tensors = outputs if op.several else (outputs,)
        slots = tuple(self.slot(x) for x in inputs)
        node = Node(
            op,
            slots,
            attributes,
            tuple(y.id for y in tensors),
            op.effect,
            self._unique(usual_name(op)),
            user_line(),
        )
        self._add(node, [y.spec for y in tensors])

    def constant(self, tensor: EagerTensor) -> Symbolic:
        """A constant made while the graph is built."""
        slot = self.capture(tensor)
        self.constants[slot] = self._unique("Const")
        if tensor.value.size <= _SMALL:
            self.known[slot] = tensor.value
        return self.tensor(slot)

    def read(self, variable: ResourceVariable) -> Symbolic:
        """What `variable` holds at this point of a run, followed by the tapes in here."""
        if variable.open_shape is not None:
            raise self.refusal("Reading a variable whose shape may change", variable)
        if self.stateful:
            (slot,) = self.append_node(READ, (), (variable,), [variable.spec], True)
        elif variable.id in self.captured:
            slot = variable.id
        else:
            slot = self.capture(variable)
        self.reads[slot] = variable
        tensor = self.tensor(slot)
        inner = active()[active().index(self) + 1 :] if self in active() else ()
        for interpreter in inner:
            if interpreter.follows_variable(variable):
                tensor.mark = (tensor.mark or ()) + interpreter.mark
        return tensor

    def assign(self, variable: ResourceVariable, new: Tensor, combine: Any) -> Symbolic:
        """Writes an assignment down; gives the new value."""
        if not self.stateful:
            raise AssignsVariable
        slot = self.slot(new)
        (out,) = self.append_node(ASSIGN, (slot,), (variable, combine), [variable.spec], True)
        return self.tensor(out)

    # Slots.

    @property
    def has_sizes(self) -> bool:
        """Whether there are sizes that are not known before the graph runs."""
        return self.root.samples is not None

    def tensor(self, slot: int) -> Symbolic:
        """The symbolic tensor of a slot."""
        tensor = Symbolic(slot, self)
        variable = self.reads.get(slot)
        tensor.id = slot if variable is None else variable.id
        return tensor

    def slot(self, x: Any) -> int:
        """The slot of a tensor, which is captured if it comes from outside."""
        if isinstance(x, Symbolic) and x.interpreter is self:
            return x.value  # type: ignore[no-any-return]
        if isinstance(x, ResourceVariable):
            return self.read(x).value  # type: ignore[no-any-return]
        if isinstance(x, Symbolic) and not self._inside(x.interpreter):
            raise self.foreign(x)
        return x.id if getattr(x, "id", 0) in self.specs else self.capture(x)

    def _inside(self, other: Graph) -> bool:
        """Whether `other` is a graph around this one."""
        return other in active() or other is self.outer

    def capture(self, x: Any) -> int:
        """Gives a slot to a tensor or variable from outside."""
        if self.has_sizes:
            self._check_no_sample(x)
        identity(x)
        self.specs[x.id] = x.spec
        self.captured[x.id] = x
        return x.id  # type: ignore[no-any-return]

    def input(self, spec: Spec, name: str | None = None) -> Symbolic:
        """A slot whose value is given when the graph runs; sizes that are None may be any."""
        if None in spec.shape:
            self.root.samples = self.root.samples or samples_for(spec.shape.count(None))
        (slot,) = self.append_node(PLACEHOLDER, (), (), [spec], False, name or "Placeholder")
        return self.tensor(slot)

    def append_node(
        self,
        op: Op,
        inputs: tuple[int, ...],
        attributes: tuple[Any, ...],
        specs: Any,
        effect: bool,
        name: str = "",
    ) -> tuple[int, ...]:
        """Appends a node with fresh output slots."""
        outputs = tuple(next(fresh_ids) for _ in specs)
        self._add(
            Node(
                op,
                inputs,
                attributes,
                outputs,
                effect,
                self._unique(name or usual_name(op)),
                user_line(),
                self._sizes(attributes) if self.has_sizes else (),
            ),
            specs,
        )
        return outputs

    def _add(self, node: Node, specs: Any) -> None:
        self.nodes.append(node)
        for slot, spec in zip(node.outputs, specs, strict=True):
            if self.root.samples is not None:
                spec = Spec(at_slot(spec.shape, slot, self.root.samples), spec.dtype)
            self.specs[slot] = spec
            self.producers[slot] = node

    def _unique(self, name: str) -> str:
        name = current_scope() + name
        count = self.names.get(name, 0)
        self.names[name] = count + 1
        return f"{name}_{count}" if count else name

    def operation(self, slot: int) -> Operation:
        """Name and type of the op behind a slot."""
        node = self.producers.get(slot)
        return (
            Operation(node.name, node.op.type_name)
            if node
            else Operation(self._constant_name(slot), "Const")
        )

    def tensor_name(self, slot: int) -> str:
        """What TensorFlow calls the tensor of a slot, such as `Mul:0`."""
        node = self.producers.get(slot)
        return (
            f"{node.name}:{node.outputs.index(slot)}" if node else f"{self._constant_name(slot)}:0"
        )

    def _constant_name(self, slot: int) -> str:
        return self.constants.get(slot) or f"Captured_{slot}"

    def _results(self, op: Op, slots: Any, inputs: Any, attributes: Any) -> tuple[Any, Any]:
        """The specs of the results, and their values where these follow from small constants."""
        try:
            pure = not has_effect(op, attributes)
            given = [self.specs[slot] for slot in slots]
            if self.has_sizes and has_size(([s.shape for s in given], attributes)):
                specs = _of_both_samples(op, given, attributes)
            elif slots and pure and all(slot in self.known for slot in slots):
                values = [self.known[slot] for slot in slots]
                out = (
                    op.forward(values, *attributes)
                    if op.variadic
                    else op.forward(*values, *attributes)
                )
                found = out if op.several else (out,)
                check_promotion(op, inputs, out)
                small = all(value.size <= _SMALL for value in found)
                return [Spec(value.shape, value.dtype) for value in found], found if small else ()
            else:
                specs = settled(op, given, attributes)
            if op.infer is not None and any(x.spec.dtype.kind in "iub" for x in inputs):
                self._check_computed(op, inputs, attributes)
            elif specs is not None:
                check_promotion(op, inputs, specs)
        except Exception as error:
            raise_instead(at_user_line(forward_failed(op, inputs, attributes, error)), error)
        if specs is None:
            raise self.refusal(f"The shape of {op.type_name}", inputs[0])
        return specs if op.several else (specs,), ()

    @staticmethod
    def _check_computed(op: Op, inputs: Any, attributes: Any) -> None:
        """Looks at what the forward makes of integers: `infer` says what it makes of floats."""
        if op.refuses_promotion:
            check_promotion(op, inputs, computed(op, [x.spec for x in inputs], attributes))

    # Sizes that are not known.

    def _sizes(self, attributes: tuple[Any, ...]) -> tuple[int, ...]:
        """The slots whose shapes an op's attributes need; those of outer graphs are captured."""
        slots = slots_of(attributes)
        for slot in slots:
            self.tensor_at(slot)
        return slots

    def tensor_at(self, slot: int) -> Symbolic:
        """The tensor of a slot of this graph, or of one around it, from where it is captured."""
        owner = self
        while slot not in owner.specs:
            if owner.outer is None:
                raise needs_size()
            owner = owner.outer
        if owner is not self:
            self.capture(owner.tensor(slot))
        return self.tensor(slot)

    def _note_lengths(self, op: Op, slots: Any, attributes: Any, outputs: Any) -> None:
        """Keeps the sizes that a tensor consists of: of a shape, of parts and sums of shapes."""
        if op.name == "sizes":
            found = self.specs[slots[0]].shape
        elif op.name in _OF_LENGTHS and any(slot in self.lengths for slot in slots):
            known = self.known | self.lengths
            if not all(slot in known for slot in slots):
                return
            values = [known[slot] for slot in slots]
            found = (
                values[0]
                if op.name == "cast"
                else op.forward(values, *attributes)
                if op.variadic
                else op.forward(*values, *attributes)
            )
        else:
            return
        several = found if op.several else (found,)
        for slot, each in zip(outputs, several, strict=True):
            self.lengths[slot] = np.array(each, object)

    def _check_no_sample(self, x: Any) -> None:
        """A constant as long as a sample was made of one, and would be wrong in every run."""
        sample, _ = self.root.samples or (1, 1)
        if type(x) is EagerTensor and any(n and not n % sample for n in x.value.shape):
            raise needs_size()

    # What cannot be done with a symbolic tensor.

    def refusal(self, what: str, tensor: Any) -> BaseException:
        """Why the value of `tensor` cannot be had here; `function` then runs the Python instead."""
        line = user_line()
        if self.root.traces_python:
            return NeedsValue(self.root, what, line)
        return OperatorNotAllowedInGraphError(
            teach(
                f"{line}: {what} needs the value of {tensor!r}: Using a symbolic `tf.Tensor` as a "
                "Python value is not allowed.",
                "A graph is built before it runs, so this Python cannot depend on what a tensor "
                "will hold.",
                "Use tf.cond or tf.case for `if`, tf.while_loop for `while` and `for`, tf.where "
                "for an elementwise choice.",
            )
        )

    def foreign(self, x: Any) -> Exception:
        """A tensor of a graph that is not around this one."""
        made = x.interpreter.producers.get(x.value)
        return InaccessibleTensorError(
            teach(
                f"{user_line()}: {x!r}{f', made at {made.line},' if made else ''} is out of scope "
                "and cannot be used here: it must "
                "be from the same graph as the other tensors.",
                "A symbolic tensor has a value only while its own graph runs.",
                "Return it from its function and use the result, or build both in one graph.",
            )
        )


def _of_both_samples(op: Op, specs: list[Spec], attributes: tuple[Any, ...]) -> Any:
    """The specs of the results where sizes are not known; None where they depend on values."""
    first, other = (settled(op, sampled(specs, i), sampled(attributes, i)) for i in (0, 1))
    if first is None or other is None:
        return None
    if not op.several:
        return merged(first, other, 0)
    if len(first) != len(other):
        raise needs_size()
    return tuple(merged(a, b, 0) for a, b in zip(first, other, strict=True))
