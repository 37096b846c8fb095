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
AGREE = """
def agree(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return {}
"""
RUNS = "(f(x + 1e-5) - f(x - 1e-5)) / 2e-5"
CLOSE = AGREE.format(f"abs(tape.gradient(y, x) - {RUNS}) < 1e-4")
BOTH = "all(agree(lambda x: run(x, middle)[part], x) for part in (0, 1))"
HALVING = """
def bad_line(run, lines, x):
    good, bad = 0, lines
    while bad - good > 1:
        middle = (good + bad) // 2
        if {}:
            good = middle
        else:
            bad = middle
    return bad
"""

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
        "makes a tensor of the variable",
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
        "the loss again, in every step",
    ),
    "the first value alone": Wrong(
        "bad-line",
        CLOSE + HALVING.format("agree(lambda x: run(x, middle)[0], x)"),
        "Too late. Do you compare both values",
    ),
    "two runs that have to be exact": Wrong(
        "bad-line",
        AGREE.format(f"float(tape.gradient(y, x)) == float({RUNS})") + HALVING.format(BOTH),
        "Two runs are never exact",
    ),
    "divided by h": Wrong(
        "bad-line",
        CLOSE.replace("2e-5", "1e-5") + HALVING.format(BOTH),
        "even where no path is cut",
    ),
    "brackets forgotten": Wrong(
        "bad-line",
        CLOSE.replace("/ 2e-5", "/ 2 * 1e-5") + HALVING.format(BOTH),
        "in brackets",
    ),
    "a tolerance that is too wide": Wrong(
        "bad-line",
        CLOSE.replace("1e-4", "0.1") + HALVING.format(BOTH),
        "make the tolerance smaller",
    ),
    "the opposite": Wrong(
        "bad-line", CLOSE.replace("< 1e-4", "> 1e-4") + HALVING.format(BOTH), "says the opposite"
    ),
    "the tape compared with itself": Wrong(
        "bad-line", AGREE.format("True") + HALVING.format(BOTH), "although np.sin cuts a path"
    ),
    "a slope of x that is not watched": Wrong(
        "bad-line",
        CLOSE.replace("tape.watch(x)", "pass") + HALVING.format(BOTH),
        "the tape has to watch it",
    ),
    "h of 32 bits": Wrong(
        "bad-line",
        CLOSE.replace("x + 1e-5", "x + tf.constant(1e-5)") + HALVING.format(BOTH),
        "A plain number, 1e-5",
    ),
    "two slopes and no comparison": Wrong(
        "bad-line",
        AGREE.format(f"tape.gradient(y, x), {RUNS}") + HALVING.format(BOTH),
        "True or False",
    ),
    "the last good line": Wrong(
        "bad-line",
        CLOSE + HALVING.format(BOTH).replace("return bad", "return good"),
        "One too early",
    ),
    "the line after it": Wrong(
        "bad-line",
        CLOSE + HALVING.format(BOTH).replace("return bad", "return bad + 1"),
        "Too late",
    ),
    "line after line": Wrong(
        "bad-line",
        CLOSE + "def bad_line(run, lines, x):\n    for middle in range(1, lines + 1):\n"
        f"        if not {BOTH}:\n            return middle",
        "places, where 7 are enough",
    ),
    "the halves exchanged": Wrong(
        "bad-line", CLOSE + HALVING.format("not " + BOTH), "for the first time"
    ),
    "a search that does not end": Wrong(
        "bad-line", CLOSE + HALVING.format(BOTH).replace("> 1", "> 0"), "does not end"
    ),
    "half a line": Wrong(
        "bad-line", CLOSE + HALVING.format(BOTH).replace("// 2", "/ 2"), "a whole number of lines"
    ),
    "no line returned": Wrong(
        "bad-line",
        CLOSE + HALVING.format(BOTH).replace("return bad", "pass"),
        "the number of a line",
    ),
    "a guess": Wrong(
        "bad-line", CLOSE + "def bad_line(run, lines, x):\n    return 6", "has not run the program"
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
    "a new variable in each step": Wrong(
        "training",
        "def trained(goal):\n    w = tf.Variable(0.0)\n    for _ in range(50):\n"
        "        with tf.GradientTape() as tape:\n            loss = tf.square(w - goal)\n"
        "        w = tf.Variable(w - 0.1 * tape.gradient(loss, w))\n    return w",
        "Each step makes a new variable",
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
    "one side, and a relative tolerance": Right(
        "bad-line",
        AGREE.format(
            "bool(np.isclose(tape.gradient(y, x), (f(x + 1e-7) - f(x)) / 1e-7, rtol=1e-4))"
        )
        + HALVING.format(BOTH),
    ),
    "numbers of NumPy, and a search by calls": Right(
        "bad-line",
        CLOSE.replace("x - 1e-5", "x.numpy() - 1e-5")
        + "def bad_line(run, lines, x, good=0):\n    if lines - good == 1:\n        return lines\n"
        "    middle = good + (lines - good) // 2\n"
        "    fine = [agree(lambda x: run(x, middle)[k], x) for k in range(2)]\n"
        "    bounds = (lines, middle) if all(fine) else (middle, good)\n"
        "    return bad_line(run, bounds[0], x, bounds[1])",
    ),
}
