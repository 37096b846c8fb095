"""How values are printed, as TensorFlow does."""

from __future__ import annotations

from typing import Any


def numpy_str(value: Any) -> str:
    """How TensorFlow prints a value inside `tf.Tensor(...)`."""
    text = repr(value[()]) if value.dtype == object and value.ndim == 0 else str(value)
    return "\n" + text if "\n" in text else text


def numpy_repr(value: Any) -> str:
    """How TensorFlow prints a value inside `<tf.Tensor: ...>`."""
    text = repr(value) if value.ndim else numpy_str(value)
    return "\n" + text if "\n" in text else text
