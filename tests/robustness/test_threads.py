"""Threads, generators and asyncio tasks: own tapes, shared tensors, and nothing gets mixed up."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.interpreter import active, fresh_ids, identity

THREADS = 8
TAPES = 1_000


@pytest.fixture(autouse=True)
def _stack_is_as_before():
    before = active()
    yield
    assert active() == before


@pytest.fixture
def hasty():
    """Threads change places after every few bytecodes."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work, threads=THREADS):
    """What `work(i)` gives in each of several threads that start at the same moment."""
    barrier = threading.Barrier(threads)

    def run(i):
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def cubes(v, x, numbers):
    """d(n v^2 x)/dv = 2 n v x and d/dx = n v^2, for each n on a tape of its own."""
    found = []
    for n in numbers:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = v * v * x * float(n)
        found.append([float(g) for g in tape.gradient(y, [v, x])])
    return found


def test_8_threads_of_1000_tapes_on_shared_variables_do_not_disturb_each_other():
    v = tf.Variable(3.0, dtype=tf.float64)

    def work(i):
        return cubes(v, tf.constant(2.0, tf.float64), range(i * TAPES, (i + 1) * TAPES))

    for i, found in enumerate(together(work)):
        assert found == [[12.0 * n, 9.0 * n] for n in range(i * TAPES, (i + 1) * TAPES)]
    assert float(v) == 3.0


def test_hasty_threads_that_watch_one_shared_tensor_all_get_their_gradients(hasty):
    v, x = tf.Variable(3.0, dtype=tf.float64), tf.constant(2.0, tf.float64)
    for found in together(lambda i: cubes(v, x, range(200))):
        assert found == [[12.0 * n, 9.0 * n] for n in range(200)]


def test_a_tensor_that_many_threads_watch_at_once_keeps_every_mark(hasty):
    shared = [tf.constant(float(n)) for n in range(500)]

    def work(i):
        with tf.GradientTape() as tape:
            tape.watch(shared)
            y = [x * x for x in shared]
        return [float(g) for g in tape.gradient(y, shared)]

    for found in together(work):
        assert found == [2.0 * n for n in range(500)]


def test_a_tensor_has_one_id_although_many_threads_give_it_one(monkeypatch):
    def slowly():
        while True:
            time.sleep(1e-3)  # the others come by while this thread is choosing a number
            yield next(fresh_ids)

    monkeypatch.setattr("minitape.interpreter.fresh_ids", slowly())
    shared = [tf.constant(float(n)) for n in range(20)]
    found = together(lambda i: [identity(x) for x in shared])
    assert all(each == found[0] for each in found)


def test_an_unconnected_request_in_another_thread_does_not_cut_a_tape(hasty):
    shared = [tf.constant(float(n)) for n in range(2_000)]

    def work(i):
        if i % 2:  # asks for what it never watched, which gives each tensor an id
            with tf.GradientTape() as tape:
                y = tf.Variable(1.0) * 2.0
            return tape.gradient(y, shared)
        with tf.GradientTape() as tape:
            y = []
            for x in shared:
                tape.watch(x)
                y.append(x * x)
        return [float(g) for g in tape.gradient(y, shared)]

    for i, found in enumerate(together(work, 4)):
        assert found == ([None] * 2_000 if i % 2 else [2.0 * n for n in range(2_000)])


def test_additions_to_a_shared_variable_from_many_threads_all_count(hasty):
    v = tf.Variable(0, dtype=tf.int64)
    together(lambda i: [v.assign_add(1) for _ in range(500)])
    assert int(v) == THREADS * 500


def test_an_assignment_at_the_worst_moment_of_a_read_is_seen_by_the_next_read(monkeypatch):
    v = tf.Variable(1.0)

    def meanwhile(recording, variable):  # what another thread does just while this one reads
        monkeypatch.undo()
        found = recording.follows_variable(variable)
        v.assign(5.0)
        return found

    with tf.GradientTape() as tape:
        monkeypatch.setattr("minitape.recording.Recording.follows_variable", meanwhile)
        v * 1.0
        y = v * v
    assert float(y) == 25.0
    assert float(tape.gradient(y, v)) == 10.0


def test_jacobians_accumulators_and_nested_tapes_in_threads_equal_those_in_one(hasty):
    v = tf.Variable([1.0, 2.0, 3.0], dtype=tf.float64)
    expected = np.diag([3.0, 12.0, 27.0]), np.diag([6.0, 12.0, 18.0]), [3.0, 12.0, 27.0]

    def work(i):
        for _ in range(20):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = v * v * v
                first = inner.gradient(y, v)
            with tf.GradientTape(persistent=True) as tape:
                cube = v * v * v
            ones = tf.ones(3, tf.float64)
            with tf.autodiff.ForwardAccumulator(v, ones) as accumulator:
                forward = v * v * v
            found = tape.jacobian(cube, v), outer.jacobian(first, v), accumulator.jvp(forward)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one.numpy(), other, rtol=1e-14)
        return True

    assert all(together(work, 4))


def test_a_function_is_traced_and_run_by_many_threads_at_once(hasty):
    for _ in range(10):
        w = tf.Variable(2.0)
        square = tf.function(lambda x, w=w: w * x * x)

        def work(i, square=square, w=w):
            x = tf.constant(float(i))
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = square(x)
            return [float(g) for g in tape.gradient(y, [x, w])]

        assert together(work) == [[4.0 * i, float(i * i)] for i in range(THREADS)]


def test_journals_of_two_threads_hold_their_own_ops_only(hasty):
    def work(i):
        v = tf.Variable(float(i))
        for _ in range(10):
            with viz.recording() as journal, tf.GradientTape() as tape:
                y = v * v if i % 2 else tf.sin(v)
            names = {entry.op.name for entry in journal.entries}
            assert names == ({"multiply"} if i % 2 else {"sin"})
            tape.gradient(y, v)
        return True

    assert all(together(work, 4))


def test_a_thread_starts_with_an_empty_stack():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        (stack,) = together(lambda i: active(), 1)
        (elsewhere,) = together(lambda i: v * v, 1)
        y = v * 3.0
    assert stack == ()
    assert tape.gradient([y, elsewhere], v).numpy() == 3.0


# Generators: a generator runs in the context of whoever asks it, so its open tape is theirs too.


def squares_on_one_tape(v, out):
    with tf.GradientTape() as tape:
        total = v * 0.0
        for n in range(3):
            total = total + v * v
            yield n
    out.append(float(tape.gradient(total, v)))


def test_two_interleaved_generators_with_open_tapes_get_their_own_gradients():
    a, b, found = tf.Variable(2.0), tf.Variable(5.0), []
    for _ in zip(squares_on_one_tape(a, found), squares_on_one_tape(b, found), strict=False):
        pass
    assert found == [12.0]  # zip asks the first one last, so the second is still open
    assert active() == ()


def test_generators_that_end_in_the_order_of_their_start_leave_the_stack_empty():
    found = []
    running = [squares_on_one_tape(tf.Variable(x), found) for x in (1.0, 2.0, 3.0)]
    for _ in range(4):
        for each in running:
            next(each, None)
    assert found == [6.0, 12.0, 18.0]
    assert active() == ()


def test_a_generator_dropped_while_its_tape_is_open_takes_the_tape_off_the_stack():
    suspended = squares_on_one_tape(tf.Variable(2.0), [])
    next(suspended)
    assert len(active()) == 1
    del suspended
    assert active() == ()


def test_ops_of_the_consumer_are_recorded_too_while_a_generators_tape_is_open():
    def following(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = yield
            yield tape.gradient(y, x)

    x = tf.constant(3.0)
    suspended = following(x)
    next(suspended)
    assert float(suspended.send(x * x)) == 6.0
    suspended.close()
    assert active() == ()


def test_a_tape_closed_by_another_thread_goes_when_the_next_tape_is_entered():
    v = tf.Variable(2.0)
    suspended = squares_on_one_tape(v, [])
    next(suspended)
    together(lambda i: suspended.close(), 1)
    with tf.GradientTape() as tape:
        assert len(active()) == 1
        y = v * v
    assert active() == ()
    assert float(tape.gradient(y, v)) == 4.0


def test_a_tape_left_inside_of_a_mapped_function_does_not_come_back():
    suspended = squares_on_one_tape(tf.Variable(2.0), [])
    next(suspended)

    def closes(x):
        suspended.close()
        return x * 2.0

    @tf.custom_gradient
    def doubled(x):
        return closes(x), lambda g: 2.0 * g

    assert float(doubled(tf.constant(1.0))) == 2.0
    assert active() == ()


def test_a_tape_left_while_a_function_is_traced_does_not_come_back():
    suspended = squares_on_one_tape(tf.Variable(2.0), [])
    next(suspended)

    @tf.function
    def closing(x):
        suspended.close()
        return x * 2.0

    assert float(closing(tf.constant(1.0))) == 2.0
    assert active() == ()


# asyncio: each task has a copy of the context that it was made in.


async def descent(v, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            y = v * v
            await asyncio.sleep(0)
            y = y * v
        v.assign_sub(0.01 * tape.gradient(y, v))
        await asyncio.sleep(0)
    return float(v)


def test_tasks_that_hold_tapes_open_across_awaits_get_what_they_get_alone():
    def alone(x):
        for _ in range(20):
            x = x - 0.01 * 3.0 * x * x
        return x

    async def all_of_them():
        starts = [0.1 * n for n in range(20)]
        tasks = [descent(tf.Variable(x, dtype=tf.float64), 20) for x in starts]
        return await asyncio.gather(*tasks)

    found = asyncio.run(all_of_them())
    np.testing.assert_allclose(found, [alone(0.1 * n) for n in range(20)], rtol=1e-12)


def test_a_task_made_inside_of_a_tape_is_recorded_by_it():
    x = tf.constant(3.0)

    async def program():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = await asyncio.create_task(tripled(x))
        assert active() == ()
        return float(tape.gradient(y, x))

    async def tripled(x):
        await asyncio.sleep(0)
        return 3.0 * x

    assert asyncio.run(program()) == 3.0


def test_a_task_that_outlives_the_tapes_block_is_recorded_on_and_disturbs_nobody():
    x = tf.constant(3.0)

    async def program():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            task = asyncio.create_task(tripled())
        before = len(tape.recording.log)
        z = await task
        assert len(tape.recording.log) == before + 1
        assert active() == ()
        return float(tape.gradient(y, x)), float(tape.gradient(z, x))

    async def tripled():
        await asyncio.sleep(0)
        return 3.0 * x

    assert asyncio.run(program()) == (6.0, 3.0)


def test_a_cancelled_task_leaves_its_tape_and_disturbs_nobody():
    async def program():
        v = tf.Variable(2.0)
        task = asyncio.create_task(waiting(v))
        await asyncio.sleep(0)
        with tf.GradientTape() as tape:
            y = v * v
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            y = y * v
        return float(tape.gradient(y, v)), active()

    async def waiting(v):
        with tf.GradientTape():
            v * v
            await asyncio.sleep(60)

    assert asyncio.run(program()) == (12.0, ())
