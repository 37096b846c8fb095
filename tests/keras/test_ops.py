"""`tf.keras.ops` and `tf.keras.backend`: dtypes and axes are those that Keras chooses."""

import numpy as np
import pytest

import minitape as tf

ops, K = tf.keras.ops, tf.keras.backend
FLOATS = np.float32([[1.5, -2, 3], [0.25, 5, -6]])
INTS = np.int32([[1, 2, 3], [4, 5, 7]])
TRUTHS = np.array([[True, False, True], [False, False, True]])


def check(tensor, dtype, values):
    found = np.asarray(tensor)
    assert str(found.dtype) == dtype
    np.testing.assert_allclose(found, np.array(values, dtype), atol=1e-4, strict=True)


@pytest.mark.parametrize(
    ("name", "given", "dtype", "values"),
    [
        ("mean", (INTS,), "float32", 3.6667),
        ("mean", (TRUTHS,), "float32", 0.5),
        ("average", (INTS, 0), "float32", [2.5, 3.5, 5.0]),
        ("std", (INTS,), "float32", 1.972),
        ("var", (TRUTHS,), "float32", 0.25),
        ("sum", (TRUTHS,), "int32", 3),
        ("sqrt", (4,), "float32", 2.0),
        ("floor", (INTS[0],), "float32", [1.0, 2.0, 3.0]),
        ("isnan", (INTS[0],), "bool", [0, 0, 0]),
        ("argmax", (FLOATS,), "int32", 4),
        ("argmin", (TRUTHS,), "int32", 1),
        ("argmax", (FLOATS, -1, True), "int32", [[2], [1]]),
        ("cumsum", (INTS,), "int32", [1, 3, 6, 10, 15, 22]),
        ("cumprod", (FLOATS, 0), "float32", [[1.5, -2, 3], [0.375, -10, -18]]),
        ("add", (INTS, FLOATS), "float32", [[2.5, 0, 6], [4.25, 10, 1]]),
        ("equal", (INTS, FLOATS), "bool", [[0, 0, 1], [0, 1, 0]]),
        ("divide", (1, 5), "float32", 0.2),
        ("power", (INTS[0], FLOATS[0]), "float32", [1, 0.25, 27]),
        ("diag", (FLOATS,), "float32", [1.5, 5.0]),
        ("gelu", (FLOATS[0],), "float32", [1.3996, -0.0454, 2.9964]),
        ("elu", (FLOATS[0], 2.0), "float32", [1.5, -1.7293, 3.0]),
        ("normalize", (FLOATS,), "float32", [[0.3841, -0.5121, 0.7682], [0.032, 0.6399, -0.7678]]),
        ("concatenate", ([[1.0], [2.0]],), "float32", [1.0, 2.0]),
        ("identity", (2,), "float32", [[1, 0], [0, 1]]),
        ("binary_crossentropy", ([1.0, 0.0], [0.5, 0.5]), "float32", [0.6931, 0.6931]),
    ],
)
def test_an_op_converts_dtypes_and_counts_axes_as_keras_does(name, given, dtype, values):
    check(getattr(ops, name)(*given), dtype, values)


def test_bounds_of_clip_have_their_names():
    check(ops.clip(FLOATS[0], x_min=-1.0, x_max=2.0), "float32", [1.5, -1.0, 2.0])


def test_short_names_stand_for_initializers():
    for name, kind in (("uniform", "RandomUniform"), ("normal", "RandomNormal"), ("one", "Ones")):
        assert type(tf.keras.initializers.get(name)).__name__ == kind


def test_classes_of_one_hot_rows_have_their_name():
    check(ops.one_hot([1, 0], num_classes=2), "float32", [[0, 1], [1, 0]])


def test_fifty_numbers_are_spaced_evenly_where_none_is_said():
    assert ops.linspace(1, 5).shape == (50,)


def test_an_op_of_two_dtypes_goes_into_a_functional_model():
    x = tf.keras.Input([3], dtype="int32")
    model = tf.keras.Model(x, ops.mean(ops.add(x, 0.5), axis=1))
    check(model(INTS), "float32", [2.5, 5.8333])


@pytest.mark.parametrize(
    ("name", "given", "dtype", "values"),
    [
        ("argmax", (FLOATS,), "int64", [2, 1]),
        ("argmin", (INTS,), "int64", [0, 0]),
        ("mean", (TRUTHS,), "float32", 0.5),
        ("mean", (INTS,), "int32", 3),
        ("sqrt", (FLOATS[0],), "float32", [1.2247, 0.0, 1.7321]),
        ("relu", (FLOATS[0], 2.0), "float32", [1.5, -4.0, 3.0]),
        ("concatenate", ([[[1.0]], [[2.0]]],), "float32", [[1.0, 2.0]]),
        ("expand_dims", ([1.0, 2.0],), "float32", [[1.0], [2.0]]),
        ("variable", (4,), "float32", 4.0),
        ("constant", (INTS[0],), "float32", [1.0, 2.0, 3.0]),
    ],
)
def test_a_function_of_the_backend_keeps_its_older_defaults(name, given, dtype, values):
    check(getattr(K, name)(*given), dtype, values)


def test_elu_has_a_slope_where_it_ends():
    check(tf.keras.activations.elu([-30.0, 1.0], 0.5), "float32", [-0.5, 1.0])
