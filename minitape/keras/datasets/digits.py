"""Handwritten digits of 8 x 8 pixels (Alpaydin and Kaynak 1998), shipped with the tutorials."""

from __future__ import annotations

from pathlib import Path

from minitape.errors.of_arguments import checked_number
from minitape.keras.datasets.files import Pairs, arrays

__all__ = ["load_data"]

_PACKAGE = Path(__file__).parents[2]


def load_data(test_split: float = 0.2) -> Pairs:
    """(x_train, y_train), (x_test, y_test): uint8 arrays [1437, 8, 8] of 0 to 16, and labels.

    The order is that of the file, where different people wrote the last ones.

    Args:
        test_split: the share of the 1797 pictures, at their end, to test with.

    Example:
        >>> import minitape as tf
        >>> (x, y), (x_test, y_test) = tf.keras.datasets.digits.load_data()
        >>> x.shape, y_test.shape
        ((1437, 8, 8), (360,))
    """
    places = [_PACKAGE / "tutorials", _PACKAGE.parent / "tutorials"]
    file = next(p / "data" / "digits.npz" for p in places if (p / "data" / "digits.npz").exists())
    found = arrays(file)
    x, y = found["images"], found["labels"]
    share = checked_number("load_data", "test_split", test_split, "load_data(0.2)")
    at = int(len(x) * (1 - share))
    return (x[:at], y[:at]), (x[at:], y[at:])
