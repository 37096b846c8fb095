"""What `minitape explain` says of programs that show mistakes on purpose, and of nothing else.

The lessons with their model solutions, the guide's examples, and the public conformance programs
where MINITAPE_CONFORMANCE names their folder: each finding is named here, with the line it is at.
MINITAPE_LESSONS=all looks at the lessons that train for minutes as well.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from lesson_cells import FOLDER, cells
from minitape.viz.course.guide import EXAMPLES
from minitape.viz.diagnosis.trial.process import run

SECONDS = 1200.0  # a lesson trains, and every op of it is looked at for a while

# By lesson: kind, cause, and what stands in the line, which says the cell.
SHOWN = {
    "01": [
        ("none", "variable_replaced", "v = v - 0.3 * 2.0 * v"),
        ("zero", "constant_won", 'end = tf.maximum(value["p"], value["w"]) + value["x"]'),
    ],
    "02": [
        ("none", "outside", "slope = inner.gradient(y, x)  # too late for `outer`"),
        ("zero", "factor", "loss = fit * error(network) + calm * steep"),  # "slopes only": fit is 0
    ],
    "04": [  # on purpose, all of them: it is the lesson of None
        ("nan", "unchosen", "y = tf.where(x > 0.0, tf.math.log(x), 0.0)"),
        ("none", "custom_gradient_none", "y = weighted(value, weight)"),
        ("none", "dtype", "count = tf.constant(10)"),
        ("none", "dtype", "euros = tf.cast(price, tf.int32)"),
        ("none", "dtype", 'text = tf.constant("2.5")'),
        ("none", "no_path", "y = weights * weights"),
        ("none", "not_differentiable", "best = tf.cast(tf.argmax(scores), tf.float32)"),
        ("none", "not_differentiable", 'exec(compile(program, file, "exec"), names)'),
        ("none", "not_differentiable", "level = tf.round(x)"),
        ("none", "not_watched", "y = x * x"),
        ("none", "numpy", "air = vx - np.interp(float(y), HEIGHTS, table.numpy())"),
        ("none", "numpy", 'exec(compile(program, file, "exec"), names)'),
        ("none", "numpy", "factor = float(scale)"),
        ("none", "numpy", "means = np.mean(squares, axis=0)"),
        ("none", "numpy", "squares = tf.constant(np.square(x.numpy()))"),
        ("none", "numpy", "y = tf.reduce_mean(np.mean(x**2, axis=0))"),
        ("none", "outside", "cause = cause_of(name, program.strip())"),
        ("none", "outside", "loss = (prediction - 1.0) ** 2"),
        ("none", "outside", "scaled = 10.0 * w"),
        ("none", "recording_stopped", "root = tf.sqrt(x)  # was meant for the log only"),
        ("none", "reset", "tape.reset()"),
        ("none", "state", "memory.assign_add(x)"),
        ("none", "stop_gradient", "left = tf.stop_gradient(x) * 2.0"),
        ("none", "stop_gradient", "return decoder * tf.stop_gradient(encoder * 3.0)"),
        ("none", "stop_gradient", "right = tf.square(tf.stop_gradient(x)) * 3.0"),
        ("none", "stop_gradient", "y = tf.stop_gradient(x) * 2.0"),
        ("none", "variable_replaced", "w = w - 0.1 * gradient"),
        ("none", "watched_too_late", "y = x * x"),
        ("zero", "dead", "hidden = tf.nn.relu(x)"),
    ],
    "06": [
        ("none", "not_differentiable", "above = height(t, up, drag) > 0.0"),
        ("overflow", "overflow", "return tf.math.log(tf.exp(x) + tf.exp(y))"),
        ("underflow", "underflow", "return tf.math.log(tf.exp(x) + tf.exp(y))"),
        ("wrong", "rule", "return x * x, lambda g: -2.0 * g * x"),
    ],
    "08": [("nan", "unchosen", "y = tf.where(x > 0.0, tf.math.log(x), 0.0)")],
    "11": [
        ("broadcast", "losses", "error = tf.constant(images[:200]) @ w + b - targets"),
        ("inf", "log", "return -tf.reduce_mean(tf.math.log(tf.gather(p, y, batch_dims=1)))"),
        ("nan", "diverges", "3: Patient(rate=20.0),"),
        ("zero", "dead", "hidden = self.activation(x @ v[0] + v[1])"),
    ],
}
SHORT = ["03", "04", "06", "07", "08"]
EVERY = [f"{number:02}" for number in range(1, 13)]
LESSONS = EVERY if os.environ.get("MINITAPE_LESSONS") == "all" else SHORT
# Of the guide's examples those about None: kinds and causes.
GUIDE = {
    "Only a trainable variable is watched by itself": [
        ("none", "not_watched"),
        ("none", "variable_replaced"),
    ],
    "The condition itself has no gradient": [("none", "no_path")],
    "None: no path from the target to the source": [("none", "no_path")],
    "None: a variable was replaced by a tensor": [("none", "variable_replaced")],
    "None: a step was computed by NumPy": [("none", "numpy")],
    "None: whole numbers have no derivative": [("none", "dtype")],
    "None: the path goes through a variable's state": [("none", "state")],
}
# Of the conformance programs: Nones without a sign that they are meant, custom gradients that are
# wrong so that one sees which one is used, infinities and ties that are the subject.
CONFORMANCE = {
    "case_assign_inside_the_tape": {"none"},
    "case_cast_gradients": {"none"},
    "case_custom_gradient_nested": {"wrong"},
    "case_custom_gradient_several_inputs_and_outputs": {"wrong"},
    "case_custom_gradient_single": {"wrong"},
    "case_custom_gradient_stable_log1pexp": {"overflow"},
    "case_custom_gradient_with_keyword_arguments": {"wrong"},
    "case_custom_gradient_with_variables": {"wrong"},
    "case_infinite_and_undefined_derivatives": {"inf"},
    "case_inner_tape_gradient_outside_outer": {"none"},
    "case_maximum_minimum_ties": {"zero"},
    "case_numpy_in_the_middle": {"none"},
    "case_operations_after_the_context_are_not_recorded": {"none"},
    "case_scalar_equal_constants_are_distinct": {"none"},
    "case_stop_gradient": {"none"},
    "case_watch_after_the_computation": {"none"},
    "case_what_is_watched": {"none"},
    "case_where_nan_trap": {"nan"},
}
PROGRAMS = Path(os.environ.get("MINITAPE_CONFORMANCE", "/"))
CASES = [
    (file, name)
    for file in sorted(PROGRAMS.glob("cases_*.py"))
    for name in re.findall(r"^def (case_\w+)\(tf\)", file.read_text("utf-8"), flags=re.M)
]


def found(file: Path, text: str) -> list[tuple[str, str, str]]:
    """Kind, cause and line of all that is suspicious about a program, which must run to its end."""
    file.write_text(text, encoding="utf-8")
    after = run(file, (), SECONDS)
    if after.ended == "failed":  # where a `tf.function` has to be a graph
        after = run(file, (), SECONDS, functions=False)
    assert (after.ended, after.error) == ("ok", "")
    rows = text.split("\n")
    told = [f for f in after.findings if not f.is_suspected]  # the others wait for a trial
    return sorted((f.kind, f.cause, rows[f.line - 1].strip()) for f in told)


@pytest.mark.slow
@pytest.mark.takes_turns
@pytest.mark.parametrize("lesson", LESSONS)
def test_of_a_lesson_only_what_it_shows_on_purpose_is_found(lesson, tmp_path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    code = "\n\n".join(cell.text for cell in cells(lesson) if cell.kind == "code")
    text = re.sub(r"^%", "# %", code, flags=re.M)
    (tmp_path / "data").symlink_to(FOLDER / "data")
    said = found(tmp_path / f"lesson_{lesson}.py", text)
    shown = SHOWN.get(lesson, [])
    assert [each[:2] for each in said] == [each[:2] for each in shown]
    assert all(text in line for (*_, line), (*_, text) in zip(said, shown, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=[each.title for each in EXAMPLES])
def test_of_the_guide_s_examples_those_about_none_have_findings(example, tmp_path):
    said = found(tmp_path / "example.py", f"import minitape as tf\n{example.code}")
    assert [each[:2] for each in said] == GUIDE.get(example.title, [])


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name"), CASES, ids=[name for _, name in CASES])
def test_of_the_conformance_programs_those_that_are_named_here_have_findings(file, name, tmp_path):
    head = f"import sys\nsys.path.insert(0, {str(PROGRAMS)!r})\n"
    text = f"{head}{file.read_text('utf-8')}\n\nimport minitape as tf\n{name}(tf)\n"
    kinds = {kind for kind, _, _ in found(tmp_path / "case.py", text)}
    assert kinds == CONFORMANCE.get(name, set())
