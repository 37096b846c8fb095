"""`tf.gradients` and `tf.hessians`: a schedule of the one traversal, over the ops of a graph."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from test_random_programs import INPUTS, PROGRAM, run

import every_op
import minitape as tf
import programs
from minitape.backward import backward
from minitape.graphs.schedule import Schedule
from minitape.interpreter import active
from minitape.names import namespaces
from minitape.op import primitive, registry
from minitape.request import Request
from op_samples import all_samples, by_op
from rows import failing

namespaces.load_rest()
v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def _stack_is_as_before():
    before = active()
    yield
    assert active() == before


def traced(f, *values):
    """f in a tf.function, on constants; its result as NumPy values."""
    out = tf.function(f)(*(tf.constant(v) for v in values))
    return tf.nest.map_structure(lambda y: None if y is None else y.numpy(), out)


def test_several_ys_are_summed_and_a_y_may_be_an_x():
    def f(x, y):
        a, b = x * y, x + y * y
        return tf.gradients([a, b], [x, y]), tf.gradients(a, [x, y, a]), tf.gradients(a, x)

    assert traced(f, 2.0, 3.0) == ([4.0, 8.0], [3.0, 2.0, 1.0], [3.0])


def test_derivatives_are_total_and_partial_with_stop_gradients():
    def f(a):
        b = 2.0 * a
        total = tf.gradients(a + b, [a, b])
        partial = tf.gradients(a + b, [a, b], stop_gradients=[a, b])
        return total, partial, tf.gradients(a + b, a, stop_gradients=b)

    assert traced(f, 0.0) == ([3.0, 1.0], [1.0, 1.0], [1.0])


def test_stop_gradients_may_be_unconnected_or_a_y():
    def f(x):
        y = x * x
        return tf.gradients(y, x, stop_gradients=tf.sin(x)), tf.gradients(y, x, stop_gradients=y)

    assert traced(f, 3.0) == ([6.0], [None])


def test_grad_ys_weight_the_ys_and_none_means_ones():
    def f(x):
        a, b = x * x, 3.0 * x
        return tf.gradients([a, b], x, grad_ys=[tf.constant([1.0, 0.0]), None])[0]

    assert traced(f, [1.0, 2.0]).tolist() == [5.0, 3.0]


def test_what_is_not_connected_is_none_or_zeros():
    def f(x, u):
        y = x * x
        none = tf.gradients(y, [u, tf.stop_gradient(x), tf.cast(x, tf.int32)])
        zero = tf.gradients(y, [x, u], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return none, zero, tf.gradients(tf.cast(y, tf.int32), x)

    none, (gx, gu), discrete = traced(f, 3.0, [[1.0, 2.0]])
    assert none == [None, None, None]
    assert gx == 6.0
    assert gu.tolist() == [[0.0, 0.0]]
    assert discrete == [None]


def test_gradients_of_gradients():
    def f(x):
        y = x**4
        found = [y]
        for _ in range(4):
            found.append(tf.gradients(found[-1], x)[0])
        return found

    assert traced(f, 2.0) == [16.0, 32.0, 48.0, 48.0, 24.0]


def test_variables_as_xs_add_up_over_their_reads():
    v = tf.Variable([1.0, 2.0])

    def f(x):
        y = tf.reduce_sum(v * v) * x
        v.assign_add([1.0, 1.0])
        z = tf.reduce_sum(v * 5.0)
        return tf.gradients([y, z], v)[0]

    assert traced(f, 3.0).tolist() == [11.0, 17.0]  # 2 v x + 5


def test_constants_and_captured_tensors_as_xs():
    outside = tf.constant(3.0)

    def f(x):
        c = tf.constant(2.0)
        return tf.gradients(c * c * outside * x, [c, outside])

    assert traced(f, 5.0) == [60.0, 20.0]


def test_hessians_equal_the_closed_form():
    def f(x, w):
        y = tf.reduce_sum(x**3) + x[0] * x[1]
        return tf.hessians([y, tf.reduce_sum(x * x)], x), tf.hessians(tf.reduce_sum(w**2), [w])

    (of_x,), (of_w,) = traced(f, [1.0, 2.0], [[1.0], [2.0]])
    assert of_x.tolist() == [[8.0, 1.0], [1.0, 14.0]]
    assert of_w.shape == (2, 1, 2, 1)
    assert of_w.reshape(2, 2).tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_hessians_of_a_linear_function_are_zero():
    assert traced(lambda x: tf.hessians(tf.reduce_sum(2.0 * x), x)[0], [1.0, 2.0]).tolist() == [
        [0.0, 0.0],
        [0.0, 0.0],
    ]


def test_ops_with_several_outputs_get_zeros_for_the_unused():
    def f(x):
        a, _, c = tf.split(x, 3)
        return tf.gradients(tf.reduce_sum(a * a + c), x)[0]

    assert traced(f, [3.0, 4.0, 5.0]).tolist() == [6.0, 0.0, 1.0]


def test_gather_gives_indexed_slices():
    @tf.function
    def f(x):
        return tf.gradients(tf.gather(x, [1, 1]) * 3.0, x)[0]

    found = f(tf.constant([1.0, 2.0]))
    assert isinstance(found, tf.IndexedSlices)
    assert tf.convert_to_tensor(found).numpy().tolist() == [0.0, 6.0]


def test_complex_gradients_are_conjugated_as_tapes_do():
    def f(z):
        return tf.gradients(z * z, z, grad_ys=tf.ones_like(z))[0]

    assert traced(f, np.complex128(1 + 2j)) == 2 - 4j  # conj(2 z)


def test_a_graph_with_a_session():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        (d,) = tf.gradients(tf.reduce_sum(x * x), [x])
        (dd,) = tf.gradients(d, x)
        with v1.Session() as session:
            first, second = session.run([d, dd], {x: [1.0, 3.0]})
    assert first.tolist() == [2.0, 6.0]
    assert second.tolist() == [2.0, 2.0]


# Errors.


@pytest.mark.parametrize("ask", [tf.gradients, tf.hessians])
def test_eager_execution_points_to_the_tape(ask):
    x = tf.constant(2.0)
    with pytest.raises(RuntimeError, match="GradientTape"):
        ask(x * x, x)


def test_a_function_that_runs_its_python_says_why_there_is_no_graph():
    @tf.function
    def f(x):
        y = x if x > 0.0 else -x
        return tf.gradients(y, x)

    with pytest.raises(RuntimeError, match="it is not traced") as caught:
        f(tf.constant(1.0))
    assert "test_static_gradients.py" in str(caught.value)


@pytest.fixture
def unfinished():
    """An op that nobody gave a gradient; no other test meets it."""

    def op_without_gradient(x: Array) -> Array:  # noqa: F821
        return x

    yield primitive(type_name="Unfinished")(op_without_gradient)
    del registry["op_without_gradient"]


def test_an_op_without_a_gradient_is_named_with_its_type_and_line(unfinished):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        unfinished(x)
        y = unfinished(x)
        line = inspect.currentframe().f_lineno - 1
        with pytest.raises(LookupError, match=r"'Unfinished_1' \(op type: Unfinished\)") as caught:
            tf.gradients(y * 2.0, x)
    assert f"test_static_gradients.py:{line}" in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"grad_ys": [None, None]}, ValueError, "Passed 2 grad_ys for 1 ys"),
        ({"unconnected_gradients": "maybe"}, ValueError, "unconnected_gradients"),
        ({"aggregation_method": 17}, ValueError, "aggregation_method"),
        ({"grad_ys": tf.constant([1.0, 2.0])}, ValueError, "shape"),
        ({"xs": [None]}, TypeError, "must be a tensor"),
    ],
)
def test_wrong_arguments_raise(arguments, error, words):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        with pytest.raises(error, match=words):
            tf.gradients(**({"ys": x * x, "xs": x} | arguments))


def test_a_complex_y_needs_a_weight():
    with tf.Graph().as_default():
        z = v1.placeholder(tf.complex64, [])
        with pytest.raises(TypeError, match="must set grad_ys"):
            tf.gradients(z * z, z)


def test_all_arguments_of_tensorflow_are_accepted():
    def f(x):
        method = tf.AggregationMethod.EXPERIMENTAL_TREE
        return tf.gradients([x * x], [x], None, "name", True, method, None, "none")

    assert traced(f, 3.0) == [6.0]


# The schedule.


def diamond():
    """A graph of y = sin(x) * exp(x) + sin(x), with a dead end and an op before x."""
    with tf.Graph().as_default() as graph:
        before = v1.placeholder(tf.float32, [])
        x = before * 2.0
        s = tf.sin(x)
        e = tf.exp(x)
        y = s * e + s
        tf.cos(s)
    return graph, x, y


def order_of(graph, x, y):
    schedule = Schedule(graph, [y.value], {x.id}, set())
    counts = dict(schedule.consumers)
    with graph.as_default():
        cotangents = Request(y, x).seeds(raw=False)
        names = [schedule.current.name for _ in backward(iter(schedule), cotangents, explain=True)]
    return counts, names


def test_pending_counts_hold_only_ops_between_xs_and_ys():
    counts, _ = order_of(*diamond())
    assert counts == {"Sin": 2, "Exp": 1, "mul_1": 1, "add": 0}


def test_an_op_is_differentiated_after_everything_that_uses_its_result():
    _, names = order_of(*diamond())
    assert sorted(names) == ["Exp", "Sin", "add", "mul_1"]
    assert names.index("add") < names.index("mul_1") < min(names.index("Exp"), names.index("Sin"))


def test_a_chain_of_many_ops_needs_no_recursion():
    with tf.Graph().as_default():
        x = y = v1.placeholder(tf.float64, [])
        for _ in range(3000):
            y = y * 1.0001
        (d,) = tf.gradients(y, x)
        with v1.Session() as session:
            assert session.run(d, {x: 1.0}) == pytest.approx(1.0001**3000)


# Tape and graph agree, and both with finite differences.


def static(f, inputs):
    """Gradients by tf.gradients, inside a function."""
    return tf.function(lambda *xs: tf.gradients(tf.nest.flatten(f(*xs)), list(xs)))(*inputs)


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda p: p.name)
def test_programs_have_one_gradient_by_tape_graph_and_differences(program):
    arrays = [np.asarray(x, np.float64) for x in program.inputs]
    inputs = [tf.constant(x) for x in arrays]
    tape, targets, sources = programs.recorded(program)
    by_tape = tape.gradient(targets, sources)
    by_graph = static(program.function, inputs)
    for i, (a, b) in enumerate(zip(by_tape, by_graph, strict=True)):
        np.testing.assert_allclose(a, b, rtol=1e-12)

        def total(moved, i=i):
            given = [tf.constant(moved) if i == j else x for j, x in enumerate(inputs)]
            return sum(float(tf.reduce_sum(y)) for y in tf.nest.flatten(program.function(*given)))

        np.testing.assert_allclose(b, every_op.numeric(total, arrays[i]), rtol=1e-5, atol=1e-7)


OPS = by_op(s for s in all_samples() if s.order >= 1 and s.dtypes != "fixed")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in OPS if not registry[name].op.effect])
def test_every_op_has_one_gradient_by_tape_and_by_graph(name):
    assert failing(has_one_gradient_by_tape_and_by_graph, OPS[name]) == {}


def has_one_gradient_by_tape_and_by_graph(sample):
    arrays = every_op.arrays(sample, "float64")
    places = every_op.differentiable(sample, arrays)
    ws = every_op.weights(every_op.call(sample, arrays), 0)
    by_tape = every_op.gradients(sample, arrays, ws, places)

    def f(tensors):
        outputs = every_op.call(sample, tensors)
        pairs = [(y, tf.constant(w)) for y, w in zip(outputs, ws, strict=True) if w is not None]
        xs = [tensors[i] for i in places]
        found = tf.gradients([y for y, _ in pairs], xs, grad_ys=[w for _, w in pairs])
        return [None if g is None else tf.convert_to_tensor(g) for g in found]

    function = tf.function(f)
    try:
        by_graph = function([tf.constant(x) for x in arrays])
    except RuntimeError:
        assert function.runs_python  # a shape depends on values: there is no graph
        return
    for a, b in zip(by_tape, by_graph, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(PROGRAM, INPUTS, st.integers(0, 999))
def test_random_programs_have_one_gradient_by_tape_and_graph(steps, shapes, seed):
    rng = np.random.default_rng(seed)
    inputs = [tf.constant(rng.uniform(-1.0, 1.0, shape)) for shape in shapes]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = run(steps, inputs)
    by_graph = static(lambda *xs: run(steps, list(xs)), inputs)
    for a, b in zip(tape.gradient(y, inputs), by_graph, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
