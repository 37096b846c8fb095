"""`minitape step` and `explain` of notebooks, and of programs that import TensorFlow."""

from __future__ import annotations

import json
import sys

import pytest

from minitape.__main__ import main
from minitape.names.as_tensorflow import as_tensorflow
from minitape.viz.base.scripts import script_text
from minitape.viz.script import record_script

TAPE = "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x**2\n"
ASKED = "print(tape.gradient(y, x).numpy())\n"


def notebook(place, *codes):
    """A notebook with these cells of code below a cell of text."""
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# A title"]}
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
         "source": code.splitlines(keepends=True)}
        for code in codes
    ]  # fmt: skip
    whole = {"cells": [text, *cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    place.write_text(json.dumps(whole), "utf-8")
    return place


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_cells_of_a_notebook_run_in_their_order(tmp_path, capsys):
    file = notebook(tmp_path / "a.ipynb", "import minitape as tf\n", TAPE, ASKED)
    assert main(["step", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6.0\n")
    assert "a-steps.html: 1 step player" in said


def test_a_player_quotes_the_line_of_a_notebook(tmp_path):
    file = notebook(tmp_path / "a.ipynb", "import minitape as tf\n", TAPE, ASKED)
    (trace,) = record_script(file).traces
    assert [node.line.text.strip() for node in trace.nodes if node.name == "y"] == ["y = x**2"]


@pytest.mark.parametrize(
    "cell",
    [
        "%load_ext minitape.viz",
        "!pip install minitape",
        "%matplotlib inline\nz = 1",
        "z = %timeit -o 1 + 1",
        "tf.GradientTape?",
        "?tf.GradientTape",
        "if True:\n    !ls\nz = 2",
        "%%bash\nls | wc",
        "%%html\n<b>no Python</b>",
    ],
)
def test_what_only_a_notebook_can_run_is_left_out(tmp_path, cell):
    file = notebook(tmp_path / "a.ipynb", cell, "import minitape as tf\n", TAPE + ASKED)
    assert len(record_script(file).traces) == 1


def test_the_body_of_a_recorded_cell_runs(tmp_path):
    file = notebook(tmp_path / "a.ipynb", "import minitape as tf", "%%tape y x\n" + TAPE + ASKED)
    assert len(record_script(file).traces) == 1


def test_a_remainder_that_begins_a_line_is_kept(tmp_path):
    file = notebook(tmp_path / "a.ipynb", "z = (17\n% 5)\n")
    assert "% 5)" in script_text(file)


def test_explain_names_the_break_of_a_notebook(tmp_path, capsys):
    broken = "loss = tf.reduce_sum(tf.constant(np.square(x.numpy())))\n"
    file = notebook(
        tmp_path / "a.ipynb",
        "import numpy as np\nimport minitape as tf\n",
        f"x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as tape:\n    {broken}",
        "print(tape.gradient(loss, x))\n",
    )
    assert main(["explain", str(file)]) == 1
    said = capsys.readouterr().out
    assert "tf.square" in said
    assert "Tried" in said


def test_a_file_that_is_no_notebook_says_so(tmp_path, capsys):
    (tmp_path / "a.ipynb").write_text("{}")
    assert main(["step", "a.ipynb"]) == 2
    assert "not a notebook" in capsys.readouterr().err


COURSE = """
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.layers import Dense
import tensorflow.keras.backend as K
import keras as other

assert other is keras and layers.Dense is Dense and K.epsilon() > 0
model = keras.Sequential([Dense(2, activation="relu"), layers.Dense(1)])
x = tf.ones([3, 2])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(x) ** 2)
gradients = tape.gradient(loss, model.trainable_variables)
print(len(gradients))
"""


def test_a_course_file_that_imports_tensorflow_runs_unchanged(tmp_path, capsys):
    (tmp_path / "course.py").write_text(COURSE)
    assert main(["step", "--as-tensorflow", "course.py"]) == 0
    assert capsys.readouterr().out.startswith("4\n")


def test_explain_runs_it_too_and_leaves_no_alias_behind(tmp_path, capsys, monkeypatch):
    (tmp_path / "course.py").write_text(
        "import tensorflow as tf\nc = tf.constant(3.0)\n"
        "with tf.GradientTape() as tape:\n    y = c * c\nprint(tape.gradient(y, c))\n"
    )
    before = set(sys.modules), list(sys.meta_path)
    assert main(["explain", "--as-tensorflow", "course.py"]) == 1
    assert "tape.watch(c)" in capsys.readouterr().out
    after = {name for name in sys.modules if name.partition(".")[0] in {"tensorflow", "keras"}}
    assert after <= before[0]
    assert sys.meta_path == before[1]


def test_modules_of_that_name_come_back_afterwards(monkeypatch):
    mine = type(sys)("keras")
    monkeypatch.setitem(sys.modules, "keras", mine)
    with as_tensorflow(True):
        import keras

        assert keras is not mine
    import keras

    assert keras is mine


def test_minitape_is_itself_after_it_was_imported_under_another_name():
    import minitape

    spec, name = minitape.__spec__, minitape.__name__
    with as_tensorflow(True):
        import tensorflow

        assert tensorflow is minitape
    assert (minitape.__spec__, minitape.__name__) == (spec, name)


def test_without_the_option_the_error_names_it(tmp_path, capsys):
    (tmp_path / "course.py").write_text("import tensorflow_of_nobody as tf\n")
    assert main(["step", "course.py"]) == 2
    assert "--as-tensorflow" in capsys.readouterr().err
