"""Second derivatives behind a tf.function: zeros or None, as recorded from TensorFlow 2.21.

A gradient of a call depends on all that the call depends on, once a rule in it names numbers; of
branches the rules count that lead to an input.
"""

from __future__ import annotations

import pytest

import minitape as tf

ALWAYS = tf.constant(True)


def cond(yes, no):
    """Takes the first one, by a condition that is known when the function runs."""
    return lambda x, y: tf.cond(
        tf.stop_gradient(x) > 0.0, lambda: tf.convert_to_tensor(yes(x, y)), lambda: no(x, y)
    )


def rounds(body, start=lambda x: x):
    """Three rounds."""
    return lambda x, y: tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, body(a, x, y)), [tf.constant(0), start(x)]
    )[1]


def zero(x):
    return tf.constant(0.0)


# For x = 1.5 and y = 2: first derivatives, then those of the first by x, and of the second.
FACTS = {
    "linear": (lambda x, y: 2.0 * x, [2, None], [[0, None], None]),
    "a sum": (lambda x, y: x + y, [1, 1], [[None, None], [None, None]]),
    "a sum with constants": (
        lambda x, y: x + tf.constant(2.0) * 3.0, [1, None], [[None] * 2, None],
    ),
    "a sum with a square": (lambda x, y: x + y * y, [1, 4], [[0, 0], [0, 2]]),
    "a square stopped": (
        lambda x, y: y + tf.stop_gradient(x * x), [None, 1], [None, [None, None]],
    ),
    "both linear": (
        cond(lambda x, y: 2.0 * x, lambda x, y: 3.0 * x), [2, None], [[None] * 2, None],
    ),
    "the other one squares": (
        cond(lambda x, y: 2.0 * x, lambda x, y: x * x), [2, None], [[0, None], None],
    ),
    "a product": (cond(lambda x, y: x * y, lambda x, y: 3.0 * x), [2, 1.5], [[0, 1], [1, 0]]),
    "the other one a product": (
        cond(lambda x, y: 3.0 * x, lambda x, y: x * y), [3, 0], [[0, 0], [0, 0]],
    ),
    "a constant": (cond(lambda x, y: 1.0, lambda x, y: 3.0 * x), [0, None], [[None] * 2, None]),
    "one each": (cond(lambda x, y: 2.0 * y, lambda x, y: 3.0 * x), [0, 2], [[None] * 2] * 2),
    "a branch in a branch": (
        cond(cond(lambda x, y: 2.0 * x, lambda x, y: x), lambda x, y: 3.0 * x),
        [2, None], [[None] * 2, None],
    ),
    "a multiple behind": (
        lambda x, y: 2.0 * cond(lambda x, y: 2.0 * x, lambda x, y: 3.0 * x)(x, y),
        [4, None], [[0, None], None],
    ),
    "a known condition": (
        lambda x, y: tf.cond(ALWAYS, lambda: tf.constant(1.0), lambda: 3.0 * x),
        [0, None], [[None] * 2, None],
    ),
    "a known number": (
        lambda x, y: tf.switch_case(tf.constant(1), [lambda: x, lambda: 3.0 * x, lambda: x * x]),
        [3, None], [[0, None], None],
    ),
    "multiples in rounds": (rounds(lambda a, x, y: 2.0 * a), [8, None], [[0, None], None]),
    "sums in rounds": (rounds(lambda a, x, y: a + x, zero), [3, None], [[None] * 2, None]),
    "products in rounds": (rounds(lambda a, x, y: a * y), [8, 18], [[0, 12], [12, 18]]),
}  # fmt: skip


def derivatives(f):
    """The first derivatives of f(1.5, 2), and the second ones of those that are there."""
    x, y = tf.constant(1.5), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([x, y])
        with tf.GradientTape() as inner:
            inner.watch([x, y])
            z = f(x, y)
        first = inner.gradient(z, [x, y])
    return first, [None if each is None else outer.gradient(each, [x, y]) for each in first]


def as_numbers(found):
    return tf.nest.map_structure(lambda x: None if x is None else float(x), found)


@pytest.mark.parametrize("what", FACTS)
def test_derivatives_behind_a_function_are_zeros_or_none(what):
    f, first, second = FACTS[what]
    assert as_numbers(derivatives(tf.function(f))) == (first, second)


def by_a_tape_inside(f):
    @tf.function
    def slopes(x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = f(x, y)
        return tape.gradient(z, x)

    x, y = tf.constant(1.5), tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = slopes(x, y)
    return first, outer.gradient(first, x)


INSIDE = {
    "both linear": (2, None),
    "the other one squares": (2, 0),
    "a product": (2, 0),
    "a constant": (0, None),
    "a known condition": (0, None),
    "multiples in rounds": (8, 0),
    "sums in rounds": (3, None),
    "products in rounds": (8, 0),
}


@pytest.mark.parametrize("what", INSIDE)
def test_the_gradient_of_a_branch_depends_on_what_its_rules_name(what):
    assert as_numbers(by_a_tape_inside(FACTS[what][0])) == INSIDE[what]


@pytest.mark.parametrize("what", ["both linear", "one each", "sums in rounds", "a product"])
def test_two_tapes_inside_say_the_same(what):
    f, first, second = FACTS[what]
    assert as_numbers(tf.function(lambda: derivatives(f))()) == (first, second)


def test_a_condition_that_is_known_is_a_branch_of_the_graph_too():
    f = tf.function(lambda x: tf.cond(ALWAYS, lambda: x, lambda: tf.constant("text")))
    with pytest.raises(TypeError, match="dtypes"):
        f(tf.constant(1.0))
