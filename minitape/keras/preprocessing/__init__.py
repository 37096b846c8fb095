"""`tf.keras.preprocessing`: rows of different lengths as one array."""

from typing import Any

from minitape.keras.preprocessing import sequence
from minitape.names.absent import missing

__all__ = ["sequence"]


def __getattr__(name: str) -> Any:
    raise missing("minitape.keras.preprocessing", name)
