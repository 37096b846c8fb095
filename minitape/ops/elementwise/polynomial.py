"""Polynomials with tensors as coefficients: `tf.math.polyval`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.op import export
from minitape.ops.shapes.creation import zeros_like
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("math.polyval")
def polyval(coeffs: Any, x: TensorLike, name: str | None = None) -> Tensor:
    """The polynomial at x, by Horner's rule; the coefficient of the highest power comes first.

    Args:
        coeffs: list of tensors or numbers; an empty one gives zeros.
        x: a tensor.
        name: accepted and not used.

    Raises:
        ValueError: if `coeffs` is no list.

    Example:
        >>> import minitape as tf
        >>> float(tf.math.polyval([1.0, 0.0, -2.0], 3.0))
        7.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(
            f"polyval: coeffs must be a list, got {coeffs!r:.80}. Every power has a coefficient of "
            "its own. Write `tf.math.polyval([1.0, 2.0], x)` for x + 2."
        )
    at = operand(x, None)
    if not coeffs:
        return zeros_like(at)
    total: Any = operand(coeffs[0], at.spec.dtype)
    for coefficient in coeffs[1:]:
        total = total * at + coefficient
    return total
