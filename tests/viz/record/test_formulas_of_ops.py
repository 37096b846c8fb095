"""The formulas of every op: of its forward, and of the rules that a step shows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import every_op
import minitape as tf
from every_op import call, differentiable
from minitape import viz
from minitape.names import namespaces
from minitape.op import registry
from minitape.viz.base.mathml import check_fragment
from op_samples import Sample, all_samples, by_op
from rows import failing

namespaces.load_rest()
OPS = by_op(all_samples())
TOO_LONG_TO_READ = {"eig", "qr", "svd"}  # the viewer leaves their rules' formulas out
# Their rules have a factor i of their own: of the conjugated numbers that are shown another formula
# would hold, and one that does not hold is left out.
WITH_A_FACTOR_I = {"angle", "imag"}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("name", OPS)
def test_the_formulas_of_forward_and_rules_render(name: str):
    assert failing(formulas_render, once_per_rank(OPS[name])) == {}


def once_per_rank(rows: dict[str, tuple[Sample]]) -> dict[str, tuple[Sample]]:
    """The first sample of each combination of ranks and attributes: numbers change no formula."""
    first: dict[str, str] = {}
    for row, (sample,) in rows.items():
        switches = {k: v for k, v in sample.attributes.items() if isinstance(v, bool | str | None)}
        ranks = [np.ndim(x) for x in sample.inputs]
        first.setdefault(str((ranks, list(sample.attributes), switches)), row)
    return {row: rows[row] for row in first.values()}


def formulas_render(sample: Sample):
    inputs = [tf.constant(x) for x in every_op.arrays(sample, "float64")]
    places = differentiable(sample, [x.value for x in inputs])
    if not places or not registry[sample.name].op.differentiable:
        assert registry[sample.name].op.latex or not places
        return
    if sample.name in every_op.REFUSING:
        return
    with warnings.catch_warnings(), viz.recording(), tf.GradientTape() as tape:
        warnings.simplefilter("ignore")
        tape.watch([inputs[i] for i in places])
        outputs = [y for y in call(sample, inputs) if y.dtype.is_differentiable]
    if not tape.recording.records:
        return
    trace = viz.step(tape, outputs, [inputs[i] for i in places]).trace
    written = [s for s in trace.steps if s.kind in {"forward", "pull"}]
    if sample.name not in TOO_LONG_TO_READ | WITH_A_FACTOR_I:
        assert all(s.formula is not None and s.formula.text for s in written)
    for s in written:
        if s.formula is not None:
            check_fragment(s.formula.mathml)
