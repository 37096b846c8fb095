"""Tangents through a recording: equal to columns, to forward mode and to differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import every_op
import minitape as tf
from minitape.forward_mode.pushing import forward
from minitape.forward_mode.transposition import output_ids
from minitape.leaving import only
from minitape.record import plan_of
from op_samples import all_samples, by_op
from rows import failing

RANDOM = np.random.default_rng(7)
W = RANDOM.normal(size=(3, 4))
CONSTANT = tf.Variable(RANDOM.normal(size=(2, 1)))


class Program(NamedTuple):
    """A function of one tensor, and where it is taken."""

    name: str
    function: Callable[[Any], Any]
    point: Any


def at(*shape: int) -> Any:
    return RANDOM.normal(size=shape)


def halves(x: Any) -> Any:
    first, second, third = tf.split(x, 3)
    return first * second + tf.sin(third)


def stretched(x: Any) -> Any:
    return (x + tf.ones((4, 1), x.dtype)) + tf.ones((2, 1, 1), x.dtype)


def restacked(x: Any) -> Any:
    return tf.stack([tf.sin(a) * 2.0 for a in tf.unstack(x)])


def powers(x: Any) -> Any:
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [tf.constant(0), x])[1]


@tf.custom_gradient
def own_gradient(x: Any) -> Any:
    return x * x, lambda g: g * 2.0 * x


PROGRAMS = [
    Program("scalar", lambda x: x * x * x, at()),
    Program("broadcasting", stretched, at(3)),
    Program("both sides stretched", lambda x: x[:, :1] * x[:1] / (1.0 + x[:, 1:] ** 2), at(2, 2)),
    Program("matmul", lambda x: tf.tanh(x @ W), at(2, 3)),
    Program("batched matmul", lambda x: tf.matmul(x, x, transpose_b=True), at(2, 2, 3)),
    Program("split", halves, at(6)),
    Program("stack of unstacked", restacked, at(3)),
    Program("reductions", lambda x: x / tf.reduce_sum(x * x, 1, True) + tf.reduce_max(x), at(2, 3)),
    Program("gather", lambda x: tf.gather(x * x, [0, 0, 2]) ** 3, at(3)),
    Program("a variable beside it", lambda x: CONSTANT * x + tf.exp(CONSTANT), at(2, 2)),
    Program("higher rank", lambda x: tf.transpose(x, [2, 0, 1]) * tf.exp(x[0, 0, 0]), at(2, 2, 3)),
    Program("inverse", lambda x: tf.linalg.inv(x), at(2, 2)),
    Program("softmax", tf.nn.softmax, at(4)),
    Program("choice", lambda x: tf.where(x > 0.0, x * x, tf.sin(x)), at(4)),
    Program("slices", lambda x: x[1:] * x[:-1], at(4)),
    Program("a cast and back", lambda x: tf.cast(tf.cast(x, tf.float64) ** 2, x.dtype), at(2)),
    Program("complex in between", lambda x: tf.math.real(tf.complex(x, x * x) ** 2), at(2)),
    Program("a loop", powers, at(2)),
    Program("a gradient of one's own", own_gradient, at(2)),
    Program("a function", tf.function(lambda x: x * tf.sin(x)), at(2)),
]  # fmt: skip
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])


def recorded(program: Program) -> tuple[Any, Any, Any]:
    x = tf.constant(np.asarray(program.point, np.float64))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = program.function(x)
    return tape, x, y


def passed(tape: Any, x: Any, y: Any, tangent: Any) -> tuple[list[Any], dict[int, Any]]:
    records = tape.recording.records
    tangents = {x.id: tf.constant(tangent)}
    with only(()):
        seed = np.ones(y.shape, y.dtype.as_numpy_dtype)[()]
        found = list(forward(records, {y.id: seed}, tangents))
    return found, tangents


@every_program
def test_a_unit_tangent_arrives_as_a_column_of_the_jacobian(program):
    tape, x, y = recorded(program)
    matrix = tape.jacobian(y, x).numpy().reshape(int(np.prod(y.shape)), -1)
    for j, unit in enumerate(np.eye(matrix.shape[1])):
        _, tangents = passed(tape, x, y, unit.reshape(x.shape))
        arrived = tangents[y.id].numpy()
        assert arrived.shape == tuple(y.shape)
        np.testing.assert_allclose(arrived.reshape(-1), matrix[:, j], rtol=1e-12, atol=1e-14)


@every_program
def test_any_tangent_arrives_as_in_forward_mode_and_as_differences_say(program):
    tape, x, y = recorded(program)
    tangent = np.cos(np.arange(program.point.size, dtype=np.float64)).reshape(x.shape)
    _, tangents = passed(tape, x, y, tangent)
    arrived = tangents[y.id].numpy()
    with tf.autodiff.ForwardAccumulator(x, tf.constant(tangent)) as accumulator:
        again = program.function(x)
    np.testing.assert_allclose(arrived, accumulator.jvp(again).numpy(), rtol=1e-12, atol=1e-14)
    ends = [program.function(tf.constant(x.numpy() + h * tangent)).numpy() for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(arrived, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-7)


@every_program
def test_each_total_is_what_was_there_and_the_share(program):
    tape, x, y = recorded(program)
    found, tangents = passed(tape, x, y, np.ones(x.shape))
    for push in found:
        so_far: dict[int, Any] = {}
        for share in push.shares:
            key = output_ids(push.record)[share.output]
            assert share.old is so_far.get(key)
            old = 0 if share.old is None else share.old.numpy()
            np.testing.assert_array_equal(share.total.numpy(), old + share.value.numpy())
            so_far[key] = share.total
        assert all(tangents[key] is total for key, total in so_far.items())


OPS = by_op(s for s in all_samples() if s.order >= 1 and s.dtypes in ("real", "float"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OPS)
def test_a_record_of_every_op_pushes_as_forward_mode_does(name):
    assert failing(pushes_as_forward_mode_does, OPS[name]) == {}


def pushes_as_forward_mode_does(sample):
    inputs = every_op.arrays(sample, "float64")
    tensors = [tf.constant(x) for x in inputs]
    places = every_op.differentiable(sample, inputs)
    directions = every_op.weights([inputs[i] for i in places], 3)
    primals = [tensors[i] for i in places]
    tangents = [tf.constant(t) for t in directions]
    with (
        tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator,
        tf.GradientTape(persistent=True) as tape,
    ):
        tape.watch(primals)
        outputs = every_op.call(sample, tensors)
    records = tape.recording.records
    seeds = every_op.weights(outputs, 1)
    for y, seed in zip(outputs, seeds, strict=True):
        if seed is None:
            continue
        found = {x.id: t for x, t in zip(primals, tangents, strict=True)}
        with only(()):
            list(forward(records, {y.id: seed[()]}, found))
        wanted = accumulator.jvp(y, "zero").numpy()
        arrived = np.zeros(y.shape) if found.get(y.id) is None else found[y.id].numpy()
        np.testing.assert_allclose(arrived, wanted, rtol=1e-9, atol=1e-11)


def test_what_does_not_lead_to_the_target_is_not_visited():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        aside = tf.exp(x)
    found, tangents = passed(tape, x, y, np.float32(1))
    assert [plan_of(push.record).op.name for push in found] == ["multiply"]
    assert aside.id not in tangents


def test_an_input_without_a_tangent_gives_no_share():
    x, w = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = x * w
    found, tangents = passed(tape, x, y, np.float32(1))
    assert [share.id for share in found[0].shares] == [x.id]
    assert float(tangents[y.id]) == 5.0


def test_a_tangent_is_as_wide_as_a_result_that_no_record_describes():
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = (x + tf.ones([3])) + tf.ones([2, 1])
    found, tangents = passed(tape, x, y, np.ones(1, np.float32))
    assert [tuple(push.specs[0].shape) for push in found] == [(3,), (2, 3)]
    assert tangents[y.id].numpy().tolist() == [[1.0] * 3] * 2


def test_an_op_without_a_gradient_is_named():
    x = tf.Variable([[[2.0]]])
    with tf.GradientTape() as tape:
        y = tf.image.adjust_contrast(x, 2.0)
    with pytest.raises(LookupError, match="no entry for: AdjustContrastv2"):
        passed(tape, x, y, np.ones((1, 1, 1), np.float32))
