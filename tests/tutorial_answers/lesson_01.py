"""The first gradient."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SLOPES = (
    "def slopes(a, b):\n    with tf.GradientTape() as tape:\n        f = {}\n"
    "    return tape.gradient(f, [a, b])"
)
HIT = (
    "def hit(ring):\n    v = tf.Variable([10.0, 10.0])\n    for _ in range(40):\n"
    "        with tf.GradientTape() as tape:\n            far = miss(v, ring)\n"
    "        {}\n    return v"
)
STEP = "v.assign_sub(0.2 * tape.gradient(far, v))"

WRONG = {
    "one path forgotten": Wrong(
        "by-hand", "cotangents = {'p': 1.0, 'w': 0.0, 'y': 3.0, 'x': 7.0}", "the one past p"
    ),
    "only the path past p": Wrong(
        "by-hand", "cotangents = {'p': 1.0, 'w': 0.0, 'y': 3.0, 'x': 1.0}", "the one through p"
    ),
    "values instead of cotangents": Wrong(
        "by-hand", "cotangents = {'p': 21.0, 'w': 0.0, 'y': 7.0, 'x': 3.0}", "21 is the value of p"
    ),
    "the factor not swapped": Wrong(
        "by-hand", "cotangents = {'p': 1.0, 'w': 0.0, 'y': 7.0, 'x': 8.0}", "Multiply swaps"
    ),
    "a maximum that shares": Wrong(
        "by-hand",
        "cotangents = {'p': 1.0, 'w': 1.0, 'y': 3.0, 'x': 8.0}",
        "Max does not share, as an addition does",
    ),
    "a maximum that halves": Wrong(
        "by-hand",
        "cotangents = {'p': 0.5, 'w': 0.5, 'y': 1.5, 'x': 4.5}",
        "A tie would be another matter",
    ),
    "the loser and the winner exchanged": Wrong(
        "by-hand",
        "cotangents = {'p': 0.0, 'w': 1.0, 'y': 0.0, 'x': 1.0}",
        "the larger one, p, gets all of g",
    ),
    "the value of the loser": Wrong(
        "by-hand",
        "cotangents = {'p': 1.0, 'w': 10.0, 'y': 3.0, 'x': 8.0}",
        "10 is the value of w",
    ),
    "a number that no slip explains": Wrong(
        "by-hand",
        "cotangents = {'p': 1.0, 'w': 0.0, 'y': 5.0, 'x': 9.0}",
        "(?s)y goes into a multiplication: multiply swaps.*Two paths lead to x",
    ),
    "the square forgotten": Wrong(
        "two-variables", SLOPES.format("a * b + tf.sin(b)"), "is the square on a"
    ),
    "the power of other languages": Wrong(
        "two-variables", SLOPES.format("a^2 * b + tf.sin(b)"), r"the square of a is a\*\*2"
    ),
    "NumPy's sine": Wrong(
        "two-variables", SLOPES.format("a**2 * b + np.sin(b)"), "np.sin is NumPy's"
    ),
    "a product of the sine": Wrong(
        "two-variables", SLOPES.format("a**2 * b * tf.sin(b)"), "added, and not multiplied"
    ),
    "computed outside of the block": Wrong(
        "two-variables",
        "def slopes(a, b):\n    f = a**2 * b + tf.sin(b)\n    with tf.GradientTape() as tape:\n"
        "        pass\n    return tape.gradient(f, [a, b])",
        "inside the tape's block",
    ),
    "a formula": Wrong(
        "two-variables",
        "def slopes(a, b):\n    return 2 * a * b, a**2 + tf.cos(b)",
        "no tape was asked",
    ),
    "a formula beside a tape": Wrong(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace(
            "return tape.gradient(f, [a, b])",
            "tape.gradient(f, [a, b])\n    return 2 * a * b, a**2 + tf.cos(b)",
        ),
        "the derivative by a does not come from it",
    ),
    "a tape for one and a formula for the other": Wrong(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace(
            "return tape.gradient(f, [a, b])", "return tape.gradient(f, a), a**2 + tf.cos(b)"
        ),
        "the derivative by b does not come from it",
    ),
    "the sine of a": Wrong(
        "two-variables", SLOPES.format("a**2 * b + tf.sin(a)"), "is the sine that of b"
    ),
    "one gradient for two": Wrong(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace("[a, b]", "a"),
        "Return a pair",
    ),
    "the factor not swapped at x": Wrong(
        "by-hand", "cotangents = {'p': 1.0, 'w': 0.0, 'y': 7.0, 'x': 4.0}", "3 is x itself"
    ),
    "a list in place of names": Wrong(
        "by-hand", "cotangents = [1, 0, 3, 8]", "Keep the four names"
    ),
    "a number between two of the steps": Wrong("h-is-hard", "best = 3e-6", "is none of them"),
    "another name": Wrong("by-hand", "cotangents = {'p': 1.0}", "Keep the four names"),
    "what y gets added at x": Wrong(
        "by-hand",
        "cotangents = {'p': 1.0, 'w': 0.0, 'y': 3.0, 'x': 10.0}",
        "7 comes to x through p",
    ),
    "a value without a history": Wrong(
        "hit", HIT.format(STEP).replace("miss(v, ring)", "miss(v.numpy(), ring)"), "from v itself"
    ),
    "return inside the loop": Wrong(
        "hit", HIT.format(STEP + "\n        return v"), "return stands after the loop"
    ),
    "return inside the loop, at the rate of the lesson": Wrong(
        "hit",
        HIT.format(STEP.replace("0.2", "0.3") + "\n        return v"),
        r"(?s)\A((?!a rate).)*return stands after the loop((?!a rate).)*\Z",
    ),
    "the numbers of the variable": Wrong(
        "hit",
        HIT.format(STEP).replace("return v", "return v.numpy()"),
        "should return the variable itself",
    ),
    "a pair of numbers": Wrong(
        "hit",
        HIT.format(STEP).replace("return v", "return v[0], v[1]"),
        "should return the variable itself",
    ),
    "a tensor of the variable": Wrong(
        "hit", HIT.format(STEP).replace("return v", "return 1.0 * v"), "no variable any more"
    ),
    "the root of the miss": Wrong(
        "hit",
        HIT.format(STEP).replace("miss(v, ring)", "tf.sqrt(miss(v, ring))"),
        "its root has a corner",
    ),
    "variable replaced": Wrong(
        "hit", HIT.format("v = v - 0.2 * tape.gradient(far, v)"), r"use v\.assign_sub"
    ),
    "a rate above the border": Wrong(
        "hit", HIT.format(STEP.replace("0.2", "0.39")), r"from about 0\.39 on does not arrive"
    ),
    **{
        f"a stop at 0.01 square metres, at a rate of {rate}": Wrong(
            "hit",
            HIT.format(
                f"{STEP.replace('0.2', rate)}\n        if float(far) < 0.01:\n            break"
            ),
            "That is in square metres: 1 cm is 0.0001",
        )
        for rate in ("0.2", "0.25", "0.3")
    },
    "uphill": Wrong("hit", HIT.format(STEP.replace("sub", "add")), "You ran away"),
    "too large a rate": Wrong("hit", HIT.format(STEP.replace("0.2", "0.9")), "You ran away"),
    "never moved": Wrong("hit", HIT.format("tape.gradient(far, v)"), "v hardly moved"),
    "a rate that is much too small": Wrong(
        "hit", HIT.format(STEP.replace("0.2", "1e-5")), "v hardly moved.*at a rate of 0.2 to 0.3"
    ),
    "the loop of the lesson": Wrong(
        "hit",
        HIT.format(STEP.replace("0.2", "0.3")).replace("40", "8"),
        r"\AAt the ring \(12\.0, 1\.0\) it still misses by 0\.012 m: take more steps",
    ),
    "two short steps": Wrong(
        "hit",
        HIT.format(STEP.replace("0.2", "0.1")).replace("40", "2"),
        r"\AAt the ring \(17\.0, 3\.0\) .*from about 0\.45 on does not arrive",
    ),
    "too few steps": Wrong("hit", HIT.format(STEP).replace("40", "5"), "take more steps"),
    "one gradient for all steps": Wrong(
        "hit",
        "def hit(ring):\n    v = tf.Variable([10.0, 10.0])\n    with tf.GradientTape() as tape:\n"
        "        far = miss(v, ring)\n    g = tape.gradient(far, v)\n    for _ in range(4):\n"
        "        v.assign_sub(0.05 * g)\n    return v",
        "a gradient of its own",
    ),
    "the ring not passed on": Wrong(
        "hit", HIT.format(STEP).replace("miss(v, ring)", "miss(v)"), "pass it on"
    ),
    "the two exchanged": Wrong(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace("[a, b]", "[b, a]"),
        r"\AThe two are exchanged: the derivative by a comes first\.\n0 of 2",
    ),
    "a step too large by ten": Wrong("h-is-hard", "best = 1e-4", "the error still falls"),
    "the best step with 7 digits": Wrong(
        "h-is-hard", "best = 1e-2", r"Did you try in 16\? tf\.constant\(1\.0, tf\.float64\)"
    ),
    "a truth of 7 digits": Wrong(
        "h-is-hard", "best = 1e-9", r"truth in 16 digits, np\.cos\(1\.0\)"
    ),
    "the smallest step": Wrong("h-is-hard", "best = 1e-12", "Smaller is not better"),
    "a step too small by ten": Wrong("h-is-hard", "best = 1e-6", "lost digits outweigh"),
    "the largest step": Wrong("h-is-hard", "best = 1e-1", "go on with smaller steps"),
    "the step for one run more": Wrong("h-is-hard", "best = 1e-8", "one run more"),
    "a sum in quotes": Wrong(
        "by-hand",
        "cotangents = {'p': 1.0, 'w': 0.0, 'y': 3.0, 'x': '7 + 1'}",
        "'7 \\+ 1' is no number",
    ),
    "a list for a number": Wrong(
        "by-hand",
        "cotangents = {'p': [1.0], 'w': 0.0, 'y': 3.0, 'x': 8.0}",
        r"\[1\.0\] is no number",
    ),
    "the values of z and of the product": Wrong(
        "by-hand", "cotangents = {'p': 24.0, 'w': 0.0, 'y': 21.0, 'x': 8.0}", "24 is the value of z"
    ),
    "a tape asked twice": Wrong(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace(
            "tape.gradient(f, [a, b])", "tape.gradient(f, a), tape.gradient(f, b)"
        ),
        r"Or ask once for both: tape\.gradient\(f, \[a, b\]\)",
    ),
    "nothing returned": Wrong(
        "hit", HIT.format(STEP).replace("return v", "pass"), "end it with return v"
    ),
    "a tape for all steps": Wrong(
        "hit",
        "def hit(ring):\n    v = tf.Variable([10.0, 10.0])\n    with tf.GradientTape() as tape:\n"
        "        far = miss(v, ring)\n    for _ in range(40):\n"
        "        v.assign_sub(0.2 * tape.gradient(far, v))\n    return v",
        "a tape of its own, inside the loop",
    ),
    "a variable that is subtracted from in place": Wrong(
        "hit", HIT.format("v -= 0.2 * tape.gradient(far, v)"), "is not supported"
    ),
    "the slope for the step": Wrong("h-is-hard", "best = np.cos(1)", "best should be h itself"),
    "a list of steps": Wrong("h-is-hard", "best = [1e-5]", "best should be one number"),
}

IN_ANOTHER_STYLE = {
    "numbers that are tensors": Right(
        "by-hand",
        "cotangents = {'x': tf.constant(8.0), 'p': 1, 'y': np.float32(3.0), 'w': tf.zeros([])}",
    ),
    "a new value assigned": Right("hit", HIT.format("v.assign(v - 0.2 * tape.gradient(far, v))")),
    "plain numbers of a tape": Right(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace(
            "return tape.gradient(f, [a, b])",
            "return tuple(float(each) for each in tape.gradient(f, [a, b]))",
        ),
    ),
    "derivatives as jacobians": Right(
        "two-variables",
        SLOPES.format("a**2 * b + tf.sin(b)").replace("tape.gradient", "tape.jacobian"),
    ),
    "a stop within a centimetre": Right(
        "hit", HIT.format("if far < 0.0001:\n            break\n        " + STEP)
    ),
    "a persistent tape": Right(
        "two-variables",
        SLOPES.format("tf.square(a) * b + tf.sin(b)")
        .replace("GradientTape()", "GradientTape(persistent=True)")
        .replace("tape.gradient(f, [a, b])", "tape.gradient(f, a), tape.gradient(f, b)"),
    ),
}
