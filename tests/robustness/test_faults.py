"""An exception at every op in turn: the stack is empty, nothing is kept, the next gradient right.

The program has 50 ops of the five kinds of call (one input, two, with an attribute, several
outputs, any number of inputs). All of them burn one fuse, so that an error can be raised in any
forward and in any rule. The right answer is a complex step through the same program in NumPy.
"""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.errors import InvalidArgumentError
from minitape.interpreter import active
from minitape.op import exports, primitive, registry
from minitape.tensor import Array, Arrays, Spec, Tensor

START = np.array([0.3, -0.7, 1.1])


class Fuse:
    """Raises `error` once, after it was burnt `left` times; never with a negative `left`."""

    left = -2
    burnt = 0
    error: type[BaseException] = RuntimeError

    def burn(self):
        self.burnt += 1
        self.left -= 1
        if self.left == -1:
            raise self.error("the fuse is burnt")

    def set(self, left, error=RuntimeError):
        self.left, self.error, self.burnt = left, error, 0


fuse = Fuse()


@primitive()
def fragile_sine(x: Array) -> Array:
    fuse.burn()
    return np.sin(x)


@fragile_sine.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    fuse.burn()
    return g * registry["cos"](x)


@primitive(broadcasts=True)
def fragile_product(x: Array, y: Array) -> Array:
    fuse.burn()
    return x * y


@fragile_product.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    fuse.burn()
    return g * y


@fragile_product.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    fuse.burn()
    return g * x


@primitive(elementwise=True)
def fragile_scale(x: Array, factor: float = 1.1) -> Array:
    fuse.burn()
    return x * x.dtype.type(factor)


@fragile_scale.vjp("x")
def _(g: Tensor, factor: float) -> Tensor:
    fuse.burn()
    return g * factor


@primitive()
def fragile_halves(x: Array) -> tuple[Array, Array]:
    fuse.burn()
    return x * 0.25, x * 0.75


@fragile_halves.vjp("x")
def _(g: tuple[Tensor, Tensor], x: Spec) -> Tensor:
    fuse.burn()
    return g[0] * 0.25 + g[1] * 0.75


@primitive()
def fragile_sum(values: Arrays) -> Array:
    fuse.burn()
    return sum(values)


@fragile_sum.vjp("values")
def _(g: Tensor) -> Tensor:
    fuse.burn()
    return g


OURS = {
    each.op.name: each
    for each in (fragile_sine, fragile_product, fragile_scale, fragile_halves, fragile_sum)
}
for _name in OURS:
    registry.pop(_name), exports.pop(_name, None)


@pytest.fixture(autouse=True)
def _our_ops_are_known(monkeypatch):
    for name, op in OURS.items():
        monkeypatch.setitem(registry, name, op)
    fuse.set(-2)
    gc.disable()  # what is freed here is freed without it
    yield
    gc.enable()
    assert active() == ()


def program(x, made=None):
    """50 ops: ten rounds of five; `made` gets a weak reference to every tensor on the way."""
    made = [] if made is None else made
    y = x
    for _ in range(10):
        a = fragile_sine.public(y)
        b = fragile_scale.public(a)
        c, d = fragile_halves.public(b)
        e = fragile_sum.public([c, d, a])
        y = fragile_product.public(e, x)
        made += map(weakref.ref, (a, b, c, d, e, y))
    return y


def in_numpy(x):
    y = x
    for _ in range(10):
        a = np.sin(y)
        b = 1.1 * a
        y = (0.25 * b + 0.75 * b + a) * x
    return y


def derivative(x, h=1e-30):
    return in_numpy(x + 1j * h).imag / h


EXPECTED = derivative(START)
SECOND = (derivative(START + 1e-6) - derivative(START - 1e-6)) / 2e-6


def gradient(made, persistent=False):
    x = tf.constant(START)
    with tf.GradientTape(persistent=persistent) as tape:
        made.append(weakref.ref(tape))
        tape.watch(x)
        y = program(x, made)
    return tape.gradient(y, x)


def gradient_inside_of_a_persistent_tape(made):
    x = tf.constant(START)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        return tape.gradient(program(x, made), x)


def second_gradient(made):
    x = tf.constant(START)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            made += [weakref.ref(outer), weakref.ref(inner)]
            inner.watch(x)
            y = program(x, made)
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


def jacobian(made):
    x = tf.constant(START)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = program(x, made)
    return tf.linalg.diag_part(tape.jacobian(y, x))


def batch_jacobian(made):
    x = tf.constant(START[:, None])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = program(x, made)
    return tf.reshape(tape.batch_jacobian(y, x), [3])


def jacobian_row_by_row(made):
    x = tf.constant(START)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = program(x, made)
    return tf.linalg.diag_part(tape.jacobian(y, x, experimental_use_pfor=False))


def forward_mode(made):
    x = tf.constant(START)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = program(x, made)
    return accumulator.jvp(y)


def forward_over_reverse(made):
    x = tf.constant(START)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x, made)
        first = tape.gradient(y, x)
    return accumulator.jvp(first)


def function(made):
    """To find shapes, tracing tries forwards out, and does without the trial if it fails."""
    x = tf.constant(START)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: program(x, made))(x)
    return tape.gradient(y, x)


def vectorized(made):
    x = tf.constant(START)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda x: program(x, made), x)
    return tape.gradient(y, x)


def gradients_inside_of_a_map(made):
    def one(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x, made)
        return tape.gradient(y, x)

    return tf.vectorized_map(one, tf.constant(START))


def recorded_by_the_viewer(made):
    try:
        with viz.recording():
            return gradient(made)
    finally:
        viz.recording()  # the viewer keeps the last journal, and with a new one the old one goes


def own_gradient(made):
    @tf.custom_gradient
    def own(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = program(x, made)
        return y, lambda g: g * tape.gradient(y, x)

    x = tf.constant(START)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = own(x)
    return tape.gradient(y, x)


def recomputed(made):
    x = tf.constant(START)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda x: program(x, made))(x)
    return tape.gradient(y, x)


def through_a_loop(made):
    def body(i, x, y):
        y = fragile_product.public(fragile_sine.public(y), tf.constant(2.1, tf.float64))
        y = fragile_product.public(fragile_scale.public(y, 1.0), x)
        made.append(weakref.ref(y))
        return i + 1, x, y

    x = tf.constant(START)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda i, x, y: i < 10, body, [tf.constant(0), x, x])[2]
    return tape.gradient(y, x)


PROGRAMS = {
    "a gradient": (gradient, EXPECTED),
    "a persistent tape": (lambda made: gradient(made, True), EXPECTED),
    "inside of a persistent tape": (gradient_inside_of_a_persistent_tape, EXPECTED),
    "nested tapes": (second_gradient, SECOND),
    "a jacobian": (jacobian, EXPECTED),
    "a batch jacobian": (batch_jacobian, EXPECTED),
    "a jacobian row by row": (jacobian_row_by_row, EXPECTED),
    "an accumulator": (forward_mode, EXPECTED),
    "a tape in an accumulator": (forward_over_reverse, SECOND),
    "a function while it is traced": (function, EXPECTED),
    "vectorized_map": (vectorized, EXPECTED),
    "a tape in vectorized_map": (gradients_inside_of_a_map, EXPECTED),
    "the viewer's recording": (recorded_by_the_viewer, EXPECTED),
    "a custom gradient": (own_gradient, EXPECTED),
    "recompute_grad": (recomputed, EXPECTED),
    "while_loop": (through_a_loop, EXPECTED),
}
ERRORS = [KeyboardInterrupt, InvalidArgumentError, MemoryError]


def burns(work):
    """How many forwards and rules a program runs."""
    fuse.set(-2)
    work([])
    return fuse.burnt


def raised_by(work, made):
    """The type of what `work` raises; the exception itself, and its frames, are gone."""
    try:
        work(made)
    except BaseException as error:
        return type(error)
    return None


def alive(made):
    return [reference() for reference in made if reference() is not None]


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(("work", "expected"), PROGRAMS.values(), ids=list(PROGRAMS))
def test_an_error_in_any_op_leaves_nothing_behind_in(work, expected, error):
    count = burns(work)
    assert count >= 40
    step = 1 if error is KeyboardInterrupt else 11
    for k in range(0, count, step):
        made = []
        fuse.set(k, error)
        found = raised_by(work, made)
        assert issubclass(found or error, error) and (found or work is function), k
        assert active() == (), k
        assert alive(made) == [], k
    fuse.set(-2)
    np.testing.assert_allclose(work([]).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("k", range(0, 50, 7))
def test_a_persistent_tape_answers_rightly_after_a_sweep_that_failed(k):
    x = tf.constant(START)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = program(x)
    fuse.set(k, KeyboardInterrupt)
    assert raised_by(lambda _: tape.gradient(y, x), []) is KeyboardInterrupt
    assert raised_by(lambda _: tape.jacobian(y, x), []) is None  # the fuse is burnt once
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), EXPECTED, rtol=1e-12)


def test_a_tape_can_be_asked_for_what_was_recorded_before_the_error():
    x = tf.constant(START)
    fuse.set(20, ValueError)
    with pytest.raises(ValueError), tf.GradientTape() as tape:  # noqa: PT011
        tape.watch(x)
        first = fragile_sine.public(x)
        program(first)
    fuse.set(-2)
    np.testing.assert_allclose(tape.gradient(first, x).numpy(), np.cos(START))


def test_a_missing_gradient_is_an_error_without_a_reference_cycle():
    image = tf.Variable([[[0.5, 0.0, 0.0]]])

    def asks(made):
        with tf.GradientTape() as tape:
            made.append(weakref.ref(tape))
            out = tf.image.adjust_contrast(image, 0.5)
            made.append(weakref.ref(out))
        tape.gradient(out, image)

    made = []
    assert raised_by(asks, made) is LookupError
    assert alive(made) == []


def test_an_assignment_that_fails_leaves_the_variable_and_its_lock():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign_add([1.0])
    with pytest.raises(ZeroDivisionError):
        v.update(lambda old, new: 1 / 0, None)
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0]
