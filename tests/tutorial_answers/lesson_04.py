"""Why is my gradient None?"""

from __future__ import annotations

from tutorial_answers import Right, Wrong

CAUSES = 'causes = {{"A": "{}", "B": "{}", "C": "{}", "D": "{}", "E": "{}"}}'
TRAINED = """
def trained(goal):
    w = tf.Variable({})
    for _ in range(50):
        with tf.GradientTape() as tape:
            loss = {}
        gradient = tape.gradient(loss, w)
        {}
    return w
"""
FROZEN = "def half_frozen(decoder, encoder):\n    return "
HALF_CUT = """
def two_runs(f, x):
    return {}
def fixed(x):
    return {}
"""
CENTRAL, MENDED = "(f(x + 1e-5) - f(x - 1e-5)) / 2e-5", "x * tf.sin(x)"

WRONG = {
    "a staircase taken for stop_gradient": Wrong(
        "by-hand-diagnosis",
        CAUSES.format("stop_gradient", "outside", "numpy", "state", "not_watched"),
        "Program A is another case. What does its operation do between two jumps",
    ),
    "computed before the block": Wrong(
        "by-hand-diagnosis",
        CAUSES.format("not_differentiable", "not_watched", "numpy", "state", "not_watched"),
        "Program B is another case. Which lines does the tape hear",
    ),
    "state taken for no path": Wrong(
        "by-hand-diagnosis",
        CAUSES.format("not_differentiable", "outside", "numpy", "no_path", "not_watched"),
        "Program D is another case. Does a variable keep a number",
    ),
    "a misspelt word": Wrong(
        "by-hand-diagnosis",
        CAUSES.format("not differentiable", "outside", "numpy", "state", "not_watched"),
        "'not differentiable' is none of the eight words",
    ),
    "before the block taken for not watched": Wrong(
        "by-hand-diagnosis",
        CAUSES.format("not_differentiable", "no_path", "numpy", "state", "not_watched"),
        "another case. Which lines does the tape hear",
    ),
    "the 3 without a tape": Wrong(
        "training", "def trained(goal):\n    return tf.Variable(float(goal))", "No tape was used"
    ),
    "whole numbers": Wrong(
        "training",
        TRAINED.format("0", "tf.square(w - goal)", "w.assign_sub(0.1 * gradient)"),
        "Is w a float",
    ),
    "NumPy": Wrong(
        "training",
        TRAINED.format("0.0", "np.square(w - goal)", "w.assign_sub(0.1 * gradient)"),
        "a number of NumPy",
    ),
    "variable replaced": Wrong(
        "training",
        TRAINED.format("0.0", "tf.square(w - goal)", "w = w - 0.1 * gradient"),
        "assign_sub",
    ),
    "whole numbers alone": Wrong(
        "training",
        TRAINED.format("0", "tf.square(w - goal)", "w.assign_sub(0.1 * gradient)"),
        "None in the first step. Is w a float",
    ),
    "variable replaced, and nothing else": Wrong(
        "training",
        TRAINED.format("0.0", "tf.square(w - goal)", "w = w - 0.1 * gradient"),
        "there at first, and then it is None: w = w - ",
    ),
    "uphill": Wrong(
        "training",
        TRAINED.format("0.0", "tf.square(w - goal)", "w.assign_add(0.1 * gradient)"),
        "are there 50 steps",
    ),
    "nothing frozen": Wrong(
        "half-frozen", FROZEN + "decoder * encoder * 3.0", "The encoder is not frozen. .*One path"
    ),
    "both frozen": Wrong(
        "half-frozen",
        FROZEN + "tf.stop_gradient(decoder * encoder) * 3.0",
        "The decoder is frozen too",
    ),
    "frozen by NumPy": Wrong(
        "half-frozen", FROZEN + "decoder * encoder.numpy() * 3.0", "by a copy of its number"
    ),
    "frozen by a copy": Wrong(
        "half-frozen", FROZEN + "decoder * tf.constant(encoder) * 3.0", "by a copy of its number"
    ),
    "frozen by rounding": Wrong(
        "half-frozen", FROZEN + "decoder * tf.round(encoder) * 3.0", "by an accident: not_diff"
    ),
    "set in each step": Wrong(
        "training",
        TRAINED.format("0.0", "tf.square(w - goal)", "w.assign(goal)"),
        "Is w set to the goal",
    ),
    "one persistent tape for all rounds": Wrong(
        "training",
        "def trained(goal):\n    w = tf.Variable(0.0)\n"
        "    with tf.GradientTape(persistent=True) as tape:\n"
        "        loss = tf.square(w - goal)\n    for _ in range(50):\n"
        "        w.assign_sub(0.1 * tape.gradient(loss, w))\n    return w",
        "the loss anew, in every step",
    ),
    "h of 32 bits": Wrong(
        "half-cut",
        HALF_CUT.format("(f(x + tf.constant(1e-5)) - f(x - tf.constant(1e-5))) / 2e-5", MENDED),
        "A plain number, 1e-5",
    ),
    "x of 32 bits": Wrong(
        "half-cut",
        HALF_CUT.format(CENTRAL.replace("(x ", "(tf.cast(x, tf.float32) "), MENDED),
        "64 bits all the way",
    ),
    "a step too small": Wrong(
        "half-cut",
        HALF_CUT.format("(f(x + 1e-17) - f(x - 1e-17)) / 2e-17", MENDED),
        "The slope is 0",
    ),
    "divided by h": Wrong(
        "half-cut", HALF_CUT.format(CENTRAL.replace("2e-5", "1e-5"), MENDED), "twice the slope"
    ),
    "NumPy still there": Wrong(
        "half-cut",
        HALF_CUT.format(CENTRAL, "x * np.sin(x)"),
        "x inside of the sine leaves the tape",
    ),
    "the other half cut": Wrong(
        "half-cut",
        HALF_CUT.format(CENTRAL, "x.numpy() * tf.sin(x)"),
        "x in front of the sine leaves the tape",
    ),
    "the sine alone": Wrong("half-cut", HALF_CUT.format(CENTRAL, "tf.sin(x)"), "still be x sin x"),
    "all of it in NumPy": Wrong(
        "half-cut", HALF_CUT.format(CENTRAL, "x.numpy() * np.sin(x)"), "All of `fixed` has left"
    ),
    "one side and a large step": Wrong(
        "half-cut", HALF_CUT.format("(f(x + 1e-3) - f(x)) / 1e-3", MENDED), "points on both sides"
    ),
    "the two runs exchanged": Wrong(
        "half-cut", HALF_CUT.format("(f(x - 1e-5) - f(x + 1e-5)) / 2e-5", MENDED), "The sign is"
    ),
    "one side divided by two h": Wrong(
        "half-cut", HALF_CUT.format("(f(x + 1e-5) - f(x)) / 2e-5", MENDED), "half the slope"
    ),
    "a formula in place of two runs": Wrong(
        "half-cut",
        HALF_CUT.format(
            "np.sin(float(x)) + float(x) * np.cos(float(x))",
            MENDED,
        ),
        "It has to call f twice",
    ),
    "what the tape says": Wrong(
        "half-cut", HALF_CUT.format("tf.sin(x)", MENDED), "the tape is wrong"
    ),
    "a list of causes": Wrong(
        "by-hand-diagnosis", "causes = ['not_differentiable', 'outside', 'numpy']", "causes = {'A'"
    ),
    "a cause in a list": Wrong(
        "by-hand-diagnosis",
        "causes = {'A': ['not_differentiable'], 'B': 'outside', 'C': 'numpy', 'D': 'state', "
        "'E': 'not_watched'}",
        "none of the eight words",
    ),
    "the 3 beside a tape": Wrong(
        "training",
        TRAINED.format("0.0", "tf.square(w - goal)", "w.assign(goal)").replace(
            "tape.gradient(loss, w)", "None"
        ),
        "No tape was used",
    ),
    "the derivative by hand beside a tape": Wrong(
        "training",
        TRAINED.format(
            "0.0", "tf.square(w - goal)", "w.assign_sub(0.1 * 2.0 * (w - goal))"
        ).replace("tape.gradient(loss, w)", "None"),
        "No tape was used",
    ),
    "asked once, then set": Wrong(
        "training",
        "def trained(goal):\n    w = tf.Variable(0.0)\n    with tf.GradientTape() as tape:\n"
        "        loss = tf.square(w - goal)\n    tape.gradient(loss, w)\n    w.assign(goal)\n"
        "    return w",
        r"asked for a gradient 1 time\(s\) only",
    ),
    "a tape for all rounds": Wrong(
        "training",
        "def trained(goal):\n    w = tf.Variable(0.0)\n    with tf.GradientTape() as tape:\n"
        "        loss = tf.square(w - goal)\n    for _ in range(50):\n"
        "        w.assign_sub(0.1 * tape.gradient(loss, w))\n    return w",
        "only be used to compute one set of gradients",
    ),
    "a plain number": Wrong(
        "half-frozen",
        FROZEN + "float(decoder) * float(encoder) * 3.0",
        "A plain number has no gradient",
    ),
    "x as a plain number": Wrong(
        "half-cut", HALF_CUT.format(CENTRAL, "x * tf.sin(float(x))"), "Has x become a plain number"
    ),
    "two runs and no difference": Wrong(
        "half-cut", HALF_CUT.format("f(x + 1e-5), f(x - 1e-5)", MENDED), "A slope is one number"
    ),
    "brackets forgotten": Wrong(
        "half-cut",
        HALF_CUT.format("(f(x + 1e-5) - f(x - 1e-5)) / 2 * 1e-5", MENDED),
        "with brackets",
    ),
    "a new variable in each step": Wrong(
        "training",
        "def trained(goal):\n    w = tf.Variable(0.0)\n    for _ in range(50):\n"
        "        with tf.GradientTape() as tape:\n            loss = tf.square(w - goal)\n"
        "        w = tf.Variable(w - 0.1 * tape.gradient(loss, w))\n    return w",
        "Each step makes a new variable",
    ),
    "no division": Wrong(
        "half-cut", HALF_CUT.format("f(x + 1e-5) - f(x - 1e-5)", MENDED), "Divide by 2 h"
    ),
    "families in place of causes": Wrong(
        "by-hand-diagnosis",
        "causes = {'A': 4, 'B': 3, 'C': 2, 'D': 2, 'E': 1}",
        "none of the eight words",
    ),
}

IN_ANOTHER_STYLE = {
    "assign": Right(
        "training", TRAINED.format("0.0", "(w - goal) ** 2", "w.assign(w - 0.1 * gradient)")
    ),
    "an optimizer": Right(
        "training",
        "def trained(goal):\n    w = tf.Variable(0.0)\n"
        "    optimizer = tf.keras.optimizers.SGD(0.1)\n"
        "    for _ in range(50):\n        with tf.GradientTape() as tape:\n"
        "            loss = tf.square(w - goal)\n"
        "        optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n    return w",
    ),
    "the encoder alone held fast": Right(
        "half-frozen", FROZEN + "tf.multiply(3.0 * tf.stop_gradient(encoder), decoder)"
    ),
    "a rule of one's own": Right(
        "half-frozen",
        "def half_frozen(decoder, encoder):\n    @tf.custom_gradient\n"
        "    def product(d, e):\n        return d * e * 3.0, lambda g: (g * e * 3.0, None)\n"
        "    return product(decoder, encoder)",
    ),
    "one side with a small h": Right(
        "half-cut", HALF_CUT.format("(f(x + 1e-7) - f(x)) / 1e-7", "tf.sin(x) * x")
    ),
    "numbers of NumPy": Right(
        "half-cut",
        HALF_CUT.format("(f(x.numpy() + 1e-5) - f(x.numpy() - 1e-5)) / 2e-5", MENDED),
    ),
}
