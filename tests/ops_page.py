"""Writes docs/ops.md: every op with its formula, rules, and what it has besides.

Run it after a change of an op: `python tests/ops_page.py`. A test compares the page with the ops.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import every_op
from minitape.names import namespaces
from minitape.op import registry
from minitape.record import plan_for
from minitape.tensor import Spec
from minitape.viz.record import notation
from minitape.viz.record.formula import Expression, Operand, forward_formula, rule_formula
from op_samples import Sample, all_samples

PAGE = Path(__file__).parent.parent / "docs" / "ops.md"
HEAD = """# Every op

What each primitive of minitape has. The derivative rules are printed by running them, so this page
cannot differ from the code; `g` is the cotangent of the result. It is written by
`python tests/ops_page.py`, and a test compares it with the ops.

- **JVP**: *diagonal* (the rules applied to the tangents, for elementwise ops), *own*, or
  *transposed* (the VJP differentiated in `g`).
- **Batching**: *broadcasting* (follows from the declaration), *own* rule, or *one by one*.
- **Numbers**: *complex* where the op takes complex dtypes too.
"""


def page() -> str:
    """The page's text."""
    namespaces.load_rest()
    samples: dict[str, Sample] = {}
    for sample in all_samples():
        samples.setdefault(sample.name, sample)
    complex_ones = {s.name for s in all_samples() if s.dtypes == "complex"}
    parts = [HEAD]
    by_module = sorted(own_ops(), key=lambda item: (item[1].__module__, item[0]))
    for module, ops in itertools.groupby(by_module, key=lambda item: item[1].__module__):
        parts.append(f"\n## {module.removeprefix('minitape.').removeprefix('ops.')}\n")
        parts += [entry(name, op, samples[name], complex_ones) for name, op in ops]
    return "\n".join(parts)


def without_samples() -> list[str]:
    """The ops that the page cannot show: no sample says what their inputs look like."""
    namespaces.load_rest()
    sampled = {sample.name for sample in all_samples()}
    return [name for name, _ in own_ops() if name not in sampled]


def own_ops() -> list[tuple[str, Any]]:
    """The ops of minitape's modules, without those of tests and of examples in docstrings."""
    return [
        (name, op)
        for name, op in registry.items()
        if str(op.__module__).startswith("minitape.")
        and any(value is op for value in vars(sys.modules[op.__module__]).values())
    ]


def entry(name: str, primitive: Any, sample: Sample, complex_ones: set[str]) -> str:
    """One op's paragraph."""
    op = primitive.op
    words = inspect.cleandoc(primitive.__doc__ or "").split("\n\nArgs:")[0].split("\n\nExample:")[0]
    public = ", ".join(f"`tf.{each}`" for each in op.exported) or "for rules and other ops"
    lines = [f"### {name}\n", f"{public}. {words}\n", f"- forward: {_forward(op, sample)}"]
    lines += _rules(op, sample)
    jvp = "own" if op.jvp else "diagonal" if op.elementwise else "transposed"
    batching = "own" if op.batch else "broadcasting" if op.elementwise else "one by one"
    if op.differentiable and op.rules:
        lines.append(f"- JVP: {jvp}")
    lines.append(f"- batching: {batching}")
    lines.append(f"- numbers: {'real and complex' if name in complex_ones else 'real'}")
    return "\n".join(lines) + "\n"


def _operands(op: Any, sample: Sample) -> list[Operand]:
    arrays = every_op.arrays(sample, "float64")
    names = [f"{op.inputs[0]}_{i}" for i in range(len(arrays))] if op.variadic else op.inputs
    return [
        Operand(Expression(_letter(n)), Spec(a.shape, a.dtype))
        for n, a in zip(names, arrays, strict=True)
    ]


def _letter(name: str) -> str:
    return name if len(name) == 1 else rf"\mathrm{{{name.replace('_', ' ')}}}"


def _attributes(op: Any, sample: Sample) -> tuple[Any, ...]:
    named = dict(op.defaults) | sample.attributes
    attributes = tuple(named[name] for name in op.attributes)
    arrays = every_op.arrays(sample, "float64")
    if op.prepare is None:
        return attributes
    return tuple(
        op.prepare(arrays, *attributes) if op.variadic else op.prepare(*arrays, *attributes)
    )


def _forward(op: Any, sample: Sample) -> str:
    expressions = [o.expression for o in _operands(op, sample)]
    formula = forward_formula(op, expressions, _attributes(op, sample))
    return f"`{notation.to_text(formula.latex)}`"


def _rules(op: Any, sample: Sample) -> list[str]:
    if not op.differentiable:
        return ["- not differentiable: gradients through it are None"]
    if not op.rules:
        return ["- no gradient registered: asking for one raises LookupError"]
    if sample.name in every_op.REFUSING:
        return ["- no gradient defined, as in TensorFlow: asking for one raises ValueError"]
    found = []
    for name, rule in op.rules.items():
        position = op.inputs.index(name)
        followed = tuple(i == position for i in range(len(sample.inputs)))
        plan = plan_for(op, followed, (False,) * len(followed), True)
        pull = next(p for p in plan.pulls if p.position == position)
        found.append(f"- to {name}: {_printed(op, sample, pull, rule)}")
    return found


def _printed(op: Any, sample: Sample, pull: Any, rule: Any) -> str:
    operands, attributes = _operands(op, sample), _attributes(op, sample)
    outputs = [y.numpy() for y in every_op.call(sample, every_op.arrays(sample, "float64"))]
    outs = [Operand(Expression("out"), Spec(np.shape(y), np.asarray(y).dtype)) for y in outputs]
    known: dict[str, Any] = dict(zip(op.attributes, attributes, strict=True)) | {"index": 0}
    for name, kind in rule.needs:
        if name == "out":
            chosen: Any = outs if op.several else outs[0]
        elif name in op.inputs:
            chosen = operands if op.variadic else operands[op.inputs.index(name)]
        else:
            continue
        bare = kind in {"Spec", "Specs"}
        specs = [o.spec for o in chosen] if isinstance(chosen, list) and bare else None
        known[name] = specs or (chosen.spec if bare else chosen)
        if kind == "Shape":
            known[name] = tuple(chosen.spec.shape)
    g = [Operand(Expression("g"), o.spec) for o in outs]
    formula = rule_formula(pull, known, g if op.several else g[0])
    return f"`{notation.to_text(formula.latex)}`"


if __name__ == "__main__":
    if missing := without_samples():
        sys.exit(f"these ops need samples in tests/op_samples first: {', '.join(missing)}")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
