"""What `minitape explain` says of programs that show mistakes on purpose, and of nothing else.

The lessons with their model solutions, the guide's examples, and the public conformance programs
where MINITAPE_CONFORMANCE names their folder: each finding is named here, with the line it is at.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from lesson_cells import FOLDER, cells
from viz.course.guide import EXAMPLES
from viz.mending.process import run

SECONDS = 1200.0  # a lesson trains, and every op of it is looked at for a while

# By lesson: kind, cause, and the line in its cell.
SHOWN = {
    "01": {
        ("none", "not_trainable", 'frozen = tf.Variable(3.0, name="frozen", trainable=False)'),
        ("none", "variable_replaced", 'shifted = tf.Variable(2.0, name="shifted") + 1.0'),
        ("none", "not_watched", "total = trained**2 + frozen**2 + shifted**2 + fixed**2 + watched**2"),
        ("none", "variable_replaced", "v = v - 0.3 * 2.0 * v  # v.assign_sub(...) keeps the variable"),
    },
    "02": {("none", "outside", "slope = inner.gradient(y, x)  # too late for `outer`")},
    "04": {("none", "numpy", "air = vx - np.interp(float(y), HEIGHTS, table.numpy())")},
    "06": {
        ("nan", "overflow", "return tf.math.log(tf.exp(x) + tf.exp(y))"),
        (
            "nan", "overflow",
            "for function in [lambda x: tf.math.log(1 + tf.exp(x)), log1pexp]:",
        ),
    },
    "08": {("nan", "unchosen", "trap = tf.where(x > 0.0, tf.math.log(x), 0.0)")},
    "11": {("nan", "log", "return -tf.reduce_mean(tf.math.log(tf.gather(p, y, batch_dims=1)))")},
}  # fmt: skip
LESSONS = [f"{number:02}" for number in range(1, 13)]


def found(file: Path, text: str) -> set[tuple[str, str, str]]:
    """Kind, cause and line of all that is suspicious about a program, which must run to its end."""
    file.write_text(text, encoding="utf-8")
    after = run(file, (), SECONDS)
    assert (after.ended, after.error) == ("ok", "")
    rows = text.split("\n")
    return {(f.kind, f.cause, rows[f.line - 1].strip()) for f in after.findings}


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS)
def test_of_a_lesson_only_what_it_shows_on_purpose_is_found(lesson, tmp_path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    code = "\n\n".join(cell.text for cell in cells(lesson) if cell.kind == "code")
    text = re.sub(r"^%", "# %", code, flags=re.M)
    (tmp_path / "data").symlink_to(FOLDER / "data")
    assert found(tmp_path / f"lesson_{lesson}.py", text) == SHOWN.get(lesson, set())
