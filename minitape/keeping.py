"""What a record keeps of an op's inputs and results, and which inputs were broadcast.

May import: records, tensor.
"""

from __future__ import annotations

from typing import Any

from minitape.records import SHAPE, SPEC, VALUE
from minitape.tensor import EagerTensor, Spec, Tensor


def stretch(values: Any, shape: Any) -> int:
    """Which inputs were broadcast to `shape`, as bits above those for 'is followed'."""
    bits = 0
    bit = 1 << len(values)
    for value in values:
        if value.shape != shape:
            bits |= bit
        bit <<= 1
    return bits


def kept(x: Tensor, keep: int) -> Any:
    """What a record keeps of a tensor: its value, itself, its spec, its shape, or nothing."""
    if keep == VALUE:
        return x.value
    if SHAPE <= keep <= SPEC:
        value = x.value if type(x) is EagerTensor else x.spec
        shape = tuple(value.shape)
        return shape if keep == SHAPE else Spec(shape, value.dtype, getattr(x, "id", 0))
    return x if keep else None


def lean(array: Any, keep: int) -> Any:
    """What a record keeps of an array without its values."""
    return array.shape if keep == SHAPE else Spec(array.shape, array.dtype)


def kept_result(out: Any, keep: int) -> Any:
    """The same of a result, or of each of several."""
    return tuple(kept(y, keep) for y in out) if type(out) is tuple else kept(out, keep)
