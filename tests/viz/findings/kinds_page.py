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
from minitape.viz.diagnosis.trial.report import report

PAGE = ROOT / "docs" / "GRADIENTS.md"
INTRO = """# What is suspicious about a gradient

`minitape explain FILE.py` runs a script and looks at every `gradient`, `jacobian` and
`batch_jacobian`. It names the line of the mistake, and a correction that was applied to a copy
and run. In a notebook `%tape explain on` does the first after each cell, `viz.check(tape)` lists
what is suspicious on one tape, and `viz.check(tape).try_fix()`, or that of `viz.explain(tape,
target, sources)`, looks for a correction, or says what it tried. The exit code is 0 where nothing
is suspicious, 1 where something is, 2 for a script that cannot be run.

```sh
minitape explain lesson.py --json findings.json --fix corrected.py --out page.html -- its arguments
```

The script runs in a process of its own, with an empty standard input and a time limit (`--limit
SECONDS`). Writing files, starting programs and using the network are refused as far as Python
announces them. This is a net against accidents, not a sandbox: do not explain a script that you
would not run. What is refused is said in one line; an error of the script's own is what is
reported, and what a library does for itself while it is imported (a list of fonts) is not laid to
the script. What matplotlib's `savefig` draws is put aside and dropped, so a script that ends with
it is looked at. On Windows a notebook's cells cannot be tried.

A script that imports PyTorch is explained as it is, by kinds of its own:
[What is suspicious about a gradient in PyTorch](GRADIENTS_PYTORCH.md).

What is only possible stays quiet: `stop_gradient` on a target network, frozen statistics, masks
with zeros, some dead units, zero at an optimum, logging by `float`, `x[:, None] - x`, gradient
functions that clip or reverse. A None is quiet, too, where the program shows that it
is meant: another call has the gradient (of the same pair, or with zeros in place of None), one of
several sources is cut by a line that says so (`stop_gradient`, `trainable=False`,
`stop_recording`, `reset`), or the program expects it: `assert g is None`, or a function that asks
whose name or docstring says none, as `test_round_gives_none`. If the script fails because of it,
it is told all the same.

Each example below is run by a test.
"""
EXAMPLES = {
    "none": ("square_in_numpy", "No path was recorded: `gradient` gives None."),
    "none: a part": (
        "partial_regulariser_in_numpy",
        "A number that lacks a term, because NumPy or Python took the value on its way. Where only "
        "a trial can tell, it is told if the corrected script has the same target and another "
        "gradient.",
    ),
    "nan": ("where_with_log", "Not a number, where it was born: forward or on the way back."),
    "inf": ("acos_of_one", "An infinite derivative, or a division by zero."),
    "overflow": ("exp_overflows", "A number that is too large for its dtype."),
    "underflow": ("product_of_probabilities", "A number that is too small for its dtype."),
    "underflow: a loop": (
        "product_in_a_loop",
        "A product of many small numbers: the sum of their logarithms has the same maximum.",
    ),
    "zero": ("dead_relu", "Dead units, saturation, limits, ties, zeros as first weights."),
    "broadcast": ("column_against_row", "Shapes that met silently."),
    "wrong": ("wrong_factor", "A custom gradient that disagrees with its forward."),
    "wrong: digits": (
        "variance_by_difference",
        "Digits that cancel in a difference of nearly equal numbers, which is then made large by a "
        "small divisor, a root or a logarithm. Residuals near an optimum are no finding.",
    ),
}


def page() -> str:
    """The page's text."""
    files = ("none_numpy", "numbers", "shapes_and_rules", "assignment_mistakes")
    known = {each.name: each for each in scripts(*files)}
    parts = [entry(title, known[name], what) for title, (name, what) in EXAMPLES.items()]
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
