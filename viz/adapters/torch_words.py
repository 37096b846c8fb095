"""What is said of a PyTorch program beside its steps: why a gradient is None, what hooks do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..trace.arrays import Array

COMPILED = (
    "What was compiled is one op here: compute it inside of `recording`, which runs it uncompiled, "
    "to see its ops."
)


def why_none(name: str, source: Any, target: Any) -> str:
    """Why `.grad` of a source is None, in a sentence."""
    if not (source.dtype.is_floating_point or source.dtype.is_complex):
        return (
            f"{name} is {str(source.dtype)[6:]}: only floating and complex tensors have gradients."
        )
    if target.grad_fn is None:
        return (
            "The target has no grad_fn: it was computed under no_grad, from a detached tensor, or "
            "from nothing that requires a gradient."
        )
    if not source.requires_grad:
        return f"{name} does not require a gradient: set {name}.requires_grad_() before it is used."
    return f"No path leads from the target to {name}: it was detached, or is not used."


def hooked(name: str, arrived: Any, g: Any) -> Iterator[str]:
    """Say where what goes on is not what arrived: a hook has changed it."""
    if arrived is None or np.allclose(arrived, g, rtol=1e-4, atol=1e-6, equal_nan=True):
        return
    texts = [Array.of(each).text() for each in (arrived, g)]
    yield f"A hook on `{name}` makes {texts[1]} of what arrives there, {texts[0]}."
