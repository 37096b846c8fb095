"""Facts recorded from TensorFlow 2.21 by hand-written probes: where the two once differed."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf


def test_a_gather_of_gathered_rows_has_whole_rows_as_the_values_of_its_slices():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.gather_nd(v, [[2], [0]])
        y = tf.reduce_sum(tf.gather(rows, [0, 0, 1]))
    slices = tape.gradient(y, v)
    assert isinstance(slices.values, tf.Tensor)
    assert tf.convert_to_tensor(slices).numpy().tolist() == [1.0, 0.0, 2.0]


def test_a_sparse_tangent_goes_through_scatter_nd():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([3.0, 5.0])) as accumulator:
        y = tf.scatter_nd([[1], [0]], tf.scatter_nd([[1], [0]], x, [2]), [2])
    assert tf.convert_to_tensor(accumulator.jvp(y)).numpy().tolist() == [3.0, 5.0]


def test_grey_of_integers_is_no_black():
    image = tf.constant([[[10, 200, 30], [255, 255, 255]]], tf.uint8)
    grey = tf.image.rgb_to_grayscale(image)
    assert (grey.dtype, grey.numpy().tolist()) == (tf.uint8, [[[124], [255]]])


@pytest.mark.parametrize("size", [2, [0, 2], [2], [2, -1]], ids=str)
@pytest.mark.parametrize("method", ["bilinear", "nearest", "area"])
def test_a_size_of_an_image_is_two_positive_numbers(size, method):
    with pytest.raises(ValueError, match="1-D Tensor of 2 elements: new_height, new_width"):
        tf.image.resize(tf.ones([4, 4, 1]), size, method)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.math.logical_and(1, 0),
        lambda: tf.where([1, 0], 1, 2),
        lambda: tf.linalg.expm([[4, 1], [1, 3]]),
        lambda: tf.math.l2_normalize([3, 4]),
        lambda: tf.linalg.eigh_tridiagonal([3, 4], [1]),
        lambda: tf.math.sqrt(4),
    ],
)
def test_a_dtype_that_an_op_does_not_take_is_caught_as_a_type_and_as_a_value(call):
    for error in (TypeError, ValueError):
        with pytest.raises(error, match="dtype"):
            call()


def test_the_slope_beside_a_branch_cut_is_that_of_the_values_side():
    x = tf.constant([100.0 + 0j, complex(100.0, -0.0)], tf.complex128)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.acos(x)
    beside = np.array([100 + 1e-9j, 100 - 1e-9j])
    slopes = np.conj((np.arccos(beside + 1e-3) - np.arccos(beside - 1e-3)) / 2e-3)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), slopes, rtol=1e-6, atol=1e-9)


def test_polygamma_vanishes_far_to_the_right():
    assert tf.math.polygamma([1.0, 2.0], np.float32([np.inf, np.inf])).numpy().tolist() == [0, 0]
    assert float(tf.math.zeta(2.0, float("inf"))) == 0.0
    assert float(tf.math.igamma(0.0, 0.0)) == 0.0


def test_the_incomplete_beta_function():
    found = tf.math.betainc([2.0, 3.0, 5.0, 1.0, 2.0], [3.0, 0.5, 50.0, 1.0, 3.0],
                            [0.3, 0.99, 0.1, 0.0, 1.0])  # fmt: skip
    recorded = [0.3483, 0.81374633, 0.63855267, 0.0, 1.0]
    np.testing.assert_allclose(found.numpy(), recorded, rtol=2e-6)
    assert np.isnan(tf.math.betainc([0.0, 1.0], [1.0, 1.0], [0.5, 2.0]).numpy()).all()
    x = tf.constant(0.3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.betainc(2.0, 3.0, x)
    assert float(tape.gradient(y, x)) == pytest.approx(12 * 0.3 * 0.7**2)


def test_the_size_of_texts_is_zero_as_they_have_any_length():
    assert tf.string.size == 0


def test_a_shape_is_asked_for_its_rank():
    tf.TensorShape([1, 2]).assert_has_rank(2)
    with pytest.raises(ValueError, match=r"Shape \(1, 2\) must have rank 3"):
        tf.TensorShape([1, 2]).assert_has_rank(3)


def test_add_n_of_a_tensor_adds_its_rows():
    assert tf.add_n(tf.constant([[3.0, 1.0], [6.0, 5.0]])).numpy().tolist() == [9.0, 6.0]


def test_dynamic_shapes_broadcast():
    shape = tf.broadcast_dynamic_shape(tf.constant([1, 3]), tf.constant([2, 1]))
    assert (shape.dtype, shape.numpy().tolist()) == (tf.int32, [2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.broadcast_dynamic_shape([1, 3], [2, 4])


def test_reverse_sequence_turns_the_first_elements_of_each_row():
    x = tf.Variable([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reverse_sequence(x, [2, 3], seq_axis=1)
        weighted = tf.reduce_sum(y * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert y.numpy().tolist() == [[1, 3, 2], [4, 5, 6]]
    assert tape.gradient(weighted, x).numpy().tolist() == [[2, 1, 3], [6, 5, 4]]
    turned = tf.reverse_sequence(tf.transpose(x), [2, 3], seq_axis=0, batch_axis=1)
    assert turned.numpy().T.tolist() == y.numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="numbers from 0 to 3"):
        tf.reverse_sequence(x, [2, 4], seq_axis=1)


def test_polyval_is_a_polynomial_with_the_highest_power_first():
    x = tf.Variable([1.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.math.polyval([2.0, 0.0, -1.0], x)
    assert y.numpy().tolist() == [1.0, 17.0]
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 12.0]
    assert tf.math.polyval([], x).numpy().tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="coeffs must be a list"):
        tf.math.polyval(2.0, x)


def test_a_variable_keeps_its_constraint_and_has_a_value_from_the_start():
    v = tf.Variable(1.0, constraint=lambda x: x * 2)
    assert v.constraint(3.0) == 6.0
    assert tf.Variable(1.0).constraint is None
    assert bool(v.is_initialized())


def test_a_seed_of_none_takes_an_earlier_seed_back():
    tf.random.set_seed(1)
    first = float(tf.random.normal([]))
    tf.random.set_seed(None)
    assert float(tf.random.normal([])) != first


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([[1.5, 2.0], []], "[[1.500000, 2.000000], []]"),
        ([["a"], []], "[['a'], []]"),
        ([list(range(20))], "[[0, 1, 2, ..., 17, 18, 19]]"),
        ([[True]], "[[true]]"),
    ],
)
def test_a_ragged_tensor_is_printed_row_by_row(rows, text, capsys):
    import sys

    tf.print(tf.ragged.constant(rows), output_stream=sys.stdout)
    assert capsys.readouterr().out == text + "\n"


@pytest.mark.parametrize("call", [
    lambda: tf.gather(tf.range(3), [1.0]),
    lambda: tf.gather_nd(tf.ones([2, 2]), [[0.0]]),
    lambda: tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "FULL"),
    lambda: tf.nn.max_pool2d(tf.ones([1, 3, 3, 1]), 2, 1, "FULL"),
])  # fmt: skip
def test_indices_that_are_no_integers_and_unknown_paddings_are_invalid_arguments(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_short_vectors_of_half_precision_have_finite_gradients_when_they_are_normalized():
    # By hand: x / |x| of one number is its sign, whose slope is 0.
    x = tf.Variable(tf.constant([-1.5, 0.019], tf.float16))
    with tf.GradientTape() as tape:
        y = tf.math.l2_normalize(x, axis=[])
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [0.0, 0.0], atol=0.05)


@pytest.mark.parametrize("start", [[0, 1.0], (0, 1.0)])
def test_a_loop_in_a_function_gives_back_the_structure_of_its_variables(start):
    grow = tf.TensorShape([]), tf.TensorShape([None])

    def run(invariants=None):
        return tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, x * 2.0), start, shape_invariants=invariants
        )

    assert type(tf.function(run)()) is type(start)
    assert type(run()) is tuple  # eagerly what the body gives

    @tf.function
    def longer(x):  # runs its Python: the shape grows
        return tf.while_loop(
            lambda i, x: i < 2,
            lambda i, x: (i + 1, tf.concat([x, x], 0)),
            [0, x],
            shape_invariants=[*grow],
        )

    i, x = found = longer(tf.ones([1]))
    assert (type(found), int(i), x.shape) == (list, 2, (4,))


def test_inputs_and_outputs_of_a_concrete_function_are_tensors():
    v, k = tf.Variable(1.0), tf.constant([1.0, 2.0])
    f = tf.function(lambda x, y=2.0: (x * v * k, {"a": x * y}))
    concrete = f.get_concrete_function(tf.TensorSpec([]))
    assert [tuple(each.shape) for each in concrete.outputs] == [(2,), ()]
    assert [tuple(each.shape) for each in concrete.inputs[:2]] == [(), (2,)]
    assert concrete.inputs[0].dtype == tf.float32
    assert len(concrete.inputs) == 1 + len(concrete.captured_inputs)


@pytest.mark.parametrize("cut", [
    lambda x: tf.nn.conv2d(x, tf.ones([5, 5, 1, 2]), 1, "VALID"),
    lambda x: tf.nn.conv2d(x, tf.ones([2, 2, 1, 0]), 1, "SAME"),
    lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID")[:, :0],
    lambda x: tf.linalg.set_diag(x[..., 0], tf.ones([1, 4]))[:, 4:],
])  # fmt: skip
def test_the_jacobian_of_an_empty_target_is_empty(cut):
    x = tf.Variable(np.ones([1, 4, 4, 1], np.float32))
    with tf.GradientTape() as tape:
        y = cut(x)
    assert tape.jacobian(y, x).shape == (*y.shape, *x.shape)


def test_a_convolution_of_no_example_is_empty():
    images, kernels = tf.ones([1, 4, 4, 1]), tf.ones([3, 3, 1, 2])
    of_images = tf.vectorized_map(
        lambda x: tf.nn.conv2d(x[tf.newaxis], kernels, 1, "SAME"), tf.zeros([0, 4, 4, 1])
    )
    of_kernels = tf.vectorized_map(
        lambda k: tf.nn.conv2d(images, k, 1, "SAME"), tf.zeros([0, 3, 3, 1, 2])
    )
    assert of_images.shape == of_kernels.shape == (0, 1, 4, 4, 2)
