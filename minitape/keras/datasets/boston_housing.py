"""Prices of houses in Boston (Harrison and Rubinfeld 1978)."""

from __future__ import annotations

from minitape.keras.datasets.files import Pairs, published, split

__all__ = ["load_data"]


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Pairs:
    """(x_train, y_train), (x_test, y_test): floats [404, 13] and [404], 102 to test.

    Raises:
        FileNotFoundError: if the file is not there; the message says where it belongs.
    """
    found = published("boston_housing", path)
    return split(found["x"], found["y"], test_split, seed)
