"""A KeyboardInterrupt may come anywhere: what was entered is left, and the next result is right.

Real interrupts come at an unknown time, so there are two kinds of test: one raises at every line
and at the entry of every function of the engine in turn, the other sets a timer.
"""

from __future__ import annotations

import functools
import gc
import importlib
import linecache
import os
import random
import signal
import sys
import threading
import time
import types
import weakref

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.interpreter import active
from minitape.names.scopes import current_scope
from minitape.safety.locks import Lock

pytestmark = pytest.mark.fast_layer  # the plain engine promises nothing about interrupts

ENGINE = os.path.dirname(tf.__file__) + os.sep
ROUNDS = 91  # interrupts by a timer, for each program


def tapes():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            y = tf.reduce_sum(tf.sin(v) * v + 2.0)
        first = inner.gradient(y, v)
    return outer.gradient(first, v).numpy().sum()


def stopped_recordings():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        with tape.stop_recording():
            v.assign_add(v * 2.0)
        y = y * 3.0
    return tape.gradient(y, v).numpy().sum()


def accumulators():
    x = tf.constant([1.0, 2.0])
    with (
        tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as outer,
        tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as inner,
    ):
        y = x * x * x
    return outer.jvp(inner.jvp(y)).numpy().sum()


def scopes():
    with tf.name_scope("net"), tf.name_scope("layer"):
        v = tf.Variable(2.0, name="w")
    assert v.name == "net/layer/w:0"
    return float(v)


def batches():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x).numpy().sum()


def maps():
    return tf.vectorized_map(lambda row: tf.reduce_sum(row * row), tf.ones([3, 2])).numpy().sum()


def graphs():
    f = tf.function(lambda x: tf.cond(x > 0.0, lambda: x * x, lambda: -x))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return float(tape.gradient(y, x))


def sessions():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = x * x
        (g,) = tf.gradients(y, [x])
        with tf.compat.v1.Session() as session:
            return float(session.run(g, {x: 3.0}))


def custom_gradients():
    @tf.custom_gradient
    def twice(x):
        return x * 2.0, lambda g: g * 5.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = twice(x)
    return float(tape.gradient(y, x))


def journals():
    x = tf.constant(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return float(tape.gradient(y, x))


def parts_of_variables():
    v = tf.Variable([1.0, 2.0, 3.0])
    for i in range(3):
        v[i].assign_add(1.0)
    return v.numpy().sum()


# Each program and its result by hand: 2 cos x - x sin x, 3 * 2 x, 6 x, ...
PROGRAMS = {
    tapes: sum(2 * np.cos([1.0, 2.0]) - [1.0, 2.0] * np.sin([1.0, 2.0])),
    stopped_recordings: 18.0,
    accumulators: 18.0,
    scopes: 2.0,
    batches: 20.0,
    maps: 6.0,
    graphs: 6.0,
    sessions: 6.0,
    custom_gradients: 5.0,
    journals: 6.0,
    parts_of_variables: 9.0,
}
programs = pytest.mark.parametrize(
    ("program", "expected"), PROGRAMS.items(), ids=[each.__name__ for each in PROGRAMS]
)


def assert_all_is_left(program, expected, when):
    assert active() == (), when
    assert current_scope() == "", when
    np.testing.assert_allclose(program(), expected, rtol=1e-5, err_msg=str(when))


class Interrupt:
    """Raises a KeyboardInterrupt at the n-th line or function entry of minitape that runs.

    Not on a line that takes a lock (their names begin with `_`): it is announced a second time
    before the block's end gives the lock back, where no real interrupt comes. And not in a
    finalizer, which swallows it: that has tests of its own.
    """

    def __init__(self, at):
        self.at, self.seen, self.place = at, 0, None

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if not code.co_filename.startswith(ENGINE) or code.co_name == "__del__":
            return None
        return self.watch(frame, event, argument)

    def watch(self, frame, event, argument):
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if event in ("line", "call") and not line.startswith("with _"):
            self.seen += 1
            if self.seen == self.at:
                self.place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
        return self.watch


def interrupted(program, at):
    """Runs a program with an interrupt; how many places there were, and where it came."""
    interrupt = Interrupt(at)
    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        program()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return interrupt.seen, interrupt.place


@pytest.mark.slow
@programs
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(sys.gettrace() is not None, reason="a debugger or coverage is watching")
def test_an_interrupt_at_any_line_or_entry_of_a_function_leaves_nothing_entered(program, expected):
    program()
    count, _ = interrupted(program, -1)
    assert count > 40
    step = max(1, count // 700)
    for at in range(1, count + 1, step):
        _, place = interrupted(program, at)
        assert active() == (), place
        assert current_scope() == "", place
    assert_all_is_left(program, expected, "at last")


def run_until_interrupted(program, seconds):
    """A function of its own: in Python 3.13 an interrupt between two rounds misses an `except`."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    while signal.getitimer(signal.ITIMER_REAL)[0]:
        program()
    time.sleep(0.01)  # the signal may come to another thread, and then a little later


@programs
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer")
@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals are the main one's"
)
def test_timed_interrupts_leave_nothing_entered(program, expected, monkeypatch):
    def raises(number, frame):
        raise KeyboardInterrupt

    draw, landed = random.Random(16), 0
    before = signal.signal(signal.SIGALRM, raises)
    program()
    swallowed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: swallowed.append(str(each.object)))
    gc.disable()  # the collector's finalizers are others' business
    try:
        for i in range(ROUNDS):
            try:
                run_until_interrupted(program, draw.uniform(5e-5, 1.5e-3))
            except KeyboardInterrupt:
                landed += 1
            assert active() == (), i
            assert current_scope() == "", i
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert swallowed == []
    assert landed > 0.9 * ROUNDS  # else they came between two programs
    assert_all_is_left(program, expected, "at last")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer")
@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals are the main one's"
)
def test_an_interrupt_of_a_with_statement_leaves_no_lock_locked():
    def raises(number, frame):
        raise KeyboardInterrupt

    def lock_and_unlock():
        while signal.getitimer(signal.ITIMER_REAL)[0]:
            for _ in range(100):
                with lock, lock:
                    pass

    lock, taken, landed = Lock(), [], 0
    before = signal.signal(signal.SIGALRM, raises)
    gc.disable()  # an interrupt of what it runs would be swallowed
    try:
        for i in range(100):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-4 + 1e-6 * i)
                lock_and_unlock()
                time.sleep(0.01)  # it may come a little later
            except KeyboardInterrupt:
                landed += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert landed > 90
    other = threading.Thread(target=lambda: taken.append(lock.acquire(timeout=1.0)))
    other.start()
    other.join()
    assert taken == [True]


class Stepper(tf.Module):
    @tf.function
    def step(self, x):
        return x * x


def accumulated():
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)):
        for _ in range(3):
            x = x * x


def method_of_an_instance_that_dies():
    return Stepper().step(tf.constant(2.0))


@pytest.mark.parametrize("program", [accumulated, method_of_an_instance_that_dies])
def test_no_python_code_runs_when_a_tensor_or_an_instance_dies(program, monkeypatch):
    """In a weak reference's callback Python swallows an interrupt; signals wait for Python code."""
    called = []

    def noted(make):
        def made(referent, callback=None, *key):
            called.append(callback)
            return make(referent, callback, *key)

        return made

    watched = types.SimpleNamespace(KeyedRef=noted(weakref.KeyedRef), ref=noted(weakref.ref))
    for module in ("minitape.forward_mode.accumulator", "minitape.graphs.functions.function"):
        monkeypatch.setattr(importlib.import_module(module), "weakref", watched)
    program()
    callbacks = [each for each in called if each is not None]
    assert callbacks
    for each in callbacks:
        function = each.func if isinstance(each, functools.partial) else each
        assert isinstance(function, types.BuiltinMethodType), function


def test_references_to_tensors_that_died_do_not_add_up():
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = x
        for _ in range(1000):
            y = y * 1.0
        assert len(accumulator._tangents._references) < 100
    assert float(accumulator.jvp(y)) == 1.0


def test_where_an_interrupt_kept_a_tape_open_gradients_are_right_and_it_goes_with_the_exception():
    v = tf.Variable(3.0)

    def program():
        tape = tf.GradientTape()
        leave = tape.__exit__  # as a `with` statement does
        tape.__enter__()
        raise KeyboardInterrupt(leave)

    try:
        program()
    except KeyboardInterrupt:
        assert len(active()) == 1  # Python offers no way to leave it sooner
        with tf.GradientTape() as tape:
            y = v * v
        assert float(tape.gradient(y, v)) == 6.0
    assert active() == ()


def test_a_tape_that_is_stopped_is_not_started_again_by_an_interrupt():
    v = tf.Variable(1.0)

    def program():
        with tf.GradientTape() as tape:
            _ = v * v
            context = tape.stop_recording()
            context.__enter__()
            raise KeyboardInterrupt  # as one just before the context's `__exit__`

    with pytest.raises(KeyboardInterrupt):
        program()
    gc.collect()
    assert active() == ()


def test_a_session_is_left_by_an_interrupt_before_its_exit():
    def program():
        session = tf.compat.v1.Session(graph=tf.Graph())
        leave = session.__exit__  # as a `with` statement does
        session.__enter__()
        raise KeyboardInterrupt(leave)

    with pytest.raises(KeyboardInterrupt):
        program()
    gc.collect()
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with pytest.raises(ValueError, match="No default session"):
        x.eval()


def test_a_tape_dropped_with_the_exception_is_left_in_another_thread_as_well():
    held = []

    def enter():
        tape = tf.GradientTape()
        leave = tape.__exit__
        tape.__enter__()
        held.append(leave)

    enter()
    assert len(active()) == 1
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        assert len(active()) == 1  # the next tape takes the departed one off
        y = v * v
    assert active() == ()
    assert float(tape.gradient(y, v)) == 6.0
