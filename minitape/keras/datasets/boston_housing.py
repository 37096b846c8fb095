"""Prices of houses in Boston (Harrison and Rubinfeld 1978)."""

from __future__ import annotations

from minitape.keras.datasets.files import Pairs, arrays, find, split

__all__ = ["load_data"]

SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/boston_housing.npz"


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Pairs:
    """(x_train, y_train), (x_test, y_test): floats [404, 13] and [404], 102 to test.

    Raises:
        FileNotFoundError: if the file is not there; the message says where it belongs.
    """
    found = arrays(find("boston_housing", path, SOURCE))
    return split(found["x"], found["y"], test_split, seed)
