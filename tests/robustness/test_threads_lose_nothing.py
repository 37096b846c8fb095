"""What threads do to one object at the same moment: nothing is lost, nothing comes twice."""

from __future__ import annotations

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minitape as tf

THREADS, EACH = 6, 6
ENGINE = os.path.dirname(tf.__file__) + os.sep


@pytest.fixture(autouse=True)
def _hasty():
    """Threads change places at almost every line of the package."""
    tf.ones([2]) + 1.0  # all modules are loaded

    def lines(frame, event, _):
        if event == "line":
            time.sleep(0)
        return lines

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threading.settrace(
        lambda frame, event, _: lines if frame.f_code.co_filename.startswith(ENGINE) else None
    )
    yield
    threading.settrace(None)
    sys.setswitchinterval(before)


def together(work):
    barrier = threading.Barrier(THREADS)

    def run(i):
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def counted(start, change):
    """What a variable holds after every thread changed it `EACH` times."""
    v = tf.Variable(np.full((THREADS, EACH), float(start)))
    together(lambda i: [change(v, i, k) for k in range(EACH)])
    return v.numpy()


def rows(values, i):
    return tf.IndexedSlices(tf.constant([values], tf.float64), [i], [THREADS, EACH])


def one_hot(k, on=1.0, off=0.0):
    return [on if n == k else off for n in range(EACH)]


# Each element starts from a number and is changed once, by one thread, into 1; the changes of the
# other elements do nothing.
CHANGES = {
    "assign": (0, lambda v, i, k: v[i, k].assign(1.0)),
    "assign_add": (0, lambda v, i, k: v[i, k].assign_add(1.0)),
    "assign_sub": (2, lambda v, i, k: v[i, k].assign_sub(1.0)),
    "whole assign_add": (
        0,
        lambda v, i, k: v.assign_add(np.outer(np.eye(THREADS)[i], np.eye(EACH)[k])),
    ),
    "scatter_nd_add": (0, lambda v, i, k: v.scatter_nd_add([[i, k]], [1.0])),
    "scatter_nd_sub": (2, lambda v, i, k: v.scatter_nd_sub([[i, k]], [1.0])),
    "scatter_nd_update": (0, lambda v, i, k: v.scatter_nd_update([[i, k]], [1.0])),
    "scatter_nd_max": (0, lambda v, i, k: v.scatter_nd_max([[i, k]], [1.0])),
    "scatter_nd_min": (2, lambda v, i, k: v.scatter_nd_min([[i, k]], [1.0])),
    "scatter_update": (0, lambda v, i, k: v.scatter_update(rows([1.0] * EACH, i))),
    "scatter_add": (0, lambda v, i, k: v.scatter_add(rows(one_hot(k), i))),
    "scatter_sub": (2, lambda v, i, k: v.scatter_sub(rows(one_hot(k), i))),
    "scatter_max": (0, lambda v, i, k: v.scatter_max(rows(one_hot(k), i))),
    "scatter_min": (2, lambda v, i, k: v.scatter_min(rows(one_hot(k, 1.0, 2.0), i))),
    "scatter_mul": (0.5, lambda v, i, k: v.scatter_mul(rows(one_hot(k, 2.0, 1.0), i))),
    "scatter_div": (2, lambda v, i, k: v.scatter_div(rows(one_hot(k, 2.0, 1.0), i))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_different_parts_by_threads_all_arrive(name):
    start, change = CHANGES[name]
    np.testing.assert_array_equal(counted(start, change), np.ones((THREADS, EACH)))


def test_every_way_to_change_a_part_is_tried():
    ways = {name for name in dir(tf.Variable) if name.startswith("scatter_")}
    assert ways <= set(CHANGES)


def test_only_the_module_of_assignments_stores_the_value_of_a_variable():
    storing = []
    for folder, _, names in os.walk(os.path.join(ENGINE, "ops")):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    if "variable.assign(" in file.read():
                        storing.append(name)
    assert storing == []


def drawn(draw):
    """All numbers that the threads drew, EACH times two from one source."""
    found = together(lambda i: [draw() for _ in range(EACH)])
    return np.concatenate([np.ravel(x) for numbers in found for x in numbers])


def test_no_number_of_the_global_generator_comes_twice_and_the_set_is_that_of_one_thread():
    for seed in range(4):
        tf.random.set_seed(seed)
        many = drawn(lambda: tf.random.normal([2], dtype=tf.float64).numpy())
        tf.random.set_seed(seed)
        one = [tf.random.normal([2], dtype=tf.float64).numpy() for _ in range(THREADS * EACH)]
        np.testing.assert_array_equal(np.sort(many), np.sort(np.ravel(one)))


def test_no_number_of_an_ops_own_seed_comes_twice():
    for seed in range(4):
        tf.random.set_seed(seed)
        many = drawn(lambda: tf.random.uniform([2], dtype=tf.float64, seed=7).numpy())
        assert len(set(many)) == many.size


def test_no_number_of_a_generator_comes_twice():
    source = tf.random.Generator.from_seed(1)
    many = drawn(lambda: source.normal([2], dtype=tf.float64).numpy())
    assert len(set(many)) == many.size


def test_a_layer_that_threads_call_first_is_built_once():
    class Early(tf.keras.layers.Layer):
        def build(self, input_shape):
            super().build(input_shape)  # says that it is built before it is
            self.w = self.add_weight((input_shape[-1],), "ones")

        def call(self, x):
            return x * self.w

    x = np.ones((2, 4), np.float32)
    kinds = (lambda: tf.keras.layers.Dense(3), lambda: tf.keras.layers.BatchNormalization(), Early)
    kinds += (lambda: tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)]),)
    for make, count in zip(kinds, (2, 4, 1, 4), strict=True):
        layer = make()
        results = together(lambda i, layer=layer: layer(x).numpy())
        assert len(layer.weights) == count
        for result in results:
            np.testing.assert_array_equal(result, layer(x).numpy())


def test_a_function_that_threads_call_first_is_traced_once_for_each_signature():
    runs = []

    @tf.function
    def double(x):
        runs.append(x.shape)
        return x * 2.0

    for size in range(1, 5):
        results = together(lambda i, size=size: double(tf.ones([size])).numpy().tolist())
        assert results == [[2.0] * size] * THREADS
    assert runs == [[1], [2], [3], [4]]


def test_a_method_that_threads_call_first_is_traced_once_for_each_object():
    class Model:
        runs = 0

        @tf.function
        def __call__(self, x):
            self.runs += 1
            return x + 1.0

    for _ in range(3):
        model = Model()
        together(lambda i, model=model: model(tf.constant(1.0)))
        assert model.runs == 1


def test_one_iterator_in_several_threads_gives_each_element_once():
    base = tf.data.Dataset.range(60)
    for dataset in (base, base.map(lambda x: x), base.shuffle(8, seed=1), base.batch(1).unbatch()):
        for take in (iter(dataset), dataset.as_numpy_iterator()):
            found = together(lambda i, take=take: [int(x) for x in take])
            assert sorted(x for numbers in found for x in numbers) == list(range(60))


def test_of_several_threads_that_ask_a_tape_one_gets_the_gradient_and_the_others_an_error():
    for _ in range(20):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x

        def ask(i, tape=tape, x=x, y=y):
            try:
                return float(tape.gradient(y, x))
            except RuntimeError:
                return "used up"

        assert sorted(map(str, together(ask))) == ["6.0"] + ["used up"] * (THREADS - 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_of_a_program_with_busy_threads_computes():
    v, stop = tf.Variable(np.zeros(4)), threading.Event()
    tf.random.normal([1])  # what is only loaded while a process forks is not waited for

    def busy():
        while not stop.is_set():
            v[0].assign_add(1.0)
            tf.random.normal([100_000])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.Variable([1.0]) * 2.0)
            tape.gradient(y, [tf.constant(1.0)])
            tf.keras.layers.Dense(1)(np.ones((1, 2), np.float32))

    threads = [threading.Thread(target=busy, daemon=True) for _ in range(4)]
    for each in threads:
        each.start()
    hung = 0
    try:
        for _ in range(8):
            child = os.fork()
            if child == 0:
                v[1].assign(2.0)
                tf.random.normal([2])
                x = tf.constant(3.0)
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = x * x * tf.keras.layers.Dense(1)(np.ones((1, 2), np.float32))
                tape.gradient(y, x)
                os._exit(0)
            end = time.monotonic() + 10
            while os.waitpid(child, os.WNOHANG)[0] == 0:
                if time.monotonic() > end:
                    hung += 1
                    os.kill(child, 9)
                    os.waitpid(child, 0)
                    break
                time.sleep(0.01)
    finally:
        stop.set()
        for each in threads:
            each.join()
    assert hung == 0
