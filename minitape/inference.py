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


def settled(op: Op, specs: list[Spec], attributes: tuple[Any, ...]) -> Any:
    """The same as `infer`, but None where shapes depend on values: of a mask, of ids."""
    found = infer(op, specs, attributes)
    if (
        op.infer is None
        and not op.elementwise
        and (op.cuts or not op.differentiable)
        and _varies(op, specs, attributes, found)
    ):
        return None
    return found


def _varies(op: Op, specs: list[Spec], attributes: tuple[Any, ...], found: Any) -> bool:
    """Whether other values than ones give another shape, as those of a mask do."""
    cuts = [op.input_name(i) in op.cuts for i in range(len(specs))]
    others = [
        np.zeros(s.shape, s.dtype)[()]
        if cut
        else np.arange(int(np.prod(s.shape))).astype(s.dtype).reshape(s.shape)[()]
        for s, cut in zip(specs, cuts, strict=True)
    ]
    try:
        out = op.forward(others, *attributes) if op.variadic else op.forward(*others, *attributes)
    except Exception:  # such values make no sense for this op: the first answer stands
        return False
    shapes = [y.shape for y in (out if op.several else (out,))]
    return shapes != [spec.shape for spec in (found if op.several else (found,))]
