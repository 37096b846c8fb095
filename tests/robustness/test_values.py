"""Unusual values and arrays: IEEE's specials, every layout of memory, shapes at the limits."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import minitape as tf
from peak import at_most

NAN, INF = math.nan, math.inf


def gradient(f, *values, dtype=np.float64):
    """The values of `f` and its gradients at arrays."""
    sources = [tf.constant(np.asarray(value, dtype)) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = f(*sources)
    return y.numpy(), [g.numpy() for g in tape.gradient(y, sources)]


@pytest.fixture(autouse=True)
def _no_warning_about_what_ieee_says():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minitape\.")
        yield


# Value and derivative at special points: by hand, from the limits of IEEE arithmetic.
SPECIALS = [
    ("x * x at inf", lambda x: x * x, INF, INF, INF),
    ("x * x at nan", lambda x: x * x, NAN, NAN, NAN),
    ("x + 1 at -inf", lambda x: x + 1.0, -INF, -INF, 1.0),
    ("x - x at inf", lambda x: x - x, INF, NAN, 0.0),
    ("1 / x at 0", lambda x: 1.0 / x, 0.0, INF, -INF),
    ("1 / x at -0", lambda x: 1.0 / x, -0.0, -INF, -INF),
    ("1 / x at inf", lambda x: 1.0 / x, INF, 0.0, -0.0),
    ("x / x at 0", lambda x: x / x, 0.0, NAN, NAN),
    ("log at 0", tf.math.log, 0.0, -INF, INF),
    ("log at -1", tf.math.log, -1.0, NAN, -1.0),
    ("log at inf", tf.math.log, INF, INF, 0.0),
    ("log1p at -1", tf.math.log1p, -1.0, -INF, INF),
    ("sqrt at 0", tf.sqrt, 0.0, 0.0, INF),
    ("sqrt at -1", tf.sqrt, -1.0, NAN, NAN),
    ("sqrt at inf", tf.sqrt, INF, INF, 0.0),
    ("exp at -inf", tf.exp, -INF, 0.0, 0.0),
    ("exp at inf", tf.exp, INF, INF, INF),
    ("exp at 1000", tf.exp, 1000.0, INF, INF),
    ("sin at inf", tf.sin, INF, NAN, NAN),
    ("tanh at inf", tf.tanh, INF, 1.0, 0.0),
    ("tanh at -inf", tf.tanh, -INF, -1.0, 0.0),
    ("sigmoid at inf", tf.sigmoid, INF, 1.0, 0.0),
    ("sigmoid at -inf", tf.sigmoid, -INF, 0.0, 0.0),
    ("sigmoid at -1000", tf.sigmoid, -1000.0, 0.0, 0.0),
    ("softplus at inf", tf.math.softplus, INF, INF, 1.0),
    ("softplus at -inf", tf.math.softplus, -INF, 0.0, 0.0),
    ("relu at nan", tf.nn.relu, NAN, NAN, 0.0),
    ("relu at inf", tf.nn.relu, INF, INF, 1.0),
    ("abs at -inf", tf.abs, -INF, INF, -1.0),
    ("abs at nan", tf.abs, NAN, NAN, NAN),
    ("square at -inf", tf.square, -INF, INF, -INF),
    ("x ** 3 at -inf", lambda x: x**3, -INF, -INF, INF),
    ("x ** 0.5 at -1", lambda x: x**0.5, -1.0, NAN, NAN),
    ("atan at inf", tf.atan, INF, math.pi / 2, 0.0),
    ("acos at 2", tf.acos, 2.0, NAN, NAN),
    ("erf at inf", tf.math.erf, INF, 1.0, 0.0),
    ("expm1 at -inf", tf.math.expm1, -INF, -1.0, 0.0),
    ("rsqrt at 0", tf.math.rsqrt, 0.0, INF, -INF),
    ("reciprocal at 0", tf.math.reciprocal, 0.0, INF, -INF),
    ("sign at nan", tf.sign, NAN, NAN, 0.0),
    ("floor at inf", tf.floor, INF, INF, None),
    ("maximum of nan and 1", lambda x: tf.maximum(x, 1.0), NAN, NAN, 0.0),
    ("xlogy of 0 and 0", lambda x: tf.math.xlogy(tf.constant(0.0, tf.float64), x), 0.0, 0.0, 0.0),
    ("divide_no_nan by 0", lambda x: tf.math.divide_no_nan(1.0, x), 0.0, 0.0, 0.0),
    ("multiply_no_nan", lambda x: tf.math.multiply_no_nan(x, tf.zeros((), tf.float64)), NAN, 0, 0),
]


@pytest.mark.parametrize(
    ("f", "x", "value", "slope"), [s[1:] for s in SPECIALS], ids=[s[0] for s in SPECIALS]
)
def test_specials_pass_as_ieee_says(f, x, value, slope):
    x = tf.constant(x, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    g = tape.gradient(y, x)
    np.testing.assert_allclose(y.numpy(), value, atol=1e-15)
    if slope is None:
        assert g is None
    else:
        np.testing.assert_allclose(g.numpy(), slope, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_overflow_gives_infinity_in_every_precision(dtype):
    big = np.finfo(dtype).max
    y, (g,) = gradient(lambda x: x * x, big, dtype=dtype)
    assert y == INF and y.dtype == dtype
    assert g == INF and g.dtype == dtype


def test_a_bound_of_minus_zero_stays_one_after_a_bound_of_zero():
    x = tf.constant(np.full((100, 100), -1.0, np.float32))
    bounds = (0.0, -0.0, 0.0)
    signs = [np.signbit(tf.clip_by_value(x, bound, 5.0).numpy()).any() for bound in bounds]
    assert signs == [False, True, False]


def test_a_nan_in_one_element_leaves_the_others_alone():
    y, (g,) = gradient(lambda x: x * x * x, [1.0, NAN, 2.0])
    np.testing.assert_array_equal(g, [3.0, NAN, 12.0])


def test_a_nan_reaches_a_sum_and_its_gradient_does_not_care():
    y, (g,) = gradient(tf.reduce_sum, [1.0, NAN])
    assert np.isnan(y)
    assert g.tolist() == [1.0, 1.0]


def test_where_hides_a_value_but_not_an_infinite_slope():
    # The classic trap: 0 * inf = nan. TensorFlow gives nan too.
    y, (g,) = gradient(lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0), [0.0, 4.0])
    np.testing.assert_allclose(y, [0.0, math.log(4.0)])
    np.testing.assert_array_equal(g, [NAN, 0.25])


def test_softmax_of_infinite_logits_is_what_the_limit_is():
    y, _ = gradient(tf.nn.softmax, [-INF, 0.0, 0.0])
    np.testing.assert_allclose(y, [0.0, 0.5, 0.5])


def test_logsumexp_of_huge_numbers_does_not_overflow():
    y, (g,) = gradient(tf.reduce_logsumexp, [1000.0, 1000.0])
    np.testing.assert_allclose(y, 1000.0 + math.log(2.0))
    np.testing.assert_allclose(g, [0.5, 0.5])


def test_logsumexp_of_nothing_but_minus_infinity_is_minus_infinity():
    y, (g,) = gradient(tf.reduce_logsumexp, [-INF, -INF])
    assert y == -INF


def test_a_nan_seed_comes_out_as_nan():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    g = tape.gradient(y, x, output_gradients=tf.constant([NAN, 1.0]))
    np.testing.assert_array_equal(g.numpy(), np.array([NAN, 4.0], np.float32))


def test_complex_infinities_do_not_raise():
    x = tf.constant(complex(INF, NAN), tf.complex128)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.real(x * x)
    assert not np.isfinite(tape.gradient(y, x).numpy())


def test_no_warning_of_numpys_reaches_the_user():
    program = (
        "import minitape as tf; x = tf.Variable([0.0, 1.0, -1.0])\n"
        "with tf.GradientTape() as t: y = tf.math.log(x) / x + tf.exp(1e9 * x) - tf.sqrt(-x)\n"
        "print(t.gradient(y, x).shape)"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("(3,)\n", "")


# Shapes.

EMPTY_SHAPES = [(0,), (0, 3), (3, 0), (2, 0, 4)]


@pytest.mark.parametrize("shape", EMPTY_SHAPES)
def test_arrays_without_elements_have_gradients_without_elements(shape):
    y, (g,) = gradient(lambda x: tf.reduce_sum(tf.sin(x) * x + tf.exp(-x)), np.zeros(shape))
    assert y == 0.0
    assert g.shape == shape


@pytest.mark.parametrize("shape", EMPTY_SHAPES)
def test_a_jacobian_of_nothing_has_the_right_shape(shape):
    x = tf.zeros(shape, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x)
    assert tape.jacobian(y, x).shape == shape + shape


def test_an_empty_array_is_stretched_along_the_other_axis():
    y, (a, b) = gradient(lambda a, b: a * b, np.zeros((0, 1)), np.ones((1, 3)))
    assert y.shape == (0, 3)
    assert a.shape == (0, 1)
    assert b.tolist() == [[0.0, 0.0, 0.0]]


def test_a_matrix_product_over_no_terms_is_zero():
    y, (a, b) = gradient(tf.matmul, np.zeros((2, 0)), np.zeros((0, 3)))
    assert y.tolist() == [[0.0] * 3] * 2
    assert a.shape == (2, 0) and b.shape == (0, 3)


def test_joining_and_cutting_arrays_without_elements_works():
    def f(a, b):
        first, second = tf.split(tf.concat([a, b], 0), [0, 3])
        return tf.reduce_sum(first) + tf.reduce_sum(second * second)

    y, (a, b) = gradient(f, np.zeros((0,)), [1.0, 2.0, 3.0])
    assert a.shape == (0,)
    assert b.tolist() == [2.0, 4.0, 6.0]


def test_the_mean_of_nothing_is_nan():
    y, (g,) = gradient(tf.reduce_mean, np.zeros((0,)))
    assert np.isnan(y) and g.shape == (0,)


@pytest.mark.parametrize(("reduce", "value"), [
    (tf.reduce_max, -INF), (tf.reduce_min, INF), (tf.reduce_prod, 1.0), (tf.reduce_sum, 0.0),
])  # fmt: skip
def test_reductions_of_nothing_give_their_neutral_element(reduce, value):
    y, (g,) = gradient(reduce, np.zeros((0,)))
    assert y == value and g.shape == (0,)


def test_a_scalar_stays_a_numpy_scalar_through_everything():
    y, (g,) = gradient(
        lambda x: tf.reshape(tf.stack([x, x]), [2])[0] * x, np.float32(3.0), dtype=np.float32
    )
    assert isinstance(y, np.float32) and isinstance(g, np.float32)
    assert (y, g) == (9.0, 6.0)


def test_an_array_of_rank_0_is_taken_like_a_number():
    x = tf.constant(np.array(3.0))
    assert x.shape == () and x.dtype == tf.float64
    v = tf.Variable(np.array(2.0))
    v.assign(np.array(5.0))
    assert float(v) == 5.0


def test_32_dimensions_are_differentiated():
    shape = (2, 1) * 3 + (1,) * 25 + (3,)
    values = np.arange(24.0).reshape(shape)
    assert values.ndim == 32
    y, (g,) = gradient(lambda x: tf.reduce_sum(tf.sin(x) * tf.transpose(x)[0, ..., :1]), values)
    assert g.shape == shape
    y, (g,) = gradient(lambda x: tf.reduce_sum(x * x, axis=-1), values)
    np.testing.assert_array_equal(g, 2 * values)


def test_the_batched_jacobian_of_31_dimensions_does_not_run_out_of_axes():
    x = tf.ones((1,) * 30 + (2,), tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    whole = tape.jacobian(y, x)
    np.testing.assert_array_equal(np.reshape(whole.numpy(), (2, 2)), 2 * np.eye(2))


# Layouts of memory.

BASE = np.arange(1.0, 25.0).reshape(4, 6)


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


LAYOUTS = {
    "every second column": (lambda: BASE[:, ::2], BASE[:, ::2]),
    "backwards": (lambda: BASE[::-1, ::-1], BASE[::-1, ::-1]),
    "transposed": (lambda: BASE.T, BASE.T),
    "in Fortran's order": (lambda: np.asfortranarray(BASE), BASE),
    "read-only": (lambda: read_only(BASE), BASE),
    "stretched": (lambda: np.broadcast_to(BASE[0], (4, 6)), np.tile(BASE[0], (4, 1))),
    "big-endian": (lambda: BASE.astype(">f8"), BASE),
    "little-endian": (lambda: BASE.astype("<f8"), BASE),
    "unaligned": (lambda: np.frombuffer(b"x" + BASE.tobytes(), offset=1).reshape(4, 6), BASE),
    "of a subclass": (lambda: BASE.view(np.matrix), BASE),
    "masked by nothing": (lambda: np.ma.masked_array(BASE), BASE),
    "a field of a record": (lambda: np.rec.fromarrays([BASE, BASE]).f0, BASE),
}  # fmt: skip


@pytest.mark.parametrize(("make", "plain"), LAYOUTS.values(), ids=list(LAYOUTS))
def test_an_array_is_taken_whatever_its_layout(make, plain):
    x = tf.constant(make())
    assert x.dtype == tf.float64
    assert x.numpy().dtype.isnative and type(x.numpy()) is np.ndarray
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sqrt(x) * x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 1.5 * np.sqrt(plain))


@pytest.mark.parametrize(("make", "plain"), LAYOUTS.values(), ids=list(LAYOUTS))
def test_an_array_beside_a_tensor_is_taken_whatever_its_layout(make, plain):
    x = tf.ones(plain.shape, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(make() * x * x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 2 * plain)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_memory_mapped_array_is_read_and_never_written(tmp_path, mode):
    path = tmp_path / "x.dat"
    BASE.tofile(path)
    mapped = np.memmap(path, np.float64, mode, shape=BASE.shape)
    v = tf.Variable(mapped)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * mapped)
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), BASE)
    v.assign_sub(tf.ones_like(v))
    del mapped
    np.testing.assert_array_equal(np.fromfile(path).reshape(4, 6), BASE)


def test_a_huge_stretched_array_is_not_copied_by_a_gradient():
    x = tf.constant(3.0)
    with at_most(1_000_000):  # a copy would be 40,000,000 bytes
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.broadcast_to(x, [10_000_000]))
        g = tape.gradient(y, x)
    assert (float(y), float(g)) == (30_000_000.0, 10_000_000.0)


# What the user does to arrays before and after.


def changed_later():
    """Ways for an array into a program, each with what it gives beside x = [1, 2, 3]."""
    return {
        "constant": lambda x, a: tf.reduce_sum(tf.constant(a) * x * x),
        "convert_to_tensor": lambda x, a: tf.reduce_sum(tf.convert_to_tensor(a) * x * x),
        "on the right": lambda x, a: tf.reduce_sum(x * a * x),
        "on the left": lambda x, a: tf.reduce_sum(a * x * x),
        "a variable": lambda x, a: tf.reduce_sum(tf.Variable(a) * x * x),
        "stack": lambda x, a: tf.reduce_sum(tf.stack([a, a])[0] * x * x),
        "a list": lambda x, a: tf.reduce_sum(tf.convert_to_tensor([a, a])[1] * x * x),
        "where": lambda x, a: tf.reduce_sum(tf.where(x > 0.0, a, a) * x * x),
        "einsum": lambda x, a: tf.einsum("i,i,i->", a, x, x),
        "tensordot": lambda x, a: tf.tensordot(a, x * x, 1),
        "cast": lambda x, a: tf.reduce_sum(tf.cast(a, tf.float64) * x * x),
        "identity": lambda x, a: tf.reduce_sum(tf.identity(a) * x * x),
        "reshape": lambda x, a: tf.reduce_sum(tf.reshape(a, [3]) * x * x),
        "slicing": lambda x, a: tf.reduce_sum(tf.constant(a)[:] * x * x),
        "transpose": lambda x, a: tf.reduce_sum(tf.transpose(a) * x * x),
        "broadcast_to": lambda x, a: tf.reduce_sum(tf.broadcast_to(a, [2, 3])[0] * x * x),
        "squeeze": lambda x, a: tf.reduce_sum(tf.squeeze(a) * x * x),
        "expand_dims": lambda x, a: tf.reduce_sum(tf.expand_dims(a, 0) * x * x),
        "ravel": lambda x, a: tf.reduce_sum(tf.reshape(tf.expand_dims(a, 1), [-1]) * x * x),
        "stop_gradient": lambda x, a: tf.reduce_sum(tf.stop_gradient(a) * x * x),
        "gather": lambda x, a: tf.reduce_sum(tf.gather(a, [0, 1, 2]) * x * x),
        "assign": lambda x, a: tf.reduce_sum(tf.Variable(np.zeros(3)).assign(a) * x * x),
        "real": lambda x, a: tf.reduce_sum(tf.math.real(a) * x * x),
        "concat": lambda x, a: tf.reduce_sum(tf.concat([a], 0) * x * x),
        "split": lambda x, a: tf.reduce_sum(tf.split(a, 1)[0] * x * x),
        "clip": lambda x, a: tf.reduce_sum(tf.clip_by_value(a, -99.0, 99.0) * x * x),
        "a ragged tensor": lambda x, a: tf.reduce_sum(
            tf.RaggedTensor.from_row_lengths(a, [3]).flat_values * x * x
        ),
        "slices": lambda x, a: tf.reduce_sum(
            tf.convert_to_tensor(tf.IndexedSlices(tf.convert_to_tensor(a), [0, 1, 2], [3])) * x * x
        ),
        "a nest": lambda x, a: tf.reduce_sum(
            tf.nest.map_structure(tf.convert_to_tensor, [a])[0] * x * x
        ),
    }  # fmt: skip


WAYS = changed_later()


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_an_array_that_is_changed_after_recording_does_not_change_the_gradient(way):
    array = np.array([5.0, 6.0, 7.0])
    x = tf.constant([1.0, 2.0, 3.0], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = way(x, array)
    array[:] = -100.0
    for _ in range(2):
        assert tape.gradient(y, x).numpy().tolist() == [10.0, 24.0, 42.0]
    assert array.tolist() == [-100.0] * 3


def test_weights_that_are_changed_after_the_call_do_not_change_its_result():
    weights = np.array([1.0, 10.0])
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + 0.0
    g = tape.gradient(y, x, output_gradients=weights)
    weights[:] = 0.0
    assert g.numpy().tolist() == [1.0, 10.0]


def test_tangents_that_are_changed_later_do_not_change_a_product():
    tangent = np.array([1.0, 10.0])
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
        tangent[:] = 0.0
        y = x + 0.0
    assert accumulator.jvp(y).numpy().tolist() == [1.0, 10.0]


MADE = {
    "a constant": lambda: tf.constant([1.0, 2.0]),
    "a variable": lambda: tf.Variable([1.0, 2.0]),
    "a read variable": lambda: tf.Variable([1.0, 2.0]).value(),
    "a sum": lambda: tf.constant([0.0, 1.0]) + 1.0,
    "ones": lambda: tf.ones([2]) * [1.0, 2.0],
    "a slice": lambda: tf.constant([1.0, 2.0, 3.0])[:2],
    "an identity": lambda: tf.identity(tf.constant([1.0, 2.0])),
    "a reshape": lambda: tf.reshape(tf.constant([[1.0], [2.0]]), [2]),
}


@pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))
def test_what_numpy_gives_may_be_changed_freely(make):
    x = make()
    array = x.numpy()
    array[:] = 99.0
    assert x.numpy().tolist() == [1.0, 2.0]


def test_a_stretched_gradient_may_be_changed_freely():
    x = tf.constant(np.ones((3, 4)))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(x)
    g = tape.gradient(y, x).numpy()
    g[0, 0] = 99.0
    assert g.sum() == 11.0 + 99.0
    assert tape.gradient(y, x).numpy().tolist() == np.ones((3, 4)).tolist()


def test_what_array_gives_cannot_be_written_to():
    x = tf.constant([1.0, 2.0])
    view = np.asarray(x)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 99.0
    copy = np.array(x)
    copy[0] = 99.0
    assert x.numpy().tolist() == [1.0, 2.0]


def test_gradients_of_two_sources_never_share_memory_that_can_be_written():
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = a + b
    first, second = tape.gradient(y, [a, b])
    a.assign_sub(first)
    first.numpy()[:] = 99.0
    assert second.numpy().tolist() == [1.0, 1.0]


def test_assigning_keeps_what_was_read_before():
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    v.assign_add([10.0, 10.0])
    v[0].assign(77.0)
    assert before.numpy().tolist() == [1.0, 2.0]


def test_in_place_operators_make_new_tensors():
    x = tf.constant([1.0, 2.0])
    y = x
    y += 1.0
    y *= 2.0
    assert x.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("order", [">", "<"])
def test_every_floating_dtype_of_either_byte_order_keeps_its_precision(dtype, order):
    array = np.array([1.0, 2.0], np.dtype(dtype).newbyteorder(order))
    x = tf.constant(array)
    assert x.numpy().dtype == np.dtype(dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    g = tape.gradient(y, x).numpy()
    assert g.dtype == np.dtype(dtype)
    np.testing.assert_allclose(g, [2.0, 4.0])


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize("value", [3.5, [[1.0, 2.0]], [b"text"]])
def test_a_tensor_that_is_copied_or_pickled_has_its_value_and_is_followed_anew(again, value):
    x = again(tf.constant(value))
    np.testing.assert_array_equal(x.numpy(), np.asarray(value, x.numpy().dtype))
    if x.dtype.is_floating:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        np.testing.assert_allclose(tape.gradient(y, x), 2 * np.asarray(value))
