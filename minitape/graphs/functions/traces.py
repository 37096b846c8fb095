"""One traced signature, and how it is run.

A call runs the graph on plain arrays when nobody outside follows what goes in, else op by op
through the primitives, so that tapes, accumulators, batches and outer graphs see what they always
see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError, teach
from minitape.graphs import compiling
from minitape.graphs.functions.closures import is_constant, observes
from minitape.graphs.functions.zeros import bound_to, needed_slots
from minitape.graphs.nodes import ASSIGN, live_nodes
from minitape.graphs.replaying import Replay
from minitape.graphs.sizes.checks import SizesDiffer
from minitape.graphs.sizes.shapes import fits, has_size, visible
from minitape.interpreter import active
from minitape.leaving import only
from minitape.safety.silence import quietly
from minitape.tensor import EagerTensor, Spec, Tensor, eager
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from minitape.graphs.graph import Graph
    from minitape.graphs.nodes import Node


class Trace:
    """One traced signature: TensorFlow's concrete function."""

    def __init__(
        self, graph: Graph, inputs: list[int], result: Any, name: str, labels: list[str]
    ) -> None:
        if graph.has_sizes:
            result = nest.map_structure(_without_sizes, result)
        self.graph = graph
        self.name = name
        self._parameters = list(dict.fromkeys(labels))
        self.exactly: Callable[[list[Any]], Any] | None = None  # a trace by shape instead
        self.input_slots = inputs
        self.structured_outputs = result
        flat = nest.flatten(result, expand_composites=True)
        self._is_tensor = [leaf is not None for leaf in flat]
        self.output_slots = [_output_slot(graph, leaf, name) for leaf in flat if leaf is not None]
        self._single = (
            result is not None
            and not nest.is_nested(result)
            and len(flat) == 1
            and self._is_tensor[0]
            and isinstance(result, Tensor)
        )
        self._nodes = live_nodes(graph.nodes, self.output_slots)
        self._replay = Replay(graph, self._nodes, inputs, self.output_slots)
        self._needed_slots: list[int] | None = None
        self._variables = [
            n.attributes[0]
            for n in self._nodes
            if n.attributes and isinstance(n.attributes[0], ResourceVariable)
        ]
        self._assigned = list(_assigned(self._nodes)) if graph.has_sizes else []
        self._captured = list(graph.captured.values())
        boxed = any(not isinstance(each, EagerTensor | ResourceVariable) for each in self._captured)
        self._runner = None if boxed else compiling.runner(graph, inputs, self.output_slots)

    @property
    def stays_valid(self) -> bool:
        """Whether nothing was captured from other interpreters, which may be left."""
        return self._runner is not None

    @property
    def is_valid(self) -> bool:
        """Whether what was captured from other interpreters is still active."""
        return self.stays_valid or all(
            x.interpreter in active() for x in self._captured if hasattr(x, "interpreter")
        )

    def run(self, tensors: list[Any]) -> Any:
        """The result for the tensors among the arguments."""
        if self.exactly is None:
            return quietly(self._run, tensors)
        before = [variable._plain for variable in self._assigned]
        try:
            return quietly(self._run, tensors)
        except SizesDiffer:  # nothing has happened, and all starts again
            for variable, value in zip(self._assigned, before, strict=True):
                variable.put_back(value)
            return self.exactly(tensors)

    def _run(self, tensors: list[Any]) -> Any:
        stack = active()
        if stack and self._is_seen(tensors, stack):
            flat = self._replay(tensors)
            if sum(observes(each) and not each.sees_all for each in stack) > 1:
                flat = bound_to(flat, self._needed(tensors))
        else:
            arrays = [x.value for x in tensors]
            if stack:
                with only(()):
                    values = self._runner(arrays)  # type: ignore[misc]
            else:
                values = self._runner(arrays)  # type: ignore[misc]
            flat = [eager(value) for value in values]
        if self._single:
            return flat[0]
        todo = iter(flat)
        leaves = [next(todo) if is_tensor else None for is_tensor in self._is_tensor]
        return nest.pack_sequence_as(self.structured_outputs, leaves, expand_composites=True)

    def _needed(self, tensors: list[Any]) -> list[Any]:
        """The arguments, captured tensors and variables that gradients of the trace depend on."""
        sources: dict[int, Any] = {**self.graph.captured, **self.graph.reads}
        if self._needed_slots is None:
            moving = [slot for slot, x in sources.items() if not is_constant(x)]
            moving += self.input_slots
            self._needed_slots = needed_slots(self.graph, self._nodes, moving, self.output_slots)
        sources.update(zip(self.input_slots, tensors, strict=True))
        found = [sources[slot] for slot in self._needed_slots]
        return [x.as_operand() if isinstance(x, ResourceVariable) else x for x in found]

    def _is_seen(self, tensors: list[Any], stack: tuple[Any, ...]) -> bool:
        """Whether anybody on the stack has to see the ops."""
        if self._runner is None or any(type(x) is not EagerTensor for x in tensors):
            return True
        for interpreter in stack:
            if interpreter.symbolic:
                return True
            ref = interpreter.mark[0]
            if any(
                x.mark is not None and ref in x.mark
                for x in (*tensors, *self._captured)
                if not isinstance(x, ResourceVariable)
            ):
                return True
            if any([interpreter.follows_variable(variable) for variable in self._variables]):
                return True
        return False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the trace on the tensors among the arguments; others were fixed at tracing."""
        values = self._in_order(args, kwargs)
        leaves = nest.flatten(values, expand_composites=True)
        specs = [self.graph.specs[slot] for slot in self.input_slots]
        given = [x for x in leaves if not isinstance(x, ResourceVariable)]
        if len(given) != len(specs):
            given = [x for x in given if hasattr(x, "dtype")]
        if len(given) != len(specs) == len(values):
            given = values  # lists of numbers in place of tensors
        if len(given) != len(specs):
            raise TypeError(f"{self.name} takes {len(specs)} tensors, but {len(given)} were given.")
        return self.run(
            [_checked(x, spec, self.name) for x, spec in zip(given, specs, strict=True)]
        )

    def _in_order(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments in the order of the parameters."""
        for name in kwargs:
            if name not in self._parameters:
                known = ", ".join(f"`{each}`" for each in self._parameters)
                raise TypeError(f"{self.name} has no argument `{name}`; its arguments are {known}.")
            if name in self._parameters[: len(args)]:
                raise TypeError(f"{self.name} got two values for its argument `{name}`. Give one.")
        return [*args, *(kwargs[name] for name in self._parameters if name in kwargs)]

    @property
    def inputs(self) -> list[Any]:
        """The tensors of the graph that a call gives values to, then those from outside."""
        return [*map(self.graph.tensor, self.input_slots), *self.captured_inputs]

    @property
    def outputs(self) -> list[Any]:
        """The tensors of the graph that a call gives back."""
        return [self.graph.tensor(slot) for slot in self.output_slots]

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors and variables from outside that the function uses."""
        return self._captured + _distinct(self._variables)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the function uses."""
        return tuple(_distinct(self._variables))


def _without_sizes(leaf: Any) -> Any:
    """A result that holds no size of a sample.

    Sparse rows keep their whole shape as numbers, a tensor finds it when the graph runs.
    """
    is_sparse = hasattr(leaf, "dense_shape") and has_size(tuple(leaf.spec.shape))
    return convert_to_tensor(leaf) if is_sparse else leaf


def _assigned(nodes: Iterable[Node]) -> Iterator[ResourceVariable]:
    """The variables that nodes assign, or branches and loops among them."""
    for node in nodes:
        if node.op is ASSIGN:
            yield node.attributes[0]
        for body in getattr(node.attributes[0], "bodies", ()) if node.attributes else ():
            yield from _assigned(body.nodes)


def _distinct(variables: list[Any]) -> list[Any]:
    return list({v.id: v for v in variables}.values())


def _checked(x: Any, spec: Spec, name: str) -> Any:
    tensor = x if isinstance(x, Tensor) else convert_to_tensor(x, dtype=spec.dtype)
    same = tensor.spec.dtype == spec.dtype
    if not same or not fits(tensor.spec.shape, spec.shape):
        raise (TypeError if same else InvalidArgumentError)(
            f"{name} was traced for shape {visible(spec.shape)} and dtype {spec.dtype.name}; got "
            f"{tensor!r}."
        )
    return tensor


def _output_slot(graph: Graph, leaf: Any, name: str) -> int:
    if isinstance(leaf, Tensor | ResourceVariable):
        return graph.slot(leaf)
    try:
        return graph.slot(convert_to_tensor(leaf))
    except (TypeError, ValueError) as error:
        raise TypeError(
            teach(
                "To be compatible with tf.function, Python functions must return zero or more "
                "Tensors or ExtensionTypes or None "
                f"values; in compilation of {name}, found return value of type "
                f"{type(leaf).__name__}, which is not a Tensor.",
                "A graph can return only tensors.",
                "Return tensors, numbers, and nests of them.",
            )
        ) from error
