"""Casts that clip: a number beyond the range of the new type becomes the end of that range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import export
from minitape.ops.casting import cast_function
from minitape.ops.elementwise.comparison import maximum, minimum
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.values.results import SameKind


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> SameKind:
    """Converts a tensor to another element type, clipped to the range of that type first.

    Args:
        value: a tensor of real numbers, or something that becomes one.
        dtype: the element type wanted, integer or floating.
        name: accepted and not used.

    Returns:
        A tensor of `dtype` and the shape of `value`.

    Example:
        >>> import minitape as tf
        >>> tf.saturate_cast([-7.0, 300.0], tf.uint8).numpy().tolist()
        [0, 255]
    """
    value, wanted = operand(value, None), dtypes.as_dtype(dtype)
    found = value.dtype
    if found.is_complex or found.is_bool:
        return cast_function(value, wanted)
    if wanted.is_complex:
        if not found.is_floating:  # every integer has a place among complex numbers
            return cast_function(value, wanted)
        parts = dtypes.float32 if wanted == dtypes.complex64 else dtypes.float64
        return cast_function(saturate_cast(value, parts), wanted)
    low = max(found.min, wanted.min, key=float)
    high = min(found.max, wanted.max, key=float)
    if found.is_floating or low > found.min:  # infinities are clipped, too
        value = maximum.public(value, _bound(low, found))
    if found.is_floating or high < found.max:
        value = minimum.public(value, _bound(high, found))
    return cast_function(value, wanted)


def _bound(limit: Any, found: dtypes.DType) -> Any:
    """The number of dtype `found` that is nearest to `limit` and not beyond it."""
    bound = found.as_numpy_dtype(limit)
    beyond = (
        found.is_floating and abs(int(bound)) > abs(int(limit)) if np.isfinite(bound) else False
    )
    return np.nextafter(bound, found.as_numpy_dtype(0)) if beyond else bound
