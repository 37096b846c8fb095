"""`viz.explain`: every cause of a None is named with its line, drawn, and mended.

Each test has a small program with the mistake, and the mended program written out: its gradient is
compared with the derivative from a calculus book.
"""

from __future__ import annotations

import linecache
import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from programs import PROGRAMS, recorded

NAMESPACE = "{http://www.w3.org/2000/svg}"


def is_explained(why, cause, code=None, note=None, mend=None):
    """One cause, its line, a break with its note in trace and picture, and the mended line."""
    assert why.cause == cause, why.text
    assert why.gradient is None
    assert why.is_certain
    if code is not None:
        assert why.line is not None and why.line.text.strip() == code
    assert why.trace.breaks
    if note is not None:
        assert any(note in broken.note for broken in why.trace.breaks)
    root = ElementTree.fromstring(why.picture.svg)
    drawn = [g for g in root.iter(f"{NAMESPACE}g") if g.get("class") == "break"]
    assert len(drawn) == len(why.trace.breaks)
    marked = [e for e in root.iter() if "broken" in (e.get("class") or "").split()]
    assert marked
    if mend is not None:
        assert mend in why.mend
    bundle = why._repr_mimebundle_()
    assert '<img src="data:image/svg+xml' in bundle["text/html"]
    assert "<script" not in bundle["text/html"] and "<style" not in bundle["text/html"]
    assert why.text in bundle["text/plain"] and why.mend.split("\n")[0] in bundle["text/plain"]
    assert viz.Trace.from_json(why.trace.to_json()) == why.trace


def test_a_tensor_that_is_not_watched():
    x = tf.constant(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    why = viz.explain(tape, y, x)
    is_explained(why, "not_watched", "y = x * x", "not watched", "    tape.watch(x)")
    assert "`x`" in why.text and "`y`" in why.text
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_a_tensor_that_is_watched_after_it_was_used():
    x = tf.constant(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
    why = viz.explain(tape, y, x)
    is_explained(why, "watched_too_late", "y = x * x", "before it is watched", "tape.watch(x)")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_a_variable_replaced_by_a_tensor():
    x = tf.Variable(2.0)
    with viz.recording():
        for _ in range(2):
            with tf.GradientTape() as tape:
                y = x * 3.0
            x = x + 1.0
        with tf.GradientTape() as tape:
            y = x * 3.0
    why = viz.explain(tape, y, x)
    is_explained(why, "variable_replaced", "x = x + 1.0", "tensor", "x.assign_add(1.0)")
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x * 3.0
        x.assign_add(1.0)
    assert float(tape.gradient(y, x)) == 3.0


@pytest.mark.parametrize(
    "line, mend",
    [("x = x - 0.5 * x", "x.assign_sub(0.5 * x)"), ("x = 2.0 * x", "x.assign(2.0 * x)")],
)
def test_the_mend_of_a_replaced_variable_is_the_assignment(line, mend):
    scope = {"tf": tf, "viz": viz}
    code = f"x = tf.Variable(2.0)\nwith viz.recording():\n  {line}\n"
    code += "  with tf.GradientTape() as tape:\n    y = x * x\n"
    linecache.cache["lesson.py"] = (len(code), None, code.splitlines(True), "lesson.py")
    exec(compile(code + "why = viz.explain(tape, y, x)", "lesson.py", "exec"), scope)
    assert scope["why"].cause == "variable_replaced"
    assert scope["why"].mend == mend
    assert scope["why"].line.number == 3


def test_left_for_numpy():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with viz.recording(), tf.GradientTape() as tape:
        x2 = x**2
        y = np.mean(x2, axis=0)
        y = tf.reduce_mean(y, axis=0)
    why = viz.explain(tape, y, x)
    mend = "y = tf.reduce_mean(x2, axis=0)"
    is_explained(why, "numpy", "y = np.mean(x2, axis=0)", "left: numpy", mend)
    with tf.GradientTape() as tape:
        x2 = x**2
        y = tf.reduce_mean(x2, axis=0)
        y = tf.reduce_mean(y, axis=0)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [[0.5, 1.0], [1.5, 2.0]])


def test_left_for_a_python_float():
    x, w = tf.Variable(3.0), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        scale = float(x)
        y = w * scale
    why = viz.explain(tape, y, x)
    is_explained(why, "numpy", "scale = float(x)", "left: float", "scale = x")
    with tf.GradientTape() as tape:
        scale = x
        y = w * scale
    assert float(tape.gradient(y, x)) == 2.0


def test_a_printed_value_is_not_blamed():
    x, w = tf.Variable(3.0), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        assert float(x) == 3.0
        y = w * 2.0
    why = viz.explain(tape, y, x)
    is_explained(why, "no_path", "y = w * 2.0", "no way", "tape.gradient(y, w)")


def test_numpy_without_a_tie_leaves_two_causes_open():
    x = tf.Variable([3.0, 1.0])
    with viz.recording(), tf.GradientTape() as tape:
        seen = [x.numpy()]
        other = np.random.default_rng(0).normal(size=2).astype("float32")
        y = tf.reduce_sum(tf.constant(other))
    why = viz.explain(tape, y, x)
    assert seen and why.causes == ("numpy", "no_path") and not why.is_certain
    assert "one of these" in why.text


def test_an_integer_source():
    x = tf.constant(10)
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    why = viz.explain(tape, y, x)
    is_explained(why, "dtype", None, "int32", "tf.cast(x, tf.float32)")
    x = tf.constant(10.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 20.0


def test_an_integer_source_made_in_the_recording_is_mended_where_it_is_made():
    with viz.recording():
        x = tf.constant([1, 2])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
    why = viz.explain(tape, y, x)
    is_explained(why, "dtype", "x = tf.constant([1, 2])", "int32", "x = tf.constant([1.0, 2.0])")


def test_a_string_source():
    x = tf.constant("3.0")
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(1.0) * 2.0
    why = viz.explain(tape, y, x)
    is_explained(why, "dtype", None, "string")
    assert "string" in why.text


def test_a_cast_to_integers_on_the_way():
    x = tf.Variable(3.7)
    with viz.recording(), tf.GradientTape() as tape:
        n = tf.cast(x, tf.int32)
        y = tf.cast(n, tf.float32) * 2.0
    why = viz.explain(tape, y, x)
    mend = "n = tf.cast(x, tf.float32)"
    is_explained(why, "dtype", "n = tf.cast(x, tf.int32)", "cast to int32", mend)
    with tf.GradientTape() as tape:
        n = tf.cast(x, tf.float32)
        y = tf.cast(n, tf.float32) * 2.0
    assert float(tape.gradient(y, x)) == 2.0


def test_an_integer_target():
    x = tf.Variable(3.7)
    with viz.recording(), tf.GradientTape() as tape:
        n = tf.constant(2)
        y = n * n
    why = viz.explain(tape, y, x)
    assert why.causes == ("no_path",)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.cast(x * x, tf.int64)
    why = viz.explain(tape, y, x)
    is_explained(why, "dtype", "y = tf.cast(x * x, tf.int64)", "int64", "tf.float32")


def test_an_op_without_a_registered_gradient():
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        changed = tf.image.adjust_contrast(image, 2.0)
        y = tf.reduce_sum(changed)
    why = viz.explain(tape, y, image)
    code = "changed = tf.image.adjust_contrast(image, 2.0)"
    mend = '@tf.RegisterGradient("AdjustContrastv2")'
    is_explained(why, "no_rule", code, "no gradient registered", mend)
    assert "`AdjustContrastv2`" in why.text
    with pytest.raises(LookupError, match="AdjustContrastv2"):
        tape.gradient(y, image)


def test_state():
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with viz.recording(), tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    why = viz.explain(tape, y, x0)
    is_explained(why, "state", "x1.assign_add(x0)", "assign_add", "x1_new = x1 + x0")
    with tf.GradientTape() as tape:
        x1_new = x1 + x0
        y = x1_new**2
    assert float(tape.gradient(y, x0)) == 2 * (3.0 + 3.0)


def test_a_value_given_to_a_new_variable():
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        v = tf.Variable(x * 2.0)
        y = v * v
    why = viz.explain(tape, y, x)
    is_explained(why, "state", "v = tf.Variable(x * 2.0)", "Variable", "v_new = x * 2.0")
    with tf.GradientTape() as tape:
        v_new = x * 2.0
        y = v_new * v_new
    assert float(tape.gradient(y, x)) == 8 * 3.0


def test_recording_stopped():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape, tape.stop_recording():
        y = x * x
    why = viz.explain(tape, y, x)
    is_explained(why, "recording_stopped", "y = x * x", "recording stopped", "y = x * x")
    with tf.GradientTape() as tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_reset():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
        tape.reset()
    why = viz.explain(tape, y, x)
    is_explained(why, "reset", "tape.reset()", "reset", "y = x * x  # after the reset")
    with tf.GradientTape() as tape:
        tape.reset()
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_a_watched_tensor_forgotten_by_reset():
    x = tf.constant(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(x)
        tape.reset()
        y = x * x
    why = viz.explain(tape, y, x)
    is_explained(why, "reset", "tape.reset()", "reset", "tape.reset()\ntape.watch(x)")
    with tf.GradientTape() as tape:
        tape.reset()
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_an_intermediate_computed_before_the_block():
    x = tf.Variable(2.0)
    with viz.recording():
        h = x * x
        with tf.GradientTape() as tape:
            y = h * 3.0
    why = viz.explain(tape, y, x)
    is_explained(why, "outside", "h = x * x", "outside", "    h = x * x")
    assert "before the tape's block began" in why.text
    with tf.GradientTape() as tape:
        h = x * x
        y = h * 3.0
    assert float(tape.gradient(y, x)) == 12.0


def test_a_target_computed_after_the_block():
    x = tf.Variable(2.0)
    with viz.recording():
        with tf.GradientTape() as tape:
            h = x * x
        y = h * 3.0
    why = viz.explain(tape, y, x)
    is_explained(why, "outside", "y = h * 3.0", "outside", "    y = h * 3.0")
    assert "after the tape's block was left" in why.text


def test_a_variable_that_is_not_trainable():
    x = tf.Variable(2.0, trainable=False)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    why = viz.explain(tape, y, x)
    is_explained(why, "not_trainable", "y = x * x", "not trainable", "tape.watch(x)")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_a_tape_that_does_not_watch_variables():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape(watch_accessed_variables=False) as t:
        y = x * x
    why = viz.explain(t, y, x)
    is_explained(why, "variables_not_watched", "y = x * x", "not watched", "t.watch(x)")
    assert "watch_accessed_variables=False" in why.text
    with tf.GradientTape(watch_accessed_variables=False) as t:
        t.watch(x)
        y = x * x
    assert float(t.gradient(y, x)) == 4.0


def test_stop_gradient():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.stop_gradient(x * x) * 1.0
        y = h + 1.0
    why = viz.explain(tape, y, x)
    code = "h = tf.stop_gradient(x * x) * 1.0"
    is_explained(why, "stop_gradient", code, "stop_gradient", "h = x * x * 1.0")
    with tf.GradientTape() as tape:
        h = x * x * 1.0
        y = h + 1.0
    assert float(tape.gradient(y, x)) == 4.0


def test_rounding():
    x = tf.Variable(1.6)
    with viz.recording(), tf.GradientTape() as tape:
        y = 3.0 * tf.round(x)
    why = viz.explain(tape, y, x)
    mend = "y = 3.0 * tf.grad_pass_through(tf.round)(x)"
    is_explained(why, "not_differentiable", "y = 3.0 * tf.round(x)", "round", mend)
    with tf.GradientTape() as tape:
        y = 3.0 * tf.grad_pass_through(tf.round)(x)
    assert float(tape.gradient(y, x)) == 3.0


def test_argmax():
    x = tf.Variable([1.0, 3.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        i = tf.argmax(x)
        y = tf.cast(i, tf.float32)
    why = viz.explain(tape, y, x)
    is_explained(why, "not_differentiable", "i = tf.argmax(x)", "argmax", "tf.nn.softmax(x)")
    with tf.GradientTape() as tape:
        p = tf.nn.softmax(x)
        y = tf.reduce_sum(p * [0.0, 1.0, 2.0])
    e = np.exp([1.0, 3.0, 2.0])
    p = e / e.sum()
    expected = p * (np.arange(3) - (p * np.arange(3)).sum())
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=1e-5)


def test_a_comparison_and_the_condition_of_where():
    x = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        on = x > 0.0
        y = tf.where(on, 1.0, 0.0)
    why = viz.explain(tape, y, x)
    is_explained(why, "not_differentiable", "on = x > 0.0", "greater", "tf.sigmoid")
    with tf.GradientTape() as tape:
        y = tf.sigmoid(x)
    s = 1 / (1 + math.exp(-0.5))
    assert float(tape.gradient(y, x)) == pytest.approx(s * (1 - s))


def test_a_custom_gradient_that_returned_none():
    @tf.custom_gradient
    def cube(v):
        return v * v * v, lambda upstream: None

    x = tf.constant(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x) + 1.0
    why = viz.explain(tape, y, x)
    code = "y = cube(x) + 1.0"
    is_explained(why, "custom_gradient_none", code, "None", "return upstream * ")
    assert "`cube`" in why.text

    @tf.custom_gradient
    def mended(v):
        return v * v * v, lambda upstream: upstream * 3.0 * v * v

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = mended(x) + 1.0
    assert float(tape.gradient(y, x)) == 12.0


def test_no_path_at_all():
    x, w = tf.Variable(2.0), tf.Variable(5.0)
    with viz.recording(), tf.GradientTape() as tape:
        z = x * x
        y = w * w
    why = viz.explain(tape, y, x)
    is_explained(why, "no_path", "y = w * w", "no way", "tape.gradient(y, w)")
    assert "`w`" in why.text and z is not None
    assert float(tape.gradient(y, w)) == 10.0


def test_a_used_tape():
    x = tf.Variable(2.0)
    with viz.recording():
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)
    why = viz.explain(tape, y, x)
    assert why.cause == "released"
    assert "persistent=True" in why.mend
    assert "is 4.0: the sum over 2 paths" in why.text  # 2 x, computed again from the recording
    assert float(why.gradient) == 4.0
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert [float(tape.gradient(y, x)) for _ in range(2)] == [4.0, 4.0]


def test_a_used_tape_still_tells_why_it_gave_none():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.stop_gradient(x)
        y = h * h
    assert tape.gradient(y, x) is None
    is_explained(viz.explain(tape, y, x), "stop_gradient", "h = tf.stop_gradient(x)")


@pytest.mark.parametrize(
    "cut, causes",
    [
        (tf.round, ("not_differentiable", "numpy")),  # both are mistakes, the cut is the first
        (tf.stop_gradient, ("numpy", "stop_gradient")),  # one may be meant
    ],
)
def test_a_value_that_left_for_numpy_beside_a_cut_is_named_too(cut, causes):
    x = tf.Variable([1.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        held = cut(x)
        scale = np.exp(x.numpy())
        y = tf.reduce_sum(held * scale)
    assert viz.explain(tape, y, x).causes == causes


def test_two_mistakes_on_two_paths_are_both_named_and_drawn():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        a = tf.stop_gradient(x)
        b = tf.round(x)
        y = a * b
    why = viz.explain(tape, y, x)
    assert why.causes == ("stop_gradient", "not_differentiable")
    assert len(why.trace.breaks) == 2 and "all of these" in why.text


# Without a journal: the best that the tape can prove, and never more.


def test_without_a_recording_an_unwatched_tensor_is_still_proven():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    is_explained(viz.explain(tape, y, x), "not_watched")


def test_without_a_recording_the_line_of_numpy_is_known_but_not_proven():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.constant((x * x).numpy() * 2.0)
    why = viz.explain(tape, y, x)
    assert why.cause == "numpy" and not why.is_certain
    assert "numpy()" in why.line.text and "viz.recording()" in why.text


def test_without_a_recording_the_unknown_is_said_to_be_unknown():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 2.0
    why = viz.explain(tape, y, x)
    assert why.cause == "unknown" and not why.is_certain
    assert "stop_gradient" in why.text and "viz.recording()" in why.text


def test_without_a_recording_reset_is_proven_by_the_target():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.reset()
    is_explained(viz.explain(tape, y, x), "reset", "tape.reset()")


def test_an_earlier_recording_does_not_speak_for_a_later_tape():
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        x * x
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 2.0
    why = viz.explain(tape, y, x)
    assert why.cause == "unknown" and not why.is_certain


# Connected gradients.


def test_a_connected_gradient_is_the_sum_over_its_paths():
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x + tf.sin(x)
    why = viz.explain(tape, y, x)
    assert why.cause == "connected" and why.mend == "" and why.trace.breaks == ()
    assert len(why.paths) == 3
    contributions = [path.contribution.data[0] for path in why.paths]
    np.testing.assert_allclose(sorted(contributions), sorted([3.0, 3.0, math.cos(3.0)]), rtol=1e-6)
    assert float(why.gradient) == pytest.approx(6.0 + math.cos(3.0))


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])
def test_the_contributions_of_all_paths_add_up_to_the_gradient(program):
    tape, targets, sources = recorded(program)
    target = targets[0] if isinstance(targets, tuple) else targets
    for source in sources:
        why = viz.explain(tape, target, source)
        if len(why.paths) == 12:
            continue
        total = sum(np.array(p.contribution.data).reshape(p.contribution.shape) for p in why.paths)
        np.testing.assert_allclose(total, tape.gradient(target, source).numpy(), rtol=1e-6)


def test_paths_are_counted_even_where_there_are_too_many_to_list():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(50):
            y = y + y
    why = viz.explain(tape, y, x)
    assert len(why.paths) == 12
    assert f"{2**50:,} paths" in why.text


@pytest.mark.parametrize(
    "function, value, word",
    [
        (tf.nn.relu, -1.0, "not positive"),
        (lambda x: tf.maximum(x, 5.0), 1.0, "larger"),
        (lambda x: tf.where(tf.constant(True), 1.0, x), 1.0, "other branch"),
        (tf.tanh, 50.0, "saturated"),
        (lambda x: x * x, 0.0, "derivative is 0"),
        (lambda x: x - x, 1.0, "cancel"),
    ],
)
def test_a_zero_gradient_says_where_it_became_zero(function, value, word):
    x = tf.Variable(value)
    with viz.recording(), tf.GradientTape() as tape:
        y = function(x) * 2.0
    why = viz.explain(tape, y, x)
    assert why.cause == "zero" and word in why.text
    assert float(why.gradient) == 0.0
    assert bool(why.trace.breaks) == (word != "cancel")


@pytest.mark.parametrize("ends", [([], 1), (1, []), ("x", 1)])
def test_what_is_no_single_tensor_is_refused(ends):
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    target, source = (y if end == 1 else end for end in ends)
    with pytest.raises(TypeError):
        viz.explain(tape, target, source)


def test_explaining_does_not_use_the_tape_up():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    viz.explain(tape, y, x)
    assert float(tape.gradient(y, x)) == 6.0


def test_several_ops_of_one_line_that_ran_too_late_are_said_once():
    x = tf.Variable(1.0)
    with viz.recording():
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            y = x * x * x
        slope = inner.gradient(y, x)
    why = viz.explain(outer, slope, x)
    assert why.causes == ("outside",)
    assert why.text.count("after the tape's block was left") == 1
    assert ". The result of" in why.text


def test_a_constant_derivative_is_explained_by_linearity():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * 3.0
        dy = inner.gradient(y, x)
    why = viz.explain(outer, dy, x)
    assert why.cause == "no_path" and "linear" in why.text


def test_a_break_inside_a_traced_function_is_found():
    x = tf.Variable(2.0)

    @tf.function
    def half(v):
        return tf.stop_gradient(v) * 0.5

    with viz.recording(), tf.GradientTape() as tape:
        y = half(x)
    is_explained(viz.explain(tape, y, x), "stop_gradient", "return tf.stop_gradient(v) * 0.5")


@pytest.mark.parametrize(
    "code, mend",
    [
        ("p = np.dot(w, w)", "p = tf.tensordot(w, w, 1)"),
        ("p = np.array([v.numpy() for v in [w]])", "p = tf.stack([v for v in [w]])"),
        ("p = np.log(w) + math.sin(w[0])", "p = tf.math.log(w) + tf.sin(w[0])"),
        ("p = np.interp(w, a, b)", "p = np.interp(w, a, b)  # with tf functions instead"),
    ],
)
def test_numpy_functions_are_mended_where_tensorflow_has_a_namesake(code, mend):
    from minitape.viz.diagnosis.corrections.lines import in_tensorflow

    assert in_tensorflow(viz.trace.trace.Line("lesson.py", 1, code), "w") == mend


def test_names_that_look_like_markup_stay_text():
    scope = {"<img src=x onerror=alert(1)>": tf.constant(2.0)}
    x = scope["<img src=x onerror=alert(1)>"]
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    del x
    why = viz.explain(tape, y, next(iter(scope.values())))
    assert "<img src=x" not in why._repr_mimebundle_()["text/html"]


def cut_twice():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 3.0
    return viz.explain(tape, y, x)


def test_dot_and_mermaid_show_the_break(tmp_path):
    picture = cut_twice().picture
    assert "✕ stop_gradient" in picture.save(tmp_path / "why.dot").read_text("utf-8")
    assert '"✕ stop#95;gradient"' in picture.save(tmp_path / "why.mmd").read_text("utf-8")


def test_dot_and_mermaid_show_a_broken_node(tmp_path):
    x = tf.constant(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    picture = viz.explain(tape, y, x).picture
    assert "✕ not watched" in picture.save(tmp_path / "why.dot").read_text("utf-8")
    assert "✕ not watched" in picture.save(tmp_path / "why.mmd").read_text("utf-8")


def test_a_break_that_is_no_edge_of_the_trace_is_refused():
    text = cut_twice().trace.to_json()
    assert '"position":0' in text
    with pytest.raises(viz.errors.TraceError, match="has no input 7"):
        viz.Trace.from_json(text.replace('"position":0', '"position":7'))


def test_the_step_player_marks_a_source_without_a_gradient():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 3.0
    trace = viz.step(tape, y, x).trace
    (broken,) = trace.breaks
    node = trace.nodes[broken.node]
    assert (node.op, node.inputs[broken.position]) == ("stop_gradient", trace.sources[0])
    assert broken.note == "stop_gradient"


def test_a_reset_is_found_after_the_tape_was_used():
    x = tf.Variable(4.0)
    with viz.recording(), tf.GradientTape() as tape:
        root = tf.sqrt(x)  # a comment
        tape.reset()
        y = 3.0 * root
    assert tape.gradient(y, x) is None
    why = viz.explain(tape, y, x)
    is_explained(why, "reset", "tape.reset()", "forgotten by reset", "root = tf.sqrt(x)")
    assert "a comment" not in why.mend


def test_what_ran_before_a_tape_that_was_reset_is_outside():
    x = tf.Variable(4.0)
    with viz.recording():
        root = tf.sqrt(x)
        with tf.GradientTape() as tape:
            tape.reset()
            y = 3.0 * root
    assert tape.gradient(y, x) is None
    assert viz.explain(tape, y, x).cause == "outside"


def test_what_stands_beside_the_way_is_drawn_as_what_made_it():
    w, b = tf.Variable(2.0), tf.Variable(1.0)
    with viz.recording(), tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = (3.0 * w + b) ** 2
    trace = viz.explain(tape, y, b).trace
    (beside,) = [node for node in trace.nodes if node.op == "multiply"]
    assert (beside.kind, beside.inputs) == ("op", ())
    assert "source" not in {node.kind for node in trace.nodes}


# Traps: evidence that looks like a cause and is none.


def test_a_name_that_was_given_to_something_else_is_no_tie():
    x, w = tf.Variable([3.0, 1.0]), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        a = x.numpy()
        a = np.ones(2, np.float32)
        y = tf.reduce_sum(w * a)
    why = viz.explain(tape, y, x)
    assert "no_path" in why.causes and not why.is_certain


def test_a_constant_of_the_same_data_as_the_variable_is_no_tie():
    data = np.array([3.0, 1.0], np.float32)
    x, w = tf.Variable(data), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        seen = x.numpy()
        y = tf.reduce_sum(w * tf.constant(data))
    why = viz.explain(tape, y, x)
    assert "no_path" in why.causes and not why.is_certain and seen is not None


def test_an_assignment_that_was_overwritten_before_the_use_is_not_blamed():
    x, v = tf.Variable(3.0), tf.Variable(0.0)
    with viz.recording(), tf.GradientTape() as tape:
        v.assign(x * 2.0)
        v.assign(5.0)
        y = v * v
    assert viz.explain(tape, y, x).cause == "no_path"


def test_an_assignment_after_the_use_is_not_blamed():
    x, v = tf.Variable(3.0), tf.Variable(1.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = v * v
        v.assign(x * 2.0)
    assert viz.explain(tape, y, x).cause == "no_path"


def test_what_was_there_before_the_recording_leaves_doubt():
    x = tf.Variable(3.0)
    before = x * 2.0
    with viz.recording(), tf.GradientTape() as tape:
        y = before * before
    why = viz.explain(tape, y, x)
    assert why.cause == "no_path" and not why.is_certain and "How `before` came about" in why.text


def test_a_journal_that_forgot_ops_does_not_claim_that_nothing_leads_there():
    from minitape.viz.script import Recorder

    x = tf.Variable([3.0, 1.0])
    with Recorder() as recorder:
        h = x * 2.0
        recorder.forget()
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(h * h)
        why = viz.explain(tape, y, x)
    assert why.cause == "no_path" and not why.is_certain and "`h`" in why.text


WRONG_BEFORE = {
    "tf.constant(np.square(w.numpy()))": "tf.square(w)",
    "y = tf.constant(np.sqrt(w.numpy()))": "y = tf.sqrt(w)",
    "y = tf.constant(np.dot(w.numpy(), w.numpy()))": "y = tf.tensordot(w, w, 1)",
    "y = tf.constant(math.exp(w))": "y = tf.exp(w)",
    "y = tf.constant(float(w[0]))": "y = w[0]",
    "y = np.float32(np.sqrt(w.numpy()))": "y = tf.sqrt(w)",
    "y = w.numpy().item() * 2": "y = w * 2",
    "y = [v.numpy() for v in w]": "y = [v for v in w]",
    "y = tf.constant(w.numpy().tolist())": "y = w",
    "y = float(w * 2)": "y = (w * 2)",
}


@pytest.mark.parametrize("code", WRONG_BEFORE)
def test_advice_in_place_of_a_value_that_leaves_keeps_it_a_tensor(code):
    from minitape.viz.diagnosis.corrections.lines import in_tensorflow

    line = viz.trace.trace.Line("lesson.py", 1, code)
    assert in_tensorflow(line, "w") == WRONG_BEFORE[code]


def test_advice_for_an_assigned_item_of_a_list_is_python():
    layers, w = [tf.Variable(0.0)], tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        layers[0].assign(w * 3.0)
        y = layers[0] * 1.0
    mend = viz.explain(tape, y, w).mend
    assert mend.startswith("layers_0_new = w * 3.0")
    compile(mend, "advice", "exec")


def test_a_used_tape_with_a_zero_tells_why_it_is_zero():
    x = tf.Variable([-1.0, -2.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.relu(x * 3.0))
    tape.gradient(y, x)
    why = viz.explain(tape, y, x)
    assert "relu is flat below 0" in why.text
    assert why.gradient.numpy().tolist() == [0.0, 0.0]


def test_a_relu_at_its_corner_is_not_said_to_have_a_negative_input():
    x = tf.Variable(0.0)
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        y = tf.nn.relu(x)
    text = viz.explain(tape, y, x).text
    assert "its input is not positive there" in text
    assert "at 0 its rule gives 0" in text
    assert "negative" not in text


def test_swapped_target_and_source_are_recognised():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    why = viz.explain(tape, x, y)
    assert (why.cause, why.mend) == ("swapped", "tape.gradient(y, x)")
    assert tape.gradient(y, x).numpy() == 4.0


@pytest.mark.parametrize("reduce", [tf.reduce_max, tf.reduce_min])
def test_a_tie_is_said_with_its_shares(reduce):
    x = tf.Variable([3.0, 3.0, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = reduce(x)
    assert "3 elements" in viz.explain(tape, y, x).text
    assert "1/3 of the cotangent" in viz.explain(tape, y, x).text


def test_without_a_tie_none_is_said():
    x = tf.Variable([1.0, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_max(x) + tf.reduce_sum(tf.maximum(x, 2.0))
    assert "tie" not in viz.explain(tape, y, x).text


def test_a_product_that_is_too_small_for_float16_is_no_factor_of_zero():
    x, small = tf.Variable(1.0, dtype=tf.float16), tf.constant(1e-4, tf.float16)
    with viz.recording(), tf.GradientTape() as tape:
        y = (x * small) * small
    text = viz.explain(tape, y, x).text
    assert "smaller than any float16 but 0 (6.0e-08)" in text
    assert "other factor is 0" not in text


def test_advice_says_that_it_was_not_tried():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(float(x) * 2.0)
    assert "What to write instead (not tried):" in str(viz.explain(tape, y, x))


def test_the_old_names_of_a_fix_stay():
    x = tf.constant(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    why = viz.explain(tape, y, x)
    assert why.fix and why.mend == why.fix
    assert type(why).try_mend is type(why).try_fix
