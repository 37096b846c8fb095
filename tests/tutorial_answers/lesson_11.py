"""A clinic."""

from __future__ import annotations

import re
from pathlib import Path

from tutorial_answers import Right, Wrong

LESSON = (Path(__file__).parents[2] / "tutorials" / "11_a_clinic.py").read_text("utf-8")
RIGHT = re.search(r"### BEGIN SOLUTION\n(name = .*?)### END SOLUTION", LESSON, re.DOTALL)[1]
FIXED = re.search(r"### BEGIN SOLUTION\n(def learnt.*?)### END SOLUTION", LESSON, re.DOTALL)[1]
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


def fixed(old: str, new: str) -> str:
    assert old in FIXED
    return FIXED.replace(old, new)


def promised(old: str, new: str) -> str:
    assert old in PROMISE
    return PROMISE.replace(old, new)


CORNERS = """
def learnt(x, y):
    corners = np.stack([np.mean(x[y == kind], axis=0) for kind in range(3)])
    {}
    return lambda points: ((np.asarray(points)[:, None] - corners) ** 2).sum(-1).argmin(1)
"""
SWAP = (
    'for letter in "ABCDEF":\n    if diagnosis[letter][0] == "{}":\n'
    '        diagnosis[letter] = "{}", diagnosis[letter][1]'
)
SHOWN = "for k in diagnosis:\n    if diagnosis[k][0] == '{0}':\n        diagnosis[k] = '{0}', {1}"
BY_OTHERS = """
for letter in diagnosis:
    cause, chart = diagnosis[letter][0], case(letter, name).train()
    shown = {{"rate": {rate}, "scale": {scale}, "small loss": {small}, "batch mean": {alone}}}
    diagnosis[letter] = cause, shown.get(cause, 0.0)
"""

WRONG = {
    "a scale taken for a rate": Wrong(
        "named-six",
        diagnosed(SWAP.format("scale", "rate")),
        "compare its first gradients with those of the healthy one",
    ),
    "a batch mean not seen in the curve": Wrong(
        "named-six", diagnosed(SWAP.format("batch mean", "rate")), "compare its two accuracies"
    ),
    "slow taken for a rate": Wrong(
        "named-six",
        diagnosed(SWAP.format("small loss", "rate")),
        "which loss does it start with",
    ),
    "a stale copy taken for dead units": Wrong(
        "named-six",
        diagnosed(SWAP.format("stale copy", "dead units")),
        "How far did its weights move",
    ),
    "no mistake fixed": Wrong(
        "three-mistakes",
        fixed("axis=1, keepdims", "axis=0, keepdims").replace(
            "tf.reduce_mean(each)", "tf.reduce_mean(each) / len(y)"
        ),
        "full size",
    ),
    "a sum for the mean of the losses": Wrong(
        "three-mistakes",
        fixed("tf.reduce_mean(each)", "tf.reduce_sum(each)"),
        "is it a mean",
    ),
    "the batch mean left": Wrong(
        "three-mistakes", fixed("axis=1, keepdims", "axis=0, keepdims"), "over which axis"
    ),
    "the factor left": Wrong(
        "three-mistakes",
        fixed("tf.reduce_mean(each)", "tf.reduce_mean(each) / len(y)"),
        "full size",
    ),
    "tensors in place of variables": Wrong(
        "three-mistakes",
        fixed("w.assign_sub(0.5 * g)", "v[0 if w is v[0] else 1] = w - 0.5 * g"),
        "the tape does not watch",
    ),
    "the last one": Wrong(
        "first-bad", FIRST.format("reversed(journal.entries)", BAD), "comes from the root"
    ),
    "the tuple for its tensors": Wrong(
        "first-bad",
        FIRST.format("journal.entries", "not np.isfinite(entry.outputs.numpy()).all()"),
        "go through their tensors",
    ),
    "nan only": Wrong(
        "first-bad",
        FIRST.format("journal.entries", "any(np.isnan(y.numpy()).any() for y in entry.outputs)"),
        "are infinities",
    ),
    "the inputs looked at": Wrong(
        "first-bad",
        FIRST.format("journal.entries", BAD.replace("outputs", "inputs")),
        "comes from the root(?s:.)*only received the nan",
    ),
    "the first entry only": Wrong(
        "first-bad",
        FIRST.format("journal.entries", BAD) + "        return None",
        "look at all entries before it says None",
    ),
    "any for all": Wrong(
        "first-bad",
        FIRST.format("journal.entries", BAD.replace(".all() for", ".any() for")),
        r"\.all\(\), not \.any\(\)",
    ),
    "always something": Wrong(
        "first-bad",
        FIRST.format("journal.entries", BAD) + "    return journal.entries[-1].op.name",
        "the answer is None",
    ),
    "the length not squared": Wrong(
        "promise",
        promised("return promised,", "return rate * (promised / rate) ** 0.5,"),
        "squared in the promise",
    ),
    "after minus before": Wrong(
        "promise", promised("before - after", "after - before"), "the other sign"
    ),
    "a list of tensors in place of the variables": Wrong(
        "promise",
        promised("w.assign_sub(rate * g)", "moved = w - rate * g"),
        "Nothing fell: f reads the variables themselves",
    ),
    "the journal itself": Wrong("first-bad", FIRST.format("journal", BAD), "journal.entries"),
    "copies are updated": Wrong(
        "three-mistakes", fixed("w.assign_sub", "tf.Variable(w).assign_sub"), "weights moving"
    ),
    "uphill": Wrong("three-mistakes", fixed("assign_sub", "assign_add"), "are the weights moving"),
    "the variables left moved": Wrong(
        "promise", promised("w.assign(old)", "pass"), "their old values"
    ),
    "another name for the variables": Wrong(
        "promise",
        promised("[w.numpy().copy() for w in v]", "v"),
        "another name for v is the same variables",
    ),
    "a promise for each variable": Wrong(
        "promise",
        promised(
            "rate * sum(float(tf.reduce_sum(g * g)) for g in gradients)",
            "[rate * g**2 for g in gradients]",
        ),
        "one number, and not an array",
    ),
    "one variable alone": Wrong(
        "promise", promised("for g in gradients)", "for g in gradients[:1])"), "over all variables"
    ),
    "no name of the list": Wrong(
        "named-six",
        'name = "Ada"; diagnosis = dict.fromkeys("ABCDEF", ("dead relus", 0.0))',
        "not among the causes",
    ),
    "no name": Wrong(
        "named-six", "name = ' '; diagnosis = {'A': ('batch mean', 0.34)}", "Write your name first"
    ),
    "a list": Wrong("named-six", "name = 'Ada'; diagnosis = ['scale'] * 6", "a dictionary"),
    "a mean over everything": Wrong(
        "three-mistakes",
        fixed("tf.reduce_mean(hidden, axis=1, keepdims=True)", "tf.reduce_mean(hidden)"),
        "Two far points in the same batch",
    ),
    "one guess for one hint": Wrong(
        "named-six", "name = 'Ada'; diagnosis = {'A': ('batch mean', 0.34)}", "F: no diagnosis yet"
    ),
    "a larger rate for the factor": Wrong(
        "three-mistakes",
        fixed("tf.reduce_mean(each)", "tf.reduce_mean(each) / len(y)").replace(
            "0.5 * g", "200 * g"
        ),
        r"begins with 0\.003",
    ),
    "more steps for the factor": Wrong(
        "three-mistakes",
        fixed("tf.reduce_mean(each)", "tf.reduce_mean(each) / len(y)").replace(
            "range(100)", "range(3000)"
        ),
        "3000 steps: their number was no mistake",
    ),
    "no keepdims": Wrong(
        "three-mistakes", fixed(", keepdims=True", ""), "It stops with InvalidArgumentError"
    ),
    "scores for kinds": Wrong(
        "three-mistakes",
        fixed("np.argmax(scores(points), 1)", "scores(points)"),
        "should return 200 kinds",
    ),
    "the operation for its name": Wrong(
        "first-bad",
        FIRST.format("journal.entries", BAD).replace("entry.op.name", "entry.op"),
        "Return the name",
    ),
    "no answer for all elements": Wrong(
        "first-bad",
        FIRST.format("journal.entries", "not np.isfinite(entry.outputs[0])"),
        "for each element",
    ),
    "no rate": Wrong(
        "promise", promised("return promised,", "return promised / rate,"), "times the rate"
    ),
    "a half": Wrong("promise", promised("return promised,", "return promised / 2,"), "No half"),
    "the pair exchanged": Wrong(
        "promise",
        promised("promised, float(before - after)", "float(before - after), promised"),
        "comes first",
    ),
    "a rate of one's own": Wrong(
        "promise",
        promised("w.assign_sub(rate * g)", "w.assign_sub(0.1 * g)"),
        "the rate that is given",
    ),
    "one number": Wrong("promise", promised("return promised,", "return"), "in a pair"),
    "the causes in their order": Wrong(
        "named-six",
        "name = 'Ada'; diagnosis = {k: (cause, 0) for k, cause in zip('ABCDEF', CAUSES)}",
        "A: ",
    ),
    "causes without a number": Wrong(
        "named-six",
        diagnosed("diagnosis = {letter: said[0] for letter, said in diagnosis.items()}"),
        "A: give a cause and the number that shows it",
    ),
    "causes found by trying": Wrong(
        "named-six",
        diagnosed("diagnosis = {letter: (said[0], 1.0) for letter, said in diagnosis.items()}"),
        "1 does not show it",
    ),
    "a start that is that of a healthy one": Wrong(
        "named-six",
        diagnosed(SHOWN.format("rate", "case(k, name).train()['losses'][0]")),
        "a healthy one, or one with another cause",
    ),
    "a batch mean rounded to one digit": Wrong(
        "named-six",
        diagnosed(SHOWN.format("batch mean", "round(case(k, name).train()['alone'], 1)")),
        "If you rounded it, give three digits",
    ),
    "nan for its cause": Wrong(
        "named-six",
        diagnosed("for k in diagnosis:\n    diagnosis[k] = diagnosis[k][0], float('nan')"),
        "nan is a consequence",
    ),
    "a word for a number": Wrong(
        "named-six",
        "name = 'Ada'; diagnosis = {'A': ('batch mean', 'alone')}",
        "A: give a cause and the number",
    ),
    "no gradient taken": Wrong("three-mistakes", CORNERS.format(""), "No gradient was computed"),
    "one idle gradient": Wrong(
        "three-mistakes",
        CORNERS.format(
            "w = tf.Variable(0.0)\n    with tf.GradientTape() as tape:\n        loss = w + 1.1\n"
            "    tape.gradient(loss, w)"
        ),
        "is called 1 times",
    ),
    "the mean left out": Wrong(
        "three-mistakes",
        fixed("hidden = hidden - tf.reduce_mean(hidden, axis=1, keepdims=True)", "pass"),
        "The mean is gone",
    ),
    "the first element alone": Wrong(
        "first-bad",
        FIRST.format("journal.entries", "not np.isfinite(entry.outputs[0].numpy().ravel()[0])"),
        "the second of two elements",
    ),
    "a sum for its elements": Wrong(
        "first-bad",
        FIRST.format(
            "journal.entries",
            "not all(np.isfinite(np.sum(y.numpy())) for y in entry.outputs)",
        ),
        "1e308 is finite",
    ),
    "two operations by name": Wrong(
        "first-bad",
        FIRST.format("journal.entries", f"entry.op.name in ('log', 'sqrt') and {BAD}"),
        "whichever operation",
    ),
    "a constant promise": Wrong(
        "promise", promised("return promised,", "return 5.6,"), "for this function and this rate"
    ),
    "the fall of one bowl": Wrong(
        "promise",
        promised("float(before - after)", "14 * (1 - (1 - 2 * rate) ** 2)"),
        "f before the step minus f after it|the rate that is given",
    ),
}

IN_ANOTHER_STYLE = {
    "a small loss in one digit": Right(
        "named-six",
        diagnosed(SHOWN.format("small loss", "round(case(k, name).train()['losses'][0], 2)")),
    ),
    "no nan and no infinity": Right(
        "first-bad",
        FIRST.format(
            "journal.entries",
            "any(np.any(np.isnan(y) | np.isinf(y)) for y in map(np.asarray, entry.outputs))",
        ),
    ),
    "the losses of the second step": Right(
        "named-six",
        diagnosed(
            BY_OTHERS.format(
                rate="chart['moved']",
                scale="chart['losses'][1]",
                small="chart['losses'][1]",
                alone="chart['alone'] - chart['at once']",
            )
        ),
    ),
    "the largest loss or move, lengths of layer 2, per cent": Right(
        "named-six",
        diagnosed(
            BY_OTHERS.format(
                rate="max([chart['moved'], *chart['losses']])",
                scale="chart['lengths'][0][1]",
                small="chart['lengths'][0][1]",
                alone="100 * chart['alone']",
            )
        ),
    ),
    "an array of two numbers": Right(
        "promise",
        promised("promised, float(before - after)", "np.array([promised, float(before - after)])"),
    ),
    "two tensors in a list": Right(
        "promise",
        promised("promised, float(before - after)", "[tf.constant(promised), before - after]"),
    ),
}
