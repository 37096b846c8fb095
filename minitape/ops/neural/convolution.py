"""Convolution over any number of spatial axes: three bilinear primitives, each other's rules.

`convolution`, its gradient for the input and its gradient for the kernel are linear in each of
their inputs, so the derivative of any of the three is made of the other two, and every order
follows. All are one matrix product with the windows as rows (`_windows`), for as many examples at a
time as fit into a block of memory.

As in all of deep learning it is a cross-correlation: the kernel is not flipped.
"""

from __future__ import annotations

from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import primitive
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.neural.windows import Numbers, Pairs, counts, padded, placed
from minitape.ops.shapes.shaping import transpose
from minitape.tensor import Spec

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


_FEW = 4  # channels; shorter runs are quicker copied the other way round, column by column
# Bytes of windows that are copied at a time. A process keeps memory of this size for the next time;
# larger pieces go back to the system, which clears them anew: a step took twice as long.
_BLOCK = 2**18


@primitive(type_name="Conv2D", latex=r"\mathrm{{conv}}\left({x}, {kernel}\right)")
def convolution(
    x: Array, kernel: Array, strides: Numbers, padding: Pairs, dilations: Numbers
) -> Array:
    """out[b, o, q] = sum over i, c of x[b, place, c] * kernel[i, c, q].

    The place is o * stride + i * dilation - before; o and i run over all spatial axes. Outside
    of `x` there are zeros.
    """
    return _correlate(padded(x, padding), kernel, strides, dilations)


convolution.says(
    product=True,
    axes=(
        ("image", "row", "column", "channel"),
        ("row", "column", "channel", "kernel"),
        ("image", "row", "column", "channel"),
    ),
    rule="each element adds up the window that it stands in",
)


@convolution.vjp("x")
def _(g: Tensor, x: Spec, kernel: Tensor, strides: Any, padding: Any, dilations: Any) -> Tensor:
    return convolution_input_gradient(g, kernel, tuple(x.shape)[1:-1], strides, padding, dilations)


@convolution.vjp("kernel")
def _(g: Tensor, x: Tensor, kernel: Spec, strides: Any, padding: Any, dilations: Any) -> Tensor:
    return convolution_kernel_gradient(x, g, tuple(kernel.shape)[:-2], strides, padding, dilations)


@primitive(
    type_name="Conv2DBackpropInput", latex=r"\mathrm{{conv}}^{{T}}\left({y}, {kernel}\right)"
)
def convolution_input_gradient(
    y: Array, kernel: Array, sizes: Numbers, strides: Numbers, padding: Pairs, dilations: Numbers
) -> Array:
    """The transpose of `convolution` as a map of its input, whose spatial shape is `sizes`.

    Every cell of `y` spreads the kernel around itself. Computed as a convolution of `y`, with its
    cells `strides` apart, and the kernel turned round (Dumoulin and Visin, "A guide to convolution
    arithmetic for deep learning", 2016, section 4).
    """
    window = kernel.shape[:-2]
    margins = tuple((k - 1) * d for k, d in zip(window, dilations, strict=True))
    wide = tuple(n + m for n, m in zip(sizes, margins, strict=True))
    starts = tuple(m - before for m, (before, _) in zip(margins, padding, strict=True))
    turned = kernel[(slice(None, None, -1),) * len(window)].mT
    return _correlate(placed(y, wide, starts, strides), turned, (1,) * len(window), dilations)


@convolution_input_gradient.vjp("y")
def _(g: Tensor, kernel: Tensor, strides: Any, padding: Any, dilations: Any) -> Tensor:
    return convolution(g, kernel, strides, padding, dilations)


@convolution_input_gradient.vjp("kernel")
def _(g: Tensor, y: Tensor, kernel: Spec, strides: Any, padding: Any, dilations: Any) -> Tensor:
    return convolution_kernel_gradient(g, y, tuple(kernel.shape)[:-2], strides, padding, dilations)


@primitive(
    type_name="Conv2DBackpropFilter",
    # At each place p of the result the window of x that stands there, times y at p.
    latex=r"\sum_{{\mathrm{{p}}}} \mathrm{{window}}_{{\mathrm{{p}}}}\left({x}\right)"
    r" \cdot {y:5}_{{\mathrm{{p}}}}",
)
def convolution_kernel_gradient(
    x: Array, y: Array, window: Numbers, strides: Numbers, padding: Pairs, dilations: Numbers
) -> Array:
    """The transpose of `convolution` as a map of its kernel, which has the spatial shape `window`.

    out[i, c, q] = sum over b, o of x[b, o * stride + i * dilation - before, c] * y[b, o, q].
    """
    number, wide, size = y.shape[1:-1], padded(x, padding), prod(window) * x.shape[-1]
    out = np.zeros((size, y.shape[-1]), x.dtype)
    values = y.reshape(y.shape[0] * prod(number), y.shape[-1])
    for some, rows in _blocks(y.shape[0], prod(number), size * x.itemsize):
        windows = _windows(wide[some], window, number, strides, dilations)
        out += windows.T.dot(values[rows])
    return out.reshape(*window, x.shape[-1], y.shape[-1])


@convolution_kernel_gradient.vjp("x")
def _(g: Tensor, x: Spec, y: Tensor, strides: Any, padding: Any, dilations: Any) -> Tensor:
    return convolution_input_gradient(y, g, tuple(x.shape)[1:-1], strides, padding, dilations)


@convolution_kernel_gradient.vjp("y")
def _(g: Tensor, x: Tensor, strides: Any, padding: Any, dilations: Any) -> Tensor:
    return convolution(x, g, strides, padding, dilations)


def _correlate(x: Any, kernel: Any, strides: Numbers, dilations: Numbers) -> Any:
    """The convolution of an input that is padded already."""
    *window, _, out_channels = kernel.shape
    number = counts(x.shape[1:-1], tuple(window), strides, ((0, 0),) * len(window), dilations)
    matrix = kernel.reshape(prod(window) * x.shape[-1], out_channels)
    out = np.empty((x.shape[0] * prod(number), out_channels), x.dtype)
    for some, rows in _blocks(x.shape[0], prod(number), len(matrix) * x.itemsize):
        windows = _windows(x[some], tuple(window), number, strides, dilations)
        np.dot(windows, matrix, out[rows])
    return out.reshape(x.shape[0], *number, out_channels)


def _blocks(examples: int, number: int, size: int) -> list[tuple[slice, slice]]:
    """Which examples have their windows copied at a time, and which rows these are.

    Args:
        examples: how many there are.
        number: how many windows each of them has.
        size: of a window, in bytes.
    """
    step = max(1, _BLOCK // max(number * size, 1))
    return [
        (slice(i, i + step), slice(i * number, (i + step) * number))
        for i in range(0, examples, step)
    ]


def _windows(x: Any, window: Numbers, number: Numbers, strides: Numbers, dilations: Numbers) -> Any:
    """All windows of an input that is padded already, as the rows of a matrix (im2col)."""
    x = np.ascontiguousarray(x)
    first, *space, last = x.strides
    apart = map(mul, space, strides)
    within = map(mul, space, dilations)
    shape = (x.shape[0], *number, *window, x.shape[-1])
    # `as_strided` of NumPy does this in 4 µs, which is as long as a small product takes.
    windows: Any = np.ndarray(shape, x.dtype, x, strides=(first, *apart, *within, last))
    rows, size = x.shape[0] * prod(number), prod(window) * x.shape[-1]
    if x.shape[-1] < _FEW:
        places = len(number) + 1
        order = (*range(places, len(shape)), *range(places))
        return windows.transpose(order).reshape(size, rows).T
    # Where windows overlap along one axis only the reshape is a view, which no product can take.
    return np.ascontiguousarray(windows.reshape(rows, size))


# Shapes for graphs: a convolution of ones would take as long as the real one.


def _spec(specs: Any, strides: Numbers, padding: Pairs, dilations: Numbers) -> Spec:
    x, kernel = specs
    *window, _, channels = kernel.shape
    number = counts(x.shape[1:-1], tuple(window), strides, padding, dilations)
    return Spec((x.shape[0], *number, channels), x.dtype)


convolution.op.infer = _spec
convolution_input_gradient.op.infer = lambda specs, sizes, *attributes: Spec(
    (specs[0].shape[0], *sizes, specs[1].shape[-2]), specs[0].dtype
)
convolution_kernel_gradient.op.infer = lambda specs, window, *attributes: Spec(
    (*window, specs[0].shape[-1], specs[1].shape[-1]), specs[0].dtype
)


# Batching. A stack joins an axis over which the op works independently: the examples, or the
# channels that pass straight to the output. Where both inputs are stacked no such axis is left.


def _joined(stack: Any, axis: int) -> Any:
    """The batch axis of `stack` merged into the axis `axis` of one example."""
    shape = tuple(stack.shape)
    axis %= len(shape) - 1
    if axis:
        stack = transpose(stack, (*range(1, axis + 1), 0, *range(axis + 1, len(shape))))
    return reshape(stack, (*shape[1 : axis + 1], shape[0] * shape[axis + 1], *shape[axis + 2 :]))


def _parted(out: Any, axis: int, size: int) -> Any:
    """Undoes `_joined` on a result."""
    shape = tuple(out.shape)
    axis %= len(shape)
    out = reshape(out, (*shape[:axis], size, shape[axis] // size, *shape[axis + 1 :]))
    order = (axis, *range(axis), *range(axis + 1, len(shape) + 1))
    return transpose(out, order) if axis else out


def _batched(call: Any, first: tuple[int, int], second: tuple[int, int]) -> Any:
    """A batching rule; per input: the axis that its stack joins, and where the result has it."""

    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        if all(stacked):
            return NotImplemented
        place = 0 if stacked[0] else 1
        axis, result = (first, second)[place]
        values = list(values)
        if not size:  # an example of zeros, for nothing else says how large the result of one is
            values[place] = reduce_sum(values[place], (0,), True)
            return rule(values, stacked, attributes, 1)[:0]
        values[place] = _joined(values[place], axis)
        return _parted(call(*values, *attributes), result, size)

    return rule


convolution.batch(_batched(convolution, (0, 0), (-1, -1)))
convolution_input_gradient.batch(_batched(convolution_input_gradient, (0, 0), (-2, -1)))
convolution_kernel_gradient.batch(_batched(convolution_kernel_gradient, (-1, -2), (-1, -1)))


def check_kernel(op: str, x: Any, kernel: Any, rank: int, groups: int = 1) -> None:
    """Raises if `kernel` is none for `x`, which has its channels last, in groups.

    Raises:
        InvalidArgumentError: with both shapes and the one that was expected.
    """
    shape, channels = tuple(kernel.shape), tuple(x.shape)[-1]
    if len(shape) != rank + 2 or shape[-2] * groups != channels:
        raise InvalidArgumentError(
            teach(
                f"{op}: the input has shape {tuple(x.shape)}, so {channels} channels, and the "
                f"filters have shape {shape}.",
                f"Filters have {rank} spatial axes, then one entry per input channel (input depth "
                "must be evenly divisible by filter depth, where groups are meant), then the "
                "output channels.",
                f"Give filters of shape {(*shape[:rank], channels, 'out')}.",
            )
        )
