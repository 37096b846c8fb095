"""Pictures of clothes (Xiao et al. 2017), in four files of the idx format."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from minitape.keras.datasets.files import Pairs, find

__all__ = ["load_data"]

SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def load_data() -> Pairs:
    """(x_train, y_train), (x_test, y_test): uint8 [60000, 28, 28] and [60000], 10000 to test.

    Raises:
        FileNotFoundError: if a file is not there; the message says where it belongs.
    """
    return (_pictures("train"), _labels("train")), (_pictures("t10k"), _labels("t10k"))


def _pictures(part: str) -> Any:
    return _content(f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)


def _labels(part: str) -> Any:
    return _content(f"{part}-labels-idx1-ubyte.gz", 8)


def _content(name: str, head: int) -> Any:
    """The bytes of a file behind its first `head`, which say how many there are."""
    file = find("fashion_mnist", f"fashion-mnist/{name}", SOURCE + name)
    with gzip.open(file, "rb") as stream:
        return np.frombuffer(stream.read(), np.uint8, offset=head)
