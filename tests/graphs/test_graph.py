"""Graphs: what is written down, what a session runs, what symbolic tensors cannot do."""

from __future__ import annotations

import inspect
import threading

import numpy as np
import pytest

import minitape as tf
from minitape.interpreter import active

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def _stack_is_as_before():
    before = active()
    yield
    assert active() == before


def here(offset: int = 0) -> str:
    """File and line of the caller, as errors name them."""
    frame = inspect.stack()[1]
    return f"{frame.filename}:{frame.lineno + offset}"


def test_an_op_in_a_graph_is_a_symbolic_tensor_with_shape_and_dtype():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float64, [2, 3])
        y = tf.reduce_sum(x @ tf.transpose(x), axis=0)
    assert y.shape == [2]
    assert y.dtype == tf.float64
    assert "shape=(2,)" in repr(y)


def test_a_graph_lists_its_ops_in_order():
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [], name="x")
        tf.sin(x) * x + x * x
    assert [op.name for op in graph.get_operations()] == ["x", "Sin", "mul", "mul_1", "add"]


def test_a_tensor_knows_its_name_its_op_and_its_graph():
    with tf.Graph().as_default() as graph:
        y = tf.sin(v1.placeholder(tf.float32, []))
    assert y.name == "Sin:0"
    assert y.op.type == "Sin"
    assert y.graph is graph


def test_executing_eagerly_is_false_in_a_graph():
    assert tf.executing_eagerly()
    with tf.Graph().as_default():
        assert not tf.executing_eagerly()
    assert tf.executing_eagerly()


def test_shapes_are_inferred_like_those_that_eager_ops_give():
    x = np.zeros((4, 3), np.float32)
    f = lambda x: (x[1:, ::2], tf.stack([x, x], 1), tf.nn.softmax(x), tf.split(x, 2, 0))  # noqa: E731
    with tf.Graph().as_default():
        symbolic = f(v1.placeholder(tf.float32, [4, 3]))
    eager = f(tf.constant(x))
    assert [t.shape for t in tf.nest.flatten(symbolic)] == [t.shape for t in tf.nest.flatten(eager)]


def test_the_shape_of_an_inverse_is_inferred_although_ones_have_none():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3, 3])
        assert tf.linalg.inv(x).shape == [3, 3]


def test_a_session_runs_fetches_in_their_structure():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        y = tf.reduce_sum(x * x)
        with v1.Session() as session:
            out = session.run({"a": [y, x], "b": (y * 2.0,)}, {x: [1.0, 3.0]})
    assert out["a"][0] == 10.0
    np.testing.assert_array_equal(out["a"][1], [1.0, 3.0])
    assert out["b"] == (20.0,)


def test_a_session_runs_only_what_the_fetches_need():
    with tf.Graph().as_default():
        x, unfed = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
        y, z = x + 1.0, unfed * 2.0
        with v1.Session() as session:
            assert session.run(y, {x: 1.0}) == 2.0
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="must feed a value for placeholder"
            ):
                session.run(z)


def test_an_intermediate_tensor_can_be_fed():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        y = x * x
        z = y + 1.0
        with v1.Session() as session:
            assert session.run(z, {y: 10.0}) == 11.0


def test_a_session_reads_variables_when_it_runs():
    with tf.Graph().as_default():
        v = tf.Variable(3.0)
        y = v * 2.0
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(y) == 6.0
    v.assign(5.0)
    with v1.Session(graph=y.graph) as session:
        assert session.run([y, v]) == [10.0, 5.0]


def test_ops_added_after_a_run_are_run_by_the_next():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        with v1.Session() as session:
            y = x + 1.0
            assert session.run(y, {x: 1.0}) == 2.0
            z = y * 3.0
            assert session.run([y, z], {x: 1.0}) == [2.0, 6.0]


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [([1.0], ValueError, "Cannot feed value of shape"), ("text", TypeError, "Cannot convert")],
)
def test_feeding_what_does_not_fit_raises(value, error, words):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        with v1.Session() as session, pytest.raises(error, match=words):
            session.run(x * 2.0, {x: value})


def test_fetching_what_is_no_tensor_raises_type_error():
    with (
        tf.Graph().as_default(),
        v1.Session() as session,
        pytest.raises(TypeError, match="Fetch argument"),
    ):
        session.run(object())


def test_a_session_without_a_graph_says_so_for_eager_tensors_too():
    session = tf.compat.v1.Session()
    for fetch in (tf.constant(1.0), tf.Variable(1.0), None):
        with pytest.raises(RuntimeError, match="The Session graph is empty"):
            session.run(fetch)


def test_a_closed_session_cannot_run():
    with tf.Graph().as_default():
        y = tf.constant(1.0) * 2.0
        with v1.Session() as session:
            pass
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(y)


def test_a_placeholder_needs_a_graph_and_a_number_of_axes():
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        v1.placeholder(tf.float32, [2])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="the number of axes open"):
        v1.placeholder(tf.float32)


def test_python_if_on_a_symbolic_tensor_names_the_line():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        with pytest.raises(TypeError, match="Use tf.cond") as caught:
            if x > 0.0:
                pass
    assert here(-2) in str(caught.value)


def test_numpy_of_a_symbolic_tensor_names_the_line():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        with pytest.raises(AttributeError, match=r"\.numpy\(\)") as caught:
            x.numpy()
    assert here(-1) in str(caught.value)


def test_numpy_functions_of_a_symbolic_tensor_raise():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        with pytest.raises(NotImplementedError, match="Cannot convert a symbolic"):
            np.sin(x)


@pytest.mark.parametrize("convert", [float, int, complex, range])
def test_python_numbers_of_a_symbolic_tensor_raise(convert):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.int32, [])
        with pytest.raises(TypeError, match="needs the value"):
            convert(x)


def test_a_tensor_of_one_graph_used_in_another_names_both_lines():
    with tf.Graph().as_default():
        a = tf.sin(v1.placeholder(tf.float32, []))
        made = here(-1)
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="must be from the same graph") as caught,
    ):
        a + v1.placeholder(tf.float32, [])
    assert here(-1) in str(caught.value)
    assert made in str(caught.value)


def test_a_symbolic_tensor_used_eagerly_is_out_of_scope():
    with tf.Graph().as_default():
        a = tf.constant(1.0)
    with pytest.raises(ValueError, match="out of scope"):
        a + 1.0


def test_dtypes_that_differ_raise_while_the_graph_is_built_with_the_line():
    with tf.Graph().as_default():
        x, n = v1.placeholder(tf.float32, []), v1.placeholder(tf.int32, [])
        with pytest.raises(TypeError, match="float32") as caught:
            x + n
    assert any(here(-1) in note for note in caught.value.__notes__)


def test_shapes_that_do_not_fit_raise_while_the_graph_is_built_with_the_line():
    with tf.Graph().as_default():
        x, y = v1.placeholder(tf.float32, [2]), v1.placeholder(tf.float32, [3])
        with pytest.raises(ValueError, match="Incompatible shapes") as caught:
            x + y
    assert any(here(-1) in note for note in caught.value.__notes__)


def test_an_error_of_a_run_names_the_op_and_the_line_that_made_it():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2, 2])
        y = tf.linalg.inv(x)
        made = here(-1)
        with v1.Session() as session, pytest.raises(ValueError, match="not invertible") as caught:
            session.run(y, {x: np.ones((2, 2))})
    assert any(made in note for note in caught.value.__notes__)


@pytest.mark.fast_layer
def test_arrays_are_dropped_after_their_last_use():
    from minitape.graphs.compiled.running import FlatRunner

    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [1000])
        y = tf.reduce_sum(tf.sin(tf.cos(x)))
    frees = [step[-1] for step in FlatRunner(graph, [x.value], [y.value]).steps]
    assert sum(len(places or ()) for places in frees) == 3


def test_what_follows_from_constants_is_known_while_tracing():
    @tf.function
    def f(x):
        n = tf.constant(2) + 1
        return tf.reshape(x, [n, -1]), x[: tf.constant(1)]

    a, b = f(tf.zeros([6]))
    assert (a.shape, b.shape) == ([3, 2], [1])
    assert f.runs_python is None


def test_a_session_runs_an_assignment_when_it_is_fetched():
    with tf.Graph().as_default():
        w, x = tf.Variable(1.0), v1.placeholder(tf.float32, [])
        loss = (w * x - 6.0) ** 2
        train = w.assign_sub(0.05 * tf.gradients(loss, w)[0])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(w) == 1.0
            for _ in range(100):
                session.run(train, {x: 2.0})
            assert session.run(w) == pytest.approx(3.0)


def test_scopes_of_graph_programs_change_nothing():
    @tf.function
    def f(x):
        v = tf.Variable(1.0) if not made else made[0]
        made.append(v)
        with tf.name_scope("scope"), tf.device("/cpu:0"), tf.control_dependencies([v.assign(x)]):
            y = v * 2.0
        tf.group(y, tf.no_op())
        with tf.init_scope():
            assert tf.executing_eagerly()
        assert tf.is_symbolic_tensor(y)
        return y

    made = []
    assert float(f(tf.constant(5.0))) == 10.0
    assert float(made[0]) == 5.0


def test_large_constants_and_constants_of_constants_run_like_others():
    big = np.arange(10_000.0, dtype=np.float32)
    with tf.Graph().as_default():
        y = tf.reduce_sum(tf.constant(big) * 2.0) + tf.constant(1.0)
        with v1.Session() as session:
            assert session.run(y) == pytest.approx(2.0 * big.sum() + 1.0)


def test_eval_asks_the_session_whose_block_it_is_in_or_the_one_given():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, shape=[])
        y = x * x
        start = tf.compat.v1.global_variables_initializer()
    with pytest.raises(ValueError, match="No default session is registered"):
        y.eval({x: 3.0})
    session = tf.compat.v1.Session(graph=graph)
    with session.as_default():
        start.run()
        assert y.eval({x: 3.0}) == 9.0
    assert y.eval(feed_dict={x: 2.0}, session=session) == 4.0
    with session:
        assert y.eval({x: 1.0}) == 1.0


def test_a_variables_initializer_is_nothing_eagerly_and_something_to_run_in_a_graph():
    assert tf.Variable(2.0).initializer is None
    with tf.Graph().as_default():
        v = tf.Variable(2.0)
        with v1.Session() as session:
            session.run(v.initializer)
            assert session.run(v * 3.0) == 6.0


def test_a_tensor_asks_no_session_of_another_thread():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(2.0) * 3.0
    found = []

    def ask():
        try:
            x.eval()
        except ValueError as error:
            found.append(str(error))

    with v1.Session(graph=graph):
        assert x.eval() == 6.0
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert found and "No default session is registered" in found[0]
