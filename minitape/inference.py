"""Shapes and dtypes of an op's results without its values.

The one fact to know: most ops need no rule for this, because their forward can be run on ones (a
stride-0 view, so size costs little memory). Ops for which ones make no sense declare `infer`.
May import: primitive, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.tensor import Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.primitive import Op


def infer(op: Op, specs: Sequence[Spec], attributes: tuple[Any, ...]) -> Any:
    """The spec of the result of `op` on inputs of `specs`; a tuple of them for several outputs."""
    if op.infer is not None:
        return op.infer(specs, *attributes)
    ones = [np.broadcast_to(np.ones((), s.dtype), s.shape)[()] for s in specs]
    with np.errstate(all="ignore"):
        result = op.forward(ones, *attributes) if op.variadic else op.forward(*ones, *attributes)
    if op.several:
        return tuple(Spec(y.shape, y.dtype) for y in result)
    return Spec(result.shape, result.dtype)
