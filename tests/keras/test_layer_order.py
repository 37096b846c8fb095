"""The order of a functional model's layers and of their variables, as Keras 3.15 has it."""

from __future__ import annotations

import pytest

import minitape as tf

layers = tf.keras.layers


def dense(name, x):
    return layers.Dense(4, name=name)(x)


def late_input():
    """One input meets what two layers made of another."""
    late, early = tf.keras.Input((4,), name="late"), tf.keras.Input((4,), name="early")
    made = dense("second", dense("first", early))
    return [late, early], dense("out", layers.Concatenate(name="both")([late, made]))


def unused_input():
    """An input that leads nowhere stands with the last."""
    used, unused = tf.keras.Input((4,), name="used"), tf.keras.Input((4,), name="unused")
    return [unused, used], dense("out", dense("first", used))


def shared_layer():
    """A layer that is called twice counts where it is farthest from the outputs."""
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b")
    shared = layers.Dense(4, name="shared")
    long = dense("after", shared(a))
    return [a, b], layers.Add(name="sum")([shared(b), long])


def two_ends():
    """Layers at one distance stand as they are met from the outputs."""
    x = tf.keras.Input((4,), name="x")
    y = dense("y", x)
    return x, [dense("mean", y), dense("deviation", y)]


RECORDED = {
    late_input: ["early", "first", "late", "second", "both", "out"],
    unused_input: ["used", "first", "unused", "out"],
    shared_layer: ["b", "a", "shared", "after", "sum"],
    two_ends: ["x", "y", "mean", "deviation"],
}


@pytest.mark.parametrize("build", RECORDED)
def test_layers_stand_in_the_order_of_keras(build):
    model = tf.keras.Model(*build())
    assert [layer.name for layer in model.layers] == RECORDED[build]


def test_variables_stand_in_the_order_of_the_layers():
    model = tf.keras.Model(*late_input())
    paths = [v.path.partition("/")[0] for v in model.weights[::2]]
    assert paths == ["first", "second", "out"]


def test_an_op_between_layers_is_an_operation_and_no_layer():
    x = tf.keras.Input((4,), name="x")
    model = tf.keras.Model(x, dense("out", x * 2.0))
    assert [layer.name for layer in model.layers] == ["x", "out"]
    assert len(model.operations) == 3
    said = []
    model.summary(print_fn=said.append)
    assert "Multiply" in said[0]


def test_a_shape_of_one_axis_is_printed_as_keras_prints_it():
    x = tf.keras.Input((), name="x")
    said = []
    tf.keras.Model(x, layers.Reshape((1,))(x)).summary(print_fn=said.append)
    assert "(None) " in said[0] and "(None,)" not in said[0]
