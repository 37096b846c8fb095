"""Scenes: every text of a step is written in Python, and every equation holds for its digits."""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from keras_networks import drawn
from swept import KINDS

import minitape as tf
from minitape import viz
from minitape.viz.player.payload import payload
from minitape.viz.player.scene import schema
from minitape.viz.player.scene.steps import Scenes

sys.path.insert(0, str(Path(__file__).parents[1]))

from equations import Claim, is_true
from programs_written import Writer

WRITTEN, NETWORKS = range(900, 930), (60, 61)
LONG = {"chain of 1000 ops", "physics of 100 steps", "transformer of 3 blocks", "u net", "resnet"}


def scalars() -> Any:
    a, c = tf.Variable(1.5), tf.Variable(-0.5)
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.tanh(a * 2.0 + c)
        k = h * h + tf.exp(-h) * c
        target = k / (1.0 + h)
    return viz.step(tape, target, [a, c])


def recorded(source: str) -> Any:
    scope: dict[str, Any] = {"tf": tf, "viz": viz, "np": np}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(compile(source, "<program>", "exec"), scope)
        return viz.step(scope["tape"], scope["target"], scope["sources"])


def dtype_of(scenes: Scenes, number: int) -> str:
    step = scenes.steps[number - 1]
    arrays = (step.total, step.contribution, step.cotangent)
    return next((a.dtype for a in arrays if a is not None), scenes.trace.nodes[step.node].dtype)


def equations(trace: Any) -> list[tuple[Claim, str]]:
    """The equations of a trace's scenes as a reader sees them, with the dtype of each."""
    scenes, found = Scenes(trace), []
    for number in range(1, len(scenes)):
        scene, dtype = scenes[number], dtype_of(scenes, number)
        claims = [scene.claim] if scene.claim is not None else []
        claims += [column.claim for column in scene.meet.columns] if scene.meet else []
        for claim in claims:
            left = "".join(term.text for term in claim.left)
            found.append((Claim(left, claim.sign, claim.right.text), dtype))
    return found


def false_ones(found: list[tuple[Claim, str]]) -> list[str]:
    return [f"{claim} ({dtype})" for claim, dtype in found if is_true(claim, dtype) is False]


@pytest.mark.slow
def test_every_equation_of_30_random_programs_is_true():
    found = [each for seed in WRITTEN for each in equations(recorded(Writer(seed).source).trace)]
    assert false_ones(found) == []
    read = sum(is_true(*each) is True for each in found)
    assert read > 0.95 * len(found) > 400


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS.keys() - LONG))
def test_every_equation_of_a_lecture_program_is_true(name: str):
    assert false_ones(equations(KINDS[name]().trace)) == []


@pytest.mark.parametrize("seed", NETWORKS)
def test_every_equation_of_a_random_network_is_true(seed: int):
    found = equations(drawn(seed).trace)
    assert false_ones(found) == []
    assert len(found) > 50


# Worked out by hand in design notes and with a pocket calculator, not by the engine.
TEXTS = {
    1: "1. The program multiplies a by 2.\n   1.5·2.0 = 3.0",
    4: "4. The program multiplies h by itself.\n   0.9866·0.9866 = 0.9734",
    6: "6. The program applies exp to −h.\n   e^(−0.9866) = 0.3728",
    11: "11. Now back. target changes exactly as fast as itself: 1.0.",
    22: "22. h·h uses h twice, so it sends twice: now for its first factor.\n"
    "    0.50337·0.98661 = 0.4966",
    25: "25. The last of 4 contributions has arrived at h: its gradient is complete.\n"
    "    0.3911 + 0.4966 = 0.8877",
    26: "26. The slope of h in a·2 + c is 1 − h^2. It is almost flat here, so little gets "
    "through.\n    0.88769·0.026592 = 0.02361",
}


@pytest.mark.parametrize("step", sorted(TEXTS))
def test_a_scalar_step_has_a_sentence_with_expressions_and_a_true_equation(step: int):
    assert scalars().text(step=step) == TEXTS[step]


def test_the_text_of_all_steps_holds_the_text_of_each():
    player = scalars()
    whole = player.text()
    steps = sum(step.kind != "release" for step in player.trace.steps)
    assert all(player.text(step=number) in whole for number in range(steps + 1))
    with pytest.raises(IndexError, match="there are 30 steps"):
        player.text(step=steps + 1)


def test_a_row_meets_a_column_also_in_a_batch_of_32():
    rng = np.random.default_rng(3)
    x, W = rng.normal(size=(32, 10)).astype("float32"), rng.normal(size=(10, 64)).astype("float32")
    w = tf.Variable(W, name="w")
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(x) @ w
        loss = tf.reduce_sum(y * y)
    scenes = Scenes(viz.step(tape, loss, w).trace)
    scene = scenes[1]
    row, column = json.loads(scene.element)
    assert np.abs(x @ W).argmax() == row * 64 + column
    assert scene.meet.left.startswith(f"row {row} of ")
    assert scene.meet.right == f"column {column} of w"
    assert len(scene.meet.columns) + scene.meet.more == 10
    assert float(scene.claim.right.text.replace("−", "-")) == pytest.approx(
        (x @ W)[row, column], rel=1e-3
    )
    last = scenes[len(scenes) - 1]
    assert last.meet.more == 32 - len(last.meet.columns)


def test_another_element_can_be_worked_out():
    x = np.arange(6.0).reshape(2, 3)
    w = tf.Variable(np.eye(3))
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(x) @ w
        loss = tf.reduce_sum(y)
    scene = Scenes(viz.step(tape, loss, w).trace).scene(1, element=1)
    assert scene.element == "[0, 1]"
    assert scene.claim.right.text == "1.0"


def test_scenes_are_json_that_fits_the_schema_and_reads_back():
    for scene in Scenes(scalars().trace):
        text = schema.as_json(scene)
        jsonschema.validate(json.loads(text), schema.schema())
        assert schema.from_json(text) == scene
    assert schema.FILE.read_text("utf-8") == schema.text()


def test_the_summary_of_numbers_multiplies_slopes_along_each_path():
    summary = scalars().summary()
    assert summary.startswith("c moves target about 4.5 times as fast as a does.")  # 0.2113/0.04721
    assert "4 paths from a to target:" in summary
    assert "0.5034·0.9866·0.02659·2.0 = 0.02641" in summary
    assert "together: 0.1877 + 0.01321 + 0.01321 + (−0.005303) + 0.002495 = 0.2113" in summary


def test_the_summary_of_a_loop_adds_what_arrives_from_each_round():
    drag = tf.Variable(0.3)
    with viz.recording(), tf.GradientTape() as tape:
        speed = tf.constant(2.0)
        for _ in range(5):
            speed = speed - 0.25 * drag * speed * tf.abs(speed)
    summary = viz.step(tape, speed, drag).summary()
    assert "drag is used 5 times: what arrives from each use, added:" in summary
    (line,) = [line for line in summary.splitlines() if "together:" in line]
    terms, total = line.partition("together: ")[2].split(" = ")
    added = sum(float(t.strip("()").replace("−", "-")) for t in terms.split(" + "))
    assert added == pytest.approx(float(total.replace("−", "-")), rel=1e-3)


def test_the_summary_of_sigmoid_layers_says_how_much_gradients_shrink():
    rng = np.random.default_rng(0)
    weights = [tf.Variable(rng.normal(size=(6, 6)) * 0.7) for _ in range(7)]
    x = h = tf.constant(rng.normal(size=(4, 6)))
    with viz.recording(), tf.GradientTape() as tape:
        for w in weights:
            h = tf.sigmoid(h @ w)
        loss = tf.reduce_sum(tf.square(h))
    summary = viz.step(tape, loss, weights).summary()
    values = [x.numpy()]
    for w in weights:
        values.append(1 / (1 + np.exp(-values[-1] @ w.numpy())))
    g = 2 * values[-1]
    last = np.abs(g).max()
    for w, out in zip(weights[:0:-1], values[:0:-1], strict=False):
        g = (g * out * (1 - out)) @ w.numpy().T
    assert "gradients vanish on the way" in summary
    layers = [line.split() for line in summary.splitlines() if line.startswith("  layer ")]
    assert float(layers[0][-1]) == pytest.approx(np.abs(g).max(), rel=1e-3)
    assert last / np.abs(g).max() > 100


def test_a_terminal_prints_the_same_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from minitape.__main__ import main

    script = tmp_path / "lesson.py"
    script.write_text(
        "import minitape as tf\n"
        "a, c = tf.Variable(1.5), tf.Variable(-0.5)\n"
        "with tf.GradientTape() as tape:\n"
        "    h = tf.tanh(a * 2.0 + c)\n"
        "    k = h * h + tf.exp(-h) * c\n"
        "    target = k / (1.0 + h)\n"
        "tape.gradient(target, [a, c])\n"
    )
    assert main(["step", str(script), "--text", "--summary"]) == 0
    printed = capsys.readouterr().out
    assert all(text in printed for text in TEXTS.values())
    assert scalars().summary() in printed
    assert list(tmp_path.iterdir()) == [script]


def test_nothing_goes_wrong_where_steps_are_worked_out():
    for seed in range(940, 946):
        scenes = Scenes(recorded(Writer(seed).source).trace)
        for step in scenes.steps:
            scenes.workings.worked(step)
    for name in ("convnet", "embedding bag", "custom gradient", "heads"):
        scenes = Scenes(KINDS[name]().trace)
        for step in scenes.steps:
            scenes.workings.worked(step)


def told(make: Any, *sources: Any) -> list[str]:
    """The text of each step of a small program."""
    with np.errstate(all="ignore"), viz.recording(), tf.GradientTape() as tape:
        target = make()
    player = viz.step(tape, target, list(sources))
    steps = sum(step.kind != "release" for step in player.trace.steps)
    return [player.text(step=number) for number in range(1, steps + 1)]


def test_the_first_number_that_is_not_finite_is_said_to_begin_there():
    x = tf.Variable([1.0, 0.0, -2.0])
    texts = told(lambda: tf.reduce_sum(x * tf.math.log(tf.abs(x))), x)
    assert (
        "1 of 3 elements is not finite, though all inputs are finite: here that begins" in texts[1]
    )
    assert "[1]: log(0.0) = −∞" in texts[1]
    assert "[1]: 0.0·(−∞) = NaN" in texts[2]
    assert "so was an input" in texts[2]


def test_at_a_tie_the_convention_is_said_and_no_mean():
    v = tf.Variable([3.0, 3.0, 1.0])
    texts = told(lambda: tf.reduce_max(v), v)
    assert not any("mean" in text for text in texts)
    assert "Several are equal, a tie: by convention they share g evenly." in texts[-1]
    assert "1.0·0.5 = 0.5" in texts[-1]


def test_complex_numbers_meet_by_the_conjugate():
    z = tf.Variable(2.0 + 1.0j)
    texts = told(lambda: tf.math.real(z * (1.0 + 3.0j)), z)
    assert texts[-1].endswith("(1.0+0.0j)·conj(1.0+3.0j) = (1.0−3.0j)")


def test_in_half_precision_what_is_absorbed_is_said():
    k = tf.Variable(np.float16(2048))
    with viz.recording(), tf.GradientTape() as tape:
        total = k + tf.constant(1.0, tf.float16)
    assert viz.step(tape, total, k).text(step=1).splitlines() == [
        "1. The program adds 1 to k. 1 is too small to change the result in float16.",
        "   2048.0 + 1.0 ≈ 2048.0",
    ]


def test_nothing_leads_to_a_source_without_a_path():
    x, y = tf.Variable(2.0), tf.Variable(1.0)
    with viz.recording(), tf.GradientTape() as tape:
        square = x * x
    player = viz.step(tape, square, [x, y])
    said, why, *_ = player.text(step=len(Scenes(player.trace)) - 1).splitlines()
    assert said == "6. No recorded path connects y to the target, so its gradient is None."
    assert "Nothing leads from y to square" in why
    assert player.summary().startswith("No recorded path connects y to square: its gradient is")


def test_the_result_of_a_line_has_the_name_that_the_line_gave_it():
    x = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.sin(x)
        h = tf.exp(h)
        target = h * 2.0
    text = viz.step(tape, target, x).text()
    assert "1. The program applies sin to x." in text
    assert "2. The program applies exp to h (1st)." in text
    assert "3. The program multiplies h (2nd) by 2." in text


def test_a_scene_knows_no_op_by_its_name():
    folder = Path(viz.__file__).parent / "player" / "scene"
    tf.tanh(0.5)
    from minitape.op import registry

    words = {
        "sum",
        "mean",
        "text",
        "step",
        "log",
        "real",
        "sign",
        "number",
        "less",
        "select",
        "complex",
    }
    names = {name for name in registry if len(name) > 4} - words
    # `naming` has the names of Python's operators: `a @ b` is `__matmul__`.
    for file in set(folder.glob("*.py")) - {folder / "naming.py"}:
        code = file.read_text("utf-8")
        assert [name for name in names if f'"{name}"' in code or f"'{name}'" in code] == []


@pytest.mark.parametrize("name", ["mlp by hand", "convnet", "logistic unit", "embedding bag"])
def test_a_page_and_a_terminal_say_the_same(name: str):
    player = KINDS[name]()
    steps = [step for step in payload(player.trace)["steps"] if step["kind"] != "release"]
    for number, step in enumerate(steps, 1):
        said = step["sentence"].replace("`", "")
        first, *others = player.text(step=number).splitlines()
        last = others[-1].strip().partition("   (")[0] if others else ""
        assert said == f"{first.partition('. ')[2]} {last}".strip()


def test_a_remainder_is_written_between_its_numbers():
    x = tf.Variable(-2.47)
    with viz.recording(), tf.GradientTape() as tape:
        rest = tf.math.floormod(x, 2.0)
    assert viz.step(tape, rest, x).text(step=1).endswith("(−2.47) mod 2.0 = 1.53")


def test_a_truth_that_is_multiplied_counts_as_one_or_zero():
    x = tf.Variable([3.0, 4.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.math.l2_normalize(x) * [1.0, 2.0])
    texts = viz.step(tape, y, x).text()
    assert "·1·" in texts
    assert not re.search(r"True·|·True|False·|·False", texts)


def test_the_text_of_a_none_says_where_the_path_ends_and_what_to_write_instead():
    x = tf.Variable([1.0, -2.0, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        scaled = x * 0.5
        squares = tf.constant(np.square(scaled.numpy()))
        loss = tf.reduce_sum(squares)
    said, cause, *rows = viz.step(tape, loss, x).text(step=3).splitlines()
    assert re.fullmatch(
        r"3\. No recorded path connects x to the target, so its gradient is None, because the "
        r"path ends at line \d+ \(left: numpy\)\.", said
    )  # fmt: skip
    assert "scaled leaves for NumPy: squares = tf.constant(np.square(scaled.numpy()))" in cause
    assert [row.strip()[:1] for row in rows[:2]] == ["-", "+"]
    assert rows[1].endswith("squares = tf.square(scaled)")
    assert "not run" in rows[2]
