"""`tf.keras.utils`: two helpers that examples use."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_integer, not_fitting


def set_random_seed(seed: int) -> None:
    """Seeds Python's, NumPy's and minitape's random numbers.

    Example:
        >>> import minitape as tf
        >>> tf.keras.utils.set_random_seed(1)
    """
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Class numbers as rows with a single 1: a float64 array, of a tensor a float32 tensor.

    Args:
        x: integers of any shape.
        num_classes: the length of the rows; by default the largest number plus 1.

    Returns:
        An array (a tensor, of a tensor) with one axis more.

    Example:
        >>> import minitape as tf
        >>> tf.keras.utils.to_categorical([0, 2]).tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    example = "to_categorical([0, 2], num_classes=3)"
    if num_classes is not None:
        num_classes = checked_integer("to_categorical", "num_classes", num_classes, example)
    if np.asarray(x).dtype.kind not in "biuf":
        raise not_fitting("to_categorical", "x", x, "integers", example)
    numbers = np.asarray(x).astype(np.int64)
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    count = int(numbers.max()) + 1 if num_classes is None else num_classes
    rows = np.eye(count)[numbers]
    return tf.constant(rows, tf.float32) if tf.is_tensor(x) else rows
