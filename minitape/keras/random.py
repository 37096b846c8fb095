"""`tf.keras.random`: random tensors under the names of Keras 3."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras.config import floatx
from minitape.names.absent import closed

__all__ = ["SeedGenerator", "normal", "shuffle", "uniform"]


def normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Normal numbers."""
    return tf.random.normal(shape, mean, stddev, dtype or floatx(), seed=_number(seed))


def uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Uniform numbers."""
    return tf.random.uniform(shape, minval, maxval, dtype or floatx(), seed=_number(seed))


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """Rows in a random order."""
    if axis:
        raise ValueError(
            f"shuffle: axis={axis} is not supported in minitape; rows are shuffled, axis 0."
        )
    return tf.random.shuffle(x, seed=_number(seed))


class SeedGenerator:
    """Stands for a sequence of seeds."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed


def _number(seed: Any) -> Any:
    return seed.seed if isinstance(seed, SeedGenerator) else seed


closed("minitape.keras.random")
