"""Branches and loops: eagerly, in graphs, in batches, to second order, and their errors."""

from __future__ import annotations

import inspect
import time

import numpy as np
import pytest

import minitape as tf
from minitape.interpreter import active
from peak import at_most

v1 = tf.compat.v1
both = pytest.mark.parametrize("make", [lambda f: f, tf.function], ids=["eager", "function"])


@pytest.fixture(autouse=True)
def _stack_is_as_before():
    before = active()
    yield
    assert active() == before


def here(offset: int = 0) -> str:
    frame = inspect.stack()[1]
    return f"{frame.filename}:{frame.lineno + offset}"


def derivative(f, x):
    """f' at x by a tape around f."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def static(f):
    """f' by tf.gradients in a function."""
    return tf.function(lambda x: tf.gradients(f(x), x)[0])


# All ways to differentiate twice; each gives f, f' and f''.
def by_tapes(f, x):
    return f(x), derivative(f, x), derivative(lambda x: derivative(f, x), x)


def by_tapes_around_a_function(f, x):
    return by_tapes(tf.function(f), x)


def by_tapes_in_a_function(f, x):
    return tf.function(lambda x: by_tapes(f, x))(x)


def by_gradients(f, x):
    def all_three(x):
        y = f(x)
        d = tf.gradients(y, x)[0]
        return y, d, tf.gradients(d, x)[0]

    return tf.function(all_three)(x)


def by_a_tape_around_gradients(f, x):
    return f(x), static(f)(x), derivative(static(f), x)


def by_forward_mode(f, x):
    def forward(f, x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    return f(x), forward(tf.function(f), x), derivative(lambda x: forward(f, x), x)


def by_forward_mode_in_a_function(f, x):
    def slope(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    return tf.function(f)(x), tf.function(slope)(x), derivative(tf.function(slope), x)


def by_jacobians(f, x):
    one = tf.reshape(x, [1])
    slope = tf.function(lambda x: _jacobian(lambda v: f(v[0]), x)[0])
    return f(x), slope(one), _jacobian(slope, one)[0]


def _jacobian(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x, unconnected_gradients="zero")


WAYS = [
    by_tapes,
    by_tapes_around_a_function,
    by_tapes_in_a_function,
    by_gradients,
    by_a_tape_around_gradients,
    by_forward_mode,
    by_forward_mode_in_a_function,
    by_jacobians,
]


def power_by_loop(x):
    return tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x), [tf.constant(0), x])[1]


def nested(x):
    def outer(i, a):
        def inner(j, c):
            return j + 1, tf.cond(c > 1.0, lambda: c * x, lambda: c - 1.0)

        return i + 1, tf.while_loop(lambda j, c: j < 2, inner, [tf.constant(0), a])[1]

    return tf.while_loop(lambda i, a: i < 2, outer, [tf.constant(0), x])[1]


def loop_in_cond(x):
    return tf.cond(x > 0.0, lambda: power_by_loop(x) * 2.0, lambda: x * x)


def newton(x):
    """The square root of x: how many steps it takes depends on x."""
    step = lambda r: (0.5 * (r + x / r),)  # noqa: E731
    return tf.while_loop(lambda r: tf.abs(r * r - x) > 1e-13, step, [x])[0]


def switched(x):
    k = tf.cast(tf.floor(x), tf.int32)
    return tf.switch_case(k, [lambda: x, lambda: x**2, lambda: x**3], default=lambda: x * 7.0)


def cased(x):
    pairs = [(x > 3.0, lambda: x), (x > 1.0, lambda: x**3)]
    return tf.case(pairs, default=lambda: x**2)


# f, x, and f, f', f'' at x in closed form.
CASES = [
    ("loop", power_by_loop, 2.0, (32.0, 80.0, 160.0)),
    ("nested", nested, 2.0, (32.0, 80.0, 160.0)),
    ("nested, other branch", nested, 0.5, (-3.5, 1.0, 0.0)),
    ("cond", lambda x: tf.cond(x > 1.0, lambda: x**3, lambda: -x), 2.0, (8.0, 12.0, 12.0)),
    ("loop in cond", loop_in_cond, 2.0, (64.0, 160.0, 320.0)),
    ("loop in cond, other branch", loop_in_cond, -3.0, (9.0, -6.0, 2.0)),
    ("newton", newton, 4.0, (2.0, 0.25, -1 / 32)),
    ("switch_case", switched, 2.5, (15.625, 18.75, 15.0)),
    ("switch_case, default", switched, 9.0, (63.0, 7.0, 0.0)),
    ("case", cased, 2.0, (8.0, 12.0, 12.0)),
    ("case, default", cased, 0.5, (0.25, 1.0, 2.0)),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(("name", "f", "x", "expected"), CASES, ids=[c[0] for c in CASES])
def test_value_and_two_derivatives_equal_the_closed_form(way, name, f, x, expected):
    found = [
        0.0 if y is None else float(tf.reshape(y, [])) for y in way(f, tf.constant(x, tf.float64))
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@both
def test_a_loop_has_several_variables_of_several_shapes_and_dtypes(make):
    def f(m, k):
        start = {"i": tf.constant(0), "v": (m, tf.constant(True))}
        body = lambda s: [{"i": s["i"] + 1, "v": (s["v"][0] @ m, s["i"] < 1)}]  # noqa: E731
        return tf.while_loop(lambda s: s["i"] < k, body, [start])[0]

    m = np.array([[0.5, 1.0], [0.0, 2.0]])
    out = make(f)(tf.constant(m), tf.constant(3))
    np.testing.assert_allclose(out["v"][0], np.linalg.matrix_power(m, 4))
    assert int(out["i"]) == 3
    assert not bool(out["v"][1])


@both
def test_gradients_reach_captured_tensors_and_variables(make):
    w = tf.Variable([[0.5, 0.2], [0.1, 0.3]], dtype=tf.float64)
    x = tf.constant([[1.0, 2.0]], tf.float64)
    f = make(
        lambda x: tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(h @ w)), [0, x])[1]
    )
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(x))
    found = tape.gradient(y, w)
    unrolled = lambda w: np.tanh(np.tanh(np.tanh(x.numpy() @ w) @ w) @ w).sum()  # noqa: E731
    expected = np.zeros((2, 2))
    for index in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[index] = 1e-6
        expected[index] = (unrolled(w.numpy() + step) - unrolled(w.numpy() - step)) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_tf_gradients_reach_variables_read_in_a_loop_or_a_branch():
    w = tf.Variable(3.0)

    @tf.function
    def f(x):
        loop = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * w), [tf.constant(0), x])[
            1
        ]
        branch = tf.cond(x > 0.0, lambda: w * w * x, lambda: x)
        return tf.gradients(loop, w), tf.gradients(branch, [w, x])

    loop, branch = f(tf.constant(2.0))
    assert [float(g) for g in loop] == [12.0]  # d(x w^2)/dw
    assert [float(g) for g in branch] == [12.0, 9.0]


def test_a_branch_that_is_not_taken_does_not_run_in_a_graph():
    calls = tf.Variable(0.0)

    @tf.function
    def f(x):
        tf.cond(x > 0.0, lambda: calls.assign_add(1.0), lambda: calls.assign_add(100.0))
        return x

    f(tf.constant(1.0)), f(tf.constant(2.0)), f(tf.constant(-1.0))
    assert float(calls) == 102.0


@pytest.mark.parametrize("way", [static, lambda f: lambda x: derivative(tf.function(f), x)])
def test_the_branch_not_taken_gives_no_nan(way):
    slope = way(lambda x: tf.cond(x > 0.0, lambda: tf.sqrt(x), lambda: x * 2.0))
    assert float(slope(tf.constant(0.0))) == 2.0
    assert float(slope(tf.constant(4.0))) == 0.25


@both
def test_zero_iterations_give_the_start_and_gradient_one(make):
    f = make(lambda x: tf.while_loop(lambda a: a > 100.0, lambda a: (a * x,), [x])[0])
    x = tf.constant(3.0)
    assert float(f(x)) == 3.0
    assert float(derivative(f, x)) == 1.0


@both
@pytest.mark.parametrize("limit", [3, tf.constant(3), tf.constant(3, tf.int64)])
def test_maximum_iterations_ends_the_loop(make, limit):
    def f(x):
        step = lambda a: [a * x]  # noqa: E731
        return tf.while_loop(lambda a: a < 1e9, step, [x], maximum_iterations=limit)[0]

    assert float(make(f)(tf.constant(2.0))) == 16.0
    assert float(derivative(make(f), tf.constant(2.0))) == 32.0


def test_maximum_iterations_may_be_computed_in_the_graph():
    @tf.function
    def f(x, n):
        return tf.while_loop(lambda a: True, lambda a: (a * 2.0,), [x], maximum_iterations=n + 1)[0]

    assert float(f(tf.constant(1.0), tf.constant(4))) == 32.0


def test_all_arguments_of_tensorflow_are_accepted():
    @tf.function
    def f(x):
        return tf.while_loop(
            cond=lambda a: a < 10.0,
            body=lambda a: (a * 2.0,),
            loop_vars=(x,),
            shape_invariants=(tf.TensorShape([]),),
            parallel_iterations=3,
            swap_memory=True,
            maximum_iterations=None,
            name="loop",
        )

    (out,) = f(tf.constant(3.0))
    assert float(out) == 12.0


@both
def test_a_loop_without_back_prop_is_a_constant(make):
    f = make(
        lambda x: (
            tf.while_loop(lambda a: a < 10.0, lambda a: (a * x,), (x,), back_prop=False)[0] + x
        )
    )
    assert float(derivative(f, tf.constant(2.0))) == 1.0


@both
def test_results_have_the_structure_of_the_loop_variables(make):
    f = make(
        lambda x: tf.while_loop(lambda a, b: a < 3.0, lambda a, b: [a + 1.0, b], [x, {"k": x}])
    )
    out = f(tf.constant(0.0))
    assert isinstance(out, list)
    assert float(out[0]) == 3.0
    assert float(out[1]["k"]) == 0.0


@both
def test_branches_may_return_nests_and_none(make):
    f = make(lambda x: tf.cond(x > 0.0, lambda: {"a": x, "n": None}, lambda: {"a": -x, "n": None}))
    out = f(tf.constant(-2.0))
    assert float(out["a"]) == 2.0
    assert out["n"] is None


@both
@pytest.mark.parametrize(("k", "expected"), [(0, 2.0), (1, 4.0), (2, 8.0), (5, 8.0), (-1, 8.0)])
def test_switch_case_without_default_takes_the_last_for_other_numbers(make, k, expected):
    f = make(lambda k, x: tf.switch_case(k, {1: lambda: x * x, 0: lambda: x, 2: lambda: x**3}))
    assert float(f(tf.constant(k), tf.constant(2.0))) == expected


def test_case_takes_the_first_that_holds_and_fails_when_none_does():
    x = tf.constant(5.0)
    assert float(tf.case([(x > 1.0, lambda: x), (x > 2.0, lambda: -x)])) == 5.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="no default"):
        tf.case([(x > 9.0, lambda: x)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="exclusive"):
        tf.case([(x > 1.0, lambda: x), (x > 2.0, lambda: -x)], exclusive=True)


# Effects.


def test_random_numbers_of_a_loop_are_the_same_in_its_gradient():
    @tf.function
    def f(x):
        body = lambda i, a: (i + 1, a * tf.random.uniform([], dtype=tf.float64))  # noqa: E731
        y = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])[1]
        return y, tf.gradients(y, x)[0]

    y, d = f(tf.constant(2.0, tf.float64))
    np.testing.assert_allclose(y, 2.0 * d)
    assert 0.0 < float(d) < 1.0
    assert float(f(tf.constant(2.0, tf.float64))[0]) != float(y)


@pytest.mark.parametrize("inside", [True, False])
def test_assignments_in_a_loop_happen_once_and_are_read_by_the_next_iteration(inside):
    v = tf.Variable(1.0)

    def body(i, a):
        v.assign_add(1.0)
        return i + 1, a * v

    def loop(x):
        return tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])[1]

    f = (
        tf.function(lambda x: derivative(loop, x))
        if inside
        else lambda x: derivative(tf.function(loop), x)
    )
    assert float(f(tf.constant(1.0))) == 24.0  # 2 * 3 * 4
    assert float(v) == 4.0


# In batches.


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize("f", [power_by_loop, nested, loop_in_cond, newton, switched, cased])
def test_every_example_of_a_batch_takes_its_own_way(f, wrap):
    x = tf.constant([0.5, 2.0, 4.5, 1.0], tf.float64)
    one_by_one = [float(f(each)) for each in x]
    np.testing.assert_allclose(tf.vectorized_map(wrap(f), x), one_by_one, rtol=1e-9)
    whole = wrap(lambda x: tf.vectorized_map(f, x))
    np.testing.assert_allclose(whole(x), one_by_one, rtol=1e-9)


@pytest.mark.parametrize("f", [power_by_loop, nested, loop_in_cond, newton, cased])
def test_gradients_of_a_batch_of_ways(f):
    x = tf.constant([0.5, 2.0, 4.5], tf.float64)
    one_by_one = [float(derivative(f, each)) for each in x]
    np.testing.assert_allclose(
        derivative(lambda x: tf.vectorized_map(f, x), x), one_by_one, rtol=1e-8
    )
    in_graph = static(lambda x: tf.vectorized_map(f, x))
    np.testing.assert_allclose(in_graph(x), one_by_one, rtol=1e-8)
    inside = tf.vectorized_map(lambda a: derivative(tf.function(f), a), x)
    np.testing.assert_allclose(inside, one_by_one, rtol=1e-8)


@pytest.mark.parametrize("f", [newton, cased, nested])
def test_a_tape_inside_of_a_batch_inside_of_a_function_sees_the_loop(f):
    x = tf.constant([0.5, 2.0, 4.5], tf.float64)
    one_by_one = [float(derivative(f, each)) for each in x]
    slopes = lambda x: tf.vectorized_map(lambda a: derivative(f, a), x)  # noqa: E731
    np.testing.assert_allclose(slopes(x), one_by_one, rtol=1e-8)
    np.testing.assert_allclose(tf.function(slopes)(x), one_by_one, rtol=1e-8)


def test_batches_in_batches_may_loop():
    x = tf.constant([[1.5, 2.0], [3.0, 1.2]])
    f = lambda a: tf.while_loop(lambda b: b < 10.0, lambda b: (b * a,), [a])[0]  # noqa: E731
    found = tf.vectorized_map(lambda row: tf.vectorized_map(f, row), x)
    np.testing.assert_allclose(found, [[float(f(a)) for a in row] for row in x], rtol=1e-6)


@pytest.mark.parametrize("around", [lambda f: f, tf.function])
def test_jacobians_through_loops_of_vectors(around):
    x = tf.constant([0.3, -0.8], tf.float64)

    def loop(x):
        step = lambda i, a: (i + 1, tf.sin(a) * x[::-1])  # noqa: E731
        return tf.while_loop(lambda i, a: i < 2, step, [0, x])[1]

    p, q = x.numpy()
    s, t = np.sin(p) * q, np.sin(q) * p  # after one iteration
    first = np.array([[np.cos(p) * q, np.sin(p)], [np.sin(q), np.cos(q) * p]])
    by_a = np.diag([np.cos(s) * q, np.cos(t) * p])
    expected = by_a @ first + np.array([[0.0, np.sin(s)], [np.sin(t), 0.0]])
    np.testing.assert_allclose(around(lambda x: _jacobian(loop, x))(x), expected)


# Long loops.


def long_loop(n):
    def f(x):
        return tf.while_loop(
            lambda i, a: i < n, lambda i, a: (i + 1, tf.sin(a) + x), [tf.constant(0), x]
        )[1]

    return f


@pytest.mark.parametrize(
    "way",
    [
        lambda f: lambda x: derivative(f, x),
        lambda f: lambda x: derivative(tf.function(f), x),
        static,
    ],
)
@pytest.mark.slow
def test_ten_thousand_iterations_need_no_recursion_and_little_memory(way):
    x, n = tf.constant(0.3, tf.float64), 10_000
    value, expected = 0.3, 1.0
    for _ in range(n):
        value, expected = np.sin(value) + 0.3, np.cos(value) * expected + 1.0
    slope = way(long_loop(n))
    assert float(slope(x)) == pytest.approx(expected)
    with at_most(1000 * n):
        slope(x)


@pytest.mark.parametrize("way", [lambda f: lambda x: derivative(f, x), static])
@pytest.mark.slow
def test_time_grows_with_the_number_of_iterations_and_not_faster(way):
    def seconds(n):
        slope, x = way(long_loop(n)), tf.constant(0.3, tf.float64)
        slope(x)
        taken = []
        for _ in range(3):
            start = time.process_time()
            slope(x)
            taken.append(time.process_time() - start)
        return min(taken)

    assert seconds(8000) < 8 * seconds(2000)  # 4 is linear


# Errors.


def test_branches_of_different_dtypes_name_the_line_and_both_dtypes():
    @tf.function
    def f(x):
        return tf.cond(x > 0.0, lambda: x, lambda: tf.constant(1))

    with pytest.raises(TypeError, match="float32 and int32") as caught:
        f(tf.constant(1.0))
    assert here(-4) in str(caught.value)


def test_branches_of_different_structures_name_the_line():
    @tf.function
    def f(x):
        return tf.cond(x > 0.0, lambda: x, lambda: (x, x))

    with pytest.raises((TypeError, ValueError), match="structure") as caught:
        f(tf.constant(1.0))
    assert here(-4) in str(caught.value)


def test_branches_of_different_shapes_are_an_error_in_a_graph_and_fine_in_a_function():
    f = lambda x: tf.cond(x > 0.0, lambda: tf.stack([x, x]), lambda: tf.stack([x]))  # noqa: E731
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"shapes \(2,\) and \(1,\)"):
        f(v1.placeholder(tf.float32, []))
    traced = tf.function(f)
    assert traced(tf.constant(1.0)).shape == [2]
    assert traced(tf.constant(-1.0)).shape == [1]
    assert traced.runs_python


def test_a_loop_variable_that_changes_its_dtype_names_the_line():
    body = lambda a: (tf.cast(a, tf.float64),)  # noqa: E731

    @tf.function
    def f(x):
        return tf.while_loop(lambda a: a < 3.0, body, [x])

    with pytest.raises(TypeError, match="dtype float32, but has dtype float64") as caught:
        f(tf.constant(1.0))
    assert here(-4) in str(caught.value)


@both
def test_a_loop_that_changes_its_structure_names_the_line(make):
    def f(x):
        return tf.while_loop(lambda a: a < 3.0, lambda a: (a, a), [x])

    with pytest.raises(ValueError, match="structure") as caught:
        make(f)(tf.constant(1.0))
    assert here(-4) in str(caught.value)


def test_a_loop_variable_that_changes_its_shape_needs_shape_invariants_and_a_function():
    def f(x, invariants=None):
        body = lambda a: (tf.concat([a, a], 0),)  # noqa: E731
        return tf.while_loop(lambda a: tf.size(a) < 5, body, [x], invariants)[0]

    with tf.Graph().as_default(), pytest.raises(ValueError, match="shape"):
        f(v1.placeholder(tf.float32, [1]))
    with pytest.raises(ValueError, match="use the `shape_invariants` argument"):
        tf.function(f)(tf.constant([1.0]))
    varying = tf.function(lambda x: f(x, [tf.TensorShape([None])]))
    assert varying(tf.constant([1.0])).shape == [8]
    assert f(tf.constant([1.0])).shape == [8]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: tf.cond(x > 0.0, x, lambda: x), TypeError, "true_fn must be callable"),
        (lambda x: tf.cond(x > 0.0, lambda: x), TypeError, "false_fn must be callable"),
        (lambda x: tf.cond(tf.stack([x, x]) > 0.0, lambda: x, lambda: x), ValueError, "scalar"),
        (lambda x: tf.case(3), TypeError, "pred_fn_pairs"),
        (lambda x: tf.case([(x > 0.0, 1)]), TypeError, "must be callable"),
        (lambda x: tf.switch_case(tf.constant(0), []), ValueError, "must not be empty"),
        (lambda x: tf.switch_case(tf.constant(0), {1: lambda: x}), ValueError, "contiguous"),
        (lambda x: tf.switch_case(x, [lambda: x]), TypeError, "must be an integer Tensor"),
        (lambda x: tf.switch_case(1, [lambda: x]), TypeError, "Write for instance"),
        (lambda x: tf.case([(True, lambda: x)]), TypeError, "pred must be a bool Tensor"),
        (lambda x: tf.case([(x, lambda: x)]), TypeError, "pred must be a bool Tensor"),
        (lambda x: tf.while_loop(1, lambda a: a, [x]), TypeError, "'cond' must be callable"),
        (lambda x: tf.while_loop(lambda a: True, 1, [x]), TypeError, "'body' must be callable"),
        (lambda x: tf.while_loop(lambda: True, lambda: (), []), ValueError, "No loop variables"),
        (lambda x: tf.while_loop(lambda a: a > 0, lambda a: a, x), ValueError, "list or tuple"),
    ],
)
@both
def test_wrong_arguments_raise(make, call, error, words):
    with pytest.raises(error, match=words):
        make(call)(tf.constant(1.0))


def test_a_loop_with_one_variable_and_a_bare_result_returns_the_kind_of_its_variables():
    for kind in (list, tuple):
        found = tf.while_loop(lambda i: i < 3, lambda i: i + 1, kind([tf.constant(0)]))
        assert type(found) is kind
        assert int(found[0]) == 3


def constant_branch(k, x):
    return tf.cond(k > 1, lambda: 3.0 * x, lambda: tf.constant([7.0, 8.0]))


def constant_python_branch(k, x):
    return 3.0 * x if k > 1 else tf.constant([7.0, 8.0])


def loop_of_no_rounds(k, x):
    return tf.while_loop(lambda i, y: i < k, lambda i, y: (i + 1, y * x), [3, tf.ones([2])])[1]


CONSTANT = [constant_branch, constant_python_branch, loop_of_no_rounds]


@pytest.mark.parametrize("f", CONSTANT)
def test_in_a_function_the_tangent_of_a_constant_branch_is_zero(f):
    x, k = tf.constant([1.0, 2.0]), tf.constant(0)
    with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as accumulator:
        y = tf.function(f)(k, x)
    np.testing.assert_array_equal(accumulator.jvp(y), [0.0, 0.0])


@pytest.mark.parametrize("f", CONSTANT)
def test_in_a_function_the_gradient_of_a_constant_branch_is_zero(f):
    x, k = tf.constant([1.0, 2.0]), tf.constant(0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(f)(k, x)
    np.testing.assert_array_equal(tape.gradient(y, x), [0.0, 0.0])


@pytest.mark.parametrize("f", CONSTANT)
def test_in_a_function_an_accumulator_inside_sees_zero_for_a_constant_branch(f):
    @tf.function
    def tangent(k, x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as accumulator:
            y = f(k, x)
        return accumulator.jvp(y)

    np.testing.assert_array_equal(tangent(tf.constant(0), tf.constant([1.0, 2.0])), [0.0, 0.0])


def test_a_constant_branch_beside_an_infinite_input_has_gradient_zero_not_nan():
    x = tf.constant([np.inf, np.nan], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(constant_branch)(tf.constant(0), tf.cast(x, tf.float32))
    np.testing.assert_array_equal(y, [7.0, 8.0])
    np.testing.assert_array_equal(tape.gradient(y, x), [0.0, 0.0])


def test_second_derivatives_through_a_constant_branch_are_zero():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(constant_branch)(tf.constant(0), x * x)
        gradient = tape.gradient(y, x)
    np.testing.assert_array_equal(gradient, [0.0, 0.0])
    np.testing.assert_array_equal(accumulator.jvp(gradient), [0.0, 0.0])


def test_eagerly_a_constant_branch_is_just_a_constant():
    x, k = tf.constant([1.0, 2.0]), tf.constant(0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = constant_branch(k, x)
    assert tape.gradient(y, x) is None


def test_what_a_function_without_branches_does_not_use_keeps_no_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: tf.constant(1.0))(x)
    assert tape.gradient(y, x) is None


def test_in_a_function_what_only_the_other_branch_uses_has_gradient_zero():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(5.0)
    f = tf.function(lambda k: tf.cond(k > 0, lambda: v * 2.0, lambda: v * w))
    g = tf.function(lambda k: tf.switch_case(k, [lambda: v * w, lambda: v * 2.0]))
    for call in (f, g):
        with tf.GradientTape() as tape:
            y = call(tf.constant(1))
        dv, dw = tape.gradient(y, [v, w])
        assert dv.numpy().tolist() == [2.0, 2.0]
        assert float(dw) == 0.0
        with tf.GradientTape() as tape:
            y = call(tf.constant(0))
        assert [np.asarray(d).tolist() for d in tape.gradient(y, [v, w])] == [[5.0, 5.0], 3.0]


def test_in_a_function_what_no_round_of_a_loop_used_has_gradient_zero():
    @tf.function
    def f(n, x, factor):
        body = lambda i, y: (i + 1, y * factor)  # noqa: E731
        return tf.while_loop(lambda i, y: i < n, body, [0, x])[1]

    x, factor = tf.constant(2.0), tf.constant(3.0)
    for rounds, expected in ((0, [1.0, 0.0]), (2, [9.0, 12.0])):
        with tf.GradientTape() as tape:
            tape.watch([x, factor])
            y = f(tf.constant(rounds), x, factor)
        assert [float(g) for g in tape.gradient(y, [x, factor])] == expected


def test_eagerly_what_only_the_other_branch_uses_has_none():
    v, w = tf.Variable(1.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = tf.cond(tf.constant(True), lambda: v * 2.0, lambda: w * 3.0)
    assert tape.gradient(y, w) is None


def test_a_loop_that_starts_from_constants_has_its_effects_once_for_each_call():
    v = tf.Variable(0)

    @tf.function
    def count():
        return tf.while_loop(lambda i: i < 3, lambda i: (v.assign_add(1), i + 1)[1:], (0,))

    assert [(count(), int(v.numpy()))[1] for _ in range(2)] == [3, 6]


# What TensorFlow 2.21 gives eagerly for a loop of three rounds that starts at `start`.
@pytest.mark.parametrize(
    ("start", "step", "expected", "dtype"),
    [
        (0, lambda a: a + 0.5, 1.5, tf.float32),
        (4, lambda a: a / 2, 0.5, tf.float32),
        (4, lambda a: a + tf.constant(1.0), 7.0, tf.float32),
        (1, lambda a: a * 100000, 10**15, tf.int64),
        (0, lambda a: 1.5, 1.5, tf.float32),
        (np.ones(1), lambda a: a * 2, 8.0, tf.float64),
    ],
)
def test_a_python_value_in_an_eager_loop_becomes_a_tensor_when_the_loop_ends(
    start, step, expected, dtype
):
    _, found = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, step(a)), (0, start))
    assert (found.dtype, found.numpy()) == (dtype, expected)


def test_a_python_value_in_a_loop_of_examples_that_end_in_different_rounds():
    def rounds(x):
        return tf.while_loop(lambda i, a: a < x, lambda i, a: (i + 1, a + 1.0), (0, 0.0))[0]

    assert tf.vectorized_map(rounds, tf.constant([1.0, 3.0])).numpy().tolist() == [1, 3]


def test_a_gradient_flows_through_a_loop_that_starts_from_a_python_number():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), (0, 1))
    assert float(tape.gradient(y, w)) == 12.0  # of w ** 3


def test_a_variable_that_starts_a_loop_is_read_before_it():
    v = tf.Variable(1.0)
    seen = []
    tf.while_loop(lambda i, a: i < 1, lambda i, a: (seen.append(a), (i + 1, a))[1], (0, v))
    assert isinstance(seen[0], tf.Tensor)
    assert not isinstance(seen[0], tf.Variable)


def test_a_training_loop_in_one_graph_learns_what_the_loop_in_python_learns():
    x, y = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([1.0, 2.0])
    w = tf.Variable([0.0, 0.0], dtype=tf.float64)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.linalg.matvec(x, w) - y) ** 2)
        w.assign_sub(0.05 * tape.gradient(loss, w))
        return loss

    @tf.function
    def trained(n):
        start = tf.constant(0), tf.constant(0.0, tf.float64)
        return tf.while_loop(lambda i, _: i < n, lambda i, _: (i + 1, step()), start)

    by_hand = np.zeros(2)
    for _ in range(7):
        lost = np.sum((x @ by_hand - y) ** 2)
        by_hand -= 0.05 * 2.0 * x.T @ (x @ by_hand - y)
    rounds, loss = trained(tf.constant(7))
    assert int(rounds) == 7
    np.testing.assert_allclose(loss, lost)
    np.testing.assert_allclose(w, by_hand)


def test_a_branch_with_assignments_in_a_graph_assigns_in_the_chosen_one_alone():
    v = tf.Variable(1.0)

    @tf.function
    def chosen(up):
        return tf.cond(up, lambda: v.assign_add(2.0), lambda: v.assign(10.0))

    found = [float(chosen(tf.constant(up))) for up in (True, False, True)]
    assert (found, float(v)) == ([3.0, 10.0, 12.0], 12.0)


def test_an_error_in_a_later_round_leaves_what_the_rounds_before_assigned_and_names_the_line():
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def doomed():
        def body(i):
            v.assign(v * 2.0)
            tf.debugging.assert_less(tf.reduce_max(v), 10.0)
            return i + 1

        return tf.while_loop(lambda i: i < 5, body, (tf.constant(0),))

    with pytest.raises(tf.errors.InvalidArgumentError):
        doomed()
    assert v.numpy().tolist() == [4.0, 8.0, 12.0]
