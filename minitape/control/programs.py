"""Branches and loops as one op each: `run`, whose attribute is a program made of graphs.

A program is anything with `replay(tensors) -> tensors`, and three things can be made of every
program: its gradient (replay it under a tape, and sweep), its vectorised form (replay it under a
batch), and a node of a graph. They are programs again, so that gradients of gradients, and
jacobians of loops, need nothing more. When a graph runs on arrays, `Loop` and `Branches` run flat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.backward import backward, exhaust
from minitape.batches.batching import Batch, unbox
from minitape.forward_mode.transposition import transposed
from minitape.graphs import compiling
from minitape.graphs.effects import LOG, boxed_log, collected, repeated
from minitape.graphs.functions.closures import Witness, is_constant, observes
from minitape.graphs.functions.zeros import moves, program_keeps, tied
from minitape.graphs.graph import Graph
from minitape.graphs.nodes import live_nodes
from minitape.graphs.replaying import Replay
from minitape.graphs.symbolic import AssignsVariable
from minitape.interpreter import active, follow
from minitape.leaving import only, pushed
from minitape.op import Op, Rule, apply
from minitape.ops.passing import identity
from minitape.ops.shapes.creation import zeros_like
from minitape.recording import Recording
from minitape.tensor import EagerTensor, Spec, Tensor, eager
from minitape.tensors.composite import as_tensors, dense

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.graphs.running import Runner
    from minitape.tensor import Array, Arrays

    Tensors = Sequence[Tensor]  # a rule keeps all inputs with their values


class Program:
    """What a `run` node runs: tensors in, tensors out.

    Args:
        specs: of the results.
        effect: whether running it does something, such as an assignment. It then has one result
            more, the log of what the effects gave.

    Attributes:
        bodies: the traced pieces of Python that it is made of, of a branch or a loop.
        repeats: whether it is a loop, whose gradient takes what all its rounds have computed.
        constant_in: how many of its first inputs its results do not depend on.
    """

    bodies: Sequence[Body] = ()
    repeats = False
    constant_in = 0

    def __init__(self, specs: Sequence[Spec], effect: bool = False) -> None:
        self.specs = [*specs, LOG] if effect else list(specs)
        self.effect = effect
        self.last: tuple[Any, list[Any]] = (None, [])

    def replay(self, tensors: Sequence[Any]) -> list[Any]:
        """The results, op by op, for whoever follows the tensors."""
        if not self.effect:
            return tied(self.replayed(tensors), tensors[self.constant_in :])
        with collected() as log:
            results = self.replayed(tensors)
        return [*tied(results, tensors), boxed_log(log)]

    def replayed(self, tensors: Sequence[Any]) -> list[Any]:
        """The results without the log."""
        raise NotImplementedError

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """The results as arrays, when nobody has to see the ops."""
        with only(()):
            return [x.value for x in self.replay([eager(array) for array in arrays])]

    def gradient(self, inputs: Sequence[Spec]) -> Gradient:
        """What the inputs, of these specs, get back."""
        return Gradient(self, inputs)


class Body:
    """A traced piece of Python: a branch, a condition, or a loop body.

    Args:
        graph: what was traced.
        inputs: the slots that it is given.
        outputs: the slots of its results.
    """

    def __init__(self, graph: Graph, inputs: list[int], outputs: list[int]) -> None:
        self.graph = graph
        self.inputs = inputs
        self.outputs = outputs
        self.captured = graph.captured  # slot -> the tensor or variable outside
        self.nodes = live_nodes(graph.nodes, outputs)
        self._replay: Replay | None = None
        self.effect = any(node.effect for node in self.nodes)
        self.specs = [graph.specs[slot] for slot in outputs]
        self._runner: Runner | None = None
        self._rounds: Any = None

    @property
    def free(self) -> list[int]:
        """The captured slots whose values have to be given: all but constants."""
        used = {slot for node in self.nodes for slot in node.needs} | set(self.outputs)
        return [slot for slot, x in self.captured.items() if slot in used and not is_constant(x)]

    def replay(self, tensors: Sequence[Any], slots: Sequence[int]) -> list[Any]:
        """Runs it on tensors for `slots`: inputs and free ones."""
        if self._replay is None or self._replay.inputs != slots:
            self._replay = Replay(self.graph, self.nodes, slots, self.outputs)
        return self._replay(tensors)

    def runner(self, slots: Sequence[int]) -> Runner:
        """The same for arrays."""
        if self._runner is None:
            self._runner = compiling.runner(self.graph, slots, self.outputs)
        return self._runner

    def rounds(self, slots: Sequence[int], fixed: Sequence[Any]) -> Callable[..., Any]:
        """The same for the rounds of a loop: the inputs change, the values of free slots do not."""
        if self._rounds is None:
            self._rounds = compiling.rounds(self.runner(slots), len(self.inputs))
        return self._rounds(fixed)  # type: ignore[no-any-return]


def traced(
    function: Callable[..., Sequence[Any]], specs: Sequence[Spec], outer: Graph, stateful: bool
) -> Body:
    """Traces `function`, which takes and gives lists of tensors, inside the graph `outer`."""
    graph = Graph(outer)
    graph.stateful = stateful
    # Tapes inside the graph see the node that this becomes, not what happens in it.
    around = [i for i in active() if not observes(i) or isinstance(i, Witness)]
    with only((*around, graph)):
        inputs = [graph.input(Spec(tuple(s.shape), s.dtype), "Argument") for s in specs]
        outputs = [graph.slot(x) for x in function(*inputs)]
    return Body(graph, [x.value for x in inputs], outputs)


def traced_together(outer: Graph, make: Callable[[bool], Any]) -> Any:
    """What `make(stateful)` traces; again, with variables read at run time, if it assigns one."""
    if not outer.stateful:
        return make(False)  # an assignment is the business of the graph further out
    try:
        return make(False)
    except AssignsVariable:
        return make(True)


class Gradient(Program):
    """What a program's inputs get back when its results get (plain) cotangents.

    Its inputs are those of the program, the cotangents of the results that can have one, and the
    log of the effects where there are any.
    """

    def __init__(self, program: Program, inputs: Sequence[Spec]) -> None:
        self.program = program
        self.count = len(inputs)
        moving = range(program.constant_in, self.count)
        self.followed = [i for i in moving if inputs[i].dtype.kind in "fc"]
        self.results = [i for i, spec in enumerate(program.specs) if spec.dtype.kind in "fc"]
        super().__init__([Spec(tuple(inputs[i].shape), inputs[i].dtype) for i in self.followed])
        self.on_arrays = compiling.gradient(self) if program.bodies else None
        if program.bodies and not program_keeps(program):
            self.constant_in = self.count  # it depends on the cotangents alone

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """The results as arrays."""
        every = [True] * len(self.specs)
        found = None if self.on_arrays is None else self.on_arrays(every, arrays)
        return super().run(arrays) if found is None else found

    def replayed(self, tensors: Sequence[Any]) -> list[Any]:
        """Replays the program under a tape, and sweeps it."""
        return [
            zeros_like(tensors[i]) if g is None else dense(g)
            for i, g in zip(self.followed, self.swept(tensors), strict=True)
        ]

    def swept(self, tensors: Sequence[Any]) -> list[Any]:
        """What the followed inputs get; None where nothing reaches them."""
        inputs, seeds = list(tensors[: self.count]), list(tensors[self.count :])
        log = seeds.pop().value[()] if self.program.effect else []
        recording = Recording(watches_variables=False)
        for i in self.followed:
            inputs[i] = identity(inputs[i])  # apart, even if two inputs are one tensor
            follow(inputs[i], recording)
        with pushed(recording), repeated(log):
            outputs = self.program.replayed(inputs)
        # As in `GradientTape.gradient`: on arrays, if nothing is there to see the rules.
        raw = not active() and all(type(g) is EagerTensor for g in seeds)
        cotangents = self._seeded(outputs, [g.value for g in seeds] if raw else seeds)
        log = iter(recording.log.pop, ())
        exhaust(backward(log, cotangents, raw=raw, mark=recording.mark))
        found = [cotangents.get(inputs[i].id) for i in self.followed]
        return [as_tensors(g) if raw and g is not None else g for g in found]

    def _seeded(self, outputs: list[Any], seeds: Sequence[Any]) -> dict[int, Any]:
        cotangents: dict[int, Any] = {}
        for i, g in zip(self.results, seeds, strict=True):
            key = getattr(outputs[i], "id", 0)
            if key:
                cotangents[key] = cotangents[key] + g if key in cotangents else g
        return cotangents


class Vectorized(Program):
    """A program on stacks of examples."""

    def __init__(self, program: Program, stacked: Sequence[bool], size: int) -> None:
        super().__init__([Spec((size, *spec.shape), spec.dtype) for spec in program.specs])
        self.program, self.stacked, self.size = program, list(stacked), size

    def replayed(self, tensors: Sequence[Any]) -> list[Any]:
        """Replays the program under a batch."""
        with Batch(self.size) as batch:
            boxes = [
                boxed(batch, x) if own else x for x, own in zip(tensors, self.stacked, strict=True)
            ]
            outputs = self.program.replay(boxes)
        return [unbox(y, batch) for y in outputs]


def boxed(batch: Batch, x: Any) -> Any:
    """The batched tensor of a stack."""
    return batch.box(x.value if batch.raw and type(x) is EagerTensor else x)


def _run(inputs: Arrays, program: Any) -> tuple[Array, ...]:
    """The results of a program."""
    return tuple(program.run(inputs))


def _pulled(g: Any, inputs: Tensors, out: Tensor, program: Any, index: int) -> Any:
    """What flows back to input `index`; all inputs get theirs from one run of the gradient."""
    if program.last[0] is not g:
        program.last = (g, _contributions(g, inputs, out, program))
    return program.last[1][index]


def _contributions(g: Any, inputs: Sequence[Any], out: Any, program: Program) -> list[Any]:
    gradient = program.gradient([x.spec for x in inputs])
    log = [out[-1]] if program.effect else []
    seeds = [g[i] for i in gradient.results]
    results = node(gradient, [*inputs, *seeds, *log]) if gradient.followed else []
    found = dict(zip(gradient.followed, results, strict=True))
    return [found.get(i) for i in range(len(inputs))]


def _pushed(
    tangents: tuple[Any, ...], inputs: tuple[Any, ...], out: Any, attributes: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The tangents of a program's results: zero, not None, where what ran is constant."""
    found = transposed(RUN, tangents, inputs, out, attributes)
    return tuple(
        zeros_like(y) if t is None and moves(y) else t for t, y in zip(found, out, strict=True)
    )


def _on_stacks(
    values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int
) -> Any:
    return node(Vectorized(attributes[0], stacked, size), values)


def _result_specs(specs: Sequence[Spec], program: Program) -> tuple[Spec, ...]:
    return tuple(program.specs)


# The op that runs a program: any number of tensors of any dtypes in and out.
RUN = Op(_run, (), type_name="Run", mixed=True, latex=r"\mathrm{{run}}\left({inputs}\right)")
RUN.rules["inputs"] = Rule(_pulled)
RUN.jvp, RUN.batch, RUN.infer = _pushed, _on_stacks, _result_specs


def node(program: Program, inputs: Sequence[Any]) -> list[Any]:
    """Runs a program as one op."""
    return list(apply(RUN, tuple(inputs), (program,)))
