"""Indices and bounds of slices whose values no one knows while the op is called.

A slice between such bounds has a length that only a run of its graph tells. `span` counts its
indices then, and brings an open size; all else follows from that.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from minitape.interpreter import symbolic_interpreter
from minitape.op import primitive
from minitape.ops.moving.slicing import SliceError
from minitape.ops.statics import is_open as is_length, static_int
from minitape.tensor import Array, Indices, Spec, Tensor
from minitape.tensors.boxed import Boxed
from minitape.variable import ResourceVariable

_FAR = 2**31 - 1  # an index behind all elements


def is_unknown(index: Any) -> bool:
    """Whether `index` is an integer whose value no one knows while the op is called."""
    if not isinstance(index, Boxed) or not _is_integer(index):
        return False
    known = getattr(index.interpreter, "known", None)
    return known is None or index.value not in known


def _is_integer(x: Any) -> bool:
    return x.spec.dtype.kind in "iu" and not x.spec.shape


def is_open(entry: Any) -> bool:
    """Whether a slice has a bound that only the run of a graph, or an example of a batch, knows."""
    return isinstance(entry, slice) and (_is_open_end(entry.start) or _is_open_end(entry.stop))


def _is_open_end(end: Any) -> bool:
    if end is None or type(end) is int:
        return False  # as nearly always
    is_integer = comes_later(end) and _is_integer(end)
    return (is_integer or is_unknown(end)) and not is_length(end)


def comes_later(x: object) -> TypeGuard[Tensor]:
    """Whether a tensor or variable is one whose value a graph finds when it runs."""
    if isinstance(x, Boxed):
        graph = x.interpreter
        return graph.symbolic and x.value not in graph.known
    return isinstance(x, ResourceVariable) and symbolic_interpreter() is not None


def indices_of(entry: slice, n: int) -> Tensor:
    """The indices of a slice of an axis with `n` elements, as a tensor.

    Raises:
        SliceError: if the step is 0.
    """
    step = 1 if entry.step is None else static_int(entry.step, "x[...]", "the step of a slice")
    if not step:
        raise SliceError("slice step cannot be zero. Use a step like 1 or -1.")
    first, behind = (0, _FAR) if step > 0 else (-1, -_FAR)
    start = first if entry.start is None else entry.start
    return span(start, behind if entry.stop is None else entry.stop, n, step)


@primitive(
    differentiable=False,
    type_name="StridedSlice",
    node_name="strided_slice",
    latex=r"\left[{start}:{stop}:{step}\right]",
    infer=lambda specs, n, step: Spec((None,), np.dtype(np.int32)),
)
def span(start: Indices, stop: Indices, n: int, step: int) -> Array:
    """The indices that `start:stop:step` names along an axis of `n` elements, from 0 on."""
    return np.arange(*slice(start, stop, step).indices(n), dtype=np.int32)
