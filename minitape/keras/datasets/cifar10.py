"""Small pictures of ten kinds of things (Krizhevsky 2009)."""

from __future__ import annotations

import numpy as np

from minitape.keras.datasets.files import Pairs, find

__all__ = ["load_data"]

SOURCE = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz, unpacked,"
ROW = 1 + 3 * 32 * 32  # a label, then the three colours of a picture


def load_data() -> Pairs:
    """(x_train, y_train), (x_test, y_test): uint8 [50000, 32, 32, 3] and [50000, 1], 10000 to test.

    The binary version of the files is read, because those for Python are pickles.

    Raises:
        FileNotFoundError: if a file is not there; the message says where it belongs.
    """
    parts = [_rows(f"data_batch_{i}.bin") for i in range(1, 6)]
    train, test = np.concatenate(parts), _rows("test_batch.bin")
    return (pictures(train[:, 1:]), train[:, :1]), (pictures(test[:, 1:]), test[:, :1])


def _rows(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    file = find("cifar10", f"cifar-10-batches-bin/{name}", SOURCE)
    return np.fromfile(file, np.uint8).reshape(-1, ROW)


def pictures(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Rows of three colours, each with 32 times 32 places, as pictures."""
    return rows.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
