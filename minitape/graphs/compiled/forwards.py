"""Forwards for one node of a graph, whose shapes, attributes and numbers are known before it runs.

Each does what the op's own forward does for such inputs, to the last bit, without asking for what
is known. NumPy takes a third of the time for a number that is an array without axes already.
Without the fast layer there are none: sums are those that it makes.
"""

from __future__ import annotations

import operator
from functools import partial
from math import gcd, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape import hooks
from minitape.ops.broadcasting import reduce_sum, sum_to
from minitape.ops.elementwise.activations import relu
from minitape.ops.elementwise.comparison import gate
from minitape.ops.elementwise.division import divide
from minitape.ops.elementwise.powers import pow_, power_slope
from minitape.ops.elementwise.sigmoids import sigmoid
from minitape.ops.elementwise.trigonometry import tanh_gradient
from minitape.ops.families import repeated
from minitape.ops.linalg.matrix import matmul
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.joining import concat, split
from minitape.ops.reductions.reduction import reduce_mean
from minitape.values.spec import FLOAT32, FLOAT64

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.op import Op, Primitive
    from minitape.tensor import Spec

    Function = Callable[..., Any]
    Numbers = Sequence[Any]
    Maker = Callable[..., Function | None]

_MANY = 4096  # elements; from here on `kernels` and the ops themselves know better ways
_MEDIUM = 8192  # elements; to here `dot` takes less time than `matmul`
_SHORT, _LONG, _FEW = 16, 512, 8  # elements of a row, and of one made of some; how many at least
_LARGE = 2**16  # elements; from here on memory takes the time, and constants beside arrays the more
_FLOATS = (FLOAT32, FLOAT64)

_UFUNCS: dict[Any, Any] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.gt: np.greater,
    operator.lt: np.less,
}


_MAKERS: dict[Op, Maker] = {}


def _of(op: Primitive) -> Callable[[Maker], Maker]:
    """Decorates what makes the forwards of an op."""
    return partial(_MAKERS.setdefault, op.op)


def prepared(op: Op, specs: Sequence[Spec], known: Numbers, attributes: Any) -> Function | None:
    """The forward of `op` for inputs of `specs`, or None where there is no better than its own.

    Args:
        op: the op.
        specs: shapes and dtypes of all inputs.
        known: for each input the number that it always is, or None; numbers are not given to it.
        attributes: of the op.
    """
    if not hooks.kernels or not specs or specs[0].dtype not in _FLOATS:
        return None
    if all(x is not None for x in known):
        return None
    ufunc = _UFUNCS.get(op.forward)
    if ufunc is not None:
        return _of_two(ufunc, specs, known)
    maker = _MAKERS.get(op)
    return None if maker is None else maker(specs, known, *attributes)


def _of_two(ufunc: Any, specs: Sequence[Spec], known: Numbers) -> Function | None:
    """A ufunc of arrays of one shape, or of an array and a number, or an array of one element."""
    (x, y), (a, b) = specs, known
    if not x.shape and not y.shape:
        return None  # operators of NumPy's numbers are quicker
    if b is not None:
        number = np.asarray(b)
        return lambda x: ufunc(x, number)
    if a is not None:
        return partial(ufunc, np.asarray(a))
    if x.shape == y.shape:
        return ufunc  # type: ignore[no-any-return]
    if _is_one(y.shape) and len(x.shape) >= len(y.shape):
        return lambda x, y: ufunc(x, y.reshape(()))
    if _is_one(x.shape) and len(y.shape) >= len(x.shape):
        return lambda x, y: ufunc(x.reshape(()), y)
    return _of_short_rows(ufunc, x, y)


def _of_short_rows(ufunc: Any, x: Spec, y: Spec) -> Function | None:
    """A ufunc of many short rows and one more, such as a bias of channels: of fewer, longer rows.

    NumPy takes its time per row.
    """
    shape, n = x.shape, prod(y.shape)
    if shape[len(shape) - len(y.shape) :] != y.shape or not 0 < n <= _SHORT:
        return None
    count = gcd(prod(shape) // n, _LONG // n)
    if prod(shape) < _MANY or count < _FEW:
        return None
    places = np.tile(np.arange(n), count)
    return lambda x, y: ufunc(x.reshape(-1, n * count), y.take(places)).reshape(shape)


def _is_one(shape: Any) -> bool:
    return len(shape) > 0 and prod(shape) == 1


@_of(divide)
def _divide(specs: Sequence[Spec], known: Numbers) -> Function | None:
    return _of_two(np.divide, specs, known)


@_of(sum_to)
def _sum_to(specs: Sequence[Spec], known: Numbers, shape: Any) -> Function | None:
    """The sum over the rows of a matrix, as `kernels.sum_of_rows` makes it, or along each."""
    (x,) = specs
    rows, *rest = x.shape or (0,)
    if len(rest) == 1 and rows > 1 and tuple(rest) == shape:
        return repeated(1, rows, x.dtype).dot  # type: ignore[no-any-return]
    if x.shape != shape and (*x.shape[:-1], 1) == shape:
        return _sum_along_rows(x, keepdims=True)
    return None


def _sum_along_rows(x: Spec, keepdims: bool) -> Function | None:
    """The sum over a short last axis, as `kernels.total` makes it."""
    if not hooks.kernels["has_short_sums"](x.shape):
        return None
    *shape, n = x.shape
    ones, out = repeated(1, n, x.dtype), (*shape, 1) if keepdims else tuple(shape)
    if len(shape) == 1:
        return (lambda x: x.dot(ones).reshape(out)) if keepdims else lambda x: x.dot(ones)
    return lambda x: x.reshape(-1, n).dot(ones).reshape(out)


@_of(reduce_sum)
def _sum(specs: Sequence[Spec], known: Numbers, axis: Any, keepdims: bool) -> Function | None:
    """The sum of all elements, or over rows, as `kernels.total` makes it."""
    (x,) = specs
    if axis == (0,) and not keepdims:
        return _sum_to(specs, known, tuple(x.shape[1:]))
    if axis == (len(x.shape) - 1,):
        return _sum_along_rows(x, keepdims)
    n = prod(x.shape)
    if axis is not None or keepdims or x.dtype is not FLOAT32 or not 1 < n < _MANY:
        return None
    ones = repeated(1, n, FLOAT32)
    return lambda x: x.ravel().dot(ones)


@_of(reduce_mean)
def _mean(specs: Sequence[Spec], known: Numbers, axis: Any, keepdims: bool) -> Function | None:
    (x,) = specs
    total = _sum(specs, known, axis, keepdims)
    if total is None:
        return None
    size = prod(x.shape)
    share = x.dtype.type((1 if axis is None else size // x.shape[axis[0]]) / size)
    return lambda x: total(x) * share


@_of(pow_)
def _power(specs: Sequence[Spec], known: Numbers) -> Function | None:
    y = known[1]
    if y is None or not specs[0].shape:
        return None
    return np.square if y == 2.0 else lambda x: x ** float(y)


@_of(power_slope)
def _power_slope(specs: Sequence[Spec], known: Numbers) -> Function | None:
    y = known[1]
    if y is None or not specs[0].shape:
        return None
    return (lambda x: x + x) if y == 2.0 else lambda x: y * x ** (float(y) - 1)


@_of(matmul)
def _matmul(specs: Sequence[Spec], known: Numbers) -> Function | None:
    x, y = specs
    if len(x.shape) != 2 or len(y.shape) != 2:
        return None
    return np.ndarray.dot if prod(x.shape) <= _MEDIUM else operator.matmul


@_of(tanh_gradient)
def _tanh_gradient(specs: Sequence[Spec], known: Numbers) -> Function | None:
    x, y = specs
    if x.shape != y.shape or not x.shape or prod(x.shape) >= _LARGE:
        return None
    one = np.ones((), x.dtype)

    def gradient(x: Any, y: Any) -> Any:
        slope = y * y
        np.subtract(one, slope, slope)
        return np.multiply(x, slope, slope)

    return gradient


@_of(relu)
def _relu(specs: Sequence[Spec], known: Numbers) -> Function | None:
    (x,) = specs
    if not x.shape or prod(x.shape) >= _LARGE:
        return None
    zeros = np.zeros(x.shape, x.dtype)  # half the time of one zero
    return lambda x: np.maximum(x, zeros)


@_of(sigmoid)
def _sigmoid(specs: Sequence[Spec], known: Numbers) -> Function | None:
    (x,) = specs
    if not x.shape or prod(x.shape) >= _LARGE:
        return None
    caps = np.full(x.shape, 88 if x.dtype is FLOAT32 else 709, x.dtype)
    one = np.ones((), x.dtype)

    def sigmoid(x: Any) -> Any:
        e = np.minimum(x, caps)
        np.exp(e, e)
        return np.divide(e, e + one, e)

    return sigmoid


@_of(gather)
def _gather(
    specs: Sequence[Spec], known: Numbers, axis: int, batch_dims: int, from_end: bool
) -> Function | None:
    """`x[i]`, and no more: `tf.gather` looks whether its indices are there."""
    x, index = specs
    if axis not in (0, -len(x.shape)) or batch_dims or not from_end:
        return None
    if index.shape:
        return None if known[1] is not None else lambda x, indices: x.take(indices, 0)
    if len(x.shape) < 2:
        return None
    place = known[1]
    return operator.getitem if place is None else operator.itemgetter(place)


@_of(split)
def _split(
    specs: Sequence[Spec], known: Numbers, sizes: tuple[int, ...], axis: int
) -> Function | None:
    """Parts that lie in one piece each, on which all that follows is quicker than on views."""
    (x,) = specs
    *before, n = x.shape
    if not 0 < axis == len(before) or len(set(sizes)) != 1 or not 0 < prod(x.shape) < _MANY:
        return None
    whole, parts = (prod(before), len(sizes), sizes[0]), (len(sizes), *before, sizes[0])
    return lambda x: tuple(x.reshape(whole).swapaxes(0, 1).copy().reshape(parts))


@_of(concat)
def _concat(specs: Sequence[Spec], known: Numbers, axis: int) -> Function:
    return lambda xs: np.concatenate(xs, axis)


@_of(gate)
def _gate(specs: Sequence[Spec], known: Numbers) -> Function | None:
    x, keep = specs
    if x.shape != keep.shape or keep.dtype.kind != "b" or not 1 < prod(x.shape) < _LARGE:
        return None
    dtype = x.dtype
    return lambda x, keep: x * keep.astype(dtype)
