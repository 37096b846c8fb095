"""Derivatives three ways, as matrices: reverse mode, forward mode, and finite differences.

Complex values count as pairs of real numbers, so that every derivative is a real matrix with one
row per real number of the result and one column per real number of the argument. Reverse mode gives
it row by row, the other two column by column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.forward_mode.accumulator import ForwardAccumulator
from minitape.names.loading import Late
from minitape.op import export, exports
from minitape.tape import GradientTape
from minitape.tensor import eager
from minitape.tensors.composite import dense
from minitape.tensors.convert import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.values.public_types import TensorLike

    Matrix = np.ndarray[Any, np.dtype[Any]]
    Function = Callable[..., Any]


def reverse_matrix(f: Function, xs: Sequence[Any], i: int) -> Matrix:
    """The derivative of `f` with respect to `xs[i]` by reverse mode: one sweep per row.

    Raises:
        ValueError: if `f` gives an empty tensor, but the gradient is not zero; if the gradient has
            not the shape of its argument.
    """
    x = xs[i]
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(*xs)
    matrix = np.zeros((_count(y), _count(x)), _real(x.spec.dtype))
    weights = np.zeros(y.spec.shape, y.spec.dtype)
    flat = weights.reshape(-1).view(_real(y.spec.dtype))
    for row in range(len(matrix)):
        flat[row] = 1
        g = tape.gradient(y, x, output_gradients=convert_to_tensor(weights))
        flat[row] = 0
        if g is not None:
            matrix[row] = numbers(_of_shape(dense(g), x, i))
    if not len(matrix):
        g = tape.gradient(y, x)
        if g is not None and np.any(dense(g).numpy()):
            raise ValueError(
                "Empty tensor with nonzero gradients: the function gave no elements, so nothing "
                "can depend on its argument. Look at the rule of its last op."
            )
    return matrix


def _of_shape(g: Any, x: Any, i: int) -> Any:
    """The gradient `g` of the argument `x`, which must have its shape."""
    if tuple(g.spec.shape) == tuple(x.spec.shape):
        return g
    raise ValueError(
        teach(
            f"The gradient for argument {i} has shape {list(g.spec.shape)}, but the argument has "
            f"shape {list(x.spec.shape)}.",
            "A gradient has the shape of its source: a rule forgot that its input was broadcast.",
            "Declare the op with `broadcasts=True`, or add the repeated axes up by tf.reduce_sum.",
        )
    )


def forward_matrix(f: Function, xs: Sequence[Any], i: int) -> Matrix:
    """The derivative of `f` with respect to `xs[i]` by forward mode: one run per column."""
    x = xs[i]
    tangent = np.zeros(x.spec.shape, x.spec.dtype)
    flat = tangent.reshape(-1).view(_real(x.spec.dtype))
    columns = []
    for column in range(_count(x)):
        flat[column] = 1
        with ForwardAccumulator(x, convert_to_tensor(tangent)) as accumulator:
            y = f(*xs)
        flat[column] = 0
        columns.append(numbers(accumulator.jvp(y, "zero")))
    return _from_columns(columns, f, xs)


def numeric_matrix(f: Function, xs: Sequence[Any], i: int, delta: float) -> Matrix:
    """The derivative of `f` with respect to `xs[i]` by central differences."""
    x = np.array(xs[i].value)
    flat = x.reshape(-1).view(_real(x.dtype))
    columns = []
    for column in range(flat.size):
        original = flat[column]
        values = []
        for step in (delta, -delta):
            flat[column] = original + step
            moved = eager(x.copy()[()])
            values.append(numbers(f(*xs[:i], moved, *xs[i + 1 :])))
        flat[column] = original
        columns.append((values[0] - values[1]) / (2 * delta))
    return _from_columns(columns, f, xs)


def numbers(y: Any) -> Matrix:
    """The real numbers that a tensor holds, as a vector."""
    value = np.array(y.value).reshape(-1)
    return value.view(_real(value.dtype))


def _from_columns(columns: list[Matrix], f: Function, xs: Sequence[Any]) -> Matrix:
    if columns:
        return np.stack(columns, axis=1)
    return np.zeros((numbers(f(*xs)).size, 0), np.float64)


def _count(x: Any) -> int:
    return int(np.prod(x.spec.shape)) * (2 if x.spec.dtype.kind == "c" else 1)


def _real(dtype: Any) -> Any:
    return np.zeros(0, dtype).real.dtype


@export("test.compute_gradient")
def compute_gradient(f: Function, x: TensorLike, delta: float | None = None) -> Any:
    """The theoretical and the numeric derivatives of `f` at `x`, to be compared.

    Args:
        f: a function of tensors that gives one tensor.
        x: a list of its arguments: numbers, arrays or tensors.
        delta: the step of the central differences, by default 1/1024 (a power of two adds no noise
            of rounding). For float64 a smaller one is more precise.

    Returns:
        A pair of lists with one matrix per argument: the derivatives by reverse mode, and by
        differences. A matrix has a row per element of the result and a column per element of the
        argument; a complex element counts as two real ones.

    Raises:
        ValueError: if `x` is no list, or the result is empty and its gradient is not zero.

    Example:
        >>> import minitape as tf
        >>> [theoretical], [numeric] = tf.test.compute_gradient(lambda x: x * x, [3.0])
        >>> theoretical.tolist(), numeric.round(3).tolist()
        ([[6.0]], [[6.0]])
    """
    if not isinstance(x, list | tuple):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}. Write `[x]` for a single argument."
        )
    step = 1 / 1024 if delta is None else delta
    xs = [convert_to_tensor(each) for each in x]

    def tensor(*values: Any) -> Any:
        return convert_to_tensor(f(*values))

    theoretical = [reverse_matrix(tensor, xs, i) for i in range(len(xs))]
    numeric = [numeric_matrix(tensor, xs, i, step) for i in range(len(xs))]
    return theoretical, numeric


def _no() -> bool:
    """Whether this build has it: it runs on the CPU with NumPy alone."""
    return False


for _name in ("TestCase", "main"):
    exports[f"test.{_name}"] = Late("minitape.testing", _name)

for _name in ("cuda", "gpu_support", "rocm", "xla"):
    export(f"test.is_built_with_{_name}")(_no)


@export("test.is_gpu_available")
def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU: never."""
    return False


@export("test.gpu_device_name")
def gpu_device_name() -> str:
    """The name of a GPU: there is none."""
    return ""
