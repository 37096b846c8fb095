"""`TensorSpec`: shape and dtype of a tensor that does not exist yet."""

from __future__ import annotations

from typing import Any

from minitape.op import exports
from minitape.values import dtypes
from minitape.values.shapes import TensorShape


class TensorSpec:
    """Shape and dtype of a tensor, for `input_signature` and the like.

    Args:
        shape: the shape; None for unknown axes, or altogether.
        dtype: the element type.
        name: a name for people.

    Example:
        >>> import minitape as tf
        >>> tf.TensorSpec([None, 3], tf.float32).is_compatible_with(tf.ones([2, 3]))
        True
    """

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, shape: Any, dtype: Any = "float32", name: str | None = None) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec that describes `tensor`."""
        return cls(tensor.shape, tensor.dtype, name)

    from_spec = from_tensor

    def is_compatible_with(self, value: Any) -> bool:
        """Whether a tensor or spec has this dtype and a shape that fits."""
        return bool(self.dtype == value.dtype and self.shape.is_compatible_with(value.shape))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


exports["TensorSpec"] = TensorSpec
