"""What `viz` says of names that one guesses: each line that it gives runs."""

from copy import copy
from importlib import import_module
from importlib.util import find_spec

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.guesses import INSTEAD, OF_PLAYERS


@pytest.mark.parametrize("name", INSTEAD)
def test_a_guessed_name_is_answered_with_a_line_that_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises((AttributeError, TypeError)) as caught:  # a module may be loaded, or not
        getattr(viz, name)(tape, y, x)
    line = str(caught.value).split("`")[1]
    assert eval(line, {"viz": viz, "tape": tape, "y": y, "x": x}) is not None


def test_a_module_that_is_loaded_says_when_called_that_it_is_none():
    import minitape.viz.show  # noqa: F401

    with pytest.raises(TypeError, match=r"viz\.show is a module.*viz\.step\(tape, y, x\)"):
        viz.show()


NAMES_OF_MODULES = [name for name in INSTEAD if find_spec(f"minitape.viz.{name}")]


@pytest.mark.parametrize("name", NAMES_OF_MODULES)
def test_every_module_with_a_guessed_name_says_when_called_what_to_write(name):
    module = import_module(f"minitape.viz.{name}")
    with pytest.raises(TypeError, match="is a module, not a function. Write `viz"):
        module(1, of="anything")
    assert len(NAMES_OF_MODULES) >= 3


@pytest.mark.parametrize("name", OF_PLAYERS)
def test_a_guessed_name_of_a_player_is_answered_with_a_line_that_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    player = viz.step(tape, y, x)
    with pytest.raises(AttributeError) as caught:
        getattr(player, name)
    line = str(caught.value).split("`")[1]
    if "png" in line:
        pytest.importorskip("matplotlib")
    assert eval(line, {"viz": viz, "tape": tape, "y": y, "x": x, "player": player}) is not None


def test_a_player_is_copied_and_asked_for_its_methods_as_any_object():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    player = viz.step(tape, y, x)
    assert copy(player).trace is player.trace
    assert not hasattr(player, "zebra") and not hasattr(player, "__array__")


def test_a_name_that_nobody_guesses_gets_no_line():
    with pytest.raises(AttributeError, match="has no attribute 'zebra'$"):
        viz.zebra  # noqa: B018
