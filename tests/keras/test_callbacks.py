"""Callbacks that wait for a metric: what they keep and when they act, as in TensorFlow 2.21."""

from types import SimpleNamespace

import pytest

import minitape as tf

EarlyStopping = tf.keras.callbacks.EarlyStopping
ReduceLROnPlateau = tf.keras.callbacks.ReduceLROnPlateau


def watched(callback, measured):
    """The last epoch that is trained, the best value, and the learning rate behind it."""
    model = SimpleNamespace(stop_training=False, optimizer=tf.keras.optimizers.SGD(0.8))
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, value in enumerate(measured):
        callback.on_epoch_end(epoch, {"val_loss": value, "val_accuracy": value})
        if model.stop_training:
            break
    return epoch, callback.best, round(float(model.optimizer.learning_rate), 4)


@pytest.mark.parametrize(
    ("options", "measured", "last", "best"),
    [
        ({"patience": 1, "baseline": 0.5}, [3.0, 2.0, 1.0, 1.5, 0.4, 0.3], 3, 1.0),
        ({"patience": 1, "baseline": 0.5}, [3.0, 4.0, 1.0], 1, 3.0),
        ({"patience": 2, "monitor": "val_accuracy"}, [0.3, 0.4, 0.4, 0.2, 0.5], 3, 0.4),
        ({"patience": 1, "min_delta": 0.5}, [3.0, 2.6, 2.0], 1, 3.0),
        ({"patience": 1, "start_from_epoch": 2}, [3.0, 4.0, 5.0, 6.0, 7.0], 3, 5.0),
    ],
)
def test_early_stopping_keeps_the_best_value_that_was_measured(options, measured, last, best):
    assert watched(EarlyStopping(**options), measured)[:2] == (last, best)


def test_a_plateau_is_looked_for_anew_in_each_fit():
    callback = ReduceLROnPlateau(patience=1, factor=0.5)
    assert watched(callback, [1.0, 2.0, 3.0]) == (2, 1.0, 0.2)
    assert watched(callback, [5.0, 4.0, 4.5]) == (2, 4.0, 0.4)


def test_a_plateau_is_told_with_the_new_rate(capsys):
    watched(ReduceLROnPlateau(patience=1, factor=0.5, verbose=1), [1.0, 2.0])
    assert capsys.readouterr().out == (
        "\nEpoch 2: ReduceLROnPlateau reducing learning rate to 0.4000000059604645.\n"
    )
