"""`custom_gradient`: a function that brings its own derivative.

The function runs like any other code; then one op is recorded that gives its results on unchanged
and whose rule asks the user's gradient function. A tape that follows an argument or a variable
takes the op's rule; one that follows something else the function used still sees through it. What
the gradient function computes is recorded by outer tapes like any other code, so higher orders
differentiate it.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import contextmanager
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from minitape.batches.batching import Batch, Batched
from minitape.custom.op import Call, operation
from minitape.errors import teach
from minitape.interpreter import Interpreter, active, symbolic_interpreter
from minitape.leaving import only, pushed
from minitape.names.pickling import global_name
from minitape.op import apply, export
from minitape.safety.silence import Aloud
from minitape.tensors.boxed import Boxed
from minitape.tensors.composite import parts, rebuild
from minitape.tensors.convert import operand
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from minitape.variable import ResourceVariable

# The arguments and the result of a decorated function.
P = ParamSpec("P")
R = TypeVar("R")


class _Reads(Interpreter):
    """Notes the trainable variables that are read while it is active."""

    __slots__ = ("variables",)

    def __init__(self) -> None:
        super().__init__()
        self.variables: dict[int, ResourceVariable] = {}

    def follows_variable(self, variable: ResourceVariable) -> bool:
        """Notes `variable`, and follows nothing."""
        if variable.trainable:
            self.variables[variable.id] = variable
        return False


@contextmanager
def unrecorded() -> Iterator[None]:
    """Runs its body with no tape and no accumulator; what computes or notes reads stays active."""
    with only(tuple(i for i in active() if _computes(i) or isinstance(i, _Reads))):
        yield


def _computes(interpreter: Interpreter) -> bool:
    """Whether it works on boxed tensors of its own (batches, graphs)."""
    return type(interpreter).interpret is not Interpreter.interpret


@overload
def custom_gradient(f: Callable[P, tuple[R, Any]]) -> Callable[P, R]: ...
@overload
def custom_gradient(f: None = None) -> Any: ...
@export("custom_gradient")
def custom_gradient(f: Any = None) -> Any:
    """Decorates a function that defines its own gradient.

    Use it where the automatic derivative is unstable, slow, impossible (the function leaves for
    NumPy) or not what is wanted (clipping gradients).

    Args:
        f: a function `f(*args, **kwargs)` that returns a pair: its result (a tensor or a nest of
            them), and `grad(*upstream)`, which takes one gradient per result, of its shape and
            dtype, and returns one gradient, or None, per argument. If `f` reads trainable variables
            that are not arguments, `grad` must accept `variables`, a list of them, and return a
            pair: the gradients for the arguments, and a list with one for each variable.
            Keyword arguments are passed on and not differentiated.

    Returns:
        A function with the arguments and the result of `f`. It can be differentiated as often as
        `grad` can be. Forward mode transposes `grad`, too, as in TensorFlow's functions (eagerly
        TensorFlow pushes tangents through what `f` computes, and so has another derivative there).

    Raises:
        TypeError: when called, if `f` reads a variable and `grad` does not accept `variables`, or
            if `f` does not return a pair.
        ValueError: when differentiated, if `grad` returns too many or too few gradients.

    Example:
        >>> import minitape as tf
        >>> @tf.custom_gradient
        ... def log1pexp(x):
        ...     e = tf.exp(x)
        ...     def grad(upstream):
        ...         return upstream * (1 - 1 / (1 + e))
        ...     return tf.math.log(1 + e), grad
        >>> x = tf.constant(100.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = log1pexp(x)
        >>> print(tape.gradient(y, x))
        tf.Tensor(1.0, shape=(), dtype=float32)
    """
    if f is None:
        return custom_gradient
    if not callable(f) or isinstance(f, type):
        raise TypeError(
            f"custom_gradient: {short(f)} is not a callable object. It decorates a function that "
            "returns its result and its gradient function. Write `@tf.custom_gradient` above it."
        )
    return WithOwnGradient(f)


class WithOwnGradient:
    """What `custom_gradient` makes of a function; of a method it is one too."""

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)
        self._f = f

    def __reduce__(self) -> Any:
        return global_name(self) or (WithOwnGradient, (self._f,))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function; tapes record one op with its gradient."""
        return run_with_gradient(self._f, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Binds a method to its object, which is no argument to differentiate by."""
        bind = getattr(self._f, "__get__", None)
        return self if instance is None or bind is None else WithOwnGradient(bind(instance, owner))


def run_with_gradient(f: Callable[..., Any], args: Any, kwargs: Any, refusal: str = "") -> Any:
    """Calls `f` and records the op that stands for it."""
    name = getattr(f, "__name__", type(f).__name__)
    reads = _Reads()
    with pushed(reads):
        result, grad = _checked_pair(f(*args, **kwargs), name)
    arguments = [part for each in nest.flatten(args) for part in parts(each)]
    variables = [
        v for _, v in sorted(reads.variables.items()) if all(v is not each for each in arguments)
    ]
    if variables:
        _check_accepts_variables(grad, variables, name)
    graph = symbolic_interpreter()
    traced = graph is not None
    if traced:
        _check_outlives_trace(graph, f, name)

    def gradient(g: list[Any], inputs: list[Any]) -> list[Any]:
        mine = grad
        if traced:  # the function that came with the trace knows the tensors of the trace only
            mine = _checked_pair(f(*_replaced(args, inputs), **kwargs), name)[1]
        return _asked(mine, name, len(arguments), variables, g)

    inputs = [operand(each, None) for each in arguments + variables]
    call = Call(name, gradient, [x.spec.dtype for x in inputs], _batches(inputs), traced, refusal)
    return _given_on(call, inputs, result)


def _check_outlives_trace(graph: Any, f: Any, name: str) -> None:
    """Asks `tf.function` to run the Python instead, if `f` closes over a tensor of the trace."""
    if not graph.root.traces_python:
        return
    for each in _closed_over(f):
        if isinstance(each, Boxed) and each.interpreter.symbolic:
            raise graph.refusal(f"the custom gradient {name}, which closes over a tensor,", each)


def _closed_over(f: Any) -> Iterator[Any]:
    """What a function closes over, and what functions among it do."""
    todo, seen = [inspect.unwrap(f)], set()
    while todo:
        function = todo.pop()
        for cell in getattr(function, "__closure__", None) or ():
            if cell.cell_contents is not None and id(cell) not in seen:
                seen.add(id(cell))
                todo.append(cell.cell_contents)
                yield from nest.flatten(cell.cell_contents)


def _checked_pair(pair: Any, name: str) -> Any:
    if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
        raise TypeError(
            teach(
                f"custom_gradient: {name} returned {type(pair).__name__} {pair!r:.80}.",
                "It must return a pair: the result, and the function that computes gradients.",
                "Write `return y, grad`.",
            )
        )
    return pair


def _replaced(args: Any, tensors: list[Any]) -> Any:
    """`args` with the tensors in place of theirs."""
    todo = iter(tensors)
    flat = [rebuild(each, [next(todo) for _ in parts(each)]) for each in nest.flatten(args)]
    return nest.pack_sequence_as(args, flat)


def _batches(inputs: list[Any]) -> tuple[Batch, ...]:
    """The active batches that the inputs are in, outermost first."""
    boxing = [x.interpreter for x in inputs if type(x) is Batched]
    return tuple(i for i in active() if isinstance(i, Batch) and i in boxing)


def _given_on(call: Call, inputs: list[Any], result: Any) -> Any:
    """The result as what the op of `call` gives."""
    flat = nest.flatten(result)
    results = [operand(part, None) for each in flat for part in parts(each)]
    outputs = iter(apply(operation(len(inputs), call.traced), (*inputs, *results), (call,)))
    whole = [rebuild(each, [next(outputs) for _ in parts(each)]) for each in flat]
    return nest.pack_sequence_as(result, whole)


def _check_accepts_variables(grad: Any, variables: Any, name: str) -> None:
    spec = inspect.getfullargspec(grad)
    if "variables" not in spec.args + spec.kwonlyargs and not spec.varkw:
        raise TypeError(
            teach(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since "
                f"function uses variables: {name} reads {[v.name for v in variables]}.",
                "Their gradients would be lost silently.",
                "Write `def grad(upstream, variables=None)` and return a pair: the gradients of "
                "the arguments and a list of those of the variables.",
            )
        )


def _asked(
    grad: Callable[..., Any], name: str, count: int, variables: list[Any], g: list[Any]
) -> list[Any]:
    """What the user's gradient function gives: one gradient per argument and variable."""
    with Aloud():
        given, of_variables = grad(*g, variables=variables) if variables else (grad(*g), [])
    of_variables = nest.flatten(of_variables)
    if len(of_variables) != len(variables):
        raise ValueError(
            f"Must return gradient for each variable from @custom_gradient grad_fn: {name} reads "
            f"{len(variables)} variables, its gradient function gave {len(of_variables)}. "
            "Return `(gradients of the arguments, [one gradient per variable])`."
        )
    flat = nest.flatten(given)
    if len(flat) != count:
        raise ValueError(
            f"custom_gradient function expected to return {count} gradients, but returned "
            f"{len(flat)} instead: {name} was called with {count} arguments, and each has a "
            "gradient. Return None for an argument that is constant."
        )
    return flat + of_variables
