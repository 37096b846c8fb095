"""Shapes and dtypes of an op's results without its values.

Most ops need no rule for this, because their forward can be run on ones (a stride-0 view, so size
costs little memory). Ops for which ones make no sense, or the result costs much, declare `infer`;
an elementwise op is run on one element.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.safety.silence import Silence
from minitape.tensor import Spec, storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.op import Op

_LARGE = 10_000  # elements; below, the forward itself takes no longer


def infer(op: Op, specs: Sequence[Spec], attributes: tuple[Any, ...]) -> Any:
    """The spec of the result of `op` on inputs of `specs`; a tuple of them for several outputs."""
    if op.infer is not None:
        return op.infer(specs, *attributes)
    if op.elementwise and not op.several and any(prod(s.shape) > _LARGE for s in specs):
        found = _of_one_element(op, specs, attributes)
        if found is not None:
            return found
    ones = [_one(s) if s.shape == () else np.broadcast_to(_one(s), s.shape) for s in specs]
    result = _forward(op, ones, attributes)
    return _specs(op, result)


def _of_one_element(op: Op, specs: Sequence[Spec], attributes: tuple[Any, ...]) -> Any:
    """The spec of an elementwise result from one element; None where shapes do not fit."""
    try:
        shape = np.broadcast_shapes(*(s.shape for s in specs))
    except ValueError:  # the forward has the words
        return None
    single = [Spec((1,) * len(s.shape), s.dtype) for s in specs]
    return Spec(shape, infer(op, single, attributes).dtype)


def _one(spec: Spec) -> Any:
    """The number 1; the text "1" of rank 0, which NumPy has no scalar for, as an array."""
    return np.array(b"1", object) if spec.dtype.kind == "O" else spec.dtype.type(1)


def _specs(op: Op, result: Any) -> Any:
    if op.several:
        return tuple(Spec(y.shape, y.dtype) for y in result)
    return Spec(result.shape, result.dtype)


def _forward(op: Op, arrays: list[Any], attributes: tuple[Any, ...]) -> Any:
    with Silence():
        out = op.applied(op.forward, arrays, attributes)
    return storable(out)


def _identity(spec: Spec) -> Any:
    """Identity matrices, for ops without a result for ones, such as an inverse."""
    rank = len(spec.shape)
    matrix = np.eye(*spec.shape[-2:], dtype=spec.dtype) if rank > 1 else np.zeros((), spec.dtype)
    return np.broadcast_to(matrix, spec.shape)[()]


def settled(op: Op, specs: list[Spec], attributes: tuple[Any, ...]) -> Any:
    """The same as `infer`, but None where shapes depend on values: of a mask, of ids."""
    try:
        found = infer(op, specs, attributes)
    except Exception as error:
        if op.infer is not None or not specs or any(s.dtype.kind == "O" for s in specs):
            raise
        try:
            found = computed(op, specs, attributes)
        except Exception:  # the first error is the one about these dtypes and shapes
            raise error from None
    if (
        op.infer is None
        and not op.elementwise
        and (op.cuts or not op.differentiable)
        and _varies(op, specs, attributes, found)
    ):
        return None
    return found


def computed(op: Op, specs: Sequence[Spec], attributes: tuple[Any, ...]) -> Any:
    """The spec of what the forward makes of identity matrices, whatever `infer` says."""
    return _specs(op, _forward(op, list(map(_identity, specs)), attributes))


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
        out = _specs(op, _forward(op, others, attributes))
    except Exception:  # such values make no sense for this op: the first answer stands
        return False
    return bool(out != found)
