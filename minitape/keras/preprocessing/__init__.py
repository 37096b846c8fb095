"""`tf.keras.preprocessing`: rows of different lengths as one array, in `sequence`, and no more."""

from minitape.keras.preprocessing import sequence
from minitape.names.absent import closed

__all__ = ["sequence"]


closed("minitape.keras.preprocessing")
