"""`tf.function`: Python that is run once per signature, and after that only its ops.

Tracing is running the Python with a `Graph` as the only thing active. A call then runs the graph:
on plain arrays when nobody outside follows what goes in, else op by op through the primitives, so
that tapes, accumulators, batches and outer graphs see what they always see.

Python control flow that depends on a tensor's value cannot be written down. A function that needs
one runs its Python every time instead (`runs_python` says why and at which line, and so does the
log): right for values and gradients, but nothing is saved, and `tf.gradients` cannot work in it.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from minitape.errors import AssertFailedError, teach
from minitape.errors.notices import warn
from minitape.graphs import compiling
from minitape.graphs.functions.closures import Witness, closed_over, followed, observes
from minitape.graphs.functions.signatures import Arguments, Binder, difference
from minitape.graphs.functions.traces import Trace
from minitape.graphs.functions.zeros import tied
from minitape.graphs.graph import Graph
from minitape.graphs.sizes.size import NeedsSize, samples_for
from minitape.graphs.symbolic import NeedsValue, running_python
from minitape.graphs.tensor_spec import TensorSpec
from minitape.interpreter import active
from minitape.leaving import only
from minitape.names.pickling import global_name
from minitape.op import export
from minitape.safety.locks import object_lock
from minitape.tensor import Spec, Tensor
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Callable

# The arguments and the result of a decorated function; Q without the `self` of a method.
P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")

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
        self._find = compiling.finder()
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
        trace, tensors = self._find(self._found, args, kwargs)
        if trace is None:
            return self._run_python(*args, **kwargs)
        return trace.run(tensors)

    def _found(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Trace | None, list[Any]]:
        """The trace that answers a call, and its tensors; no trace if the Python has to run."""
        arguments = self._binder(args, kwargs)
        if self._reduce_retracing:
            arguments = self._relaxed(arguments)
        return self._trace_for(arguments), arguments.tensors

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
            _warn_traced_again(self.name, self._count + 1, min(reasons, key=len))
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
                    raise _variables_at_every_trace(self.name)
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
        _warn_python_at_every_call(self.name, self.runs_python)

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
                    _method_of(self, weakref.ref(instance)),
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


def _spec(leaf: Any) -> Spec:
    if isinstance(leaf, TensorSpec):
        return Spec(tuple(leaf.shape.as_list()), leaf.dtype.np)
    return Spec(tuple(leaf.spec.shape), leaf.spec.dtype)


def _method_of(function: Function[..., Any], instance: Any) -> Callable[..., Any]:
    """The Python function of a method; it refers to its instance weakly, which may die."""
    python = function.python_function

    @functools.wraps(python)
    def method(*args: Any, **kwargs: Any) -> Any:
        return python(instance(), *args, **kwargs)

    method.__signature__ = inspect.signature(python.__get__(instance()))  # type: ignore[attr-defined]
    method.__self__ = instance  # type: ignore[attr-defined]
    return method


class Bound:
    """A method's function and the instance that it belongs to, which lives as long as this."""

    __slots__ = ("__self__", "__wrapped__")

    def __init__(self, function: Function[..., Any], instance: Any) -> None:
        self.__wrapped__ = function
        self.__self__ = instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function for the instance."""
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> Any:
        return getattr, (self.__self__, self.__wrapped__.name)


def _warn_traced_again(name: str, count: int, reason: str) -> None:
    """Warns that a new trace is needed, and why."""
    warn(
        "tf.function `%s` is traced again (trace %d): %s. Tracing runs the Python, which is "
        "slow. If this goes on, pass tensors "
        "instead of Python numbers, keep shapes equal, and make the tf.function once, outside "
        "of loops.",
        name,
        count,
        reason,
    )


def _warn_python_at_every_call(name: str, reason: str) -> None:
    """Warns that a function cannot be traced, and why."""
    warn(
        "tf.function `%s` runs its Python at every call, because %s. Values and gradients are "
        "right, but nothing is saved: "
        "tf.cond, tf.while_loop or tf.where in its place can be traced.",
        name,
        reason,
    )


def _variables_at_every_trace(name: str) -> ValueError:
    """A function makes a variable whenever it is traced."""
    return ValueError(
        teach(
            "tf.function only supports singleton tf.Variables created on the first call: "
            f"`{name}` makes a variable whenever it is traced.",
            "A graph is run many times, and would need a new variable each time.",
            "Make them outside, or once: `if self.v is None: self.v = tf.Variable(0.0)`.",
        )
    )


@overload
def function(
    func: Callable[P, R],
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: Any = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Function[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: Any = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
@export("function")
def function(
    func: Any = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: Any = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """Makes a function that traces its Python once per signature, and then runs only the ops.

    Python side effects, such as `print` or appending to a list, happen when tracing only.
    Assignments to variables and random numbers happen at every call, in their order.

    Args:
        func: the function; without it, a decorator is returned.
        input_signature: nested `tf.TensorSpec`s that arguments must fit.
        autograph: whether Python control flow on tensors may be met; False makes it an error.
        jit_compile: accepted and not used, like all that follow.
        reduce_retracing: whether sizes that differ between calls are left open in the next
            trace, which then serves all of them.
        experimental_implements: not used.
        experimental_autograph_options: not used.
        experimental_attributes: not used.
        experimental_relax_shapes: the older name of `reduce_retracing`.
        experimental_compile: not used.
        experimental_follow_type_hints: not used.

    Example:
        >>> import minitape as tf
        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> print(square(tf.constant(3.0)))
        tf.Tensor(9.0, shape=(), dtype=float32)
        >>> square.experimental_get_tracing_count()
        1
    """
    relaxed = bool(reduce_retracing or experimental_relax_shapes)
    if func is None:
        return functools.partial(
            function,
            input_signature=input_signature,
            autograph=autograph,
            reduce_retracing=relaxed,
        )
    if not callable(func):
        raise TypeError(
            f"tf.function: {func!r:.80} is not a callable object. It makes a function of Python "
            "run as a graph. Write `@tf.function` above a `def`, or pass the function itself."
        )
    return Function(func, input_signature, autograph, relaxed)
