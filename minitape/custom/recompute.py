"""`recompute_grad` and `grad_pass_through`: ready-made custom gradients.

`recompute_grad` runs its function without any tape, and again under a tape of its own when the
gradient is asked for: memory is saved, and time is paid.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from minitape.custom.gradient import custom_gradient, run_with_gradient, unrecorded
from minitape.errors import teach
from minitape.op import export
from minitape.ops.passing import identity
from minitape.tape import GradientTape
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Callable

# The arguments and the result of a decorated function.
P = ParamSpec("P")
R = TypeVar("R")


@export("recompute_grad")
def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """Makes a function whose inner values are computed again in the backward pass, and not saved.

    Args:
        f: a function of tensors; it may read variables.

    Returns:
        A function with the same values and gradients. It saves memory for time.

    Raises:
        NotImplementedError: when a ForwardAccumulator meets it, as in TensorFlow: forward mode
            keeps nothing, so that there is nothing to save.

    Example:
        >>> import minitape as tf
        >>> f = tf.recompute_grad(lambda x: tf.exp(tf.sin(x)))
        >>> x = tf.constant(0.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = f(x)
        >>> print(tape.gradient(y, x))
        tf.Tensor(1.0, shape=(), dtype=float32)
    """
    name = getattr(f, "__name__", type(f).__name__)
    refusal = teach(
        f"recompute_grad tried to transpose grad of {name}.",
        "Forward mode keeps no intermediate values, so there is nothing to recompute.",
        "Consider not using recompute_grad in forward mode autodiff: call the function itself.",
    )

    def forward(*args: Any, **kwargs: Any) -> Any:
        with unrecorded():
            result = f(*args, **kwargs)

        def grad(*upstream: Any, variables: Any = None) -> Any:
            with GradientTape() as tape:
                again = nest.map_structure(identity.public, args)
                sources = [list(again), list(variables or ())]
                tape.watch([x for x in nest.flatten(sources) if x.spec.dtype.kind in "fc"])
                value = f(*again, **kwargs)
            of_args, of_variables = tape.gradient(value, sources, list(upstream), "zero")
            return of_args if variables is None else (of_args, of_variables)

        return result, grad

    @functools.wraps(f)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        return run_with_gradient(forward, args, kwargs, refusal)

    return recomputed


@export("grad_pass_through")
def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """Makes a function whose gradient is that of the identity (a straight-through estimator).

    Args:
        f: a function whose results have the shapes of its arguments. Variables that it reads get no
            gradient.

    Example:
        >>> import minitape as tf
        >>> x = tf.Variable(1.6)
        >>> with tf.GradientTape() as tape:
        ...     y = 3.0 * tf.grad_pass_through(tf.round)(x)
        >>> print(y, tape.gradient(y, x), sep="; ")
        tf.Tensor(6.0, shape=(), dtype=float32); tf.Tensor(3.0, shape=(), dtype=float32)
    """

    @custom_gradient
    @functools.wraps(f)
    def passing(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Any = None) -> Any:
            return upstream if variables is None else (upstream, [None] * len(variables))

        return f(*args, **kwargs), grad

    return passing
