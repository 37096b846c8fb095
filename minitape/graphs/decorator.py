"""`tf.function`, the decorator: the arguments that TensorFlow's takes, and which of them count."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, overload

from minitape.graphs.function import Function, P, R
from minitape.op import export

if TYPE_CHECKING:
    from collections.abc import Callable


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
