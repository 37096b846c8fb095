"""What people see, as TensorFlow 2.21 with Keras 3 shows it: recorded facts."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitape as tf


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (1.5, "", "1.5"),
        (3, "", "3"),
        ([1.5, 2.0], "", "[1.5 2. ]"),
        ([[1.5, 2.0]], "", "[[1.5 2. ]]"),
        ("abc", "", "b'abc'"),
        (True, "", "True"),
        ([], "", "[]"),
        (1 / 3, "", "0.3333333432674408"),  # as NumPy's own float32, which is a Python float here
        (1.5, ".3f", "1.500"),
        (1.5, ">10", "       1.5"),
        (7, "5d", "    7"),
    ],
)
def test_a_formatted_tensor_is_its_value_alone(value, spec, text):
    assert format(tf.constant(value), spec) == text


@pytest.mark.parametrize("spec", [".3f", ">10"])
def test_a_format_for_one_number_does_not_fit_a_vector(spec):
    with pytest.raises(TypeError, match="unsupported format string"):
        format(tf.constant([1.5, 2.0]), spec)


def test_formatting_a_tensor_is_no_departure_that_an_explanation_would_blame():
    viz = pytest.importorskip("minitape.viz")
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(1.0)
        _ = f"{x * x}"
    assert "NumPy" not in str(viz.explain(tape, y, x))


def test_a_variable_is_formatted_whole_and_takes_no_format_of_a_number():
    v = tf.Variable(1.5)
    assert f"{v}" == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.5>"
    with pytest.raises(TypeError, match=re.escape("Write `{v.numpy():.2f}`")):
        f"{v:.2f}"


@pytest.mark.parametrize("rows", [[[1, 2], [3]], [[1.0, 2.0], 3.0]])
@pytest.mark.parametrize("make", [tf.constant, tf.convert_to_tensor, tf.Variable])
def test_rows_of_different_length_are_a_value_error_and_no_error_of_an_op(make, rows):
    with pytest.raises(ValueError, match="non-rectangular") as caught:
        make(rows)
    assert not isinstance(caught.value, tf.errors.InvalidArgumentError)


def test_the_truth_of_a_vector_is_a_value_error_and_that_of_nothing_is_false():
    with pytest.raises(ValueError, match="ambiguous") as caught:
        bool(tf.constant([1, 2]))
    assert not isinstance(caught.value, tf.errors.InvalidArgumentError)
    assert bool(tf.constant([])) is False and bool(tf.constant("")) is False
    assert bool(tf.constant([[1]])) is True and bool(tf.constant("a")) is True


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        ("v += 1.0", "v.assign_add(value)"),
        ("v -= 1.0", "v.assign_sub(value)"),
        ("v *= 2.0", "v.assign(v * value)"),
        ("v /= 2.0", "v.assign(v / value)"),
        ("v **= 2.0", "v.assign(v ** value)"),
    ],
)
def test_a_variable_is_not_changed_by_an_operator(statement, instead):
    names = {"v": tf.Variable(3.0)}
    with pytest.raises(RuntimeError, match=re.escape(f"Use `{instead}`")):
        exec(statement, names)
    assert float(names["v"]) == 3.0


def test_operators_that_tensorflow_lets_through_give_a_tensor():
    v, w = tf.Variable(7), tf.Variable([[2.0]])
    v //= 2
    w @= [[3.0]]
    assert int(v) == 3 and float(w[0, 0]) == 6.0 and not hasattr(w, "assign")


def test_a_keras_variable_becomes_a_tensor_under_its_own_name():
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
    layer.build((None, 1))
    kernel = layer.kernel
    kernel += 1.0
    assert kernel.numpy().tolist() == [[2.0]] and layer.kernel.numpy().tolist() == [[1.0]]


def test_references_are_ordered_so_that_dicts_keyed_by_them_are_nests():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    assert (v.ref() < w.ref()) is not (w.ref() < v.ref()) and not v.ref() < v.ref()
    structure = {w.ref(): 20.0, v.ref(): 10.0}
    doubled = tf.nest.map_structure(lambda x: 2 * x, structure)
    assert doubled == {v.ref(): 20.0, w.ref(): 40.0}
    with pytest.raises(TypeError):
        v.ref() < 3  # noqa: B015


def test_a_function_that_gives_a_dict_keyed_by_references_can_be_recomputed():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    parts = tf.recompute_grad(lambda x: {v.ref(): x * v, w.ref(): x * w * w})
    with tf.GradientTape() as tape:
        found = parts(tf.constant(3.0))
        y = found[v.ref()] + found[w.ref()]
    assert [float(g) for g in tape.gradient(y, [v, w])] == [3.0, 12.0]


def seen(function, *args, **kwargs):
    """What the Python of a traced function sees of its arguments and results, as text."""
    texts = []

    def look(*args, **kwargs):
        texts.extend(str(x) for x in tf.nest.flatten(function(*args, **kwargs)))

    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    source = f"lambda {', '.join(names)}: look({', '.join(names)})" if names else "look"
    tf.function(eval(source, {"look": look}))(*args, **kwargs)
    return texts


def test_a_symbolic_tensor_is_printed_with_name_shape_and_dtype():
    x = tf.ones([2, 2])
    assert seen(lambda x: [x, x + x, x * x, x - x, x / x, x**x, tf.sin(x), x[0]], x) == [
        f'Tensor("{name}:0", shape={shape}, dtype=float32)'
        for name, shape in [
            *((each, (2, 2)) for each in ("x", "add", "mul", "sub", "truediv", "pow", "Sin")),
            ("strided_slice", (2,)),
        ]
    ]


def test_a_symbolic_tensor_in_a_list_or_formatted_says_what_tensorflow_says():
    texts = []

    @tf.function
    def f(x):
        texts.extend([repr(x), f"{x}", x.name, x.op.name, x.op.type])
        return x

    f(tf.constant(1))
    assert texts == [
        "<tf.Tensor 'x:0' shape=() dtype=int32>",
        'Tensor("x:0", shape=(), dtype=int32)',
        "x:0",
        "x",
        "Placeholder",
    ]


def test_arguments_of_a_traced_function_are_named_by_its_parameters():
    names = []

    @tf.function
    def f(first, *others, scale, **more):
        tensors = [*tf.nest.flatten(first), *others, scale, more["b"], more["a"]]
        names.extend(each.name for each in tensors)
        return scale

    one = tf.constant(1.0)
    f([one, one], one, one, scale=one, b=one, a=one)
    assert names == ["first:0", "first_1:0", "others_0:0", "others_1:0", "scale:0", "b:0", "a:0"]


def test_a_name_in_a_tensor_spec_names_the_argument():
    names = []
    f = tf.function(lambda x: names.append(x.name) or x)
    f.get_concrete_function(tf.TensorSpec([], tf.float32, name="inp"))
    assert names == ["inp:0"]


def test_names_in_a_graph_count_up_and_begin_with_the_name_scope():
    with tf.Graph().as_default():
        a, b = tf.constant(1.0), tf.constant(2.0)
        with tf.name_scope("net"):
            inner = [a * b, a * b]
        assert [each.name for each in (a, b, a + b, a + b, *inner)] == [
            "Const:0", "Const_1:0", "add:0", "add_1:0", "net/mul:0", "net/mul_1:0"
        ]  # fmt: skip


def test_a_variable_shows_no_value_while_a_function_is_traced():
    v, texts = tf.Variable(1.0, name="w"), []
    tf.function(lambda: texts.append(repr(v)) or v + 1.0)()
    assert texts == ["<tf.Variable 'w:0' shape=() dtype=float32>"]


LOSSES = {
    "MeanSquaredError": "mean_squared_error",
    "MeanAbsoluteError": "mean_absolute_error",
    "Hinge": "hinge",
    "KLDivergence": "kl_divergence",
    "BinaryCrossentropy": "binary_crossentropy",
    "CategoricalCrossentropy": "categorical_crossentropy",
    "SparseCategoricalCrossentropy": "sparse_categorical_crossentropy",
    "Huber": "huber_loss",
}
METRICS = {
    "Mean": "mean",
    "Accuracy": "accuracy",
    "BinaryAccuracy": "binary_accuracy",
    "CategoricalAccuracy": "categorical_accuracy",
    "SparseCategoricalAccuracy": "sparse_categorical_accuracy",
    "MeanSquaredError": "mean_squared_error",
    "MeanAbsoluteError": "mean_absolute_error",
}


def test_losses_and_metrics_have_keras_names():
    assert {name: getattr(tf.keras.losses, name)().name for name in LOSSES} == LOSSES
    assert {name: getattr(tf.keras.metrics, name)().name for name in METRICS} == METRICS
    assert tf.keras.losses.Huber(name="mine").name == "mine"
    assert repr(tf.keras.metrics.Mean(name="loss")) == "<Mean name=loss>"


def test_a_metric_says_its_dtype_as_a_string():
    metric = tf.keras.metrics.Mean(dtype=tf.float64)
    assert metric.dtype == "float64" and isinstance(metric.dtype, str)
    assert metric([1.0, 2.0]).dtype == tf.float64
    metric.reset_state()
    np.testing.assert_array_equal(metric.total, 0.0)


@pytest.mark.parametrize("weight", [2.0, [2.0], [[2.0]], [2.0, 2.0]])
def test_weights_of_a_target_broadcast_to_it(weight):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = x * x
    found = tape.gradient(y, x, output_gradients=tf.constant(weight))
    np.testing.assert_array_equal(found, [[4.0, 8.0], [12.0, 16.0]])


def test_a_weight_with_more_axes_than_its_target_is_refused():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(tf.errors.InvalidArgumentError, match="or shares it by broadcasting"):
        tape.gradient(y, x, output_gradients=tf.ones([1, 2]))


def test_a_jacobian_adds_sparse_rows_to_a_whole_cotangent():
    x = tf.Variable([[1.0, 2.0], [3.0, 5.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(x, [1, 0]) - x * x
    expected = np.einsum("ik,jl->ijkl", [[0.0, 1.0], [1.0, 0.0]], np.eye(2))
    expected -= np.einsum("ik,jl,kl->ijkl", np.eye(2), np.eye(2), 2 * x.numpy())
    np.testing.assert_array_equal(tape.jacobian(y, x), expected)


@pytest.mark.parametrize("axis", [-1, -2])
def test_a_gather_that_counts_its_axis_from_the_end_has_a_dense_gradient(axis):
    x = tf.Variable(np.ones([3] * -axis, np.float32))
    with tf.GradientTape() as tape:
        y = tf.gather(x, [0, 2, 2], axis=axis)
    g = tape.gradient(y, x)
    assert not isinstance(g, tf.IndexedSlices)
    np.testing.assert_array_equal(np.ravel(g)[:: len(np.ravel(g)) // 3], [1.0, 0.0, 2.0])
    doubled = tf.vectorized_map(lambda k: tf.gather(x, [0, 2], axis=axis) * k, tf.constant([2.0]))
    np.testing.assert_array_equal(doubled[0], 2 * np.take(x.numpy(), [0, 2], axis))


def test_empty_index_tuples_name_the_whole_tensor_each():
    x = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        y = tf.gather_nd(x, tf.zeros([1, 3, 0], tf.int32))
    assert y.shape == (1, 3, 1, 2)
    np.testing.assert_array_equal(tape.gradient(y, x), [[3.0, 3.0]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_quotients_of_short_integers_are_float32(dtype):
    x = tf.constant([4, 2], dtype)
    out = tf.math.divide_no_nan(x, tf.constant([3, 0], dtype))
    assert out.dtype == tf.float32
    np.testing.assert_allclose(out, [4 / 3, 0.0], rtol=1e-6)


def test_the_mean_of_a_segment_of_integers_is_an_integer():
    out = tf.math.segment_mean(tf.constant([-1, -2, 4], tf.int8), [0, 0, 1])
    assert out.dtype == tf.int8 and out.numpy().tolist() == [-1, 4]


def test_no_gradient_flows_through_a_shuffle():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.random.shuffle(x)
    assert tape.gradient(y, x) is None


def test_a_variable_of_open_shape_takes_values_of_other_lengths():
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    read = tf.function(lambda: tf.reduce_sum(v * v))
    assert float(read()) == 5.0
    v.assign([1.0, 2.0, 3.0])
    assert v.shape.as_list() == [None] and v.numpy().tolist() == [1.0, 2.0, 3.0]
    with tf.GradientTape() as tape:
        y = read()
    assert float(y) == 14.0 and tape.gradient(y, v).numpy().tolist() == [2.0, 4.0, 6.0]
    assert repr(v).startswith("<tf.Variable 'Variable:0' shape=(None,) dtype=float32, numpy=array")
    with pytest.raises(ValueError, match="shape"):
        v.assign([[1.0]])
    with pytest.raises(ValueError, match="shape"):
        v.assign_add([1.0])


def test_arguments_have_tensorflows_names():
    assert float(tf.identity(input=1.0)) == 1.0
    assert float(tf.debugging.check_numerics(tensor=tf.constant(1.0), message="m")) == 1.0
    v = tf.Variable(1.0)
    tf.compat.v1.assign(ref=v, value=2.0)
    tf.compat.v1.assign_add(ref=v, value=3.0)
    tf.compat.v1.assign_sub(ref=v, value=1.0)
    assert float(v) == 4.0


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.repeat(3, 2, axis=-1), [3, 3]),
        (lambda: tf.math.bincount([]), []),
        (lambda: tf.math.bincount(tf.constant([], tf.int32), minlength=2), [0, 0]),
        (lambda: tf.math.in_top_k([0, 5, -1], [[2.0, 1.0]] * 3, 1), [True, False, False]),
        (lambda: tf.searchsorted(tf.zeros([2, 0]), [[1.0], [2.0]]), [[0], [0]]),
        (lambda: tf.linalg.lu(tf.zeros([2, 0, 0]))[1], [[], []]),
        (lambda: tf.math.zero_fraction([True, False]), 0.5),
        (lambda: tf.math.zero_fraction(["a", ""]), 0.5),
    ],
)
def test_nothing_and_the_like_are_no_errors(call, expected):
    assert call().numpy().tolist() == expected


def test_half_precision_matrices_are_inverted_and_factored():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]], tf.float16)
    assert tf.linalg.inv(x).dtype == tf.float16
    np.testing.assert_allclose(tf.linalg.inv(x), [[-5.0, 2.0], [3.0, -1.0]], rtol=1e-2)
    q, r = tf.linalg.qr(x)
    assert q.dtype == r.dtype == tf.float16
    np.testing.assert_allclose(q @ r, x, rtol=1e-2)


def test_the_log_determinant_reads_the_lower_triangle_and_spreads_its_gradient():
    x = tf.Variable([[3.0, 1.0], [0.5, 2.0]])
    with tf.GradientTape() as tape:
        y = tf.linalg.logdet(x)
    np.testing.assert_allclose(y, np.log(3 * 2 - 0.25), rtol=1e-6)
    expected = np.linalg.inv([[3.0, 0.5], [0.5, 2.0]])
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-5)
    assert np.isnan(tf.linalg.logdet([[1.0, 2.0], [2.0, 1.0]]))


def test_ragged_lists_are_tiled_reversed_and_split():
    x = tf.ragged.constant([[1, 2], [3]])
    assert tf.tile(x, [1, 2]).to_list() == [[1, 2, 1, 2], [3, 3]]
    assert tf.tile(x, [2, 1]).to_list() == [[1, 2], [3], [1, 2], [3]]
    assert tf.reverse(x, [1]).to_list() == [[2, 1], [3]]
    assert tf.reverse(x, [0, 1]).to_list() == [[3], [2, 1]]
    assert [part.to_list() for part in tf.split(x, [1, 1])] == [[[1, 2]], [[3]]]


def test_gradients_pass_through_a_ragged_list_that_was_moved():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        x = tf.RaggedTensor.from_row_lengths(v, [2, 1])
        moved = tf.tile(tf.reverse(x, [1]), [1, 2])
        y = tf.reduce_sum(moved.flat_values * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert tape.gradient(y, v).numpy().tolist() == [2.0 + 4.0, 1.0 + 3.0, 5.0 + 6.0]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: tf.scatter_nd([[0], [2], [2]], x, [4]), [1.0, 0.0, 5.0, 0.0]),
        (lambda x: tf.math.segment_sum(x, [0, 0, 2]), [3.0, 0.0, 3.0]),
        (lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 2), [2.0, 4.0]),
    ],
)
def test_a_tangent_that_is_scattered_is_sparse_and_goes_on_as_a_whole(call, expected):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
        y = call(x)
        z = y * 10.0
    tangent = accumulator.jvp(y)
    assert isinstance(tangent, tf.IndexedSlices)
    np.testing.assert_array_equal(tangent, expected)
    np.testing.assert_array_equal(accumulator.jvp(z), np.multiply(expected, 10.0))


def test_rows_that_are_left_out_give_a_whole_tangent():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
        y = tf.math.unsorted_segment_sum(x, [-1, 0], 1)
    np.testing.assert_array_equal(accumulator.jvp(y), [2.0])


def test_the_gradient_of_complex_rows_is_sparse_too():
    x = tf.Variable([1.0 + 1j, 2.0])
    with tf.GradientTape() as tape:
        y = tf.gather(x, [0, 0]) * 1j
    g = tape.gradient(y, x)
    assert isinstance(g, tf.IndexedSlices)
    np.testing.assert_array_equal(g, [-2j, 0.0])


def test_a_real_tensor_is_cast_to_complex_within_the_range_of_its_parts():
    largest = complex(np.finfo(np.float32).max)
    given = tf.constant([0.5, 1e300, -np.inf], tf.float64)
    assert tf.saturate_cast(given, tf.complex64).numpy().tolist() == [0.5, largest, -largest]
    whole = tf.saturate_cast(tf.constant([2**40], tf.int64), tf.complex128)
    assert whole.numpy().tolist() == [2.0**40 + 0j]


@pytest.mark.parametrize("batch_dims", [2, 3])
def test_batch_dims_of_gather_nd_leave_an_axis_for_the_indices(batch_dims):
    with pytest.raises(ValueError, match=rf"`batch_dims` = {batch_dims} must be less than rank"):
        tf.gather_nd(tf.ones([2, 3]), tf.zeros([2, 3, 0], tf.int32), batch_dims=batch_dims)


def test_empty_index_tuples_of_a_batch_give_its_whole_rows():
    out = tf.gather_nd(tf.ones([2, 3]), tf.zeros([2, 4, 0], tf.int32), batch_dims=1)
    np.testing.assert_array_equal(out, np.ones([2, 4, 3]))


@pytest.mark.parametrize("shape", [[3], [1], [2, 2], []])
def test_a_gradient_of_a_wrong_shape_is_refused_by_the_op_that_subtracts_it(shape):
    v = tf.Variable([1.0, 2.0])
    words = re.escape(f"Cannot update variable with shape [2] using a Tensor with shape {shape}")
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.ones(shape), v)])
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        v.assign_add(tf.ones(shape))
    assert v.numpy().tolist() == [1.0, 2.0]


def test_one_hot_of_fractions_is_caught_as_tensorflows_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must be integers"):
        tf.one_hot(tf.constant([1.0]), 3)


def test_zeta_of_infinity_is_the_power_of_its_first_term():
    out = tf.math.zeta([np.inf] * 3, [0.5, 1.0, 2.0])
    assert out.numpy().tolist() == [np.inf, 1.0, 0.0]


def test_the_weights_of_bins_have_no_gradient_registered():
    x = tf.Variable([3.0, 5.0, 5.0])
    with tf.GradientTape() as tape:
        y = tf.math.bincount([0, 1, 1], weights=x)
    assert y.numpy().tolist() == [3.0, 10.0]
    with pytest.raises(LookupError, match="gradient registry has no entry for: DenseBincount"):
        tape.gradient(y, x)


def test_the_places_that_unique_gives_end_a_path():
    x = tf.Variable([3.0, 5.0, 5.0])
    with tf.GradientTape() as tape:
        y = tf.cast(tf.unique(x)[1], tf.float32) * x
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("add", [lambda x: x + 1.5, lambda x: x + [1.5, 2.0]])
def test_a_number_that_does_not_fit_is_caught_as_either_of_tensorflows_errors(add):
    for error in (TypeError, tf.errors.InvalidArgumentError):
        with pytest.raises(error, match="Cannot convert"):
            add(tf.constant([1, 2]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.zeros([2, None]),
        lambda: tf.ones([2, None]),
        lambda: tf.fill([2, None], 1.0),
        lambda: tf.reshape(tf.ones([4]), [2, None]),
        lambda: tf.random.normal([2, None]),
    ],
)
def test_an_open_size_of_a_tensor_that_is_made_now_is_a_value_error(make):
    with pytest.raises(ValueError, match=r"\[2, None\] leaves a size open .* Write the number"):
        make()


def test_the_jacobian_of_a_variable_by_itself_needs_a_tape_that_watches_it():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        pass
    assert tape.jacobian(v, v) is None
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
    assert tape.jacobian(v, v).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with tf.GradientTape() as tape:
        pass
    assert tape.jacobian(v, v).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_the_public_names_of_the_viewer_and_of_keras_modules_are_all_that_dir_lists():
    from minitape import viz

    keras = tf.keras
    for each in (viz, keras.optimizers, keras.models, keras.callbacks, keras.backend):
        assert not {"Any", "np", "TYPE_CHECKING", "annotations", "import_module"} & {*dir(each)}
