"""What a declaration of an op refuses: dtypes that TensorFlow has no kernel for, and NumPy has."""

import re

import numpy as np
import pytest

import minitape as tf
from minitape.errors.of_formulas import check_formula
from minitape.interpreter import active
from minitape.op import export, primitive, registry
from minitape.tensor import Array, Tensor
from rows import failing

TRUTH, COMPLEX = np.array([True, False]), np.array([1 + 2j, 3 - 1j])

ORDERS = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": tf.nn.leaky_relu,
    "maximum": lambda x: tf.maximum(x, x),
    "minimum": lambda x: tf.minimum(x, x),
    "reduce_max": tf.reduce_max,
    "reduce_min": tf.reduce_min,
    "less": lambda x: x < x,
    "less_equal": lambda x: x <= x,
    "greater": lambda x: x > x,
    "greater_equal": lambda x: x >= x,
    "sort": tf.sort,
    "argsort": tf.argsort,
    "top_k": tf.math.top_k,
    "clip_by_value": lambda x: tf.clip_by_value(x, x, x),
}
NUMBERS = {
    "add": lambda x: x + x,
    "subtract": lambda x: x - x,
    "multiply": lambda x: x * x,
    "abs": tf.abs,
    "square": tf.square,
    "pow": lambda x: x**x,
    "cumsum": tf.cumsum,
    "cumprod": tf.math.cumprod,
    "add_n": lambda x: tf.add_n([x, x]),
    "reduce_prod": tf.reduce_prod,
    "matmul": lambda x: x[None] @ x[:, None],
    "broadcast_matmul": lambda x: x[None, None] @ x[:, None],
}


@pytest.mark.parametrize("name", [*ORDERS, *NUMBERS])
def test_truth_values_are_no_numbers(name):
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool is not in the list of allowed"):
        (ORDERS | NUMBERS)[name](tf.constant(TRUTH))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_a_single_truth_value_is_no_number(name):
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool is not in the list of allowed"):
        NUMBERS[name](tf.constant(True))


@pytest.mark.parametrize("name", ORDERS)
def test_complex_numbers_have_no_order(name):
    match = "complex128 is not in the list of allowed"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        ORDERS[name](tf.constant(COMPLEX))


@pytest.mark.parametrize("name", NUMBERS)
def test_complex_numbers_are_numbers(name):
    NUMBERS[name](tf.constant(COMPLEX))


def test_a_refusal_comes_while_tracing_and_leaves_no_interpreter_behind():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:Relu\]"):
        tf.function(tf.nn.relu)(tf.constant(TRUTH))
    assert active() == ()


def test_an_op_of_ones_own_may_refuse_kinds_too():
    @primitive(refuses="iu")
    def no_whole_numbers(x: Array) -> Array:
        return x * 2

    assert no_whole_numbers(tf.constant(1.5)).numpy() == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        no_whole_numbers(tf.constant(1))


@pytest.mark.parametrize(
    ("forward", "shape"),
    [
        (lambda x: (x * x / 2).sum(1, keepdims=True), (5000, 3)),
        (lambda x: (x * x / 2).astype(np.float32), (5000,)),
    ],
    ids=["rows are added up", "another dtype"],
)
def test_a_rule_that_multiplies_may_give_more_than_it_got(forward, shape):
    @primitive()
    def half_squares(x: Array) -> Array:
        return forward(x)

    @half_squares.vjp("x")
    def _(g: Tensor, x: Tensor) -> Tensor:
        return g * x

    x = tf.constant(np.random.default_rng(0).normal(size=shape))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = half_squares.public(x) * 3.0
    g = tape.gradient(y, x)
    assert g.dtype == tf.float64
    np.testing.assert_allclose(g.numpy(), 3.0 * x.numpy())


@pytest.mark.parametrize("name", [None, 3, abs])
def test_a_public_name_that_is_no_text_is_refused_and_nothing_is_public_under_it(name):
    before = dir(tf)
    for decorator in (primitive, export):
        with pytest.raises(TypeError, match=r"Write `@(primitive|export)\(\)`"):
            decorator(name)(lambda x: x)
    assert dir(tf) == before


@pytest.mark.parametrize(
    ("latex", "corrected"),
    [
        ("{y}^2", "{x}^2"),
        (r"{x:4}^{{{y}}}", r"{x:4}^{{{n}}}"),
        (r"{x:2} \cdot {m:2}", r"{x:2} \cdot {n:2}"),
        (r"\sqrt{y}", r"\sqrt{x}"),
    ],
)
def test_a_formula_with_an_unknown_name_in_braces_is_refused(latex: str, corrected: str):
    with pytest.raises(TypeError, match=re.escape(f'Write `latex=r"{corrected}"`')) as error:
        primitive(latex=latex)(to_the_power)
    assert "its forward takes x, n" in str(error.value)


@pytest.mark.parametrize(
    ("latex", "corrected"), [("x^2", "{x}^2"), ("x^{12}", "{x}^{12}"), ("e^{{x}}", "e^{{{x}}}")]
)
def test_a_formula_whose_input_has_no_braces_is_refused(latex: str, corrected: str):
    with pytest.raises(TypeError, match=re.escape(f'Write `latex=r"{corrected}"`')):
        primitive(latex=latex)(to_the_power)


@pytest.mark.parametrize(
    "latex",
    [
        "{x:4}^{{2}}", "{x}^{12}", "{x:4}^{n}", r"\mathrm{power}\left({x}\right)", r"\sum_{i} {x}",
        r"\mathrm{{power}}\left({x}\right)", r"\frac{1}{k} \cdot {x}", r"\frac{1 + {x}}{{k}}",
        r"\sqrt{{{x}}^2 + 1}", r"\frac{{{x}}}{{{n}}}", r"\exp {x:3}", r"\pi", "",
    ],
)  # fmt: skip
def test_a_formula_may_have_braces_of_latex(latex: str):
    assert primitive(latex=latex)(to_the_power).op.latex == latex


def test_the_formula_of_each_op_of_minitape_names_what_its_forward_takes():
    ours = [call.op for call in registry.values() if call.op.ours]
    assert len([op for op in ours if op.latex]) > 250
    for op in ours:
        check_formula(op.name, op.latex, op.inputs, op.attributes)


def to_the_power(x: Array, n: int) -> Array:
    return x**n


INTEGERS = tf.constant([1, 2])
WITHOUT_INTEGERS = {
    "sin": tf.sin,
    "exp": tf.exp,
    "sqrt": tf.sqrt,
    "sigmoid": tf.sigmoid,
    "selu": tf.nn.selu,
    "reciprocal": tf.math.reciprocal,
    "atan2": lambda x: tf.atan2(x, x),
    "xlogy": lambda x: tf.math.xlogy(x, x),
    "nextafter": lambda x: tf.math.nextafter(x, x),
}
PLACES = {
    "eagerly": lambda f, x: f(x),
    "in a function": lambda f, x: tf.function(f)(x),
    "in vectorized_map": tf.vectorized_map,
    "in a branch": lambda f, x: tf.cond(tf.constant(True), lambda: f(x), lambda: f(x)),
    "in map_fn": tf.map_fn,
}


@pytest.mark.parametrize("f", WITHOUT_INTEGERS.values(), ids=WITHOUT_INTEGERS)
def test_floats_are_made_of_integers_nowhere(f):
    def refused(place, dtype):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:"):
            place(f, tf.cast(INTEGERS, dtype))

    kinds = (tf.int32, tf.uint8, tf.bool)
    rows = {f"{k} {name}": (place, k) for name, place in PLACES.items() for k in kinds}
    assert failing(refused, rows) == {}


def test_a_graph_refuses_integers_without_writing_the_op_down():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.int32, [2])
        before = graph.get_operations()
        with pytest.raises(tf.errors.InvalidArgumentError, match="cast"):
            tf.sin(x)
        assert graph.get_operations() == before


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_quotients_of_integers_are_floats_everywhere(place):
    if place is tf.map_fn:
        place = lambda f, x: tf.map_fn(f, x, fn_output_signature=tf.float64)  # noqa: E731
    assert place(lambda x: x / x, INTEGERS).dtype == tf.float64
    assert place(lambda x: tf.math.divide_no_nan(x, x), INTEGERS).dtype == tf.float64


def test_the_former_module_of_primitive_gives_the_same_objects():
    import minitape.op
    import minitape.primitive

    former = minitape.primitive.__all__
    assert "primitive" in former
    assert all(getattr(minitape.primitive, n) is getattr(minitape.op, n) for n in former)
