"""NumPy's error state and the warning filters are the user's: no result of ours depends on them.

The sweep puts zeros, infinities, NaN and the largest numbers into every op, where NumPy would
complain. What is expected of an op under each setting is what it gives under none.
"""

from __future__ import annotations

import asyncio
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import every_op
import minitape
import minitape as tf
from every_op import call, differentiable
from minitape import viz
from minitape.names import namespaces
from minitape.op import registry
from op_samples import all_samples, by_op

namespaces.load_rest()
OPS = by_op(all_samples())
EXTREME = np.array([0.0, -0.0, 1e30, -1e30, 1e-38, np.inf, -np.inf, np.nan, -1.0], np.float32)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class settings:  # noqa: N801  # reads as a function
    """A block under some settings, at whose end they are as they were at its beginning."""

    def __init__(self, kind):
        self.kind = kind
        self.catching = warnings.catch_warnings()

    def __enter__(self):
        self.before = np.geterr()
        self.catching.__enter__()
        if self.kind == "state":
            np.seterr(all="raise")
        if self.kind == "filter":
            np.seterr(all="warn")
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        self.wanted = np.geterr()

    def __exit__(self, kind, error, trace):
        found = np.geterr()
        np.seterr(**self.before)
        self.catching.__exit__(kind, error, trace)
        assert error is not None or found == self.wanted


def results(sample, inputs):
    """Values and gradients as bytes, or the class of the error."""
    places = differentiable(sample, inputs)
    tensors = [tf.constant(x) for x in inputs]
    tf.random.set_seed(0)
    try:
        with tf.GradientTape() as tape:
            tape.watch([tensors[i] for i in places])
            outputs = call(sample, tensors)
        grads = tape.gradient(outputs, [tensors[i] for i in places]) if places else []
    except Exception as error:
        return type(error)
    dense = [None if g is None else tf.convert_to_tensor(g) for g in grads]
    return [None if y is None else bits(y.numpy()) for y in (*outputs, *dense)]


def bits(value):
    array = np.asarray(value)
    return array.tolist() if array.dtype == object else array.tobytes()


def extreme(sample):
    """The sample's inputs; floats are extreme ones."""
    inputs = []
    for x in every_op.arrays(sample, "float32"):
        is_float = x.dtype == np.float32
        inputs.append(np.resize(EXTREME, x.shape).astype(np.float32) if is_float else x)
    return inputs


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name in OPS if not registry[name].op.effect))
def test_an_op_of_extreme_numbers_gives_the_same_under_all_settings(name):
    for row, (sample,) in OPS[name].items():
        inputs = extreme(sample)
        expected = results(sample, inputs)
        for kind in ("state", "filter"):
            with settings(kind):
                found = results(sample, inputs)
            assert found == expected, f"{row}, {kind}"


def in_a_function():
    return tf.function(lambda x: tf.math.log(x) / x)(tf.zeros([2]))


def in_a_loop():
    @tf.function
    def f(x):
        for _ in tf.range(4):
            x = x * x
        return x

    return f(tf.constant(1e30))


def in_a_session():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.math.log(x)
        with tf.compat.v1.Session() as session:
            return np.array(session.run([y, *tf.gradients(y, [x])], {x: [0.0, -1.0]}))


def in_a_batch():
    return tf.vectorized_map(lambda x: tf.math.log(x) / x, tf.constant([0.0, -1.0]))


def in_a_second_gradient():
    x = tf.constant([0.0, 1e30])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sqrt(x) * x
        g = inner.gradient(y, x)
    return outer.gradient(g, x)


def in_a_jacobian():
    x = tf.constant([0.0, 1e30])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x) / x
    return tape.jacobian(y, x)


def in_forward_mode():
    x = tf.constant([0.0, 1e30])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = tf.sqrt(x) / x
    return accumulator.jvp(y)


def in_an_assignment():
    v = tf.Variable([3e38, np.inf])
    v.assign_add([3e38, 1.0])
    v.assign_sub([1.0, np.inf])
    return v


def in_a_constant():
    return tf.constant([1.0]) * 1e300 - tf.cast(tf.constant(1e300, tf.float64), tf.float32)


def in_a_fit():
    layers = [tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(2, "softmax")]
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential(layers)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    x = np.array([[1e38, -1e38], [np.nan, 0.0]], np.float32)
    history = model.fit(x, np.array([0, 1]), epochs=2, verbose=0)
    return tf.constant(history.history["loss"])


def in_a_pipeline():
    data = tf.data.Dataset.from_tensor_slices([0.0, -1.0])
    return next(iter(data.map(lambda x: tf.math.log(x) / 0.0).batch(2)))


def in_a_page():
    x = tf.Variable([0.0, -1.0])
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.math.log(x) / x)
    viz.step(tape, y, x)._repr_mimebundle_()
    return y


PROGRAMS = [value for name, value in sorted(globals().items()) if name.startswith("in_a")]
PROGRAMS.append(in_forward_mode)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_with_infinities_gives_the_same_under_all_settings(program):
    expected = np.asarray(program())
    for kind in ("state", "filter"):
        with settings(kind):
            found = np.asarray(program())
        np.testing.assert_array_equal(found, expected)


def test_an_error_of_the_op_itself_is_the_same_under_all_settings():
    for kind in ("none", "state", "filter"):
        with settings(kind), pytest.raises(tf.errors.InvalidArgumentError, match="matmul"):
            tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


def halves(x):
    return x / np.zeros_like(x)


def test_a_function_of_the_user_has_the_settings_of_the_user():
    x = tf.ones([2])
    with np.errstate(all="raise"):
        with pytest.raises(Exception, match="divide by zero"):
            tf.numpy_function(halves, [x], tf.float32)
        with pytest.raises(Exception, match="divide by zero"):
            tf.function(lambda x: tf.numpy_function(halves, [x], tf.float32))(x)
        assert np.geterr()["divide"] == "raise"


@pytest.mark.fast_layer
def test_a_gradient_of_the_user_has_the_settings_of_the_user_in_a_sweep():
    @tf.custom_gradient
    def f(x):
        return x, lambda g: tf.constant(halves(np.ones(2, np.float32)))

    x = tf.ones([2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError, match="divide by zero"):
            tape.gradient(y, x)
        assert np.geterr()["divide"] == "raise"


def test_what_a_function_of_the_user_sets_stays_set():
    before = np.geterr()

    def f(x):
        np.seterr(over="raise")
        return x

    try:
        np.seterr(divide="raise")
        tf.function(lambda x: tf.numpy_function(f, [x], tf.float32))(tf.ones([2]))
        assert np.geterr() == before | {"divide": "raise", "over": "raise"}
    finally:
        np.seterr(**before)


def entries(program, place):
    """Runs it with an interrupt at the entry of its n-th function that opens or leaves a block."""
    seen = 0

    def look(frame, event, _):
        nonlocal seen
        code = frame.f_code
        if event == "call" and (
            code.co_filename.endswith(("contextlib.py", "_ufunc_config.py", "silence.py"))
            or (
                code.co_name in ("__enter__", "__exit__", "__call__")
                and "minitape" in code.co_filename
            )
        ):
            seen += 1
            if seen == place:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(look)
    try:
        program()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("program", [in_a_session, in_a_second_gradient, in_a_batch, in_a_page])
def test_an_interrupt_at_any_block_leaves_the_settings_as_they_were(program):
    with settings("state"):
        program()
        place = 1
        while entries(program, place) and place < 100:
            assert set(np.geterr().values()) == {"raise"}, place
            place += 1
    assert place > 3


@pytest.mark.parametrize("kind", ["tape", "accumulator", "journal"])
def test_a_block_of_an_async_generator_that_is_broken_off_ends_with_the_next_tape(kind):
    async def main():
        v, x = tf.Variable(2.0), tf.constant(2.0)

        def block():
            if kind == "tape":
                return tf.GradientTape()
            if kind == "journal":
                return viz.recording()
            return tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))

        async def steps():
            with block() as opened:
                left.append(opened)
                yield v * x
                yield v * x

        left = []
        async for _ in steps():
            break
        await asyncio.sleep(0.01)  # a task of its own closes the generator
        with tf.GradientTape() as tape:
            y = v * v
        assert float(tape.gradient(y, v)) == 4.0
        return tf_stack()

    def tf_stack():
        from minitape.interpreter import active

        return active()

    assert asyncio.run(main()) == ()


def test_blocks_without_complaints_are_those_that_survive_an_interrupt():
    root = Path(minitape.__file__).parent
    files = [path for folder in (root, root / "viz") for path in folder.rglob("*.py")]
    using = {path.name for path in files if "np.errstate(" in path.read_text("utf-8")}
    assert len(files) > 600
    assert using == {"silence.py"}
