"""Writes docs/GRADIENTS.md: every kind of suspicious gradient with an example.

Run it after a change of a finding or a correction: `python tests/viz/findings/kinds_page.py`. A
test compares the page with what `minitape explain` says of the same scripts.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

from corpus import Script, scripts
from minitape.viz.diagnosis.diagnosis import KINDS
from minitape.viz.diagnosis.trial.report import report

PAGE = ROOT / "docs" / "GRADIENTS.md"
INTRO = """# Suspicious gradients: None, zero, NaN, wrong

`minitape explain FILE.py` runs a script and examines every call of `gradient`, `jacobian` and
`batch_jacobian`. It names the line of the mistake, and shows a correction that was applied to a
copy and run. In a notebook, `%tape explain on` names the line after each cell, `viz.check(tape)`
lists everything suspicious on one tape, and `viz.check(tape).try_fix()` or `viz.explain(tape,
target, sources).try_fix()` looks for a correction, or says what it tried. The exit code is 0 if
nothing is suspicious, 1 if something is, and 2 if the script cannot be run.

```sh
minitape explain lesson.py --json findings.json --fix corrected.py --out page.html -- its arguments
```

The script runs in a separate process, with an empty standard input and a time limit (`--limit
SECONDS`). It may not write files, start programs or use the network; Python's audit hooks refuse
this, and one line of the report says what was refused. The refusal prevents accidents, but it is
not a sandbox: do not explain a script that you would not run. If the script itself fails, its own
error is reported. What a library does during its import, such as listing fonts, is not reported.
Pictures that matplotlib's `savefig` draws are discarded, so you can examine a script that ends
with it. On Windows, corrections of a notebook's cells cannot be tried.

A script that imports PyTorch or JAX is explained as it is, with kinds of its own:
[PyTorch](GRADIENTS_PYTORCH.md), [JAX](GRADIENTS_JAX.md).

Code that is probably intended is not reported: `stop_gradient` on a target network, frozen
statistics, masks with zeros, some dead units, zero at an optimum, logging by `float`,
`x[:, None] - x`, gradient functions that clip or reverse. A None is not reported either if the
program shows that it is intended:

- another call computes the gradient of the same pair, or computes it with zeros instead of None;
- one of several sources is cut off by a line that says so (`stop_gradient`, `trainable=False`,
  `stop_recording`, `reset`);
- the program expects it: `assert g is None`, or a function whose name or docstring says none,
  such as `test_round_gives_none`.

If the script fails because of a None, it is reported anyway. A line at which a value leaves the
tape through `.numpy()` or `float`, and comes back as what may be a target, weight or baseline, is
noted below the findings; the exit code does not change.

Each example below is run by a test.
"""
EXAMPLES = {
    "none: the gradient is None": (
        "square_in_numpy",
        "No path was recorded from the source to the target, so `gradient` returns None.",
    ),
    "none: a part of the gradient is missing": (
        "partial_regulariser_in_numpy",
        "The gradient is a number, but lacks a term, because a value went through NumPy or Python. "
        "If only a trial can show this, it is reported if the corrected script has the same target "
        "and a different gradient.",
    ),
    "nan: where the first NaN comes from": (
        "where_with_log",
        "The first NaN may appear in the forward pass or in the backward pass.",
    ),
    "inf: an infinite gradient": (
        "acos_of_one",
        "The cause is an infinite derivative, or a division by zero.",
    ),
    "overflow: a number is too large": ("exp_overflows", "A number is too large for its dtype."),
    "underflow: a number is too small": (
        "product_of_probabilities",
        "A number is too small for its dtype, and becomes 0.",
    ),
    "underflow: a product in a loop": (
        "product_in_a_loop",
        "A product of many small numbers becomes 0. The sum of their logarithms has the same "
        "maximum.",
    ),
    "zero: the gradient is zero": (
        "dead_relu",
        "The causes are dead units, saturation, limits, ties, and weights that start at zero.",
    ),
    "broadcast: shapes that do not match": (
        "column_against_row",
        "Two shapes are broadcast to a larger one, which was probably not intended.",
    ),
    "wrong: a custom gradient is wrong": (
        "wrong_factor",
        "A custom gradient disagrees with its forward function.",
    ),
    "wrong: probabilities where logits are expected": (
        "softmax_before_logits",
        "A loss that applies softmax or sigmoid itself is given what has been through it. It is "
        "also reported if ids of classes are given where it expects probabilities.",
    ),
    "wrong: digits are lost": (
        "variance_by_difference",
        "In a difference of nearly equal numbers, most digits cancel, and a small divisor, a root "
        "or a logarithm then makes the error large. Residuals near an optimum are not reported.",
    ),
}
UPDATES = {  # whose example is that of the kind
    "update: the loss grows": (
        "uphill",
        "The variables move along the gradient of a loss. Nothing is said of a reward, a score or "
        "an attack, nor of a game in which one variable goes up and another one down.",
    ),
    "update: the gradient of another variable": (
        "other_order",
        "Gradients and variables are paired in different orders, and their shapes agree.",
    ),
    "update: nothing changes": (
        "unmoved",
        "What would change the variables is dropped, kept under a name that nothing reads, or "
        "never applied; or the learning rate is 0.",
    ),
    "update: steps that are too large": (
        "overshoots",
        "The variables move against the gradient, so far that the loss grows to a multiple.",
    ),
    "update: another loss": (
        "other_loss",
        "A loss is called like the variables of another request, and these variables have a loss "
        "that is called like them.",
    ),
    "update: the gradient vanishes with the depth": (
        "depth",
        "The first layers get less than a millionth of the gradient that the last ones get.",
    ),
}


def page() -> str:
    """The page's text."""
    files = ("none_numpy", "numbers", "shapes_and_rules", "assignment_mistakes")
    known = {each.name: each for each in scripts(*files)}
    parts = [entry(title, known[name], what) for title, (name, what) in EXAMPLES.items()]
    for title, (name, what) in UPDATES.items():
        text = KINDS[name].example.replace("  # <- here", "")
        parts.append(entry(title, Script(name, text, (), ("update",), ""), what))
    return "\n".join([INTRO, *parts])


def entry(title: str, script: Script, what: str) -> str:
    """One kind: its example, what is said of it, and the changed lines."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{script.name}.py"
        file.write_text(script.text, encoding="utf-8")
        found = report(file).diagnoses[0]
    assert found.finding.kind == title.split(":")[0]
    assert found.is_tried
    code = script.text.rstrip()
    return (
        f"## {title}\n\n{what}\n\n```python\n{code}\n```\n\n"
        f"{found.finding.sentence}\n\n```diff\n{found.fix}\n```\n\n{found.tried}\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
