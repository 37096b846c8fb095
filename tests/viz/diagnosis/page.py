"""Writes docs/GRADIENTS_PYTORCH.md and its like for JAX: every kind of mistake with its example.

Run it in an environment with the framework: `python -m tests.viz.diagnosis.page`, and with the word
`jax` for the other page. Tests compare the pages with what is found in the same examples.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from minitape.viz.diagnosis.diagnosis import KINDS, SHOWN, Kind
from minitape.viz.diagnosis.trial.frameworks import report as looked
from tests.viz.diagnosis import judge

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = {"pytorch": DOCS / "GRADIENTS_PYTORCH.md", "jax": DOCS / "GRADIENTS_JAX.md"}
INTRO = """# What is suspicious about a gradient in PyTorch

`minitape explain train.py` looks at a script that imports PyTorch as it looks at one of ours, and
nothing in it has to be changed. It names the line of the mistake, not of the error, and shows a
correction that was applied to a copy and run. PyTorch itself is needed: `pip install torch`.

```sh
minitape explain train.py --json findings.json --fix corrected.py -- its arguments
minitape step train.py --out steps.html      # a step player of each backward pass
```

The script runs in a process of its own that may compute and read; what `torch.save` writes goes to
a folder that is dropped, and a loader starts no processes. The first six requests for gradients are
looked at in full, then the 8th, 16th, 32nd, ..., so that a long training keeps its pace. If the
loss stops being a number in between, the script runs a second time, and that step is looked at.

A correction is called tried if the script ends as well as before, the finding is gone, nothing new
is suspicious, the target is unchanged where it was finite, and the gradient is there, finite and
not zero. What computes another function (a mean, a smooth loss in place of a choice, an epsilon) is
called a possibility.

What is only looked at is quiet: `.item()`, `.detach()`, `.numpy()` and `no_grad` whose results do
not reach the loss, target networks, frozen layers, truncated backpropagation, gradients of several
batches that are added up, penalties on gradients, straight-through estimators, pairs of all points.
What was compiled to a program of its own (`torch.jit`) is not seen.

The words are those of [What is suspicious about a gradient](GRADIENTS.md); `error` is an error that
PyTorch raises, `update` a step that does not do what it should. Each example is run by a test.
"""
JAX = """# What is suspicious about a gradient in JAX

`minitape explain train.py` looks at a script that imports JAX, and nothing in it has to be changed.
JAX itself is needed: `pip install jax`. There is no `None` in JAX; what goes wrong are errors about
tracers, numbers that are not finite, and gradients that are zero everywhere.

```sh
minitape explain train.py --json findings.json --fix corrected.py -- its arguments
```

Each call of what `jax.grad` and `jax.value_and_grad` give is looked at: the function's jaxpr is run
equation by equation, forward and back, so that the first number that is not finite has an equation
and a line. A script that asks inside of `jax.jit` runs a second time with `jit` switched off, where
tracers are numbers. A `scan` is looked at step by step, up to 2,000 equations. Requests inside of
`vmap` and of `lax.scan` under `jit` without numbers are not looked at. A correction is called tried
by the same rule as [in PyTorch](GRADIENTS_PYTORCH.md).

The kinds `not_finite`, `vanishing` and `broadcast` are those of PyTorch, with JAX's names in what
they write. Each example is run by a test.
"""
INTROS = {"pytorch": INTRO, "jax": JAX}


def section(kind: Kind, folder: Path) -> str:
    """The example of a kind, and what is said of it."""
    file = folder / "train.py"
    file.write_text(kind.example)
    report = judge.looked(file) if kind.dialects[0] == "pytorch" else looked(file, (), 120.0, "jax")
    doc = (sys.modules[kind.find.__module__].__doc__ or "").split("\n\n")[0]
    one = report.diagnoses[0]
    said = f"train.py:{one.finding.line}: {one.finding.kind}. {one.finding.sentence}"
    mend = "".join(f"\n    {line}" for line in one.mend.split("\n")) if one.mend else ""
    doc = " ".join(doc.split())
    head = f"### {kind.name}\n\n{doc}\n\n```python\n{kind.example}```\n\n"
    return f"{head}```text\n{said}{mend}\n  {one.tried}\n```\n"


def page(dialect: str = "pytorch") -> str:
    """The whole page of a framework, by what the learner sees."""
    own = [kind for kind in KINDS.values() if kind.dialects[0] == dialect]
    parts = [INTROS[dialect]]
    with tempfile.TemporaryDirectory() as folder:
        for shown in SHOWN:
            kinds = sorted((k for k in own if k.shown == shown), key=lambda k: k.rank)
            if kinds:
                parts.append(f"## {shown}\n")
                parts += [section(kind, Path(folder)) for kind in kinds]
    return "\n".join(parts)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ["pytorch"]:
        PAGES[wanted].write_text(page(wanted), encoding="utf-8")
