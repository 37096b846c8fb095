"""Arguments of Keras that minitape has not: defaults pass, other values say what to write."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

keras = tf.keras
layers, metrics, optimizers = keras.layers, keras.metrics, keras.optimizers

# Each call runs in TensorFlow 2.21, where these are the defaults, or change nothing on one machine.
ACCEPTED = {
    "the averages of an optimizer": lambda: optimizers.SGD(
        use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None
    ),
    "steps and scale of an optimizer": lambda: optimizers.Adam(
        loss_scale_factor=None, gradient_accumulation_steps=None
    ),
    "no weights": lambda: layers.Bidirectional(layers.LSTM(2), weights=None),
    "a dense input": lambda: keras.Input([3], sparse=None, ragged=None),
    "all columns": lambda: metrics.Precision(None, None, None, "p"),
    "one curve": lambda: metrics.AUC(10, "ROC", multi_label=False, num_labels=None),
    "channels last": lambda: layers.Flatten(data_format="channels_last"),
    "no mask": lambda: layers.Embedding(2, 3, mask_zero=False),
    "cells of one machine": lambda: layers.LSTM(2, stateful=False, unroll=True, use_cudnn="auto"),
    "the usual gates": lambda: (
        layers.LSTM(2, unit_forget_bias=True),
        layers.GRU(2, reset_after=True),
    ),
    "a weight of one machine": lambda: layers.Layer().add_weight(
        shape=[2], autocast=True, aggregation="mean"
    ),
}

REFUSED = {
    "an average": (lambda: optimizers.SGD(use_ema=True), r"SGD: use_ema=True .*0.99 \* average"),
    "the momentum of one": (lambda: optimizers.SGD(ema_momentum=0.5), "ema_momentum=0.5"),
    "several batches": (
        lambda: optimizers.Adam(gradient_accumulation_steps=4), "added up over several batches",
    ),
    "a scale": (lambda: optimizers.Adam(loss_scale_factor=8.0), "divide the gradients"),
    "weights": (lambda: layers.Dense(2, weights=[np.ones(2)]), r"layer.set_weights\(arrays\)"),
    "a ragged input": (lambda: keras.Input([None], ragged=True), r"Input: ragged=True .*to_tensor"),
    "a given input": (lambda: keras.Input([3], tensor=np.ones(3)), "call the model with"),
    "channels first": (
        lambda: layers.Conv2D(2, 3, data_format="channels_first"), r"Put the channels last, `tf.tr",
    ),
    "masks of zeros": (lambda: layers.Embedding(2, 3, mask_zero=True), "mask=tf.not_equal"),
    "a state that is kept": (lambda: layers.GRU(2, stateful=True), "GRU: stateful=True .*initial_"),
    "several cells": (
        lambda: layers.RNN([layers.GRUCell(2)]), "one RNN after the other with `return_sequences",
    ),
    "the way back": (lambda: layers.Normalization(invert=True), "layer.mean . y . layer.variance"),
    "a reset before": (lambda: layers.GRU(2, reset_after=False), "GRUCell: reset_after"),
    "a gate from zero": (lambda: layers.LSTM(2, unit_forget_bias=False), "cell.bias.assign"),
    "a slip at an input": (lambda: keras.Input([3], shpae=3), r"\['shpae'\].*batch_size"),
    "a column": (lambda: metrics.Recall(class_id=1), r"Recall: class_id=1 .*y_true\[:, 0\]"),
    "a centre": (lambda: optimizers.RMSprop(centered=True), "RMSprop: centered=True .*mean square"),
    "a class that does not count": (
        lambda: keras.losses.SparseCategoricalCrossentropy(ignore_class=0), r"y_pred\[keep\]",
    ),
    "several curves": (lambda: metrics.AUC(multi_label=True), "AUC: multi_label=True .*y_true"),
    "a slip at a weight": (lambda: layers.Layer().add_weight(shpae=3), r"\['shpae'\].*shape"),
    "an unknown zero": (lambda: optimizers.SGD(wieght_decay=0.0), "wieght_decay.*`learning_rate`"),
}  # fmt: skip


@pytest.mark.parametrize("what", ACCEPTED)
def test_what_changes_nothing_is_accepted(what):
    ACCEPTED[what]()


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_missing_is_refused_with_what_to_write(what):
    make, words = REFUSED[what]
    with pytest.raises(ValueError, match=words):
        make()


def test_the_average_that_the_refusal_writes_is_that_of_keras_from_the_first_step_on():
    variable = tf.Variable(3.0)
    optimizers.SGD(1.0).apply_gradients([(tf.constant(1.0), variable)])
    average = tf.Variable(variable)
    optimizers.SGD(1.0).apply_gradients([(tf.constant(1.0), variable)])
    average.assign(0.99 * average + 0.01 * variable)
    assert float(average) == pytest.approx(1.99)  # Keras 3, `use_ema=True`
