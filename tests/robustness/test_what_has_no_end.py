"""What does not fit or has no end is refused in words, before memory or patience is used up."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import minitape as tf
from minitape.__main__ import main
from minitape.viz.commands.explain import seconds
from minitape.viz.errors import TraceError
from minitape.viz.trace.trace import Trace

LARGE = {
    "constant": lambda: tf.constant(0.0, shape=[10**13]),
    "ragged.range": lambda: tf.ragged.range([10**13]),
    "confusion_matrix": lambda: tf.math.confusion_matrix([10**7], [10**7]),
    "numpy": lambda: tf.broadcast_to(1.0, [10**13]).numpy(),
}


@pytest.mark.parametrize("name", LARGE)
def test_an_array_beyond_memory_is_refused_by_the_name_of_its_function(name):
    with pytest.raises(tf.errors.ResourceExhaustedError, match=name):
        LARGE[name]()


def test_what_fits_is_made_as_before():
    np.testing.assert_array_equal(tf.constant(2.0, shape=[2, 2]), np.full((2, 2), 2.0))
    np.testing.assert_array_equal(tf.math.confusion_matrix([0, 1], [1, 1]), [[0, 1], [0, 1]])


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1e400", "a", "1e9", ""])
def test_a_time_limit_is_finite_and_positive(text):
    with pytest.raises(Exception, match="above 0"):
        seconds(text)


def test_a_time_limit_is_taken():
    assert seconds("0.5") == 0.5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_trace_is_read_from_ordinary_files(tmp_path):
    pipe = tmp_path / "trace.json"
    os.mkfifo(pipe)
    for place in pipe, "/dev/zero":
        with pytest.raises(TraceError, match="no ordinary file"):
            Trace.load(place)


def test_a_trace_says_each_thing_once():
    with pytest.raises(TraceError, match="'title' twice"):
        Trace.from_json('{"title": "a", "title": "b"}')


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no such device")
@pytest.mark.parametrize("command", ["step", "explain"])
def test_a_device_that_never_ends_is_no_script(command, capsys):
    assert main([command, "/dev/zero"]) == 2
    assert "it is no regular file; write the program to a file" in capsys.readouterr().err


def test_a_file_that_is_larger_than_any_program_is_not_read(tmp_path, capsys):
    place = tmp_path / "large.py"
    with place.open("wb") as file:
        file.truncate(60_000_000)
    for command in ("step", "explain"):
        assert main([command, str(place)]) == 2
        assert "it has more than 50 MB, which no program has" in capsys.readouterr().err
