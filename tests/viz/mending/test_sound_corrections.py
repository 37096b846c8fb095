"""What is called tried computes the function that was written, and has its slope."""

from pathlib import Path

import numpy as np
import pytest

from minitape.viz.diagnosis.corrections.numbers import finite_numbers
from minitape.viz.diagnosis.finding import Finding
from minitape.viz.diagnosis.source_text import Source
from minitape.viz.diagnosis.trial.report import report
from minitape.viz.diagnosis.trial.sound import OTHER, SOUND

HEAD = "import minitape as tf\n"


def of(tmp_path: Path, setup: str, target: str, source: str = "x"):
    file = tmp_path / "script.py"
    file.write_text(
        f"{HEAD}{setup}\nwith tf.GradientTape() as tape:\n"
        + "".join(f"    {line}\n" for line in target.splitlines())
        + f"print(tape.gradient(y, {source}))\n"
    )
    (one,) = report(file).diagnoses
    return one


SAME = [
    (  # cross-entropy by hand: mean((sigmoid(z) - y) x)
        "x = tf.Variable([[30.0], [50.0]])\na = tf.constant([[1.0, 2.0], [-1.0, -2.0]])\n"
        "t = tf.constant([[0.0], [1.0]])",
        "p = tf.sigmoid(a @ x)\n"
        "y = -tf.reduce_mean(t * tf.math.log(p) + (1.0 - t) * tf.math.log(1.0 - p))",
        [1.0, 2.0],
    ),
    (  # log(1 - tanh(x)^2) has the slope -2 tanh(x)
        "x = tf.Variable([0.5, 14.0])",
        "y = tf.reduce_sum(tf.math.log(1.0 - tf.square(tf.tanh(x))))",
        list(-2 * np.tanh([0.5, 14.0])),
    ),
    (  # minus the log of a softmax that is written out: p - t
        "x = tf.Variable([[2.0, 150.0, -3.0]])\nt = tf.constant([[0.0, 0.0, 1.0]])",
        "e = tf.exp(x)\np = e / tf.reduce_sum(e, axis=1, keepdims=True)\n"
        "y = -tf.reduce_sum(t * tf.math.log(p))",
        [0.0, 1.0, -1.0],
    ),
]


@pytest.mark.parametrize(("setup", "target", "slope"), SAME)
def test_the_equal_function_comes_first_and_has_the_slope_in_closed_form(
    tmp_path, setup, target, slope
):
    one = of(tmp_path, setup, target)
    assert one.verdict == SOUND
    assert one.tried.startswith("Tried: ")
    np.testing.assert_allclose(one.gradient, slope, rtol=1e-5, atol=1e-6)
    assert "float64" not in one.mend


@pytest.mark.slow
@pytest.mark.parametrize(
    "formula",
    ["(tf.exp(x) - 1.0) / x", "(x ** 2 - 1.0) / (x - 1.0) * 1.0", "tf.abs(x) ** 2.0 / x"],
)
def test_a_quotient_with_a_limit_is_never_tried_with_another_value(tmp_path, formula):
    start = "1.0" if "- 1.0)" in formula and "exp" not in formula else "0.0"
    one = of(tmp_path, f"x = tf.Variable({start})", f"y = {formula}")
    assert not one.tried.startswith("Tried: ")


def test_an_exponential_that_nothing_divides_is_not_shifted(tmp_path):
    one = of(tmp_path, "x = tf.Variable([3.0, 120.0])", "y = tf.reduce_sum(tf.exp(x) - 3.0 * x)")
    assert "reduce_max" not in one.mend
    if one.tried.startswith("Tried"):  # float64: e^120 - 3 and e^3 - 3
        np.testing.assert_allclose(one.gradient, np.exp([3.0, 120.0]) - 3.0, rtol=1e-6)


def test_at_a_pole_there_is_only_another_function_and_that_is_said(tmp_path):
    one = of(tmp_path, "x = tf.Variable([0.0, 4.0])", "y = tf.reduce_sum(tf.sqrt(x))")
    assert one.verdict == OTHER
    assert one.tried.startswith("A possibility, not checked against the original")
    np.testing.assert_allclose(one.gradient[1], 0.25, rtol=1e-6)


def test_a_matrix_is_made_safe_as_a_whole_and_not_number_by_number():
    finding = Finding("nan", "edge", "", 1, span=(1, 1, 4, 22), facts={"op": "matrix_square_root"})
    texts = list(finite_numbers(Source("y = tf.linalg.sqrtm(a)"), finding))
    assert texts[0] == "y = tf.linalg.sqrtm(a + 1e-6 * tf.eye(a.shape[-1], dtype=a.dtype))"
    assert not [text for text in texts if "maximum" in text]
