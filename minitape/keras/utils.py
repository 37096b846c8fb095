"""`tf.keras.utils`: small helpers around data."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.notices import warn
from minitape.errors.of_arguments import (
    check_memory,
    checked_integer,
    checked_number,
    checked_text,
    not_fitting,
)  # fmt: skip
from minitape.keras.config import floatx
from minitape.keras.datasets import home, not_there
from minitape.keras.models.batches import PyDataset
from minitape.keras.preprocessing.sequence import pad_sequences
from minitape.names.absent import closed

__all__ = [
    "PyDataset", "Sequence", "get_file", "normalize", "pad_sequences", "plot_model",
    "register_keras_serializable", "set_random_seed", "to_categorical",
]  # fmt: skip

Sequence = PyDataset


def set_random_seed(seed: int) -> None:
    """Seeds Python's, NumPy's and minitape's random numbers.

    Raises:
        TypeError: if `seed` is no integer.

    Example:
        >>> import minitape as tf
        >>> tf.keras.utils.set_random_seed(1)
    """
    seed = checked_integer("set_random_seed", "seed", seed, "set_random_seed(1)")
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Class numbers as rows with a single 1: a float64 array, of a tensor a float32 tensor.

    Args:
        x: integers of any shape.
        num_classes: the length of the rows; by default the largest number plus 1.

    Returns:
        An array (a tensor, of a tensor) with one axis more.

    Example:
        >>> import minitape as tf
        >>> tf.keras.utils.to_categorical([0, 2]).tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    example = "to_categorical([0, 2], num_classes=3)"
    if num_classes is not None:
        num_classes = checked_integer("to_categorical", "num_classes", num_classes, example)
    if np.asarray(x).dtype.kind not in "biuf":
        raise not_fitting("to_categorical", "x", x, "integers", example)
    numbers = np.asarray(x).astype(np.int64)
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    count = int(numbers.max(initial=-1)) + 1 if num_classes is None else num_classes
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
        wrong = int(numbers.min()) if numbers.min() < 0 else int(numbers.max())
        raise IndexError(
            f"to_categorical: x holds the class {wrong}, and num_classes={count} has the classes "
            f"from 0 to {count - 1}. Write `to_categorical(x, num_classes={max(wrong + 1, count)})`"
            " or number the classes from 0."
        )
    check_memory("to_categorical", (*numbers.shape, count), 8)
    rows = np.zeros((*numbers.shape, count))
    np.put_along_axis(rows, numbers[..., None], 1.0, -1)
    return tf.constant(rows, tf.float32) if tf.is_tensor(x) else rows


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Rows of norm 1: an array of an array, else a tensor, as in Keras."""
    array = np.asarray(x)
    if array.dtype.kind not in "biuf":
        raise not_fitting("normalize", "x", x, "numbers", "normalize([[3.0, 4.0]])")
    axis = checked_integer("normalize", "axis", axis, "axis=-1")
    if not -array.ndim <= axis < array.ndim:
        raise not_fitting("normalize", "axis", axis, f"an axis of {array.ndim}", "axis=-1")
    power = checked_number("normalize", "order", order, "order=2")
    norms = np.atleast_1d(np.linalg.norm(array, power, axis))
    norms[norms == 0] = 1
    rows = array / np.expand_dims(norms, axis)
    return rows if isinstance(x, np.ndarray) else tf.constant(rows, floatx())


def get_file(
    fname: str | None = None,
    origin: str | None = None,
    untar: bool = False,
    cache_subdir: str = "datasets",
    extract: bool = False,
    cache_dir: str | None = None,
    **options: Any,
) -> str:
    """The path of a file that was put into Keras' folder before; nothing is downloaded.

    Args:
        fname: its name, or a path; by default the last part of `origin`.
        origin: where it comes from, for the error that it is not there.
        untar: the older name of `extract`.
        cache_subdir: the folder in Keras' own, `~/.keras` or that of KERAS_HOME.
        extract: whether the path of the folder of an unpacked archive is asked for, which is
            called as the archive without its ending.
        cache_dir: in place of Keras' folder.
        **options: hashes and formats; accepted and not used.

    Raises:
        ValueError: if neither `fname` nor `origin` is given.
        FileNotFoundError: if the file is not there; the message says where it belongs.
    """
    if not (fname or origin):
        raise ValueError('get_file: give fname or origin, such as get_file("text.txt", url).')
    for argument, given in (("fname", fname), ("origin", origin)):
        if given is not None and not isinstance(given, Path):
            checked_text("get_file", argument, given, 'get_file("text.txt", url)')
    named = Path(fname or (origin or "").rpartition("/")[2])
    if extract or untar:
        named = named.with_name(named.name.partition(".")[0])
    place = (Path(cache_dir) if cache_dir else home()) / cache_subdir / named
    if not place.exists():
        raise not_there("tf.keras.utils.get_file", place, origin or "where it is published")
    return str(place)


def plot_model(model: Any, to_file: str = "model.png", **options: Any) -> None:
    """Draws nothing, and says what shows a model here: Keras draws with Graphviz, a program.

    Args:
        model: the model.
        to_file: not used.
        **options: not used.
    """
    warn(
        "tf.keras.utils.plot_model draws with Graphviz, a program of its own, and drew nothing. "
        "Use `model.summary()`, or `viz` for a picture of what the model computes."
    )


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Any:
    """A decorator that leaves classes as they are: nothing is written to files here."""
    return lambda decorated: decorated


closed("minitape.keras.utils")
