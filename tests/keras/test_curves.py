"""The area under a curve; the numbers written here are those of Keras."""

import pytest

import minitape as tf

LABELS, SCORES = [0, 0, 1, 1, 1], [0.1, 0.6, 0.35, 0.8, 0.9]


@pytest.mark.parametrize(
    ("options", "first", "weighted"),
    [
        ({}, 0.8333333730697632, 0.5999999642372131),
        ({"curve": "PR"}, 0.9041060209274292, 0.7761536836624146),
        ({"num_thresholds": 5}, 0.8333333730697632, 0.5333333015441895),
        ({"from_logits": True}, 0.8333333730697632, 0.5999999642372131),
    ],
)
def test_the_area_is_that_of_keras_before_and_after_a_weighted_batch(options, first, weighted):
    metric = tf.keras.metrics.AUC(**options)
    metric.update_state(LABELS, SCORES)
    assert float(metric.result()) == pytest.approx(first, rel=1e-6)
    metric.update_state([[1], [0]], [[0.2], [0.7]], sample_weight=[2.0, 1.0])
    assert float(metric.result()) == pytest.approx(weighted, rel=1e-6)
    metric.reset_state()
    assert float(metric.result()) == 0.0


def test_a_curve_of_another_name_or_of_one_point_raises():
    with pytest.raises(ValueError, match="must be 'ROC' or 'PR'"):
        tf.keras.metrics.AUC(curve="roc curve")
    with pytest.raises(ValueError, match="integer > 1"):
        tf.keras.metrics.AUC(num_thresholds=1)


def test_compile_finds_the_area_by_its_name():
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["AUC"])
    logs = model.evaluate([[0.0], [1.0]], [[0.0], [1.0]], verbose=0, return_dict=True)
    assert "auc" in {name.lower() for name in logs}


@pytest.mark.parametrize(
    "weights", [[1.0, 2.0, 3.0, 4.0, 5.0], [[1.0], [2.0], [3.0], [4.0], [5.0]]]
)
def test_a_weight_in_a_column_is_that_of_its_example(weights):
    precision, recall = tf.keras.metrics.Precision(), tf.keras.metrics.Recall()
    for metric in (precision, recall):
        metric.update_state(LABELS, SCORES, sample_weight=weights)
    # 0.6, 0.8 and 0.9 are taken for positive, of weights 2, 4 and 5; the first of them is not.
    assert float(precision.result()) == pytest.approx(9 / 11)
    assert float(recall.result()) == pytest.approx(9 / 12)
