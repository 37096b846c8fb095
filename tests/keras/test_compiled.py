"""Losses and metrics per output: which target belongs to which, and under which name it is logged.

All numbers are those of TensorFlow 2.21.
"""

import numpy as np
import pytest

import minitape as tf

layers = tf.keras.layers
X = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
ONES, TWOS = np.ones([4, 1], np.float32), np.full([4, 1], 2.0, np.float32)


def history(y, keys=None, fit=None, **compiled):
    """What one epoch logs, of a model with two outputs that begin with the sums of `X`."""
    given = tf.keras.Input([3])
    outputs = [layers.Dense(1, kernel_initializer="ones", name=name)(given) for name in "ab"]
    model = tf.keras.Model(given, dict(zip(keys, outputs, strict=True)) if keys else outputs)
    model.compile("sgd", **compiled)
    found = model.fit(X, y, verbose=0, **(fit or {})).history
    return {name: round(values[0], 4) for name, values in found.items()}


@pytest.mark.parametrize("y", [[ONES, None], (ONES, None), [ONES, TWOS], [ONES], ONES])
def test_an_output_without_a_loss_needs_no_target(y):
    assert history(y, loss=["mse", None]) == {"loss": 0.8438}


@pytest.mark.parametrize("y", [[None, TWOS], [ONES, TWOS], TWOS])
def test_a_target_alone_belongs_to_the_output_with_a_loss(y):
    assert history(y, loss=[None, "mse"]) == {"loss": 1.0938}


@pytest.mark.parametrize("y", [{"a": ONES, "b": None}, {"a": ONES}])
def test_a_target_of_a_dict_may_be_none_or_left_out(y):
    assert history(y, "ab", loss={"a": "mse"}, metrics={"a": ["mae"]}) == {
        "a_mae": 0.75,
        "loss": 0.8438,
    }


@pytest.mark.parametrize(
    "options", [{"validation_data": (X, [ONES, None])}, {"validation_split": 0.5}]
)
def test_examples_to_validate_with_may_lack_a_target_as_well(options):
    assert set(history([ONES, None], loss=["mse", None], fit=options)) == {"loss", "val_loss"}


def test_sample_weights_may_be_none_for_an_output():
    weights = {"sample_weight": [np.full(4, 0.5), None]}
    assert history([ONES, None], loss=["mse", None], fit=weights) == {"loss": 0.4219}


@pytest.mark.parametrize("keys", ["pq", "ba"])
def test_outputs_of_a_dict_are_logged_by_its_keys(keys):
    first, second = keys
    y = {first: ONES, second: TWOS}
    assert history(y, keys, loss={first: "mse", second: "mae"}, metrics={first: ["mae"]}) == {
        "loss": 1.7188,
        f"{first}_loss": 0.8438,
        f"{second}_loss": 0.875,
        f"{first}_mae": 0.75,
    }


@pytest.mark.parametrize(
    ("y", "compiled"),
    [
        ([ONES, None], {"loss": "mse"}),
        ([None, TWOS], {"loss": ["mse", None]}),
        ([ONES, None], {"loss": ["mse", None], "metrics": [None, ["mae"]]}),
        (ONES, {"loss": "mse"}),
    ],
)
def test_what_is_compared_with_an_output_needs_its_target(y, compiled):
    with pytest.raises(ValueError, match=r"2 outputs to compare and got 1 targets.*Write `fit"):
        history(y, **compiled)


def test_evaluate_lists_losses_as_the_dict_has_them_and_metrics_by_their_names():
    given = tf.keras.Input([3])
    first, second = (layers.Dense(1, kernel_initializer="ones")(given) for _ in range(2))
    model = tf.keras.Model(given, {"q": first, "p": second})
    model.compile("sgd", {"q": "mse", "p": "mae"}, metrics={"q": ["mse"], "p": ["mae"]})
    y = {"q": ONES, "p": TWOS}
    listed = model.evaluate(X, y, verbose=0)  # the sum, q_loss, p_loss, p_mae, q_mse
    assert listed == pytest.approx([1.7188, 0.8438, 0.875, 0.875, 0.8438], abs=1e-4)
    by_name = model.evaluate(X, y, verbose=0, return_dict=True)
    assert list(by_name) == ["loss", "p_loss", "p_mae", "q_loss", "q_mse"]


def test_what_is_frozen_has_no_penalty():
    model = tf.keras.Sequential(
        [tf.keras.Input([3]), *(layers.Dense(3, kernel_regularizer="l2") for _ in range(2))]
    )
    model.layers[0].trainable = False
    (penalty,) = model.losses
    assert float(penalty) == pytest.approx(0.01 * np.sum(model.get_weights()[2] ** 2), rel=1e-5)
    model.layers[0].trainable = True
    assert len(model.losses) == 2
