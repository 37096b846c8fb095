"""`tf.function`: Python that is run once per signature, and after that only its ops.

The one fact to know: tracing is running the Python with a `Graph` as the only thing active. A call
then runs the graph: on plain arrays when nobody outside follows what goes in, else op by op through
the primitives, so that tapes, accumulators, batches and outer graphs see what they always see.

Python control flow that depends on a tensor's value cannot be written down. A function that needs
one runs its Python every time instead (`runs_python` says why and at which line, and so does the
log): right for values and gradients, but nothing is saved, and `tf.gradients` cannot work in it.
"""

from __future__ import annotations

import functools
import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from minitape.errors import AssertFailedError
from minitape.graphs.closures import Witness, closed_over, followed, observes
from minitape.graphs.graph import Graph
from minitape.graphs.methods import Bound, method_of
from minitape.graphs.notices import (
    python_at_every_call,
    traced_again,
    variables_at_every_trace,
)
from minitape.graphs.signatures import Arguments, Binder, difference
from minitape.graphs.sizes.size import NeedsSize, samples_for
from minitape.graphs.symbolic import NeedsValue
from minitape.graphs.tensor_spec import TensorSpec
from minitape.graphs.ties import tied
from minitape.graphs.traces import Trace
from minitape.interpreter import active, only
from minitape.leaving import object_lock
from minitape.names.pickling import global_name
from minitape.tensor import EagerTensor, Spec, Tensor
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Callable

# The arguments and the result of a decorated function; Q without the `self` of a method.
P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")

running_python: ContextVar[str] = ContextVar("minitape_running_python", default="")
eager_functions = [False]  # whether all functions just run their Python; `tf.config` switches it


class Function(Generic[P, R]):
    """A function that runs its Python once per signature; `tf.function` makes one."""

    def __init__(
        self,
        python_function: Callable[P, R],
        input_signature: Any = None,
        autograph: bool = True,
        reduce_retracing: bool = False,
    ) -> None:
        self.python_function = python_function
        self.input_signature = input_signature
        self.name = getattr(python_function, "__name__", "function")
        self._autograph = autograph
        self._binder = Binder(python_function, input_signature)
        self._traces: dict[Any, Trace] = {}
        self._quick: dict[Any, Trace] = {}  # by shapes and dtypes, for calls with tensors only
        self._count = 0
        self._tracing = object_lock()  # each signature is traced once, by one thread
        self._reduce_retracing = reduce_retracing
        self._seen: dict[Any, list[Any]] = {}  # by kinds of arguments, the shapes that came so far
        self._only_exact: set[Any] = set()  # keys with open sizes that had to be traced by shape
        self._takes_sizes = True  # whether results may bring sizes that only a run knows
        self._methods: dict[int, tuple[Any, Function[..., Any]]] = {}
        self.runs_python: str | None = None  # why the Python is run at every call, if it is
        functools.update_wrapper(self, python_function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R | Any:
        """Runs the trace for the arguments' signature, after tracing it if it is new."""
        if eager_functions[0]:
            return self.python_function(*args, **kwargs)
        if self.runs_python is not None:
            return self._run_python(*args, **kwargs)
        quick = None if kwargs else _quick_key(args)
        trace = self._quick.get(quick) if quick is not None else None
        if trace is not None:
            return trace.run(list(args))
        arguments = self._binder(args, kwargs)
        if self._reduce_retracing:
            arguments = self._relaxed(arguments)
        found = self._trace_for(arguments)
        if found is None:
            return self._run_python(*args, **kwargs)
        tensors = arguments.tensors
        is_plain = self.input_signature is None and len(tensors) == len(args)  # no defaults
        if quick is not None and found._runner is not None and is_plain:
            self._quick[quick] = found
        return found.run(tensors)

    def _trace_for(self, arguments: Arguments) -> Trace | None:
        """The trace that answers a call, made if need be; None if its Python has to run."""
        if arguments.open_sizes and arguments.key in self._only_exact:
            arguments = arguments.exact
        trace = self._traces.get(arguments.key)
        if trace is not None and trace.is_valid:
            return trace
        with self._tracing:
            return self._traced_once(arguments)

    def _traced_once(self, arguments: Arguments) -> Trace | None:
        """The trace for a signature that has none, if no other thread has made it meanwhile."""
        if self.runs_python is not None:
            return None
        trace = self._traces.get(arguments.key)
        if trace is not None and trace.is_valid:
            return trace
        if self._traces and trace is None and not self._only_exact:
            reasons = [difference(arguments.names, key, arguments.key) for key in self._traces]
            traced_again(self.name, self._count + 1, min(reasons, key=len))
        return self._new_trace(arguments)

    def _new_trace(self, arguments: Arguments) -> Trace | None:
        """Traces for a call; where that needs a size or a value, as much as can be done without."""
        graph = Graph()
        try:
            trace = self._traced(arguments, graph)
            if graph.makes_variables:  # allowed once: the second trace has to find them made
                graph = Graph()
                trace = self._traced(arguments, graph)
                if graph.makes_variables:
                    raise variables_at_every_trace(self.name)
        except NeedsValue as need:
            if need.root is not graph:
                raise
            if arguments.open_sizes:
                return self._traced_exactly(arguments)
            self._give_up(need)
            return None
        except (Exception, NeedsSize):
            if graph.brought:
                self._takes_sizes = False
                return self._trace_for(arguments)
            if not arguments.open_sizes:
                raise
            return self._traced_exactly(arguments)
        self._traces[arguments.key] = trace
        return trace

    def _traced(self, arguments: Arguments, graph: Graph) -> Trace:
        """Runs the Python once, with a graph as the only thing active."""
        self._count += 1
        graph.traces_python, graph.traced_again = self._autograph, True
        graph.takes_sizes = self._takes_sizes
        if arguments.open_sizes:
            graph.samples = samples_for(arguments.open_sizes)
        labels = self._binder.labels(arguments)
        inputs = [
            graph.input(_spec(leaf), label)
            for leaf, label in zip(arguments.wanted, labels, strict=True)
            if isinstance(leaf, Tensor | TensorSpec)
        ]
        values = arguments.with_tensors(inputs)
        witnesses = [Witness(i, graph) if observes(i) else i for i in active()]
        with only((*witnesses, graph)), followed(closed_over(self.python_function), graph):
            result = self._binder.call(self.python_function, values)
            trace = Trace(graph, [x.value for x in inputs], result, self.name, labels)
        if graph.has_sizes:
            trace.exactly = functools.partial(self._run_exactly, arguments, bool(graph.brought))
        return trace

    def _traced_exactly(self, arguments: Arguments) -> Trace | None:
        """A trace for the shapes of a call, where the Python cannot do without its sizes.

        An error of the Python is raised by this trace, with the sizes in its words.
        """
        if any(isinstance(leaf, TensorSpec) for leaf in arguments.leaves):
            return None
        self._only_exact.add(arguments.key)
        return self._trace_for(arguments.exact)

    def _run_exactly(self, arguments: Arguments, brings_sizes: bool, tensors: list[Any]) -> Any:
        """Runs a trace for the shapes of `tensors`, where one for all sizes would be wrong.

        Where results bring sizes, no shapes of arguments tell them: then it runs the Python.
        """
        values = arguments.with_tensors(tensors)
        if brings_sizes:
            return self._binder.call(self._run_python, values)
        leaves = nest.flatten(list(values.values()), expand_composites=True)
        exact = Arguments(values, arguments.names, leaves)
        trace = self._trace_for(exact)
        if trace is None:
            return self._binder.call(self._run_python, values)
        return trace.run(tensors)

    def _relaxed(self, arguments: Arguments) -> Arguments:
        """The call with those sizes open in which it differs from earlier ones of its kind."""
        earlier = self._seen.get(arguments.kinds)
        if earlier is not None:
            arguments = arguments.relaxed(earlier)
        self._seen[arguments.kinds] = arguments.wanted
        return arguments

    def _give_up(self, need: NeedsValue) -> None:
        self.runs_python = f"{need.what} needs a value while tracing, at {need.line}"
        self._quick.clear()
        python_at_every_call(self.name, self.runs_python)

    def _run_python(self, *args: Any, **kwargs: Any) -> Any:
        token = running_python.set(f"`{self.name}`: {self.runs_python}")
        try:
            result = self.python_function(*args, **kwargs)
        except AssertionError as error:
            raise AssertFailedError(*error.args) from error
        finally:
            running_python.reset(token)
        flat = [
            leaf if leaf is None else convert_to_tensor(leaf)
            for leaf in nest.flatten(result, expand_composites=True)
        ]
        inputs = nest.flatten([args, kwargs], expand_composites=True)
        return nest.pack_sequence_as(result, tied(flat, inputs), expand_composites=True)

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(
        self: Function[Concatenate[Any, Q], R], instance: object, owner: Any = None
    ) -> Function[Q, R]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A method: a function of its own per instance."""
        if instance is None:
            return self
        known = self._methods.get(id(instance))
        if known is None or known[0]() is not instance:
            with self._tracing:
                known = self._method_of(instance)
        return Bound(known[1], instance)

    def _method_of(self, instance: Any) -> tuple[Any, Function[..., Any]]:
        """The function of an instance, made once, by one thread."""
        known = self._methods.get(id(instance))
        if known is None or known[0]() is not instance:
            # Nothing here is Python code, in which Python would swallow an interrupt: the dead
            # reference becomes the default of `pop`.
            forget = functools.partial(self._methods.pop, id(instance))
            known = (
                weakref.ref(instance, forget),
                Function(
                    method_of(self, weakref.ref(instance)),
                    self.input_signature,
                    self._autograph,
                    self._reduce_retracing,
                ),
            )
            self._methods[id(instance)] = known
        return known

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The trace for arguments, or for the `TensorSpec`s in their place; made now if need be."""
        if not args and not kwargs and self.input_signature is not None:
            args = tuple(self.input_signature)
        given = nest.flatten([args, kwargs])
        if any(isinstance(x, TensorSpec) and x.shape.rank is None for x in given):
            # each rank is traced when it is met
            return self if kwargs else Function(self.python_function, args, self._autograph)
        return self._trace_for(self._binder(args, kwargs)) or self

    def experimental_get_tracing_count(self) -> int:
        """How often the Python was run to trace it."""
        return self._count

    def __reduce__(self) -> Any:  # without the traces, which know their variables by identity
        settings = (
            self.python_function,
            self.input_signature,
            self._autograph,
            self._reduce_retracing,
        )
        return global_name(self) or (Function, settings)

    def __repr__(self) -> str:
        return f"<minitape tf.function {self.name}>"


def _quick_key(args: tuple[Any, ...]) -> Any:
    """The key of a call with plain tensors only, else None."""
    key: list[Any] = []
    for x in args:
        if type(x) is not EagerTensor:
            return None
        key += (x.value.shape, x.value.dtype)
    return tuple(key)


def _spec(leaf: Any) -> Spec:
    if isinstance(leaf, TensorSpec):
        return Spec(tuple(leaf.shape.as_list()), leaf.dtype.np)
    return Spec(tuple(leaf.spec.shape), leaf.spec.dtype)
