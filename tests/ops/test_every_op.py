"""Every registered op, checked against NumPy, finite differences and its own slower definitions."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import every_op
import minitape as tf
from every_op import call, differentiable, gradients, loss, numeric, weights
from minitape.names import namespaces
from minitape.op import registry
from minitape.plan import VALUE
from minitape.tensor import eager
from minitape.viz.record.reading import kept_of
from op_samples import Sample, all_samples, by_op
from rows import Failures, failing

namespaces.load_rest()
REGISTERED = sorted(registry)
SAMPLES = all_samples()
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


OPS = by_op(SAMPLES)
EVERY = ("real", "float", "complex", "fixed")
CHECKS: list[tuple[Callable[[Sample], None], int, tuple[str, ...]]] = []


def sampled(order: int = 0, dtypes: tuple[str, ...] = EVERY) -> Callable[[Any], Any]:
    """Has a check tried with each sample that is differentiated so often and has these dtypes."""

    def listed(check: Any) -> Any:
        CHECKS.append((check, order, dtypes))
        return check

    return listed


@pytest.mark.parametrize("name", OPS)
def test_every_check_holds_of_the_op(name: str):
    found = Failures()
    for check, order, dtypes in CHECKS:
        rows = failing(check, rows_of(name, order, dtypes))
        found |= Failures({f"{check.__name__}[{row}]": how for row, how in rows.items()})
    assert found == {}


def rows_of(name: str, order: int = 0, dtypes: tuple[str, ...] = EVERY) -> dict[str, Any]:
    """The samples of an op, by name, that a check is tried with."""
    return {
        row: (sample,)
        for row, (sample,) in OPS[name].items()
        if sample.order >= order and sample.dtypes in dtypes
    }


def test_every_registered_op_has_a_sample():
    missing = [name for name in REGISTERED if name not in OPS]
    assert not missing, f"write samples of these ops into tests/op_samples: {missing}"


def test_every_sample_names_a_registered_op():
    unknown = [name for name in OPS if name not in registry]
    assert not unknown, f"tests/op_samples has samples of what is no registered op: {unknown}"


def test_every_op_takes_float32_which_the_quick_calls_do_not_check():
    assert not [name for name in REGISTERED if "f" in registry[name].op.refuses]


@sampled()
def forward_equals_numpy(sample: Sample):
    if sample.numpy is None:
        return  # its closed form has a test of its own
    for dtype, tolerance in (
        ("float64", 1e-12),
        ("float32", 2e-5),
        ("float16", 1e-2),
        ("complex128", 1e-12),
    ):
        if (
            dtype == "complex128"
            and sample.dtypes != "complex"
            or dtype == "float16"
            and sample.dtypes != "real"
        ):
            continue
        inputs = every_op.arrays(sample, dtype)
        expected = sample.numpy(*inputs, **sample.attributes)
        outputs = call(sample, inputs)
        expected = (
            expected if isinstance(expected, list | tuple) and len(outputs) > 1 else [expected]
        )
        for got, want in zip(outputs, expected, strict=True):
            assert tuple(got.shape) == np.shape(want)
            assert_close(got.numpy(), want, rtol=tolerance, atol=tolerance)


def assert_close(got, want, rtol: float, atol: float) -> None:
    """Texts are equal or not; only numbers have a distance."""
    if np.asarray(want).dtype == object:
        np.testing.assert_array_equal(np.asarray(got, object), want)
    else:
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


LAYOUTS = {
    "rows first": np.ascontiguousarray,
    "columns first": np.asfortranarray,
    "backwards": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
}


@pytest.fixture
def every_array_is_large(monkeypatch):
    """Ops that have another way for large arrays go it for the small ones of the samples, too."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("minitape.ops.", "minitape.fast.kernels")):
            for size in ("MANY", "_MANY", "_LARGE", "_SMALL", "_LONG", "_ROWS"):
                if hasattr(module, size):
                    monkeypatch.setattr(module, size, 2)
    monkeypatch.setattr(sys.modules["minitape.ops.neural.softmax"], "_FEW", 0)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["columns first", "backwards"])
@pytest.mark.parametrize("name", OPS)
def test_the_layout_of_an_array_in_memory_changes_no_number(name: str, layout: str):
    assert failing(lambda sample: compare_in_layout(sample, layout), rows_of(name)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.usefixtures("every_array_is_large")
@pytest.mark.parametrize("name", OPS)
def test_the_ways_for_large_arrays_give_the_same_numbers(name: str, layout: str):
    assert failing(lambda sample: compare_in_layout(sample, layout), rows_of(name)) == {}


def compare_in_layout(sample: Sample, layout: str) -> None:
    """Compares values with NumPy's, and gradients with central differences."""
    inputs = every_op.arrays(sample, "float64")
    laid_out = [
        eager(LAYOUTS[layout](x)) if x.ndim and x.dtype != object else tf.constant(x)
        for x in inputs
    ]
    outputs = call(sample, laid_out)
    if sample.numpy is not None:
        expected = sample.numpy(*inputs, **sample.attributes)
        several = isinstance(expected, list | tuple) and len(outputs) > 1
        for got, want in zip(outputs, expected if several else [expected], strict=True):
            assert_close(got.numpy(), want, rtol=1e-12, atol=1e-12)
    if sample.order:
        compare_with_differences(sample, inputs, laid_out)


@sampled()
def a_result_of_rank_0_is_a_numpy_scalar(sample: Sample):
    for y in call(sample, every_op.arrays(sample, "float64")):
        if y.value.ndim == 0 and y.value.dtype != object:
            assert isinstance(y.value, np.generic)


@sampled(order=1)
def every_vjp_equals_central_differences(sample: Sample):
    compare_with_differences(sample, inputs := every_op.arrays(sample, "float64"), inputs)


@sampled(order=1, dtypes=("complex",))
def every_vjp_of_complex_numbers_equals_differences_in_both_directions(sample: Sample):
    compare_with_differences(sample, inputs := every_op.arrays(sample, "complex128"), inputs)


def compare_with_differences(sample: Sample, inputs: list[np.ndarray], given: list) -> None:
    """Compares the gradients at what is `given` for the inputs with differences at the inputs."""
    places = differentiable(sample, inputs)
    ws = weights(call(sample, inputs), 1)
    found = gradients(sample, given, ws, places) if places else []
    for place, g in zip(places, found, strict=True):
        expected = numeric(
            lambda x: loss(call(sample, replaced(inputs, place, x)), ws),  # noqa: B023
            inputs[place],
        )
        got = np.zeros_like(expected) if g is None else g.numpy()
        slack = 3e-7 + sample.tolerance / 10
        np.testing.assert_allclose(got, expected, rtol=sample.tolerance, atol=slack)


@sampled(order=2)
def second_order_equals_central_differences_of_the_first(sample: Sample):
    inputs = every_op.arrays(sample, "float64")
    places = differentiable(sample, inputs)
    ws = weights(call(sample, inputs), 1)
    if not places or all(g is None for g in gradients(sample, inputs, ws, places)):
        return  # no first derivative
    vs = [np.random.default_rng(2).uniform(0.5, 1.5, inputs[i].shape) for i in places]

    def first(values):
        found = gradients(sample, values, ws, places)
        return sum(
            float(np.sum(v * g.numpy())) for v, g in zip(vs, found, strict=True) if g is not None
        )

    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in places])
        found = gradients(sample, tensors, ws, places)
        total = tf.add_n(
            [tf.reduce_sum(v * g) for v, g in zip(vs, found, strict=True) if g is not None]
        )
    seconds = tape.gradient(total, [tensors[i] for i in places], unconnected_gradients="zero")
    for place, g in zip(places, seconds, strict=True):
        expected = numeric(lambda x: first(replaced(inputs, place, x)), inputs[place])  # noqa: B023
        np.testing.assert_allclose(
            tf.convert_to_tensor(g).numpy(),
            expected,
            rtol=10 * sample.tolerance,
            atol=2e-6 + sample.tolerance,
        )


@sampled(order=1)
def forward_mode_is_the_transpose_of_reverse_mode(sample: Sample):
    dtype = "complex128" if sample.dtypes == "complex" else "float64"
    inputs = every_op.arrays(sample, dtype)
    places = differentiable(sample, inputs)
    ws = weights(call(sample, inputs), 1)
    pulled = gradients(sample, inputs, ws, places) if places else []
    if all(g is None for g in pulled):
        return  # no first derivative
    tangents = [np.asarray(w) for w in weights([inputs[i] for i in places], 3)]
    tensors = [tf.constant(x) for x in inputs]
    with tf.autodiff.ForwardAccumulator(
        [tensors[i] for i in places], [tf.constant(t) for t in tangents]
    ) as acc:
        outputs = call(sample, tensors)
    pushed = [acc.jvp(y, unconnected_gradients="zero").numpy() for y in outputs]
    left = sum(
        np.sum(np.conj(w) * p).real for w, p in zip(ws, pushed, strict=True) if w is not None
    )
    right = sum(
        np.sum(np.conj(g.numpy()) * t).real
        for g, t in zip(pulled, tangents, strict=True)
        if g is not None
    )
    np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-10)


@sampled()
def the_batching_rule_equals_one_by_one(sample: Sample):
    op = registry[sample.name].op
    if op.effect:
        return  # a random op gives other numbers each time
    inputs = every_op.arrays(sample, "float64")
    choices = [i for i, x in enumerate(inputs) if x.dtype != object]
    picks = [{i} for i in choices] + ([set(choices)] if len(choices) > 1 else [])
    for pick in picks:
        stacked = [i in pick for i in range(len(inputs))]
        stack = every_op.stacks(sample, inputs, stacked)
        by_rule = every_op.batched(sample, stack, stacked, rule=True)
        by_hand = every_op.batched(sample, stack, stacked, rule=False)
        for got, want in zip(by_rule, by_hand, strict=True):
            assert got.shape == want.shape
            assert_close(got, want, rtol=1e-9, atol=1e-12)


# Their sizes depend on values; a permutation cannot be all zeros.
BY_VALUES = {"unique", "nonzero_indices", "span", "invert_permutation"}


@sampled()
def a_stack_of_no_example_gives_results_of_the_shape_of_one(sample: Sample):
    if registry[sample.name].op.effect or sample.name in BY_VALUES:
        return  # what one example gives depends on its values, or on a draw
    inputs = every_op.arrays(sample, "float64")
    for own in range(len(inputs)):
        if inputs[own].dtype == object:
            continue
        stacked = [i == own for i in range(len(inputs))]
        stack = every_op.stacks(sample, inputs, stacked)
        empty = [x[:0] if is_own else x for x, is_own in zip(stack, stacked, strict=True)]
        found = every_op.batched(sample, empty, stacked, rule=True, size=0)
        wanted = [y.shape[1:] for y in every_op.batched(sample, stack, stacked, rule=False)]
        assert [y.shape for y in found] == [(0, *shape) for shape in wanted]


@sampled()
def a_record_keeps_what_rules_of_watchable_inputs_name_and_no_more(sample: Sample):
    inputs = [tf.constant(x) for x in every_op.arrays(sample, "float64")]
    op = registry[sample.name].op
    places = differentiable(sample, [x.value for x in inputs])
    for chosen in itertools.chain(([i] for i in places), [places]):
        if not chosen:
            continue
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([inputs[i] for i in chosen])
            call(sample, inputs)
        for record in tape.recording.records[:1]:
            # Of all, not of the chosen: another may be watched afterwards.
            names = [op.input_name(i) for i in range(len(inputs))]
            rules = [op.rules[each] for each in names if each in op.rules and each not in op.cuts]
            named = {
                name: kind
                for rule in rules
                for name, kind in rule.needs
                if kind in {"Tensor", "Tensors"}
            }
            for i, (_, keep, kept) in zip(range(len(inputs)), kept_of(record), strict=False):
                holds_value = isinstance(kept, tf.Tensor | np.ndarray | np.generic)
                assert holds_value == (op.input_name(i) in named), op.input_name(i)
                assert holds_value == (keep >= VALUE)


def replaced(values, place, value):
    return [value if i == place else other for i, other in enumerate(values)]
