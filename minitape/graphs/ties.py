"""Ties: what makes a result that turned out constant depend on the inputs, with derivative zero.

The one fact to know: behind a branch or a loop that a value decides, a gradient is 0 and not None,
as in TensorFlow: another branch, or another round, might have used the inputs. Eagerly only what
was taken is recorded, so the rest is written as `where(False, rest, constant)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.interpreter import active
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.casting import cast
from minitape.ops.elementwise.comparison import select
from minitape.tensor import EagerTensor, eager

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEVER = eager(np.False_)


def tied(outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """`outputs`; those that an interpreter does not follow, but some of `inputs`, are tied to them.

    Args:
        outputs: what a branch or loop gave; other things than tensors stay as they are.
        inputs: what it could use.
    """
    followed = _followed(inputs)
    if not followed:
        return list(outputs)
    refs = {ref for x in followed for ref in x.mark if ref() in active()}
    return [
        _tied(y, followed)
        if type(y) is EagerTensor and moves(y) and not refs.issubset(y.mark or ())
        else y
        for y in outputs
    ]


def tied_to_each(outputs: Sequence[Any], unused: Sequence[Any]) -> list[Any]:
    """`outputs`, of which each is tied to all of the followed `unused`.

    They are what only the branches that were not taken would have used.
    """
    followed = _followed(unused)
    if not followed:
        return list(outputs)
    return [_tied(y, followed) if type(y) is EagerTensor and moves(y) else y for y in outputs]


def _followed(inputs: Sequence[Any]) -> list[Any]:
    """The tensors among `inputs` that an active interpreter follows and a derivative can reach."""
    return [
        x
        for x in inputs
        if type(x) is EagerTensor and moves(x) and any(ref() in active() for ref in x.mark or ())
    ]


def _tied(y: Any, inputs: Sequence[Any]) -> Any:
    for x in inputs:
        rest = reduce_sum(x)
        if rest.spec.dtype != y.spec.dtype:
            rest = cast(rest, y.spec.dtype)
        y = select(_NEVER, rest, y)
    return y


def moves(x: Any) -> bool:
    """Whether a tensor's dtype is one that is differentiated."""
    return x.spec.dtype.kind in "fc"
