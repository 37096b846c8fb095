"""JAX functions in the player: 25 programs, gradients beside JAX's own."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed (see .ci/run)")

from again import assert_every_step_follows  # noqa: E402
from jax import numpy as jnp  # noqa: E402
from jax_rules import RULES  # noqa: E402

import minitape.viz.adapters.jax as adapter  # noqa: E402
from minitape.viz.trace.schema import schema  # noqa: E402
from minitape.viz.trace.trace import Trace  # noqa: E402


def draw(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), jnp.float32)


@jax.custom_vjp
def clipped(x):
    return x * x


clipped.defvjp(lambda x: (x * x, x), lambda x, g: (jnp.clip(g * x, -1.0, 1.0),))


def rnn(w, u, xs):
    return jax.lax.scan(lambda h, x: ((h := jnp.tanh(x @ u + h @ w)), h.sum()), jnp.zeros(3), xs)


def normalised(x, g, b):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-3) * g + b


def pooled(x, k):
    y = jax.lax.conv_general_dilated(x, k, (1, 1), "VALID")
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def network(p, x):
    return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"]


WEIGHTS = {"w1": draw(3, 4), "b1": draw(4, seed=1), "w2": draw(4, 1, seed=2)}
PROGRAMS = {
    "scalars": (lambda a, b: jnp.tanh(a * b + a) * b, (2.0, -3.0)),
    "powers": (lambda x: (x**3 + 2.0 * x**2).sum(), (draw(3),)),
    "quotient": (lambda a, b: (a / b - b) / a, (2.0, -3.0)),
    "line": (lambda w, b: ((w * jnp.arange(4.0) + b - 1.0) ** 2).mean(), (2.0, 1.0)),
    "broadcast": (lambda x, b: jnp.exp(x * b + b).mean(), (draw(3, 4), draw(4, seed=1))),
    "mlp": (lambda p, x: (network(p, x) ** 2).mean(), (WEIGHTS, draw(5, 3))),
    "jit": (lambda p, x: (jax.jit(network)(p, x) ** 2).mean(), (WEIGHTS, draw(5, 3))),
    "classifier": (
        lambda w: -jax.nn.log_softmax(draw(3, 4) @ w)[jnp.arange(3), jnp.array([0, 1, 2])].mean(),
        (draw(4, 5),),
    ),
    "convnet": (lambda x, k: (pooled(x, k) ** 2).sum(), (draw(1, 1, 6, 6), draw(2, 1, 3, 3))),
    "attention": (
        lambda q, k, v: ((jax.nn.softmax(q @ k.T / 3**0.5) @ v) ** 2).sum(),
        (draw(4, 3), draw(4, 3, seed=1), draw(4, 3, seed=2)),
    ),
    "layer normalisation": (
        lambda x, g, b: (normalised(x, g, b) ** 2).sum(),
        (draw(3, 4), draw(4, seed=1), draw(4, seed=2)),
    ),
    "rnn by scan": (
        lambda w, u: rnn(w, u, draw(4, 2, seed=2))[0].sum(),
        (draw(3, 3), draw(2, 3, seed=1)),
    ),
    "scan with outputs": (
        lambda w, u, xs: rnn(w, u, xs)[1].sum(),
        (draw(3, 3), draw(2, 3, seed=1), draw(4, 2, seed=2)),
    ),
    "reuse": (lambda x: (x * x) * (x * x) + x * x * x, (1.5,)),
    "where": (lambda x: jnp.where(x > 0, x * 2.0, jnp.exp(x)).sum(), (draw(5),)),
    "cond": (lambda x: jax.lax.cond(x > 1, lambda x: x * 3.0, jnp.negative, x), (2.0,)),
    "python branch": (lambda x: jnp.sin(x * 3.0), (2.0,)),
    "updates": (lambda x: (x.at[0].set(x[1] * x[2]).at[1].mul(2.0) ** 2).sum(), (draw(3, 3),)),
    "views": (lambda x: (x.reshape(3, 4).T.ravel()[2:8] * 2.0).sum(), (draw(2, 6),)),
    "several outputs": (
        lambda x: [part.sum() * (i + 1.0) for i, part in enumerate(jnp.split(x, [1, 3]))],
        (draw(6),),
    ),
    "maxima": (lambda x: (x.max(1) ** 2).sum(), (draw(3, 4),)),
    "stopped": (lambda a, b: jax.lax.stop_gradient(a * b) * a, (2.0, 3.0)),
    "custom_vjp": (lambda x: (clipped(x) * 2.0).sum(), (draw(3),)),
    "custom_jvp": (lambda x: (jax.nn.relu(x) * 2.0).sum(), (draw(3),)),
    "embedding": (lambda t: (t[jnp.array([0, 2, 2])] ** 2).sum(), (draw(5, 3),)),
}


def whole(array):
    return np.reshape(array.data, array.shape)


@functools.cache
def played(name, opened=False):
    function, arguments = PROGRAMS[name]
    return adapter.step(function, *arguments, opened=opened).trace


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_gradient_is_jax_s_own(name, opened):
    function, arguments = PROGRAMS[name]

    def total(*given):
        return sum(jnp.sum(each) for each in jax.tree.leaves(function(*given)))

    own = jax.tree.leaves(jax.grad(total, range(len(arguments)))(*arguments))
    trace = played(name, opened)
    for node, expected in zip(trace.sources, own, strict=True):
        found = trace.gradients[node]
        found = np.zeros(expected.shape) if found is None else whole(found)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_trace_is_valid(name, opened):
    trace = played(name, opened)
    assert Trace.from_json(trace.to_json()) == trace
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema())
    validator.validate(json.loads(trace.to_json()))


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_step_has_what_came_in(name):
    trace = played(name)
    pulls = [step for step in trace.steps if step.kind == "pull"]
    for step in pulls:
        came = [g for g in (step.cotangent, *step.cotangents) if g is not None]
        assert [o.value for o in step.operands if o.kind == "cotangent"] == came
    assert pulls


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_step_follows_in_numpy_from_its_operands_alone(name, opened):
    assert_every_step_follows(played(name, opened), RULES, rtol=2e-5)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_op_and_every_rule_has_a_formula(name):
    trace = played(name, opened=True)
    assert all(node.formula.text for node in trace.nodes if node.kind == "op")
    assert all(step.formula.text for step in trace.steps if step.kind == "pull")


def test_jit_is_a_group_and_scan_one_op_or_its_rounds():
    assert {node.scope for node in played("jit").nodes} >= {("network",)}
    assert "scan" in {node.op for node in played("rnn by scan").nodes}
    opened = played("rnn by scan", opened=True)
    assert {f"round {i}" for i in range(4)} <= {s for node in opened.nodes for s in node.scope}


def test_lines_are_the_learner_s():
    lines = {node.line.text.strip() for node in played("mlp").nodes if node.line}
    assert 'return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"]' in lines


def test_a_row_of_a_jacobian_is_a_cotangent_with_one_1():
    x = draw(3)
    trace = adapter.step(lambda x: x * x.sum(), x, cotangent=jnp.array([0.0, 1.0, 0.0])).trace
    expected = jax.jacrev(lambda x: x * x.sum())(x)[1]
    np.testing.assert_allclose(whole(trace.gradients[trace.sources[0]]), expected, rtol=1e-5)


def test_arguments_have_their_names():
    trace = played("mlp")
    assert [trace.nodes[n].name for n in trace.sources] == ["p['b1']", "p['w1']", "p['w2']", "x"]


def test_formulas_of_namesakes_are_minitape_s():
    trace = played("scalars")
    texts = [s.formula.text for s in trace.steps if s.kind == "pull" and s.formula]
    assert "g · b" in texts


def test_a_loop_without_a_way_back_runs_where_no_gradient_goes_through():
    def scaled(x):
        return x * jax.lax.stop_gradient(jax.lax.while_loop(lambda c: c < 10, lambda c: c * 2, x))

    trace = adapter.step(scaled, 3.0).trace
    assert whole(trace.gradients[trace.sources[0]]) == 12.0
    with pytest.raises(ValueError, match=r"Try using lax\.scan"):
        adapter.step(lambda x: jax.lax.while_loop(lambda c: c < 10, lambda c: c * 2, x), 3.0)


def test_random_numbers_of_keys_are_constants():
    def noisy(x):
        return (x * jax.random.normal(jax.random.key(0), (3,))).sum()

    trace = adapter.step(noisy, draw(3)).trace
    expected = jax.random.normal(jax.random.key(0), (3,))
    np.testing.assert_allclose(whole(trace.gradients[trace.sources[0]]), expected, rtol=1e-6)


def test_functions_with_rules_of_their_own_have_their_names():
    assert {node.op for node in played("custom_vjp").nodes} >= {"clipped"}
    (pull,) = [
        s for s in played("custom_vjp").steps
        if s.kind == "pull" and played("custom_vjp").nodes[s.node].op == "clipped"
    ]  # fmt: skip
    assert pull.formula.text == "clipped.backward(g)"


SHAPES = {
    "NHWC": ((8, 8, 8, 4), "HWIO", (3, 3, 4, 4)),
    "NCHW": ((8, 4, 8, 8), "OIHW", (4, 4, 3, 3)),
}


@pytest.mark.parametrize("layout", list(SHAPES))
def test_a_batch_of_images_has_a_tile_for_each_image_and_channel(layout):
    of_images, kernels, of_kernel = SHAPES[layout]

    def loss(images, kernel):
        made = jax.lax.conv_general_dilated(
            images, kernel, (1, 1), "SAME", dimension_numbers=(layout, kernels, layout)
        )
        return jnp.sum(made**2)

    trace = adapter.step(loss, *(np.ones(s, np.float32) for s in (of_images, of_kernel))).trace
    thumb = trace.nodes[0].value.thumb
    assert (thumb.tiles, thumb.rows, thumb.columns) == ((8, 4), 8, 8)
    (pull,) = [s for s in trace.steps if s.kind == "pull" and s.to == 1]
    assert pull.formula.text == "∑_p window_p(images) · g_p"


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("spread", [1, 2])
def test_a_convolution_says_how_its_window_moves(groups, spread):
    def loss(images, kernel):
        made = jax.lax.conv_general_dilated(
            images, kernel, (2, 2), [(1, 1), (0, 1)], (spread, spread), feature_group_count=groups
        )
        return jnp.sum(made**2)

    kernel = np.ones((4, 4 // groups, 3, 3), np.float32)
    trace = adapter.step(loss, np.ones((1, 4, 8, 8), np.float32), kernel).trace
    (node,) = [each for each in trace.nodes if each.op == "conv_general_dilated"]
    told = {each.name: json.loads(each.json) for each in node.attributes}
    assert told["windows"] == [[2, 1, 1, spread], [2, 0, 1, spread]]
    assert told["roles"] == ["image", "kernel", "map"]


@pytest.mark.parametrize("opened", [False, True])
def test_what_makes_nothing_runs_and_is_not_shown(opened):
    seen = []

    @jax.jit
    def loss(x):
        jax.debug.callback(lambda value: seen.append(np.asarray(value).tolist()), x)
        jax.debug.print("x = {}", x)
        return jnp.sum(x**2)

    trace = adapter.step(loss, jnp.array([1.0, 2.0]), opened=opened).trace
    assert trace.gradients[trace.sources[0]].data == (2.0, 4.0)
    assert "debug" not in " ".join(node.op or "" for node in trace.nodes)
    assert seen == [[1.0, 2.0]]


def test_a_branch_on_an_argument_says_what_to_write():
    with pytest.raises(TypeError, match=r"jnp\.where"):
        adapter.step(lambda x: x * x if x > 0 else -x, 1.0)
