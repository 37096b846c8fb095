"""Functions that differentiate functions: `gradients_function`, `make_vjp`, `implicit_grad`, ...

Each opens a tape, calls the function, and asks the tape. Parameters are made tensors of their own
first, so that one tensor given twice counts as two parameters.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.op import export
from minitape.ops.passing import identity
from minitape.tape import GradientTape
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.values.dtypes import as_dtype

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.values.public_types import FunctionOfLeaves


@export("autodiff.make_vjp")
def make_vjp(
    f: FunctionOfLeaves, params: Any = None, persistent: bool = True
) -> Callable[..., tuple[Any, Callable[..., Any]]]:
    """Makes a function that computes `f` and a function for its vector-Jacobian products.

    Args:
        f: a function of tensors.
        params: the positions, or the names, of the parameters to differentiate with respect to; by
            default all of them.
        persistent: whether the second function may be called more than once.

    Returns:
        A function with the positional parameters of `f` that returns `(value, vjp)`; `vjp(dy)`
        gives a list with one gradient per parameter; `dy` weights the value (by default ones).

    Raises:
        ValueError: when called, if `f` returns None, or `params` names no parameter of `f`.
        AssertionError: when called with keyword arguments, as in TensorFlow.

    Example:
        >>> import minitape as tf
        >>> value, vjp = tf.autodiff.make_vjp(lambda x: x * x)(tf.constant([1.0, 2.0]))
        >>> vjp(tf.constant([1.0, 10.0]))[0].numpy().tolist()
        [2.0, 40.0]
    """

    def value_and_vjp(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise AssertionError(
                f"The gradient function can't take keyword arguments; got {sorted(kwargs)}. "
                "Give all arguments by position."
            )
        # Parameters are found by position, also those given by name, as in TensorFlow.
        positions = _positions(f, params, args)
        arguments = _own_tensors(args, positions)
        sources = [arguments[i] for i in positions]
        with GradientTape(persistent=persistent) as tape:
            # Without a warning: integers are usual here, and their gradient is None.
            tape.watch([x for x in sources if as_dtype(x.dtype).is_differentiable])
            result = f(*arguments)
            _check_result(f, result)
            # A result may be a parameter itself: the identity gives it an id of its own.
            result = nest.map_structure(identity.public, result)
        # Flat, as the weights are: `dy` may be a tuple where the result is a list.
        flat = nest.flatten(result)

        def vjp(dy: Any = None) -> list[Any]:
            weights = None if dy is None else nest.flatten(dy)
            return tape.gradient(flat, sources, output_gradients=weights)  # type: ignore[no-any-return]

        return result, vjp

    return value_and_vjp


@export("autodiff.val_and_grad_function")
def val_and_grad_function(f: FunctionOfLeaves, params: Any = None) -> Callable[..., Any]:
    """Makes a function that computes `f` and its gradients.

    Args:
        f: a function of tensors. If its result is no scalar, its elements are summed.
        params: the positions, or the names, of the parameters to differentiate with respect to; by
            default all of them.

    Returns:
        A function with the positional parameters of `f`, and the keyword argument `dy` for weights
        of the result, that returns `(value, list of gradients)`.

    Raises:
        ValueError: when called, if `f` returns None, `params` names no parameter of `f`, or there
            are other keyword arguments.

    Example:
        >>> import minitape as tf
        >>> value, grads = tf.autodiff.val_and_grad_function(lambda x, y: x * y)(2.0, 5.0)
        >>> float(value), [float(g) for g in grads]
        (10.0, [5.0, 2.0])
    """

    def value_and_gradients(*args: Any, **kwargs: Any) -> Any:
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError(
                f"Functions to be differentiated cannot receive keyword arguments; got "
                f"{sorted(kwargs)}. Give all arguments by position (`dy` weights the result)."
            )
        value, vjp = make_vjp(f, params, persistent=False)(*args)
        return value, vjp(dy)

    return value_and_gradients


@export("autodiff.gradients_function")
def gradients_function(f: FunctionOfLeaves, params: Any = None) -> Callable[..., Any]:
    """Makes a function that computes the gradients of `f`; see `val_and_grad_function`.

    Example:
        >>> import minitape as tf
        >>> first = tf.autodiff.gradients_function(lambda x: x**3)
        >>> second = tf.autodiff.gradients_function(lambda x: first(x)[0])
        >>> [float(g) for g in (*first(2.0), *second(2.0))]
        [12.0, 12.0]
    """
    value_and_gradients = val_and_grad_function(f, params)
    return lambda *args, **kwargs: value_and_gradients(*args, **kwargs)[1]


@export("autodiff.implicit_val_and_grad")
def implicit_val_and_grad(f: FunctionOfLeaves) -> Callable[..., Any]:
    """Makes a function that computes `f` and its gradients with respect to the variables it reads.

    Args:
        f: a function that reads trainable variables. If its result is no scalar, its elements are
            summed.

    Returns:
        A function with the arguments of `f` that returns `(value, pairs)`: a `(gradient, variable)`
        pair for each trainable variable, in order of their construction.

    Raises:
        ValueError: when called, if `f` returns None or reads no trainable variable.

    Example:
        >>> import minitape as tf
        >>> w = tf.Variable(3.0)
        >>> value, [(gradient, variable)] = tf.autodiff.implicit_val_and_grad(lambda x: x * w)(2.0)
        >>> float(value), float(gradient), variable is w
        (6.0, 2.0, True)
    """

    def value_and_pairs(*args: Any, **kwargs: Any) -> Any:
        with GradientTape() as tape:
            value = f(*args, **kwargs)
            _check_result(f, value)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError(
                teach(
                    "No trainable variables were accessed while the function was being computed.",
                    "The gradient is taken with respect to the variables that the function reads.",
                    "Use tf.autodiff.gradients_function for gradients of parameters.",
                )
            )
        # A list of targets is a sum of them, whatever structure the function gave.
        gradients = tape.gradient(nest.flatten(value), list(variables))
        return value, list(zip(gradients, variables, strict=True))

    return value_and_pairs


@export("autodiff.implicit_grad")
def implicit_grad(f: FunctionOfLeaves) -> Callable[..., Any]:
    """Makes a function that gives the `(gradient, variable)` pairs of `implicit_val_and_grad`.

    Example:
        >>> import minitape as tf
        >>> w = tf.Variable(3.0)
        >>> [(gradient, variable)] = tf.autodiff.implicit_grad(lambda: w * w)()
        >>> float(gradient)
        6.0
    """
    value_and_pairs = implicit_val_and_grad(f)
    return lambda *args, **kwargs: value_and_pairs(*args, **kwargs)[1]


def _check_result(f: FunctionOfLeaves, result: Any) -> None:
    if result is None:
        name = getattr(f, "__name__", type(f).__name__)
        raise ValueError(
            "Cannot differentiate a function that returns None; did you forget to return a value "
            f"from {name}?"
        )


def _positions(f: FunctionOfLeaves, params: Any, args: tuple[Any, ...]) -> list[int]:
    """The positions of the parameters to differentiate with respect to."""
    try:
        names = inspect.getfullargspec(f).args
    except TypeError:  # a callable without a signature, such as a built-in
        names = []
    # A method is called without its object.
    names = names[1:] if names[:1] == ["self"] else names
    if params is None:
        return list(range(min(len(names), len(args)) if names else len(args)))
    if all(isinstance(each, int) for each in params):
        if any(not -len(args) <= each < len(args) for each in params):
            raise ValueError(
                f"params={list(params)} names a position that the call does not have: it was made "
                f"with {len(args)} arguments. Count them from 0."
            )
        return list(params)
    if not all(isinstance(each, str) for each in params):
        raise ValueError(
            f"params must be all strings or all integers; got {params}. Write positions or names."
        )
    unknown = [each for each in params if each not in names]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not a parameter of the function; it has {names}.")
    return [names.index(each) for each in params]


def _own_tensors(args: tuple[Any, ...], positions: Sequence[int]) -> list[Any]:
    """The arguments, with a tensor of its own at each of `positions`."""
    found = list(args)
    for i in positions:
        tensor = convert_to_tensor(found[i])
        # f(x, x) has two parameters, each with a gradient of its own.
        taken = any(tensor is other for k, other in enumerate(found) if k != i)
        found[i] = identity(tensor) if taken else tensor
    return found
