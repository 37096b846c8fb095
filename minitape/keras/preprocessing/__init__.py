"""`tf.keras.preprocessing`: rows of different lengths as one array, in `sequence`, and no more."""

from typing import TYPE_CHECKING

from minitape.keras.preprocessing import sequence
from minitape.names.absent import refusing

__all__ = ["sequence"]


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others
    __getattr__ = refusing("minitape.keras.preprocessing")
