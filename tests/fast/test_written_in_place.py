"""What a sweep writes in place: arrays that nobody else can see, and no others.

Of a product's factors it may be the first: the share of the second comes last. Expected values are
closed forms.
"""

import numpy as np
import pytest

import minitape as tf
from peak import at_most

MANY = 5000  # elements; a sweep writes in place from 4096 on
LARGE = np.ones(MANY)


def large_sources(*names):
    return [tf.constant(LARGE) for _ in names]


def test_a_sum_leaves_the_cotangent_that_another_source_shares():
    x, b = large_sources("x", "b")
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        early = x * 5.0
        y = tf.reduce_sum((x + b) * 3.0) + tf.reduce_sum(early)
    dx, db = tape.gradient(y, [x, b])
    assert (set(dx.numpy()), set(db.numpy())) == ({8.0}, {3.0})


def test_a_sum_leaves_the_cotangent_that_it_is_a_view_of():
    x, b = large_sources("x", "b")
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        early = x * 5.0
        y = tf.reduce_sum((tf.reshape(x, [50, 100]) + tf.reshape(b, [50, 100])) * 3.0)
        y += tf.reduce_sum(early)
    dx, db = tape.gradient(y, [x, b])
    assert (set(dx.numpy()), set(db.numpy())) == ({8.0}, {3.0})


def test_a_sum_leaves_the_weights_of_the_targets():
    x, weights = large_sources("x", "weights")
    with tf.GradientTape() as tape:
        tape.watch(x)
        early = x * 5.0
        y = x + early
    assert set(tape.gradient(y, x, output_gradients=weights).numpy()) == {6.0}
    assert set(weights.numpy()) == {1.0}


@pytest.mark.parametrize("held", ["constant", "input"])
def test_a_sum_leaves_what_a_gradient_function_gave_and_somebody_holds(held):
    x, kept = large_sources("x", "kept")

    @tf.custom_gradient
    def f(a):
        return a * 1.0, lambda g: kept if held == "constant" else a

    with tf.GradientTape() as tape:
        tape.watch(x)
        early = x * 5.0
        y = tf.reduce_sum(f(x)) + tf.reduce_sum(early)
    assert set(tape.gradient(y, x).numpy()) == {6.0}
    assert set(kept.numpy()) == set(x.numpy()) == {1.0}


def test_a_sum_leaves_the_gradient_of_an_intermediate_source():
    (x,) = large_sources("x")
    with tf.GradientTape() as tape:
        tape.watch(x)
        early = x * 5.0
        middle = x + 0.0
        y = tf.reduce_sum(middle * 3.0) + tf.reduce_sum(early)
    dmiddle, dx = tape.gradient(y, [middle, x])
    assert (set(dmiddle.numpy()), set(dx.numpy())) == ({3.0}, {8.0})


@pytest.mark.parametrize("order", [1, -1])
def test_a_sum_of_a_dense_and_a_sparse_gradient_is_complete_whichever_comes_first(order):
    x = tf.Variable(LARGE.reshape(50, 100))
    parts = [lambda: tf.reduce_sum(x * 5.0), lambda: tf.reduce_sum(tf.gather(x, [0, 0]))]
    with tf.GradientTape() as tape:
        y = sum(part() for part in parts[::order])
    g = tf.convert_to_tensor(tape.gradient(y, x)).numpy()
    assert (set(g[0]), set(g[1:].ravel())) == ({7.0}, {5.0})


def peak_of_arrays(limit):
    """Checks that the block makes at most `limit` arrays of 100,000 doubles at a time."""
    return at_most((limit + 0.5) * 800_000)


@pytest.mark.fast_layer
def test_a_sum_of_large_contributions_needs_no_array_of_its_own():
    x = tf.constant(np.ones(100_000))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * 2.0) + tf.reduce_sum(x * 3.0) + tf.reduce_sum(x * 4.0)
    with peak_of_arrays(2):  # the sum and one contribution
        g = tape.gradient(y, x)
    assert set(g.numpy()) == {9.0}


@pytest.mark.fast_layer
def test_large_products_with_kept_values_need_no_array_of_their_own():
    x = tf.constant(np.zeros(100_000))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(tf.exp(tf.exp(x)))
    with peak_of_arrays(1):  # the seed
        g = tape.gradient(y, x)
    np.testing.assert_allclose(g.numpy(), np.exp(np.e) * np.e)


def test_the_way_back_through_a_large_tanh_needs_one_array():
    values = np.linspace(-3.0, 3.0, 100_000)
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x))
    with peak_of_arrays(1):
        g = tape.gradient(y, x)
    np.testing.assert_allclose(g.numpy(), 1 / np.cosh(values) ** 2, rtol=1e-12)


def test_several_cotangents_pass_a_large_tanh_at_once():
    values = np.linspace(-3.0, 3.0, 5000)
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        whole = tf.reduce_sum(tf.tanh(x))
        y = tf.stack([whole, 2.0 * whole])
    slope = 1 / np.cosh(values) ** 2
    np.testing.assert_allclose(tape.jacobian(y, x).numpy(), [slope, 2 * slope], rtol=1e-12)


def test_large_second_derivatives_of_tanh_are_those_of_the_closed_form():
    values = np.linspace(-3.0, 3.0, 6000).reshape(60, 100)
    x, s = tf.constant(values), tf.Variable(1.0, dtype=tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.tanh(x)
        g = inner.gradient(y, x, output_gradients=s * tf.ones_like(x))
    d_x, d_s = outer.gradient(g, [x, s])
    slope = 1 / np.cosh(values) ** 2
    np.testing.assert_allclose(d_x.numpy(), -2 * np.tanh(values) * slope, rtol=1e-10)
    np.testing.assert_allclose(d_s.numpy(), slope.sum())


@pytest.mark.fast_layer
def test_a_large_product_with_a_sum_of_contributions_needs_no_array_of_its_own():
    x = tf.constant(np.zeros(100_000))
    with tf.GradientTape() as tape:
        tape.watch(x)
        middle = tf.exp(x)
        y = tf.reduce_sum(middle * 3.0) + tf.reduce_sum(middle * 4.0)
    with peak_of_arrays(2):  # the sum and one contribution
        g = tape.gradient(y, x)
    assert set(g.numpy()) == {7.0}


def test_a_product_leaves_the_cotangent_that_its_record_needs_again():
    x, z = large_sources("x", "z")
    with tf.GradientTape() as tape:
        tape.watch([x, z])
        y = tf.reduce_sum((x * 5.0) * (z * 7.0) * 3.0)
    dx, dz = tape.gradient(y, [x, z])
    assert (set(dx.numpy()), set(dz.numpy())) == ({105.0}, {105.0})


def test_a_product_leaves_the_cotangent_that_another_source_shares():
    x, z = large_sources("x", "z")
    with tf.GradientTape() as tape:
        tape.watch([x, z])
        y = tf.reduce_sum((tf.exp(x) + tf.exp(z)) * 3.0)
    for g in tape.gradient(y, [x, z]):
        np.testing.assert_allclose(g.numpy(), 3 * np.e)


def test_a_product_leaves_the_weights_of_the_targets():
    x, weights = large_sources("x", "weights")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x)
    np.testing.assert_allclose(tape.gradient(y, x, output_gradients=weights).numpy(), np.e)
    assert set(weights.numpy()) == {1.0}


def test_a_product_leaves_the_cotangent_that_it_is_a_view_of():
    x, b = large_sources("x", "b")
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        y = tf.reduce_sum((tf.reshape(tf.exp(x), [50, 100]) + tf.reshape(b, [50, 100])) * 3.0)
    dx, db = tape.gradient(y, [x, b])
    np.testing.assert_allclose(dx.numpy(), 3 * np.e)
    assert set(db.numpy()) == {3.0}


def test_a_product_leaves_the_gradient_of_an_intermediate_source():
    (x,) = large_sources("x")
    with tf.GradientTape() as tape:
        tape.watch(x)
        middle = tf.exp(x)
        y = tf.reduce_sum(middle * 3.0)
    dmiddle, dx = tape.gradient(y, [middle, x])
    assert set(dmiddle.numpy()) == {3.0}
    np.testing.assert_allclose(dx.numpy(), 3 * np.e)


def test_a_product_leaves_what_a_gradient_function_was_given_and_holds():
    (x,) = large_sources("x")
    held = []

    @tf.custom_gradient
    def f(a):
        return a * 1.0, lambda g: held.append(g) or g

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(f(tf.exp(x)) * 3.0)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 3 * np.e)
    assert set(held[0].numpy()) == {3.0}


def test_a_persistent_tape_gives_a_product_of_large_values_again():
    (x,) = large_sources("x")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(tf.exp(x) * 1.0) * x
    first, second = (tape.gradient(y, x).numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, np.exp(np.e) * (1 + np.e))


def total(y):
    """A sum whose derivative is no 1, by which a product would change nothing."""
    return 3.0 * tf.reduce_sum(y)


def values(seed=0):
    return np.random.default_rng(seed).uniform(0.5, 1.5, MANY)


@pytest.mark.parametrize("hold", ["nothing", "x", "s", "e", "s e", "weights"])
@pytest.mark.parametrize("persistent", [False, True])
def test_the_factors_of_a_product_keep_their_values_where_somebody_holds_them(hold, persistent):
    a, weights = values(), tf.constant(values(1)[None])
    x = tf.constant(a)
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        s, e = tf.sin(x), tf.exp(-x)
        y = (s * e)[None] if "weights" in hold else total(s * e)
    given = weights if "weights" in hold else None
    scale = weights.numpy()[0] if given is not None else 3.0
    held = {"x": x, "s": s, "e": e, "weights": weights}
    held = {name: held[name] for name in hold.split() if name in held}
    before = {name: tensor.numpy() for name, tensor in held.items()}
    del s, e
    for _ in range(1 + persistent):
        got = tape.gradient(y, x, output_gradients=given).numpy()
        np.testing.assert_allclose(got, scale * np.exp(-a) * (np.cos(a) - np.sin(a)), rtol=1e-12)
    for name, tensor in held.items():
        np.testing.assert_array_equal(tensor.numpy(), before[name])


def test_a_factor_that_another_record_keeps_is_read_there_as_it_was():
    a = values()
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        e = tf.exp(x)  # whose record keeps its result, and comes after the product's
        y = total(e * tf.sin(x))
        del e
    np.testing.assert_allclose(
        tape.gradient(y, x).numpy(), 3 * np.exp(a) * (np.sin(a) + np.cos(a)), rtol=1e-12
    )


def test_a_product_of_a_value_with_itself_is_not_written_to_that_value():
    a = values()
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.sin(x)
        y = total(s * s)
        del s
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 6 * np.sin(a) * np.cos(a), rtol=1e-12)


def test_a_factor_that_is_a_view_of_what_somebody_holds_is_not_written_to():
    a, shape = values(), (MANY // 10, 10)
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.sin(x)
        y = total(tf.reshape(s, shape) * tf.exp(tf.reshape(x, shape)))
    tape.gradient(y, x)
    np.testing.assert_array_equal(s.numpy(), np.sin(a))


def test_a_factor_that_numpy_looks_at_is_not_written_to():
    a = values()
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.sin(x)
        y = total(s * tf.exp(x))
    shown = np.asarray(s)[1:]
    del s
    tape.gradient(y, x)
    np.testing.assert_array_equal(shown, np.sin(a)[1:])


def test_the_tensors_of_an_outer_tape_keep_their_values():
    a = values()
    x = tf.constant(a)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = total(tf.sin(x) * tf.exp(x))
        g = inner.gradient(y, x)
    got = outer.gradient(g, x).numpy()
    np.testing.assert_allclose(got, 6 * np.exp(a) * np.cos(a), rtol=1e-9, atol=1e-9)


@pytest.mark.fast_layer
def test_a_factor_that_nobody_holds_is_written_to():
    x = tf.constant(np.random.default_rng(0).uniform(size=100_000))
    with peak_of_arrays(3):  # both factors and one product; the other product is no fourth
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total((x + 1.0) * (x + 2.0))
        tape.gradient(y, x)
