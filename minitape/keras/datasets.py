"""`tf.keras.datasets`: data for lessons, from files that are there already.

Nothing is downloaded. `digits` is shipped; the others are read from the folder in which Keras keeps
them, `~/.keras/datasets`, or `datasets` in that of `KERAS_HOME`. Where a file is missing, a
FileNotFoundError says where it belongs.

Example:
    >>> import minitape as tf
    >>> (x, y), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    >>> x.shape, y_test.shape
    ((1437, 8, 8), (360,))
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from minitape.errors.of_arguments import checked_number, not_fitting
from minitape.names import signatures
from minitape.names.absent import closed, listed

Pairs: TypeAlias = tuple[tuple[Any, Any], tuple[Any, Any]]

__all__ = [
    "boston_housing", "california_housing", "cifar10", "cifar100", "digits", "fashion_mnist",
    "mnist",
]  # fmt: skip

_SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
_CIFAR = "https://www.cs.toronto.edu/~kriz/{}-binary.tar.gz, unpacked,"
_PACKAGE = Path(__file__).parents[1]


def home() -> Path:
    """The folder in which Keras keeps what it has loaded."""
    named = os.environ.get("KERAS_HOME")
    return Path(named) if named else Path.home() / ".keras"


def not_there(name: str, place: Path, source: str) -> FileNotFoundError:
    """The error for data that nobody has put in their place yet."""
    return FileNotFoundError(
        f"{name}: there is no file {place}. Nothing is downloaded here: get it once from {source} "
        "and put it there. For a lesson without files, tf.keras.datasets.digits has small pictures "
        "of digits."
    )


def _find(name: str, path: str, source: str) -> Path:
    """The file of a data set: `path` if that is one, else one of that name in Keras' folder."""
    if not isinstance(path, str | Path):
        raise not_fitting(f"{name}.load_data", "path", path, "a path", "load_data('digits.npz')")
    in_folder = home() / "datasets" / path
    for place in (Path(path), in_folder):
        if place.is_file():
            return place
    raise not_there(f"tf.keras.datasets.{name}", in_folder, source)


def _arrays(file: Path) -> dict[str, Any]:
    """The arrays of an .npz file; nothing in it is executed."""
    with np.load(file, allow_pickle=False) as found:
        return dict(found)


def _published(name: str, path: str) -> dict[str, Any]:
    """The arrays of a data set that Keras publishes as an .npz file."""
    return _arrays(_find(name, path, f"{_SOURCE}{name}.npz"))


def _divided(x: Any, y: Any, test_split: float) -> Pairs:
    """The examples, the last `test_split` of them to test with."""
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])


def _shuffled(x: Any, y: Any, test_split: float, seed: int) -> Pairs:
    order = np.random.RandomState(seed).permutation(len(x))
    return _divided(x[order], y[order], test_split)


def _module(load: Callable[..., Pairs]) -> ModuleType:
    """A module with `load_data` in it, as Keras has one for each data set."""
    name = load.__name__
    made = ModuleType(f"{__name__}.{name}", load.__doc__)
    signatures.public(load, f"keras.datasets.{name}.load_data")
    vars(made).update(load_data=load, __all__=["load_data"])
    sys.modules[made.__name__] = made
    listed(made.__name__)
    return made


@_module
def mnist(path: str = "mnist.npz") -> Pairs:
    """Handwritten digits (LeCun et al. 1998): uint8 [60000, 28, 28] and [60000], 10000 to test."""
    found = _published("mnist", path)
    return (found["x_train"], found["y_train"]), (found["x_test"], found["y_test"])


@_module
def fashion_mnist() -> Pairs:
    """Clothes (Xiao et al. 2017): uint8 [60000, 28, 28] and [60000], 10000 to test."""

    def content(name: str, head: int) -> Any:
        """The bytes of a file behind its first `head`, which say how many there are."""
        file = _find("fashion_mnist", f"fashion-mnist/{name}", _SOURCE + name)
        with gzip.open(file, "rb") as stream:
            return np.frombuffer(stream.read(), np.uint8, offset=head)

    def part(name: str) -> tuple[Any, Any]:
        pictures = content(f"{name}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)
        return pictures, content(f"{name}-labels-idx1-ubyte.gz", 8)

    return part("train"), part("t10k")


@_module
def cifar10() -> Pairs:
    """Ten kinds of things (Krizhevsky 2009): uint8 [50000, 32, 32, 3], [50000, 1]; 10000 to test.

    The binary version of the files is read, because those for Python are pickles.
    """
    parts = [_cifar("cifar-10", f"batches-bin/data_batch_{i}.bin", 1, 0) for i in range(1, 6)]
    x, y = map(np.concatenate, zip(*parts, strict=True))
    return (x, y), _cifar("cifar-10", "batches-bin/test_batch.bin", 1, 0)


@_module
def cifar100(label_mode: str = "fine") -> Pairs:
    """A hundred kinds of things, else as `cifar10`; "coarse" labels are 20 groups.

    Raises:
        ValueError: for another `label_mode`.
    """
    if label_mode not in {"fine", "coarse"}:
        raise ValueError(f"`label_mode` must be one of 'fine', 'coarse'; got {label_mode!r:.80}.")
    at = int(label_mode == "fine")
    train, test = (_cifar("cifar-100", f"binary/{part}.bin", 2, at) for part in ("train", "test"))
    return train, test


def _cifar(kind: str, file: str, labels: int, at: int) -> tuple[Any, Any]:
    """Pictures and their labels: a row has `labels` bytes, then three colours of 32 x 32 places."""
    found = _find(kind.replace("-", ""), f"{kind}-{file}", _CIFAR.format(kind))
    rows = np.fromfile(found, np.uint8).reshape(-1, labels + 3 * 32 * 32)
    return rows[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), rows[:, [at]]


@_module
def boston_housing(
    path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113
) -> Pairs:
    """Prices of houses (Harrison and Rubinfeld 1978): floats [404, 13] and [404], 102 to test."""
    found = _published("boston_housing", path)
    return _shuffled(found["x"], found["y"], test_split, seed)


@_module
def california_housing(
    version: str = "large",
    path: str = "california_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
) -> Pairs:
    """Prices of houses (Pace and Barry 1997): floats [16512, 8] and [16512], 4128 to test."""
    found = _published("california_housing", path)
    count = None if version == "large" else 600
    return _shuffled(found["x"][:count], found["y"][:count], test_split, seed)


@_module
def digits(test_split: float = 0.2) -> Pairs:
    """Digits (Alpaydin and Kaynak 1998): uint8 [1437, 8, 8] of 0 to 16, and labels, 360 to test.

    They are shipped with the tutorials. The order is that of the file, where different people wrote
    the last ones.
    """
    places = [place / "tutorials/data/digits.npz" for place in (_PACKAGE, _PACKAGE.parent)]
    found = _arrays(next(place for place in places if place.exists()))
    share = checked_number("load_data", "test_split", test_split, "load_data(0.2)")
    return _divided(found["images"], found["labels"], share)


closed("minitape.keras.datasets")
