"""The first gradient."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

BEST = """
def best_step(f, v, length):
    with tf.GradientTape() as tape:
        y = f(v)
    g = tape.gradient(y, v)
    d = {}
    return d, {}
"""
DOWN, PROMISED = "-length * g / tf.norm(g)", "tf.reduce_sum(g * d)"
HIT = (
    "def hit(ring, seconds):\n    v = tf.Variable([10.0, 10.0])\n    for _ in range(60):\n"
    "        with tf.GradientTape() as tape:\n            far = miss(v, {})\n"
    "        {}\n    return v"
)
STEP = "v.assign_sub(0.2 * tape.gradient(far, v))"


def by_hand(p, w, y, x):
    return f"cotangents = {{'p': {p}, 'w': {w}, 'y': {y}, 'x': {x}}}"


WRONG = {
    "one path forgotten": Wrong("by-hand", by_hand(1.0, 0.0, 3.0, 6.0), "two paths lead to it"),
    "values instead of cotangents": Wrong(
        "by-hand", by_hand(18.0, 10.0, 3.0, 3.0), "(?s)p: that is its value.*w: that is its value"
    ),
    "a maximum that shares": Wrong("by-hand", by_hand(1.0, 1.0, 3.0, 7.0), "Which one is larger"),
    "halves at the addition": Wrong(
        "by-hand", by_hand(0.5, 0.0, 1.5, 3.5), "(?s)p: that is half of it.*x: that is half of it"
    ),
    "the factor not swapped": Wrong("by-hand", by_hand(1.0, 0.0, 8.0, 7.0), "multiply swaps"),
    "the factor not swapped on the way to x": Wrong(
        "by-hand", by_hand(1.0, 0.0, 3.0, 4.0), "two paths lead to it"
    ),
    "a word for a number": Wrong("by-hand", by_hand("'?'", 0.0, 3.0, 7.0), "p: write a number"),
    "a list for the names": Wrong("by-hand", "cotangents = [1, 0, 3, 7]", "Keep the four names"),
    "a step uphill": Wrong(
        "best-step", BEST.format("length * g / tf.norm(g)", PROMISED), "The gradient points uphill"
    ),
    "the gradient as the step": Wrong(
        "best-step", BEST.format("-length * g", PROMISED), "How long is the gradient itself"
    ),
    "the gradient as the step, and the right promise": Wrong(
        "best-step", BEST.format("-length * g", "-length * tf.norm(g)"), "your d has another length"
    ),
    "the sum of the slopes for its length": Wrong(
        "best-step",
        BEST.format("-length * g / tf.reduce_sum(tf.abs(g))", PROMISED),
        "The step should have the length",
    ),
    "along the steepest axis": Wrong(
        "best-step",
        BEST.format(
            "-length * tf.sign(g) * tf.cast(tf.abs(g) == tf.reduce_max(tf.abs(g)), g.dtype)",
            PROMISED,
        ),
        "Both numbers may change",
    ),
    "the place for the step": Wrong(
        "best-step", BEST.format("v - length * g / tf.norm(g)", PROMISED), "Return the step alone"
    ),
    "what f really does": Wrong(
        "best-step", BEST.format(DOWN, "f(v + d) - y"), "what f really does"
    ),
    "f after the step": Wrong("best-step", BEST.format(DOWN, "f(v + d)"), "That is f after"),
    "the length of the gradient promised": Wrong(
        "best-step", BEST.format(DOWN, "-tf.norm(g)"), "a step of the length 1"
    ),
    "a promise without its sign": Wrong(
        "best-step", BEST.format(DOWN, "length * tf.norm(g)"), "f should fall"
    ),
    "a promise for each number": Wrong(
        "best-step", BEST.format(DOWN, "g * d"), "the change, one number"
    ),
    "the step alone": Wrong(
        "best-step",
        BEST.format(DOWN, PROMISED).replace("return d, tf.reduce_sum(g * d)", "return d"),
        "Return two things, d and the change",
    ),
    "f outside of the block": Wrong(
        "best-step",
        BEST.format(DOWN, PROMISED).replace("        y = f(v)", "        pass\n    y = f(v)"),
        "inside the tape's block",
    ),
    "the lesson's ring": Wrong("hit", HIT.format("", STEP), "This is another ring"),
    "the lesson's time": Wrong("hit", HIT.format("ring", STEP), "seconds that were asked for"),
    "uphill": Wrong("hit", HIT.format("ring, seconds", STEP.replace("_sub", "_add")), "ran away"),
    "too few steps": Wrong(
        "hit", HIT.format("ring, seconds", STEP).replace("range(60)", "range(2)"), "More steps"
    ),
    "no variable after a step": Wrong(
        "hit",
        HIT.format("ring, seconds", "v = v - 0.2 * tape.gradient(far, v)"),
        "stops in `hit`.*Is a gradient None",
    ),
    "nothing returned": Wrong(
        "hit", HIT.format("ring, seconds", STEP).replace("    return v", ""), "return v"
    ),
}

IN_ANOTHER_STYLE = {
    "number by number": Right(
        "best-step",
        "def best_step(f, v, length):\n    with tf.GradientTape() as tape:\n        y = f(v)\n"
        "    gx, gy = tape.gradient(y, v).numpy()\n    size = (gx**2 + gy**2) ** 0.5\n"
        "    return [-length * gx / size, -length * gy / size], -length * size",
    ),
    "whole numbers": Right("by-hand", "cotangents = {'p': 1, 'w': 0, 'y': 3, 'x': 7}"),
    "until it hits": Right(
        "hit",
        "def hit(ring, seconds):\n    v = tf.Variable([10.0, 10.0])\n    far = 1.0\n"
        "    while far > 0.00001:\n        with tf.GradientTape() as tape:\n"
        "            far = miss(v, ring, seconds)\n"
        "        v.assign_sub(0.2 * tape.gradient(far, v))\n    return v",
    ),
}
