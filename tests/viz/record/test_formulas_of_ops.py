"""The formulas of every op: of its forward, and of the rules that a step shows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from equations import Claim, claims, is_true, worked_out

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


@pytest.mark.slow
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


# Small calls of ops whose other samples are too large for numbers in a formula.
VECTOR, ROW, COLUMN = np.array([1.5, -0.5, 2.0]), np.array([[1.5, -0.5]]), np.array([[2.0], [3.0]])
SMALL = [
    Sample("reduce_sum", [VECTOR], {}, np.sum),
    Sample("reduce_mean", [VECTOR], {}, np.mean),
    Sample("reduce_prod", [VECTOR], {}, np.prod),
    Sample("reduce_max", [VECTOR], {}, np.max),
    Sample("reduce_min", [VECTOR], {}, np.min),
    Sample("reduce_euclidean_norm", [VECTOR], {}, np.linalg.norm),
    Sample("reduce_logsumexp", [VECTOR], {}, lambda x: np.log(np.sum(np.exp(x)))),
    Sample("l2_loss", [VECTOR], {}, lambda x: np.sum(x * x) / 2),
    Sample("add_n", [VECTOR, VECTOR + 1], {}, np.add),
    Sample("matmul", [ROW, COLUMN], {}, np.matmul),
    Sample("matvec", [ROW, COLUMN[:, 0]], {}, np.matmul),
    Sample(
        "zero_over", [np.array([0.0, 0.0, 3.0]), np.array([0.0, 2.0, 2.0])], {},
        lambda x, y: np.array([0.0, 0.0, 1.5]),
    ),
    Sample(
        "zero_times", [np.array([0.0, 0.0, 3.0]), np.array([np.inf, 2.0, 2.0])], {},
        lambda x, y: np.array([0.0, 0.0, 6.0]),
    ),
    Sample(
        "inverse_length", [np.zeros(2)], {"axis": 0, "epsilon": 1e-4},
        lambda x, **_: np.array([100.0]),
    ),
    Sample(
        "bessel_i1_ratio", [np.array([0.0, 0.0])], {}, lambda x: np.array([0.5, 0.5])
    ),
]  # fmt: skip
LEAST_CHECKED, MOST_BY_NAME = 79, 35
SIGN = re.compile(r"(.*) (=|≈|wraps to) (.*)")


class Printed(NamedTuple):
    """The numbers of one call as they are printed, its dtype, and what NumPy gives."""

    text: str
    dtype: str
    numpy: Any


def printed(samples: list[Sample]) -> Iterator[Printed]:
    """The numbers of those calls of an op that have any."""
    calls = [one for sample in samples for one in small_calls(sample)]
    with warnings.catch_warnings(), viz.recording(), tf.GradientTape() as tape:
        warnings.simplefilter("ignore")
        results = []
        for sample, inputs, expected in calls:
            given = [tf.constant(x) for x in inputs]
            watched = [x for x in given if x.dtype.is_floating or x.dtype.is_complex]
            tape.watch(watched)
            before = len(tape.recording.records)
            outputs = call(sample, given)
            if len(tape.recording.records) == before + 1:
                results.append((outputs, watched, expected))
    if not results:
        return
    targets = [y for outputs, _, _ in results for y in outputs]
    trace = viz.step(tape, targets, [x for _, watched, _ in results for x in watched]).trace
    for node in trace.nodes:
        if node.op is not None and node.record is not None and node.numbers:
            outputs, _, expected = results[node.record]
            own = expected[node.output] if len(outputs) > 1 else expected
            yield Printed(node.numbers, node.dtype, own)


def small_calls(sample: Sample) -> Iterator[tuple[Sample, list[Any], Any]]:
    """The sample itself or, of an op that is computed element by element, some of its elements."""
    if sample.numpy is None:
        return
    inputs = every_op.arrays(sample, "float32")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = sample.numpy(*inputs, **sample.attributes)
    if not registry[sample.name].op.elementwise or not inputs:
        if all(0 < np.size(x) <= 4 for x in inputs):
            yield sample, inputs, expected
        return
    wide = [np.ravel(x) for x in np.broadcast_arrays(*inputs, expected)]
    for i in range(min(len(wide[0]), 6)):
        *own, result = (x[i] for x in wide)
        yield sample, own, result


def outcome(printed: Printed) -> str:
    """ "true" or "false" of an equation, "name" where its left side is no arithmetic."""
    found = SIGN.fullmatch(printed.text)
    if found is None:
        return "result"
    claim = Claim(*found.groups())
    if worked_out(claim.left) is None:
        return "name"
    said = np.asarray(worked_out(claim.right), printed.dtype.replace("bfloat16", "float32"))
    is_numpys = np.allclose(said, printed.numpy, 1e-3, 1e-6, equal_nan=True)
    return "true" if is_numpys and is_true(claim, printed.dtype) else "false"


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, str]]:
    """By outcome the ops that have it, each with an equation of it."""
    found: dict[str, dict[str, str]] = {kind: {} for kind in ("true", "false", "name", "result")}
    for name, rows in OPS.items():
        small = [sample for sample in SMALL if sample.name == name]
        for each in printed([sample for (sample,) in rows.values()] + small):
            found[outcome(each)].setdefault(name, f"{each.text} (NumPy: {each.numpy})")
    return found


@pytest.mark.slow
def test_each_formula_that_is_arithmetic_gives_with_numbers_what_numpy_gives(outcomes):
    assert outcomes["false"] == {}
    assert len(outcomes["true"]) >= LEAST_CHECKED


@pytest.mark.slow
def test_few_formulas_are_only_a_name_whose_numbers_are_not_worked_out(outcomes):
    by_name = outcomes["name"].keys() - outcomes["true"].keys()
    assert len(by_name) <= MOST_BY_NAME, sorted(by_name)


@pytest.mark.parametrize("slope", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal, tf.norm])
def test_a_zero_that_a_rule_stops_before_an_infinite_slope_is_in_no_equation(slope: Any):
    x = tf.Variable([0.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = slope(x) * 0.0
    steps = [s for s in viz.step(tape, y, x).trace.steps if s.kind == "pull" and s.to == 0]
    assert [s.numbers for s in steps] == ["[0.0]"]


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (tf.math.divide_no_nan, (3.0, 0.0)),
        (tf.math.multiply_no_nan, (np.inf, 0.0)),
        (tf.math.xdivy, (0.0, 0.0)),
        (tf.math.xlogy, (0.0, 0.0)),
        (tf.math.xlog1py, (0.0, -1.0)),
    ],
)
def test_the_equation_of_an_op_that_a_zero_decides_holds_at_the_zero(function: Any, inputs: Any):
    x, y = (tf.Variable(value) for value in inputs)
    with viz.recording(), tf.GradientTape() as tape:
        out = function(x, y)
    player = viz.step(tape, out, [x, y])
    said = claims(player.trace.nodes[-1].numbers) + claims(player.text())
    assert len(said) >= 2
    assert [str(each) for each in said if is_true(each) is not True] == []


@pytest.mark.parametrize("left", ["2.0/(√(1 + 2.0^3))", "2.0 + 2.0 · 2.0", "−(2.0^2)"])
def test_a_formula_that_is_not_the_ops_is_found(left: str):
    assert outcome(Printed(f"{left} = 4.0", "float32", np.square(2.0))) == "false"
    assert outcome(Printed("2.0^2 = 4.0", "float32", np.square(2.0))) == "true"
    assert outcome(Printed("squared(2.0) = 4.0", "float32", np.square(2.0))) == "name"
