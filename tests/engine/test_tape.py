"""`GradientTape`: recording, watching, lifetime, structure, and what happens to wrong calls."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import minitape as tf
from minitape.interpreter import active
from peak import collect_all


@pytest.fixture(autouse=True)
def _stack_is_as_before():
    before = active()
    yield
    assert active() == before


def cubed(persistent=False):
    """A tape of y = x^3 at 2, where dy/dx = 12."""
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * x * x
    return tape, x, y


def test_the_gradient_of_a_cube_is_three_squares():
    tape, x, y = cubed()
    assert float(tape.gradient(y, x)) == 12.0


def test_a_second_gradient_call_on_a_nonpersistent_tape_raises():
    tape, x, y = cubed()
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="only be used to compute one set of gradients"):
        tape.gradient(y, x)


def test_a_persistent_tape_answers_again_and_after_its_block():
    tape, x, y = cubed(persistent=True)
    assert float(tape.gradient(y, x)) == float(tape.gradient(y, x)) == 12.0


def test_a_nonpersistent_tape_frees_what_it_kept_once_it_is_used():
    x = tf.constant(np.ones(10))
    with tf.GradientTape() as tape:
        tape.watch(x)
        hidden = tf.sin(x)
        y = tf.reduce_sum(hidden * hidden)
    kept = weakref.ref(hidden.value)
    del hidden
    assert kept() is not None
    tape.gradient(y, x)
    assert kept() is None


def test_a_tape_holds_no_reference_cycle():
    collect_all()
    tape, x, y = cubed(persistent=True)
    tape.gradient(y, x)
    gone = weakref.ref(tape)
    del tape, x, y
    assert gone() is None
    assert gc.collect() == 0


def test_a_value_that_no_rule_needs_is_not_kept():
    x = tf.constant(np.ones(10))
    with tf.GradientTape() as tape:
        tape.watch(x)
        shifted = x + 1.0  # neither add nor exp needs this value; exp keeps its own result
        y = tf.exp(shifted)
    gone = weakref.ref(shifted.value)
    del shifted
    assert gone() is None
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.exp(np.full(10, 2.0)))


def test_an_unwatched_constant_has_no_gradient():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_an_unconnected_source_gets_zeros_on_request():
    tape, _, y = cubed()
    other = tf.constant([[1.0, 2.0]], tf.float64)
    zeros = tape.gradient(y, other, unconnected_gradients="zero")
    assert zeros.dtype == tf.float64
    assert zeros.numpy().tolist() == [[0.0, 0.0]]


def test_third_derivatives_by_three_nested_tapes_are_exact():
    x = tf.Variable(1.5, dtype=tf.float64)
    with tf.GradientTape() as t3, tf.GradientTape() as t2, tf.GradientTape() as t1:
        y = x**5
        first = t1.gradient(y, x)
        second = t2.gradient(first, x)
        third = t3.gradient(second, x)
    assert float(third) == pytest.approx(60 * 1.5**2, rel=1e-14)


def test_two_tapes_that_overlap_without_nesting_both_record():
    x = tf.constant(3.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    first.watch(x)
    a = x * x
    second.__enter__()
    second.watch(x)
    b = a * x
    first.__exit__(None, None, None)
    c = b * x
    second.__exit__(None, None, None)
    assert float(first.gradient(b, x)) == 27.0
    assert float(second.gradient(c, x)) == 27.0 + 9.0 * 3.0  # a is a constant for the second tape


def test_reads_of_a_variable_before_and_after_an_assignment_add_up():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(10.0)
        z = y + v * v
    assert float(tape.gradient(z, v)) == 4.0 + 20.0


def test_a_tensor_read_from_a_variable_outside_is_not_watched_by_a_later_read():
    v = tf.Variable(2.0)
    outside = tf.convert_to_tensor(v)
    with tf.GradientTape() as tape:
        y = outside * v
    assert float(tape.gradient(y, v)) == 2.0


def test_watching_a_read_value_leaves_other_reads_alone():
    v = tf.Variable(2.0)
    one, other = v.value(), v.value()
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(one)
        y = one * 3.0 + other * 5.0
    assert tape.gradient(y, [one, other, v])[1:] == [None, None]


def test_an_array_changed_after_recording_does_not_change_the_gradient():
    array = np.array([1.0, 2.0], np.float32)
    x = tf.constant(array)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * array
    array[:] = 100.0
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 2.0]


def test_a_chain_of_100_000_ops_differentiates_without_recursion():
    x = tf.constant(1.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(100_000):
            y = y + x
    assert float(tape.gradient(y, x)) == 100_001.0


def test_an_exception_inside_the_block_leaves_the_tape_and_the_stack():
    v = tf.Variable(2.0)
    with pytest.raises(ZeroDivisionError), tf.GradientTape() as tape:
        y = v * v
        _ = 1 / 0
    assert active() == ()
    assert float(tape.gradient(y, v)) == 4.0


def test_sources_in_a_nest_of_the_flat_length_keep_their_structure():
    tape, x, y = cubed(persistent=True)
    one, (two,) = tape.gradient(y, [x, (x,)])
    assert float(one) == float(two) == 12.0


class TestWrongCalls:
    """Each raises before anything changes: the tape can still be asked."""

    def test_a_target_of_none_names_the_forgotten_return(self):
        tape, x, y = cubed()
        with pytest.raises(TypeError, match="forget its `return`"):
            tape.gradient(None, x)
        assert float(tape.gradient(y, x)) == 12.0

    @pytest.mark.parametrize("source", [2.0, None, np.ones(2), "x"])
    def test_a_source_that_is_not_a_tensor_says_what_to_pass(self, source):
        tape, x, y = cubed()
        with pytest.raises((TypeError, ValueError), match="tf.constant"):
            tape.gradient(y, source)
        assert float(tape.gradient(y, x)) == 12.0

    def test_an_unknown_mode_for_unconnected_gradients_lists_the_known_ones(self):
        tape, x, y = cubed()
        with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'ones'"):
            tape.gradient(y, x, unconnected_gradients="ones")
        assert float(tape.gradient(y, x)) == 12.0

    def test_weights_of_another_shape_are_refused_with_both_shapes(self):
        tape, x, y = cubed()
        with pytest.raises(ValueError, match=r"\(2,\).*\(\)"):
            tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0]))
        assert float(tape.gradient(y, x)) == 12.0

    def test_entering_a_tape_twice_raises_and_goes_on_recording(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with pytest.raises(ValueError, match="Tape is still recording"), tape:
                pass
            y = v * v
        assert float(tape.gradient(y, v)) == 6.0

    def test_watching_a_list_with_a_number_in_it_watches_nothing(self):
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            with pytest.raises(ValueError, match="Passed in object of type"):
                tape.watch([x, 2.0])
            y = x * x
        assert tape.gradient(y, x) is None

    def test_watching_an_integer_warns_and_gives_none(self, caplog):
        n = tf.constant(3)
        with tf.GradientTape() as tape:
            tape.watch(n)
            y = n * n
        assert "must be floating" in caplog.text
        assert tape.gradient(y, n) is None

    def test_watching_a_string_warns_and_does_not_fail(self, caplog):
        with tf.GradientTape() as tape:
            tape.watch(tf.constant("text"))
        assert "tf.string" in caplog.text

    def test_tensors_of_two_dtypes_raise_and_name_the_cast(self):
        with pytest.raises((TypeError, ValueError), match=r"tf\.cast\(y, tf\.float32\)"):
            tf.constant(1.0) * tf.constant(1.0, tf.float64)

    def test_shapes_that_do_not_broadcast_are_named(self):
        with pytest.raises(ValueError, match=r"\(2, 3\).*\(2,\)"):
            tf.ones([2, 3]) + tf.ones([2])

    def test_stop_recording_needs_a_tape_that_records(self):
        with pytest.raises(RuntimeError, match="not recording"), tf.GradientTape().stop_recording():
            pass

    def test_an_op_without_a_gradient_names_itself_and_the_way_out(self):
        image = tf.Variable([[[0.5, 0.0, 0.0]]])
        with tf.GradientTape() as tape:
            out = tf.image.adjust_contrast(image, 0.5)
        with pytest.raises(LookupError) as caught:
            tape.gradient(out, image)
        assert str(caught.value) == "gradient registry has no entry for: AdjustContrastv2"
        assert "tf.custom_gradient" in caught.value.__notes__[0]


@pytest.mark.parametrize("make", [tf.identity, lambda x: x * 1.0, tf.convert_to_tensor])
@pytest.mark.parametrize("persistent", [False, True])
def test_watching_a_result_changes_nothing_about_its_gradient_or_that_of_its_inputs(
    make, persistent
):
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=persistent) as tape:
        y = make(v)
        tape.watch(y)
        z = y * y
    assert [float(g) for g in tape.gradient(z, [y, v])] == [6.0, 6.0]


def test_a_watched_result_alone_is_a_source():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tape.watch(y)
        z = y * x
    assert tape.gradient(z, y).numpy().tolist() == [1.0, 2.0]
    assert tape.jacobian(z, [y])[0].numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert tape.gradient(z, x).numpy().tolist() == [3.0, 12.0]
