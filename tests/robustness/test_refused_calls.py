"""Calls that are refused, as data do not belong together or a number means nothing.

Written by hand: neither TensorFlow nor Keras was run for this file, so it does not show that they
refuse the same calls. The ranges of optimizers are meant to be those of the papers.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

K = tf.keras
REFUSALS = (TypeError, ValueError, tf.errors.InvalidArgumentError)


def numbers(shape, kind="f"):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3
    return array.astype({"f": np.float32, "i": np.int32}[kind]) / (4 if kind == "f" else 1)


# Functions whose arguments have the same shape: none of them broadcasts.
ELEMENT_BY_ELEMENT = {
    "sigmoid_cross_entropy_with_logits": (
        lambda a, b: tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=b), (3, 4), "ff"
    ),
    "binary_crossentropy": (K.losses.binary_crossentropy, (3, 4), "ff"),
    "categorical_crossentropy": (K.losses.categorical_crossentropy, (3, 4), "ff"),
    "confusion_matrix": (tf.math.confusion_matrix, (3,), "ii"),
    "psnr": (lambda a, b: tf.image.psnr(a, b, 1.0), (8, 8, 3), "ff"),
    "Precision": (lambda a, b: K.metrics.Precision()(a, b), (3, 4), "ff"),
    "Recall": (lambda a, b: K.metrics.Recall()(a, b), (3, 4), "ff"),
    "AUC": (lambda a, b: K.metrics.AUC()(a, b), (3, 4), "ff"),
    "add_n": (lambda a, b: tf.add_n([a, b]), (3, 4), "ff"),
    "cross": (tf.linalg.cross, (2, 3), "ff"),
}  # fmt: skip


def other_shapes(shape):
    """Shapes with one axis less, or with one axis shorter."""
    for i, n in enumerate(shape):
        yield (*shape[:i], *shape[i + 1 :])
        for shorter in {n - 1, 1} - {n}:
            yield (*shape[:i], shorter, *shape[i + 1 :])


@pytest.mark.parametrize("name", ELEMENT_BY_ELEMENT)
def test_what_does_not_broadcast_takes_one_shape_only(name):
    function, shape, kinds = ELEMENT_BY_ELEMENT[name]
    function(*(numbers(shape, kind) for kind in kinds))
    accepted = []
    for place in (0, 1):
        for other in other_shapes(shape):
            given = [numbers(shape, kind) for kind in kinds]
            given[place] = numbers(other, kinds[place])
            try:
                function(*given)
                accepted.append((place, other))
            except REFUSALS:
                pass
    assert accepted == []


def test_weights_of_other_examples_are_refused():
    for kind in (K.metrics.Precision, K.metrics.Recall):
        with pytest.raises(REFUSALS):
            kind().update_state([[1.0, 0.0]], [[0.5, 0.2]], sample_weight=[1.0, 2.0, 3.0])


# Arguments that are numbers, and the least and the largest that they may be.
RANGES = {
    K.optimizers.Adam: {"beta_1": (0, 1), "beta_2": (0, 1), "epsilon": (0, None)},
    K.optimizers.AdamW: {"beta_1": (0, 1), "beta_2": (0, 1), "epsilon": (0, None)},
    K.optimizers.Adamax: {"beta_1": (0, 1), "beta_2": (0, 1), "epsilon": (0, None)},
    K.optimizers.Nadam: {"beta_1": (0, 1), "beta_2": (0, 1), "epsilon": (0, None)},
    K.optimizers.RMSprop: {"rho": (0, 1), "momentum": (0, 1), "epsilon": (0, None)},
    K.optimizers.Adagrad: {"initial_accumulator_value": (0, None), "epsilon": (0, None)},
    K.optimizers.Adadelta: {"rho": (0, 1), "epsilon": (0, None)},
    K.optimizers.SGD: {"momentum": (0, 1), "clipnorm": (0, None), "clipvalue": (0, None),
                       "global_clipnorm": (0, None), "weight_decay": (0, None)},
    K.regularizers.L1: {"l1": (0, None)},
    K.regularizers.L2: {"l2": (0, None)},
    K.regularizers.L1L2: {"l1": (0, None), "l2": (0, None)},
    K.losses.Huber: {"delta": (0, None)},
    K.losses.BinaryCrossentropy: {"label_smoothing": (0, 1)},
    K.losses.CategoricalCrossentropy: {"label_smoothing": (0, 1)},
    K.metrics.Precision: {"thresholds": (0, 1)},
    K.metrics.Recall: {"thresholds": (0, 1)},
    K.layers.ReLU: {"max_value": (0, None), "negative_slope": (0, None), "threshold": (0, None)},
    K.layers.BatchNormalization: {"epsilon": (0, None)},
    K.layers.LayerNormalization: {"epsilon": (0, None)},
    K.layers.Dropout: {"rate": (0, 1)},
    K.callbacks.EarlyStopping: {"patience": (0, None)},
    K.callbacks.ReduceLROnPlateau: {"patience": (0, None), "factor": (0, 1)},
}  # fmt: skip


@pytest.mark.parametrize("kind", RANGES, ids=lambda kind: kind.__name__)
def test_a_class_checks_its_numbers_when_it_is_made(kind):
    wrong = []
    for argument, (low, high) in RANGES[kind].items():
        kind(**{argument: (low + (1 if high is None else high)) / 2})
        for value in (
            low - 1,
            "a",
            float("nan"),
            [0.5, 0.5],
            *(() if high is None else (high + 1,)),
        ):
            try:
                kind(**{argument: value})
                wrong.append((argument, value))
            except (TypeError, ValueError) as error:
                if argument not in str(error):
                    wrong.append((argument, value, str(error)))
    assert wrong == []
