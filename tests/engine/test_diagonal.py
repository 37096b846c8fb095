"""The seeds of a jacobian, kept in short: what comes out is what whole stacks would give.

The expected values are products of NumPy with the whole identity.
"""

import numpy as np
import pytest

import minitape as tf
from minitape.batches.batching import whole
from minitape.batches.diagonal import Diagonal, identity_seeds, whole_seeds
from peak import at_most

SPECIAL = np.array([0.0, 1.0, -4.0, np.inf, np.nan], np.float32)


def jacobian(f, x, kind="jacobian", **options):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return getattr(tape, kind)(y, x, **options).numpy()


def assert_same_bits(got, want):
    """Equal, also in the signs of zeros; any NaN is as good as another."""
    np.testing.assert_array_equal(got, want)
    known = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(want)[known])


@pytest.mark.parametrize(
    ("f", "factor"),
    [
        (tf.cos, lambda x: -np.sin(x)),
        (tf.exp, np.exp),
        (tf.square, lambda x: 2 * x),
        (lambda x: x * [2.0, -3.0, 0.0, np.inf, 1.0], lambda x: np.float32([2, -3, 0, np.inf, 1])),
        (lambda x: -x, lambda x: np.full_like(x, -1)),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_beside_the_diagonal_stands_what_0_times_the_factor_is(f, factor):
    with np.errstate(invalid="ignore", over="ignore"):
        assert_same_bits(jacobian(f, SPECIAL), np.eye(5, dtype=np.float32) * factor(SPECIAL))


def test_a_gradient_of_one_s_own_that_is_limited_by_plain_numbers_has_a_jacobian():
    @tf.custom_gradient
    def limited(x):
        return tf.identity(x), lambda g: tf.clip_by_value(g, -1.0, 1.0)

    got = jacobian(lambda x: limited(x) ** 2, np.float32([0.1, 10.0, -3.0]))
    np.testing.assert_allclose(got, np.diag([0.2, 1.0, -1.0]), rtol=1e-6)


@pytest.mark.parametrize(
    ("rule", "of_seeds"),
    [
        (lambda g: tf.divide(2.0, g + 1.0), lambda seeds: 2 / (seeds + 1)),
        (lambda g: tf.math.floordiv(3.0, g + 1.0), lambda seeds: 3 // (seeds + 1)),
        (lambda g: tf.math.mod(3.0, g + 2.0), lambda seeds: 3 % (seeds + 2)),
        (lambda g: tf.math.divide_no_nan(2.0, g), lambda seeds: 2 * seeds),
        (lambda g: tf.where(g > 0.0, 5.0, g), lambda seeds: 5 * seeds),
    ],
)
def test_a_plain_number_stands_before_a_stack_of_cotangents_in_any_op(rule, of_seeds):
    @tf.custom_gradient
    def odd(x):
        return tf.identity(x), rule

    seeds = np.eye(3, dtype=np.float32)
    np.testing.assert_allclose(jacobian(odd, np.float32([1, 2, 3])), of_seeds(seeds))


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3), (2, 1, 2)])
def test_the_jacobian_of_an_elementwise_chain_is_a_diagonal_in_any_shape(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    got = jacobian(lambda x: tf.tanh(tf.sin(x) * x), x).reshape(x.size, x.size)
    u, slope = np.sin(x) * x, np.cos(x) * x + np.sin(x)
    np.testing.assert_allclose(got, np.diag(((1 - np.tanh(u) ** 2) * slope).ravel()), rtol=2e-5)


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_rows_in_parts_are_the_same_rows(rows):
    x = np.linspace(-1, 1, 5, dtype=np.float32)
    a = np.random.default_rng(0).normal(size=(5, 5)).astype(np.float32)
    f = lambda x: tf.sin(tf.linalg.matvec(a, tf.exp(x)))  # noqa: E731
    want = np.cos(a @ np.exp(x))[:, None] * a * np.exp(x)
    np.testing.assert_allclose(jacobian(f, x, parallel_iterations=rows), want, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("value", [np.inf, np.nan, -0.0, 0.0])
def test_a_matrix_that_is_not_finite_spoils_the_rows_that_a_product_would(value):
    a = np.array([[1.0, -2.0], [value, 3.0]], np.float32)
    with np.errstate(invalid="ignore"):
        want = np.eye(2, dtype=np.float32) @ a
        got = jacobian(lambda x: tf.linalg.matvec(a, x), np.ones(2, np.float32))
        of_batch = jacobian(lambda x: x @ a.T, np.ones((1, 2), np.float32), "batch_jacobian")
    assert_same_bits(got, want)
    assert_same_bits(of_batch, want[None])


def test_a_product_makes_no_negative_zeros():
    a = np.array([[0.0, 1.0], [2.0, 0.0]], np.float32)
    got = jacobian(lambda x: tf.linalg.matvec(a, -x), np.ones(2, np.float32))
    assert_same_bits(got, np.where(a == 0, np.float32(-0.0), -a))
    below = jacobian(lambda x: -tf.linalg.matvec(a, x), np.ones(2, np.float32))
    assert_same_bits(below, -np.eye(2, dtype=np.float32) @ a)


def test_elements_beside_the_diagonal_that_are_not_zero_go_through_a_product():
    a = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)

    @tf.custom_gradient
    def shifted(x):
        return x, lambda g: g + 1.0

    got = jacobian(lambda x: shifted(tf.linalg.matvec(a, x)), np.ones(2, np.float32))
    np.testing.assert_array_equal(got, (np.eye(2) + 1) @ a)


@pytest.mark.parametrize("shape", [(3, 2), (3, 4, 2)])
def test_the_examples_of_a_batch_have_their_own_rows(shape):
    rng = np.random.default_rng(0)
    x, a = (rng.normal(size=s).astype(np.float32) for s in (shape, (2, 2)))
    got = jacobian(lambda x: tf.tanh(x @ a), x, "batch_jacobian")
    slope = 1 - np.tanh(x @ a) ** 2
    if len(shape) == 2:
        want = slope[:, :, None] * a.T
    else:
        want = np.einsum("bik,ij,lk->bikjl", slope, np.eye(4), a)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


def test_contributions_of_the_same_rows_are_added_in_short_and_others_whole():
    a = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    x = np.array([0.5, -0.5], np.float32)
    got = jacobian(lambda x: tf.sin(x) + x * x + tf.linalg.matvec(a, x) + x[::-1], x)
    want = np.diag(np.cos(x) + 2 * x) + a + np.eye(2)[::-1]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_an_operand_that_makes_the_examples_larger_needs_the_whole_stack():
    x = np.array([1.0, 2.0], np.float32)
    weights = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)

    @tf.custom_gradient
    def twice_as_steep(x):
        return x, lambda g: tf.reduce_sum(g * weights, axis=0)

    np.testing.assert_array_equal(jacobian(twice_as_steep, x), np.diag([9.0, 12.0]))


def test_a_single_seed_that_is_spread_over_more_elements_is_1_in_all_of_them():
    weights = np.array([2.0, 3.0, 4.0], np.float32)

    @tf.custom_gradient
    def nine_times_as_steep(x):
        return x, lambda g: tf.reduce_sum(g * weights, keepdims=True)

    np.testing.assert_array_equal(jacobian(nine_times_as_steep, np.ones(1, np.float32)), [[9.0]])


def test_a_number_that_differs_from_row_to_row_needs_the_whole_stack():
    weights = np.array([2.0, 3.0, 4.0], np.float32)

    @tf.custom_gradient
    def f(x):
        return x, lambda g: g + tf.reduce_sum(g * weights)

    got = jacobian(f, np.ones(3, np.float32))
    np.testing.assert_array_equal(got, np.eye(3) + weights[:, None])


def test_the_seeds_of_some_rows_are_that_part_of_the_identity():
    some = whole_seeds((2, 3), 2, np.dtype("f"), slice(1, 4))
    np.testing.assert_array_equal(some.reshape(3, 6), np.eye(6)[1:4])
    of_batch = whole_seeds((2, 3), 1, np.dtype("f"), slice(1, 3))
    np.testing.assert_array_equal(of_batch, np.eye(3)[1:, None].repeat(2, 1))


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 1, 2), (0, 2), (1,) * 8, (1,) * 30])
def test_the_whole_stack_of_all_seeds_is_the_identity(shape):
    seeds = identity_seeds(shape, len(shape), np.dtype("f"))
    count = np.prod(shape)
    np.testing.assert_array_equal(whole(seeds), np.eye(count).reshape(count, *shape))


def test_the_whole_stack_of_a_batch_repeats_the_identity_in_every_example():
    of_batch = identity_seeds((2, 3), 1, np.dtype("f"))
    np.testing.assert_array_equal(whole(of_batch), np.eye(3)[:, None].repeat(2, 1))


def test_the_jacobian_of_a_long_elementwise_chain_is_the_only_matrix_that_is_made():
    def sweep():
        with tf.GradientTape() as tape:
            x = y = tf.ones(700)
            tape.watch(x)
            for _ in range(8):
                y = tf.sin(y) * 0.5
        return tape.jacobian(y, x)

    sweep()
    with at_most(1.5 * 4 * 700**2):
        sweep()


def test_products_with_the_identity_are_made_without_it():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(20, 4)).astype(np.float32)
    row, square = (identity_seeds((*rows, 20), 1 + len(rows), np.dtype("f")) for rows in ((), (2,)))
    left = rng.normal(size=(5, 2)).astype(np.float32)
    identity = np.eye(40, dtype=np.float32).reshape(40, 2, 20)
    np.testing.assert_array_equal(row.times(matrix), np.eye(20) @ matrix)
    np.testing.assert_array_equal(square.times(matrix).whole(), identity @ matrix)
    np.testing.assert_array_equal(square.under(left).whole(), left @ identity)
    for value in (np.inf, np.nan):
        matrix[0, 0] = left[0, 0] = value
        assert row.times(matrix) is square.times(matrix) is square.under(left) is None


@pytest.mark.parametrize(
    "order", ["times times under", "under times", "times under", "under under"]
)
def test_products_on_either_side_are_those_of_the_whole_stack_in_any_order(order):
    rng = np.random.default_rng(0)
    short = identity_seeds((17, 18), 2, np.dtype("d"))
    long = np.eye(17 * 18).reshape(17 * 18, 17, 18)
    for side in order.split():
        slope = rng.normal(size=long.shape[1:])  # an elementwise op before each product
        short.on, short.off, long = short.on * slope, short.off * slope, long * slope
        if side == "times":
            matrix = rng.normal(size=(long.shape[2], 19))
            short, long = short.times(matrix), long @ matrix
        else:
            matrix = rng.normal(size=(16, long.shape[1]))
            short, long = short.under(matrix), matrix @ long
        np.testing.assert_allclose(whole(short), long, rtol=1e-12, atol=1e-12)


def test_where_only_a_short_axis_is_tied_a_product_takes_the_whole_stack():
    seeds = identity_seeds((20, 3), 2, np.dtype("f"))
    assert isinstance(seeds.times(np.ones((3, 2), np.float32)), Diagonal)
    assert seeds.under(np.ones((2, 20), np.float32)).times(np.ones((3, 2), np.float32)) is None


def test_contributions_that_are_tied_differently_are_added_whole():
    rng = np.random.default_rng(0)
    x, a, b = (rng.normal(size=s).astype(np.float32) for s in ((3, 2), (3, 3), (2, 2)))
    got = jacobian(lambda x: a @ x + x @ b + tf.sin(x), x).reshape(6, 6)
    want = np.kron(a, np.eye(2)) + np.kron(np.eye(3), b.T) + np.diag(np.cos(x).ravel())
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_the_jacobian_of_a_batch_by_a_layer_s_weights_makes_no_stack_of_hidden_layers():
    rng = np.random.default_rng(0)
    x, a, b = (tf.constant(rng.normal(size=s)) for s in ((64, 20), (20, 100), (100, 2)))

    def sweep():
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.tanh(x @ a) @ b
        return tape.jacobian(y, a)

    got = sweep().numpy()
    slope = 1 - np.tanh(x.numpy() @ a.numpy()) ** 2
    want = np.einsum("ri,rj,jc->rcij", x.numpy(), slope, b.numpy())
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    with at_most(1.5 * want.nbytes):  # a whole stack of slopes takes three times the result
        sweep()


@pytest.mark.parametrize("rows", [None, 4])
@pytest.mark.parametrize("values", ["finite", "with an infinity", "with zeros"])
def test_the_jacobian_of_a_product_by_its_factors_is_that_of_the_whole_identity(rows, values):
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=s).astype(np.float32) for s in ((3, 4), (4, 2)))
    if values == "with an infinity":
        x[1, 2] = w[0, 1] = np.inf
    if values == "with zeros":
        x[0], w[:, 0] = 0, -0.0
    eye = np.eye(6, dtype=np.float32).reshape(6, 3, 2)
    with np.errstate(invalid="ignore"):
        by_x, by_w = eye @ w.T, x.T @ -eye
        got_x = jacobian(lambda x: x @ w, x, parallel_iterations=rows)
        got_w = jacobian(lambda w: -(x @ w), w, parallel_iterations=rows)
    assert_same_bits(got_x.reshape(by_x.shape), by_x)
    assert_same_bits(got_w.reshape(by_w.shape), by_w)


def test_the_hessian_of_a_layer_s_weights_equals_differences_of_gradients():
    rng = np.random.default_rng(0)
    x, w = tf.constant(rng.normal(size=(5, 3))), tf.Variable(rng.normal(size=(3, 2)))

    def slope():
        with tf.GradientTape() as inner:
            loss = tf.reduce_sum(tf.tanh(x @ w) ** 2)
        return inner.gradient(loss, w)

    with tf.GradientTape() as outer:
        g = slope()
    hessian = outer.jacobian(g, w).numpy().reshape(6, 6)
    start, columns = w.numpy(), []
    for step in 1e-6 * np.eye(6).reshape(6, 3, 2):
        ends = []
        for sign in (1, -1):
            w.assign(start + sign * step)
            ends.append(slope().numpy().ravel())
        columns.append((ends[0] - ends[1]) / 2e-6)
    np.testing.assert_allclose(hessian, np.array(columns).T, rtol=1e-6, atol=1e-8)


def test_a_matrix_of_seeds_times_a_vector_needs_the_whole_stack():
    v = np.array([2.0, 3.0], np.float32)

    @tf.custom_gradient
    def f(x):
        return x, lambda g: tf.linalg.matvec(g, v)[:, None] * np.ones((1, 2), np.float32)

    got = jacobian(f, np.ones((2, 2), np.float32)).reshape(4, 2, 2)
    want = (np.eye(4).reshape(4, 2, 2) @ v)[..., None].repeat(2, -1)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("shapes", [((3, 4), (4, 0)), ((3, 0), (0, 2)), ((0, 4), (4, 2))])
def test_products_of_empty_matrices_have_empty_jacobians(shapes):
    x, w = (np.ones(shape, np.float32) for shape in shapes)
    target = (shapes[0][0], shapes[1][1])
    assert jacobian(lambda x: x @ w, x).shape == target + shapes[0]
    assert jacobian(lambda w: x @ w, w).shape == target + shapes[1]
    by_example = jacobian(lambda x: x @ w, x, "batch_jacobian")
    assert by_example.shape == (target[0], target[1], shapes[0][1])
