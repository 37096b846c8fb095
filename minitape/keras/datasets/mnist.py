"""Handwritten digits (LeCun et al. 1998)."""

from __future__ import annotations

from minitape.keras.datasets.files import Pairs, published

__all__ = ["load_data"]


def load_data(path: str = "mnist.npz") -> Pairs:
    """(x_train, y_train), (x_test, y_test): uint8 [60000, 28, 28] and [60000], 10000 to test.

    Raises:
        FileNotFoundError: if the file is not there; the message says where it belongs.
    """
    found = published("mnist", path)
    return (found["x_train"], found["y_train"]), (found["x_test"], found["y_test"])
