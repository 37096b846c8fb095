"""`tf.data`: pipelines of elements for training loops, lazily and on one thread.

Read `core` (what a dataset is), then `dataset` (where elements come from), `transforming` and
`grouping` (what its methods make of them), and `iterating` (the generators that do it).
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from minitape.data.core import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Options
from minitape.data.dataset import Dataset
from minitape.data.iterating import DatasetIterator as Iterator
from minitape.data.iterating import NumpyIterator
from minitape.data.structures import DatasetSpec
from minitape.names.absent import missing

AUTOTUNE = -1
experimental = SimpleNamespace(
    AUTOTUNE=AUTOTUNE,
    INFINITE_CARDINALITY=INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY=UNKNOWN_CARDINALITY,
    cardinality=lambda dataset: dataset.cardinality(),
    get_single_element=lambda dataset: dataset.get_single_element(),
    prefetch_to_device=lambda device, buffer_size=None: lambda dataset: dataset,
)

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "Iterator",
    "NumpyIterator",
    "Options",
    "experimental",
]


def __getattr__(name: str) -> Any:
    raise missing("minitape.data", name)
