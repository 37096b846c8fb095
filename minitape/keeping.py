"""What a record keeps of an op's inputs and results, and which inputs were broadcast.

May import: plan, tensor.
"""

from __future__ import annotations

from typing import Any

from minitape.plan import ID, SPEC, VALUE
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
    """What a record keeps of a tensor: the tensor itself, its spec, its id, or nothing."""
    if keep == SPEC:
        value = x.value if type(x) is EagerTensor else x.spec
        return Spec(value.shape, value.dtype, getattr(x, "id", 0))
    return x if keep == VALUE else x.id if keep == ID else None


def kept_result(out: Any, keep: int) -> Any:
    """The same of a result, or of each of several."""
    return tuple(kept(y, keep) for y in out) if isinstance(out, tuple) else kept(out, keep)
