"""`tf.keras.config`: the dtype that layers have by default, and small numbers."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_number
from minitape.names.absent import closed

__all__ = [
    "backend", "disable_traceback_filtering", "enable_traceback_filtering", "epsilon", "floatx",
    "image_data_format", "set_epsilon", "set_floatx",
]  # fmt: skip

_settings: dict[str, Any] = {"floatx": "float32", "epsilon": 1e-7}


def floatx() -> str:
    """The dtype of layers that are given none.

    Example:
        >>> import minitape as tf
        >>> tf.keras.config.floatx()
        'float32'
    """
    return str(_settings["floatx"])


def set_floatx(value: str) -> None:
    """Sets the dtype of layers made from now on.

    Raises:
        ValueError: if it is no floating dtype.
    """
    if value not in {"float16", "float32", "float64"}:
        raise ValueError(
            f"Unknown `floatx` value: {value!r}. Write 'float16', 'float32' or 'float64'."
        )
    _settings["floatx"] = tf.as_dtype(value).name


def epsilon() -> float:
    """A small number, 1e-7 if it was not set."""
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Sets what `epsilon()` gives."""
    _settings["epsilon"] = checked_number("set_epsilon", "value", value, "set_epsilon(1e-7)")


def backend() -> str:
    """What computes: the functions of `tf`."""
    return "tensorflow"


def image_data_format() -> str:
    """Channels are always last."""
    return "channels_last"


disable_traceback_filtering = enable_traceback_filtering = tf.debugging.disable_traceback_filtering


closed("minitape.keras.config")
