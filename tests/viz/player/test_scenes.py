"""Scenes: every text of a step is written in Python, and every equation holds for its digits."""

from __future__ import annotations

import json
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


def test_every_equation_of_30_random_programs_is_true():
    found = [each for seed in WRITTEN for each in equations(recorded(Writer(seed).source).trace)]
    assert false_ones(found) == []
    read = sum(is_true(*each) is True for each in found)
    assert read > 0.95 * len(found) > 400


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
