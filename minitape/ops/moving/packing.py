"""Packing: one tensor of lists with tensors in them: `tf.convert_to_tensor([x, [1.0, 2.0]])`.

It is stacking, list by list, so gradients flow into the tensors. Conversion is below the ops, and
finds this one where it is put at the end of this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.ops.moving.joining import stack
from minitape.tensors import convert
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor


def pack_nested(value: Any, dtype: Any) -> Tensor:
    """One tensor of nested lists with tensors in them: what `convert_to_tensor` does with those."""
    if not isinstance(value, list | tuple):
        return operand(value, dtype)
    found = dtype
    for each in _leaves(value):
        if found is None and hasattr(each, "spec"):
            found = each.spec.dtype
    return stack([pack_nested(each, found) for each in value], 0)


def _leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    todo = [value]
    while todo:
        item = todo.pop()
        (todo.extend if isinstance(item, list | tuple) else found.append)(item)
    return found


convert.pack[:] = [pack_nested]
