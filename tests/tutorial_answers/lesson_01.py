"""The first gradient."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SLOPES = (
    "def slopes(a, b):\n    with tf.GradientTape() as tape:\n        f = {}\n"
    "    return tape.gradient(f, [a, b])"
)
HIT = (
    "def hit(ring, seconds):\n    v = tf.Variable([10.0, 10.0])\n    for _ in range(60):\n"
    "        with tf.GradientTape() as tape:\n            far = miss(v, {})\n"
    "        {}\n    return v"
)
STEP = "v.assign_sub(0.2 * tape.gradient(far, v))"


def by_hand(p, w, y, x):
    return f"cotangents = {{'p': {p}, 'w': {w}, 'y': {y}, 'x': {x}}}"


WRONG = {
    "one path forgotten": Wrong("by-hand", by_hand(1.0, 0.0, 3.0, 7.0), "two paths lead to it"),
    "values instead of cotangents": Wrong(
        "by-hand", by_hand(21.0, 10.0, 3.0, 3.0), "(?s)p: that is its value.*w: that is its value"
    ),
    "a maximum that shares": Wrong("by-hand", by_hand(1.0, 1.0, 3.0, 8.0), "Which one is larger"),
    "halves at the addition": Wrong(
        "by-hand", by_hand(0.5, 0.0, 1.5, 4.0), "(?s)p: that is half of it.*x: that is half of it"
    ),
    "the factor not swapped": Wrong("by-hand", by_hand(1.0, 0.0, 8.0, 8.0), "multiply swaps"),
    "a word for a number": Wrong("by-hand", by_hand("'?'", 0.0, 3.0, 8.0), "p: write a number"),
    "a list for the names": Wrong("by-hand", "cotangents = [1, 0, 3, 8]", "Keep the four names"),
    "the square forgotten": Wrong(
        "two-variables", SLOPES.format("a * b + tf.sin(b)"), "with respect to a is that of another"
    ),
    "NumPy's sine": Wrong(
        "two-variables", SLOPES.format("a**2 * b + np.sin(b)"), "np.sin is NumPy's"
    ),
    "the power of other languages": Wrong(
        "two-variables", SLOPES.format("a^2 * b + tf.sin(b)"), "stops in `slopes`"
    ),
    "a formula": Wrong(
        "two-variables",
        "def slopes(a, b):\n    return 2 * a * b, a**2 + tf.cos(b)",
        "no tape was asked",
    ),
    "exchanged": Wrong(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace("[a, b]", "[b, a]"),
        "a comes first",
    ),
    "asked twice": Wrong(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace(
            "tape.gradient(f, [a, b])", "tape.gradient(f, a), tape.gradient(f, b)"
        ),
        "Ask the tape once, for the list",
    ),
    "computed outside of the block": Wrong(
        "two-variables",
        "def slopes(a, b):\n    f = a**2 * b + tf.sin(b)\n    with tf.GradientTape() as tape:\n"
        "        pass\n    return tape.gradient(f, [a, b])",
        "None for a and b",
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
        "stops in `hit`",
    ),
    "nothing returned": Wrong(
        "hit", HIT.format("ring, seconds", STEP).replace("    return v", ""), "return v"
    ),
}

IN_ANOTHER_STYLE = {
    "whole numbers": Right("by-hand", "cotangents = {'p': 1, 'w': 0, 'y': 3, 'x': 8}"),
    "two tapes": Right(
        "two-variables",
        "def slopes(a, b):\n    found = []\n    for source in (a, b):\n"
        "        with tf.GradientTape() as tape:\n            f = a * a * b + tf.sin(b)\n"
        "        found.append(tape.gradient(f, source))\n    return found",
    ),
    "until it hits": Right(
        "hit",
        "def hit(ring, seconds):\n    v = tf.Variable([10.0, 10.0])\n    far = 1.0\n"
        "    while far > 0.00001:\n        with tf.GradientTape() as tape:\n"
        "            far = miss(v, ring, seconds)\n"
        "        v.assign_sub(0.2 * tape.gradient(far, v))\n    return v",
    ),
}
