"""News of 1987, by one of 46 topics (Lewis 1997)."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.keras.datasets import texts
from minitape.keras.datasets.files import Pairs, find

__all__ = ["get_word_index", "load_data"]

SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
) -> Pairs:
    """(x_train, y_train), (x_test, y_test): lists of words' numbers, 8982 of them, and topics.

    The arguments are those of `imdb`; `test_split` is the share that is kept to test with.

    Raises:
        FileNotFoundError: if the file is not there; the message says where it belongs.
        ValueError: if no text is shorter than `maxlen`.
    """
    found = texts.read(find("reuters", path, f"{SOURCE}reuters.npz"))
    x, y = texts.shuffled(found["x"], found["y"], np.random.RandomState(seed))
    rows, y = texts.shorter(texts.marked(x, start_char, index_from), y, maxlen)
    rows, at = texts.known(rows, num_words, skip_top, oov_char), int(len(rows) * (1 - test_split))
    return (texts.as_rows(rows[:at]), y[:at]), (texts.as_rows(rows[at:]), y[at:])


def get_word_index(path: str = "reuters_word_index.json") -> Any:
    """The number of each word, before `index_from` is added."""
    return texts.word_index("reuters", path, f"{SOURCE}reuters_word_index.json")


def __dir__() -> list[str]:
    return sorted(__all__)
