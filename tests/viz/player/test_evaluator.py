"""The page's evaluator against the engine: values and gradients of each op that it knows.

The samples are those of every op: they broadcast, tie, are empty, have negative axes. What comes in
is never 1. Node runs the module as a page does, from the data of a player.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitape as tf
from every_op import arrays, call, differentiable, gradients, weights
from minitape import viz
from minitape.names import namespaces
from minitape.viz.player.payload import payload
from minitape.viz.player.touch import known_ops, touch_data
from minitape.viz.trace.trace import Trace
from op_samples import Sample, all_samples

namespaces.load_rest()
SCRIPT = Path(__file__).parent / "scripts" / "prove.mjs"
CLOSE = 1e-11  # of the largest element, at other numbers
MOVED = 1e-3
PARTS = 8  # a test each: one for all would take a minute
# Forms that are refused by name: diagonals beside the main one.
REFUSED = {"matrix_diag", "matrix_diag_part"}
# What only rules of nested tapes are made of; their names are the trace's, not the registry's.
OF_RULES = {
    "power_slope": "slope of power",
    "tanh_gradient": "back through tanh",
    "ungather": "rows put back",
    "unslice": "slice put back",
    "zero_over": "gated quotient",
    "zero_times": "gated product",
}
pytestmark = [
    pytest.mark.skipif(not shutil.which("node"), reason="no test with Node: it is not installed"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


def proved(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the evaluator says of the data of players, in their order."""
    done = subprocess.run(
        ["node", str(SCRIPT)], input="\n".join(map(json.dumps, cases)), capture_output=True,
        text=True, check=True, timeout=300,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def data_of(trace: Trace) -> dict[str, Any]:
    """The part of a player's data that the evaluator reads: no step of it."""
    return {"nodes": payload(replace(trace, steps=()))["nodes"], **touch_data(trace)}


def recorded(sample: Sample, dtype: str) -> tuple[Any, ...] | None:
    """A sample as a tape with random weights, its inputs, their places, and the weights."""
    inputs = arrays(sample, dtype)
    places = differentiable(sample, inputs)
    if not places:
        return None
    tensors = [tf.constant(x) for x in inputs]
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in places])
        outputs = call(sample, tensors)
    ws = weights(outputs, 3)
    used = [(y, tf.constant(w)) for y, w in zip(outputs, ws, strict=True) if w is not None]
    sources = [tensors[i] for i in places]
    targets, seeds = [y for y, _ in used], [w for _, w in used]
    trace = viz.step(tape, targets, sources, output_gradients=seeds).trace
    return trace, inputs, places, ws


def is_known(sample: Sample) -> bool:
    return OF_RULES.get(sample.name, sample.name) in known_ops()


KNOWN = [each for each in all_samples() if is_known(each) and each.order]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_known_op_gives_the_engine_s_numbers_and_gradients_at_the_recorded_ones_and_beside(
    part: int,
):
    rng = np.random.default_rng([2026, part])
    cases, expected = [], []
    for sample in KNOWN[part::PARTS]:
        for dtype in ("float32", "float64"):
            found = recorded(sample, dtype)
            if found is None:
                continue
            trace, inputs, places, ws = found
            data = data_of(trace)
            if "off" in data["touch"]:
                assert "complex" in data["touch"]["off"], (str(sample), data["touch"])
                continue
            moved = list(inputs)
            touched: list[Any] = []
            beside = (
                dtype == "float64"
            )  # of one dtype is enough: rounding is judged at the recorded
            for node, place in zip(trace.sources, places, strict=True) if beside else ():
                moved[place] = (
                    inputs[place] + MOVED * rng.normal(size=inputs[place].shape)
                ).astype(inputs[place].dtype)
                touched += [[node, i, float(v)] for i, v in enumerate(moved[place].ravel())]
            cases.append(data | {"touched": touched})
            right = gradients(sample, moved, ws, places) if beside else []
            expected.append((sample, dtype, trace, right))
    wrong, refused = [], set()
    for (sample, dtype, trace, right), found in zip(expected, proved(cases), strict=True):
        if found.get("off"):
            refused.add(sample.name)
            if sample.name not in REFUSED:
                wrong.append((f"{sample} {dtype}", found["off"]))
            continue
        for node, g in zip(trace.sources, right, strict=bool(right)):
            if "gradients" not in found or g is None:
                continue
            mine = [np.nan if each is None else each for each in found["gradients"][node]]
            theirs = np.asarray(g.numpy()).ravel()
            finite = np.isfinite(theirs)
            top = np.abs(theirs[finite]).max(initial=1e-30)
            off = np.abs(np.array(mine)[finite] - theirs[finite]).max(initial=0) / top
            if off > CLOSE:
                wrong.append((f"{sample} {dtype} beside", off))
    assert not wrong
    assert refused <= REFUSED
    assert len(cases) > 900 / PARTS


def test_every_op_of_the_table_has_samples():
    sampled = {OF_RULES.get(sample.name, sample.name) for sample in all_samples()}
    assert sorted(known_ops() - sampled) == []


def test_other_numbers_give_what_the_closed_form_says():
    a, c = tf.Variable(1.5, dtype=tf.float64), tf.Variable(-0.6, dtype=tf.float64)
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.tanh(a * 2.0 + c)
        out = (h * h + tf.exp(-h) * c) / (1.0 + h)
    trace = viz.step(tape, out, [a, c]).trace
    x = 0.25
    (found,) = proved([data_of(trace) | {"touched": [[trace.sources[0], 0, x]]}])

    def closed(x: float) -> float:
        h = np.tanh(2 * x - 0.6)
        return float((h * h + np.exp(-h) * -0.6) / (1 + h))

    assert found["farthest"] < 1e-12
    assert found["result"] == pytest.approx(closed(x), rel=1e-13)
    slope = (closed(x + 1e-6) - closed(x - 1e-6)) / 2e-6
    assert found["gradients"][trace.sources[0]][0] == pytest.approx(slope, rel=1e-8)


def test_a_saturated_tanh_proves_itself_though_a_last_digit_of_it_is_many_of_its_slope():
    x = tf.Variable([3.0, 4.0, 5.5, 7.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.tanh(x))
    (found,) = proved([data_of(viz.step(tape, y, x).trace)])
    assert "off" not in found


def test_a_gradient_that_is_zero_but_for_rounding_is_measured_by_the_terms_that_cancel():
    rng = np.random.default_rng(0)
    x, w = tf.constant(rng.normal(size=(5, 4)).astype("f")), tf.Variable(np.eye(4, dtype="f"))
    b = tf.Variable(np.zeros(4, "f"))
    with viz.recording(), tf.GradientTape() as tape:
        keys = x @ w + b
        y = tf.reduce_sum(tf.nn.softmax(tf.matmul(x, keys, transpose_b=True)) @ x * x)
    (found,) = proved([data_of(viz.step(tape, y, [w, b]).trace)])
    assert "off" not in found


def of_program(program: Any, *values: Any) -> dict[str, Any]:
    sources = [tf.Variable(value) for value in values]
    with viz.recording(), tf.GradientTape() as tape:
        target = program(*sources)
    return touch_data(viz.step(tape, target, sources).trace)["touch"]


def test_a_recorded_number_that_another_one_stands_for_is_found():
    x = tf.Variable(1.5)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.exp(x) * 2.0
    data = data_of(viz.step(tape, y, x).trace)
    numbers = np.frombuffer(base64.b64decode(data["touch"]["numbers"]), "<f4").copy()
    for place in range(len(numbers) - 1):  # the last is the seed
        false = numbers.copy()
        false[place] *= 1.001
        changed = data["touch"] | {"numbers": base64.b64encode(false.tobytes()).decode()}
        (found,) = proved([data | {"touch": changed}])
        assert "differs from what was recorded" in found.get("off", ""), place


@tf.custom_gradient
def halved(x):
    return x * 2.0, lambda g: g


@pytest.mark.parametrize(
    ("program", "value", "said"),
    [
        (lambda x: tf.linalg.det(x), np.eye(2), "the op `determinant` is not known here"),
        (lambda x: tf.random.gamma([2], x), 2.0, "the op `random_gamma` draws random numbers"),
        (lambda x: halved(x), 1.0, "the gradient of `halved` is a Python function of your own"),
        (lambda x: x @ x, np.ones((80, 80)), "its numbers were cut: it has "),
        (
            lambda x: x * x,
            np.complex64(2),
            "is complex64, and only float16, float32 and float64 can be",
        ),
        (lambda x: tf.math.real(x), 1 + 2j, "is complex128, and only"),
    ],
)
def test_what_cannot_be_computed_again_is_said_with_its_reason(program, value, said):
    assert said in of_program(program, value)["off"]


def test_each_value_of_a_variable_that_was_assigned_to_has_its_own_slope():
    x, y = tf.Variable(2.0), tf.Variable(5.0)
    with viz.recording(), tf.GradientTape() as tape:
        z = x * x * y
        x.assign(3.0)
        z = z * x
        x.assign_add(1.5)
        z = z * x
    trace = viz.step(tape, z, [x, y]).trace
    first, second, third = (i for i, node in enumerate(trace.nodes) if node.name[:1] == "x")
    (found,) = proved([data_of(trace) | {"touched": [[first, 0, 2.5], [third, 0, 4.0]]}])
    assert not found.get("off") and found["farthest"] == 0
    a, b, c = 2.5, 3.0, 4.0  # z = a a y b c
    assert found["result"] == a * a * 5 * b * c
    slopes = [found["gradients"][i][0] for i in (first, second, third)]
    assert slopes == [2 * a * 5 * b * c, a * a * 5 * c, a * a * 5 * b]
    assert trace.gradients[trace.sources[0]].data == (2 * 2 * 5 * 3 * 4.5 + 20 * 4.5 + 20 * 3,)


def test_float16_rounds_as_numpy_does():
    rng = np.random.default_rng(16)
    every = np.arange(0x7C00, dtype="<u2").view("<f2").astype("f8")  # all that are finite
    between = (every[1:] + every[:-1]) / 2  # ties
    beside = rng.uniform(-70000, 70000, 2000) * 10.0 ** rng.integers(-9, 1, 2000)
    given = np.concatenate(
        [every, -between, beside, [65519.99, 65520.0, -1e9, np.inf, np.nan, -0.0]]
    )
    code = (
        f'import {{ half }} from "{SCRIPT.parents[4] / "viz/player/src/evaluate.js"}";'
        "let text = ''; for await (const part of process.stdin) text += part;"
        "console.log(text.split(' ').map((x) => half(Number(x))).join(' '));"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", code], capture_output=True, text=True, check=True,
        input=" ".join(map(repr, given.tolist())).replace("inf", "Infinity").replace("nan", "NaN"),
    )  # fmt: skip
    found = np.array([float(each.replace("Infinity", "inf")) for each in done.stdout.split()])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found, given.astype("f2").astype("f8"))


@pytest.mark.parametrize("seed", range(6))
def test_a_network_in_float16_proves_itself_within_five_steps_of_its_grid(seed: int):
    rng = np.random.default_rng(seed)
    W1, W2 = (tf.Variable(rng.normal(size=s).astype("f2")) for s in ((4, 6), (6, 3)))
    x = tf.constant(rng.normal(size=(5, 4)).astype("f2"))
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.tanh(x @ W1)
        p = tf.nn.softmax(h @ W2)
        loss = tf.reduce_mean(tf.square(p[:, 0] - tf.cast(0.5, tf.float16)))
    trace = viz.step(tape, loss, [W1, W2]).trace
    (found,) = proved([data_of(trace)])
    assert not found.get("off"), found
    assert found["farthest"] <= 5e-3


def test_a_trace_of_another_engine_is_refused():
    from viz_traces import diamond

    assert "only ops of minitape are known" in touch_data(diamond())["touch"]["off"]


def test_numbers_of_an_ordinary_tape_take_little_of_the_page():
    rng = np.random.default_rng(1)
    w1, w2 = (tf.Variable(rng.normal(size=s).astype("f")) for s in ((4, 8), (8, 3)))
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.nn.relu(tf.constant(rng.normal(size=(3, 4)).astype("f")) @ w1)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], h @ w2))
    assert len(json.dumps(touch_data(viz.step(tape, loss, [w1, w2]).trace))) < 2_000
