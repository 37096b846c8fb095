"""A variable that a step replaced by a tensor is updated in place, and nothing useless is left."""

import contextlib
import io
import re
import runpy

import numpy as np
import pytest

from minitape.viz.diagnosis.trial.report import report

PROGRAM = """import minitape as tf
w, b, v = tf.Variable(0.5), tf.Variable(0.25), [tf.Variable(0.5)]
steps = 0
for epoch in range(3):
    with tf.GradientTape() as tape:
        loss = ({} * 2.0 + b - 3.0) ** 2
    g, gb = tape.gradient(loss, [{}, b])
    {}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "update", "fixed"),
    [
        ("w", "w = w - 0.01 * g", ["w.assign_sub(0.01 * g)"]),
        ("v[0]", "v[0] = v[0] - 0.01 * g", ["v[0].assign_sub(0.01 * g)"]),
        (
            "w",
            "w, b = w - 0.01 * g, b + 0.0 * gb",
            ["w.assign_sub(0.01 * g)", "b.assign_add(0.0 * gb)"],
        ),
        (
            "w",
            "w, steps = w - 0.01 * g, steps + 1",
            ["w.assign_sub(0.01 * g)", "steps = steps + 1"],
        ),
        ("w", "w = now = w - 0.01 * g", ["w.assign_sub(0.01 * g)", "w = now = w"]),
    ],
)
def test_the_update_in_place_leaves_no_name_given_to_itself(tmp_path, name, update, fixed):
    file = tmp_path / "script.py"
    file.write_text(PROGRAM.format(name, name, update))
    text = report(file).fixed
    assert [row.strip() for row in text.splitlines()[7:]] == fixed
    assert not re.search(r"^\s*(\S+) = \1$", text, re.MULTILINE)
    (tmp_path / "fixed.py").write_text(text)
    with contextlib.redirect_stdout(io.StringIO()):
        left = runpy.run_path(str(tmp_path / "fixed.py"))
    w = np.float32(0.5)
    for _ in range(3):  # the derivative of (2 w + 1/4 - 3)^2 is 4 (2 w - 11/4)
        w -= np.float32(0.01) * 4 * (2 * w - np.float32(2.75))
    np.testing.assert_allclose(left[name[0]][0] if "[" in name else left[name], w, rtol=1e-6)
