"""`minitape step`: which tapes of a script are recorded, and what happens when it fails."""

from __future__ import annotations

import sys

import pytest

import minitape as tf
from minitape.__main__ import main
from minitape.interpreter import active
from minitape.viz.script import MAX_PER_LINE, MAX_TRACES, Recorder, ScriptError, record_script

TAPE = """\
import minitape as tf
x = tf.Variable(3.0)
with tf.GradientTape({}) as tape:
    y = x * x
"""


@pytest.fixture
def script(tmp_path):
    """Writes a script and gives its path."""

    def write(text: str, name: str = "lesson.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def titles(path) -> list[str]:
    return [trace.title for trace in record_script(path).traces]


def test_a_gradient_call_becomes_a_trace_named_after_it(script):
    path = script(TAPE.format("") + "tape.gradient(y, x)\n")
    assert titles(path) == ["gradient of y with respect to x (lesson.py, line 5)"]


def test_a_trace_holds_the_gradient_and_the_script_s_lines(script):
    (trace,) = record_script(script(TAPE.format("") + "tape.gradient(y, x)\n")).traces
    assert trace.gradients[trace.sources[0]].data == (6.0,)
    assert "    y = x * x" in trace.source_text[0].lines
    assert [node.line.number for node in trace.nodes if node.line] == [4]


def test_every_call_on_a_persistent_tape_becomes_a_trace(script):
    twice = "tape.gradient(y, x)\ntape.gradient(y, [x])\n"
    assert len(titles(script(TAPE.format("persistent=True") + twice))) == 2


def test_a_jacobian_shows_its_first_row(script):
    path = script(
        "import minitape as tf\nx = tf.constant([2.0, 3.0])\nwith tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n    y = x * x\ntape.jacobian(y, x)\n"
    )
    (trace,) = record_script(path).traces
    assert trace.title.startswith("first row of the jacobian of y with respect to x")
    assert trace.gradients[trace.sources[0]].data == (4.0, 0.0)


def test_a_batch_jacobian_shows_the_first_row_of_each_example(script):
    path = script(
        "import minitape as tf\nx = tf.constant([[2.0, 3.0], [4.0, 5.0]])\n"
        "with tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n    y = x * x\ntape.batch_jacobian(y, x)\n"
    )
    (trace,) = record_script(path).traces
    assert trace.gradients[trace.sources[0]].data == (4.0, 0.0, 8.0, 0.0)


def test_nested_tapes_give_a_trace_each(script):
    path = script(
        "import minitape as tf\nx = tf.Variable(1.0)\nwith tf.GradientTape() as outer:\n"
        "    with tf.GradientTape() as inner:\n        y = x**3\n"
        "    slope = inner.gradient(y, x)\nbend = outer.gradient(slope, x)\n"
    )
    first, second = record_script(path).traces
    assert first.gradients[first.sources[0]].data == (3.0,)
    assert second.gradients[second.sources[0]].data == (6.0,)
    assert second.title.startswith("gradient of slope with respect to x")


def test_variables_without_a_name_in_the_script_have_their_own(script):
    path = script(
        "import minitape as tf\nlayer = tf.Module()\n"
        "layer.parts = [tf.Variable(3.0, name='kernel')]\n"
        "with tf.GradientTape() as tape:\n    y = layer.parts[0] ** 2\n"
        "tape.gradient(y, layer.trainable_variables)\n"
    )
    assert titles(path)[0].startswith("gradient of y with respect to kernel (")


def test_a_tape_that_is_asked_for_nothing_shows_its_forward_pass(script):
    (trace,) = record_script(script(TAPE.format(""))).traces
    assert trace.title == "a tape that was asked for nothing (lesson.py, line 4)"
    assert [step.kind for step in trace.steps] == ["forward"]


def test_an_unconnected_source_is_shown_as_none_with_the_reason(script):
    path = script("z = 2\n" + TAPE.format("") + "z = tf.Variable(1.0)\ntape.gradient(y, z)\n")
    (trace,) = record_script(path).traces
    assert trace.gradients[trace.sources[0]] is None
    assert "`y` is computed from `x`, not from it." in trace.steps[-1].sentence


def test_the_reason_names_the_line_where_a_value_left_for_numpy(script):
    path = script(
        "import numpy as np\nimport minitape as tf\nx = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n    y = tf.reduce_sum(np.exp(x * 2.0))\n"
        "tape.gradient(y, x)\n"
    )
    (trace,) = record_script(path).traces
    assert "line 5 of lesson.py" in trace.steps[-1].sentence
    assert trace.steps[-1].line.number == 5
    assert "NumPy" in trace.steps[-1].sentence


def test_an_op_without_a_gradient_is_shown_up_to_where_the_sweep_ends(script):
    path = script(
        "import minitape as tf\nx = tf.Variable([[[0.5, 0.0, 0.0]]])\n"
        "with tf.GradientTape() as tape:\n    y = tf.image.adjust_contrast(x, 0.1)\n"
        "try:\n    tape.gradient(y, x)\nexcept LookupError:\n    pass\n"
    )
    (trace,) = record_script(path).traces
    assert "gradient registry has no entry for: AdjustContrastv2" in trace.steps[-1].sentence
    assert [step.kind for step in trace.steps] == ["forward", "seed", "unconnected"]
    assert trace.nodes[trace.breaks[0].node].op == "adjust_contrast_op"


def test_a_training_loop_shows_its_first_steps_and_counts_the_rest(script):
    path = script(
        "import minitape as tf\nx = tf.Variable(3.0)\nfor _ in range(10):\n"
        "    with tf.GradientTape() as tape:\n        y = x * x\n"
        "    x.assign_sub(0.1 * tape.gradient(y, x))\n"
    )
    recorder = record_script(path)
    assert len(recorder.traces) == MAX_PER_LINE
    assert recorder.left_out == 10 - MAX_PER_LINE
    assert recorder.traces[1].title.endswith("(lesson.py, line 6, call 2)")


def test_a_long_loop_does_not_keep_the_values_of_all_its_steps(script, monkeypatch):
    monkeypatch.setattr("minitape.viz.script.MAX_HELD", 100)
    path = script(
        "import minitape as tf\nx = tf.Variable(3.0)\nfor _ in range(100):\n"
        "    with tf.GradientTape() as tape:\n        y = x * x\n    tape.gradient(y, x)\n"
    )
    assert len(record_script(path).entries) < 300 / 4


def test_a_call_that_cannot_be_shown_is_counted_and_answered(script, capsys, monkeypatch):
    def fails(*arguments, **options):
        raise RuntimeError("no picture of this")

    monkeypatch.setattr("minitape.viz.script.build", fails)
    monkeypatch.setattr("minitape.viz.script.build_opened", fails)
    path = script(TAPE.format("") + "print(tape.gradient(y, x).numpy())\n")
    with pytest.raises(ScriptError, match="made no tape"):
        record_script(path)
    assert capsys.readouterr().out == "6.0\n"


@pytest.mark.slow
def test_no_page_holds_more_players_than_one_reads(script):
    line = "with tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)\n"
    path = script("import minitape as tf\nx = tf.Variable(3.0)\n" + line * (MAX_TRACES + 5))
    recorder = record_script(path)
    assert len(recorder.traces) == MAX_TRACES
    assert recorder.left_out == 5


def test_the_results_are_those_of_an_unrecorded_run(script, capsys):
    path = script(TAPE.format("") + "print(tape.gradient(y, x))\n")
    record_script(path)
    assert capsys.readouterr().out == "tf.Tensor(6.0, shape=(), dtype=float32)\n"


def test_a_script_runs_as_main_with_its_folder_and_arguments(script, capsys):
    script("VALUE = 7\n", "beside_the_lesson.py")
    path = script(
        TAPE.format("") + "import sys\nimport beside_the_lesson\n"
        "print(__name__, sys.argv[1:], beside_the_lesson.VALUE, __file__ == sys.argv[0])\n"
    )
    record_script(path, ["--rate", "3"])
    assert capsys.readouterr().out == "__main__ ['--rate', '3'] 7 True\n"


@pytest.mark.parametrize("end", ["", "1 / 0\n", "import sys; sys.exit(3)\n"])
def test_after_a_script_the_interpreter_is_as_it_was(script, end):
    before = (sys.argv, list(sys.path), sys.modules["__main__"], active())
    path = script(TAPE.format("") + end)
    try:
        record_script(path)
    except ScriptError:
        assert end
    assert (sys.argv, list(sys.path), sys.modules["__main__"], active()) == before


def test_a_recorder_around_code_records_what_runs_in_it():
    x = tf.Variable(2.0)
    with Recorder() as recorder, tf.GradientTape() as tape:
        y = x**3
    with recorder:
        tape.gradient(y, x)
    assert recorder.traces[0].gradients[0].data == (12.0,)


# The command.


def test_step_writes_a_page_with_a_player_per_call(script, tmp_path, capsys):
    page = tmp_path / "page.html"
    path = script(TAPE.format("") + "tape.gradient(y, x)\n")
    assert main(["step", str(path), "--out", str(page)]) == 0
    assert page.read_text().count('<section id="player-') == 1
    assert capsys.readouterr().out == f"{page}: 1 step player; open it in any browser.\n"


def test_by_default_the_page_is_written_beside_the_reader(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["step", str(script(TAPE.format("")))]) == 0
    assert (tmp_path / "lesson-steps.html").exists()


@pytest.mark.parametrize("order", [["FILE", "--out", "OUT"], ["--out", "OUT", "FILE"]])
def test_what_follows_two_dashes_is_the_script_s(order, script, tmp_path, capsys):
    path = script(TAPE.format("") + "import sys\nprint(sys.argv[1:])\n")
    names = {"FILE": str(path), "OUT": str(tmp_path / "a.html")}
    arguments = [names.get(each, each) for each in order]
    assert main(["step", *arguments, "--", "--out", "-x", "y"]) == 0
    assert capsys.readouterr().out.startswith("['--out', '-x', 'y']\n")


WRONG = {
    "fails": ("x = 1\nraise KeyError('no such\\nthing')\n", "lesson.py, line 2: KeyError"),
    "fails in a function": ("def f():\n    1 / 0\nf()\n", "lesson.py, line 2: ZeroDivisionError"),
    "is not Python": ("x = = 1\n", "lesson.py, line 1: invalid syntax"),
    "has a null byte": ("x = '\0'\n", "null bytes"),
    "asks for TensorFlow": ("import tensorflow as tf\n", "write `import minitape as tf`"),
    "makes no tape": ("print('hello')\n", "made no tape that recorded anything"),
    "ends with a code": ("import sys\nsys.exit(3)\n", "ended with exit code 3"),
    "ends with words": ("raise SystemExit('no data')\n", "ended with exit code 'no data'"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_script_that_cannot_be_shown_is_one_line_and_no_file(
    text, message, script, tmp_path, capsys
):
    page = tmp_path / "page.html"
    assert main(["step", str(script(text)), "--out", str(page)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("minitape: ")
    assert message in error
    assert not page.exists()


@pytest.mark.parametrize("name", ["missing.py", "."])
def test_a_script_that_does_not_exist_is_one_line(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["step", name]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert repr(name) in error
    assert list(tmp_path.iterdir()) == []


def test_a_script_that_is_not_text_is_one_line(tmp_path, capsys):
    path = tmp_path / "picture.py"
    path.write_bytes(b"\x89PNG\xff\xfe\x00")
    assert main(["step", str(path), "--out", str(tmp_path / "a.html")]) == 2
    assert "cannot be read as Python" in capsys.readouterr().err


def test_a_script_that_fails_after_a_gradient_still_gets_its_page(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lesson.py").write_text(
        "import minitape as tf\nx = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n    y = tf.constant(x.numpy() ** 2)\n"
        "dx = tape.gradient(y, x)\nprint(dx + 1.0)\n"
    )
    code = main(["step", "lesson.py"])
    error = capsys.readouterr().err
    page = (tmp_path / "lesson-steps.html").read_text("utf-8")
    assert code not in (0, None)
    assert "lesson.py, line 6: TypeError" in error
    assert "minitape-player" in page
    (trace,) = record_script(tmp_path / "lesson.py").traces
    assert "Here the script stopped. lesson.py, line 6: TypeError" in trace.notes[-1]


FIT = """\
import numpy as np
import minitape as tf
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, name="price")])
model.compile("sgd", "mse")
model.fit(np.ones((4, 2)), np.zeros((4, 1)), verbose=0)
"""


def test_the_batch_and_the_loss_of_fit_have_the_names_of_keras_training_step(script):
    (trace,) = record_script(script(FIT)).traces
    wanted = "gradient of loss with respect to price.kernel, price.bias (lesson.py, line 5)"
    assert trace.title == wanted
    names = [node.name for node in trace.nodes]
    assert {"x", "y", "y_pred", "loss", "price.kernel", "price.bias"} <= set(names)


def test_a_training_step_that_is_a_function_is_recorded(script):
    """As in TensorFlow's quickstart, where the tape is in a `tf.function`."""
    path = script(
        "import minitape as tf\nw = tf.Variable(1.0)\n\n@tf.function\ndef step(x):\n"
        "    with tf.GradientTape() as tape:\n        loss = (w * x - 6.0) ** 2\n"
        "    g = tape.gradient(loss, w)\n    w.assign_sub(0.01 * g)\n\n"
        "for _ in range(2):\n    step(3.0)\n"
    )
    first, second = record_script(path).traces
    assert first.gradients[first.sources[0]].data == (-18.0,)  # 2 (3 - 6) 3
    assert not tf.config.functions_run_eagerly()
