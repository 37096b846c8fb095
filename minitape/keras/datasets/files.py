"""Where the files of data sets are, and what to do if one is missing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from minitape.errors.of_arguments import not_fitting

SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
Pairs = tuple[tuple[Any, Any], tuple[Any, Any]]


def home() -> Path:
    """The folder in which Keras keeps what it has loaded."""
    named = os.environ.get("KERAS_HOME")
    return Path(named) if named else Path.home() / ".keras"


def folder() -> Path:
    """The folder in which Keras keeps data sets."""
    return home() / "datasets"


def find(name: str, path: str, source: str) -> Path:
    """The file of a data set: `path` if that is one, else one of that name in the folder.

    Raises:
        FileNotFoundError: with the place where it belongs, and where one gets it.
    """
    if not isinstance(path, str | Path):
        raise not_fitting(f"{name}.load_data", "path", path, "a path", "load_data('digits.npz')")
    for place in (Path(path), folder() / path):
        if place.is_file():
            return place
    raise not_there(f"tf.keras.datasets.{name}", folder() / path, source)


def not_there(name: str, place: Path, source: str) -> FileNotFoundError:
    """The error for data that nobody has put in their place yet."""
    return FileNotFoundError(
        f"{name}: there is no file {place}. Nothing is downloaded here: get it once from {source} "
        "and put it there. For a lesson without files, tf.keras.datasets.digits has small pictures "
        "of digits."
    )


def published(name: str, path: str) -> dict[str, Any]:
    """The arrays of a data set that Keras publishes as an .npz file.

    Raises:
        FileNotFoundError: if the file is not there.
    """
    return arrays(find(name, path, f"{SOURCE}{name}.npz"))


def arrays(file: Path) -> dict[str, Any]:
    """The arrays of an .npz file; nothing in it is executed."""
    with np.load(file, allow_pickle=False) as found:
        return {key: found[key] for key in found.files}


def split(x: Any, y: Any, test_split: float, seed: int) -> Pairs:
    """Examples in a random order, the last `test_split` of them to test with."""
    order = np.random.RandomState(seed).permutation(len(x))
    x, y = x[order], y[order]
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])
