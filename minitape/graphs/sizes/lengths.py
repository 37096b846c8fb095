"""What an op makes of sizes: the shapes of its results, and tensors that consist of sizes.

A shape is found with two samples. Where both give the same, the size does not depend on the unknown
one; where they differ, it is a size of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.graphs.inference import settled
from minitape.graphs.sizes.shapes import merged, sampled
from minitape.graphs.sizes.size import needs_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from minitape.op import Op
    from minitape.tensor import Spec


def specs_by_samples(op: Op, specs: list[Spec], attributes: tuple[Any, ...]) -> Any:
    """The specs of the results where sizes are not known; None where they depend on values."""
    first, other = (settled(op, sampled(specs, i), sampled(attributes, i)) for i in (0, 1))
    if first is None or other is None:
        return None
    if not op.several:
        return merged(first, other, 0)
    if len(first) != len(other):
        raise needs_size()
    return tuple(merged(a, b, 0) for a, b in zip(first, other, strict=True))


def lengths_made(
    op: Op,
    slots: Sequence[int],
    attributes: tuple[Any, ...],
    specs: Mapping[int, Spec],
    known: Mapping[int, Any],
    lengths: Mapping[int, Any],
) -> list[Any]:
    """The arrays of sizes that the results of an op consist of; none if they are not such.

    Args:
        op: the op.
        slots: those of its inputs.
        attributes: its attributes.
        specs: shape and dtype by slot.
        known: the values that follow from constants, by slot.
        lengths: the arrays of sizes that are known already, by slot.
    """
    if op.name == "sizes":
        return [np.array(specs[slots[0]].shape, object)]
    if not op.lengths or not any(slot in lengths for slot in slots):
        return []
    values = [lengths[slot] if slot in lengths else known.get(slot) for slot in slots]
    if any(value is None for value in values):
        return []
    if op.name == "cast":
        return values
    found = op.applied(op.forward, values, attributes)
    return [np.array(each, object) for each in (found if op.several else (found,))]
