"""Memory: training runs at constant size, nothing needs the cyclic collector, deep chains work."""

from __future__ import annotations

import contextlib
import gc
import os
import tracemalloc
import weakref

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from peak import collect_all

pytestmark = pytest.mark.slow
STEPS = 10_000


@pytest.fixture(autouse=True, scope="module")
def _only_counting():
    """The collector runs when a test asks it to, and looks at what the test made only."""
    collect_all()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def resident():
    """Bytes of memory that this process has in use now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


linux = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads /proc")


def trainer():
    """One step of a small net; a leak of one array of it per step would be 40 MB."""
    w1 = tf.Variable(np.full((8, 64), 0.01, np.float32))
    w2 = tf.Variable(np.full((64, 1), 0.01, np.float32))
    x, y = tf.ones((16, 8)), tf.ones((16, 1))

    def step():
        with tf.GradientTape() as tape:
            error = tf.nn.relu(x @ w1) @ w2 - y
            loss = tf.reduce_mean(error * error)
        for v, g in zip((w1, w2), tape.gradient(loss, (w1, w2)), strict=True):
            v.assign_sub(0.01 * g)
        return loss

    return step


@linux
def test_10_000_training_steps_run_at_constant_memory():
    step = trainer()
    for _ in range(500):
        step()
    before = resident()
    for _ in range(STEPS):
        step()
    assert resident() - before < 2_000_000
    assert gc.collect() == 0


def grown(work, times=200):
    """Bytes that are still held after `work` ran some more times."""
    for _ in range(20):
        work()
    tracemalloc.start()
    try:
        for _ in range(20):
            work()
        gc.collect()  # also drops Python's own stock of small tuples
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            work()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


X = tf.constant([0.5, -1.0, 2.0])
V = tf.Variable([0.5, -1.0, 2.0])
M = tf.constant([[1.0, 0.2], [0.1, 1.0]])


def gradient(persistent=False):
    with tf.GradientTape(persistent=persistent) as tape:
        y = tf.reduce_sum(tf.sin(V) * V)
    return tape.gradient(y, V)


def nested():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(V * V * V)
        first = inner.gradient(y, V)
    return outer.gradient(first, V)


def persistent_inside_its_own_context():
    with tf.GradientTape(persistent=True) as tape:
        first = tape.gradient(tf.reduce_sum(V * V * V), V)
    return tape.gradient(first, V)


def jacobian():
    with tf.GradientTape() as tape:
        y = tf.tanh(V) * tf.reduce_sum(V)
    return tape.jacobian(y, V)


def batch_jacobian():
    with tf.GradientTape() as tape:
        tape.watch(M)
        y = M @ M
    return tape.batch_jacobian(y, M)


def hessian():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(V * V * V)
        first = inner.gradient(y, V)
    return outer.jacobian(first, V)


def forward_mode():
    with tf.autodiff.ForwardAccumulator(V, tf.ones(3)) as accumulator:
        y = tf.sin(V) * V
    return accumulator.jvp(y)


def forward_over_reverse():
    with tf.autodiff.ForwardAccumulator(V, tf.ones(3)) as accumulator:
        first = gradient()
    return accumulator.jvp(first)


@tf.custom_gradient
def clipped(x):
    return x, lambda g: tf.clip_by_norm(g, 0.5)


def custom_gradient():
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(clipped(V) * V)
    return tape.gradient(y, V)


def new_custom_gradient():
    @tf.custom_gradient
    def own(x):
        e = tf.exp(x)
        return e, lambda g: g * e

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(own(V))
    return tape.gradient(y, V)


@tf.function
def traced(x):
    return tf.reduce_sum(tf.sin(x) * V)


def function_call():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = traced(X)
    return tape.gradient(y, [X, V])


def vectorized():
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda x: tf.sin(x) * x, V)
    return tape.gradient(y, V)


def loop():
    with tf.GradientTape() as tape:
        y = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * V), [tf.constant(0), V])[1]
    return tape.gradient(y, V)


def branch():
    with tf.GradientTape() as tape:
        y = tf.cond(tf.constant(True), lambda: V * 2.0, lambda: V)
    return tape.gradient(y, V)


def sparse():
    with tf.GradientTape() as tape:
        y = tf.gather(V, [0, 2, 2])
    return tape.gradient(y, V)


def ragged():
    rows = tf.RaggedTensor.from_row_lengths(X, [1, 2])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.reduce_sum(rows * rows)
    return tape.gradient(y, rows)


def recomputed():
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda x: tf.sin(x) * x)(V)
    return tape.gradient(y, V)


def reset():
    with tf.GradientTape() as tape:
        tf.sin(V) * V
        tape.reset()
        y = V * V
    return tape.gradient(y, V)


def abandoned():
    with tf.GradientTape():
        tf.sin(V) * V


def refused():
    with contextlib.suppress(ValueError):
        V + tf.ones(2)


def left_for_numpy():
    with tf.GradientTape() as tape:
        y = tf.constant((V * V).numpy())
    return tape.gradient(y, V)


def shown_by_the_viewer():
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(V * V)
    return viz.step(tape, y, V).trace


KINDS = [
    gradient, nested, persistent_inside_its_own_context, jacobian, batch_jacobian, hessian,
    forward_mode, forward_over_reverse, custom_gradient, new_custom_gradient, function_call,
    vectorized, loop, branch, sparse, ragged, recomputed, reset, abandoned, refused,
    left_for_numpy,
]  # fmt: skip
every_kind = pytest.mark.parametrize("work", KINDS, ids=[each.__name__ for each in KINDS])


@every_kind
def test_no_reference_cycle_is_made_by(work):
    for _ in range(3):
        work()
    gc.collect()
    for _ in range(5):
        work()
    assert gc.collect() == 0


@every_kind
def test_memory_does_not_grow_with_the_calls_of(work):
    assert grown(work, 100) < 10_000  # one small array and its tensor per call would be 17,000


def test_the_viewer_keeps_the_last_journal_only():
    assert grown(shown_by_the_viewer, 30) < 60_000


def test_new_functions_are_freed_when_they_are_dropped():
    def fresh():
        tf.function(lambda x: x * V)(X)

    for _ in range(20):
        fresh()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        fresh()
    gc.collect()
    assert len(gc.get_objects()) - before < 100


def test_a_nonpersistent_tape_frees_its_values_once_it_was_asked():
    with tf.GradientTape() as tape:
        hidden = tf.sin(V)
        y = tf.reduce_sum(hidden * hidden)
    values = weakref.ref(hidden.value)
    recording = weakref.ref(tape.recording)
    del hidden
    assert values() is not None
    tape.gradient(y, V)
    assert values() is None
    assert tape.past is recording() and tape.past.records == []  # what explains a None is left
    del tape
    assert recording() is None


def test_values_are_freed_while_the_sweep_goes_on():
    freed = []

    @tf.custom_gradient
    def looks(x):
        return x, lambda g: (freed.append(values() is None), g)[1]

    with tf.GradientTape() as tape:
        hidden = tf.sin(looks(V))
        y = tf.reduce_sum(hidden * hidden)
    values = weakref.ref(hidden.value)
    del hidden
    tape.gradient(y, V)
    assert freed == [True]


def test_a_persistent_tape_frees_its_values_when_it_is_dropped():
    with tf.GradientTape(persistent=True) as tape:
        hidden = tf.sin(V)
        y = tf.reduce_sum(hidden * hidden)
    values = weakref.ref(hidden.value)
    del hidden
    tape.gradient(y, V)
    assert values() is not None
    del tape
    assert values() is None


def test_a_tape_that_was_never_asked_is_freed_when_it_is_dropped():
    with tf.GradientTape() as tape:
        hidden = tf.sin(V)
        hidden * hidden
    values = weakref.ref(hidden.value)
    del hidden, tape
    assert values() is None


def test_a_variable_is_freed_with_its_used_tape_while_the_gradient_lives():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
    g = tape.gradient(y, v)
    assert tape.watched_variables() == (v,)
    gone = weakref.ref(v)
    del v, tape
    assert gone() is None
    assert g.numpy().tolist() == [2.0, 4.0]


def test_an_accumulator_forgets_the_tangents_of_dropped_tensors():
    with tf.autodiff.ForwardAccumulator(X, tf.ones(3)) as accumulator:
        y = X * X
        tangent = weakref.ref(accumulator.jvp(y).value)
        del y
        assert tangent() is None


def chain(length):
    x = tf.constant(1.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(length):
            y = y + x
    return tape, x, y


def test_a_chain_of_1_000_000_ops_is_differentiated_and_freed():
    tape, x, y = chain(1_000_000)
    assert float(tape.gradient(y, x)) == 1_000_001.0


def test_a_chain_of_100_000_ops_is_dropped_without_recursion():
    tape, x, y = chain(100_000)
    del tape, y  # freeing a chain of objects one inside of the other would overflow the C stack
    tape, x, y = chain(10)
    assert float(tape.gradient(y, x)) == 11.0


def test_a_chain_of_20_000_ops_is_differentiated_by_every_mode():
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x
        for _ in range(20_000):
            y = y + x
    assert tape.jacobian(y, x).numpy().tolist() == [[20_001.0, 0.0], [0.0, 20_001.0]]
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = x
        for _ in range(20_000):
            y = y + x
    assert accumulator.jvp(y).numpy().tolist() == [20_001.0, 20_001.0]


def test_a_function_of_3_000_ops_is_traced_run_and_differentiated():
    @tf.function
    def deep(x):
        y = x
        for _ in range(3_000):
            y = y + x
        return y

    x = tf.constant(1.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = deep(x)
    assert float(tape.gradient(y, x)) == 3_001.0


def test_the_collector_has_nothing_to_visit_in_what_one_tape_alone_follows():
    def log_of(*tapes):
        x = tf.constant(0.7)
        with contextlib.ExitStack() as stack:
            for tape in tapes:
                stack.enter_context(tape).watch(x)
            y = x
            for _ in range(30):
                y = tf.sin(y * x + x)
        gc.collect()  # which is when Python forgets tuples of plain values
        return tapes[0].recording.records

    assert not any(map(gc.is_tracked, log_of(tf.GradientTape())))
    both = log_of(tf.GradientTape(), tf.GradientTape())  # each has to keep the tensors
    assert sum(map(gc.is_tracked, both)) == 60  # multiply and sin keep values, add keeps none
