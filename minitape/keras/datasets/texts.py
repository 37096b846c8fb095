"""What data sets of texts share: words as numbers, by how frequent they are.

The one fact to know: their files hold Python lists, pickled. A pickle can call anything when it is
read, so it is read here by `Lists`, which makes arrays, lists and numbers and refuses all else.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from minitape.errors.of_arguments import checked_number
from minitape.keras.datasets.files import find

MAKERS = {"_reconstruct", "ndarray", "dtype", "scalar"}  # of NumPy's arrays and numbers


class Lists(pickle.Unpickler):
    """Reads pickled arrays, lists and numbers."""

    def find_class(self, module: str, name: str) -> Any:
        """What makes an array.

        Raises:
            pickle.UnpicklingError: for anything else.
        """
        if module.partition(".")[0] != "numpy" or name not in MAKERS:
            raise pickle.UnpicklingError(
                f"The file holds {module}.{name}, which could run anything when it is read. A data "
                "set of texts is made of lists of numbers. Get the file anew."
            )
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def read(file: Path) -> dict[str, Any]:
    """The arrays of an .npz file with lists in it."""
    with zipfile.ZipFile(file) as members:
        return {
            name.removesuffix(".npy"): _array(io.BytesIO(members.read(name)))
            for name in members.namelist()
        }


def _array(data: io.BytesIO) -> Any:
    np.lib.format.read_magic(data)
    _, _, dtype = np.lib.format.read_array_header_1_0(data)
    if dtype.hasobject:
        return Lists(data).load()
    data.seek(0)
    return np.lib.format.read_array(data)


def word_index(name: str, path: str, source: str) -> Any:
    """The number of each word, without those for starts and unknown words."""
    return json.loads(find(name, path, source).read_text(encoding="utf-8"))


def shuffled(x: Any, y: Any, rng: Any) -> tuple[Any, Any]:
    """Texts and their labels in a random order."""
    order = np.arange(len(x))
    rng.shuffle(order)
    return x[order], y[order]


def marked(x: Any, start_char: int | None, index_from: int) -> list[list[int]]:
    """The texts with a sign for their start, and words counted from `index_from`."""
    start = [] if start_char is None else [start_char]
    return [start + [word + index_from for word in text] for text in x]


def shorter(x: list[list[int]], y: Any, maxlen: int | None) -> tuple[list[list[int]], Any]:
    """The texts of fewer than `maxlen` words.

    Raises:
        ValueError: if there is none.
    """
    if not maxlen:
        return x, y
    checked_number("load_data", "maxlen", maxlen, "load_data(maxlen=100)")
    kept = [i for i, text in enumerate(x) if len(text) < maxlen]
    if not kept:
        raise ValueError(
            f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept. "
            "A text has a word for its start as well. Increase maxlen."
        )
    return [x[i] for i in kept], y[kept]


def known(
    x: list[list[int]], num_words: int | None, skip_top: int, oov_char: int | None
) -> list[list[int]]:
    """The texts with `oov_char`, or nothing, for words that are too rare or too frequent."""
    end = num_words or max(map(max, x))

    def counts(word: int) -> bool:
        return skip_top <= word < end

    if oov_char is None:
        return [list(filter(counts, text)) for text in x]
    return [[word if counts(word) else oov_char for word in text] for text in x]


def as_rows(x: list[list[int]]) -> Any:
    """An array of lists."""
    return np.array(x, dtype=object)
