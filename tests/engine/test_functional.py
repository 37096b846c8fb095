"""Functions that differentiate functions."""

from __future__ import annotations

import functools

import pytest

import minitape as tf

autodiff = tf.autodiff


def floats(tensors):
    return [None if t is None else float(t) for t in tensors]


def test_gradients_of_all_parameters():
    # x^3 y - x y^2 at (2, 3): (3 x^2 y - y^2, x^3 - 2 x y)
    f = autodiff.gradients_function(lambda x, y: x**3 * y - x * y**2)
    assert floats(f(2.0, 3.0)) == [27.0, -4.0]


@pytest.mark.parametrize(("params", "expected"), [([1], [8.0]), (["y", "x"], [8.0, 36.0])])
def test_params_choose_by_position_or_name(params, expected):
    def f(x, y):
        return x**3 * y

    assert floats(autodiff.gradients_function(f, params=params)(2.0, 3.0)) == expected


def test_a_method_does_not_count_self():
    class Power:
        def call(self, x, y):
            return x * y

    f = autodiff.gradients_function(Power().call, params=["y"])
    assert floats(f(2.0, 3.0)) == [2.0]
    assert floats(autodiff.gradients_function(Power().call)(2.0, 3.0)) == [3.0, 2.0]


def test_callables_without_names_are_differentiated_by_all_arguments():
    product = functools.partial(lambda x, y: x * y, tf.constant(5.0))
    assert floats(autodiff.gradients_function(product)(2.0)) == [5.0]
    assert floats(autodiff.gradients_function(lambda *args: args[0] * args[1])(2.0, 3.0)) == [
        3.0,
        2.0,
    ]


def test_default_arguments_that_are_not_given_are_left_alone():
    def f(x, power=2):
        return x**power

    assert floats(autodiff.gradients_function(f)(3.0)) == [6.0]


def test_one_tensor_for_two_parameters_counts_as_two():
    one = tf.constant(3.0)
    assert floats(autodiff.gradients_function(lambda x, y: x * x * y)(one, one)) == [18.0, 9.0]


def test_higher_orders_by_nesting():
    f = tf.sin
    for _ in range(4):  # the fourth derivative of the sine is the sine
        f = lambda x, f=f: autodiff.gradients_function(f)(x)[0]  # noqa: E731
    assert float(f(tf.constant(0.5, tf.float64))) == pytest.approx(0.479425538604203)


def test_unused_and_integer_parameters_give_none():
    f = autodiff.gradients_function(lambda x, n, unused: x * 2.0 + tf.cast(n, tf.float32))
    assert floats(f(1.0, 3, 5.0)) == [2.0, None, None]


def test_a_vjp_may_be_asked_repeatedly():
    value, vjp = autodiff.make_vjp(lambda x: {"y": x * x})(tf.constant([1.0, 2.0]))
    assert value["y"].numpy().tolist() == [1.0, 4.0]
    assert vjp()[0].numpy().tolist() == [2.0, 4.0]
    assert vjp(tf.constant([1.0, 10.0]))[0].numpy().tolist() == [2.0, 40.0]


def test_a_vjp_that_is_not_persistent_works_once():
    _, vjp = autodiff.make_vjp(lambda x: x * x, persistent=False)(3.0)
    assert floats(vjp()) == [6.0]
    with pytest.raises(RuntimeError, match="one set of gradients"):
        vjp()


def test_a_function_that_returns_its_argument_has_gradient_one():
    value, grads = autodiff.val_and_grad_function(lambda x: x)(2.0)
    assert float(value) == 2.0
    assert floats(grads) == [1.0]
    assert floats(autodiff.gradients_function(lambda x: (x, 2.0 * x))(1.0)) == [3.0]


def test_implicit_gradients_are_in_order_of_construction():
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    value, pairs = autodiff.implicit_val_and_grad(lambda x: b * b * a * x)(1.0)
    assert float(value) == 18.0
    assert floats(g for g, _ in pairs) == [9.0, 12.0]
    assert [v is each for (_, v), each in zip(pairs, (a, b), strict=True)] == [True, True]


def test_implicit_gradients_sum_several_results():
    a = tf.Variable(2.0)
    [(gradient, _)] = autodiff.implicit_grad(lambda: [a * a, {"more": 3.0 * a}])()
    assert float(gradient) == 7.0


def test_implicit_gradients_sum_several_lookups_of_a_table():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    [(gradient, _)] = autodiff.implicit_grad(lambda: tf.gather(table, [1, 1]) ** 2)()
    assert tf.convert_to_tensor(gradient).numpy().tolist() == [[0.0, 0.0], [12.0, 16.0]]


def test_an_exception_in_the_function_leaves_no_tape_behind():
    def fails(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        autodiff.gradients_function(fails)(1.0)
    assert floats(autodiff.gradients_function(lambda x: x * x)(3.0)) == [6.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: autodiff.gradients_function(lambda x: None)(1.0), ValueError, "returns None"),
        (lambda: autodiff.implicit_grad(lambda: None)(), ValueError, "returns None"),
        (lambda: autodiff.implicit_grad(lambda x: x)(1.0), ValueError, "No trainable variables"),
        (lambda: autodiff.val_and_grad_function(lambda x: x)(x=1.0), ValueError, r"\['x'\]"),
        (lambda: autodiff.make_vjp(lambda x: x)(x=1.0), AssertionError, "can't take keyword"),
        (
            lambda: autodiff.gradients_function(pow, [0, "y"])(1.0, 2.0),
            ValueError,
            "all strings or",
        ),
        (lambda: autodiff.make_vjp(lambda x: x, ["z"])(1.0), ValueError, "'z' is not a parameter"),
    ],
)
def test_misuse_is_an_error_that_says_what_is_wrong(call, error, message):
    with pytest.raises(error, match=message):
        call()
