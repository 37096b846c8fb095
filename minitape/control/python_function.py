"""`py_function` and `numpy_function`: Python code as an op.

The function of a `py_function` works on tensors and is differentiated by running it under a tape;
that of a `numpy_function` works on arrays and has no derivative. Eagerly the first is simply a
call. In a batch both run once per example.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.interpreter import symbolic_interpreter
from minitape.leaving import only
from minitape.op import Op, Rule, apply, export
from minitape.ops.moving.joining import stack, unstack
from minitape.ops.passing import conj
from minitape.safety.silence import Aloud
from minitape.tape import GradientTape
from minitape.tensor import EagerTensor, Operators, eager
from minitape.tensors.boxed import Boxed
from minitape.tensors.composite import as_tensors
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values.dtypes import as_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Array, Arrays, Tensor
    from minitape.values.results import Result

    Tensors = list[Tensor]


class PythonOp(Op):
    """An op whose forward is the user's function: inputs of any dtypes, results of stated ones."""

    __slots__ = ()

    def __init__(self, forward: Callable[..., Any], **options: Any) -> None:
        latex = r"\mathrm{{python}}\left({x}\right)"
        super().__init__(forward, (), latex=latex, effect=True, mixed=True, **options)
        self.infer = lambda specs, *attributes: None  # only a run tells the shapes
        self.batch = self._one_by_one

    def _one_by_one(
        self, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int
    ) -> Any:
        columns = [
            list(unstack(value, 0)) if own else [value] * size
            for value, own in zip(values, stacked, strict=True)
        ]
        results = [self._one(row, attributes) for row in zip(*columns, strict=True)]
        return tuple(stack(list(each), 0) for each in zip(*results, strict=True))

    def _one(self, row: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        if any(isinstance(x, Operators) for x in row):
            return apply(self, tuple(operand(x, None) for x in row), attributes)
        return self.forward(list(row), *attributes)


def _numpy_function(values: Arrays, func: Any, dtypes: Any) -> tuple[Array, ...]:
    """What `func` makes of the arrays."""
    with Aloud():
        result = func(*[np.array(x) if x.ndim else x for x in values])
    return tuple(each.value for each in _fitted("numpy_function", result, dtypes))


def _py_function(values: Arrays, func: Any, dtypes: Any) -> tuple[Array, ...]:
    """What `func` makes of the tensors."""
    with only(()), Aloud():
        result = func(*[eager(x) for x in values])
    return tuple(each.value for each in _fitted("py_function", result, dtypes))


def _py_function_vjp(
    g: tuple[Any, ...], values: Tensors, func: Any, dtypes: Any, index: int
) -> Any:
    raw = not any(isinstance(each, Operators) for each in g)
    inputs = [as_tensors(x) for x in values]
    weights = [as_tensors(each) for each in g]
    if any(isinstance(x, Boxed) for x in inputs + weights):
        return apply(_PY_GRADIENT, (*inputs, *weights), (func, dtypes, index))[0]
    found = _gradient(inputs, weights, func, dtypes, index)
    return found.value if raw and type(found) is EagerTensor else found


def _gradient(inputs: list[Any], g: list[Any], func: Any, dtypes: Any, index: int) -> Any:
    """The contribution to one input: the function runs again, under a tape."""
    with GradientTape() as tape, Aloud():
        tape.watch([x for x in inputs if x.dtype.is_differentiable])
        result = _fitted("py_function", func(*inputs), dtypes)
    found = tape.gradient(result, inputs[index], [_conjugated(each) for each in g])
    return None if found is None else _conjugated(convert_to_tensor(found))


def _py_gradient(values: Arrays, func: Any, dtypes: Any, index: int) -> tuple[Array, ...]:
    """What `_gradient` gives for one example of a batch."""
    tensors = [eager(x) for x in values]
    count = len(tensors) - len(dtypes)
    with only(()):
        found = _gradient(tensors[:count], tensors[count:], func, dtypes, index)
    return (np.zeros_like(values[index])[()] if found is None else found.value,)


def _conjugated(x: Any) -> Any:
    return conj(x) if x.spec.dtype.kind == "c" else x


_NUMPY = PythonOp(_numpy_function, type_name="PyFunc", differentiable=False)
_PY = PythonOp(_py_function, type_name="EagerPyFunc")
_PY_GRADIENT = PythonOp(_py_gradient, type_name="EagerPyFuncGrad")
_PY.rules["values"] = Rule(_py_function_vjp)


@export("numpy_function")
def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,  # noqa: N803  # TensorFlow's name
    stateful: bool = True,
    name: str | None = None,
) -> Result:
    """Calls a function of NumPy arrays as an op, which has no derivative (gradients are None).

    Args:
        func: takes one array per input, and returns an array or a list of them; without it, a
            decorator is returned.
        inp: a list of tensors.
        Tout: the dtype of the result, or a list of dtypes for several results.
        stateful: accepted and not used.
        name: accepted and not used.

    Returns:
        A tensor, or a list of them where `Tout` is a list.

    Raises:
        InvalidArgumentError: if the results do not fit `Tout`, or `func` raises.

    Example:
        >>> import minitape as tf
        >>> import numpy as np
        >>> x = tf.constant([0.0, 1.0])
        >>> print(tf.numpy_function(np.sinh, [x], tf.float32))
        tf.Tensor([0.        1.1752012], shape=(2,), dtype=float32)
    """
    if func is None:
        return _decorator(numpy_function, Tout)
    inputs, dtypes, single = _checked("numpy_function", func, inp, Tout)
    found = apply(_NUMPY, tuple(inputs), (func, dtypes))
    return found[0] if single else list(found)


@export("py_function")
def py_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,  # noqa: N803  # TensorFlow's name
    name: str | None = None,
) -> Result:
    """Calls a function of eager tensors as an op; it is differentiated by running it under a tape.

    Args:
        func: takes one eager tensor per input, and returns a tensor or a list of them. It may use
            `.numpy()`, Python conditions and loops. Without it, a decorator is returned.
        inp: a list of tensors.
        Tout: the dtype of the result, or a list of dtypes for several results.
        name: accepted and not used.

    Returns:
        A tensor, or a list of them where `Tout` is a list.

    Raises:
        InvalidArgumentError: if the results do not fit `Tout`.

    Example:
        >>> import minitape as tf
        >>> def f(x):
        ...     return x * x if x > 0 else -x
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = tf.py_function(f, [x], tf.float32)
        >>> print(tape.gradient(y, x))
        tf.Tensor(6.0, shape=(), dtype=float32)
    """
    if func is None:
        return _decorator(py_function, Tout)
    inputs, dtypes, single = _checked("py_function", func, inp, Tout)
    if symbolic_interpreter() is None and not any(isinstance(x, Boxed) for x in inputs):
        found = _fitted("py_function", func(*inputs), dtypes)
    else:
        found = apply(_PY, tuple(inputs), (func, dtypes))
    return found[0] if single else list(found)


def _decorator(call: Callable[..., Any], tout: Any) -> Callable[..., Any]:
    """`call` for a function that follows: `@tf.py_function(Tout=tf.float32)` above a `def`."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any) -> Any:
            return call(func, list(args), tout)

        return wrapped

    return decorate


def _checked(op: str, func: Any, inp: Any, tout: Any) -> tuple[list[Any], tuple[Any, ...], bool]:
    """The inputs as tensors, the dtypes of the results, and whether there is a single one."""
    if not callable(func):
        raise ValueError(f"{op}: func must be callable; got {func!r}. Pass the function itself.")
    if tout is None:
        raise TypeError(f"{op}: Tout is missing. Give the dtype of the result, such as tf.float32.")
    single = not isinstance(tout, list | tuple)
    dtypes = tuple(as_dtype(getattr(each, "dtype", each)) for each in ([tout] if single else tout))
    return [operand(each, None) for each in inp or []], dtypes, single


def _fitted(op: str, result: Any, dtypes: tuple[Any, ...]) -> list[Any]:
    """What the function returned as tensors of the stated dtypes."""
    several = isinstance(result, list | tuple) and (len(dtypes) != 1 or len(result) == 1)
    flat = list(result) if several else [] if result is None and not dtypes else [result]
    if len(flat) != len(dtypes):
        raise InvalidArgumentError(
            f"{op}: the function returned {len(flat)} values, but Tout has {len(dtypes)} dtypes. "
            "Return one value per dtype."
        )
    return [_of_dtype(op, x, dtype) for x, dtype in zip(flat, dtypes, strict=True)]


def _of_dtype(op: str, x: Any, dtype: Any) -> Any:
    if isinstance(x, np.ndarray | np.generic) and x.dtype != dtype.np:
        x = operand(x, None)
    tensor = operand(x, dtype.np)
    if tensor.dtype != dtype:
        raise InvalidArgumentError(
            teach(
                f"{op}: the function returned a value of dtype {tensor.dtype.name}, but Tout says "
                f"{dtype.name}.",
                "Nothing is cast silently.",
                "Cast the result in the function, or give its dtype as Tout.",
            )
        )
    return tensor
