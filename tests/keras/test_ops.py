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
        ("std", (INTS,), "float32", 1.972),
        ("var", (TRUTHS,), "float32", 0.25),
        ("sum", (TRUTHS,), "int32", 3),
        ("sqrt", (4,), "float32", 2.0),
        ("floor", (INTS[0],), "float32", [1.0, 2.0, 3.0]),
        ("isnan", (INTS[0],), "bool", [0, 0, 0]),
        ("argmax", (FLOATS,), "int32", 4),
        ("argmax", (FLOATS, -1, True), "int32", [[2], [1]]),
        ("cumsum", (INTS,), "int32", [1, 3, 6, 10, 15, 22]),
        ("add", (INTS, FLOATS), "float32", [[2.5, 0, 6], [4.25, 10, 1]]),
        ("equal", (INTS, FLOATS), "bool", [[0, 0, 1], [0, 1, 0]]),
        ("divide", (1, 5), "float32", 0.2),
        ("power", (INTS[0], FLOATS[0]), "float32", [1, 0.25, 27]),
        ("gelu", (FLOATS[0],), "float32", [1.3996, -0.0454, 2.9964]),
        ("concatenate", ([[1.0], [2.0]],), "float32", [1.0, 2.0]),
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
        ("mean", (TRUTHS,), "float32", 0.5),
        ("mean", (INTS,), "int32", 3),
        ("sqrt", (FLOATS[0],), "float32", [1.2247, 0.0, 1.7321]),
        ("concatenate", ([[[1.0]], [[2.0]]],), "float32", [[1.0, 2.0]]),
        ("expand_dims", ([1.0, 2.0],), "float32", [[1.0], [2.0]]),
        ("variable", (4,), "float32", 4.0),
    ],
)
def test_a_function_of_the_backend_keeps_its_older_defaults(name, given, dtype, values):
    check(getattr(K, name)(*given), dtype, values)


@pytest.mark.parametrize(
    ("name", "given", "values"),
    [
        ("max", (FLOATS, 1), [3.0, 5.0]),
        ("min", (FLOATS,), -6.0),
        ("prod", (FLOATS, 1), [-9.0, -7.5]),
        ("clip", (FLOATS[0], -1.0, 2.0), [1.5, -1.0, 2.0]),
    ],
)
def test_the_backend_has_what_other_ops_are_called_there(name, given, values):
    check(getattr(K, name)(*given), "float32", values)


def test_elu_has_a_slope_where_it_ends():
    check(tf.keras.activations.elu([-30.0, 1.0], 0.5), "float32", [-0.5, 1.0])


LOW = np.int8([100, 100])
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
SQUARE = np.float32([[2, 1], [1, 3]])


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("take", (FLOATS, [1, -1]), FLOATS.ravel()[[1, -1]]),
        ("take", (FLOATS, [1, -1], 1), FLOATS[:, [1, -1]]),
        ("eye", (2, 3), np.eye(2, 3, dtype=np.float32)),
        ("tensordot", (FLOATS, FLOATS), np.sum(FLOATS * FLOATS)),
        ("max", (INTS, 0), INTS[1]),
        ("softmax", ([0, 0],), np.float32([0.5, 0.5])),
        ("sum", (LOW,), np.int32(200)),
        ("sum", (np.uint8([200, 100]),), np.uint32(300)),
        ("prod", (LOW,), np.int32(10_000)),
        ("cumsum", (TRUTHS,), np.cumsum(TRUTHS).astype(np.int32)),
        ("all", (INTS,), np.array(True)),
        ("logical_and", (INTS, FLOATS > 0), FLOATS > 0),
        ("logical_not", (FLOATS,), np.zeros((2, 3), bool)),
        ("matmul", (FLOATS[0], FLOATS[1]), FLOATS[0] @ FLOATS[1]),
        ("matmul", (CUBE, CUBE[0, 0]), CUBE @ CUBE[0, 0]),
        ("matmul", (CUBE[0, :, 0], CUBE), CUBE[0, :, 0] @ CUBE),
        ("matmul", (INTS, FLOATS.T), INTS.astype(np.float32) @ FLOATS.T),
        ("concatenate", ([INTS, FLOATS],), np.concatenate([INTS, FLOATS]).astype(np.float32)),
        ("stack", ([INTS, FLOATS],), np.stack([INTS, FLOATS]).astype(np.float32)),
        ("divide_no_nan", (INTS, 0), np.zeros((2, 3), np.float32)),
        ("arctan2", (1, 2), np.float32(np.arctan2(1, 2))),
        ("add", (LOW, 1), np.int8([101, 101])),
        ("add", (LOW, 1.5), np.float32([101.5, 101.5])),
        ("clip", (TRUTHS[0], 0, 1), np.int32([1, 0, 1])),
        ("round", (FLOATS,), np.round(FLOATS)),
        ("tile", (INTS[0], [2]), np.tile(INTS[0], 2)),
        ("expand_dims", (FLOATS, -1), np.expand_dims(FLOATS, -1)),
    ],
)  # fmt: skip
def test_an_op_gives_what_numpys_function_of_that_name_gives(name, given, expected):
    expected = np.asarray(expected)
    found = np.asarray(getattr(ops, name)(*given))
    assert found.dtype == (np.float32 if expected.dtype == np.float64 else expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert found.shape == expected.shape


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("given", "order", "axis"),
    [(FLOATS, None, None), (FLOATS, 1, 1), (CUBE, None, (0, 2)), (SQUARE, np.inf, 0)],
)
def test_a_norm_is_numpys_of_all_elements_and_along_axes(given, order, axis, keepdims):
    elements = given.ravel() if axis is None and not keepdims else given
    expected = np.linalg.norm(elements, order, axis, keepdims)
    found = np.asarray(ops.norm(given, order, axis, keepdims))
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert found.shape == np.shape(expected)


def test_what_gives_several_results_gives_numpys():
    parts = ops.split(FLOATS, [1, 2], axis=1)
    for found, expected in zip(parts, np.split(FLOATS, [1, 2], axis=1), strict=True):
        np.testing.assert_array_equal(found, expected)
    mean, variance = ops.moments(FLOATS, [0], True)
    assert mean.shape == variance.shape == (1, 3)


def test_the_gradient_goes_through_what_keras_spells_otherwise():
    v = tf.Variable(SQUARE)
    with tf.GradientTape() as tape:
        y = ops.sum(ops.take(v, [-1], 0) * ops.norm(v, 1, 0)) + ops.matmul(v, v[0])[1]
    # The last row is multiplied by the sums of the columns, 3 and 4.
    by_last, of_norm = np.float32([[0, 0], [3, 4]]), np.float32([[1, 3], [1, 3]])
    of_product = np.float32([[1, 3], [2, 1]])
    np.testing.assert_allclose(tape.gradient(y, v), by_last + of_norm + of_product)


def test_a_norm_of_an_order_asks_for_the_axes():
    with pytest.raises(ValueError, match="ord=1 is that of vectors along an axis"):
        ops.norm(SQUARE, 1)


@pytest.mark.parametrize("name", ["argmin", "cholesky", "diag", "while_loop", "elu", "solve"])
def test_a_name_that_no_course_uses_says_where_the_op_is(name):
    with pytest.raises(AttributeError, match=f"ops.{name}` is not supported .* that name in `tf`"):
        getattr(ops, name)


SYMBOLS = [
    (lambda x: ops.squeeze(x, -1), (None, 3)),
    (lambda x: ops.expand_dims(x, 1), (None, 1, 3, 1)),
    (lambda x: ops.reshape(x, (-1, 3)), (None, 3)),
    (lambda x: ops.transpose(x, (0, 2, 1)), (None, 1, 3)),
    (lambda x: ops.one_hot(ops.cast(x, "int32"), 4), (None, 3, 1, 4)),
    (lambda x: ops.clip(x, 0.0, 1.0), (None, 3, 1)),
    (lambda x: ops.argmax(x, axis=1), (None, 1)),
    (lambda x: ops.repeat(x, 2, axis=1), (None, 6, 1)),
    (lambda x: ops.pad(x, ((0, 0), (1, 1), (0, 0))), (None, 5, 1)),
    (lambda x: ops.take(x, [0, 2], axis=1), (None, 2, 1)),
    (lambda x: ops.cumsum(x, axis=1), (None, 3, 1)),
    (lambda x: ops.zeros_like(x), (None, 3, 1)),
    (lambda x: ops.norm(x), ()),
    (lambda x: ops.amax(x, axis=1, keepdims=True), (None, 1, 1)),
    (lambda x: ops.concatenate([x, ops.square(x)], axis=-1), (None, 3, 2)),
]


@pytest.mark.parametrize(("op", "shape"), SYMBOLS)
def test_an_op_of_a_symbol_is_a_symbol_of_the_shape_that_keras_gives(op, shape):
    assert op(tf.keras.Input((3, 1))).shape == shape


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (lambda x: ops.squeeze(ops.take(x, [2, 0, 1], 1), -1), FLOATS[:, [2, 0, 1]]),
        (lambda x: ops.sum(ops.clip(x, x_min=-1.0, x_max=2.0), axis=(1, 2)), [2.5, 1.25]),
        (lambda x: ops.norm(x, axis=1), [[np.sqrt(15.25)], [np.sqrt(61.0625)]]),
        (lambda x: ops.cumsum(x, axis=1)[:, -1, 0], [2.5, -0.75]),
        (lambda x: ops.where(x > 0, x, 0.0)[:, :, 0], np.maximum(FLOATS, 0)),
    ],
)
def test_a_model_of_ops_computes_what_the_ops_compute(op, expected):
    x = tf.keras.Input((3, 1))
    found = tf.keras.Model(x, op(x))(FLOATS[:, :, None])
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_an_op_in_a_model_has_the_name_that_keras_gives_it():
    x = tf.keras.Input((3, 1))
    tf.keras.backend.clear_session()
    names = [op(x).node.operation.name for op in (ops.mean, ops.squeeze, ops.logsumexp, ops.mean)]
    assert names == ["mean", "squeeze", "logsumexp", "mean_1"]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("amin", (FLOATS, 1), [-2, -6]),
        ("floor_divide", (7, 2), 3),
        ("arctanh", (0.5,), np.arctanh(0.5)),
        ("norm", (np.ones([2, 2, 4]),), 4.0),
        ("norm", (np.ones([2, 2, 4]), None, None, True), [[[4.0]]]),
    ],
)
def test_an_op_gives_what_numpy_gives(name, given, expected):
    np.testing.assert_allclose(getattr(ops, name)(*given), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("use", "error", "part"),
    [
        (lambda x: 1 if x > 0 else 0, TypeError, "cannot be used as a boolean.*ops.where"),
        (lambda x: list(x), NotImplementedError, "Iterating over a symbolic.*`x\\[:, 0\\]`"),
        (lambda x: np.sin(x), ValueError, "NumPy cannot compute with it.*tf.keras.ops"),
        (lambda x: tf.zeros_like(x), ValueError, "cannot be used as input.*tf.keras.ops"),
        (lambda x: ops.convert_to_numpy(x), ValueError, "cannot be used as input"),
    ],
)
def test_a_symbol_that_is_used_as_a_value_says_what_to_do(use, error, part):
    with pytest.raises(error, match=part):
        use(tf.keras.Input((3, 1)))


def test_the_shape_of_a_symbol_is_known_at_once():
    assert ops.shape(tf.keras.Input((3, 1))) == (None, 3, 1)


def test_the_binary_cross_entropy_of_the_backend_adds_epsilon_to_both_logarithms():
    """Recorded of `tf.keras.backend`; `ops.binary_crossentropy` gives 16.1181 for 0."""
    target, p = np.float32([0, 1, 1, 1]), np.float32([0.1, 0.8, 0, 1])
    check(K.binary_crossentropy(target, p), "float32", [0.10536, 0.22314, 15.42495, 0])
    logits = K.binary_crossentropy(K.flatten([target]), p, from_logits=True)
    check(logits, "float32", [0.7444, 0.3711, 0.69315, 0.31326])


def test_switches_of_devices_and_tracebacks_change_nothing():
    tf.debugging.set_log_device_placement(True)
    tf.config.set_soft_device_placement(True)
    tf.keras.config.disable_traceback_filtering()
    assert (K.backend(), tf.keras.config.image_data_format()) == ("tensorflow", "channels_last")
    assert tf.add(1.0, 2.0).numpy() == 3.0
