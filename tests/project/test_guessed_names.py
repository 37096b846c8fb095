"""What `tf` says of names of NumPy, PyTorch and JAX: each line that it gives runs."""

import pytest

import minitape as tf
from minitape.names.absent import INSTEAD


@pytest.mark.parametrize("name", INSTEAD)
def test_a_guessed_name_is_answered_with_a_line_that_runs(name):
    with pytest.raises(AttributeError) as caught:
        getattr(tf, name)
    assert f"Write `{INSTEAD[name]}`." in str(caught.value)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert eval(INSTEAD[name], {"tf": tf, "x": x, "y": y, "tape": tape}) is not None
