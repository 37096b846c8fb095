"""Reviews of films, for or against (Maas et al. 2011)."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.keras.datasets import texts
from minitape.keras.datasets.files import Pairs, find

__all__ = ["get_word_index", "load_data"]

SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
) -> Pairs:
    """(x_train, y_train), (x_test, y_test): 25000 lists of words' numbers and labels in each.

    Args:
        path: the file.
        num_words: words that are less frequent than the first so many are `oov_char`.
        skip_top: so are the most frequent ones.
        maxlen: longer texts are left out.
        seed: of the order.
        start_char: what each text begins with.
        oov_char: what stands for unknown words; None leaves them out.
        index_from: what the numbers of words are raised by.

    Raises:
        FileNotFoundError: if the file is not there; the message says where it belongs.
        ValueError: if no text is shorter than `maxlen`.
    """
    found, rng = texts.read(find("imdb", path, f"{SOURCE}imdb.npz")), np.random.RandomState(seed)
    parts = []
    for part in ("train", "test"):
        x, y = texts.shuffled(found[f"x_{part}"], found[f"y_{part}"], rng)
        parts.append(texts.shorter(texts.marked(x, start_char, index_from), y, maxlen))
    (x_train, y_train), (x_test, y_test) = parts
    rows, at = texts.known(x_train + x_test, num_words, skip_top, oov_char), len(x_train)
    return (texts.as_rows(rows[:at]), y_train), (texts.as_rows(rows[at:]), y_test)


def get_word_index(path: str = "imdb_word_index.json") -> Any:
    """The number of each word, before `index_from` is added."""
    return texts.word_index("imdb", path, f"{SOURCE}imdb_word_index.json")


def __dir__() -> list[str]:
    return sorted(__all__)
