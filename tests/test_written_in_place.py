"""What a sweep writes in place: arrays that nobody else can see, and no others.

Of a product's factors it may be the first: the share of the second comes last. Expected values are
closed forms.
"""

import numpy as np
import pytest

import minitape as tf
from peak import peak_memory

MANY = 5000  # elements; a sweep writes in place from 4096 on


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


def test_a_factor_that_nobody_holds_is_written_to():
    x = tf.constant(np.random.default_rng(0).uniform(size=100_000))

    def sweep():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total((x + 1.0) * (x + 2.0))
        return tape.gradient(y, x)

    # Both factors and one product; the other product is no fourth.
    assert peak_memory(sweep) < 3.5 * 800_000
