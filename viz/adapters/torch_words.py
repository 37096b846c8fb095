"""What is said of a PyTorch program beside its steps: why a gradient is None, what hooks do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minitape.silence import Silence

from ..trace.arrays import Array

COMPILED = (
    "What was compiled is one op here: compute it inside of `recording`, which runs it uncompiled, "
    "to see its ops."
)


def why_none(name: str, source: Any, target: Any, reentrant: bool = False) -> str:
    """Why `.grad` of a source is None, in a sentence; `reentrant`: a checkpoint is in the graph."""
    if not (source.dtype.is_floating_point or source.dtype.is_complex):
        return (
            f"{name} is {str(source.dtype)[6:]}: only floating and complex tensors have gradients."
        )
    if target.grad_fn is None and target.requires_grad:
        return f"The target is a leaf itself: nothing was computed, so no path leads to {name}."
    if target.grad_fn is None:
        return (
            "The target has no grad_fn: it was computed under no_grad or inference_mode, from a "
            "detached tensor, by an op without a derivative, or from nothing that requires a "
            "gradient."
        )
    if not source.requires_grad:
        return f"{name} does not require a gradient: set {name}.requires_grad_() before it is used."
    if reentrant:
        return (
            f"No path leads from the target to {name} in PyTorch's graph. But a reentrant "
            "checkpoint is on the way: it computes its inside anew in `backward()`, which may give "
            f"{name}.grad a value. Write checkpoint(..., use_reentrant=False) to see it here."
        )
    return (
        f"No path leads from the target to {name} in PyTorch's graph: it is not used, or what was "
        "made of it was cut off (by detach, no_grad, item or an op without a derivative)."
    )


def hooked(name: str, arrived: Any, g: Any, sizes: Any, count: int, dtype: str) -> Iterator[str]:
    """Say where what goes on is not what arrived: a hook has changed it.

    PyTorch rounds each sum to the tensor's dtype, the trace to NumPy's. So it was a hook only where
    the difference is more than roundings of `count` shares, `sizes` together, can make, and where
    no sum can have left the range of the dtype.
    """
    if arrived is None or np.shape(arrived) != np.shape(g):
        return
    info = np.finfo("float32" if dtype == "bfloat16" else dtype)
    unit = 2.0**-8 if dtype == "bfloat16" else float(info.eps)
    with Silence():
        room = 4 * unit * (count + 1) * sizes + float(info.tiny) * unit
        rounded = (np.abs(np.subtract(arrived, g)) <= room) | ~(sizes <= float(info.max))
    if np.all(rounded | np.equal(arrived, g)):
        return
    texts = [Array.of(each).text() for each in (arrived, g)]
    yield f"A hook on `{name}` makes {texts[1]} of what arrives there, {texts[0]}."
