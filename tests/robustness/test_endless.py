"""Lists and dicts that contain themselves are refused in words, wherever a value may be given."""

from __future__ import annotations

import signal
import threading

import pytest

import minitape as tf
from minitape.interpreter import active
from rows import failing


def itself():
    endless = [1.0]
    endless.append(endless)
    return endless


def beside_a_tensor():
    endless = [tf.constant(1.0)]
    endless.append(endless)
    return endless


def twice():
    endless = []
    endless += [endless, endless]
    return endless


def through_a_tuple():
    endless = [1.0]
    endless.append((endless,))
    return endless


def far_down():
    endless = inner = [1.0]
    for _ in range(300):
        inner.append([1.0])
        inner = inner[-1]
    inner.append(endless)
    return endless


ENDLESS = [itself, beside_a_tensor, twice, through_a_tuple, far_down]

# Where a list is given; `c` is one that contains itself.
PLACES = """
tf.constant(c) | tf.constant(c, tf.float32) | tf.convert_to_tensor(c) | tf.Variable(c)
v.assign(c) | tf.convert_to_tensor(c, dtype_hint=tf.float32) | tf.stack(c) | tf.concat(c, 0)
tf.gather(x, c) | tf.gather(c, [0]) | x + c | c + x | x @ c | v * c | x < c | tf.multiply(c, x)
tf.add_n(c) | tf.sin(c) | tf.zeros(c) | tf.ones(c) | tf.fill(c, 1.0) | tf.fill([2], c)
tf.zeros_like(c) | tf.eye(2, batch_shape=c) | tf.print(c) | tf.print('text', [c])
tf.print({'key': c}) | tf.nest.flatten(c) | tf.nest.map_structure(abs, c)
tf.nest.assert_same_structure(c, c) | tf.nest.pack_sequence_as(c, [1.0])
tf.function(lambda z: x)(c) | tf.function(lambda z: x)(z=c) | tf.function(lambda: c)()
tf.function(lambda z: z + c)(x) | tf.reshape(x, c) | tf.reshape(c, [1]) | tf.transpose(x, c)
tf.reduce_sum(c) | tf.cast(c, tf.int32) | tf.identity(c) | tf.stop_gradient(c)
tf.cond(c, abs, abs) | tape.watch(c) | tape.gradient(y, c) | tape.gradient(c, v)
tape.gradient(y, v, output_gradients=c) | tf.autodiff.ForwardAccumulator(c, c)
tf.vectorized_map(lambda z: z, c) | tf.map_fn(lambda z: z, c) | tf.scan(lambda a, b: a, c)
tf.while_loop(lambda *a: True, lambda *a: a, c) | tf.shape(c) | tf.rank(c) | tf.size(c)
tf.where(c) | tf.where([True], c, c) | tf.one_hot(c, 3) | tf.range(c) | tf.linspace(c, 1.0, 3)
tf.pad(x, c) | tf.split(x, c) | tf.tile(x, c) | tf.matmul(c, c) | tf.random.normal(c)
tf.slice(x, c, c) | tf.boolean_mask(x, c) | tf.scatter_nd(c, c, c)
tf.clip_by_global_norm(c, 1.0) | tf.broadcast_to(x, c) | tf.linalg.global_norm(c)
tf.debugging.assert_equal(c, c) | tf.keras.losses.MeanSquaredError()(c, c)
tf.TensorArray(tf.float32, 2).unstack(c) | tf.py_function(lambda *a: 1.0, c, tf.float32)
tf.meshgrid(c, c) | tf.data.Dataset.from_tensor_slices(c)
tf.data.Dataset.from_tensor_slices({'key': c})
"""
CALLS = [each.strip() for line in PLACES.strip().splitlines() for each in line.split("|")]


@pytest.fixture
def hurry():
    """Stops a test that hangs."""

    def stops(number, frame):
        pytest.fail("it hangs", pytrace=False)

    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    before = signal.signal(signal.SIGALRM, stops)
    signal.setitimer(signal.ITIMER_REAL, 20)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def names():
    v, x = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    return {"tf": tf, "v": v, "x": x, "y": y, "tape": tape}


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("calls", [CALLS[i::6] for i in range(6)], ids=range(6))
def test_a_list_that_contains_itself_is_refused_by(calls, names):
    assert failing(list_is_refused, {call: (call, names) for call in calls}) == {}


def list_is_refused(call, names):
    for made in ENDLESS:
        with pytest.raises((ValueError, TypeError)) as caught:
            eval(call, names | {"c": made()})
        assert "contains itself" in str(caught.value), made.__name__
        assert len(str(caught.value)) < 1000
        assert active() == ()
    assert names["v"].numpy().tolist() == [1.0, 2.0]
    assert names["tape"].gradient(names["y"], names["v"]).numpy().tolist() == [2.0, 4.0]


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("call", [
    "tf.print(c)", "tf.nest.flatten(c)", "tf.function(lambda z: x)(c)", "tape.watch(c)",
    "tf.data.Dataset.from_tensor_slices(c)",
])  # fmt: skip
def test_a_dict_that_contains_itself_is_refused_by(call, names):
    endless = {"a": tf.constant([1.0])}
    endless["itself"] = endless
    with pytest.raises(ValueError, match="A dict contains itself"):
        eval(call, names | {"c": endless})


@pytest.mark.usefixtures("hurry")
def test_a_list_that_stands_in_another_twice_is_no_endless_one(capsys):
    row = [1.0, tf.constant(2.0)]
    assert tf.convert_to_tensor([row, row]).numpy().tolist() == [[1.0, 2.0]] * 2
    shape = [2]
    assert tf.constant([shape, shape]).numpy().tolist() == [[2], [2]]
    tf.print([shape, shape], output_stream=__import__("sys").stdout)
    assert capsys.readouterr().out == "[[2], [2]]\n"


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("leaf", [1.0, tf.constant(1.0)], ids=["a number", "a tensor"])
@pytest.mark.parametrize("depth", [70, 5000])
def test_a_list_that_is_nested_too_deeply_is_refused_in_words(leaf, depth):
    deep = leaf
    for _ in range(depth):
        deep = [deep]
    for make in (tf.constant, tf.convert_to_tensor, tf.Variable, tf.sin, tf.zeros):
        with pytest.raises((ValueError, TypeError)) as caught:
            make(deep)
        assert len(str(caught.value)) < 1000
