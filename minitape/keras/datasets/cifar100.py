"""Small pictures of a hundred kinds of things (Krizhevsky 2009)."""

from __future__ import annotations

import numpy as np

from minitape.keras.datasets.cifar10 import pictures
from minitape.keras.datasets.files import Pairs, find

__all__ = ["load_data"]

SOURCE = "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz, unpacked,"


def load_data(label_mode: str = "fine") -> Pairs:
    """(x_train, y_train), (x_test, y_test), as of `cifar10`; "coarse" labels are 20 groups.

    Raises:
        FileNotFoundError: if a file is not there; the message says where it belongs.
        ValueError: for another `label_mode`.
    """
    places = {"coarse": 0, "fine": 1}
    if label_mode not in [*places]:
        raise ValueError(f"`label_mode` must be one of 'fine', 'coarse'; got {label_mode!r:.80}.")
    files = [find("cifar100", f"cifar-100-binary/{part}.bin", SOURCE) for part in ("train", "test")]
    train, test = (np.fromfile(file, np.uint8).reshape(-1, 2 + 3 * 32 * 32) for file in files)
    at = places[label_mode]
    return (pictures(train[:, 2:]), train[:, [at]]), (pictures(test[:, 2:]), test[:, [at]])
