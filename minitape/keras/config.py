"""`tf.keras.config`: the dtype that layers have by default, and small numbers."""

from __future__ import annotations

import minitape as tf
from minitape.names.absent import closed

__all__ = [
    "backend", "disable_traceback_filtering", "enable_traceback_filtering", "epsilon", "floatx",
    "image_data_format", "set_floatx",
]  # fmt: skip

_settings = {"floatx": "float32"}


def floatx() -> str:
    """The dtype of layers that are given none.

    Example:
        >>> import minitape as tf
        >>> tf.keras.config.floatx()
        'float32'
    """
    return _settings["floatx"]


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
    """A small number that keeps divisors from 0."""
    return 1e-7


def backend() -> str:
    """What computes: the functions of `tf`."""
    return "tensorflow"


def image_data_format() -> str:
    """Channels are always last."""
    return "channels_last"


disable_traceback_filtering = enable_traceback_filtering = tf.debugging.disable_traceback_filtering


closed("minitape.keras.config")
