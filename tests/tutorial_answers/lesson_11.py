"""A clinic."""

from __future__ import annotations

import re
from pathlib import Path

from tutorial_answers import Wrong

LESSON = (Path(__file__).parents[2] / "tutorials" / "11_a_clinic.py").read_text("utf-8")
RIGHT = re.search(r"### BEGIN SOLUTION\n(for letter.*?)### END SOLUTION", LESSON, re.DOTALL)[1]
MENDED = re.search(r"### BEGIN SOLUTION\n(def learnt.*?)### END SOLUTION", LESSON, re.DOTALL)[1]
PROMISE = """
def promise_and_fall(f, v, rate):
    with tf.GradientTape() as tape:
        before = f()
    gradients = tape.gradient(before, v)
    promised = rate * sum(float(tf.reduce_sum(g * g)) for g in gradients)
    kept = [w.numpy().copy() for w in v]
    for w, g in zip(v, gradients):
        w.assign_sub(rate * g)
    after = f()
    for w, old in zip(v, kept):
        w.assign(old)
    return promised, float(before - after)
"""
FIRST = """
def first_bad(journal):
    for entry in {}:
        if {}:
            return entry.op.name
"""
BAD = "not all(np.isfinite(output.numpy()).all() for output in entry.outputs)"


def diagnosed(change: str) -> str:
    return f'diagnosis = dict.fromkeys("ABCDEF")\n{RIGHT}\n{change}'


def mended(old: str, new: str) -> str:
    assert old in MENDED
    return MENDED.replace(old, new)


def promised(old: str, new: str) -> str:
    assert old in PROMISE
    return PROMISE.replace(old, new)


SWAP = (
    'for letter in "ABCDEF":\n    if diagnosis[letter] == "{}":\n        diagnosis[letter] = "{}"'
)

WRONG = {
    "a scale taken for a rate": Wrong(
        "six", diagnosed(SWAP.format("scale", "rate")), "What makes all of them large"
    ),
    "a leak not seen in the curve": Wrong(
        "six", diagnosed(SWAP.format("leak", "rate")), "compare its two accuracies"
    ),
    "slow taken for a rate": Wrong(
        "six",
        diagnosed(SWAP.format("forgotten factor", "rate")),
        "What does its loss begin with",
    ),
    "a stale copy taken for dead units": Wrong(
        "six", diagnosed(SWAP.format("stale copy", "dead units")), "Did anything move"
    ),
    "no mistake mended": Wrong(
        "three-mistakes",
        mended("axis=1, keepdims", "axis=0, keepdims").replace(
            "tf.reduce_mean(each)", "tf.reduce_mean(each) / len(y)"
        ),
        "full size",
    ),
    "the leak left": Wrong(
        "three-mistakes", mended("axis=1, keepdims", "axis=0, keepdims"), "over which axis"
    ),
    "the factor left": Wrong(
        "three-mistakes",
        mended("tf.reduce_mean(each)", "tf.reduce_mean(each) / len(y)"),
        "full size",
    ),
    "tensors in place of variables": Wrong(
        "three-mistakes",
        mended("w.assign_sub(0.5 * g)", "v[0 if w is v[0] else 1] = w - 0.5 * g"),
        "the tape does not watch",
    ),
    "the last one": Wrong(
        "first-bad", FIRST.format("reversed(journal.entries)", BAD), "comes from the root"
    ),
    "nan only": Wrong(
        "first-bad",
        FIRST.format("journal.entries", "any(np.isnan(y.numpy()).any() for y in entry.outputs)"),
        "an infinity",
    ),
    "the inputs looked at": Wrong(
        "first-bad",
        FIRST.format("journal.entries", BAD.replace("outputs", "inputs")),
        "comes from the root",
    ),
    "always something": Wrong(
        "first-bad",
        FIRST.format("journal.entries", BAD) + "    return journal.entries[-1].op.name",
        "the answer is None",
    ),
    "the length not squared": Wrong(
        "promise",
        promised("return promised,", "return rate * (promised / rate) ** 0.5,"),
        "squared",
    ),
    "after minus before": Wrong(
        "promise", promised("before - after", "after - before"), "the other sign"
    ),
    "the variables left moved": Wrong(
        "promise", promised("w.assign(old)", "pass"), "their old values"
    ),
    "one variable alone": Wrong(
        "promise", promised("for g in gradients)", "for g in gradients[:1])"), "over all variables"
    ),
}
