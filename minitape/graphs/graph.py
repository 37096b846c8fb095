"""`Graph`: the interpreter that writes ops down instead of computing them.

A symbolic tensor is a slot of its graph, and an op on it becomes a `Node`, plain data whose inputs
and outputs are slots. Shapes and dtypes are found by running the forward on ones. What comes from
outside (a constant, an eager tensor, an outer graph's tensor) is *captured*: it gets a slot too,
and keeps its identity, so that a tape outside can follow it. Slots are tensor ids; only a
variable's reads differ, since each has a slot of its own under the variable's one id.

Eager tensors that the graph follows (see `function`) compute at once as ever, and are written down
beside that: their values are known while tracing, which is also how constants work in here.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from minitape.call import check_dtypes
from minitape.errors import raise_instead
from minitape.errors.of_arguments import not_fitting
from minitape.graphs.nodes import ASSIGN, PLACEHOLDER, READ, Node, has_effect
from minitape.graphs.registration import overridden, overriding
from minitape.graphs.results import SMALL, results
from minitape.graphs.sizes.lengths import lengths_made
from minitape.graphs.sizes.shapes import at_slot, has_open_axis, slots_of
from minitape.graphs.sizes.size import SAMPLES_OF_RESULTS, needs_size, samples_for
from minitape.graphs.symbolic import (
    AssignsVariable,
    Operation,
    Symbolic,
    at_user_line,
    needs_value,
    out_of_scope,
    user_line,
)
from minitape.interpreter import Interpreter, active, fresh_ids, identity, symbolic_interpreter
from minitape.leaving import pushed
from minitape.names.scopes import current_scope
from minitape.op import Op
from minitape.tensor import EagerTensor, Spec, Tensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        "brought", "captured", "constants", "samples", "known", "lengths", "makes_variables",
        "names", "nodes", "outer", "overrides", "producers", "reads", "root", "runs_on_demand",
        "specs", "stateful", "takes_sizes", "traced_again", "traces_python"
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
        self.takes_sizes = False  # of the root: whether results may have sizes that are not known
        self.brought: list[int] = []  # of the root: the slots of such results
        self.traced_again = False  # of the root: whether `function` traces anew where one is needed
        self.traces_python = False  # whether `function` may run the Python where a value is needed
        self.makes_variables = False  # whether one was made while it was built
        self.runs_on_demand = False  # whether a session runs what it fetches, effects included
        self.stateful = outer is None  # whether variables are read when the graph runs

    gradient_override_map = overriding

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a tf.Graph has no {name!r} here: it is not a file of TensorFlow's, and runs as it "
            "is. `graph.get_operations()` lists its ops, `viz.graph(function, x)` draws them."
        )

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
        given = [self.specs[slot] for slot in slots]
        known = [self.known.get(slot) for slot in slots]
        specs, values = results(op, inputs, attributes, given, known)
        if specs is None or (has_open_axis(specs) and not self.root.takes_sizes):
            raise self.refusal(f"The shape of {op.type_name}", (*inputs, *attributes)[0])
        outputs = self.append_node(op, slots, attributes, specs, has_effect(op, attributes))
        if self.has_sizes:
            found = lengths_made(op, slots, attributes, self.specs, self.known, self.lengths)
            self.lengths.update(zip(outputs, found, strict=False))
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
            return inner.observe(op, inputs, outputs, attributes)  # in a branch or loop body
        tensors = outputs if op.several else (outputs,)
        slots, made = tuple(map(self.slot, inputs)), tuple(y.id for y in tensors)
        name = self._unique(op.node_name)
        node = Node(op, slots, attributes, made, op.effect, name, user_line())
        self._add(node, [y.spec for y in tensors])

    def constant(self, tensor: EagerTensor) -> Symbolic:
        """A constant made while the graph is built."""
        slot = self.capture(tensor)
        self.constants[slot] = self._unique("Const")
        if tensor.value.size <= SMALL:
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
        tensor.id = self.reads[slot].id if slot in self.reads else slot
        return tensor

    def slot(self, x: Any) -> int:
        """The slot of a tensor, which is captured if it comes from outside."""
        if isinstance(x, Symbolic) and x.interpreter is self:
            return x.value  # type: ignore[no-any-return]
        if isinstance(x, ResourceVariable):
            return self.read(x).value  # type: ignore[no-any-return]
        if isinstance(x, Symbolic) and x.interpreter not in (*active(), self.outer):
            raise self.foreign(x)
        return x.id if getattr(x, "id", 0) in self.specs else self.capture(x)

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
        name = self._unique(name or op.node_name)
        sizes = self._sizes(attributes) if self.has_sizes else ()
        self._add(Node(op, inputs, attributes, outputs, effect, name, user_line(), sizes), specs)
        return outputs

    def _add(self, node: Node, specs: Any) -> None:
        self.nodes.append(node)
        root = self.root
        for slot, spec in zip(node.outputs, specs, strict=True):
            if node.op is not PLACEHOLDER and None in spec.shape:
                root.brought.append(slot)
                root.samples = root.samples or SAMPLES_OF_RESULTS
            if root.samples is not None:
                spec = Spec(at_slot(spec.shape, slot, root.samples), spec.dtype)
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
        if node is None:
            return Operation(self.constants.get(slot) or f"Captured_{slot}", "Const")
        return Operation(node.name, node.op.type_name)

    def tensor_name(self, slot: int) -> str:
        """What TensorFlow calls the tensor of a slot, such as `Mul:0`."""
        node = self.producers.get(slot)
        place = 0 if node is None else node.outputs.index(slot)
        return f"{self.operation(slot).name}:{place}"

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

    def _check_no_sample(self, x: Any) -> None:
        """A constant as long as a sample was made of one, and would be wrong in every run."""
        sample, _ = self.root.samples or (1, 1)
        if type(x) is EagerTensor and any(n and not n % sample for n in x.value.shape):
            raise needs_size()

    def refusal(self, what: str, tensor: Any) -> BaseException:
        """Why the value of `tensor` cannot be had here; `function` then runs the Python instead."""
        return needs_value(self.root, what, tensor)

    def foreign(self, x: Any) -> Exception:
        """A tensor of a graph that is not around this one."""
        return out_of_scope(x)
