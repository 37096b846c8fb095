"""Prices of houses in California (Pace and Barry 1997)."""

from __future__ import annotations

from minitape.keras.datasets.files import Pairs, published, split

__all__ = ["load_data"]


def load_data(
    version: str = "large",
    path: str = "california_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
) -> Pairs:
    """(x_train, y_train), (x_test, y_test): floats [16512, 8] and [16512], 4128 to test.

    Raises:
        FileNotFoundError: if the file is not there; the message says where it belongs.
    """
    found = published("california_housing", path)
    x, y = found["x"], found["y"]
    return split(*((x, y) if version == "large" else (x[:600], y[:600])), test_split, seed)
