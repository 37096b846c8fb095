"""`tf.keras.datasets`: data for lessons, from files that are there already.

The one fact to know: nothing is downloaded. `digits` is shipped; the others are read from the
folder in which Keras keeps them, `~/.keras/datasets`, or `datasets` in that of `KERAS_HOME`.
"""

from minitape.keras.datasets import (
    boston_housing,
    california_housing,
    cifar10,
    cifar100,
    digits,
    fashion_mnist,
    mnist,
)
from minitape.names.absent import closed, listed

__all__ = [
    "boston_housing",
    "california_housing",
    "cifar10",
    "cifar100",
    "digits",
    "fashion_mnist",
    "mnist",
]

closed("minitape.keras.datasets")
for _name in __all__:
    listed(f"minitape.keras.datasets.{_name}")
