"""`viz.check`, several sources at once, and the notebook: `%tape explain on`, `why.try_mend()`."""

from __future__ import annotations

import copy
import pickle
import time

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import minitape as tf
from minitape import viz


@pytest.fixture
def cells(capsys):
    """Runs cells in a shell of its own, as a notebook does."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()  # whose cells have numbers
    shell.run_cell(
        "import numpy as np, minitape as tf; from minitape import viz\n%load_ext minitape.viz",
        store_history=True,
    )

    def run(text):
        result = shell.run_cell(text, store_history=True)
        result.raise_error()
        return result.result

    yield run
    shell.run_cell("%tape explain off")
    InteractiveShell.clear_instance()


def test_check_lists_a_nan_with_its_op_and_marks_it_in_the_player():
    x = tf.Variable([0.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))
    found = viz.check(tape, y, x)
    assert [each.kind for each in found] == ["nan"]
    assert "math.log" in str(found)
    (marked,) = found.player.trace.breaks
    assert found.player.trace.nodes[marked.node].op == "log"
    assert np.isnan(tape.gradient(y, x).numpy()[0])  # the tape was not used up


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_findings_and_explanations_can_be_kept_and_sent_to_another_process(again):
    x = tf.Variable(2.0, name="x")
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        y = tf.stop_gradient(x * 3.0)
    found, explained = viz.check(tape, y, x), viz.explain(tape, y, x)
    assert len(found) == 1
    assert str(again(found)) == str(found)
    assert str(again(explained)) == str(explained)
    assert again(explained).causes == ("stop_gradient",)


def test_check_is_silent_about_a_healthy_tape():
    w, b = tf.Variable([[0.1], [0.2]]), tf.Variable([0.0])
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.constant([[1.0, 2.0], [3.0, 4.0]]) @ w + b) ** 2)
    assert len(viz.check(tape, loss)) == 0
    assert str(viz.check(tape)) == "Nothing is suspicious about the gradients of this tape."


def test_a_value_that_left_and_came_back_is_said_though_the_rest_of_the_gradient_is_there():
    x = tf.Variable(2.0, name="x")
    with viz.recording(), tf.GradientTape() as tape:
        y = x * np.sin(x.numpy())
    findings = viz.check(tape, y, x)
    assert len(findings) == 0
    assert [line.text.strip() for line in findings.cuts] == ["y = x * np.sin(x.numpy())"]
    assert "no gradient goes through it" in str(findings)
    assert "np.sin(x.numpy())" in findings._html()


def test_of_values_that_were_logged_or_kept_nothing_is_said():
    w, losses = tf.Variable(1.0), []
    for _ in range(3):
        with viz.recording(), tf.GradientTape() as tape:
            loss = (w * 3.0 - 1.0) ** 2
            losses.append(float(loss))
        assert viz.check(tape, loss, w).cuts == []
        w.assign_sub(0.1 * tape.gradient(loss, w))


def test_check_of_a_used_tape_looks_at_what_it_was_asked_for():
    x, n = tf.Variable([0.0, 2.0]), tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0)) * float(n)
    assert np.isnan(tape.gradient(y, [x, n])[0].numpy()[0])
    found = viz.check(tape)
    assert [(each.kind, each.cause) for each in found] == [("none", "numpy"), ("nan", "unchosen")]
    marked = [found.player.trace.nodes[each.node].op for each in found.player.trace.breaks]
    assert "log" in marked
    with pytest.raises(RuntimeError, match="only be used to compute one set"):
        tape.gradient(y, x)  # it stays used up


def test_check_of_a_used_tape_knows_the_values_of_then():
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def cube(v):
        return v**3, lambda g: g * v**2

    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(start := tf.constant(1.5))
        y = cube(w * start)
    tape.gradient(y, [w, start])
    w.assign(0.0)
    (found,) = viz.check(tape)
    assert (found.kind, found.facts["factor"]) == ("wrong", 3.0)  # at 2 * 1.5, not at 0


def test_check_of_a_used_tape_whose_second_derivative_was_asked_is_silent():
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        slope = inner.gradient(y, x)
    outer.gradient(slope, x)
    assert [len(viz.check(tape)) for tape in (outer, inner)] == [0, 0]


def test_check_of_a_used_tape_without_a_recording_says_what_to_do():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match=r"%tape explain on"):
        viz.check(tape)


def test_check_of_a_used_tape_that_an_earlier_session_did_not_see_says_what_to_do(cells):
    cells("%tape explain on")
    cells("x = tf.Variable(2.0)")
    cells("%tape explain off")
    cells("with tf.GradientTape() as tape:\n    y = tf.sign(x)\ng = tape.gradient(y, x)")
    with pytest.raises(RuntimeError, match=r"%tape explain on"):
        cells("viz.check(tape)")


def test_check_without_a_recording_speaks_of_no_line_0():
    x = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sign(x))
    assert str(viz.check(tape, y, x)).startswith("zero. The gradient is zero because of `sign`: ")


def test_a_variable_that_the_tape_never_read_is_said_to_be_unused_without_a_recording():
    x, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert "`w` was not: it is not used there" in viz.explain(tape, y, w).text


def test_several_sources_are_explained_at_once():
    w, b = tf.Variable(1.0), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        loss = w * 3.0 + float(b)
    first, second = viz.explain(tape, loss, [w, b])
    assert (first.cause, second.cause) == ("connected", "numpy")
    assert float(first.gradient) == 3.0


def test_check_names_the_cell_of_a_line_in_another_cell_than_its_own(cells):
    cells("def logarithms(x):\n    return tf.math.log(x)")
    cells("x = tf.Variable([0.0, 2.0])")
    record = "with viz.recording(), tf.GradientTape() as tape:\n    y = tf.reduce_sum({}(x))\n"
    asked = "viz.check(tape, y, x)"
    there = str(cells(record.format("logarithms") + asked))
    assert there.startswith("line 2 of cell 2: inf. ")
    assert str(cells(record.format("tf.math.log") + asked)).startswith("line 2: inf. ")


def test_check_names_the_cell_of_a_gradient_function_in_another_cell(cells):
    cells(
        "@tf.custom_gradient\ndef doubled(x):\n    return 2.0 * x, lambda g: 3.0 * g\n"
        "def twice(x):\n    return doubled(x)"
    )
    cells(
        "x = tf.Variable(1.0)\nwith viz.recording(), tf.GradientTape() as tape:\n    y = twice(x)"
    )
    assert str(cells("viz.check(tape, y, x)")).startswith("line 3 of cell 2: wrong. ")


def test_tape_explain_on_says_after_a_cell_what_is_suspicious(cells, capsys):
    cells("%tape explain on")
    cells("x = tf.Variable([1.0, 2.0])")
    cells(
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.constant(np.square(x.numpy())))\n"
        "g = tape.gradient(y, x)"
    )
    assert "line 2: none." in capsys.readouterr().out
    (finding,) = cells("viz.check(tape)")  # of a used tape
    assert (finding.kind, finding.cause, finding.line) == ("none", "numpy", 2)


def test_after_a_cell_that_was_looked_at_for_long_the_next_is_looked_at_again(cells, monkeypatch):
    step = (
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.constant(np.square(x.numpy())))\n"
        "tape.gradient(y, x)\n"
    )
    cells("%tape explain on")
    monkeypatch.setattr("minitape.viz.diagnosis.examiner.SECONDS", -1.0)
    with pytest.raises(RuntimeError, match="looked for long enough"):
        cells(step + "viz.check(tape)")
    monkeypatch.setattr("minitape.viz.diagnosis.examiner.SECONDS", 10.0)
    cells(step)
    (finding,) = cells("viz.check(tape)")
    assert (finding.kind, finding.cause) == ("none", "numpy")


def test_a_recording_that_saw_the_tape_is_asked_where_the_examiner_keeps_nothing(
    cells, monkeypatch
):
    cells("%tape explain on")
    monkeypatch.setattr("minitape.viz.diagnosis.examiner.SECONDS", -1.0)
    found = cells(
        "x = tf.Variable([1.0, 2.0])\n"
        "with viz.recording(), tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.constant(np.square(x.numpy())))\n"
        "viz.check(tape, y, x)\n"
    )
    assert [(each.kind, each.cause) for each in found] == [("none", "numpy")]


def test_tape_explain_on_says_what_it_does_and_how_a_correction_is_tried(cells, capsys):
    cells("%tape explain on")
    assert "Looking at every gradient from the next cell on" in capsys.readouterr().out
    cells("x = tf.Variable(3.0)")
    try:
        cells("with tf.GradientTape() as t:\n    y = tf.constant(x.numpy()) ** 2\nt.gradient(y, x)")
    finally:
        cells("%tape explain off")
    assert "viz.explain(t, y, x).try_fix() tries a correction" in capsys.readouterr().out


def test_a_mistake_in_a_function_of_another_cell_is_named_there_and_its_correction_tried(cells):
    cells("%tape explain on")
    cells("def encode(v):\n    return np.exp(v)")
    cells(
        "w = tf.Variable([0.0, 1.0])\nwith tf.GradientTape() as t:\n    code = encode(w)\n"
        "    y = tf.reduce_sum(code)\ng = t.gradient(y, w)"
    )
    (found,) = cells("viz.check(t)")
    assert (found.cause, found.line, found.file) == ("numpy", 2, "cell 3")
    tried = cells("viz.explain(t, y, w).try_mend()")
    assert tried.mend == "-     return np.exp(v)\n+     return tf.exp(v)"
    assert np.allclose(tried.gradient, np.exp([0.0, 1.0]))
    assert isinstance(cells("encode(w)"), np.ndarray)  # the notebook's function is as it was


def test_one_line_that_costs_several_weights_their_gradients_is_said_once(cells):
    cells("%tape explain on")
    cells(
        "net = tf.keras.layers.Dense(1)\nwith tf.GradientTape() as t:\n"
        "    out = tf.constant(net(tf.ones([2, 3])).numpy())\ng = t.gradient(out, net.variables)"
    )
    assert str(cells("viz.check(t)")).count("leaves for NumPy") == 1


def test_try_mend_runs_the_corrected_cell_on_copies(cells):
    cells("x = tf.Variable([1.0, 2.0])\nfactor = 3.0")
    cells(
        "with viz.recording(), tf.GradientTape() as tape:\n"
        "    squares = tf.constant(np.square(x.numpy()))\n"
        "    y = tf.reduce_sum(squares * factor)\n"
        "x.assign_add([1.0, 1.0])\n"
        "why = viz.explain(tape, y, x)"
    )
    mended = cells("why.try_mend()")
    assert mended.mend == (
        "-     squares = tf.constant(np.square(x.numpy()))\n+     squares = tf.square(x)"
    )
    assert mended.gradient == [12.0, 18.0]  # 2 * 3 x at [2, 3], where x stands by now
    assert cells("x.numpy().tolist()") == [2.0, 3.0]
    side_by_side = mended._repr_mimebundle_()["text/html"]
    assert side_by_side.count("<img") == 2
    assert side_by_side.index("What was recorded") < side_by_side.index("The same, corrected")
    assert "Run with the changed lines: the gradient is [12, 18]." in side_by_side
    shown = cells("str(why)")
    assert "What to write instead. Tried: the gradient is [12, 18]." in shown
    assert "not tried" not in shown  # one advice only


def test_try_mend_says_what_it_tried_where_nothing_works(cells):
    cells("x = tf.Variable([1.0, 2.0])")
    cells(
        "def loss_of(x):\n    values = np.square(x.numpy())\n"
        "    if type(values) is not np.ndarray:\n        raise TypeError('give me an array')\n"
        "    return tf.reduce_sum(tf.constant(values))\n"
        "with viz.recording(), tf.GradientTape() as tape:\n    y = loss_of(x)\n"
        "why = viz.explain(tape, y, x)"
    )
    found = cells("why.try_mend()")
    assert not found
    said = repr(found)
    assert said.startswith("No correction is shown: ")
    assert "tried for the mistake at line 2, on copies, and none works." in said
    assert "-     values = np.square(x.numpy())\n    +     values = tf.square(x)" in said
    assert "But it stops with TypeError: give me an array." in said
    assert "give me an array" in cells("str(why)")


def test_try_mend_says_that_a_mistake_stands_in_no_cell():
    x = tf.Variable([1.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.constant(x.numpy()))
    for found in (viz.explain(tape, y, x).try_mend(), *viz.check(tape, y, x).try_mend()):
        assert not found
        assert "which is no cell of a notebook" in repr(found)
        assert "minitape explain" in repr(found)


def test_try_mend_says_that_no_line_was_recorded():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.constant(2.0)
    assert "%tape explain on" in repr(viz.explain(tape, y, x).try_mend())


def test_check_tries_a_correction_of_each_finding_on_copies(cells):
    cells("x = tf.Variable([0.0, 4.0])")
    cells(
        "with viz.recording(), tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))\n"
        "found = viz.check(tape, y, x)"
    )
    (mended,) = mends = cells("found.try_mend()")
    assert mends
    assert mended.gradient == [0.0, 0.25]  # 1 / x where it is chosen
    assert "Tried: the gradient is [0, 0.25]." in repr(mends)
    assert cells("x.numpy().tolist()") == [0.0, 4.0]


def test_check_tries_a_correction_in_the_cell_of_the_mistake(cells):
    cells("def encode(v):\n    return np.exp(v)")
    cells("w = tf.Variable([0.0, 1.0])")
    cells(
        "with viz.recording(), tf.GradientTape() as t:\n    y = tf.reduce_sum(encode(w))\n"
        "found = viz.check(t, y, w)"
    )
    (mended,) = cells("found.try_mend()")
    assert mended.mend == "-     return np.exp(v)\n+     return tf.exp(v)"
    assert np.allclose(mended.gradient, np.exp([0.0, 1.0]))


def test_check_of_a_healthy_tape_has_nothing_to_mend():
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    assert not viz.check(tape, y, x).try_mend()
    assert "Nothing is suspicious" in repr(viz.check(tape, y, x).try_mend())


def test_a_finding_in_a_notebook_leaves_the_headings_around_it_as_they_are():
    from minitape.viz.diagnosis.views.page import STYLE

    rules = STYLE.strip()
    assert rules.startswith(".finding {") and rules.endswith("}")
    depth, ends = 0, []
    for at, letter in enumerate(rules):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "}" and depth == 0:
            ends.append(at)
    assert ends == [len(rules) - 1]  # one block holds every rule


def test_try_mend_gives_the_player_the_graph_of_the_corrected_run(cells):
    cells("x = tf.Variable([1.0, 2.0])")
    cells(
        "with viz.recording(), tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.constant(np.square(x.numpy())))\n"
        "why = viz.explain(tape, y, x)"
    )
    assert [each.corrected for each in cells("why.player").trace.breaks] == [""]
    assert "<img" in cells("why._repr_mimebundle_()")["text/html"]
    assert cells("why.try_mend()") is not None
    (broken,) = cells("why.player").trace.breaks
    assert broken.correction.split("\n")[1:] == [
        "+     y = tf.reduce_sum(tf.square(x))",
        "Tried: the gradient is [2, 4].",
    ]
    corrected = viz.Trace.from_json(broken.corrected)
    assert corrected.gradients[corrected.sources[0]].data == (2.0, 4.0)  # 2 x, on the copy
    assert "minitape-player" in cells("why._repr_mimebundle_()")["text/html"]


STEPPED = (
    "with viz.recording(), tf.GradientTape() as tape:\n"
    "    y = tf.reduce_sum(tf.constant(np.square(x.numpy())))\n"
)


@pytest.mark.parametrize("later", [False, True])
def test_the_step_player_of_a_none_has_a_correction_that_was_run(cells, later):
    cells("x = tf.Variable([1.0, 2.0])\nruns = []")
    if later:
        cells(STEPPED)
    player = cells(f"{'' if later else STEPPED}runs.append(1)\nviz.step(tape, y, x)")
    (broken,) = player.trace.breaks
    assert broken.correction.split("\n")[1:] == [
        "+     y = tf.reduce_sum(tf.square(x))",
        "Tried: the gradient is [2, 4].",
    ]
    corrected = viz.Trace.from_json(broken.corrected)
    assert corrected.gradients[corrected.sources[0]].data == (2.0, 4.0)
    assert cells("runs") == [1]


@pytest.mark.slow
def test_the_step_player_of_a_none_runs_no_correction_where_the_cell_takes_long(cells):
    cells("import time\nx = tf.Variable([1.0, 2.0])")
    start = time.monotonic()
    player = cells(f"time.sleep(4.0)\n{STEPPED}viz.step(tape, y, x)")
    (broken,) = player.trace.breaks
    assert "leaves for NumPy" in broken.cause
    assert broken.correction.split("\n")[1:] == ["+     y = tf.reduce_sum(tf.square(x))"]
    assert not broken.corrected
    assert time.monotonic() - start < 12.0


def test_a_finding_inside_of_a_traced_function_is_at_its_line_there():
    x = tf.Variable([0.0, 2.0])

    @tf.function
    def logs(v):
        half = v / 2.0
        return tf.reduce_sum(tf.where(v > 0.0, tf.math.log(half), 0.0))

    for _ in range(2):  # the second call runs the same trace
        with viz.recording() as journal, tf.GradientTape() as tape:
            y = logs(x)
            after = y * 3.0
        found = viz.check(tape, y, x)
        lines = {node.op: node.line for node in found.player.trace.nodes if node.line}
        assert lines["divide"].text.strip() == "half = v / 2.0"
        assert lines["log"].text.strip().startswith("return tf.reduce_sum(")
        assert [each.line for each in found] == [lines["log"].number]
        assert journal.by_output[after.id].line.text.strip() == "after = y * 3.0"


def test_after_an_error_inside_of_a_traced_function_ops_have_their_own_lines():
    @tf.function
    def picked(v, i):
        return tf.gather(v, i)

    x = tf.constant([1.0, 2.0])
    with viz.recording() as journal:
        with pytest.raises(Exception, match="indices"):
            picked(x, tf.constant(7))
        y = x * 2.0
    assert journal.by_output[y.id].line.text.strip() == "y = x * 2.0"


def test_what_only_a_trial_can_tell_is_not_said_without_one():
    w = tf.Variable([1.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        penalty = float(np.sum(np.square(w.numpy())))
        loss = tf.reduce_sum(w) + penalty
    assert len(viz.check(tape, loss, w)) == 0


def test_digits_that_cancel_before_a_logarithm_are_named_with_the_right_difference():
    x = tf.Variable([10000.1, 10000.2, 10000.4])
    with viz.recording(), tf.GradientTape() as tape:
        variance = tf.reduce_mean(x**2) - tf.reduce_mean(x) ** 2
        loss = tf.math.log(variance + 1e-3)
    (found,) = viz.check(tape, loss, x)
    assert (found.kind, found.cause) == ("wrong", "digits")
    true = np.var(np.array([10000.1, 10000.2, 10000.4], np.float32).astype(np.float64))
    assert f"instead of {true:.3g}" in found.sentence


def test_a_residual_without_digits_at_an_optimum_is_no_finding():
    mean = tf.Variable(1.0000001)
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(((tf.constant([1.0, 1.0]) - mean) / 0.1) ** 2)
    assert len(viz.check(tape, loss, mean)) == 0
