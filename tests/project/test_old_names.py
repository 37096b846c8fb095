"""Names of TensorFlow 1: each says so, and the line of code that it gives runs."""

from __future__ import annotations

import argparse

import numpy as np
import pytest

import minitape as tf
from minitape.names.tensorflow1 import OLD_NAMES
from rows import failing


@pytest.fixture
def names(tmp_path):
    """Makes what the lines use: matrices with inverses and roots, a variable, a file."""
    path = tmp_path / "text"
    path.write_text("text")
    level = tf.get_logger().level
    yield lambda: {
        "tf": tf,
        "np": np,
        "argparse": argparse,
        "path": path,
        "main": lambda: None,
        "x": tf.constant([[4.0, 1.0], [1.0, 3.0]]),
        "y": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "v": tf.Variable(1.0),
        "rows": tf.Variable([1.0, 2.0]),
        "picture": tf.ones([2, 2, 3]),
    }
    tf.get_logger().setLevel(level)  # one of the lines silences warnings


def asked_for(name):
    """The error for `tf.<name>`; what stands before the last dot is there."""
    with pytest.raises(AttributeError) as caught:
        eval(f"tf.{name}", {"tf": tf})
    return str(caught.value)


def test_a_name_of_tensorflow_1_says_so_and_what_to_write():
    assert failing(says_so_and_what_to_write, {name: (name,) for name in OLD_NAMES}) == {}


def says_so_and_what_to_write(name):
    said = asked_for(name)
    assert "is a name of TensorFlow 1" in said
    assert f"Write `{OLD_NAMES[name].code}`" in said


def test_the_line_that_is_to_be_written_runs(names):
    lines = {old.code: (old.code,) for old in OLD_NAMES.values()}
    assert failing(lambda code: exec(code, names()), lines) == {}


def test_the_line_for_a_graph_runs_in_one(names):
    def runs_in_a_graph(code):
        given = names()
        with tf.Graph().as_default():
            given["v"] = tf.Variable(1.0)
            exec(code, given)

    lines = {old.in_graph: (old.in_graph,) for old in OLD_NAMES.values() if old.in_graph}
    assert failing(runs_in_a_graph, lines) == {}


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("compat.v1.disable_v2_behavior", "with tf.Graph"),
        ("compat.v1.get_variable", "tf.Variable"),
        ("compat.v1.layers", "tf.keras.layers.Dense"),
    ],
)
def test_what_tensorflow_2_keeps_for_old_programs_has_the_same_line(name, instead):
    said = asked_for(name)
    assert "keeps it only for old programs" in said
    assert instead in said


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("train.GradientDescentOptimizer", r"tf.keras.optimizers.SGD\(0.1\)"),
        ("layers.dense", "tf.keras.layers.Dense"),
        ("logging.set_verbosity", "tf.get_logger"),
        ("contrib.layers.fully_connected", "tf.keras.layers.Dense"),
    ],
)
def test_what_stood_in_a_part_of_tensorflow_1_is_answered_by_the_part(name, instead):
    with pytest.raises(AttributeError, match=instead):
        eval(f"tf.{name}", {"tf": tf})


def test_an_import_of_an_old_part_says_what_to_write():
    with pytest.raises(ModuleNotFoundError, match=r"Write `tf.keras.layers.Dense"):
        exec("from minitape.contrib import layers", {})
    with pytest.raises(ImportError, match=r"Write `tf.math.log`"):
        exec("from minitape import log", {})
