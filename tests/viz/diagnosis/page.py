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
INTRO = """# Suspicious gradients in PyTorch

`minitape explain train.py` examines a script that imports PyTorch just as it examines one of
minitape's; nothing in it has to be changed. It names the line of the mistake, not of the error,
and shows a correction that was applied to a copy and run. PyTorch has to be installed:
`pip install torch`.

```sh
minitape explain train.py --json findings.json --fix corrected.py -- its arguments
minitape step train.py --out steps.html      # a step player of each backward pass
```

The script runs in a separate process that may compute and read files. Files that `torch.save`
writes go to a folder that is discarded, and a data loader does not start processes. The first six
backward passes are examined in full, then the 8th, 16th, 32nd, and so on, so a long training run
stays fast. If the loss becomes NaN in a step that was not examined, the script runs a second time,
and that step is examined.

A correction is called *tried* if the corrected script still ends in the same way, the finding is
gone, nothing new is suspicious, the target is unchanged where it was finite, and the gradient
exists, is finite and is not zero. A correction that computes a different function (a mean, a
smooth loss instead of a choice, an epsilon) is called a *possibility*.

Harmless code is not reported: `.item()`, `.detach()`, `.numpy()` and `no_grad` whose results do
not reach the loss, target networks, frozen layers, truncated backpropagation, gradients
accumulated over several batches, gradient penalties, straight-through estimators, tables of all
pairs of points. Code that `torch.jit` compiled cannot be examined.

The kinds have the same names as in [Suspicious gradients](GRADIENTS.md). There are two more:
`error` is an error that PyTorch raises, and `update` is a step that does not do what it should. A
test runs each example.
"""
JAX = """# Suspicious gradients in JAX

`minitape explain train.py` examines a script that imports JAX; nothing in it has to be changed.
JAX has to be installed: `pip install jax`. JAX has no gradients that are `None`. The typical
mistakes are errors about tracers, numbers that are not finite, and gradients that are zero
everywhere.

```sh
minitape explain train.py --json findings.json --fix corrected.py -- its arguments
```

Each call of a function that `jax.grad` or `jax.value_and_grad` returned is examined: the
function's jaxpr is run equation by equation, forward and backward, so the first number that is
not finite has an equation and a line. If a script calls it inside `jax.jit`, the script runs a
second time with `jit` switched off, so that values are numbers instead of tracers. A `scan` is
examined step by step, up to 2,000 equations. Calls inside `vmap`, and inside `lax.scan` under
`jit`, are not examined if they have no numbers. The words *tried* and *possibility* mean the same
as [in PyTorch](GRADIENTS_PYTORCH.md).

The kinds `not_finite`, `vanishing` and `broadcast` are the same as for PyTorch, with JAX's names in
the corrections. A test runs each example.
"""
INTROS = {"pytorch": INTRO, "jax": JAX}
# What the framework itself says of a mistake: people search for these words.
MESSAGES = {
    "pytorch": {
        "Can't call numpy() on Tensor that requires grad": ["numpy_of_tracked"],
        "Only Tensors of floating point and complex dtype can require gradients": ["integer_leaf"],
        "has been modified by an inplace operation": ["inplace_saved"],
        "a leaf Variable that requires grad is being used in an in-place operation": [
            "inplace_leaf"
        ],
        "Trying to backward through the graph a second time": ["backward_twice"],
        "grad can be implicitly created only for scalar outputs": ["vector_target"],
        "does not require grad and does not have a grad_fn": ["not_requiring", "broken_path"],
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed": [
            "non_leaf",
            "leaf_replaced",
        ],
        "optimizer got an empty parameter list": ["empty_optimizer"],
    },
    "jax": {
        "TracerBoolConversionError: Attempted boolean conversion": ["tracer_decides"],
        "TracerArrayConversionError": ["tracer_leaves"],
        "UnexpectedTracerError: Encountered an unexpected tracer": ["tracer_leaked"],
        "NonConcreteBooleanIndexError": ["tracer_as_size"],
        "Gradient only defined for scalar-output functions": ["grad_of_several"],
        "grad requires real- or complex-valued inputs": ["grad_of_integers"],
        "JAX arrays are immutable": ["array_assigned"],
        "Reverse-mode differentiation does not work for lax.while_loop": ["loop_forward_only"],
        "carry input and carry output must have equal types": ["carry_changes"],
    },
}


def messages(dialect: str) -> str:
    """A table that leads from the framework's messages to the kinds."""
    name = {"pytorch": "PyTorch", "jax": "JAX"}[dialect]
    rows = [
        f"| `{words}` | {', '.join(f'[{KINDS[kind].name}](#{kind})' for kind in kinds)} |"
        for words, kinds in MESSAGES[dialect].items()
    ]
    return "\n".join([f"| Message of {name} | Section |", "|---|---|", *rows, ""])


def section(kind: Kind, folder: Path) -> str:
    """The example of a kind, and what is said of it."""
    file = folder / "train.py"
    file.write_text(kind.example)
    report = judge.looked(file) if kind.dialects[0] == "pytorch" else looked(file, (), 120.0, "jax")
    doc = (sys.modules[kind.sentence.__module__].__doc__ or "").split("\n\n")[0]
    one = report.diagnoses[0]
    said = f"train.py:{one.finding.line}: {one.finding.kind}. {one.finding.sentence}"
    mend = "".join(f"\n    {line}" for line in one.mend.split("\n")) if one.mend else ""
    doc = " ".join(doc.split())
    head = f"### {kind.name}\n\n{doc}\n\n```python\n{kind.example}```\n\n"
    return f"{head}```text\n{said}{mend}\n  {one.tried}\n```\n"


def page(dialect: str = "pytorch") -> str:
    """The whole page of a framework, by what the learner sees."""
    own = [kind for kind in KINDS.values() if kind.dialects[0] == dialect]
    parts = [INTROS[dialect], messages(dialect)]
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
