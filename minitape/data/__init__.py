"""`tf.data`: pipelines of elements for training loops, lazily and on one thread.

Read `core` (what a dataset is), then `dataset` (where elements come from), `transforming` and
`grouping` (what its methods make of them), and `iterating` (the generators that do it).
`structures` says what an element is, `functions` how users' functions are called on it.
"""

from __future__ import annotations

from minitape.data.core import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Options
from minitape.data.dataset import Dataset
from minitape.names.absent import closed
from minitape.names.namespaces import Namespace

AUTOTUNE = -1
experimental = Namespace("minitape.data.experimental", "What was settled since: see `Dataset`.")
vars(experimental).update(
    AUTOTUNE=AUTOTUNE,
    INFINITE_CARDINALITY=INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY=UNKNOWN_CARDINALITY,
    cardinality=Dataset.cardinality,
    get_single_element=Dataset.get_single_element,
)

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "Options", "experimental",
]  # fmt: skip


closed("minitape.data")
