"""`tf.keras.saving`: the mark that Keras' files look for; minitape writes no such files."""

from __future__ import annotations

from minitape.keras.utils import register_keras_serializable
from minitape.names.absent import closed

__all__ = ["register_keras_serializable"]

closed("minitape.keras.saving")
