"""Training loops that `minitape step` meets become films by themselves."""

from __future__ import annotations

import pytest

from minitape.__main__ import main
from minitape.viz.script import MAX_PER_LINE, record_script

LOOP = """\
import minitape as tf
w = tf.Variable(4.0)
b = tf.Variable(1.0)
for _ in range({count}):
    with tf.GradientTape() as tape:
        loss = w * w + {more}
    grads = tape.gradient(loss, [w, b])
    w.assign_sub(0.25 * grads[0])
"""


@pytest.fixture
def script(tmp_path):
    """Writes a script and gives its path."""

    def write(text: str):
        path = tmp_path / "loop.py"
        path.write_text(text)
        return path

    return write


def films(path):
    return record_script(path).loops.films(longer_than=MAX_PER_LINE)


@pytest.mark.slow
def test_a_loop_becomes_a_film_of_all_its_losses_and_some_steps(script):
    (film,) = films(script(LOOP.format(count=200, more="b")))
    assert film.names == ["w", "b"]
    assert film.losses[:3] == [17.0, 5.0, 2.0]
    assert len(film.losses) == 200
    assert [shot.gradients[0].marks.item() for shot in film.shots[:3]] == [8.0, 4.0, 2.0]
    assert 8 <= len(film.shots) <= 16


FIT = """\
import numpy as np
import minitape as tf
hidden = tf.keras.layers.Dense(3, activation="tanh", name="hidden")
model = tf.keras.Sequential([tf.keras.Input((2,)), hidden, tf.keras.layers.Dense(1, name="out")])
model.compile("sgd", "mse")
model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=4, batch_size=4, verbose=0)
"""


def test_variables_of_layers_are_called_with_their_layer_where_several_are_a_kernel(script):
    (film,) = films(script(FIT))
    assert film.names == ["hidden.kernel", "hidden.bias", "out.kernel", "out.bias"]


def test_a_variable_without_a_path_is_none_in_every_step(script):
    (film,) = films(script(LOOP.format(count=5, more="1.0")))
    assert all(shot.gradients[1] is None for shot in film.shots)


def test_calls_on_one_line_for_different_variables_are_no_loop(script):
    text = "import minitape as tf\nfor i in range(9):\n    w = tf.Variable(1.0 * i)\n"
    text += "    keep = globals().setdefault('kept', [])\n    keep.append(w)\n"
    text += "    with tf.GradientTape() as tape:\n        y = w * w\n    tape.gradient(y, w)\n"
    assert films(script(text)) == []


def test_a_few_calls_are_no_film(script):
    assert films(script(LOOP.format(count=MAX_PER_LINE, more="b"))) == []


@pytest.mark.slow
def test_the_page_of_a_script_opens_with_the_film_and_no_call_is_counted_as_lost(
    script, tmp_path, capsys
):
    path = script(LOOP.format(count=200, more="b"))
    page = tmp_path / "page.html"
    assert main(["step", str(path), "--out", str(page)]) == 0
    said = capsys.readouterr().out
    assert "loop.py, line 7: 200 steps, shown as a film." in said
    assert "more calls" not in said
    text = page.read_text("utf-8")
    assert text.index("minitape-film") < text.index("minitape-player")
