"""Pictures of clothes (Xiao et al. 2017), in four files of the idx format."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from minitape.keras.datasets.files import SOURCE, Pairs, find

__all__ = ["load_data"]


def load_data() -> Pairs:
    """(x_train, y_train), (x_test, y_test): uint8 [60000, 28, 28] and [60000], 10000 to test.

    Raises:
        FileNotFoundError: if a file is not there; the message says where it belongs.
    """
    return _part("train"), _part("t10k")


def _part(name: str) -> tuple[Any, Any]:
    """The pictures of a part, and their labels."""
    pictures = _content(f"{name}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)
    return pictures, _content(f"{name}-labels-idx1-ubyte.gz", 8)


def _content(name: str, head: int) -> Any:
    """The bytes of a file behind its first `head`, which say how many there are."""
    file = find("fashion_mnist", f"fashion-mnist/{name}", SOURCE + name)
    with gzip.open(file, "rb") as stream:
        return np.frombuffer(stream.read(), np.uint8, offset=head)
