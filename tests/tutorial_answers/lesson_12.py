"""Capstone."""

from __future__ import annotations

import re
from pathlib import Path

from tutorial_answers import Right, Wrong

LESSON = (Path(__file__).parents[2] / "tutorials" / "12_capstone.py").read_text("utf-8")


def solution(grade_id: str) -> str:
    """The answer cell of a milestone."""
    found = re.search(
        rf'# %% nbgrader=.*"grade_id": "{grade_id}",.*\n([\s\S]*?)# %% nbgrader', LESSON
    )
    return found[1]


def changed(grade_id: str, old: str, new: str) -> str:
    text = solution(grade_id)
    assert old in text, old
    return text.replace(old, new)


TESTS = """
def passes(walk):
    x, b = Value([1.0, 2.0]), Value(3.0)
    with Tape() as tape:
        tape.watch(x)
        tape.watch(b)
        y = {}
    cotangents = {{y: Value(np.ones_like(y.array))}}
    walk(tape.records, cotangents)
    try:
        return bool({})
    except (KeyError, ValueError):
        return False
"""

SEEDED_BY_ONE = """
def passes(walk):
    x, w, b = Value([[1.0, 2.0]]), Value([[3.0], [4.0]]), Value(3.0)
    with Tape() as tape:
        tape.watch(x)
        z = {}
    cotangents = {{z: Value(1.0)}}
    walk(tape.records, cotangents)
    return bool(np.allclose(cotangents[x].array, [[3.0, 4.0]]))
"""

NEAREST = """
def reader(images, labels):
    {}
    def near(x):
        return labels[((x[:, None] - images) ** 2).sum(-1).argmin(1)]
    return near
"""

WRONG = {
    "g forgotten": Wrong(
        "operations", changed("operations", "g * apply(exp, x)", "apply(exp, x)"), "forgets g"
    ),
    "the sign of the reciprocal": Wrong(
        "operations", changed("operations", "-1.0 * g *", "g *"), "reciprocal: the sign"
    ),
    "arrays in a rule": Wrong(
        "operations",
        changed("operations", "g * apply(exp, x)", "g * Value(np.exp(x.array))"),
        "records nothing",
    ),
    "the wrong slope": Wrong(
        "operations",
        changed("operations", "apply(reciprocal, x),)", "apply(reciprocal, x * x),)"),
        "log: two runs give another slope",
    ),
    "no operation at all": Wrong(
        "operations", "exp = log = reciprocal = np.exp", "Three of type Op are needed"
    ),
    "a sum over the rows": Wrong(
        "loss",
        changed("loss", "(1 / len(hot)) * summed_to(apply(log", "1.0 * summed_to(apply(log"),
        "the mean over the rows, not the sum",
    ),
    "a mean over the classes too": Wrong(
        "loss", changed("loss", "(1 / len(hot))", "(1 / hot.size)"), "not over rows and classes"
    ),
    "the log of a probability": Wrong(
        "loss",
        changed(
            "loss",
            "(1 / len(hot)) * summed_to(apply(log, total) + -1.0 * true, ())",
            "(-1 / len(hot)) * summed_to(Value(hot) * "
            "apply(log, apply(exp, s) * apply(reciprocal, total) + Value(1e-300 * (1 - hot))), ())",
        ).replace("    true = summed_to(s * Value(hot), (len(hot), 1))\n", ""),
        "log of the sum, not of a probability",
    ),
    "an array less a Value": Wrong(
        "digits",
        changed("digits", "* cotangents[part].array\n", "* cotangents[part]\n"),
        "A step subtracts arrays",
    ),
    "asserts without an end": Wrong(
        "tests",
        TESTS.format("summed_to(x * x * x + x * b, ())", "True").replace(
            "        return bool(True)\n",
            "        assert np.allclose(cotangents[x].array, [6.0, 15.0])\n",
        ),
        "end with `return True`",
    ),
    "overflow": Wrong(
        "loss",
        changed("loss", "scores + Value(-scores.array.max(axis=1, keepdims=True))", "scores * 1.0"),
        "1000 overflows",
    ),
    "a loss of arrays": Wrong(
        "loss",
        changed("loss", "s = scores +", "s = Value(scores.array) +"),
        "is all of it recorded",
    ),
    "nothing used twice": Wrong(
        "tests",
        TESTS.format(
            "summed_to(x * b, ())",
            "np.allclose(cotangents[x].array, 3.0) and np.allclose(cotangents[b].array, 3.0)",
        ),
        "use a value twice",
    ),
    "nothing broadcast": Wrong(
        "tests",
        TESTS.format("x * x * x", "np.allclose(cotangents[x].array, [3.0, 12.0])"),
        "broadcast something",
    ),
    "one operation": Wrong(
        "tests",
        TESTS.format("x * x", "np.allclose(cotangents[x].array, [2.0, 4.0])"),
        "chain two operations",
    ),
    "always true": Wrong("tests", "def passes(walk):\n    return True", "use a value twice"),
    "a wrong expectation": Wrong(
        "tests",
        TESTS.format("x * x", "np.allclose(cotangents[x].array, 1.0)"),
        "refuse a backward pass",
    ),
    "new values each step": Wrong(
        "digits",
        changed(
            "digits",
            "part.array = part.array - (0.3 if number < 800 else 0.03) * cotangents[part].array",
            "part = Value(part.array - 0.3 * cotangents[part].array)",
        ),
        "the same Values change",
    ),
    "uphill": Wrong(
        "digits",
        changed("digits", "part.array - (0.3", "part.array + 0.001 * (0.3"),
        "the rate too large",
    ),
    "too few steps": Wrong(
        "digits", changed("digits", "range(1000)", "range(110)"), "more steps, or a wider layer"
    ),
    "a reader that gives its layers an array": Wrong(
        "digits",
        changed("digits", "scores(Value(x)).array", "scores(x).array"),
        "It gets an array of images: Value",
    ),
    "by the engine": Wrong(
        "digits",
        "def reader(images, labels):\n    with tf.GradientTape():\n        pass\n"
        "    return lambda x: np.zeros(len(x))",
        "on your own tape",
    ),
    "another function forward": Wrong(
        "operations", changed("operations", "np.log,", "np.log10,"), "log: its function returns"
    ),
    "two of three": Wrong(
        "operations", solution("operations") + "\nlog = None", "log is not there yet"
    ),
    "no comma after a rule": Wrong(
        "operations", changed("operations", "apply(exp, x),)", "apply(exp, x))"), "the comma"
    ),
    "NumPy in a rule": Wrong(
        "operations",
        changed("operations", "g * apply(exp, x)", "g * np.exp(x)"),
        "exp: its rule does not run",
    ),
    "a minus that a Value has not": Wrong(
        "operations", changed("operations", "-1.0 * g *", "-g *"), "There is no minus"
    ),
    "a minus before an array": Wrong(
        "loss",
        changed(
            "loss",
            "scores + Value(-scores.array.max(axis=1, keepdims=True))",
            "scores - scores.array.max(axis=1, keepdims=True)",
        ),
        r"there is no minus: a \+ -1\.0 \* b",
    ),
    "the largest of all scores": Wrong(
        "loss", changed("loss", "max(axis=1, keepdims=True)", "max()"), "each row"
    ),
    "the largest of each column": Wrong(
        "loss",
        changed("loss", "max(axis=1, keepdims=True)", "max(axis=0)"),
        r"^(?![\s\S]*sums the columns)[\s\S]*each \*row\* is subtracted",
    ),
    "a number for a Value": Wrong(
        "loss",
        changed("loss", "return (1", "return np.mean(total.array)\n    return (1"),
        "Return a Value",
    ),
    "a loss for each row": Wrong(
        "loss", changed("loss", "true, ())", "true, (len(hot), 1))"), r"\(7, 1\)|\(1, 1\)"
    ),
    "the largest without keepdims": Wrong(
        "loss", changed("loss", "(axis=1, keepdims=True))", "(axis=1))"), "keepdims"
    ),
    "the first is let through": Wrong(
        "tests",
        "seen = []\ndef passes(walk):\n    seen.append(walk)\n    return len(seen) == 1",
        "refuse a backward pass",
    ),
    "without a tape": Wrong(
        "digits",
        "def reader(images, labels):\n"
        "    def near(x):\n"
        "        return labels[((x[:, None] - images) ** 2).sum(-1).argmin(1)]\n"
        "    return near",
        "Your tape recorded hardly anything",
    ),
    "beside empty tapes": Wrong(
        "digits",
        NEAREST.format("for _ in range(50):\n        with Tape():\n            pass"),
        "Your tape recorded hardly anything",
    ),
    "beside idle tapes": Wrong(
        "digits",
        NEAREST.format(
            "x = Value([1.0])\n    for _ in range(50):\n        with Tape() as tape:\n"
            "            tape.watch(x)\n            y = x * x"
        ),
        "follows the numbers that the first one did",
    ),
    "beside idle tapes of numbers that change": Wrong(
        "digits",
        NEAREST.format(
            "x = Value([1.0])\n    for _ in range(50):\n        with Tape() as tape:\n"
            "            tape.watch(x)\n            y = x * x\n        x.array = x.array + 1.0"
        ),
        "two layers have two of them",
    ),
    "a single layer": Wrong(
        "digits",
        changed("digits", "(64, 64, 32, 10)", "(64, 10)")
        .replace("for k in (0, 2)", "for k in ()")
        .replace("x @ parts[4] + parts[5]", "x @ parts[0] + parts[1]"),
        "used 1 of the matrices",
    ),
    "no rules": Wrong(
        "operations",
        changed("operations", "(lambda g, x: g * apply(exp, x),)", "()"),
        "exp: its rule does not run",
    ),
    "a pasted gradient": Wrong(
        "loss",
        "def cross_entropy(scores, hot):\n"
        "    s = scores.array - scores.array.max(axis=1, keepdims=True)\n"
        "    p = np.exp(s) / np.exp(s).sum(1, keepdims=True)\n"
        "    total = np.mean(np.log(np.exp(s).sum(1)) - (s * hot).sum(1))\n"
        "    slope = (p - hot) / len(hot)\n"
        "    line = summed_to(scores * Value(slope), ())\n"
        "    return line + Value(total - line.array)",
        "no exp or no log of yours",
    ),
    "new values, while the layers hold the old ones": Wrong(
        "digits",
        changed(
            "digits",
            "    for number in range(1000)",
            "    values = list(parts)\n    for number in range(1000)",
        )
        .replace("            for part in parts:\n", "            for part in values:\n")
        .replace(
            "        for part in parts:\n"
            "            part.array = part.array - (0.3 if number < 800 else 0.03) "
            "* cotangents[part].array",
            "        values = [Value(v.array - 0.3 * cotangents[v].array) for v in values]",
        ),
        "In the second step .* Put the new array into the same Value",
    ),
    "nothing watched": Wrong(
        "digits", changed("digits", "tape.watch(part)", "pass"), "does the tape watch all of them"
    ),
    "labels for a 1 at the true class": Wrong(
        "digits",
        changed("digits", "np.eye(10)[labels[chosen]]", "labels[chosen]"),
        r"np\.eye\(10\)",
    ),
    "eight digits of ten": Wrong(
        "digits",
        changed("digits", "range(1000)", "range(60)"),
        r"more steps, or a wider layer\?\n1 of 4 points",
    ),
    "sums of columns": Wrong(
        "loss",
        solution("loss").replace(
            "true = summed_to(s * Value(hot), (len(hot), 1))",
            "true = summed_to(s * Value(hot), (len(hot),))",
        ),
        "sums the columns here, silently",
    ),
    "sums of columns, twice": Wrong(
        "loss",
        solution("loss").replace("(len(hot), 1)", "(len(hot),)"),
        "sums the columns here, silently",
    ),
    "a walk that should return something": Wrong(
        "tests",
        TESTS.format("x * x * x + x * b", "np.allclose(cotangents[x].array, [6.0, 15.0])").replace(
            "    walk(tape.records, cotangents)\n",
            "    cotangents = walk(tape.records, cotangents)\n",
        ),
        r"stop with TypeError.*it fills `cotangents`",
    ),
    "a first cotangent without the shape of its target": Wrong(
        "tests",
        SEEDED_BY_ONE.format("x @ w + b"),
        "stop with AxisError.*Has the first cotangent the shape of its target",
    ),
    "a first cotangent without the shape of a product": Wrong(
        "tests",
        SEEDED_BY_ONE.format("x @ w"),
        "stop with ValueError.*Has the first cotangent the shape of its target",
    ),
    "a slip of the pen": Wrong(
        "tests",
        TESTS.format("x * x * x + x * b", "np.allclose(cotangents[z].array, [6.0, 15.0])"),
        "stop with NameError: name 'z' is not defined",
    ),
    "the gradient of the tape": Wrong(
        "tests",
        "def passes(walk):\n    x = Value(3.0)\n    with Tape() as tape:\n        tape.watch(x)\n"
        "        y = x * x\n    return bool(tape.gradient(y, x).array == 6.0)",
        "use the `walk` that is given",
    ),
    "compared with the lesson's way back": Wrong(
        "tests",
        TESTS.format("x * x * x + x * b", "True").replace(
            "    try:",
            "    again = {y: Value(np.ones(2))}\n    backward(tape.records, again)\n    try:",
        ),
        "from your pencil",
    ),
}

IN_ANOTHER_STYLE = {
    "operations whose rules are a list": Right(
        "loss",
        "exp, log = (Op(op.name, op.forward, list(op.rules)) for op in (exp, log))\n"
        + solution("loss"),
    ),
    "two layers, the way back inside the block of the tape": Right(
        "digits",
        changed("digits", "(64, 64, 32, 10)", "(64, 48, 10)")
        .replace("for k in (0, 2)", "for k in (0,)")
        .replace("x @ parts[4] + parts[5]", "x @ parts[2] + parts[3]")
        .replace("        cotangents = {loss", "            cotangents = {loss")
        .replace("        backward(tape", "            backward(tape"),
    ),
    "the walk in the place of backward": Right(
        "tests",
        """
def passes(walk):
    global backward
    kept, backward = backward, walk
    try:
        x, b = Value([1.0, 2.0]), Value(3.0)
        with Tape() as tape:
            tape.watch(x)
            tape.watch(b)
            y = summed_to(x * x * x + x * b, ())
        found = [tape.gradient(y, each).array for each in (x, b)]
        return bool(np.allclose(found[0], [6.0, 15.0]) and np.allclose(found[1], 3.0))
    finally:
        backward = kept
""",
    ),
    "a list of rules": Right(
        "operations",
        changed(
            "operations", "(lambda g, x: g * apply(exp, x),)", "[lambda g, x: g * apply(exp, x)]"
        ),
    ),
    "asserts": Right(
        "tests",
        TESTS.format("x * x * x + x * b", "True").replace(
            "    try:",
            "    assert np.allclose(cotangents[x].array, [6.0, 15.0])\n"
            "    assert np.allclose(cotangents[b].array, 3.0)\n    try:",
        ),
    ),
}
