"""Declaring an op in a module that keeps its annotations as objects; this one does, on purpose."""

import numpy as np

import minitape as tf
from minitape.op import Op, primitive, registry, words
from minitape.tensor import Array, Arrays, Indices, Spec, Specs, Tensor, Tensors


def forward(x: Array, places: Indices, several: Arrays, axis: int = 0) -> Array: ...


def rule(g: Tensor, x: Tensor, y: Spec, xs: Tensors, ys: Specs) -> Tensor: ...


def test_objects_give_the_words_that_they_stand_for():
    assert list(words(forward).values()) == ["Array", "Indices", "Arrays", "<class 'int'>", "Array"]
    expected = ["Tensor", "Tensor", "Spec", "Tensors", "Specs", "Tensor"]
    assert list(words(rule).values()) == expected


def test_words_stay_as_they_are():
    def quoted(x: "Array") -> "Array": ...

    assert words(quoted) == {"x": "Array", "return": "Array"}


def test_an_op_knows_its_inputs_from_objects():
    op = Op(forward, ())
    assert op.inputs == ("x", "places", "several")
    assert op.cuts == {"places"}


def test_several_outputs_are_seen_in_an_object_too():
    def halves(x: Array) -> tuple[Array, Array]: ...

    assert Op(halves, ()).several


def test_the_engine_s_own_ops_are_unchanged():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [2, 2])
    np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(y, x)), [0, 0, 2])


def test_an_attribute_left_to_its_default_is_prepared_too():
    @primitive()
    def last_steps(x: Array, axis: int = -1) -> Array:
        return np.diff(x, axis=axis)

    seen = []

    @last_steps.prepare
    def _(x, axis):
        seen.append(axis)
        return (axis % len(x.shape),)

    last_steps(tf.constant([1.0, 3.0]))
    last_steps(tf.constant([1.0, 3.0]), -1)
    del registry["last_steps"]
    assert seen == [-1, -1]
