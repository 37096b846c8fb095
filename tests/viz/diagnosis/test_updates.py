"""Trainings whose gradients are right and whose updates are not, and trainings that look like them.

What is right follows from the text of each program; nothing is compared with numbers of minitape's.
"""

import pytest

from minitape.viz.diagnosis.finding import KINDS
from minitape.viz.diagnosis.kinds.engine.other_order import matching
from minitape.viz.diagnosis.trial.process import run
from minitape.viz.diagnosis.trial.report import Report, report
from minitape.viz.diagnosis.views.page import TITLES, page

START = """\
import numpy as np
import minitape as tf
x = tf.constant(np.linspace(-1.0, 1.0, 12).reshape(6, 2), tf.float32)
t = tf.constant(np.linspace(2.0, -1.0, 12).reshape(6, 2), tf.float32)
w = tf.Variable([[0.5, -0.3], [0.2, 0.4]])
v = tf.Variable([[0.1, 0.6], [-0.7, 0.3]])
"""
STEP = """\
for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.tanh(x @ w) @ v - t) ** 2)
    gw, gv = tape.gradient(loss, [w, v])
"""


def found_in(folder, text):
    file = folder / "script.py"
    file.write_text(START + text)
    first = run(file, [], 20.0)
    assert first.ended == "ok", first.error
    assert not [each["error"] for each in first.outcomes if each["error"]]
    lines = (START + text).splitlines()
    return [(each.found_by, lines[each.line - 1].strip()) for each in first.findings]


WRONG = {
    "assign_add": ("uphill", STEP + "    w.assign_add(0.3 * gw)\n    v.assign_add(0.3 * gv)  #\n"),
    "a sum": ("uphill", STEP + "    w.assign(w + 0.3 * gw)\n    v.assign(v + 0.3 * gv)  #\n"),
    "names": (
        "other_order",
        STEP.replace(
            "gw, gv = tape.gradient(loss, [w, v])", "gw, gv = tape.gradient(loss, [v, w])  #"
        )
        + "    w.assign_sub(0.1 * gw)\n    v.assign_sub(0.1 * gv)\n",
    ),
    "reversed": (
        "other_order",
        STEP.replace("gw, gv", "g")
        + "    for a, b in zip([w, v], g[::-1]):  #\n        a.assign_sub(0.1 * b)\n",
    ),
    "Adam": (
        "other_order",
        "adam = tf.keras.optimizers.Adam(0.01)\n"
        + STEP
        + "    adam.apply_gradients(zip([gv, gw], [w, v]))  #\n",
    ),
    "one by one": (
        "other_order",
        STEP.replace("GradientTape()", "GradientTape(persistent=True)").replace(
            "gw, gv = tape.gradient(loss, [w, v])", "gs = []"
        )
        + "    for a in (v, w):\n        gs.append(tape.gradient(loss, a))\n"
        + "    for a, g in zip((w, v), gs):  #\n        a.assign_sub(0.1 * g)\n",
    ),
    "a loss without a minimum": (
        "bad_number",
        "for step in range(120):\n    with tf.GradientTape() as tape:\n"
        "        loss = -tf.reduce_mean((x @ w - t) ** 2)  #\n"
        "    w.assign_sub(tape.gradient(loss, w))\n",
    ),
    "a result of no name": ("unmoved", STEP + "    w - 0.1 * gw  #\n    v - 0.1 * gv\n"),
    "a loop's name": (
        "unmoved",
        STEP + "    for a, g in zip([w, v], [gw, gv]):\n        a = a - 0.1 * g  #\n",
    ),
    "a rate of 0": (
        "unmoved",
        "sgd = tf.keras.optimizers.SGD(0.1 * (1 // 2))\n"
        + STEP
        + "    sgd.apply_gradients(zip([gw, gv], [w, v]))  #\n",
    ),
    "never applied": (
        "unmoved",
        "sgd = tf.keras.optimizers.SGD(0.1)\n" + STEP.replace("])\n", "])  #\n"),
    ),
    "too far": (
        "overshoots",
        "rate = 90.0  #\n" + STEP + "    w.assign_sub(rate * gw)\n    v.assign_sub(rate * gv)\n",
    ),
    "copies": (
        "unmoved",
        "adam = tf.keras.optimizers.Adam(0.01)\n"
        "copies = [tf.Variable(w), tf.Variable(v)]\n"
        + STEP
        + "    adam.apply_gradients(zip([gw, gv], copies))  #\n",
    ),
}
RIGHT = {
    "looked at again and again": """\
def looked(w):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w - t) ** 2)
    return loss, tf.norm(tape.gradient(loss, w))
count = 0
for step in range(4):
    for count, factor in enumerate([1.0, 2.0]):
        count += 1
    loss, norm = looked(w)
    print(float(loss))
""",
    "layer by layer": """\
for step in range(4):
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_mean((tf.tanh(x @ w) @ v - t) ** 2)
    for each in [w, v, tf.Variable(1.0 + step)]:
        g = tape.gradient(loss, each, unconnected_gradients="zero")
        each.assign_sub(0.1 * g)
""",
    "complex weights": """\
z = tf.Variable([1.0 + 2.0j, 0.5 - 1.0j])
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.abs(z) ** 2)
    z.assign_sub(0.1 * tape.gradient(loss, z))
""",
    "a game": """\
a, b = tf.Variable(2.0), tf.Variable(-1.5)
for step in range(5):
    with tf.GradientTape() as tape:
        f = a * b + 0.5 * a**2 - 0.5 * b**2
    ga, gb = tape.gradient(f, [a, b])
    a.assign_sub(0.2 * ga)
    b.assign_add(0.2 * gb)
""",
    "a check of gradients": STEP
    + "    w.assign_add([[1e-3, 0.0], [0.0, 0.0]])\n    w.assign_sub([[1e-3, 0.0], [0.0, 0.0]])\n",
    "only looked at": STEP + "    print(w - 0.1 * gw, v - 0.1 * gv)\n",
    "one that waits": STEP + "    if step > 2:\n        w.assign_sub(0.1 * gw)\n",
    "equal towers": """\
a, b = tf.Variable([0.5, 0.5]), tf.Variable([0.5, 0.5])
for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((a * b - 1.0) ** 2)
    ga, gb = tape.gradient(loss, [a, b])
    a.assign_sub(0.1 * gb)
    b.assign_sub(0.1 * ga)
""",
    "a return": """\
prefs = tf.Variable([0.0, 0.0, 0.0])
for step in range(5):
    with tf.GradientTape() as tape:
        out = tf.reduce_sum(tf.nn.softmax(prefs) * [0.1, 0.3, 0.9])
    prefs.assign_add(0.5 * tape.gradient(out, prefs))
""",
    "a reward": STEP.replace("loss", "reward")
    + "    w.assign_add(0.1 * gw)\n    v.assign_add(0.1 * gv)\n",
    "noise": """\
rng = np.random.default_rng(0)
for step in range(8):
    batch = tf.constant(rng.normal(scale=1.0 + step, size=(6, 2)), tf.float32)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((batch @ w - t) ** 2)
    w.assign_sub(1e-3 * tape.gradient(loss, w))
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_update_is_found_at_its_line(name, tmp_path):
    kind, text = WRONG[name]
    marked = [row.strip() for row in text.splitlines() if row.endswith("#")]
    found = found_in(tmp_path, text)
    assert [each for each, _ in found] == [kind]
    assert not marked or found[0][1] in marked


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_training_that_looks_like_one_is_not_accused(name, tmp_path):
    assert found_in(tmp_path, RIGHT[name]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in WRONG if n not in {"a rate of 0", "never applied"}])
def test_a_corrected_update_makes_the_loss_smaller(name, tmp_path):
    file = tmp_path / "script.py"
    file.write_text(START + WRONG[name][1])
    (one,) = report(file).diagnoses
    first, last = one.losses
    assert last < first
    assert f"the loss goes from {first:.4g}" in page(Report(file.name, [one]))
    assert run(file, [], 20.0, one.after).findings == ()


def test_each_kind_that_is_shown_has_a_title_on_the_page():
    assert {*KINDS} <= {*TITLES}


def test_a_matching_takes_each_column_once():
    assert matching([[True, True], [True, False]]) == [1, 0]
    assert matching([[True, False], [True, False]]) is None
