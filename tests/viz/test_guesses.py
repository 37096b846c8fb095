"""What `viz` says of names that one guesses: each line that it gives runs."""

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.guesses import INSTEAD


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


def test_a_name_that_nobody_guesses_gets_no_line():
    with pytest.raises(AttributeError, match="has no attribute 'zebra'$"):
        viz.zebra  # noqa: B018
