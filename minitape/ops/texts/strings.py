"""Strings: `tf.strings.to_number`.

Text has no derivative, so a path to a source ends here; differentiate with respect to the number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, primitive
from minitape.ops.statics import as_tensor
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import DTypeLike, TensorLike


@primitive(
    differentiable=False,
    type_name="StringToNumber",
    latex=r"\mathrm{{number}}\left({x}\right)",
)
def string_to_number(x: Array, dtype: Any = np.float32) -> Array:
    """The number that each string says, elementwise."""
    found = [_number(text, dtype) for text in np.asarray(x, object).reshape(-1)]
    return np.array(found, dtype).reshape(np.shape(x))[()]


def _number(text: Any, dtype: Any) -> Any:
    kind = float if np.dtype(dtype).kind == "f" else int
    try:
        return np.dtype(dtype).type(kind(text))
    except (TypeError, ValueError, OverflowError):
        shown = text.decode(errors="replace") if isinstance(text, bytes) else text
        raise InvalidArgumentError(
            teach(
                f"StringToNumberOp could not correctly convert string: {shown}",
                f"It is not a number of dtype {np.dtype(dtype).name}.",
                'Write numbers like "2.5" or "1e-3"; for whole numbers like "3" any dtype goes.',
            )
        ) from None


@export("strings.to_number")
def to_number(
    input: TensorLike, out_type: DTypeLike = "float32", name: str | None = None
) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The numbers that strings say, elementwise.

    Args:
        input: a tensor of strings, or something that becomes one.
        out_type: float32, float64, int32 or int64.
        name: accepted and not used.

    Returns:
        A tensor of the same shape. It is not connected to the strings, which have no derivative.

    Raises:
        TypeError: if `out_type` is another type, or `input` is not made of strings.
        InvalidArgumentError: if a string is no number.

    Example:
        >>> import minitape as tf
        >>> tf.strings.to_number(["2.5", "1e2"]).numpy().tolist()
        [2.5, 100.0]
    """
    x, wanted = as_tensor(input), dtypes.as_dtype(out_type)
    if wanted.name not in {"float32", "float64", "int32", "int64"}:
        raise TypeError(
            f"Value for attr 'out_type' of {wanted.name} is not in the list of allowed values: "
            "float32, float64, int32, int64. Convert to one of them, then use tf.cast."
        )
    if x.dtype != dtypes.string:
        raise TypeError(
            f"strings.to_number takes strings, got {x.dtype.name}. Numbers change their type with "
            "tf.cast(x, dtype)."
        )
    return string_to_number(x, wanted.np)
