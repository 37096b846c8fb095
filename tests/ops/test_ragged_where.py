"""`tf.where` of ragged tensors, beside what TensorFlow 2.21 gave."""

import pytest

import minitape as tf

ragged = tf.ragged.constant
X, Y = ragged([[1.0, 2.0], [3.0]]), ragged([[10.0, 20.0], [30.0]])
CHOICE = ragged([[True, False], [True]])
DEEP = ragged([[[True], []], [[False, True]]])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (CHOICE, [[0, 0], [1, 0]]),
        (DEEP, [[0, 0, 0], [1, 0, 1]]),
        (ragged([[1, 0], [2]]), [[0, 0], [1, 0]]),
        (ragged([[], []], dtype=tf.bool), []),
        (ragged([[True, False]], row_splits_dtype=tf.int32), [[0, 0]]),
        (ragged([[[True, False], [True, True]]], ragged_rank=1), [[0, 0, 0], [0, 1, 0], [0, 1, 1]]),
    ],
)
def test_the_places_of_a_ragged_condition_are_rows_and_places_in_them(condition, expected):
    found = tf.where(condition)
    assert found.numpy().tolist() == expected and found.dtype is tf.int64
    assert tuple(found.shape) == (len(expected), condition.shape.rank)


def test_the_places_of_a_condition_select_by_gather():
    found = tf.where(X > 1.5)
    assert tf.gather(X.to_tensor(), found[:, 0]).numpy().tolist() == [[1.0, 2.0], [3.0, 0.0]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((CHOICE, X, Y), [[1.0, 20.0], [3.0]]),
        ((CHOICE, X, 0.0), [[1.0, 0.0], [3.0]]),
        ((CHOICE, 1.0, 2.0), [[1.0, 2.0], [1.0]]),
        ((False, X, Y), [[10.0, 20.0], [30.0]]),
        (([[True], [False]], X, Y), [[1.0, 2.0], [30.0]]),
        ((CHOICE, X, [[5.0], [6.0]]), [[1.0, 5.0], [3.0]]),
        ((DEEP, ragged([[[1], []], [[2, 3]]]), 9), [[[1], []], [[9, 3]]]),
    ],
)
def test_elements_are_chosen_row_by_row(given, expected):
    assert tf.where(*given).to_list() == expected


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ((CHOICE, X, ragged([[1.0], [2.0, 3.0]])), tf.errors.InvalidArgumentError, "broadcast"),
        ((CHOICE, X, ragged([[1, 2], [3]])), tf.errors.InvalidArgumentError, "SelectV2"),
        ((ragged([[1, 0], [2]]), X, Y), tf.errors.InvalidArgumentError, "condition of dtype int32"),
        ((CHOICE, X, None), ValueError, "both be non-None"),
    ],
)
def test_what_cannot_be_chosen_is_refused(given, kind, words):
    with pytest.raises(kind, match=words):
        tf.where(*given)


def test_the_gradient_goes_to_the_chosen_side():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.RaggedTensor.from_row_splits(v, [0, 2, 3])
        total = tf.reduce_sum(tf.where(rows > 1.5, rows * rows, rows))
    assert tape.gradient(total, v).numpy().tolist() == [1.0, 4.0, 6.0]
