"""Pooling over any number of spatial axes: maxima and means of sliding windows.

Where a window's maximum stands is a fact of its own (`max_pool_winners`, not differentiable); with
it the gradient of max pooling is linear, and its two directions (`unpool`, `pick_winners`) are each
other's transposes, as are the two of average pooling.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive
from minitape.ops.elementwise.comparison import tie
from minitape.ops.neural.windows import Numbers, Pairs, batched_as_examples, cells, counts, padded
from minitape.tensor import Spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.tensor import Array, Indices, Tensor


def _windows(
    sizes: Numbers, window: Numbers, strides: Numbers, padding: Pairs
) -> Iterator[tuple[int, tuple[slice, ...]]]:
    """Every cell of a window in row order: its number, and where it stands in the padded input."""
    ones = (1,) * len(window)
    number = counts(sizes, window, strides, padding, ones)
    for i, offset in enumerate(product(*map(range, window))):
        yield i, cells(offset, number, strides, ones)


@primitive(type_name="MaxPool", latex=r"\mathrm{{maxpool}}\left({x}\right)", refuses="bc")
def max_pool(x: Array, window: Numbers, strides: Numbers, padding: Pairs) -> Array:
    """The largest value of each window; of equal ones the first takes the gradient."""
    low = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return _folded(np.maximum, padded(x, padding, low), window, strides)


max_pool.says(
    extreme="largest",
    unpicked="nowhere the largest",
    axes=(("image", "row", "column", "channel"), ("image", "row", "column", "channel")),
    rule="only the largest of each window gets it",
)


def _folded(ufunc: Any, wide: Any, window: Numbers, strides: Numbers) -> Any:
    """`ufunc` over the cells of each window, one axis after the other: that takes fewer passes."""
    out = wide
    for axis, (n, k, step) in enumerate(zip(wide.shape[1:-1], window, strides, strict=True), 1):
        end = max(n - k + 1, 0)
        cells = [out[(*(slice(None),) * axis, slice(i, end + i, step))] for i in range(k)]
        out = cells[0].copy()
        for cell in cells[1:]:
            ufunc(out, cell, out=out)
    return out


@max_pool.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor, window: Any, strides: Any, padding: Any) -> Tensor:
    winners = max_pool_winners(x, out, window, strides, padding)
    return tie(unpool(g, winners, tuple(x.shape)[1:-1], window, strides, padding), x)


max_pool.batch(batched_as_examples(max_pool))


@primitive(differentiable=False, latex=r"\mathrm{{argmax}}\left({x}\right)")
def max_pool_winners(
    x: Array, out: Array, window: Numbers, strides: Numbers, padding: Pairs
) -> Array:
    """Which cell of each window holds its maximum `out`, the first of equals; in row order."""
    wide = padded(x, padding, -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)
    places = [place for _, place in _windows(x.shape[1:-1], window, strides, padding)]
    later: Any = np.ones(out.shape, bool)
    winners: Any = np.zeros(out.shape, np.uint8 if len(places) <= 256 else np.int32)
    one_more = later.view(np.uint8)
    for place in places[:-1]:  # for every cell that the winner comes after
        later &= wide[place] != out
        winners += one_more
    return winners


max_pool_winners.says(called="winners found")


max_pool_winners.batch(batched_as_examples(max_pool_winners))


@primitive(
    type_name="MaxPoolGrad",
    latex=r"\mathrm{{zeros}}\left(\left[\mathrm{{winners}}\right] \addto {y}\right)",
)
def unpool(
    y: Array, winners: Indices, sizes: Numbers, window: Numbers, strides: Numbers, padding: Pairs
) -> Array:
    """Every value of `y` at its window's winner in an array of `sizes`; overlaps add up."""
    out = np.zeros(_padded_shape(y, sizes, padding), y.dtype)
    apart = all(k <= s for k, s in zip(window, strides, strict=True))
    for i, place in _windows(sizes, window, strides, padding):
        ones = (winners == i).astype(y.dtype)
        if apart:
            np.multiply(y, ones, out=out[place])
        else:
            out[place] += y * ones
    return _cropped(out, sizes, padding)


unpool.says(called="winners put back")


@unpool.vjp("y")
def _(g: Tensor, winners: Tensor, window: Any, strides: Any, padding: Any) -> Tensor:
    return pick_winners(g, winners, window, strides, padding)


unpool.batch(batched_as_examples(unpool))


@primitive(type_name="MaxPoolGradGrad", latex=r"{x:4}_{{\mathrm{{winners}}}}")
def pick_winners(
    x: Array, winners: Indices, window: Numbers, strides: Numbers, padding: Pairs
) -> Array:
    """The value of `x` at each window's winner."""
    wide = padded(x, padding)
    out = np.zeros(winners.shape, x.dtype)
    for i, place in _windows(x.shape[1:-1], window, strides, padding):
        np.copyto(out, wide[place], where=winners == i)
    return out


pick_winners.says(called="winners picked")


@pick_winners.vjp("x")
def _(g: Tensor, x: Spec, winners: Tensor, window: Any, strides: Any, padding: Any) -> Tensor:
    return unpool(g, winners, tuple(x.shape)[1:-1], window, strides, padding)


pick_winners.batch(batched_as_examples(pick_winners))


@primitive(type_name="AvgPool", latex=r"\mathrm{{avgpool}}\left({x}\right)")
def avg_pool(x: Array, window: Numbers, strides: Numbers, padding: Pairs) -> Array:
    """The mean of each window over the cells that are inside of the input."""
    out = _folded(np.add, padded(x, padding), window, strides)
    out /= _cells_inside(x.shape[1:-1], window, strides, padding, x.dtype)
    return out


avg_pool.says(axes=(("image", "row", "column", "channel"), ("image", "row", "column", "channel")))


@avg_pool.vjp("x")
def _(g: Tensor, x: Spec, window: Any, strides: Any, padding: Any) -> Tensor:
    return avg_unpool(g, tuple(x.shape)[1:-1], window, strides, padding)


avg_pool.batch(batched_as_examples(avg_pool))


@primitive(type_name="AvgPoolGrad", latex=r"\mathrm{{spread}}\left({y}\right)")
def avg_unpool(
    y: Array, sizes: Numbers, window: Numbers, strides: Numbers, padding: Pairs
) -> Array:
    """The transpose of `avg_pool`: every value of `y` shared out evenly over its window's cells."""
    share = y / _cells_inside(sizes, window, strides, padding, y.dtype)
    out = np.zeros(_padded_shape(y, sizes, padding), y.dtype)
    for _, place in _windows(sizes, window, strides, padding):
        out[place] += share
    return _cropped(out, sizes, padding)


avg_unpool.says(called="means shared out")


@avg_unpool.vjp("y")
def _(g: Tensor, window: Any, strides: Any, padding: Any) -> Tensor:
    return avg_pool(g, window, strides, padding)


avg_unpool.batch(batched_as_examples(avg_unpool))


def _pooled_spec(specs: Any, window: Numbers, strides: Numbers, padding: Pairs) -> Spec:
    """Shape and dtype of what pooling gives, without a pass over windows of ones."""
    shape, dtype = specs[0].shape, specs[0].dtype
    number = counts(shape[1:-1], window, strides, padding, (1,) * len(window))
    return Spec((shape[0], *number, shape[-1]), dtype)


max_pool.op.infer = avg_pool.op.infer = _pooled_spec


def _cells_inside(
    sizes: Numbers, window: Numbers, strides: Numbers, padding: Pairs, dtype: Any
) -> Any:
    """How many cells of each window are no padding, with a channel axis of size 1."""
    inside: Any = np.ones((1,), dtype)
    number = counts(sizes, window, strides, padding, (1,) * len(window))
    for n, k, s, (before, _), many in reversed(
        list(zip(sizes, window, strides, padding, number, strict=True))
    ):
        start = np.arange(many) * s - before
        along = np.minimum(start + k, n) - np.maximum(start, 0)
        inside = np.multiply.outer(along.astype(dtype), inside)
    return inside


def _padded_shape(y: Any, sizes: Numbers, padding: Pairs) -> tuple[int, ...]:
    return (
        y.shape[0],
        *(n + sum(pair) for n, pair in zip(sizes, padding, strict=True)),
        y.shape[-1],
    )


def _cropped(x: Any, sizes: Numbers, padding: Pairs) -> Any:
    """`x` without its padding, as an array of its own."""
    inner = tuple(slice(before, before + n) for n, (before, _) in zip(sizes, padding, strict=True))
    return x[(slice(None), *inner)]
